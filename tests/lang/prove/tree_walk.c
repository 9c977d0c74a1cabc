/* tree_walk.c - see tree_walk.h: a walk, and what makes a run bad. */
#include "tree_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROMISED = 1000000 }; /* so that 0 is what a map lacks, and no promise */

static void
touch_key(struct tree_run *r, const char *key, uintptr_t how)
{
    uintptr_t had = (uintptr_t)map_get(r->seen, key);
    r->bad |= how & had & 1;
    map_put(r->seen, key, (void *)(had | how));
}

static int
sum_value(const struct tree_run *r, const struct tree_index *x)
{
    return x->k + (x->a ? x->a * r->counter[x->u] : 0) + (x->b ? x->b * r->counter[x->v] : 0) +
           x->c * r->n;
}

static int
index_value(struct tree_run *r, const struct tree_index *x)
{
    int v = sum_value(r, x);
    if (x->shape == HELD) touch_key(r, "w", 2);
    switch (x->shape) {
    case QUOTIENT:
        return v / x->by;
    case REST:
        return v % x->by;
    case CHOICE:
        return v > x->by ? x->k : v;
    case HELD:
        return v + r->w;
    default:
        return v;
    }
}

void
tree_run_key(const struct tree_run *r, int df, int index, char *key)
{
    int loop = df >= DFS ? r->loop_line[df - DFS] : 0; /* each has DFs of its own */
    int at = snprintf(key, TREE_KEY_MAX, "%d@%d:", df, loop);
    for (int d = 0; df >= DFS && d <= df - DFS; d++)
        at += snprintf(key + at, TREE_KEY_MAX - (size_t)at, "%d,", r->counter[d]);
    snprintf(key + at, TREE_KEY_MAX - (size_t)at, "[%d]", index);
}

void
tree_run_read(struct tree_run *r, int df, int index)
{
    char key[TREE_KEY_MAX];
    tree_run_key(r, df, index, key);
    touch_key(r, key, 2);
    if (r->on_write) return; /* they have been counted */
    map_put(r->reads, key, (void *)((uintptr_t)map_get(r->reads, key) + 1));
}

static void
write_by(struct tree_run *r, const struct tree_node *s, int index, int line)
{
    char key[TREE_KEY_MAX];
    tree_run_key(r, s->df, index, key);
    if (s->df < DFS) r->twice[s->df] |= (uintptr_t)map_get(r->seen, key) & 1;
    touch_key(r, key, 1);
    if (s->promises)
        map_put(r->promised, key,
                (void *)(uintptr_t)(PROMISED + (int64_t)index_value(r, &s->readers)));
    if (r->on_write) r->on_write(r, key, line, s->depth);
}

static bool
holds(int op, int a, int b)
{
    switch (op) {
    case 0:
        return a < b;
    case 1:
        return a <= b;
    case 2:
        return a == b;
    case 3:
        return a != b;
    case 4:
        return a > b;
    default:
        return a >= b;
    }
}

static void
note_need(struct tree_run *r, const struct tree_node *s, int to, int from)
{
    char key[TREE_KEY_MAX], *need = malloc(TREE_KEY_MAX);
    tree_run_key(r, s->df, to, key);
    tree_run_key(r, s->from, from, need);
    char *had = map_get(r->needs, key);
    if (had) { /* assigned twice */
        free(need);
        return;
    }
    map_put(r->needs, key, need);
}

static void run_block(struct tree_run *r, int at);

static void
run_node(struct tree_run *r, const struct tree_node *s)
{
    int a = index_value(r, &s->lo), b = index_value(r, &s->hi), *i = &r->counter[s->depth];
    if (++r->steps > TREE_STEPS_MOST) return;
    if (s->kind <= WHILE) r->loop_line[s->depth] = s->line;
    switch (s->kind) {
    case FOR:
        for (*i = a; s->step > 0 ? *i <= b : *i >= b; *i += s->step) run_block(r, s->body);
        break;
    case WHILE:
        /* Its condition may have its own counter in it. */
        for (*i = a; *i < index_value(r, &s->hi) && r->steps < TREE_STEPS_MOST; ++*i) {
            run_block(r, s->body);
            if (r->on_turn) r->on_turn(r, s);
        }
        touch_key(r, "w", 1);
        r->w = *i;
        break;
    case IF:
        run_block(r, holds(s->op, a, b) ? s->body : s->other);
        break;
    case PUT:
        write_by(r, s, a, s->line);
        break;
    case COPY:
        tree_run_read(r, s->from, b);
        note_need(r, s, a, b);
        write_by(r, s, a, s->line);
        break;
    case GET:
        tree_run_read(r, s->df, a);
        break;
    case CALL:
        r->handed = a;
        for (r->counter[DEPTH] = a; r->counter[DEPTH] <= a + 1; r->counter[DEPTH]++)
            write_by(r, s, r->counter[DEPTH], LINE_BOTH);
        tree_run_read(r, s->df, a + 1);
    }
}

static void
run_block(struct tree_run *r, int at)
{
    for (; at != NODES; at = r->p->node[at].next) run_node(r, &r->p->node[at]);
}

static void
look_for_unwritten(void *who, const char *key, void *value)
{
    struct tree_run *r = who;
    (void)key;
    r->bad |= (uintptr_t)value == 2;
}

/* -1: no limit. What is less is no number of readers: the run says so. */
static void
look_for_more(void *who, const char *key, void *value)
{
    struct tree_run *r = who;
    long promised = (long)(uintptr_t)value - PROMISED;
    r->bad |= promised < -1 || (promised >= 0 && tree_run_readers(r, key) > promised);
}

/* What a fragment is made of, and so on: back to itself, nobody begins. */
static void
look_for_circle(void *who, const char *key, void *value)
{
    struct tree_run *r = who;
    const char *at = value;
    for (int n = 0; at && strcmp(at, key) && n < 1000; n++) at = map_get(r->needs, at);
    r->bad |= at && !strcmp(at, key);
}

static void
free_need(void *who, const char *key, void *value)
{
    (void)who;
    (void)key;
    free(value);
}

struct tree_run
tree_run_new(const struct tree *p, int n)
{
    return (struct tree_run){.p = p, .n = n, .seen = map_new(), .reads = map_new(),
                             .promised = map_new(), .needs = map_new()};
}

void
tree_run_free(struct tree_run *r)
{
    map_free(r->seen);
    map_free(r->reads);
    map_free(r->promised);
    map_each(r->needs, free_need, NULL);
    map_free(r->needs);
}

void
tree_run_walk(struct tree_run *r)
{
    r->steps = 0;
    run_block(r, r->p->first);
}

bool
tree_run_misses(struct tree_run *r)
{
    r->bad = false;
    map_each(r->seen, look_for_unwritten, r);
    return r->bad;
}

long
tree_run_readers(const struct tree_run *r, const char *key)
{
    return (long)(uintptr_t)map_get(r->reads, key);
}

long
tree_run_promised(const struct tree_run *r, const char *key)
{
    return (long)(uintptr_t)map_get(r->promised, key) - PROMISED;
}

bool
tree_is_bad(const struct tree *p, int n)
{
    struct tree_run r = tree_run_new(p, n);
    tree_run_walk(&r);
    map_each(r.seen, look_for_unwritten, &r);
    map_each(r.promised, look_for_more, &r);
    map_each(r.needs, look_for_circle, &r);
    tree_run_free(&r);
    return r.bad || r.steps > TREE_STEPS_MOST;
}
