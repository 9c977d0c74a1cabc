/* model.c - the formulas of model.h. */
#include "collectives/group/model.h"

#include <math.h>

/* More would be memory for nothing: a queue that is used again costs little. */
enum { FRAGMENTS_MAX = 1024, FRAGMENTS = 64, FRAGMENT_BYTES = 8192 };

double
model_time(const struct model *c, double m, double f, double s)
{
    double uses = ceil(m / (f * s)), gate = c->open + c->leave;
    if (m <= f) return gate + c->word + 2 * m * c->byte;
    if (s == 1) return ceil(m / f) * (gate + c->word) + 2 * m * c->byte; /* nothing overlaps */
    return uses * (gate + c->byte * f) + ceil(m / f) * c->word + m * c->byte;
}

double
model_fragment(double m, double b, double latency_bytes)
{
    return sqrt(m / ceil(m / b) * latency_bytes);
}

static size_t
whole_pages(double bytes, size_t page)
{
    size_t pages = (size_t)ceil(bytes / (double)page);
    return (pages ? pages : 1) * page;
}

struct model_queue
model_choose(size_t m, size_t f, int s, double latency_bytes, size_t page)
{
    struct model_queue q = {f, s};
    if (!q.fragment) {
        double best = model_fragment((double)m, (double)m, latency_bytes);
        q.fragment = m ? whole_pages(best, page) : FRAGMENT_BYTES;
    }
    if (!q.fragments) {
        size_t needed = m ? (m + q.fragment - 1) / q.fragment : FRAGMENTS;
        q.fragments = needed > FRAGMENTS_MAX ? FRAGMENTS_MAX : needed < 2 ? 2 : (int)needed;
    }
    return q;
}
