/* stats.c - see stats.h. */
#include "apps/luna/trace/stats.h"

#include "runtime/base/map.h"
#include "runtime/base/vec.h"

#include <stdlib.h>
#include <string.h>

bool
stats_init(struct stats *s, struct arena *a, const struct trace_run *run)
{
    *s = (struct stats){.arena = a, .run = *run, .found = map_new(), .found_dfs = map_new()};
    s->nodes = arena_array(a, struct stats_node, run->nodes);
    return s->found && s->found_dfs;
}

void
stats_fini(struct stats *s)
{
    map_free(s->found);
    map_free(s->found_dfs);
    buf_fini(&s->key);
}

void
stats_choose(struct stats *s, const char *names)
{
    words_split(s->arena, &s->only, names, ",");
    s->sent = arena_array(s->arena, bool, (size_t)s->only.n + 1);
}

/* ---- adding up ---- */

static uint64_t
larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static size_t
name_size(const char *text)
{
    return strcspn(text, "[");
}

static bool
is_wanted(const struct stats *s, const char *df)
{
    size_t n = name_size(df);
    for (int i = 0; i < s->only.n; i++)
        if (strlen(s->only.at[i]) == n && !strncmp(s->only.at[i], df, n)) return s->sent[i] = true;
    return !s->only.n;
}

static void
add_send(struct stats *s, struct stats_node *n, const struct trace_event *e)
{
    if (!is_wanted(s, e->df)) return;
    s->kind[e->kind].count++;
    s->kind[e->kind].bytes += e->bytes;
    if (e->kind == TRACE_KIND_COLLECTIVE) return;
    n->sends++;
    n->dist += e->dist;
    n->bytes += e->bytes;
}

uint64_t
stats_row_end(const struct stats *s, unsigned row)
{
    return row + 1 == STATS_ROWS ? s->run.duration : s->run.duration / STATS_ROWS * (row + 1);
}

static unsigned
row_of(const struct stats *s, uint64_t t)
{
    unsigned row = 0;
    while (row + 1 < STATS_ROWS && t > stats_row_end(s, row)) row++;
    return row;
}

static void
add_point(struct stats *s, struct stats_node *n, const struct trace_event *e)
{
    s->failed |= !vec_more(s->arena, n->points, n->npoints, n->room);
    if (s->failed) return;
    n->points[n->npoints++] = (struct stats_point){e->t, e->bytes};
}

static void
add_load(struct stats *s, struct stats_node *n, const struct trace_event *e)
{
    struct stats_load *l = &n->load[row_of(s, e->t)];
    if (s->plots) add_point(s, n, e);
    if (l->known && l->t > e->t) return; /* workers write in an order of their own */
    *l = (struct stats_load){e->t, e->bytes, e->cells, true};
}

static void
add_move(struct stats *s, const struct trace_event *e)
{
    s->moves++;
    s->moves_in[row_of(s, e->t)]++;
}

static void
add_worker(struct stats *s, unsigned node, const struct trace_event *e)
{
    s->failed |= !vec_more(s->arena, s->rows, s->nrows, s->rows_room);
    if (s->failed) return;
    s->sleeps |= e->spin || e->sleep;
    s->rows[s->nrows++] = (struct worker_row){.node = node,
                                              .worker = e->worker,
                                              .calls = e->calls,
                                              .in_calls = e->in_calls,
                                              .runtime = e->runtime,
                                              .idle = e->idle,
                                              .wasted = e->wasted,
                                              .slept = e->sleep < e->idle ? e->sleep : e->idle,
                                              .steals = e->steals,
                                              .naps = e->naps,
                                              .on = e->on,
                                              .off = e->off};
}

/* False: out of memory. */
static bool
key_of(struct stats *s, const char *name, size_t n, uint64_t line)
{
    buf_clear(&s->key);
    buf_add(&s->key, &line, sizeof line);
    buf_add(&s->key, name, n);
    return !s->key.failed;
}

/* NULL: out of memory. */
static struct stats_sub *
sub_find(struct stats *s, const char *cf, uint64_t line)
{
    size_t n = name_size(cf);
    if (!key_of(s, cf, n, line)) return NULL;
    struct stats_sub *x = map_get_bytes(s->found, s->key.data, s->key.size);
    if (x) return x;
    x = arena_new_of(s->arena, struct stats_sub);
    *x = (struct stats_sub){arena_strndup(s->arena, cf, n), line, 0, 0, (uint32_t)s->nsubs};
    if (!vec_more(s->arena, s->subs, s->nsubs, s->subs_room) ||
        !map_put_bytes(s->found, s->key.data, s->key.size, x))
        return NULL;
    return s->subs[s->nsubs++] = x;
}

static void
add_exec(struct stats *s, struct stats_node *n, const struct trace_event *e)
{
    struct stats_sub *x = sub_find(s, e->cf, e->line);
    s->failed |= !x;
    s->last = x;
    if (!x) return;
    x->count++;
    x->total += e->dur;
    n->calls++;
    n->in_calls += e->dur;
    s->chain = larger(s->chain, e->chain);
}

