/* random_program.c - see random_program.h. */
#include "random_program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PARTS_MAX = 4, DEPTH_MAX = 4, NAME_TEXT = 60, FORM_TEXT = 200 };

struct maker {
    uint64_t state;
    struct buf *subs, *decls;
    struct buf *out; /* where statements go */
    int number;      /* of the part */
    bool wrong;      /* something is shifted now and then */
    bool large;      /* ints that wrap around */
    bool ruled;      /* rules about lives */
    bool vague;      /* conditions and ends that only values tell */
    char shape[FORM_TEXT], outside[NAME_TEXT]; /* of the part's x, in n and m; "": it has none */
    struct buf *beyond; /* outside rules of what main declares */
};

static unsigned
pick(struct maker *p, unsigned n)
{
    p->state = p->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(p->state >> 33) % n;
}

static bool
once_in(struct maker *p, unsigned n)
{
    return pick(p, n) == 0;
}

static void say(struct maker *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void
say(struct maker *p, const char *fmt, ...)
{
    char text[1000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    buf_str(p->out, text);
}

/* 0, or where something is to be wrong, 1 or -1. */
static int
slip(struct maker *p)
{
    return p->wrong && once_in(p, 9) ? 1 - 2 * (int)pick(p, 2) : 0;
}

/* ---- ints ---- */

static int
small(struct maker *p)
{
    return (int)pick(p, 7) - 2;
}

static int
some(struct maker *p)
{
    static const int large[] = {2147483647, -2147483647, 2147483645, 1073741824,
                                16777216,   -16777217,   65536};
    return p->large && once_in(p, 5) ? large[pick(p, 7)] : small(p);
}

/* An int that does not change in the part: a number, n, m. */
static const char *
fixed_int(struct maker *p, char *text)
{
    switch (pick(p, 8)) {
    case 0:
    case 1: snprintf(text, NAME_TEXT, "n"); break;
    case 2: snprintf(text, NAME_TEXT, "n %s %d", pick(p, 2) ? "+" : "-", (int)pick(p, 3)); break;
    case 3: snprintf(text, NAME_TEXT, "m"); break;
    default: snprintf(text, NAME_TEXT, "%d", small(p) + 1);
    }
    return text;
}

/* How an index follows from a counter. */
struct form {
    enum { LINE, QUOTIENT, REST, CHOICE, FORMS } kind;
    int a, b, by;
};

static struct form
form_once(struct maker *p)
{
    static const int factor[] = {1, 1, 1, 2, -1, 3, -2};
    static const int large[] = {1073741824, 65537, 2147483647, 16777216, 3};
    struct form f = {LINE, factor[pick(p, 7)], some(p), 1};
    if (p->large && once_in(p, 5)) f.a = large[pick(p, 5)];
    return f;
}

static struct form
form_any(struct maker *p)
{
    struct form f = form_once(p);
    if (once_in(p, 3)) f.kind = (int)pick(p, FORMS);
    f.by = 2 + (int)pick(p, 3);
    if (f.kind == REST && once_in(p, 8)) f.by = -f.by;
    return f;
}

static const char *
form_text(const struct form *f, const char *counter, int shift, char *text)
{
    char line[FORM_TEXT / 2];
    int n = f->a == 1 ? snprintf(line, sizeof line, "%s", counter)
                      : snprintf(line, sizeof line, "%d*(%s)", f->a, counter);
    if (f->b + (int64_t)shift) /* INT_MAX + 1 as it stands */
        snprintf(line + n, sizeof line - (size_t)n, " + %d%s", f->b,
                 shift ? shift > 0 ? " + 1" : " - 1" : "");
    switch (f->kind) {
    case QUOTIENT: snprintf(text, FORM_TEXT, "(%s) / %d", line, f->by); break;
    case REST: snprintf(text, FORM_TEXT, "(%s) %% %d", line, f->by); break;
    case CHOICE:
        snprintf(text, FORM_TEXT, "((%s) > %d ? %s : %d)", counter, f->by, line, f->b);
        break;
    default: snprintf(text, FORM_TEXT, "%s", line);
    }
    return text;
}

/* ---- conditions ---- */

static const char *const ops[] = {"<", "<=", "==", "!=", ">", ">="};

static void
condition(struct maker *p, const char *counter)
{
    char a[NAME_TEXT];
    bool vague = p->vague && once_in(p, 2);
    if (once_in(p, 6)) {
        condition(p, counter);
        say(p, " %s ", pick(p, 2) ? "&&" : "||");
        condition(p, counter);
        return;
    }
    switch (pick(p, counter ? 4 : 2)) {
    case 0: say(p, "%s(n) %s %d", vague ? "real" : "", ops[pick(p, 6)], small(p)); break;
    case 1: say(p, "n %s m && !(m == %d)", ops[pick(p, 6)], small(p)); break;
    case 2:
        say(p, "%s(%s) %s %s", vague ? "real" : "", counter, ops[pick(p, 6)], fixed_int(p, a));
        break;
    default: say(p, "(%s) %% %d %s %d", counter, 2 + (int)pick(p, 2), once_in(p, 2) ? "==" : "!=",
                 (int)pick(p, 3) - 1);
    }
}

/* ---- parts: a DF that is written in loops, and readers of it ---- */

struct box { /* loops */
    int dims;
    char lo[2][NAME_TEXT], hi[2][NAME_TEXT]; /* of the second perhaps with the first counter */
    int by[2];
    struct form form[2];
};

static int
step(struct maker *p)
{
    static const int usual[] = {2, 3, -2, -3, 5, -1}, large[] = {1073741824, -2147483647, 65536};
    return p->large && once_in(p, 4) ? large[pick(p, 3)] : usual[pick(p, 6)];
}

static struct box
box_new(struct maker *p)
{
    struct box b = {.dims = 1 + (int)once_in(p, 3), .by = {1, 1}};
    bool steps = once_in(p, 4);
    for (int d = 0; d < b.dims; d++) {
        snprintf(b.lo[d], NAME_TEXT, "%d", (int)pick(p, 6) - 3);
        if (once_in(p, 6)) fixed_int(p, b.lo[d]);
        fixed_int(p, b.hi[d]);
        if (steps && pick(p, 3)) b.by[d] = step(p);
        b.form[d] = form_once(p);
    }
    if (p->large && once_in(p, 6)) {
        snprintf(b.lo[0], NAME_TEXT, "2147483645");
        snprintf(b.hi[0], NAME_TEXT, "21474836%d", 45 + (int)pick(p, 3));
    }
    if (once_in(p, 6)) { /* some, wherever n is */
        snprintf(b.lo[0], NAME_TEXT, "n - %d", (int)pick(p, 2));
        snprintf(b.hi[0], NAME_TEXT, "n + %d", (int)pick(p, 3));
    }
    if (b.dims == 2 && once_in(p, 2))
        snprintf(pick(p, 2) ? b.hi[1] : b.lo[1], NAME_TEXT, "%si + %d", once_in(p, 4) ? "-" : "",
                 (int)pick(p, 2));
    return b;
}

static void
say_loops(struct maker *p, const struct box *b)
{
    for (int d = 0; d < b->dims; d++) {
        int s = slip(p), by = b->by[d];
        const char *more = s ? s > 0 ? " + 1" : " - 1" : "";
        bool down = by < 0 || (by == 1 && once_in(p, 12));
        if (by == 1 && down) by = -1;
        if (by != 1 && p->wrong && once_in(p, 8)) by += by > 0 ? 1 : -1;
        if (down) say(p, "for %c = %s%s .. %s", "ij"[d], b->hi[d], more, b->lo[d]);
        else say(p, "for %c = %s .. %s%s", "ij"[d], b->lo[d], b->hi[d], more);
        if (by != 1) say(p, " by %d", by);
        say(p, " ");
    }
}

/* Lists and reductions take all between. */
static bool
has_steps(const struct box *b)
{
    return b->by[0] != 1 || (b->dims == 2 && b->by[1] != 1);
}

static void
say_name(struct maker *p, const char *df, const struct box *b, const char *i, const char *j)
{
    char text[FORM_TEXT];
    const char *counter[] = {i, j};
    say(p, "%s", df);
    for (int d = 0; d < b->dims; d++)
        say(p, "[%s]", form_text(&b->form[d], counter[d], slip(p), text));
}

static void
say_count(struct maker *p, const char *df, const struct box *b)
{
    if (!p->ruled || once_in(p, 2)) return;
    say(p, " @ { req_count ");
    say_name(p, df, b, "i", "j");
    say(p, " = %d%s; }", (int)pick(p, 4), once_in(p, 4) ? " + (i == 0)" : "");
}

/* x[i][j] over i = .., j = .. */
static void
say_list(struct maker *p, const char *df, const struct box *b)
{
    say_name(p, df, b, "i", "j");
    say(p, " over ");
    for (int d = 0; d < b->dims; d++) {
        int s = slip(p);
        say(p, "%s%c = %s .. %s%s", d ? ", " : "", "ij"[d], b->lo[d], b->hi[d],
            s ? s > 0 ? " + 1" : " - 1" : "");
    }
}

static void
say_lists(struct maker *p, const struct box *b, const char *df)
{
    if (b->dims == 2 && once_in(p, 2)) {
        say(p, "for i = %s .. %s sum(", b->lo[0], b->hi[0]);
        say_name(p, df, b, "i", "j");
        say(p, " over j = %s .. %s, s%d[i]);\n", b->lo[1], b->hi[1], p->number);
    } else if (once_in(p, 2)) {
        say(p, "sum("), say_list(p, df, b), say(p, ", s%d[m]);\n", p->number);
    } else {
        say(p, "mend("), say_list(p, df, b);
        say(p, ", %d, v%d[k] over k = 0 .. m);\n", small(p), p->number);
    }
}

static void
say_writer(struct maker *p, const char *df, const struct box *b)
{
    if (once_in(p, 4) && !has_steps(b)) {
        say(p, "fan(%d, ", small(p)), say_list(p, df, b), say(p, ");\n");
        return;
    }
    bool branches = once_in(p, 6), twice = once_in(p, 8);
    say_loops(p, b);
    if (branches) say(p, "if "), condition(p, "i"), say(p, " ");
    say(p, branches ? "{ " : "");
    say(p, twice ? "both(" : "put(");
    say_name(p, df, b, "i", "j");
    if (twice) say(p, ", b%d[i]%s", p->number, b->dims == 2 ? "[j]" : "");
    else say(p, ", i + %d", small(p));
    say(p, ")");
    if (!twice) say_count(p, df, b);
    say(p, ";%s\n", branches ? " }" : "");
    if (!branches) return;
    say(p, "else put(");
    say_name(p, df, b, "i", "j");
    say(p, ", 7);\n");
}

static void
say_shrunk(struct maker *p, const struct box *b, const char *df)
{
    char a[NAME_TEXT];
    say(p, "for k = 0 .. %s ", fixed_int(p, a));
    say_loops(p, b);
    say(p, "if k <= %s get(", pick(p, 2) ? "i" : "1");
    say_name(p, df, b, "i", "j");
    say(p, ");\n");
}

/* Several counters lead to one fragment. */
static void
say_many(struct maker *p, const struct box *b, const char *df)
{
    int by = 2 + (int)pick(p, 2);
    char i[NAME_TEXT];
    if (once_in(p, 2)) {
        snprintf(i, sizeof i, "i / %d", by);
        say(p, "for i = %d*(%s) .. %d*(%s) ", by, b->lo[0], by, b->hi[0]);
    } else {
        snprintf(i, sizeof i, "i %% %d", by);
        say(p, "for i = %s .. %s if i %% %d >= %s && i %% %d <= %s ", b->lo[0], b->hi[0], by,
            b->lo[0], by, b->hi[0]);
    }
    if (b->dims == 2) say(p, "for j = %s .. %s ", b->lo[1], b->hi[1]);
    say(p, "get(");
    say_name(p, df, b, i, "j");
    say(p, ");\n");
}

static void
say_reduction(struct maker *p, const struct box *b, const char *df)
{
    static const char *const op[] = {"+", "*", "+", "&&", "max"};
    bool along = once_in(p, 2);
    if (b->dims == 2 && along) {
        say(p, "for i = %s .. %s ", b->lo[0], b->hi[0]);
        say(p, "reduce + ");
        say_name(p, df, b, "i", "j");
        say(p, " over j = %s .. %s => s%d[i];\n", b->lo[1], b->hi[1], p->number);
        return;
    }
    say(p, "reduce %s ", op[pick(p, 5)]);
    say_name(p, df, b, "i", "j");
    say(p, " over i = %s .. %s", b->lo[0], b->hi[0]);
    if (b->dims == 2) say(p, ", j = %s .. %s", b->lo[1], b->hi[1]);
    say(p, " => s%d[m];\n", p->number);
}

/* All turns of a loop read the same. */
static void
say_turns(struct maker *p, const char *from)
{
    char a[NAME_TEXT], b[NAME_TEXT];
    bool down = once_in(p, 2);
    int by = step(p);
    if (!from) from = fixed_int(p, a);
    fixed_int(p, b);
    if ((by < 0) != down) by = -by;
    say(p, "for k = %s .. %s by %d ", down ? b : from, down ? from : b, by);
}

static void
say_reader(struct maker *p, const struct box *b, const char *df)
{
    char a[NAME_TEXT];
    unsigned what = pick(p, 11);
    if (has_steps(b) && !p->wrong && ((what > 0 && what < 4) || what > 8)) what = 7;
    switch (what) {
    case 9:
    case 10: say_lists(p, b, df); break;
    case 0:
        say_loops(p, b);
        say(p, "if "), condition(p, "i"), say(p, " get(");
        say_name(p, df, b, "i", "j");
        say(p, ");\n");
        break;
    case 1: say_shrunk(p, b, df); break;
    case 2: say_many(p, b, df); break;
    case 3: say_reduction(p, b, df); break;
    case 4:
        say_loops(p, b);
        say(p, "add(");
        say_name(p, df, b, "i", "j");
        say(p, ", "), say_name(p, df, b, "i", "j");
        say(p, ", c%d[i]%s);\n", p->number, b->dims == 2 ? "[j]" : "");
        break;
    case 5:
        say_loops(p, b);
        say(p, "look(");
        say_name(p, df, b, "i", "j");
        say(p, ", %s);\n", fixed_int(p, a));
        break;
    case 6:
        say_loops(p, b);
        say(p, "inc("), say_name(p, df, b, "i", "j");
        say(p, " + %d, d%d[i]%s);\n", small(p), p->number, b->dims == 2 ? "[j]" : "");
        break;
    default:
        if (once_in(p, 4)) say_turns(p, NULL);
        say_loops(p, b);
        if (once_in(p, 4)) say_turns(p, pick(p, 2) ? "i" : NULL);
        say(p, "get("), say_name(p, df, b, "i", "j"), say(p, ");\n");
    }
}

static void
part_box(struct maker *p, const char *df)
{
    struct box b = box_new(p);
    say_writer(p, df, &b);
    if (p->wrong && once_in(p, 4)) {
        struct box c = b;
        c.form[0] = form_any(p);
        say_reader(p, &c, df);
    }
    for (int k = (int)pick(p, 3); k >= 0; k--) say_reader(p, &b, df);
}

/* ---- steps that need each other ---- */

static void
part_stencil(struct maker *p, const char *df)
{
    char n[NAME_TEXT], t[NAME_TEXT];
    fixed_int(p, n);
    fixed_int(p, t);
    say(p, "for i = 0 .. %s put(%s[0][i], i);\n", n, df);
    say(p, "for t = 0 .. %s {\nfor i = 1 .. %s - 1 three(%s[t][i - 1], %s[t][i], %s[t][i + %d], "
           "%s[t + 1][i]);\n", t, n, df, df, df, 1 + slip(p), df);
    say(p, "copy(%s[t][0], %s[t + 1][0]);\n", df, df);
    say(p, "if %s > %d copy(%s[t][%s], %s[t + 1][%s]);\n}\n", n, slip(p), df, n, df, n);
    if (pick(p, 2)) say(p, "for i = 0 .. %s get(%s[%s + 1][i]);\n", n, df, t);
}

static void
part_chain(struct maker *p, const char *df)
{
    char n[NAME_TEXT];
    int from = (int)pick(p, 3), step = 1 + (int)once_in(p, 4);
    fixed_int(p, n);
    bool strides = once_in(p, 3);
    for (int k = 0; k < (strides ? 1 : step); k++)
        say(p, "put(%s[%d], %d);\n", df, from + k, small(p));
    say(p, "for i = %d .. %s ", from, n);
    if (strides) say(p, "by %d ", step);
    say(p, "copy(%s[i + %d], %s[i + %d]);\n", df, slip(p), df, step);
    if (pick(p, 2)) say(p, "for i = %d .. %s by %d get(%s[i]);\n", from, n, strides ? step : 1, df);
}

/* From the last one down. */
static void
part_chain_down(struct maker *p, const char *df)
{
    char n[NAME_TEXT];
    int by = 1 + (int)pick(p, 3), last = (int)pick(p, 3);
    fixed_int(p, n);
    say(p, "put(%s[%s], %d);\n", df, n, small(p));
    say(p, "for i = %s .. %d by -%d ", n, last, by);
    say(p, "copy(%s[i + %d], %s[i - %d]);\n", df, slip(p), df, by);
    if (pick(p, 2)) say(p, "for i = %s .. %d by -%d get(%s[i]);\n", n, last, by, df);
}

/* Each turn makes what the next one reads; a value says when it ends. */
static void
part_solver(struct maker *p, const char *df)
{
    int from = (int)pick(p, 3), bound = (int)pick(p, 4), start = (int)pick(p, 6);
    char begin[NAME_TEXT];
    say(p, "put(%s[%d], %d);\n", df, from, start);
    snprintf(begin, sizeof begin, "%d", from);
    if (once_in(p, 6)) {
        snprintf(begin, sizeof begin, "a%d[0]", p->number);
        say(p, "put(%s, %d);\n", begin, from);
    }
    if (p->vague && once_in(p, 2)) say(p, "while %s[i] > %d, ", df, bound);
    else say(p, "while i < n%s, ", pick(p, 2) ? "" : " + 1");
    say(p, "i = %s .. out w%d[0]", begin, p->number);
    if (once_in(p, 8)) say(p, " put(v%d[i], i);\n", p->number);
    else {
        if (pick(p, 2)) say(p, " {\ninc(%s[i + %d] - 2, %s[i + 1]);\n", df, slip(p), df);
        else if (once_in(p, 4)) say(p, " {\nput(%s[i + 2], i);\n", df); /* leaves a gap */
        else say(p, " {\nput(%s[i + 1], %d - i);\n", df, start + from);
        if (once_in(p, 2)) say(p, "if "), condition(p, "i"), say(p, " get(%s[i]);\n", df);
        if (once_in(p, 2)) say(p, "put(v%d[i], i);\n", p->number);
        say(p, "}\n");
    }
    if (pick(p, 3)) say(p, "get(%s[w%d[0]]);\n", df, p->number);
    if (once_in(p, 3))
        say(p, "if w%d[0] > %d get(%s[w%d[0] - 1]);\n", p->number, from, df, p->number);
    if (once_in(p, 3)) say(p, "for i = 0 .. w%d[0] - 1 get(v%d[i]);\n", p->number, p->number);
    if (once_in(p, 3)) say(p, "put(v%d[w%d[0]], 1);\n", p->number, p->number);
}

/* ---- subs, recursions ---- */

static void
part_rows(struct maker *p, const char *df)
{
    char n[NAME_TEXT], m[NAME_TEXT];
    fixed_int(p, n);
    fixed_int(p, m);
    say(p, "for i = 0 .. %s fill(%s[i], %s);\n", n, df, m);
    if (once_in(p, 4)) { /* a triangle, two calls below */
        say(p, "grid(%s[-1], %s, %d);\n", df, n, slip(p));
        say(p, "for i = 0 .. %s for j = 0 .. %s - i get(%s[-1][i][j]);\n", n, n, df);
    }
    if (once_in(p, 3)) say(p, "for i = 1 .. %s get(%s[i][0]);\n", n, df);
    say(p, "for i = %d .. %s ", slip(p), n);
    switch (pick(p, 4)) {
    case 0: say(p, "drain(%s[i], %s);\n", df, m); break;
    case 1: say(p, "for j = 0 .. %s get(%s[i][j]);\n", m, df); break;
    case 2: say(p, "down(%s[i], 0, %s);\n", df, m); break;
    default: say(p, "if i %% 2 == 0 drain(%s[i], %s); else for j = 0 .. %s look(%s[i][j], j);\n",
                 df, m, m, df);
    }
}

static void
part_recursion(struct maker *p, const char *df)
{
    switch (pick(p, 6)) {
    case 0:
        say(p, "tree(%s, %s[0]);\nget(%s[0]);\n", once_in(p, 2) ? "m" : "2", df, df);
        break;
    case 3:
        say(p, "last(%s, %s[0]);\nget(%s[0]);\n", once_in(p, 2) ? "m" : "2", df, df);
        break;
    case 4:
        say(p, "put(%s[0], 1);\nput(%s[1], 1);\n", df, df);
        if (pick(p, 2)) {
            say(p, "for i = 0 .. %d spread(%s[%s], 1);\n", (int)pick(p, 3), df,
                pick(p, 2) ? "0" : "i / 2");
            break;
        }
        say(p, "spread(%s[0], %d);\n", df, (int)pick(p, 3));
        say(p, pick(p, 2) ? "spread(%s[0], 1);\n" : "get(%s[0]);\n", df);
        break;
    case 1:
        say(p, "count(%s, 0, n + %d);\n", df, (int)pick(p, 2));
        say(p, "for i = %d .. n get(%s[i]);\n", slip(p), df);
        break;
    case 2:
        say(p, "count(%s, 0, 3);\ndown(%s, 0, 2);\n", df, df);
        break;
    default:
        say(p, "for i = 0 .. m { put(%s[i], i);\nspread(%s[i], %d); }\n", df, df, (int)pick(p, 3));
    }
}

/* ---- branches, and whatever comes ---- */

static void
part_branches(struct maker *p, const char *df)
{
    char n[NAME_TEXT], text[FORM_TEXT];
    struct form f = form_once(p);
    fixed_int(p, n);
    say(p, "put(a%d[0], %d);\nfor i = 0 .. %s if ", p->number, small(p), n);
    if (p->vague && once_in(p, 2)) say(p, "a%d[0] > i", p->number);
    else condition(p, "i");
    say(p, " put(%s[%s], 1);", df, form_text(&f, "i", 0, text));
    say(p, "\nelse put(%s[%s], 2);\n", df, form_text(&f, "i", slip(p), text));
    say(p, "for i = 0 .. %s { if ", n);
    condition(p, "i");
    say(p, " get(%s[%s]);", df, form_text(&f, "i", 0, text));
    if (pick(p, 2)) say(p, " else get(%s[%s]);", df, form_text(&f, "i", slip(p), text));
    say(p, " }\n");
}

/* What values hold decides. */
static void
part_index(struct maker *p, const char *df)
{
    int k = some(p), d = p->number, last = (int)pick(p, 4);
    say(p, "put(a%d[0], %d);\n", d, k);
    switch (pick(p, 6)) {
    case 0:
        say(p, "put(%s[a%d[0]], 1);\nget(%s[%d]);\n", df, d, df, k);
        say(p, "for i = 0 .. %d get(%s[a%d[0] + %d]);\n", last, df, d, slip(p));
        break;
    case 1:
        say(p, "for i = 0 .. %d put(%s[i], i);\n", last, df);
        say(p, "for i = a%d[0] .. a%d[0] + %d get(%s[i - (%d)]);\n", d, d, last + slip(p), df, k);
        break;
    case 2:
        say(p, "for i = a%d[0] - 1 .. a%d[0] + %d put(%s[i], i);\n", d, d, last, df);
        say(p, "for i = a%d[0] - 1 .. a%d[0] + %d get(%s[i]);\n", d, d, last, df);
        say(p, "if a%d[0] > %d get(%s[a%d[0]]);\n", d, small(p), df, d);
        break;
    case 3: /* whether, no form tells */
        say(p, "for i = 0 .. %s put(%s[i], i);\n", once_in(p, 2) ? "n" : "5", df);
        say(p, "for i = 0 .. %s if %s[i] == ", once_in(p, 2) ? "n" : "5", df);
        say(p, pick(p, 2) ? "2 put(b%d[0], 1);\n" : "9 get(b%d[0]);\n", d);
        break;
    case 4: /* one of them */
        say(p, "put(a%d[1], %d);\nif a%d[0] > a%d[1] put(%s[0], 1);\n", d, small(p), d, d, df);
        say(p, "if a%d[0] %s a%d[1] put(%s[0], 2);\n", d, once_in(p, 5) ? "<" : "<=", d, df);
        say(p, "get(%s[0]);\n", df);
        if (pick(p, 2)) say(p, "if !(a%d[0] > a%d[1]) get(%s[0]);\n", d, d, df);
        break;
    default:
        say(p, "for i = 0 .. %d put(%s[2*i], i);\nfor i = 0 .. %d put(%s[2*i + 1], i);\n", last, df,
            last, df);
        say(p, "for i = 0 .. %d { if %s[2*i] < a%d[0] get(%s[2*i + 1]); else get(%s[2*i + 1]); }\n",
            last, df, d, df, df);
    }
}

static void
part_lives(struct maker *p, const char *df)
{
    char n[NAME_TEXT];
    fixed_int(p, n);
    say(p, "for i = 0 .. %s put(%s[i], i);\n", n, df);
    switch (pick(p, 3)) {
    case 0: say(p, "for i = %d .. %s get(%s[i]) --> (%s[i]);\n", slip(p), n, df, df); break;
    case 1: say(p, "for i = %d .. %s look(%s[i], 1) --> (%s[i]);\n", slip(p), n, df, df); break;
    default:
        say(p, "for i = 0 .. %s { get(%s[i]) >> (e%d[i]); get(e%d[i]); }\n", n, df, p->number,
            p->number);
    }
}

/* `loops` are around, i0 and on. */
static void
soup_block(struct maker *p, const char *df, unsigned loops, int depth)
{
    char text[FORM_TEXT], c[NAME_TEXT] = "n", a[NAME_TEXT];
    for (int k = (int)pick(p, 3); k >= 0; k--) {
        struct form f = form_any(p);
        if (loops) snprintf(c, sizeof c, "i%u", pick(p, loops));
        form_text(&f, c, 0, text);
        unsigned what = pick(p, 8);
        if (what < 3 && depth < DEPTH_MAX) {
            say(p, "for i%u = %d .. %s", loops, (int)pick(p, 3) - 1, fixed_int(p, a));
            if (once_in(p, 4)) say(p, " by %d", step(p));
            say(p, " {\n");
            soup_block(p, df, loops + 1, depth + 1);
            say(p, "}\n");
        } else if (what == 3 && depth < DEPTH_MAX) {
            say(p, "if "), condition(p, c), say(p, " {\n");
            soup_block(p, df, loops, depth + 1);
            say(p, "}\n");
        } else if (what == 4) say(p, "copy(%s[%s], z%d[%s]);\n", df, text, p->number, text);
        else if (what == 5) say(p, "get(z%d[%s]);\n", p->number, text);
        else if (what == 6) say(p, "put(%s[%s], 3);\n", df, text);
        else say(p, "get(%s[%s]);\n", df, text);
    }
}

static void
part_soup(struct maker *p, const char *df)
{
    soup_block(p, df, 0, 0);
}

/* Rests of both signs. */
static void
part_rests(struct maker *p, const char *df)
{
    int by = 2 + (int)pick(p, 3), k = small(p);
    if (once_in(p, 2)) k = 0;
    say(p, "for i = %d .. %d put(%s[i %% %d", 1 - by + slip(p), by - 1, df, by);
    if (k) say(p, " + %d", k);
    say(p, "], i);\n");
    if (pick(p, 2)) say(p, "get(%s[%d]);\n", df, k - 1);
    say(p, "for i = %d .. %s ", 1 - by, pick(p, 2) ? "n" : "0");
    say(p, "if i > -%d && i < %d get(%s[i + %d]);\n", by, by, df, k);
}

/* Read beyond both ends. */
static void
part_shaped(struct maker *p, const char *df)
{
    char lo[NAME_TEXT], hi[NAME_TEXT], k[NAME_TEXT];
    int by = slip(p), d = p->number;
    fixed_int(p, hi);
    snprintf(lo, sizeof lo, "%d", (int)pick(p, 3) - 1);
    if (once_in(p, 4)) fixed_int(p, lo);
    snprintf(p->shape, sizeof p->shape, "[%s..%s]", lo, hi);
    if (pick(p, 5)) snprintf(p->outside, sizeof p->outside, "%s", fixed_int(p, k));
    say(p, "for i = %s + %d .. %s put(%s[i], i);\n", lo, by, hi, df);
    bool beyond = *p->outside;
    for (int n = (int)pick(p, 3); n >= 0; n--) {
        int before = beyond ? (int)pick(p, 4) : 0, behind = beyond ? (int)pick(p, 4) : 0;
        behind += slip(p);
        switch (pick(p, 7)) {
        case 0:
            say(p, "for i = %s - %d .. %s + %d get(%s[i]);\n", lo, before, hi, behind, df);
            break;
        case 1:
            if (!beyond) break;
            say(p, "for i = %s .. %s three(%s[i - 1], %s[i], %s[i + %d], c%d[i]);\n", lo, hi, df,
                df, df, 1 + slip(p), d);
            break;
        case 2:
            say(p, "for i = %s - %d .. %s + %d inc(%s[i] + 1, d%d[i]);\n", lo, before, hi, behind,
                df, d);
            break;
        case 3:
            say(p, "reduce + %s[i] over i = %s - %d .. %s + %d => s%d[%d];\n", df, lo, before, hi,
                behind, d, n);
            break;
        case 4:
            say(p, "sum(%s[i] over i = %s - %d .. %s + %d, u%d[%d]);\n", df, lo, before, hi, behind,
                d, n);
            break;
        case 5:
            say(p, "for i = %s - %d .. %s + %d if %s[i] > %d get(%s[i]);\n", lo, before, hi, behind,
                df, small(p), df);
            break;
        default:
            say(p, "drain(%s, %s);\n", df, hi);
        }
    }
}

/* Steps whose borders nobody makes. */
static void
part_open(struct maker *p, const char *df)
{
    char n[NAME_TEXT], t[NAME_TEXT];
    int d = slip(p);
    fixed_int(p, n);
    fixed_int(p, t);
    if (once_in(p, 2)) snprintf(p->shape, sizeof p->shape, "[%s + %d][1..%s]", t, 2 + d, n);
    else snprintf(p->shape, sizeof p->shape, "[0..%s + %d][1..%s]", t, 1 + d, n);
    snprintf(p->outside, sizeof p->outside, "%d", small(p));
    say(p, "for i = 1 .. %s put(%s[0][i], i);\n", n, df);
    say(p, "for t = 0 .. %s for i = 1 .. %s three(%s[t][i - 1], %s[t][i], %s[t][i + 1], "
           "%s[t + 1][i]);\n", t, n, df, df, df, df);
    if (pick(p, 2)) say(p, "for i = %d .. %s + 1 get(%s[%s + 1][i]);\n", (int)pick(p, 3), n, df, t);
}

/* Two that need each other, step by step. */
static void
part_pipeline(struct maker *p, const char *df)
{
    char n[NAME_TEXT];
    int d = p->number;
    fixed_int(p, n);
    bool down = once_in(p, 3);
    if (down) say(p, "put(%s[%s + 1], 1);\n", df, n);
    else say(p, "put(%s[0], 1);\n", df);
    say(p, "for i = 0 .. %s inc(%s[i + %d], z%d[i]);\n", n, df, down ? 1 : 0, d);
    say(p, "for i = 0 .. %s { if i < %d ", n, small(p));
    for (int k = 0; k < 2; k++)
        say(p, "%scopy(z%d[i + %d], %s[i + %d]);", k ? " else " : "", d, slip(p), df, down ? 0 : 1);
    say(p, " }\n");
}

/* ---- where parts stand ---- */

typedef void part_fn(struct maker *p, const char *df);
static part_fn *const parts[] = {part_box, part_box, part_box, part_box, part_stencil, part_chain,
                                 part_chain_down,
                                 part_solver, part_solver, part_rows, part_recursion,
                                 part_branches, part_branches, part_index, part_index, part_lives,
                                 part_rests, part_pipeline, part_soup, part_shaped, part_shaped,
                                 part_open};
enum { PARTS = sizeof parts / sizeof *parts };

/* What is said of n and m, where they are called N and M. */
static void
say_shape(struct buf *to, const char *text, bool in_main)
{
    for (; *text; text++)
        buf_char(to, !in_main ? *text : *text == 'n' ? 'N' : *text == 'm' ? 'M' : *text);
}

static void
say_outside(const struct maker *p, struct buf *to, bool in_main)
{
    if (!*p->outside) return;
    buf_printf(to, "outside x%d => ", p->number);
    say_shape(to, p->outside, in_main);
    buf_str(to, "; ");
}

/* Those of the part that its text names, each behind a comma. */
static void
say_dfs(const struct maker *p, struct buf *to, struct buf *body, bool own, bool in_main)
{
    char name[8];
    buf_str(body, "");
    for (const char *c = own ? "xabcdesuvwz" : "abcdesuvwz"; *c; c++) {
        snprintf(name, sizeof name, "%c%d", *c, p->number);
        if (!strstr(body->data, name)) continue;
        buf_printf(to, "%s%s", to->size ? ", " : "", name);
        if (*c == 'x') say_shape(to, p->shape, in_main);
    }
}

static void
say_part(struct maker *p, struct buf *to)
{
    char df[NAME_TEXT];
    struct buf *was = p->out;
    snprintf(df, sizeof df, "x%d", p->number);
    *p->shape = *p->outside = 0;
    p->out = to;
    parts[pick(p, PARTS)](p, df);
    p->out = was;
}

static void
say_block(const struct maker *p, struct buf *to, struct buf *body, bool own)
{
    struct buf names = {0};
    say_dfs(p, &names, body, own, false);
    if (names.size) buf_printf(to, "df %.*s;\n", (int)names.size, names.data);
    buf_add(to, body->data, body->size);
    buf_fini(&names);
}

/* As a sub, whose x may be main's. */
static void
say_sub(struct maker *p, struct buf *body)
{
    char n[NAME_TEXT], m[NAME_TEXT];
    bool handed = once_in(p, 2), loop = once_in(p, 3);
    buf_printf(p->subs, "sub p%d(int n, int m", p->number);
    if (handed) buf_printf(p->subs, ", name x%d", p->number);
    buf_str(p->subs, ") {\n");
    say_block(p, p->subs, body, !handed);
    bool requires = once_in(p, 6), outside = !handed && *p->outside;
    buf_str(p->subs, "}");
    if (requires || outside) buf_str(p->subs, " @ { ");
    if (requires) buf_printf(p->subs, "require: n %s %d; ", pick(p, 2) ? ">=" : "<", small(p));
    if (outside) say_outside(p, p->subs, false);
    if (requires || outside) buf_str(p->subs, "}");
    buf_str(p->subs, "\n");
    bool deeper = handed && (loop || pick(p, 2));
    if (handed) {
        buf_printf(p->decls, "%sx%d", p->decls->size ? ", " : "", p->number);
        if (deeper && *p->shape) buf_str(p->decls, "[-9..9]");
        say_shape(p->decls, p->shape, true);
        say_outside(p, p->beyond, true);
    }
    if (loop) say(p, "for q = 0 .. %s ", pick(p, 2) ? "2" : "m");
    if (p->large && once_in(p, 3)) snprintf(n, sizeof n, "%d", some(p));
    else fixed_int(p, n);
    say(p, "p%d(%s, ", p->number, n);
    say(p, "%s", loop && pick(p, 2) ? pick(p, 2) ? "q" : "3 - q" : fixed_int(p, m));
    if (handed) say(p, ", x%d%s", p->number, loop ? "[q]" : deeper ? "[n]" : "");
    say(p, ");\n");
}

static void
say_placed(struct maker *p)
{
    struct buf body = {0};
    say_part(p, &body);
    switch (pick(p, 6)) {
    case 0:
    case 1: say_sub(p, &body); break;
    case 2:
        say(p, "for q = %d .. %s {\n", (int)pick(p, 3), pick(p, 2) ? "2" : "m");
        say_block(p, p->out, &body, true);
        say(p, "}");
        if (*p->outside) {
            say(p, " @ { ");
            say_outside(p, p->out, false);
            say(p, "}");
        }
        say(p, "\n");
        break;
    default:
        say_dfs(p, p->decls, &body, true, true);
        say_outside(p, p->beyond, true);
        buf_add(p->out, body.data, body.size);
    }
    buf_fini(&body);
}

static const struct {
    const char *name, *text;
} functions[] = {
    {"look(", "sub look(value x, int k) { get(x); if k > 0 get(x); }\n"},
    {"grid(", "sub grid(name x, int n, int k) { for i = 0 .. n + k fill(x[i], n - i); }\n"},
    {"fill(", "sub fill(name x, int n) { for j = 0 .. n put(x[j], j); }\n"},
    {"drain(", "sub drain(name x, int n) { for j = 0 .. n get(x[j]); }\n"},
    {"down(", "sub down(name x, int k, int n) { if k <= n { get(x[k]); down(x, k + 1, n); } }\n"},
    {"count(",
     "sub count(name x, int k, int n) { if k <= n { put(x[k], k); count(x, k + 1, n); } }\n"},
    {"spread(", "sub spread(name x, int k) { get(x); if k > 0 { spread(x, k - 1); get(x); } }\n"},
    {"tree(", "sub tree(int k, name r) { df a, b; if k < 1 put(r, 1); else { tree(k - 1, a); "
              "tree(k - 1, b); add(a, b, r); } }\n"},
    {"last(", "sub last(int k, name r) { if k < 1 put(r, 1); else last(k - 1, r); "
              "if k > 2 put(r, 2); }\n"},
    {"put(", "C sub put(name x, int k) ${{ luna_set_int(x, k); $}}\n"},
    {"get(", "C sub get(value x) ${{ $}}\n"},
    {"copy(", "C sub copy(value a, name x) ${{ luna_set_int(x, luna_int(a)); $}}\n"},
    {"inc(", "C sub inc(int a, name x) ${{ luna_set_int(x, a + 1); $}}\n"},
    {"add(", "C sub add(value a, value b, name x) ${{ luna_set_int(x, luna_int(a) + luna_int(b)); "
             "$}}\n"},
    {"three(", "C sub three(value a, value b, value c, name x) ${{ luna_set_int(x, luna_int(a) ^ "
               "luna_int(b) ^ luna_int(c)); $}}\n"},
    {"sum(", "C sub sum(value x[], name s) ${{ int k = 0; for (size_t i = 0; i < x->n; i++) "
             "k ^= luna_int(x->df[i]); luna_set_int(s, k); $}}\n"},
    {"fan(", "C sub fan(int k, name y[]) ${{ for (size_t i = 0; i < y->n; i++) "
             "luna_set_int(y->df[i], k + (int)i); $}}\n"},
    {"mend(", "C sub mend(value x[], int k, name y[]) ${{ for (size_t i = 0; i < y->n; i++) "
              "luna_set_int(y->df[i], x->n ? luna_int(x->df[i % x->n]) : k); $}}\n"},
    {"both(", "C sub both(name x, name y) ${{ luna_set_int(x, 1); luna_set_int(y, 2); $}}\n"},
};

bool
random_program_call(const char *name, unsigned nargs, const struct interpret_value *in,
                    struct interpret_value *out)
{
    struct interpret_value *x = &out[nargs ? nargs - 1 : 0];
    if (!strcmp(name, "put")) out[0].i = in[1].i;
    else if (!strcmp(name, "copy")) x->i = in[0].i;
    else if (!strcmp(name, "inc")) x->i = (int32_t)((uint32_t)in[0].i + 1);
    else if (!strcmp(name, "add")) x->i = (int32_t)((uint32_t)in[0].i + (uint32_t)in[1].i);
    else if (!strcmp(name, "three")) x->i = in[0].i ^ in[1].i ^ in[2].i;
    else if (!strcmp(name, "both")) out[0].i = 1, out[1].i = 2;
    else if (!strcmp(name, "sum"))
        for (uint32_t i = 0; i < in[0].n; i++) x->i ^= in[0].list[i].i;
    else if (!strcmp(name, "fan"))
        for (uint32_t i = 0; i < in[1].n; i++) in[1].list[i].i = in[0].i + (int32_t)i;
    else if (!strcmp(name, "mend"))
        for (uint32_t i = 0; i < in[2].n; i++)
            in[2].list[i].i = in[0].n ? in[0].list[i % in[0].n].i : in[1].i;
    else return !strcmp(name, "get");
    return true;
}

void
random_program(uint64_t seed, struct buf *out)
{
    struct buf subs = {0}, main = {0}, decls = {0}, beyond = {0};
    struct maker p = {.state = seed * 0x9e3779b97f4a7c15u + 1, .subs = &subs, .decls = &decls,
                      .out = &main, .beyond = &beyond};
    for (int i = 0; i < 4; i++) pick(&p, 2);
    p.wrong = once_in(&p, 2);
    p.large = once_in(&p, 4);
    p.ruled = once_in(&p, 5);
    p.vague = once_in(&p, 2);
    int n = 1 + (int)pick(&p, PARTS_MAX - 1);
    for (p.number = 0; p.number < n; p.number++) say_placed(&p);
    buf_add(out, subs.data, subs.size);
    buf_str(out, "sub main(int N, int M) {\n");
    if (decls.size) buf_printf(out, "df %.*s;\n", (int)decls.size, decls.data);
    buf_str(out, "let n = N, m = M {\n");
    buf_add(out, main.data, main.size);
    buf_str(out, "}\n");
    bool requires = once_in(&p, 8);
    buf_str(out, requires || beyond.size ? "} @ { " : "}");
    if (requires) buf_printf(out, "require: N >= %d; ", small(&p));
    buf_add(out, beyond.data, beyond.size);
    buf_str(out, requires || beyond.size ? "}\n" : "\n");
    buf_str(out, "");
    /* Those that use others come first. */
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strstr(out->data, functions[i].name)) buf_str(out, functions[i].text);
    buf_fini(&subs);
    buf_fini(&main);
    buf_fini(&decls);
    buf_fini(&beyond);
}
