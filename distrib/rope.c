/* rope.c - the cells along a Hilbert curve, cut into one segment per node, in the order of nodes.
 *
 *      curve   0 ............................................ R
 *      nodes     |  0  |    1    | 2 |      3      |   4  |
 *                               lo   hi
 *
 * A node knows the ends of its own segment. Whoever looks for one before `lo` asks the node on
 * the left, for one from `hi` on the node on the right. An end slides when cells are handed to a
 * neighbour on the line; the order of nodes never changes. */
#include "kind.h"

#include "hilbert.h"
#include "runtime/base/mem.h"

#include <math.h>
#include <string.h>

struct rope {
    struct hilbert curve;
    uint32_t lo, hi;             /* positions owned now */
    uint32_t start_lo, start_hi; /* at the start of the run */
    uint32_t clock;              /* above that of all parcels given and taken: the cells' epoch */
};

/* Positions lo to hi-1 go to a neighbour on the line. */
struct rope_parcel {
    uint32_t lo, hi, clock;
};

static uint32_t
position_of(const struct distrib *d, uint32_t cell)
{
    const struct rope *r = d->mine;
    return hilbert_rank(&r->curve, lattice_point(&d->cells, cell));
}

static int
rope_owner(const struct distrib *d, uint32_t cell)
{
    return (int)((uint64_t)position_of(d, cell) * (uint64_t)d->nnodes / d->ncells);
}

static uint32_t
cell_at(const struct distrib *d, uint32_t position)
{
    const struct rope *r = d->mine;
    struct lattice_point p = hilbert_point(&r->curve, position);
    return lattice_number(&d->cells, p.at);
}

/* Where a node's segment begins: the least p with floor(p * N / R) = node. Nodes behind the last
 * one stand at the end of the curve. */
static uint32_t
even_start(const struct distrib *d, int node)
{
    uint64_t n = (uint64_t)d->nnodes, p = ((uint64_t)node * d->ncells + n - 1) / n;
    return p < d->ncells ? (uint32_t)p : d->ncells;
}

/* The segments the caller gives: along the curve the owners must not fall. */
static enum err
given_start(struct distrib *d, const struct distrib_setup *s, const char **why)
{
    struct rope *r = d->mine;
    int last = 0;
    for (uint32_t p = 0; p < d->ncells; p++) {
        int owner = s->owner(s->who, cell_at(d, p));
        if (owner < 0 || owner >= d->nnodes) {
            *why = "a cell is given to a node that does not exist";
            return E_USER;
        }
        if (owner < last) {
            *why = "along the curve of a rope, cells must be given to nodes in ascending order";
            return E_USER;
        }
        last = owner;
        if (owner < d->node) r->lo = p + 1;
        if (owner <= d->node) r->hi = p + 1;
    }
    return OK;
}

static enum err
rope_init(struct distrib *d, const struct distrib_setup *s, const char **why)
{
    struct rope *r = d->mine = mem_zalloc(1, sizeof *r);
    if (!r) return E_NOMEM;
    hilbert_init(&r->curve, &d->cells);
    enum err e = OK;
    if (s->owner)
        e = given_start(d, s, why);
    else {
        r->lo = even_start(d, d->node);
        r->hi = even_start(d, d->node + 1);
    }
    r->start_lo = r->lo;
    r->start_hi = r->hi;
    return e;
}

static void
rope_fini(struct distrib *d)
{
    mem_free(d->mine);
}

static enum err
rope_copy(struct distrib *to, const struct distrib *from)
{
    to->mine = mem_alloc(sizeof(struct rope));
    if (!to->mine) return E_NOMEM;
    memcpy(to->mine, from->mine, sizeof(struct rope));
    return OK;
}

static bool
rope_owns(const struct distrib *d, uint32_t cell)
{
    const struct rope *r = d->mine;
    uint32_t p = position_of(d, cell);
    return r->lo <= p && p < r->hi;
}

static bool
rope_founded(const struct distrib *d, uint32_t cell)
{
    const struct rope *r = d->mine;
    uint32_t p = position_of(d, cell);
    return r->start_lo <= p && p < r->start_hi;
}

static uint32_t
rope_count(const struct distrib *d)
{
    const struct rope *r = d->mine;
    return r->hi - r->lo;
}

static uint64_t
rope_bytes(const struct distrib *d)
{
    (void)d;
    return sizeof(struct rope);
}

