/* directions.c - the heaviest touches join counters and indices first. */
#include "lang/place/directions.h"

#include "runtime/base/vec.h"

#include <stdlib.h>

/* ---- scales ---- */

static int64_t
floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

bool
directions_step(const struct scale *scale, const struct index_step *s, int64_t *at)
{
    if (s->counter >= 0 && s->c != scale->c) return false;
    *at = floor_div(s->k - scale->base, scale->c);
    return true;
}

bool
directions_scale(const struct place_graph *g, uint32_t df, int position, struct scale *out)
{
    int64_t least = INT64_MAX, most = INT64_MIN, c = 0;
    const struct touch *touches = &g->touches[g->dfs[df].touch];
    for (int i = 0; i < g->dfs[df].ntouches; i++) {
        const struct touch *t = &touches[i];
        if (!t->write) continue;
        const struct index *x = &t->index[position];
        for (int k = 0; k < x->n; k++) {
            const struct index_step *s = &x->step[k];
            if (s->counter < 0) continue;
            if (s->c < 1 || (c && s->c != c)) return false;
            c = s->c;
            if (s->k < least) least = s->k;
            if (s->k > most) most = s->k;
        }
    }
    if (!c || most - least >= c) return false;
    *out = (struct scale){c, c == 1 ? 0 : least};
    return true;
}

/* ---- nodes: counters of stops, then indices of DFs ---- */

struct joiner {
    struct directions *d;
    struct arena *arena;
    int nodes;
    int *up;           /* to the one it was joined to; itself: a root */
    int64_t *past;     /* its coordinate as that one's, less its own */
    int *owner, *size; /* what it is of: stops, then DFs; of a root: how many */
    int *next;         /* a ring of those of one direction */
    double *weight;
};

static int
root_of(const struct joiner *j, int node)
{
    while (j->up[node] != node) node = j->up[node];
    return node;
}

static int64_t
offset_of(const struct joiner *j, int node)
{
    int64_t all = 0;
    for (; j->up[node] != node; node = j->up[node]) all += j->past[node];
    return all;
}

static int
nodes_of(const struct joiner *j, int owner, int *first)
{
    const struct place_graph *g = j->d->graph;
    *first = owner < g->nstops ? j->d->first_counter[owner] : j->d->first_index[owner - g->nstops];
    return owner < g->nstops ? g->stops[owner].ncounters : g->dfs[owner - g->nstops].n;
}

/* Two counters of a stop, or two indices of a DF, never go the same way. */
static bool
would_meet(struct joiner *j, int small, int large)
{
    int node = small;
    do {
        int first, n = nodes_of(j, j->owner[node], &first);
        for (int i = 0; i < n; i++)
            if (first + i != node && root_of(j, first + i) == large) return true;
        node = j->next[node];
    } while (node != small);
    return false;
}

/* The offset of b is that of a and `k`. */
static void
join(struct joiner *j, int a, int b, int64_t k, double weight)
{
    int ra = root_of(j, a), rb = root_of(j, b);
    if (ra != rb) {
        bool turned = j->size[ra] < j->size[rb];
        int large = turned ? rb : ra, small = turned ? ra : rb;
        if (would_meet(j, small, large)) return;
        int64_t past = offset_of(j, a) + k - offset_of(j, b);
        j->up[small] = large;
        j->past[small] = turned ? -past : past;
        j->size[large] += j->size[small];
        j->weight[large] += j->weight[small];
        int next = j->next[large];
        j->next[large] = j->next[small];
        j->next[small] = next;
        ra = large;
    }
    j->weight[ra] += weight;
}

/* ---- touches as edges ---- */

struct edge {
    int counter, index; /* nodes */
    int64_t k;
    double weight;
    int order;
};

