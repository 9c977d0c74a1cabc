/* random_boxes.c - parts with a DF that is written in loops, and readers of it. */
#include "random_parts.h"

#include <stdio.h>

struct box { /* loops */
    int dims;
    char lo[2][NAME_TEXT], hi[2][NAME_TEXT]; /* of the second perhaps with the first counter */
    int by[2];
    struct form form[2];
};

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

void
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
