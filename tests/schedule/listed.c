/* listed.c - a heap of events; messages are handled when their node is in no call. */
#include "listed.h"

#include "runtime/base/rng.h"

#include <stdlib.h>
#include <string.h>

enum what { HEAR_MADE, HEAR_PUT, HEAR_ASKED, HEAR_GIVEN, LOOK }; /* LOOK: what shall be run next? */

struct event {
    int64_t t;
    uint64_t number;
    enum what what;
    int node, thing, value;
};

struct asker { /* who waits for a value at its home */
    int thing;
    struct asker *next;
};

struct world {
    const struct graph *g;
    const struct listed_how *how;
    struct run *r;
    struct rng dice;
    struct event *heap;
    int events, room;
    uint64_t numbers;
    int64_t now;
    int64_t *free_at;      /* of a node */
    int *ready, nready;    /* calls of all nodes */
    int *have;             /* of a thing: inputs that are there */
    int **child, *children;/* of a body */
    bool *present;         /* of values at home */
    struct asker **waits;  /* of values at home */
};

/* ---- events ---- */

static bool
earlier(const struct event *a, const struct event *b)
{
    if (a->t != b->t) return a->t < b->t;
    if ((a->what == LOOK) != (b->what == LOOK)) return b->what == LOOK; /* first hear, then run */
    return a->number < b->number;
}

