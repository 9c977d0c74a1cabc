/* random_values.c - parts with branches, indices that are values, lives, and whatever comes. */
#include "random_parts.h"

#include <stdio.h>

enum { DEPTH_MAX = 4 };

void
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
void
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

void
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

void
part_soup(struct maker *p, const char *df)
{
    soup_block(p, df, 0, 0);
}

/* Rests of both signs. */
void
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
