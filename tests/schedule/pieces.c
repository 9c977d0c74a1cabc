/* pieces.c - shapes of shapes: fragments declared in loops, turns, branches and subs.
 *
 * A piece reads one value and writes one that is larger. It is a call, or is made of pieces:
 *
 *     row      df m;  PIECE(from, m)  PIECE(m, to)
 *     spread   df p;  for k: { PIECE(from, p[k]) }                   reduce max p[k] => to
 *     chain    df x;  x[0] from `from`;  for k: { PIECE(x[k - 1], x[k]) }   to from x[last]
 *     turns    df x, n;  while x[k] ...: { PIECE(x[k], x[k + 1]) }   to from x[n]
 *     choice   if k: { PIECE(from, to) } if !k: { PIECE(from, to) }; or with else
 *     asked    if from > 0 { PIECE(from, to) }
 *     sub      a sub whose body is a piece
 *     tree     a sub that calls itself, a piece in each leaf, a loop of calls in each branch
 *
 * Counters are k0, k1, ... from the outermost on. Each fragment's place is a sum of those around
 * it, its own index among them; subs get the counters, and repeat their parameters' places. */
#include "shapes_parts.h"

#include <stdio.h>

enum { COUNTERS = 4, NAMES = 10, LEVELS = 6, WORD = 32 };

struct place { /* (the sum of by[i] * ki, and plus) / per */
    bool said;
    int by[COUNTERS + 1], plus, per;
};

struct name {
    char text[WORD];
    struct place at;
    int depth;       /* its place is told by k0 .. k(depth - 1), */
    char last[WORD]; /* of which the last may be an expression; empty: it is itself */
};

struct part { /* a block in the making */
    struct buf df, body, rules, *around;
    int names;
};

/* ---- places ---- */

static struct place
some_place(struct gen *g, int depth)
{
    struct place at = {.said = g->placing != NOWHERE && dice(g, 8), .plus = dice(g, 3), .per = 1};
    for (int i = 0; i < depth; i++) at.by[i] = dice(g, 3) ? 0 : between(g, 1, 5);
    if (depth && dice(g, 5)) at.by[depth - 1] = between(g, 1, 3);
    if (depth > 1 && !dice(g, 3)) at.by[depth - 1] = 0, at.by[0] = between(g, 1, 3);
    if (!dice(g, 4)) at.per = between(g, 2, 4);
    return at;
}

/* The numbers of the cell, or of a node. */
static void
put_place(struct gen *g, const struct name *n)
{
    char one[2 * TEXT];
    int at = snprintf(one, sizeof one, "(%d", n->at.plus);
    for (int i = 0; i < n->depth; i++) {
        if (!n->at.by[i]) continue;
        bool last = i == n->depth - 1 && *n->last;
        at += last ? snprintf(one + at, sizeof one - (size_t)at, " + %s", n->last)
                   : snprintf(one + at, sizeof one - (size_t)at, " + k%d", i);
        if (n->at.by[i] > 1)
            at += snprintf(one + at, sizeof one - (size_t)at, " * %d", n->at.by[i]);
    }
    at += snprintf(one + at, sizeof one - (size_t)at, ")");
    if (n->at.per > 1) at += snprintf(one + at, sizeof one - (size_t)at, " / %d", n->at.per);
    if (g->placing == BY_CELLS)
        snprintf(one + at, sizeof one - (size_t)at, " %% %d", g->side[0] * g->side[1]);
    if (g->placing == BY_CELLS && g->dims == 2)
        PUT(g, "(%s) / %d, (%s) %% %d", one, g->side[1], one, g->side[1]);
    else PUT(g, "%s", one);
}

/* Where a call or a sum runs, or a sub is, and its weight. With cells it follows what it writes. */
static void
put_rules(struct gen *g, const char *weight, int depth)
{
    struct name n = {.at = some_place(g, depth), .depth = depth};
    bool located = g->placing == BY_LOCATORS && n.at.said;
    if (weight || located) PUT(g, " @ {");
    if (weight) PUT(g, " weight: %s;", weight);
    if (located) {
        PUT(g, " locator_cyclic: ");
        put_place(g, &n);
        PUT(g, ";");
    }
    PUT(g, "%s;\n", weight || located ? " }" : "");
}

/* ---- blocks ---- */

static void
part_begins(struct gen *g, struct part *p)
{
    *p = (struct part){.around = g->o};
    g->o = &p->body;
}

