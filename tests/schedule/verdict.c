/* verdict.c - when each thing could be there, level by level; then each node's time from its
 * beginning. */
#include "verdict.h"

#include "tree.h"

#include <stdlib.h>
#include <string.h>

enum {
    IN_PLACE = 2000, /* ns: calls that take less */
    LATE = 3         /* latencies by which a message may be later than the latest */
};

struct judge {
    const struct graph *g;
    const struct run *r;
    const struct verdict_terms *t;
    struct run_span *busy;       /* all calls, by node and begin */
    int first[RUN_NODES_MAX + 1];
    struct turn *turn;       /* all turns, by node and begin */
    int first_turn[RUN_NODES_MAX + 1];
    int64_t *there;          /* of a thing: it and all its inputs are */
    int64_t *told;           /* of a body: what stands in it is made, messages of that leave */
    int64_t *walked;         /* of a body: a long call of it has begun, so it was walked before */
    int *rank;               /* of a thing among those of its body */
};

static int64_t
later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- who is in a call when ---- */

static int
by_begin(const void *a, const void *b)
{
    const struct run_span *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : x->thing - y->thing;
}

static void
sort_calls(struct judge *j)
{
    int n = 0, at = 0;
    j->busy = calloc((size_t)j->g->things + 1, sizeof *j->busy);
    for (int i = 0; i < j->g->things; i++)
        if (j->g->thing[i].kind == THING_CALL && j->r->span[i].node >= 0)
            j->busy[n++] = j->r->span[i];
    for (int i = 0; i < n; i++) /* a clock may have stood still */
        if (j->busy[i].end <= j->busy[i].begin) j->busy[i].end = j->busy[i].begin + 1;
    qsort(j->busy, (size_t)n, sizeof *j->busy, by_begin);
    for (int node = 0; node < j->r->nodes; node++) {
        j->first[node] = at;
        while (at < n && j->busy[at].node == node) at++;
    }
    j->first[j->r->nodes] = n;
}

static int
by_node(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Turns, and calls so short that they run where a walk meets them: what follows at once is one. */
static void
sort_turns(struct judge *j)
{
    int n = j->r->turns, at = 0, kept = 0;
    struct turn *t = j->turn = malloc(((size_t)n + (size_t)j->g->things + 1) * sizeof *t);
    if (n) memcpy(t, j->r->turn, (size_t)n * sizeof *t);
    for (int i = 0; j->r->turns && i < j->first[j->r->nodes]; i++)
        if (j->busy[i].end - j->busy[i].begin < IN_PLACE)
            t[n++] = (struct turn){j->busy[i].node, j->busy[i].begin, j->busy[i].end};
    qsort(t, (size_t)n, sizeof *t, by_node);
    for (int i = 0; i < n; i++)
        if (kept && t[kept - 1].node == t[i].node && t[kept - 1].end >= t[i].begin)
            t[kept - 1].end = later(t[kept - 1].end, t[i].end);
        else t[kept++] = t[i];
    for (int node = 0; node < j->r->nodes; node++) {
        j->first_turn[node] = at;
        while (at < kept && t[at].node == node) at++;
    }
    j->first_turn[j->r->nodes] = kept;
}

/* A node that is making statements or handling messages then has done all of it at the end. */
static int64_t
end_of_turns(const struct judge *j, int node, int64_t t)
{
    int lo = j->first_turn[node], hi = j->first_turn[node + 1];
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (j->turn[mid].begin <= t) lo = mid + 1;
        else hi = mid;
    }
    return lo > j->first_turn[node] ? later(t, j->turn[lo - 1].end) : t;
}

/* The end of the call that has begun last before then, if there is one. */
static int64_t
end_of_call(const struct judge *j, int node, int64_t t)
{
    int lo = j->first[node], hi = j->first[node + 1];
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (j->busy[mid].begin < t) lo = mid + 1;
        else hi = mid;
    }
    return lo > j->first[node] ? j->busy[lo - 1].end : 0;
}

/* Several workers: one of them is idle where it matters. */
static int64_t
freed(const struct judge *j, int node, int64_t t)
{
    if (j->r->workers > 1) return t;
    return end_of_turns(j, node, later(end_of_turns(j, node, t), end_of_call(j, node, t)));
}

/* A message that comes shortly before a call begins may be on its way still. */
static int64_t
heard(const struct judge *j, int node, int64_t t)
{
    int64_t comes = t + j->t->latency_ns, late = comes + LATE * j->t->latency_ns;
    if (j->r->workers == 1 && end_of_call(j, node, late) > late) comes = late;
    return freed(j, node, comes);
}

/* From node to node along the tree of `root`, there or back. */
static int64_t
heard_by_tree(const struct judge *j, int root, int node, int64_t t, bool back)
{
    int way[TREE_DEPTH_MAX], n = tree_way(root, node, j->r->nodes, way);
    if (!back)
        for (int i = 0; i < n; i++) t = heard(j, way[i], t);
    if (back)
        for (int i = n - 2; i >= -1; i--) t = heard(j, i < 0 ? root : way[i], t);
    return t;
}

/* ---- things ---- */

