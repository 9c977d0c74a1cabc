/* omp_shapes.c - turns, loops and joins with OpenMP tasks. */
#include "peer.h"

static double
turns(char **args)
{
    int n = arg(args, 0), turns = arg(args, 1), sum = 0;
    double us = atof(args[2]);
    int *x = room((size_t)n, sizeof *x);
    while (sum < turns * n) {
        for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
            {
                busy_us(us);
                x[i]++;
            }
        }
#pragma omp taskwait
        sum = 0;
        for (int i = 0; i < n; i++) sum += x[i];
    }
    free(x);
    return sum;
}

static double
wide(char **args)
{
    int n = arg(args, 0), rounds = arg(args, 1), *t = room((size_t)n, sizeof *t), sum = 0;
    for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i) depend(out : t[i])
        t[i] = work(0, rounds);
#pragma omp task firstprivate(i) depend(inout : t[i])
        t[i] = work(t[i], rounds);
    }
#pragma omp taskwait
    for (int i = 0; i < n; i++) sum += t[i];
    free(t);
    return sum;
}

static double
mixed(char **args)
{
    int n = arg(args, 0), every = arg(args, 1), *d = room((size_t)n, sizeof *d);
    double us = atof(args[2]), sum = 0;
    for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
        {
            if (i % every == every - 1) busy_us(us);
            d[i] = i;
        }
    }
#pragma omp taskwait
    for (int i = 0; i < n; i++) sum += d[i];
    free(d);
    return sum;
}

/* How they are made is the same to OpenMP. */
static double
parallel(char **args)
{
    int n = arg(args, 1), *d = room((size_t)n, sizeof *d);
    double us = atof(args[2]), sum = 0;
    for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
        {
            busy_us(us);
            d[i] = i + 1;
        }
    }
#pragma omp taskwait
    for (int i = 0; i < n; i++) sum += d[i];
    free(d);
    return sum;
}

static double
first(char **args)
{
    int how = arg(args, 0), n = how < 2 ? 4 : 8;
    double us = atof(args[1]);
    for (int i = 0; i < n; i++) {
#pragma omp task
        busy_us(us);
    }
#pragma omp taskwait
    return how;
}

static double
forks(char **args)
{
    int n = arg(args, 0), turns = arg(args, 1), rounds = arg(args, 2), at = 0;
    int *x = room((size_t)n, sizeof *x);
    for (int t = 0; t < turns; t++) {
        for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
            x[i] = work(at, rounds);
        }
#pragma omp taskwait
        at = 0;
        for (int i = 0; i < n; i++) at += x[i];
        at /= n;
    }
    free(x);
    return at;
}

const struct peer_case peer_shapes[] = {
    {"turns", 3, turns}, {"halo", 3, turns},        {"wide", 2, wide},   {"mixed", 3, mixed},
    {"first", 2, first}, {"parallel", 3, parallel}, {"forks", 3, forks}, {0}};