/* NULL: out of memory. */
static struct stats_df *
df_find(struct stats *s, const char *name, uint64_t line)
{
    if (!key_of(s, name, strlen(name), line)) return NULL;
    struct stats_df *x = map_get_bytes(s->found_dfs, s->key.data, s->key.size);
    if (x) return x;
    x = arena_new_of(s->arena, struct stats_df);
    *x = (struct stats_df){.name = arena_strdup(s->arena, name), .line = line};
    if (!vec_more(s->arena, s->dfs, s->ndfs, s->dfs_room) ||
        !map_put_bytes(s->found_dfs, s->key.data, s->key.size, x))
        return NULL;
    return s->dfs[s->ndfs++] = x;
}

static void
add_df(struct stats *s, const struct trace_event *e)
{
    struct stats_df *x = df_find(s, e->df, e->line);
    s->failed |= !x;
    if (!x) return;
    x->made += e->made;
    x->bytes += e->bytes;
    x->values += e->values;
    x->life += e->life;
    x->unread += e->unread;
    x->left += e->left;
    x->biggest = larger(x->biggest, e->biggest);
    x->longest = larger(x->longest, e->longest);
    x->peak = larger(x->peak, e->peak);
}

void
stats_add(void *who, unsigned node, const struct trace_event *e)
{
    struct stats *s = who;
    struct stats_node *n = &s->nodes[node];
    switch (e->ev) {
    case TRACE_EV_SEND: add_send(s, n, e); return;
    case TRACE_EV_LOAD: add_load(s, n, e); return;
    case TRACE_EV_EXEC: add_exec(s, n, e); return;
    case TRACE_EV_MOVE: add_move(s, e); return;
    case TRACE_EV_OWN:
    case TRACE_EV_RECV: return;
    case TRACE_EV_DF: add_df(s, e); return;
    case TRACE_EV_WORKER: add_worker(s, node, e); return;
    case TRACE_EV_END:
        s->control.count += e->ctl_msgs;
        s->control.bytes += e->ctl_bytes;
        n->idle = e->idle;
        n->has_idle = e->has_idle;
        return;
    }
}

static int
by_total(const void *a, const void *b)
{
    const struct stats_sub *x = *(struct stats_sub *const *)a, *y = *(struct stats_sub *const *)b;
    if (x->total != y->total) return x->total < y->total ? 1 : -1;
    int names = strcmp(x->name, y->name);
    return names ? names : x->line < y->line ? -1 : 1;
}

static int
by_bytes(const void *a, const void *b)
{
    const struct stats_df *x = *(struct stats_df *const *)a, *y = *(struct stats_df *const *)b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    int names = strcmp(x->name, y->name);
    return names ? names : x->line < y->line ? -1 : 1;
}

bool
stats_end(struct stats *s)
{
    if (s->ndfs) qsort(s->dfs, s->ndfs, sizeof *s->dfs, by_bytes);
    if (s->nsubs) qsort(s->subs, s->nsubs, sizeof *s->subs, by_total);
    return !s->failed;
}

/* ---- figures ---- */

double
stats_avg_sd(const struct stats *s)
{
    double sum = 0;
    unsigned senders = 0;
    for (unsigned i = 0; i < s->run.nodes; i++) {
        const struct stats_node *n = &s->nodes[i];
        if (!n->sends) continue;
        senders++;
        sum += (double)n->dist / (double)n->sends;
    }
    return senders ? sum / senders : 0;
}

double
stats_avg_ss(const struct stats *s)
{
    double sum = 0;
    for (unsigned i = 0; i < s->run.nodes; i++) sum += (double)s->nodes[i].bytes;
    return sum / (double)s->run.nodes / (1 << 20);
}

/* A node without a line in this row has what it had before. */
struct stats_range
stats_load_in(const struct stats *s, unsigned row)
{
    static const struct stats_load none;
    struct stats_range p = {.cells_min = UINT64_MAX};
    for (unsigned i = 0; i < s->run.nodes; i++) {
        unsigned k = row + 1;
        while (k && !s->nodes[i].load[k - 1].known) k--;
        const struct stats_load *l = k ? &s->nodes[i].load[k - 1] : &none;
        double bytes = (double)l->bytes;
        p.mean += bytes / (double)s->run.nodes;
        if (bytes > p.max) p.node = i;
        if (bytes > p.max) p.max = bytes;
        if (l->cells < p.cells_min) p.cells_min = l->cells;
        if (l->cells > p.cells_max) p.cells_max = l->cells;
    }
    return p;
}

double
stats_imbalance(const struct stats_range *p)
{
    return p->mean > 0 ? p->max / p->mean : 1;
}

double
stats_life(const struct stats_df *x)
{
    return x->values ? (double)x->life / (double)x->values * 1e-9 : 0;
}

struct stats_times
stats_times(const struct stats *s, unsigned node)
{
    const struct stats_node *n = &s->nodes[node];
    double all = (double)s->run.duration * (double)s->run.workers, calls = (double)n->in_calls;
    double idle = n->has_idle ? (double)n->idle : all - calls;
    if (idle > all - calls) idle = all - calls;
    if (idle < 0) idle = 0;
    double protocol = all - calls - idle;
    return (struct stats_times){calls * 1e-9, (protocol > 0 ? protocol : 0) * 1e-9, idle * 1e-9};
}
