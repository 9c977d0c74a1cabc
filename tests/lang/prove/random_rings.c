/* random_rings.c - parts that go around in a ring, and chains of cases; see random_parts.h. */
#include "random_parts.h"

#include <stdio.h>

/* ---- rings ---- */

/* How long: a number of the part, for which it need not be proved that it is more than 0. */
static const char *
length(struct maker *p, char *text)
{
    static const char *const lengths[] = {"n", "n", "m", "n + 1", "n - 1", "n + m", "2*n"};
    unsigned k = pick(p, 8);
    if (k == 7) snprintf(text, NAME_TEXT, "%d", small(p) + 2);
    else snprintf(text, NAME_TEXT, "%s", lengths[k]);
    return text;
}

/* So far around, of a ring of this length. */
static void
say_turned(struct maker *p, const char *counter, const char *l)
{
    switch (pick(p, p->wrong ? 9 : 7)) {
    case 0: say(p, "(%s + 1) %% (%s)", counter, l); break;
    case 1: say(p, "(%s + (%s) - 1) %% (%s)", counter, l, l); break;
    case 2: say(p, "(%s - 1 + (%s)) %% (%s)", counter, l, l); break;
    case 3: say(p, "(%s + 2) %% (%s)", counter, l); break;
    case 4: say(p, "(%s + (%s) + 1) %% (%s)", counter, l, l); break;
    case 5: say(p, "((%s) - 1 - %s + %d) %% (%s)", l, counter, (int)pick(p, 2), l); break;
    case 6: say(p, "(2*(%s) - 1 - %s) %% (%s)", l, counter, l); break;
    case 7: say(p, "(%s + m) %% (%s)", counter, l); break;
    default: say(p, "(%s + %d) %% (%s)", counter, small(p), l);
    }
}

static void
say_ring_reader(struct maker *p, const char *df, const char *l)
{
    int d = p->number;
    switch (pick(p, 8)) {
    case 6:
        say(p, "for i = 0 .. (%s) - 1 for j = -1 .. %d get(%s[0][(i + j + (%s)) %% (%s)]);\n", l,
            (int)pick(p, 3), df, l, l);
        break;
    case 7:
        say(p, "for i = 0 .. (%s) - 3 for j = 0 .. %d get(%s[0][i + j]);\n", l,
            2 + slip(p), df);
        if (once_in(p, 2)) say(p, "for i = 0 .. 2 for j = 0 .. i for k = 0 .. 1 if i + j + k < %s "
                                  "get(%s[0][i + j + k]);\n", l, df);
        break;
    case 0:
        say(p, "for i = 0 .. 2*(%s) - 1 get(%s[0][i %% (%s)]);\n", l, df, l);
        break;
    case 1:
        say(p, "for i = 0 .. 2*(%s) - 1 if i / (%s) == %d get(%s[0][i %% (%s)]);\n", l, l,
            (int)pick(p, 3), df, l);
        break;
    case 2:
        say(p, "for i = 1 - (%s) .. (%s) - 1 put(z%d[i %% (%s) + i / (%s)], 1);\n", l, l, d, l, l);
        break;
    case 3:
        say(p, "for i = 0 .. (%s) - 1 if %s[0][", l, df);
        say_turned(p, "i", l);
        say(p, "] > %d get(%s[0][i]);\n", small(p), df);
        break;
    default:
        say(p, "for i = 0 .. (%s) - %d get(%s[0][", l, (int)pick(p, 3) + slip(p), df);
        say_turned(p, "i", l);
        say(p, "]);\n");
    }
}

void
part_ring(struct maker *p, const char *df)
{
    char l[NAME_TEXT], t[NAME_TEXT];
    length(p, l);
    fixed_int(p, t);
    say(p, "for i = 0 .. (%s) - 1 put(%s[0][i], i);\n", l, df);
    if (pick(p, 3)) {
        say(p, "for t = 0 .. %s for i = 0 .. (%s) - 1 three(%s[t][i], %s[t][", t, l, df, df);
        say_turned(p, "i", l);
        say(p, "], %s[t][", df);
        say_turned(p, "i", l);
        say(p, "], %s[t + 1][i]);\n", df);
    }
    for (int k = (int)pick(p, 3); k > 0; k--) say_ring_reader(p, df, l);
}

/* ---- cases ---- */

static void
say_case(struct maker *p, int depth)
{
    static const char *const ops[] = {"==", "==", "!=", "<", ">="};
    char a[NAME_TEXT];
    if (depth && pick(p, 3)) {
        say(p, once_in(p, 4) ? "!(" : "(");
        say_case(p, depth - 1);
        say(p, pick(p, 2) ? " && " : " || ");
        say_case(p, depth - 1);
        say(p, ")");
        return;
    }
    switch (pick(p, 5)) {
    case 0: say(p, "i %s j", ops[pick(p, 5)]); break;
    case 1: say(p, "i + j %s %d", ops[pick(p, 5)], small(p) + 2); break;
    case 2: say(p, "%s %s %s", pick(p, 2) ? "i" : "j", ops[pick(p, 5)], fixed_int(p, a)); break;
    case 3:
        if (p->vague) say(p, "real(%s) < %d", pick(p, 2) ? "n" : "i", small(p));
        else say(p, "n > m");
        break;
    default: say(p, "%s %s %d", pick(p, 2) ? "i" : "j", ops[pick(p, 5)], small(p));
    }
}

/* One of them for each i and j. */
static void
say_cases(struct maker *p, const char *df, const char *call, const char *behind)
{
    int d = p->number;
    for (int k = (int)pick(p, 3); k >= 0; k--) {
        say(p, "if ");
        say_case(p, 2);
        say(p, " %s(%s[i][j]%s); else ", call, df, behind);
    }
    if (pick(p, 3)) say(p, "%s(%s[i + %d][j]%s);\n", call, df, slip(p), behind);
    else say(p, "put(z%d[i][j], 1);\n", d);
}

void
part_cases(struct maker *p, const char *df)
{
    char n[NAME_TEXT], m[NAME_TEXT];
    fixed_int(p, n);
    fixed_int(p, m);
    say(p, "for i = 0 .. %s for j = 0 .. %s ", n, m);
    if (pick(p, 2)) say_cases(p, df, "put", ", j");
    else say(p, "put(%s[i][j], j);\n", df);
    for (int k = (int)pick(p, 2); k >= 0; k--) {
        say(p, "for i = 0 .. %s for j = 0 .. %s ", n, m);
        bool look = once_in(p, 2);
        say_cases(p, df, look ? "look" : "get", look ? ", j" : "");
    }
}
