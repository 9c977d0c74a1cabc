/* random_subs.c - parts with rows that are handed to subs, and recursions. */
#include "random_parts.h"

void
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

void
part_recursion(struct maker *p, const char *df)
{
    switch (pick(p, 7)) {
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
    case 5:
        say(p, "for j = 0 .. m put(%s[0][j], j);\n", df);
        if (pick(p, 2)) say(p, "cycle(%s[0], m, n, %s[1]);\n", df, df);
        else say(p, "put(%s[2], 1);\npass(%s[2], %s[0], m, n, %s[1]);\n", df, df, df, df);
        say(p, "for j = %d .. m get(%s[1][j]);\n", slip(p), df);
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