static void
push(struct world *w, struct event e)
{
    if (w->events == w->room) {
        w->room = w->room ? 2 * w->room : 1024;
        w->heap = realloc(w->heap, (size_t)w->room * sizeof *w->heap);
        if (!w->heap) abort();
    }
    e.number = w->numbers++;
    int i = w->events++;
    for (; i && earlier(&e, &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = e;
}

static struct event
pop(struct world *w)
{
    struct event top = w->heap[0], e = w->heap[--w->events];
    int i = 0;
    for (int k; (k = 2 * i + 1) < w->events; i = k) {
        if (k + 1 < w->events && earlier(&w->heap[k + 1], &w->heap[k])) k++;
        if (!earlier(&w->heap[k], &e)) break;
        w->heap[i] = w->heap[k];
    }
    w->heap[i] = e;
    return top;
}

static void
send(struct world *w, enum what what, int from, int to, int thing, int value)
{
    int64_t spread = w->how->most_ns - w->how->least_ns + 1, t = w->now;
    if (from != to && what == HEAR_ASKED) t += w->how->asking_ns;
    if (from != to) t += w->how->least_ns + (int64_t)rng_below(&w->dice, (uint64_t)spread);
    push(w, (struct event){.t = t, .what = what, .node = to, .thing = thing, .value = value});
}

static void
look(struct world *w, int node, int64_t t)
{
    push(w, (struct event){.t = t, .what = LOOK, .node = node});
}

/* ---- what is said ---- */

static void
value_written(struct world *w, int thing, int node)
{
    const struct graph *g = w->g;
    for (int v = 0; v < g->values; v++)
        if (g->value[v].writer == thing) send(w, HEAR_PUT, node, g->value[v].home.node, thing, v);
}

static void ask(struct world *w, int k, int v);

/* The home of the value makes its reader. In a loop it may not: each node makes what runs there. */
static bool
is_known(const struct graph *g, int k, int v)
{
    const struct thing *x = &g->thing[k];
    return x->body >= 0 && !x->looped && g->thing[x->body].at.node == g->value[v].home.node;
}

static void
make(struct world *w, int k, int node)
{
    const struct thing *x = &w->g->thing[k];
    send(w, HEAR_MADE, node, x->at.node, k, -1);
    for (int i = 0; i < x->nin; i++) {
        int v = w->g->in[x->in + i];
        if (is_known(w->g, k, v)) ask(w, k, v);
    }
}

static void
thing_complete(struct world *w, int k)
{
    const struct thing *x = &w->g->thing[k];
    int node = x->at.node;
    if (x->kind == THING_CALL) {
        w->ready[w->nready++] = k;
        look(w, node, w->now);
        return;
    }
    value_written(w, k, node);
    for (int i = 0; i < w->children[k]; i++) make(w, w->child[k][i], node);
}

static void
input_came(struct world *w, int k)
{
    if (++w->have[k] == w->g->thing[k].nin + 1) thing_complete(w, k);
}

static void
ask(struct world *w, int k, int v)
{
    int home = w->g->value[v].home.node;
    if (w->present[v]) {
        send(w, HEAR_GIVEN, home, w->g->thing[k].at.node, k, v);
        return;
    }
    struct asker *a = malloc(sizeof *a);
    if (!a) abort();
    *a = (struct asker){k, w->waits[v]};
    w->waits[v] = a;
}

static void
hear_made(struct world *w, int k)
{
    const struct thing *x = &w->g->thing[k];
    for (int i = 0; i < x->nin; i++) {
        int v = w->g->in[x->in + i];
        if (is_known(w->g, k, v)) continue;
        send(w, HEAR_ASKED, x->at.node, w->g->value[v].home.node, k, v);
    }
    input_came(w, k);
}

static void
hear_put(struct world *w, int v)
{
    w->present[v] = true;
    for (struct asker *a = w->waits[v], *next; a; a = next) {
        next = a->next;
        ask(w, a->thing, v);
        free(a);
    }
    w->waits[v] = NULL;
}

/* ---- what is run ---- */

/* By the rule, is a better than b? Of those looked at, it is number n. */
static bool
goes_first(struct world *w, int a, int b, int n)
{
    switch (w->how->rule) {
    case LISTED_OLDEST: return a < b;
    case LISTED_NEWEST: return a > b;
    case LISTED_RANDOM: return !rng_below(&w->dice, (uint64_t)n);
    }
    return false;
}

static int
choose(struct world *w, int node)
{
    int best = -1, seen = 0;
    for (int i = 0; i < w->nready; i++) {
        if (w->g->thing[w->ready[i]].at.node != node) continue;
        seen++;
        if (best < 0 || goes_first(w, w->ready[i], w->ready[best], seen)) best = i;
    }
    return best;
}

static void
run_next(struct world *w, int node)
{
    int i = choose(w, node);
    if (i < 0 || w->free_at[node] > w->now) return;
    int k = w->ready[i];
    w->ready[i] = w->ready[--w->nready];
    int64_t end = w->now + (int64_t)(w->g->thing[k].weight * (double)w->how->call_ns);
    run_call(w->r, k, node, 0, w->now, end);
    w->free_at[node] = end;
    int64_t now = w->now;
    w->now = end;
    value_written(w, k, node);
    w->now = now;
    look(w, node, end);
}

static void
happens(struct world *w, struct event e)
{
    w->now = e.t;
    if (e.what == LOOK) {
        run_next(w, e.node);
        return;
    }
    if (w->free_at[e.node] > e.t) { /* in a call: later */
        e.t = w->free_at[e.node];
        push(w, e);
        return;
    }
    switch (e.what) {
    case HEAR_MADE: hear_made(w, e.thing); break;
    case HEAR_PUT: hear_put(w, e.value); break;
    case HEAR_ASKED: ask(w, e.thing, e.value); break;
    default: input_came(w, e.thing);
    }
}

/* ---- the world ---- */

static void
list_children(struct world *w)
{
    const struct graph *g = w->g;
    size_t n = (size_t)g->things;
    w->child = calloc(n, sizeof *w->child);
    w->children = calloc(n, sizeof *w->children);
    for (int i = 0; i < g->things; i++)
        if (g->thing[i].body >= 0) w->children[g->thing[i].body]++;
    for (int i = 0; i < g->things; i++) {
        w->child[i] = malloc(((size_t)w->children[i] + 1) * sizeof **w->child);
        w->children[i] = 0;
    }
    for (int i = 0; i < g->things; i++) {
        int b = g->thing[i].body;
        if (b >= 0) w->child[b][w->children[b]++] = i;
    }
}

static void
world_free(struct world *w)
{
    for (int i = 0; i < w->g->things; i++) free(w->child[i]);
    free(w->child);
    free(w->children);
    free(w->free_at);
    free(w->ready);
    free(w->have);
    free(w->present);
    free(w->waits);
    free(w->heap);
}

void
listed_run(struct run *r, const struct graph *g, int nodes, const struct listed_how *how)
{
    size_t n = (size_t)g->things;
    struct world w = {.g = g, .how = how, .r = r, .dice = rng_of(how->seed)};
    run_begin(r, g, nodes, 1);
    w.free_at = calloc((size_t)nodes, sizeof *w.free_at);
    w.ready = calloc(n, sizeof *w.ready);
    w.have = calloc(n, sizeof *w.have);
    w.present = calloc((size_t)g->values + 1, sizeof *w.present);
    w.waits = calloc((size_t)g->values + 1, sizeof *w.waits);
    list_children(&w);
    send(&w, HEAR_MADE, 0, 0, 0, -1);
    while (w.events) happens(&w, pop(&w));
    run_check(r, g);
    world_free(&w);
}
