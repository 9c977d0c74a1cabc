/* owners.c - see owners.h. */
#include "apps/luna/trace/owners.h"

#include <stdlib.h>
#include <string.h>

/* ---- from lines to owners ---- */

struct told { /* the latest own line of a node */
    uint64_t t;
    bool known;
    uint32_t *cells;
    size_t n, room;
};

struct moved { /* the latest move of a cell */
    uint64_t t;
    int32_t to; /* OWNERS_NONE: it never moved */
    bool twice; /* two nodes tell it as theirs */
};

struct gathering {
    struct arena *arena;
    struct told *told;   /* per node */
    struct moved *moved; /* per cell */
};

struct owners *
owners_new(struct arena *a, const struct trace_run *run, uint64_t at)
{
    struct owners *o = arena_new_of(a, struct owners);
    struct gathering *g = arena_new_of(a, struct gathering);
    uint32_t n = lattice_size(&run->cells);
    *o = (struct owners){.cells = run->cells, .nodes = (unsigned)run->nodes, .at = at};
    o->gathering = g;
    o->of = arena_array(a, int32_t, n);
    g->arena = a;
    g->told = arena_array(a, struct told, run->nodes);
    g->moved = arena_array(a, struct moved, n);
    for (uint32_t c = 0; c < n; c++) {
        o->of[c] = OWNERS_NONE;
        g->moved[c].to = OWNERS_NONE;
    }
    return o;
}

/* The memory of a list is used again by the next one of the node; it at least doubles, so what the
 * arena keeps of old ones is less than the last. */
static void
add_own(struct gathering *g, struct told *x, const struct trace_event *e)
{
    if (x->known && e->t < x->t) return; /* workers write in an order of their own */
    if (e->cells > x->room) {
        x->room = e->cells > 2 * x->room ? e->cells : 2 * x->room;
        x->cells = arena_array(g->arena, uint32_t, x->room);
    }
    x->t = x->known ? e->t : 0;
    x->known = true;
    x->n = e->cells;
    if (x->n) memcpy(x->cells, e->owned, x->n * sizeof *x->cells);
}

void
owners_add(void *who, unsigned node, const struct trace_event *e)
{
    struct owners *o = who;
    struct gathering *g = o->gathering;
    if (e->ev == TRACE_EV_OWN) o->told += e->cells;
    if (e->ev == TRACE_EV_MOVE) o->told++;
    /* The first list is of the start, whenever the node came to writing it. */
    bool is_first = e->ev == TRACE_EV_OWN && !g->told[node].known;
    if (e->t > o->at && !is_first) return;
    if (e->ev == TRACE_EV_OWN) add_own(g, &g->told[node], e);
    if (e->ev != TRACE_EV_MOVE) return;
    struct moved *m = &g->moved[e->cell];
    if (m->to == OWNERS_NONE || e->t >= m->t) *m = (struct moved){.t = e->t, .to = (int32_t)e->to};
}

/* Two nodes tell the cell as theirs, after it last moved. */
static void
note_twice(struct owners *o, uint32_t cell, int a, int b)
{
    struct moved *m = &o->gathering->moved[cell];
    if (m->twice) return;
    m->twice = true;
    if (o->twice++ && cell > o->twice_cell) return;
    o->twice_cell = cell;
    o->twice_by[0] = a;
    o->twice_by[1] = b;
}

/* A move at the same moment as a list is the later of the two: the giver's next list follows it. */
static void
claim(struct owners *o, int node, uint32_t cell)
{
    const struct gathering *g = o->gathering;
    const struct moved *m = &g->moved[cell];
    int other = o->of[cell];
    if (m->to != OWNERS_NONE && m->t >= g->told[node].t) return;
    if (other == node) return;
    if (other != OWNERS_NONE) {
        note_twice(o, cell, other, node);
        if (g->told[other].t >= g->told[node].t) return;
    }
    o->of[cell] = node;
}

void
owners_settle(struct owners *o)
{
    const struct gathering *g = o->gathering;
    for (unsigned i = 0; i < o->nodes; i++)
        for (size_t k = 0; k < g->told[i].n; k++) claim(o, (int)i, g->told[i].cells[k]);
    /* Nobody's list is later than the move. */
    for (uint32_t c = 0, n = lattice_size(&o->cells); c < n; c++)
        if (o->of[c] == OWNERS_NONE) o->of[c] = g->moved[c].to;
}

void
owners_alone(struct owners *o)
{
    for (uint32_t c = 0, n = lattice_size(&o->cells); c < n; c++) o->of[c] = 0;
}

/* ---- coarser ---- */

/* The number of the coarse cell that `cell` lies in. */
static uint32_t
block_of(const struct lattice *fine, const struct lattice *coarse, uint32_t cell, int k)
{
    struct lattice_point p = lattice_point(fine, cell);
    for (int d = 0; d < fine->ndims; d++) p.at[d] /= k;
    return lattice_number(coarse, p.at);
}

