/* world.c - see world.h. */
#include "tests/distrib/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lattice
lattice_of(int ndims, int32_t a, int32_t b, int32_t c)
{
    struct lattice l;
    if (!lattice_init(&l, ndims, (int32_t[]){a, b, c})) abort();
    return l;
}

static int
owner_in_array(void *who, uint32_t cell)
{
    return ((const int32_t *)who)[cell];
}

struct world
world_new(const char *kind, struct lattice cells, struct lattice nodes, const int32_t *owner)
{
    struct world w = {.kind = kind, .cells = cells, .nodes = nodes, .n = (int)lattice_size(&nodes)};
    w.node = calloc((size_t)w.n, sizeof *w.node);
    const char *why = "out of memory";
    for (int i = 0; i < w.n; i++) {
        struct distrib_setup s = {
            .kind = distrib_kind(kind), .cells = cells, .nodes = nodes, .node = i};
        if (owner) {
            s.owner = owner_in_array;
            s.who = (void *)owner;
        }
        if (distrib_new(&w.node[i], &s, &why) == OK) continue;
        printf("%s: %s\n", kind, why);
        abort();
    }
    return w;
}

void
world_free(struct world *w)
{
    for (int i = 0; i < w->n; i++) distrib_free(w->node[i]);
    free(w->node);
}

int
world_owner(const struct world *w, uint32_t cell)
{
    for (int i = 0; i < w->n; i++)
        if (distrib_owns(w->node[i], cell)) return i;
    return -1;
}

static void
pass_on(void *who, int node, const void *news, size_t size)
{
    struct world *w = who;
    if (distrib_hear(w->node[node], news, size, pass_on, w) != OK) abort();
}

void
world_take(struct world *w, int to, int from, struct buf *parcel)
{
    if (distrib_take(w->node[to], from, parcel->data, parcel->size, pass_on, w) != OK) abort();
    buf_clear(parcel);
}

int
world_walk(const struct world *w, int from, uint32_t cell, bool knowing)
{
    uint32_t at = LATTICE_NONE;
    int to = knowing ? distrib_first(w->node[from], cell, &at)
                     : distrib_onward(w->node[from], cell, &at);
    int hops = 0;
    while (to != from) {
        if (to < 0 || to >= w->n || hops++ > w->n) return -1;
        from = to;
        to = distrib_onward(w->node[from], cell, &at);
    }
    return distrib_owns(w->node[to], cell) ? hops : -1;
}

struct partition
partition_new(struct lattice cells, struct lattice nodes)
{
    struct partition p = {.cells = cells, .nodes = nodes};
    uint32_t n = lattice_size(&cells);
    p.owner = calloc(n, sizeof *p.owner);
    p.size = calloc(lattice_size(&nodes), sizeof *p.size);
    p.queue = calloc(n, sizeof *p.queue);
    p.seen = calloc(n, sizeof *p.seen);
    for (uint32_t c = 0; c < n; c++) {
        struct lattice_point x = lattice_point(&cells, c), at = {{0}};
        for (int k = 0; k < nodes.ndims; k++) at.at[k] = x.at[k] * nodes.side[k] / cells.side[k];
        p.owner[c] = (int32_t)lattice_number(&nodes, at.at);
        p.size[p.owner[c]]++;
    }
    return p;
}

void
partition_free(struct partition *p)
{
    free(p->owner);
    free(p->size);
    free(p->queue);
    free(p->seen);
}

static bool
keeps_order(const struct partition *p, uint32_t cell, int b)
{
    struct lattice_point here = lattice_point(&p->nodes, (uint32_t)b);
    for (int s = 0; s < 2 * p->nodes.ndims; s++) {
        uint32_t beside = lattice_beside(&p->cells, cell, s);
        if (beside == LATTICE_NONE) continue;
        struct lattice_point there = lattice_point(&p->nodes, (uint32_t)p->owner[beside]);
        int rise = there.at[s / 2] - here.at[s / 2];
        if (s % 2 ? rise < 0 : rise > 0) return false;
    }
    return true;
}

