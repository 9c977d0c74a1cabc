#include <ucenv/ucenv.h>

#include <cstring>

extern "C" void
cpp_make(int k, OutputDF &i, OutputDF &r, OutputDF &s, OutputDF &b)
{
    i = k;
    r = k + 0.25;
    s = "from C++";
    b.create<char>(200, static_cast<char>(k));
}

extern "C" void
cpp_show(const InputDF &i, const InputDF &r, const InputDF &s, const InputDF &b)
{
    printf("C++: %s, %s, %s, %s\n", i.to_string().c_str(), r.to_string().c_str(),
           s.to_string().c_str(), b.to_string().c_str());
}

extern "C" void
cpp_through_bytes(const InputDF &b, OutputDF &back)
{
    std::vector<char> bytes(b.get_serialization_size());
    b.serialize(bytes.data(), bytes.size());
    DF local;
    local.deserialize(bytes.data(), bytes.size());
    back = local; /* outlives it */
}

extern "C" void
cpp_same(const InputDF &a, const InputDF &b)
{
    bool same = a.get_size() == b.get_size() && !memcmp(a.get_data(), b.get_data(), a.get_size());
    printf("C++: %s, %s\n", same ? "equal" : "different",
           a.get_data() == b.get_data() ? "in one place" : "in two places");
}

extern "C" {
void
cpp_args(int i, double r, const char *s)
{
    printf("C++: %d, %g, '%s'\n", i, r, s);
}
}