static void
rope_each(const struct distrib *d, void (*fn)(void *who, uint32_t cell), void *who)
{
    const struct rope *r = d->mine;
    for (uint32_t p = r->lo; p < r->hi; p++) fn(who, cell_at(d, p));
}

static int
rope_onward(const struct distrib *d, uint32_t cell, uint32_t *at)
{
    const struct rope *r = d->mine;
    (void)at;
    return position_of(d, cell) < r->lo ? d->node - 1 : d->node + 1;
}

static uint32_t
rope_epoch(const struct distrib *d, uint32_t cell)
{
    const struct rope *r = d->mine;
    (void)cell;
    return r->clock;
}

/* The positions of cells that are one piece at the end of our segment that shows to `to`. */
static bool
is_end(const struct distrib *d, int to, const uint32_t *cells, uint32_t n, struct rope_parcel *out)
{
    const struct rope *r = d->mine;
    uint32_t lo = r->hi, hi = r->lo;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t p = position_of(d, cells[i]);
        if (p < lo) lo = p;
        if (p >= hi) hi = p + 1;
    }
    *out = (struct rope_parcel){lo, hi, r->clock + 1};
    if (!n || lo < r->lo || hi > r->hi || hi - lo != n) return false;
    return to == d->node - 1 ? lo == r->lo : to == d->node + 1 && hi == r->hi;
}

static enum err
rope_give(struct distrib *d, int to, const uint32_t *cells, uint32_t n, struct buf *parcel)
{
    struct rope *r = d->mine;
    struct rope_parcel p;
    if (!is_end(d, to, cells, n, &p)) return E_PROTOCOL;
    buf_add(parcel, &p, sizeof p);
    if (parcel->failed) return E_NOMEM;
    if (to < d->node)
        r->lo = p.hi;
    else
        r->hi = p.lo;
    r->clock = p.clock;
    return OK;
}

static enum err
rope_take(struct distrib *d, int from, const void *parcel, size_t bytes, distrib_tell_fn *tell,
          void *who)
{
    struct rope *r = d->mine;
    struct rope_parcel p;
    (void)tell; /* nobody else knows where our segment ends */
    (void)who;
    if (bytes != sizeof p) return E_FORMAT;
    memcpy(&p, parcel, sizeof p);
    if (p.lo >= p.hi || p.hi > d->ncells) return E_FORMAT;
    if (from == d->node - 1 && p.hi == r->lo)
        r->lo = p.lo;
    else if (from == d->node + 1 && p.lo == r->hi)
        r->hi = p.hi;
    else
        return E_PROTOCOL;
    if (r->clock < p.clock) r->clock = p.clock;
    return OK;
}

/* Cells from the end on, while the sum comes nearer to what is wanted. Cells without load go only
 * if a loaded one behind them does. */
static enum err
rope_choose(const struct distrib *d, int to, double want, distrib_load_fn *load, void *who,
            uint32_t *cells, uint32_t *n)
{
    const struct rope *r = d->mine;
    double sum = 0;
    for (uint32_t k = 0; k + 1 < r->hi - r->lo; k++) {
        cells[k] = cell_at(d, to < d->node ? r->lo + k : r->hi - 1 - k);
        double w = load(who, cells[k]);
        if (fabs(sum + w - want) > fabs(sum - want)) break;
        if (w > 0) *n = k + 1;
        sum += w;
    }
    return OK;
}

static const char *
rope_flaw(const struct distrib *d, bool shape)
{
    const struct rope *r = d->mine;
    (void)shape;
    if (r->lo > r->hi || r->hi > d->ncells) return "a segment ends before it begins";
    if (!d->node && r->lo) return "the first segment does not begin the curve";
    if (d->node == d->nnodes - 1 && r->hi != d->ncells) return "the last one does not end it";
    return NULL;
}

const struct distrib_kind distrib_rope = {
    .name = "rope",
    .slides = true,
    .owner = rope_owner,
    .each = rope_each,
    .init = rope_init,
    .fini = rope_fini,
    .copy = rope_copy,
    .owns = rope_owns,
    .founded = rope_founded,
    .epoch = rope_epoch,
    .count = rope_count,
    .bytes = rope_bytes,
    .onward = rope_onward,
    .give = rope_give,
    .take = rope_take,
    .choose = rope_choose,
    .flaw = rope_flaw,
};