static int
compare_edges(const void *pa, const void *pb)
{
    const struct edge *a = pa, *b = pb;
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    int64_t ka = a->k < 0 ? -a->k : a->k, kb = b->k < 0 ? -b->k : b->k;
    if (ka != kb) return ka < kb ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

int
directions_counter(const struct stop *s, int counter)
{
    for (int i = 0; i < s->ncounters; i++)
        if (s->counter[i] == counter) return i;
    return -1;
}

static double
weight_of(const struct stop *s, const struct touch *t)
{
    double kind = t->first ? 4 : t->write ? 2 : 1;
    return s->turns * kind * (t->number ? .02 : 1);
}

struct edges {
    struct edge *row;
    int n, room;
};

static void
add_edges(struct joiner *j, const struct touch *t, struct edges *list)
{
    const struct place_graph *g = j->d->graph;
    const struct stop *s = &g->stops[t->stop];
    if (g->dfs[t->df].seen & SEEN_OUT) return;
    for (int p = 0; p < g->dfs[t->df].n; p++) {
        int index = j->d->first_index[t->df] + p;
        if (graph_is_nowhere(g, t->df, p)) continue;
        for (int i = 0; i < t->index[p].n; i++) {
            const struct index_step *step = &t->index[p].step[i];
            int at = step->counter < 0 ? -1 : directions_counter(s, step->counter);
            int64_t k;
            if (at < 0 || !directions_step(&j->d->scale[index], step, &k)) continue;
            vec_need(j->arena, list->row, list->n, list->room);
            list->row[list->n] = (struct edge){j->d->first_counter[t->stop] + at, index, k,
                                               weight_of(s, t), list->n};
            list->n++;
        }
    }
}

static void
join_all(struct joiner *j)
{
    const struct place_graph *g = j->d->graph;
    struct edges list = {0};
    for (int i = 0; i < g->ntouches; i++) add_edges(j, &g->touches[i], &list);
    if (list.n) qsort(list.row, (size_t)list.n, sizeof *list.row, compare_edges);
    for (int i = 0; i < list.n; i++)
        join(j, list.row[i].counter, list.row[i].index, -list.row[i].k, list.row[i].weight);
}

/* ---- what comes out ---- */

/* Ends that are words of main are taken for far apart. */
static double
width(const struct counter *c)
{
    return c->lo.known && c->hi.known && !c->slanted && !c->of_while ? c->turns : 0;
}

static void
add_member(struct joiner *j, struct direction *to, int node)
{
    const struct place_graph *g = j->d->graph;
    int first, owner = j->owner[node];
    nodes_of(j, owner, &first);
    struct direction_member m = {owner >= g->nstops, owner >= g->nstops ? owner - g->nstops : owner,
                                 node - first, offset_of(j, node)};
    j->d->offset[node] = m.offset;
    vec_need(j->arena, to->member, to->n, to->room);
    to->member[to->n++] = m;
    to->has_index |= m.of_df;
    if (m.of_df) return;
    int number = g->stops[m.of].counter[m.position];
    const struct counter *c = &g->counters[number];
    to->slanted |= c->slanted;
    to->of_while |= c->of_while;
    if (c->turns > to->turns) to->turns = c->turns;
    if (width(c) <= 0 || (to->widest >= 0 && width(c) <= width(&g->counters[to->widest]))) return;
    to->widest = number;
    to->offset = m.offset;
}

static void
collect(struct joiner *j)
{
    struct directions *d = j->d;
    d->all = arena_array(j->arena, struct direction, (size_t)j->nodes + 1);
    for (int i = 0; i < j->nodes; i++) d->number[i] = -1;
    for (int i = 0; i < j->nodes; i++) {
        int root = root_of(j, i);
        if (d->number[root] < 0) {
            d->all[d->n] = (struct direction){.widest = -1, .weight = j->weight[root]};
            d->number[root] = d->n++;
        }
        d->number[i] = d->number[root];
        add_member(j, &d->all[d->number[i]], i);
    }
}

static void
make_nodes(struct joiner *j, struct directions *d)
{
    const struct place_graph *g = d->graph;
    d->first_counter = arena_array(j->arena, int, (size_t)g->nstops + 1);
    d->first_index = arena_array(j->arena, int, (size_t)g->plan->dfs.n + 1);
    for (int i = 0; i < g->nstops; i++) {
        d->first_counter[i] = j->nodes;
        j->nodes += g->stops[i].ncounters;
    }
    for (uint32_t i = 0; i < g->plan->dfs.n; i++) {
        d->first_index[i] = j->nodes;
        j->nodes += g->dfs[i].n;
    }
    size_t n = (size_t)j->nodes + 1;
    d->number = arena_array(j->arena, int, n);
    d->offset = arena_array(j->arena, int64_t, n);
    d->scale = arena_array(j->arena, struct scale, n);
    j->up = arena_array(j->arena, int, n);
    j->past = arena_array(j->arena, int64_t, n);
    j->owner = arena_array(j->arena, int, n);
    j->size = arena_array(j->arena, int, n);
    j->next = arena_array(j->arena, int, n);
    j->weight = arena_array(j->arena, double, n);
}

void
directions_find(struct directions *d, struct arena *a, const struct place_graph *g)
{
    struct joiner j = {.d = d, .arena = a};
    *d = (struct directions){.graph = g};
    make_nodes(&j, d);
    for (int i = 0; i < j.nodes; i++) {
        j.up[i] = j.next[i] = i;
        j.size[i] = 1;
        d->scale[i] = (struct scale){1, 0};
    }
    for (int owner = 0; owner < g->nstops + (int)g->plan->dfs.n; owner++) {
        int first, n = nodes_of(&j, owner, &first);
        for (int i = 0; i < n; i++) {
            j.owner[first + i] = owner;
            if (owner >= g->nstops)
                directions_scale(g, (uint32_t)(owner - g->nstops), i, &d->scale[first + i]);
        }
    }
    join_all(&j);
    collect(&j);
}
