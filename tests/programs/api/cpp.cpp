#include "ucenv.h"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

struct point {
    double x, y;
    int tag;
};

static void
line(const char *what, const std::string &text)
{
    printf("%s: %s\n", what, text.c_str());
}

extern "C" {

void
cpp_make(OutputDF &i, OutputDF &r, OutputDF &s, OutputDF &b, OutputDF &d)
{
    if (!i.is_unset() || i.is_set() || i.get_type() != 0) throw std::runtime_error("not unset");
    line("unset", i.to_string());
    i = 40;
    r = 2.75;
    s = "a text";
    double *to = b.create<double>(5, 0.5);
    for (int k = 0; k < 5; k++) to[k] += k;
    point *p = d.create<point>(2);
    memset(p, 0, 2 * sizeof *p);
    p[0].x = p[1].y = 1.5;
    p[1].tag = 9;
}

void
cpp_get(const InputDF &i, const InputDF &r, const InputDF &s)
{
    printf("get: %d %g %s\n", i.get_int(), r.get_real(), s.get_string().c_str());
    printf("getValue: %d %g\n", i.getValue<int>(), r.getValue<double>());
    printf("get<T>: %d %g %s\n", i.get<int>(), r.get<double>(), s.get<std::string>().c_str());
    printf("types: %d %d %d\n", i.get_type(), r.get_type(), s.get_type());
    printf("sizes: %zu %zu %zu\n", i.getSize(), r.getSize(), s.getSize());
}

void
cpp_cast(const InputDF &i, const InputDF &r, const InputDF &s)
{
    DF number(std::string("12")), real(std::string("1.5"));
    printf("cast_int: %d %d %d\n", i.cast_int(), r.cast_int(), number.cast_int());
    printf("cast_real: %g %g %g\n", i.cast_real(), r.cast_real(), real.cast_real());
    printf("cast_string: %s %s %s\n", i.cast_string().c_str(), r.cast_string().c_str(),
           s.cast_string().c_str());
    printf("explicit: %d %g %s\n", int(r), double(i), std::string(s).c_str());
}

void
cpp_bytes(const InputDF &b, OutputDF &part, OutputDF &empty)
{
    const double *from = b.getData<double>();
    printf("bytes: %zu %zu %d\n", b.get_size(), b.getSize(),
           memcmp(b.get_data(), from, b.get_size()));
    double *to = static_cast<double *>(part.create(2 * sizeof(double)));
    memcpy(to, from + 1, 2 * sizeof(double));
    part.getData<double>()[1] *= 2;
    if (part.get_data() != to) throw std::runtime_error("get_data");
    empty.create(0);
}

void
cpp_about(int number, const InputDF &v)
{
    printf("%d %s %d %zu %d %s\n", number, v.to_string().c_str(), v.get_type(), v.getSize(), v.is_set(),
           v.getName().c_str());
}

void
cpp_share(const InputDF &b, OutputDF &x, OutputDF &y)
{
    x.copy(b);
    y = b;
    DF z(b), w;
    w = z;
    bool one = b.get_type() != 4 || (x.get_data() == b.get_data() && y.get_data() == b.get_data() &&
                                     w.get_data() == b.get_data());
    printf("shared: %d\n", one);
}

void
cpp_operators(const InputDF &a, const InputDF &b)
{
    line("a + b", (a + b).to_string());
    line("a - b", (a - b).to_string());
    line("a * b", (a * b).to_string());
    line("a / b", (a / b).to_string());
    line("a % 7", (DF(a.cast_int()) % DF(7)).to_string());
    line("compare", (a < b).to_string() + (a <= b).to_string() + (a > b).to_string() +
                        (a >= b).to_string() + (a == b).to_string() + (a != b).to_string());
    line("a && b", (a && b).to_string());
    line("with a number", (a + DF(1)).to_string() + (DF(0.5) * b).to_string());
}

void
cpp_serial(const InputDF &v, OutputDF &copy)
{
    std::vector<char> bytes(v.get_serialization_size());
    size_t put = v.serialize(bytes.data(), bytes.size());
    size_t got = copy.deserialize(bytes.data(), bytes.size());
    if (put != bytes.size() || got != put) throw std::runtime_error("serialization");
}

void
cpp_set(int how, OutputDF &v)
{
    const char text[] = "bytes";
    void *taken;
    switch (how) {
    case 0: v.setValue(7); break;
    case 1: v.setValue(7.5); break;
    case 2: v.setValue(std::string("seven")); break;
    case 3: v.set(8); break;
    case 4: v = DF(text, sizeof text); break;
    case 5: v = std::string("a\0b", 3); break;
    case 6: v = DF(-1); break;
    case 7:
        v = 1;
        v = 2.5; /* the last one counts */
        break;
    case 8:
        taken = malloc(3);
        memcpy(taken, "xyz", 3);
        v.grab_buffer(taken, 3);
        break;
    default: v = "literal"; break;
    }
}

} // extern "C"

extern "C" void cpp_plain(int i, double r, const char *s)
{
    printf("plain: %d %g %s\n", i, r, s);
}
