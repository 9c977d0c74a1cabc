/* tree_make.c - see tree.h: trees of a seed. */
#include "tree.h"

static unsigned
pick(struct tree *p, unsigned n)
{
    p->state = p->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(p->state >> 33) % n;
}

static struct tree_index
make_index(struct tree *p, int depth)
{
    struct tree_index x = {.k = (int)pick(p, 5) - 1, .by = 2 + (int)pick(p, 3)};
    if (depth) x.u = (int)pick(p, (unsigned)depth), x.a = (int)pick(p, 4) - (pick(p, 4) == 0);
    if (depth && pick(p, 3) == 0) x.v = (int)pick(p, (unsigned)depth), x.b = (int)pick(p, 5) - 1;
    if (pick(p, 8) == 0) x.c = 1 - 2 * (int)pick(p, 2);
    unsigned shape = pick(p, 16);
    if (shape < 3) x.shape = (enum shape)(QUOTIENT + shape);
    if (shape == 3 && p->held) x.shape = HELD;
    return x;
}

static int make_block(struct tree *p, int depth, int most);

/* Both branches write one DF, which nobody else does, and mostly the same of it. */
static void
make_both(struct tree *p, struct tree_node *s, int depth)
{
    struct tree_node put = {.kind = PUT, .df = s->df, .depth = depth, .body = NODES, .next = NODES,
                       .other = NODES, .lo = make_index(p, depth)};
    if (depth) put.lo.shape = SUM, put.lo.a = put.lo.a ? put.lo.a : 1;
    p->written[s->df] = true;
    s->body = p->n++;
    s->other = p->n++;
    p->node[s->body] = p->node[s->other] = put;
    if (pick(p, 2)) p->node[s->other].lo.k++;
}

static void
make_branches(struct tree *p, struct tree_node *s, int depth)
{
    s->vague = pick(p, 3) > 0;
    if (p->sparing && s->df < DFS && !p->written[s->df] && pick(p, 2)) {
        make_both(p, s, depth);
        return;
    }
    s->body = make_block(p, depth, 2);
    if (pick(p, 2)) s->other = make_block(p, depth, 2);
}

static void
make_node(struct tree *p, struct tree_node *s, int depth)
{
    unsigned what = pick(p, 10);
    *s = (struct tree_node){.depth = depth, .body = NODES, .next = NODES, .other = NODES};
    s->df = (int)pick(p, DFS);
    if (depth && pick(p, 4) == 0) {
        int d = (int)pick(p, (unsigned)depth);
        if (p->has_df[d]) s->df = DFS + d;
    }
    s->lo = make_index(p, depth);
    s->hi = make_index(p, depth);
    s->op = (int)pick(p, 6);
    s->from = s->df < DFS ? (int)pick(p, DFS) : s->df;
    bool copies = p->copying && pick(p, 3) == 0;
    s->kind = what < 4 && depth < DEPTH ? FOR
              : what == 4 && !depth     ? WHILE
              : what == 5               ? IF
              : what == 6               ? CALL
              : copies                  ? COPY
              : what < 9                ? PUT
                                        : GET;
    if (p->sparing && s->kind >= PUT) {
        if (s->kind != GET && p->written[s->df]) s->kind = GET;
        p->written[s->df] |= s->kind != GET;
        if ((s->kind == PUT || s->kind == COPY) && depth)
            s->lo.a = s->lo.a ? s->lo.a : 1, s->lo.shape = SUM;
    }
    if (p->promising && s->kind == PUT && pick(p, 4)) {
        s->promises = true;
        if (depth && pick(p, 3) == 0) s->readers = make_index(p, depth);
        if (s->readers.shape == HELD) s->readers.shape = SUM;
        s->readers.k = (int)pick(p, 4) - (pick(p, 8) == 0);
    }
    if (s->kind == FOR || s->kind == WHILE) {
        if (pick(p, 4)) s->lo = (struct tree_index){.k = (int)pick(p, 2)};
        if (pick(p, 4)) s->hi = (struct tree_index){.k = (int)pick(p, 5), .c = pick(p, 3) == 0};
        p->has_df[depth] = pick(p, 2);
    }
    if (s->kind == FOR) {
        s->step = pick(p, 4) ? 1 : 2 + (int)pick(p, 2);
        if (pick(p, 8) == 0) {
            struct tree_index to = s->lo;
            s->lo = s->hi, s->hi = to;
            s->step = -s->step;
        }
    }
    bool held = p->held;
    if (s->kind <= WHILE) s->body = make_block(p, depth + 1, 3);
    if (s->kind == IF) make_branches(p, s, depth);
    p->held = held;
    if (s->kind == WHILE && !depth) p->held = true;
}

/* Turns, each of which makes what the next one reads, and a reader of the last; mostly right. */
static int
make_turns(struct tree *p, int *last)
{
    int at[5], df = 0;
    while (df < DFS && p->written[df]) df++;
    for (int i = 0; i < 5; i++) {
        at[i] = p->n++;
        p->node[at[i]] = (struct tree_node){.df = df, .depth = i == 2 || i == 3, .body = NODES,
                                       .next = NODES, .other = NODES, .kind = PUT};
    }
    struct tree_node *first = &p->node[at[0]], *loop = &p->node[at[1]], *made = &p->node[at[2]],
                *test = &p->node[at[3]], *reader = &p->node[at[4]];
    p->written[df] = p->held = true;
    first->next = at[1];
    loop->next = at[4];
    loop->kind = WHILE;
    loop->body = at[2];
    made->next = at[3];
    first->lo.k = loop->lo.k = (int)pick(p, 3);
    loop->hi = (struct tree_index){.k = (int)pick(p, 6), .c = pick(p, 3) == 0};
    made->lo = (struct tree_index){.a = 1, .k = pick(p, 4) > 0};
    test->kind = reader->kind = GET;
    test->lo = (struct tree_index){.a = 1, .k = pick(p, 6) == 0};
    reader->lo = (struct tree_index){.shape = HELD, .k = pick(p, 6) == 0};
    *last = at[4];
    return at[0];
}

static int
make_block(struct tree *p, int depth, int most)
{
    int n = 1 + (int)pick(p, (unsigned)most), first = NODES, last = NODES;
    if (p->turning) {
        p->turning = false;
        first = make_turns(p, &last);
        n--;
    }
    for (int i = 0; i < n && p->n < NODES - 20; i++) {
        int at = p->n++;
        bool had = depth < DEPTH && p->has_df[depth];
        make_node(p, &p->node[at], depth);
        if (depth < DEPTH) p->has_df[depth] = had;
        if (first == NODES)
            first = at;
        else
            p->node[last].next = at;
        last = at;
    }
    return first;
}

bool
tree_make(struct tree *p, unsigned long seed)
{
    *p = (struct tree){.state = seed * 7919 + 1};
    for (int i = 0; i < 4; i++) pick(p, 2);
    p->sparing = seed % 2;
    p->promising = seed % 4 == 1;
    p->copying = seed % 4 == 3;
    p->turning = seed % 5 == 3;
    p->first = make_block(p, 0, 5);
    return p->n < NODES - 20;
}
