/* model.h - what a broadcast through a queue costs, and the queue that costs least. Pure.
 *
 * A message of m bytes passes a queue of s fragments of f bytes, b = s f. Copying a byte takes t, a
 * notification t_w, opening a set t_o, leaving it t_a. Copying in overlaps with copying out, but
 * for the first fragment:
 *
 *     m <= f        t_o + t_a + t_w + 2 m t                             nothing overlaps
 *     m <= b        t_o + t_a + t f + ceil(m/f) t_w + m t               the message fits
 *     m >  b        ceil(m/b) (t_o + t_a + t f) + ceil(m/f) t_w + m t   the queue is used again
 *
 * With b given the least is at f* = sqrt(m / ceil(m/b) * t_w / t): large fragments delay the first,
 * small ones need many notifications. */
#ifndef LUNA_COLLECTIVES_MODEL_H
#define LUNA_COLLECTIVES_MODEL_H

#include <stddef.h>

struct model {
    double byte, word, open, leave; /* t, t_w, t_o, t_a, in one unit of time */
};

/* One set (q = 1). */
double model_time(const struct model *c, double m, double f, double s);
/* f*, not rounded. `latency_bytes` is t_w/t. */
double model_fragment(double m, double b, double latency_bytes);

struct model_queue {
    size_t fragment;
    int fragments;
};
/* A queue for messages of up to m bytes when f, s or both are 0 (then: to be chosen), in whole
 * pages: nothing is used again, f = sqrt(m t_w/t). Nothing known, m = 0: 64 fragments of 8 KiB. */
struct model_queue model_choose(size_t m, size_t f, int s, double latency_bytes, size_t page);

#endif
