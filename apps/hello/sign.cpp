/* sign.cpp - a ucode in C++. */
#include <cstdio>
#include <ucenv.h>

extern "C" void
sign(const InputDF &length)
{
    printf("%s\n", std::string(length.get_int() - 1, '-').c_str());
}