static void
part_ends(struct gen *g, struct part *p)
{
    g->o = p->around;
    PUT(g, "{\n");
    if (p->df.size) PUT(g, "    df %s;\n", p->df.data);
    PUT(g, "%s}", p->body.size ? p->body.data : "");
    if (p->rules.size) PUT(g, " @ {%s }", p->rules.data);
    PUT(g, "\n");
    buf_fini(&p->df);
    buf_fini(&p->body);
    buf_fini(&p->rules);
}

static void
put_rule(struct gen *g, struct part *p, const char *name, const char *ix, const struct name *n)
{
    if (g->placing == NOWHERE || !n->at.said) return;
    struct buf *body = g->o;
    g->o = &p->rules;
    PUT(g, " %s %s%s => ", g->placing == BY_CELLS ? "cell" : "locator_cyclic", name, ix);
    put_place(g, n);
    PUT(g, ";");
    g->o = body;
}

/* A fragment for each k of this depth, or a single one. */
static struct name
declare(struct gen *g, struct part *p, int depth, bool many)
{
    char id[WORD];
    struct name n = {.depth = depth + many};
    n.at = some_place(g, n.depth);
    snprintf(id, sizeof id, "p%d", g->number++);
    buf_printf(&p->df, "%s%s", p->df.size ? ", " : "", id);
    p->names++;
    put_rule(g, p, id, many ? say(g, "[k%d]", depth) : "", &n);
    snprintf(n.text, sizeof n.text, "%s", id);
    return n;
}

/* Of many: the one with this index. */
static struct name
with_index(const struct name *many, const char *index)
{
    struct name n = *many;
    snprintf(n.text, sizeof n.text, "%.12s[%.16s]", many->text, index);
    snprintf(n.last, sizeof n.last, "(%.24s)", index);
    return n;
}

/* ---- statements ---- */

static const char *
counter(struct gen *g, int depth)
{
    return depth ? say(g, "k%d", dice(g, 3) ? depth - 1 : dice(g, depth)) : "1";
}

static void
put_call(struct gen *g, const char *from, const char *to, int depth)
{
    const char *c = cost(g, counter(g, depth), counter(g, depth));
    PUT(g, "cf c%d_%d", g->shape, g->number++);
    for (int i = 0; i < depth; i++) PUT(g, "[k%d]", i);
    PUT(g, ": w1(%s, %s, %s)", c, from, to);
    put_rules(g, c, depth);
}

static void
put_max(struct gen *g, const char *many, int n, const char *to, int depth)
{
    PUT(g, "reduce max %s[b] over b = 0 .. %d => %s", many, n - 1, to);
    put_rules(g, NULL, depth);
}

struct what {
    const struct name *from, *to;
    int depth, room, level;
};

static void piece(struct gen *g, struct part *p, struct what w);

static void
block(struct gen *g, struct what w)
{
    struct part p;
    part_begins(g, &p);
    piece(g, &p, w);
    part_ends(g, &p);
}

/* ---- pieces ---- */

static void
row(struct gen *g, struct part *p, struct what w)
{
    struct name m = declare(g, p, w.depth, false);
    int first = between(g, 1, w.room - 1);
    piece(g, p, (struct what){w.from, &m, w.depth, first, w.level});
    piece(g, p, (struct what){&m, w.to, w.depth, w.room - first, w.level});
}

static int
width(struct gen *g, int room)
{
    int most = g->room > 1000 ? 64 : 3 * g->nodes < 6 ? 6 : 3 * g->nodes;
    return between(g, 2, room < most ? room : most);
}

static void
spread(struct gen *g, struct part *p, struct what w)
{
    int n = width(g, w.level ? w.room : 1 + w.room / 2);
    struct name many = declare(g, p, w.depth, true);
    struct name one = with_index(&many, say(g, "k%d", w.depth));
    PUT(g, "for k%d = 0 .. %d ", w.depth, n - 1);
    block(g, (struct what){w.from, &one, w.depth + 1, w.room / n, w.level});
    put_max(g, many.text, n, w.to->text, w.depth);
}

static void
chain(struct gen *g, struct part *p, struct what w)
{
    int n = between(g, 1, w.room < 8 ? w.room : 8);
    struct name x = declare(g, p, w.depth, true);
    struct name before = with_index(&x, say(g, "k%d - 1", w.depth));
    struct name next = with_index(&x, say(g, "k%d", w.depth));
    put_call(g, w.from->text, say(g, "%s[0]", x.text), w.depth);
    PUT(g, "for k%d = 1 .. %d ", w.depth, n);
    block(g, (struct what){&before, &next, w.depth + 1, w.room / n, w.level});
    put_call(g, say(g, "%s[%d]", x.text, n), w.to->text, w.depth);
}

