/* bodies.c - calls that only take time. */
#include "bodies.h"

#include <time.h>

double
now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void
busy_us(double us)
{
    double end = now_s() + us * 1e-6;
    while (now_s() < end) {}
}

int
work(int x, int rounds)
{
    double v = 1;
    for (int k = 0; k < rounds; k++) v = v * 1.0000001;
    return v > 0 ? x + 1 : x;
}
