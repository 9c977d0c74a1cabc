/* balance_pace.c - work as a sum of slopes, walked along from its beginning. */
#include "balance_pace.h"

#include <math.h>
#include <stdlib.h>

struct change { /* the slope is another one from then on */
    double at, slope;
};

struct pace {
    struct change *change;
    size_t n, next;
    double at, done, slope;
};

static int
by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

struct pace *
pace_new(const struct pace_call *calls, size_t n)
{
    struct pace *p = calloc(1, sizeof *p);
    struct change *c = malloc((2 * n + 1) * sizeof *c);
    if (!p || !c) {
        free(p);
        free(c);
        return NULL;
    }
    p->change = c;
    p->n = 2 * n;
    for (size_t i = 0; i < n; i++) {
        double begun = (double)calls[i].begun, ns = fmax(1, (double)calls[i].ended - begun);
        c[2 * i] = (struct change){begun, calls[i].work / ns};
        c[2 * i + 1] = (struct change){begun + ns, -calls[i].work / ns};
    }
    qsort(c, p->n, sizeof *c, by_time);
    return p;
}

void
pace_free(struct pace *p)
{
    if (!p) return;
    free(p->change);
    free(p);
}

static void
go_to(struct pace *p, double at)
{
    p->done += p->slope * (at - p->at);
    p->at = at;
}

static void
change(struct pace *p)
{
    go_to(p, p->change[p->next].at);
    p->slope = fmax(0, p->slope + p->change[p->next++].slope);
}

double
pace_work(struct pace *p, double at)
{
    while (p->next < p->n && p->change[p->next].at <= at) change(p);
    if (p->next < p->n && at > p->at) go_to(p, at);
    return p->done;
}

double
pace_time(struct pace *p, double work)
{
    while (p->next < p->n && p->done + p->slope * (p->change[p->next].at - p->at) < work)
        change(p);
    if (p->next < p->n && work > p->done) go_to(p, p->at + (work - p->done) / p->slope);
    return p->at;
}
