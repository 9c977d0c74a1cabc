/* old.cpp - ucodes as they are written in programs of old: both headers, both namespaces. */
#include <ucenv/ucenv.h>

#include "ucenv.h"

#include <cstdlib>

extern "C" void c_init(int value, OutputDF &df)
{
    df.setValue(value);
}

extern "C" void
c_sum(const luna::ucenv::InputDF &a, const luna::ucenv::InputDF &b, luna::ucenv::OutputDF &c)
{
    c = a.getValue<int>() + b.getValue<int>();
}

using namespace luna::ucenv;

extern "C" {
void c_print(const InputDF &df, const char *label, double scale)
{
    printf("%s %s %f\n", label, df.to_string().c_str(), scale * df.cast_real());
}

void c_block(OutputDF &block, int n)
{
    double *data = block.create<double>(n);
    for (int i = 0; i < n; i++) data[i] = i;
    float *copy = static_cast<float *>(malloc(n * sizeof(float)));
    std::vector<std::string> names;
    std::map<int, std::string> by_number;
    std::function<int(int)> twice = [](int k) { return 2 * k; };
    std::mutex lock;
    lock.lock();
    by_number[twice(1)] = "two";
    lock.unlock();
    free(copy);
}

void c_norm(const InputDF &block, OutputDF &norm, OutputDF &same)
{
    size_t n = block.getSize() / sizeof(double);
    const double *data = block.getData<double>();
    const double *raw = (const double *)block.get_data();
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += data[i] * raw[i];
    norm = sum;
    same = block;
}

void c_head(int, double, const char *, const DF &, DF &out)
{
    out.copy(DF(std::string("text")));
}
}
