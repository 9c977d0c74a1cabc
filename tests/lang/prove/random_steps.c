/* random_steps.c - parts with steps that need each other. */
#include "random_parts.h"

#include <stdio.h>

void
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

void
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
void
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
void
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
    if (once_in(p, 4))
        say(p, "for k = 1 .. %d get(%s[w%d[0]]);\n", small(p), df, p->number);
    if (once_in(p, 3))
        say(p, "if w%d[0] > %d get(%s[w%d[0] - 1]);\n", p->number, from, df, p->number);
    if (once_in(p, 3)) say(p, "for i = 0 .. w%d[0] - 1 get(v%d[i]);\n", p->number, p->number);
    if (once_in(p, 3)) say(p, "put(v%d[w%d[0]], 1);\n", p->number, p->number);
}

/* Two that need each other, step by step. */
void
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

/* What is made of a step's value now and then, the next step waits for. */
void
part_watched(struct maker *p, const char *df)
{
    char n[NAME_TEXT];
    int d = p->number, back = (int)pick(p, 2);
    fixed_int(p, n);
    say(p, "put(%s[0], 1);\n", df);
    if (back) say(p, "put(%s[1], 2);\n", df);
    say(p, "for i = 0 .. %s {\nput(v%d[i], %d);\n", n, d, small(p));
    say(p, "if v%d[i] > %d copy(%s[i], z%d[i]);\n", d, small(p), df, d);
    if (once_in(p, 3)) say(p, "else inc(%s[i], z%d[i]);\n", df, d);
    else say(p, "else put(z%d[i], 3);\n", d);
    say(p, "add(%s[i + %d], z%d[i], %s[i + %d]);\n}\n", df, back + slip(p), d, df, back + 1);
    if (pick(p, 2)) say(p, "get(%s[%d]);\n", df, small(p));
}
