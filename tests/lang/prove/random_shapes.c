/* random_shapes.c - parts with a DF that has a shape, and is read beyond it. */
#include "random_parts.h"

#include <stdio.h>

/* Read beyond both ends. */
void
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
void
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