static int64_t
value_at_home(const struct judge *j, int v)
{
    const struct value *x = &j->g->value[v];
    const struct thing *w = &j->g->thing[x->writer];
    bool call = w->kind == THING_CALL;
    int64_t t = call ? j->r->span[x->writer].end : j->there[x->writer];
    if (w->at.node == x->home.node) return t;
    return heard(j, x->home.node, call ? t : freed(j, w->at.node, t));
}

/* When the node of its body has made it, with all else that it makes just then. */
static int64_t
told(const struct judge *j, int k)
{
    int body = j->g->thing[k].body;
    int64_t t = j->told[body] + j->t->making_ns * j->rank[k];
    return end_of_turns(j, j->g->thing[body].at.node, t);
}

/* When its node knows of it. */
static int64_t
made(const struct judge *j, int k)
{
    const struct thing *x = &j->g->thing[k];
    if (x->body < 0) return 0;
    int from = j->g->thing[x->body].at.node;
    if (from == x->at.node) return j->there[x->body] + j->t->making_ns * j->rank[k];
    int64_t t = told(j, k);
    int64_t direct = heard(j, x->at.node, t);
    return x->looped ? later(direct, heard_by_tree(j, from, x->at.node, t, false)) : direct;
}

static int64_t
input_there(const struct judge *j, int k, int v, int64_t made_at)
{
    const struct thing *x = &j->g->thing[k];
    int home = j->g->value[v].home.node;
    int64_t value = value_at_home(j, v);
    if (home == x->at.node) return later(value, made_at);
    int maker = x->body < 0 ? x->at.node : j->g->thing[x->body].at.node;
    int64_t known = home == maker && !x->looped && x->body >= 0
                        ? told(j, k)
                        : heard(j, home, freed(j, x->at.node, made_at));
    int64_t sent = later(value, known);
    return x->kind == THING_CALL ? sent + j->t->latency_ns : heard(j, x->at.node, sent);
}

static int64_t
element_there(const struct judge *j, int k, int v, int64_t made_at)
{
    int root = j->g->thing[k].at.node, home = j->g->value[v].home.node;
    int64_t value = value_at_home(j, v), begin = freed(j, root, made_at);
    if (home == root) return later(value, made_at);
    int64_t direct = heard(j, root, later(value, heard(j, home, begin)));
    int64_t told = later(value, heard_by_tree(j, root, home, begin, false));
    return later(direct, heard_by_tree(j, root, home, freed(j, home, told), true));
}

/* A sum of more elements than nodes is told to all that may have some. */
static int64_t
all_have_heard(const struct judge *j, int k, int64_t made_at)
{
    int root = j->g->thing[k].at.node;
    int64_t begin = freed(j, root, made_at), t = begin;
    for (int node = 0; node < j->r->nodes && j->g->thing[k].nin > j->r->nodes; node++)
        if (node != root) t = later(t, heard(j, root, heard_by_tree(j, root, node, begin, false)));
    return t;
}

/* At once, unless its node is in a call then. That call cannot be one of the body's own: these were
 * made before. Nor can it be one of the body around, of the same node, if nothing was to come yet
 * when that was walked. */
static int64_t
body_told(const struct judge *j, int k)
{
    const struct thing *x = &j->g->thing[k];
    int64_t t = freed(j, x->at.node, j->there[k]);
    if (t > j->walked[k]) t = j->walked[k];
    if (x->body < 0 || j->g->thing[x->body].at.node != x->at.node) return t;
    for (int i = 0; i < x->nin; i++) {
        int v = j->g->in[x->in + i];
        if (j->g->value[v].home.node != x->at.node) return t;
        if (value_at_home(j, v) > j->told[x->body]) return t;
    }
    int64_t with = told(j, k);
    return with < t ? with : t;
}

static void
find_walked(struct judge *j)
{
    const struct graph *g = j->g;
    for (int i = 0; i < g->things; i++) j->walked[i] = INT64_MAX;
    for (int i = 0; i < g->things; i++) {
        const struct run_span *s = &j->r->span[i];
        if (g->thing[i].kind != THING_CALL || s->end - s->begin <= j->t->short_ns) continue;
        for (int b = g->thing[i].body; b >= 0 && j->walked[b] > s->begin; b = g->thing[b].body)
            j->walked[b] = s->begin;
    }
}

static void
find_there(struct judge *j, int k)
{
    const struct thing *x = &j->g->thing[k];
    int64_t m = made(j, k), t = m;
    for (int i = 0; i < x->nin; i++) {
        int v = j->g->in[x->in + i];
        t = later(t, x->kind == THING_SUM ? element_there(j, k, v, m) : input_there(j, k, v, m));
    }
    if (x->kind == THING_SUM) t = later(t, all_have_heard(j, k, m));
    j->there[k] = t;
    if (x->kind == THING_BODY) j->told[k] = body_told(j, k);
}