/* Whether the domain of `cell` without it, when b has it, hangs together and touches (if asked)
 * all its neighbours in the lattice of nodes. */
static bool
can_spare(struct partition *p, uint32_t cell, int b, bool touching)
{
    int a = p->owner[cell];
    uint32_t head = 0, tail = 0, *queue = p->queue, *seen = p->seen, now = ++p->round;
    bool met[2 * LATTICE_DIMS_MAX] = {false};
    seen[cell] = now;
    for (int s = 0; s < 2 * p->cells.ndims && !tail; s++) {
        uint32_t beside = lattice_beside(&p->cells, cell, s);
        if (beside == LATTICE_NONE || p->owner[beside] != a) continue;
        queue[tail++] = beside;
        seen[beside] = now;
    }
    while (head < tail) {
        uint32_t c = queue[head++];
        for (int s = 0; s < 2 * p->cells.ndims; s++) {
            uint32_t e = lattice_beside(&p->cells, c, s);
            if (e == LATTICE_NONE) continue;
            int owner = e == cell ? b : p->owner[e];
            for (int k = 0; k < 2 * p->nodes.ndims; k++)
                met[k] |= (uint32_t)owner == lattice_beside(&p->nodes, (uint32_t)a, k);
            if (owner != a || seen[e] == now) continue;
            seen[e] = now;
            queue[tail++] = e;
        }
    }
    bool good = tail && tail == p->size[a] - 1;
    for (int k = 0; touching && k < 2 * p->nodes.ndims; k++)
        good &= met[k] || lattice_beside(&p->nodes, (uint32_t)a, k) == LATTICE_NONE;
    return good;
}

bool
partition_may(struct partition *p, uint32_t cell, int b, bool ordered)
{
    return (!ordered || keeps_order(p, cell, b)) && can_spare(p, cell, b, ordered);
}

void
partition_stir(struct partition *p, struct rng *r, uint32_t flips)
{
    uint32_t n = lattice_size(&p->cells), nodes = lattice_size(&p->nodes);
    double *wanted = malloc(nodes * sizeof *wanted);
    for (uint32_t i = 0; i < nodes; i++) wanted[i] = 1 + (double)rng_below(r, 1000) / 100;
    for (uint32_t tries = 0, done = 0; tries < 4 * flips && done < flips; tries++) {
        uint32_t cell = (uint32_t)rng_below(r, n);
        int s = (int)rng_below(r, (uint64_t)(2 * p->cells.ndims)), a = p->owner[cell];
        uint32_t beside = lattice_beside(&p->cells, cell, s);
        if (beside == LATTICE_NONE || p->owner[beside] == a) continue;
        int b = p->owner[beside];
        bool larger = p->size[b] / wanted[b] < p->size[a] / wanted[a];
        if (tries < 2 * flips && !larger) continue;
        if (!partition_may(p, cell, b, true)) continue;
        p->owner[cell] = b;
        p->size[a]--;
        p->size[b]++;
        done++;
    }
    free(wanted);
}

void
partition_grow(struct partition *p, struct rng *r)
{
    uint32_t n = lattice_size(&p->cells), nodes = lattice_size(&p->nodes), left = n - nodes;
    for (uint32_t c = 0; c < n; c++) p->owner[c] = -1;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t c = (uint32_t)rng_below(r, n);
        while (p->owner[c] >= 0) c = (c + 1) % n;
        p->owner[c] = (int32_t)i;
        p->size[i] = 1;
    }
    while (left) {
        uint32_t c = (uint32_t)rng_below(r, n);
        int s = (int)rng_below(r, (uint64_t)(2 * p->cells.ndims));
        uint32_t beside = lattice_beside(&p->cells, c, s);
        if (beside == LATTICE_NONE || p->owner[c] < 0 || p->owner[beside] >= 0) continue;
        p->owner[beside] = p->owner[c];
        p->size[p->owner[c]]++;
        left--;
    }
}
