/* waits.c - what idle workers waited for, as far as a trace tells.
 *
 * A gap between two calls of a worker is charged to the node whose message made the second one
 * ready; if it was ready before, or a call of its own node made it so, to its own node. Traces of
 * earlier versions do not tell: there it is the node whose value was the last to leave for the
 * worker's node within the gap, an estimate. How long a worker was idle is known, so its gaps are
 * scaled to that: what they hold more is the runtime's work. */
#include "apps/report/report.h"

#include "runtime/base/vec.h"

const char *const report_wait_text[REPORT_WAITS] = {"others", "own", "start", "end", "nothing"};

const struct report_send *
report_arrival(const struct report_run *r, unsigned node, uint64_t from, uint64_t to)
{
    size_t low = r->arrivals[node], high = r->arrivals[node + 1];
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (r->sends[mid].t <= to)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == r->arrivals[node] || r->sends[low - 1].t <= from) return NULL;
    return &r->sends[low - 1];
}

/* ---- gaps ---- */

struct gap {
    enum report_wait why;
    uint64_t ns, under_way; /* so long the value was, at most all the time */
    const struct report_send *by; /* of a value that ended it */
};

struct gaps {
    const struct report_run *r;
    unsigned node;
    uint64_t at;  /* until then the worker has been looked at */
    size_t calls; /* behind it */
};

/* The value that ended the gap before a call. */
static const struct report_send *
ended_by(const struct gaps *g, const struct report_call *c, uint64_t t)
{
    if (!g->r->caused || !c) return report_arrival(g->r, g->node, g->at, t);
    return c->ready > g->at ? report_message(g->r, c->by) : NULL;
}

/* The gap before the next call, or behind the last (NULL), until t. */
static struct gap
gap_until(struct gaps *g, const struct report_call *c, uint64_t t, enum report_wait why)
{
    struct gap x = {.why = why, .ns = t > g->at ? t - g->at : 0};
    if (why == REPORT_FOR_OWN && x.ns > REPORT_GAP) {
        x.by = ended_by(g, c, t);
        if (x.by && x.by->from != g->node) {
            x.why = REPORT_FOR_OTHERS;
            x.under_way = c && c->ready > x.by->t ? c->ready - x.by->t : 0;
            if (x.under_way > x.ns) x.under_way = x.ns;
        } else
            x.by = NULL;
    }
    return x;
}

typedef void gap_fn(void *who, const struct gap *g);

static void
each_gap(const struct report_run *r, size_t lane, gap_fn *fn, void *who)
{
    const struct report_lane *l = &r->lanes[lane];
    struct gaps g = {.r = r, .node = (unsigned)(lane / r->stats.run.workers)};
    struct gap x;
    for (size_t i = 0; i < l->n; i++) {
        x = gap_until(&g, &l->at[i], l->at[i].t, i ? REPORT_FOR_OWN : REPORT_FOR_START);
        if (x.ns > REPORT_GAP) fn(who, &x);
        uint64_t end = l->at[i].t + l->at[i].dur;
        if (end > g.at) g.at = end;
    }
    x = gap_until(&g, NULL, r->stats.run.duration, l->n ? REPORT_FOR_END : REPORT_FOR_NOTHING);
    if (x.ns > REPORT_GAP) fn(who, &x);
}

/* ---- charging ---- */

struct charge {
    struct report_run *r;
    struct report_lane *lane;
    unsigned group;
    double sum, scale;
};

static void
add_up(void *who, const struct gap *g)
{
    struct charge *c = who;
    c->sum += (double)g->ns;
}

static void
charge_gap(void *who, const struct gap *g)
{
    struct charge *c = who;
    double ns = (double)g->ns * c->scale;
    c->lane->waits[g->why] += ns;
    if (!g->by) return;
    c->r->waited[(size_t)c->group * c->r->ngroups + g->by->from / c->r->group_size] += ns;
    struct report_df *df = c->r->dfs[g->by->df];
    if (g->by->bytes < REPORT_SMALL) df->small += ns;
    else df->large += (double)g->under_way * c->scale;
}