/* By levels: what a thing depends on is on a lower one. */
static void
find_all(struct judge *j)
{
    const struct graph *g = j->g;
    int *head = malloc(((size_t)g->levels + 1) * sizeof *head);
    int *next = malloc((size_t)g->things * sizeof *next);
    int *made = calloc((size_t)g->things, sizeof *made);
    j->there = calloc((size_t)g->things, sizeof *j->there);
    j->told = calloc((size_t)g->things, sizeof *j->told);
    j->walked = calloc((size_t)g->things, sizeof *j->walked);
    j->rank = calloc((size_t)g->things, sizeof *j->rank);
    find_walked(j);
    for (int l = 0; l <= g->levels; l++) head[l] = -1;
    for (int i = 0; i < g->things; i++)
        if (g->thing[i].body >= 0) j->rank[i] = made[g->thing[i].body]++;
    for (int i = g->things - 1; i >= 0; i--) {
        next[i] = head[g->thing[i].level];
        head[g->thing[i].level] = i;
    }
    for (int l = 0; l <= g->levels; l++)
        for (int k = head[l]; k >= 0; k = next[k]) find_there(j, k);
    free(head);
    free(next);
    free(made);
}

/* ---- a node's time ---- */

struct moment {
    int64_t t;
    int thing;
    enum { READY, BEGIN, END, TURN_BEGIN, TURN_END } what;
};

static int
by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    return (x->what == BEGIN) - (y->what == BEGIN); /* an end and a begin at one moment: no gap */
}

struct watch {
    int ready, busy;      /* calls that could run, workers in calls */
    int64_t from;         /* since when both a call and a worker wait; -1: they do not */
    double area;          /* of this interval: time, times workers */
    int64_t turned;       /* time at work in this interval, */
    int64_t last_turn;    /* and when that began last */
    int64_t last;
};

/* The call of this node that could have run first of those that begin at `t` or later. */
static int
waited_longest(const struct judge *j, int node, int64_t t, int64_t *since)
{
    int best = -1;
    for (int i = j->first[node]; i < j->first[node + 1]; i++) {
        int k = j->busy[i].thing;
        if (j->busy[i].begin >= t && (best < 0 || j->there[k] < j->there[best])) best = k;
    }
    *since = best < 0 ? 0 : j->there[best];
    return best;
}

static void
interval_ends(const struct judge *j, struct watch *w, struct verdict *v, int node, int64_t t)
{
    int64_t length = t - w->from - w->turned;
    if (length > j->t->short_ns) v->sum += (int64_t)w->area;
    if (length > j->t->short_ns && length > v->longest) {
        v->longest = length;
        v->begin = w->from;
        v->node = node;
        v->thing = waited_longest(j, node, t, &v->since);
    }
    w->from = -1;
    w->area = 0;
    w->turned = 0;
}

static void
step(const struct judge *j, struct watch *w, struct verdict *v, int node, const struct moment *m)
{
    int idle = j->r->workers - w->busy, waste = idle < w->ready ? idle : w->ready;
    if (w->from >= 0) w->area += (double)(m->t - w->last) * waste;
    if (w->from >= 0 && m->what == TURN_END)
        w->turned += m->t - (w->last_turn > w->from ? w->last_turn : w->from);
    if (m->what == TURN_BEGIN) w->last_turn = m->t;
    w->last = m->t;
    if (m->what == READY) w->ready++;
    if (m->what == BEGIN) w->ready--, w->busy++;
    if (m->what == END) w->busy--;
    bool waits = w->ready > 0 && w->busy < j->r->workers;
    if (waits && w->from < 0) w->from = m->t;
    else if (!waits && w->from >= 0) interval_ends(j, w, v, node, m->t);
}

static void
judge_node(const struct judge *j, int node, struct moment *m, struct verdict *v)
{
    struct watch w = {.from = -1};
    int n = 0;
    for (int i = j->first[node]; i < j->first[node + 1]; i++) {
        const struct run_span *s = &j->busy[i];
        int64_t ready = j->there[s->thing] < s->begin ? j->there[s->thing] : s->begin;
        m[n++] = (struct moment){ready, s->thing, READY};
        m[n++] = (struct moment){s->begin, s->thing, BEGIN};
        m[n++] = (struct moment){s->end, s->thing, END};
    }
    for (int i = 0; i < j->r->turns; i++) {
        const struct turn *t = &j->r->turn[i];
        if (t->node != node) continue;
        m[n++] = (struct moment){t->begin, -1, TURN_BEGIN};
        m[n++] = (struct moment){t->end, -1, TURN_END};
    }
    qsort(m, (size_t)n, sizeof *m, by_time);
    for (int i = 0; i < n; i++) step(j, &w, v, node, &m[i]);
}

struct verdict
verdict_of(const struct graph *g, const struct run *r, const struct verdict_terms *t)
{
    struct judge j = {.g = g, .r = r, .t = t};
    struct verdict v = {.thing = -1};
    size_t room = 3 * ((size_t)g->things + 1) + 2 * (size_t)r->turns;
    struct moment *m = malloc(room * sizeof *m);
    sort_calls(&j);
    sort_turns(&j);
    find_all(&j);
    for (int i = 0; i < r->nodes; i++) judge_node(&j, i, m, &v);
    free(m);
    free(j.busy);
    free(j.turn);
    free(j.there);
    free(j.told);
    free(j.walked);
    free(j.rank);
    return v;
}