/* Of as many cells the lowest node wins, and nobody loses to any. */
struct vote {
    uint32_t block;
    int32_t node;
};

static int
by_block(const void *a, const void *b)
{
    const struct vote *x = a, *y = b;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

struct owners *
owners_shrink(struct arena *a, const struct owners *o, int k)
{
    struct owners *out = arena_new_of(a, struct owners);
    int32_t sides[LATTICE_DIMS_MAX];
    uint32_t n = lattice_size(&o->cells);
    *out = *o;
    for (int d = 0; d < LATTICE_DIMS_MAX; d++) sides[d] = (o->cells.side[d] + k - 1) / k;
    lattice_init(&out->cells, o->cells.ndims, sides);
    out->of = arena_array(a, int32_t, lattice_size(&out->cells));
    struct vote *votes = arena_array(a, struct vote, n);
    for (uint32_t c = 0; c < n; c++)
        votes[c] = (struct vote){block_of(&o->cells, &out->cells, c, k), o->of[c]};
    qsort(votes, n, sizeof *votes, by_block);
    for (uint32_t i = 0, most = 0; i < n;) { /* equal votes lie together */
        uint32_t first = i;
        if (!i || votes[i].block != votes[i - 1].block) most = 0;
        while (i < n && !by_block(&votes[i], &votes[first])) i++;
        int32_t *of = &out->of[votes[first].block];
        if (i - first <= most && (*of != OWNERS_NONE || i - first < most)) continue;
        *of = votes[first].node;
        most = i - first;
    }
    return out;
}

/* ---- figures ---- */

struct pair { /* of nodes with adjacent cells */
    int32_t a, b;
};

static int
by_nodes(const void *p, const void *q)
{
    const struct pair *x = p, *y = q;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* Both ways round, sorted, each once; gives their number. */
static uint64_t
find_pairs(const struct owners *o, struct owners_figures *f, struct pair *out)
{
    uint64_t n = 0, kept = 0;
    for (uint32_t c = 0, cells = lattice_size(&o->cells); c < cells; c++)
        for (int d = 0; d < o->cells.ndims; d++) {
            uint32_t next = lattice_beside(&o->cells, c, 2 * d + 1);
            if (next == LATTICE_NONE) continue;
            f->pairs++;
            int32_t a = o->of[c], b = o->of[next];
            if (a == b || a == OWNERS_NONE || b == OWNERS_NONE) continue;
            f->cut++;
            out[n++] = (struct pair){a, b};
            out[n++] = (struct pair){b, a};
        }
    qsort(out, n, sizeof *out, by_nodes);
    for (uint64_t i = 0; i < n; i++)
        if (!i || by_nodes(&out[i], &out[i - 1])) out[kept++] = out[i];
    return kept;
}

/* Marks all cells of the same owner that can be reached from `cell`. */
static void
flood(const struct owners *o, uint32_t cell, bool *seen, uint32_t *stack)
{
    uint32_t n = 0;
    stack[n++] = cell;
    seen[cell] = true;
    while (n) {
        uint32_t c = stack[--n];
        for (int side = 0; side < 2 * o->cells.ndims; side++) {
            uint32_t next = lattice_beside(&o->cells, c, side);
            if (next == LATTICE_NONE || seen[next] || o->of[next] != o->of[c]) continue;
            seen[next] = true;
            stack[n++] = next;
        }
    }
}

static void
count_cells(struct arena *a, const struct owners *o, struct owners_figures *f)
{
    uint32_t n = lattice_size(&o->cells);
    bool *seen = arena_array(a, bool, n);
    uint32_t *stack = arena_array(a, uint32_t, n);
    for (uint32_t c = 0; c < n; c++) {
        if (o->of[c] == OWNERS_NONE) {
            f->nobodys++;
            continue;
        }
        struct owners_of_node *x = &f->node[o->of[c]];
        x->cells++;
        if (seen[c]) continue;
        x->pieces++;
        flood(o, c, seen, stack);
    }
}

struct owners_figures
owners_figures(struct arena *a, const struct owners *o)
{
    struct owners_figures f = {.node = arena_array(a, struct owners_of_node, o->nodes)};
    size_t room = (size_t)lattice_size(&o->cells) * 2 * (size_t)o->cells.ndims;
    struct pair *pairs = arena_array(a, struct pair, room);
    uint64_t n = find_pairs(o, &f, pairs);
    int32_t *near = arena_array(a, int32_t, n + 1);
    for (uint64_t i = 0; i < n; i++) {
        struct owners_of_node *x = &f.node[pairs[i].a];
        near[i] = pairs[i].b;
        if (!x->neighbours++) x->near = &near[i];
    }
    count_cells(a, o, &f);
    return f;
}