static void
turns(struct gen *g, struct part *p, struct what w)
{
    int n = between(g, 1, w.room < 6 ? w.room : 6);
    struct name x = declare(g, p, w.depth, true), last = declare(g, p, w.depth, false);
    struct name now = with_index(&x, say(g, "k%d", w.depth));
    struct name next = with_index(&x, say(g, "k%d + 1", w.depth));
    put_call(g, w.from->text, say(g, "%s[0]", x.text), w.depth);
    PUT(g, "while %s > 0 && ", now.text);
    if (w.depth && dice(g, 2))
        PUT(g, "%s < %s[0] + 1 + (%s * %d) %% %d && ", now.text, x.text, counter(g, w.depth),
            between(g, 1, 5), n);
    PUT(g, "k%d < %d, k%d = 0 .. out %s ", w.depth, n, w.depth, last.text);
    block(g, (struct what){&now, &next, w.depth + 1, w.room / n, w.level});
    put_call(g, say(g, "%s[%s]", x.text, last.text), w.to->text, w.depth);
}

static void
asked(struct gen *g, struct part *p, struct what w)
{
    (void)p;
    PUT(g, "if %s > 0 ", w.from->text);
    block(g, w);
}

/* ---- subs ---- */

static void
put_ints(struct gen *g, const char *type, int depth)
{
    for (int i = 0; i < depth; i++) PUT(g, "%sk%d, ", type, i);
}

/* Parameters' homes are as their caller has said. */
static void
repeat_places(struct gen *g, struct part *p, const struct what *w)
{
    if (g->placing != BY_LOCATORS) return;
    put_rule(g, p, "f", "", w->from);
    put_rule(g, p, "r", "", w->to);
}

static struct what
inside(const struct what *w, struct name *f, struct name *r)
{
    *f = *w->from;
    *r = *w->to;
    snprintf(f->text, sizeof f->text, "f");
    snprintf(r->text, sizeof r->text, "r");
    return (struct what){f, r, w->depth, w->room, w->level};
}

/* Texts of subs stand before the text of who calls them. */
static void
sub_ends(struct gen *g, struct part *p, struct buf *text, struct buf *around)
{
    part_ends(g, p);
    buf_add(g->subs, text->data, text->size);
    buf_fini(text);
    g->o = around;
}

static void
sub(struct gen *g, struct part *p, struct what w)
{
    (void)p;
    struct buf text = {0}, *around = g->o;
    struct part body;
    struct name f, r;
    int number = g->number++;
    g->o = &text;
    PUT(g, "\nsub t%d_%d(", g->shape, number);
    put_ints(g, "int ", w.depth);
    PUT(g, "name f, name r)\n");
    part_begins(g, &body);
    repeat_places(g, &body, &w);
    piece(g, &body, inside(&w, &f, &r));
    sub_ends(g, &body, &text, around);
    PUT(g, "t%d_%d(", g->shape, number);
    put_ints(g, "", w.depth);
    PUT(g, "%s, %s)", w.from->text, w.to->text);
    put_rules(g, NULL, w.depth);
}

/* Rules behind an else are for both branches, so what stands in these declares nothing. */
static void
choice(struct gen *g, struct part *p, struct what w)
{
    bool other = dice(g, 2), calls = dice(g, 2);
    char when[WORD];
    snprintf(when, sizeof when, "(%s + %d) %% %d != 1", counter(g, w.depth), dice(g, 3),
             between(g, 2, 3));
    PUT(g, "if %s ", when);
    if (!other) {
        block(g, w);
        PUT(g, "if (%s) == 0 ", when);
        block(g, w);
        return;
    }
    PUT(g, "{\n");
    if (calls) put_call(g, w.from->text, w.to->text, w.depth);
    else sub(g, p, w);
    if (g->no_else) PUT(g, "} if (%s) == 0 {\n", when);
    else PUT(g, "} else {\n");
    sub(g, p, w);
    PUT(g, "}\n");
}

