/* balance_pace.h - how far the work of a run had come when: each of its calls does its part evenly
 * while it runs. For balance_steps.c. */
#ifndef LUNA_BENCH_BALANCE_PACE_H
#define LUNA_BENCH_BALANCE_PACE_H

#include <stddef.h>
#include <stdint.h>

struct pace;

struct pace_call {
    uint64_t begun, ended; /* ns */
    double work;
};

struct pace *pace_new(const struct pace_call *calls, size_t n); /* NULL: no memory */
void         pace_free(struct pace *p);

/* Of one pace either what was done until then, or when so much was done; each time later, or more,
 * than the time before. */
double pace_work(struct pace *p, double at);
double pace_time(struct pace *p, double work);

#endif