static void
charge_lane(struct report_run *r, size_t i)
{
    struct report_lane *l = &r->lanes[i];
    unsigned node = (unsigned)(i / r->stats.run.workers);
    struct charge c = {.r = r, .lane = l, .group = node / r->group_size};
    double idle = (double)(l->idle - l->wasted);
    each_gap(r, i, add_up, &c);
    c.scale = c.sum > 0 ? idle / c.sum : 0;
    if (c.sum > 0)
        each_gap(r, i, charge_gap, &c);
    else
        l->waits[REPORT_FOR_OWN] = idle;
    for (int k = 0; k < REPORT_WAITS; k++) r->waits[k] += l->waits[k];
}

/* ---- time in which one worker was busy, and no other ---- */

struct heap { /* lanes by the start of their next call, the earliest first */
    const struct report_run *r;
    size_t *lane, *next, n;
};

static uint64_t
key(const struct heap *h, size_t i)
{
    size_t lane = h->lane[i];
    return h->r->lanes[lane].at[h->next[lane]].t;
}

static void
sink(struct heap *h, size_t i)
{
    for (size_t k; (k = 2 * i + 1) < h->n; i = k) {
        if (k + 1 < h->n && key(h, k + 1) < key(h, k)) k++;
        if (key(h, i) <= key(h, k)) return;
        size_t lane = h->lane[i];
        h->lane[i] = h->lane[k];
        h->lane[k] = lane;
    }
}

static struct heap
heap_of(struct report_run *r)
{
    struct heap h = {.r = r,
                     .lane = arena_array(r->arena, size_t, r->nlanes),
                     .next = arena_array(r->arena, size_t, r->nlanes)};
    for (size_t i = 0; i < r->nlanes; i++)
        if (r->lanes[i].n) h.lane[h.n++] = i;
    for (size_t i = h.n / 2; i-- > 0;) sink(&h, i);
    return h;
}

static const struct report_call *
heap_take(struct heap *h, size_t *from)
{
    size_t lane = *from = h->lane[0];
    const struct report_lane *l = &h->r->lanes[lane];
    const struct report_call *c = &l->at[h->next[lane]++];
    if (h->next[lane] == l->n) h->lane[0] = h->lane[--h->n];
    sink(h, 0);
    return c;
}

/* Of the calls begun so far, `last` ends last, at `end`; the others end at `others` at most. Until
 * the next one begins one worker is busy from `others` to `end`. */
struct alone {
    uint64_t from, end, others;
    uint32_t last; /* its sub, */
    size_t node;   /* and where it runs */
};

static void
alone_until(struct report_run *r, const struct alone *a, uint64_t t)
{
    uint64_t from = a->from > a->others ? a->from : a->others, to = t < a->end ? t : a->end;
    if (from >= to) return;
    r->alone += (double)(to - from);
    r->alone_of[a->last] += to - from;
    r->alone_on[a->node] += to - from;
}

static void
find_alone(struct report_run *r)
{
    r->alone_of = arena_array(r->arena, uint64_t, r->stats.nsubs + 1);
    r->alone_on = arena_array(r->arena, uint64_t, r->stats.run.nodes + 1);
    if (r->nlanes < 2) return;
    struct heap h = heap_of(r);
    struct alone a = {0};
    while (h.n) {
        size_t lane;
        const struct report_call *c = heap_take(&h, &lane);
        uint64_t end = c->t + c->dur;
        alone_until(r, &a, c->t);
        a.from = c->t;
        if (end > a.end) {
            a.others = a.end;
            a.end = end;
            a.last = c->sub;
            a.node = lane / r->stats.run.workers;
        } else if (end > a.others) {
            a.others = end;
        }
    }
    alone_until(r, &a, UINT64_MAX);
}

void
report_waits(struct report_run *r)
{
    r->waited = arena_array(r->arena, double, (size_t)r->ngroups * r->ngroups);
    for (size_t i = 0; i < r->nlanes; i++) charge_lane(r, i);
    find_alone(r);
}
