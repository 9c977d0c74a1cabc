/* nop.c - the empty task. Each 1024th call notes the time, so that the end of a run can be told
 * without a dependence between the tasks; that costs the others a compare. */
#include <time.h>

enum { STRIDE = 1024, STAMPS = 1 << 16 };

static double stamp[STAMPS];

static double
clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void
nop(int i)
{
    if (i % STRIDE == STRIDE - 1) stamp[i / STRIDE % STAMPS] = clock_s();
}

void
nop_reset(void)
{
    for (int k = 0; k < STAMPS; k++) stamp[k] = 0;
}

/* The latest time noted in a run of n tasks; 0 if one of those that note it was not called. */
double
nop_last(int n)
{
    double last = 0;
    for (int k = 0; k < n / STRIDE && k < STAMPS; k++) {
        if (stamp[k] == 0) return 0;
        if (stamp[k] > last) last = stamp[k];
    }
    return last;
}
