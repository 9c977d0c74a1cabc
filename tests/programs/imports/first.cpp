#include <ucenv.h>

#include <cmath>

// Local to this file: the other one has a helper of this name, too.
static int
helper(int k)
{
    return 2 * k;
}

extern "C" void twice(OutputDF &v, int k) { v = helper(k); }

extern "C" {
void
std_exp(double x, OutputDF &v)
{
    v = std::exp(x);
}

void
f(int k)
{
    printf("f %d\n", k);
}
}