/* k(depth) is the number of a node of the tree; its children have those behind fan times it. */
static void
tree_branch(struct gen *g, struct what w, int number, int fan, const struct name *children)
{
    struct part p;
    char child[WORD];
    snprintf(child, sizeof child, "k%d * %d + k%d + 1", w.depth - 1, fan, w.depth);
    part_begins(g, &p);
    /* Children's places are told by their own numbers. */
    struct name u = *children;
    snprintf(u.text, sizeof u.text, "p%d", g->number++);
    snprintf(u.last, sizeof u.last, "(%.28s)", child);
    buf_printf(&p.df, "%s", u.text);
    put_rule(g, &p, u.text, say(g, "[k%d]", w.depth), &u);
    const char *from = "f";
    struct name s = {.text = "f"};
    if (dice(g, 2)) {
        struct name v = declare(g, &p, w.depth, true);
        snprintf(s.text, sizeof s.text, "p%d", g->number++);
        buf_printf(&p.df, ", %s", s.text);
        PUT(g, "for k%d = 0 .. %d { ", w.depth, fan - 1);
        put_call(g, "f", say(g, "%s[k%d]", v.text, w.depth), w.depth + 1);
        PUT(g, "}\n");
        put_max(g, v.text, fan, s.text, w.depth);
        from = s.text;
    }
    PUT(g, "for k%d = 0 .. %d { t%d_%d(d - 1, ", w.depth, fan - 1, g->shape, number);
    put_ints(g, "", w.depth - 1);
    PUT(g, "%s, %s, %s[k%d])", child, from, u.text, w.depth);
    put_rules(g, NULL, w.depth + 1);
    PUT(g, "}\n");
    put_max(g, u.text, fan, w.to->text, w.depth);
    part_ends(g, &p);
}

static void
tree(struct gen *g, struct part *p, struct what w)
{
    int fan = between(g, 2, 3), depth = 1, leaves = fan, number = g->number++;
    while (leaves * fan * 2 <= w.room) leaves *= fan, depth++;
    struct name from = {.at = {.per = 1}}; /* nothing is said of it */
    snprintf(from.text, sizeof from.text, "p%d", g->number++);
    buf_printf(&p->df, "%s%s", p->df.size ? ", " : "", from.text);
    p->names++;
    struct name f, r, all = {.depth = w.depth + 1};
    all.at = some_place(g, all.depth);
    struct what in = {&from, &all, w.depth + 1, w.room / leaves, w.level};
    struct buf text = {0}, *around = g->o;
    struct part body;
    g->o = &text;
    PUT(g, "\nsub t%d_%d(int d, ", g->shape, number);
    put_ints(g, "int ", w.depth + 1);
    PUT(g, "name f, name r)\n");
    part_begins(g, &body);
    repeat_places(g, &body, &in);
    in = inside(&in, &f, &r);
    PUT(g, "if d == 0 ");
    block(g, in);
    PUT(g, "if d > 0 ");
    tree_branch(g, in, number, fan, &all);
    sub_ends(g, &body, &text, around);
    snprintf(all.text, sizeof all.text, "p%d", g->number++);
    snprintf(all.last, sizeof all.last, "0");
    buf_printf(&p->df, ", %s", all.text);
    p->names++;
    put_rule(g, p, all.text, "", &all);
    put_call(g, w.from->text, from.text, w.depth);
    PUT(g, "t%d_%d(%d, ", g->shape, number, depth);
    put_ints(g, "", w.depth);
    PUT(g, "0, %s, %s)", from.text, all.text);
    put_rules(g, NULL, w.depth);
    put_call(g, all.text, w.to->text, w.depth);
}

/* ---- all ---- */

typedef void piece_fn(struct gen *g, struct part *p, struct what w);

static void
piece(struct gen *g, struct part *p, struct what w)
{
    static piece_fn *const counted[] = {spread, spread, spread, chain, turns, turns, tree};
    static piece_fn *const plain[] = {row, row, choice, asked, sub, sub};
    enum { COUNTED = sizeof counted / sizeof *counted, PLAIN = sizeof plain / sizeof *plain };
    bool first = !w.level;
    bool counts = w.depth < COUNTERS - 1 && (first ? dice(g, 4) > 0 : dice(g, 2) > 0);
    if (w.room < 2 || w.level >= LEVELS || p->names > NAMES || (!first && !dice(g, 6))) {
        put_call(g, w.from->text, w.to->text, w.depth);
        return;
    }
    w.level++;
    if (counts) counted[dice(g, COUNTED)](g, p, w);
    else plain[dice(g, PLAIN)](g, p, w);
}

void
pieces(struct gen *g)
{
    struct name from = {.text = "from", .at = {.per = 1}}, to = {.text = "to", .at = {.per = 1}};
    struct buf subs = {0}, text = {0}, *around = g->o;
    struct part p;
    g->subs = &subs;
    g->o = &text;
    g->number = 0;
    PUT(g, "\nsub s%d(name from, name to)\n", g->shape);
    part_begins(g, &p);
    piece(g, &p, (struct what){&from, &to, 0, g->room, 0});
    part_ends(g, &p);
    g->o = around;
    if (subs.size) buf_add(g->o, subs.data, subs.size);
    buf_add(g->o, text.data, text.size);
    buf_fini(&subs);
    buf_fini(&text);
}
