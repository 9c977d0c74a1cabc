/* random_words.c - ints, forms and conditions of random programs; see random_parts.h. */
#include "random_parts.h"

#include <stdarg.h>
#include <stdio.h>

unsigned
pick(struct maker *p, unsigned n)
{
    p->state = p->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(p->state >> 33) % n;
}

bool
once_in(struct maker *p, unsigned n)
{
    return pick(p, n) == 0;
}

void
say(struct maker *p, const char *fmt, ...)
{
    char text[1000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    buf_str(p->out, text);
}

int
slip(struct maker *p)
{
    return p->wrong && once_in(p, 9) ? 1 - 2 * (int)pick(p, 2) : 0;
}

/* ---- ints ---- */

int
small(struct maker *p)
{
    return (int)pick(p, 7) - 2;
}

int
some(struct maker *p)
{
    static const int large[] = {2147483647, -2147483647, 2147483645, 1073741824,
                                16777216,   -16777217,   65536};
    return p->large && once_in(p, 5) ? large[pick(p, 7)] : small(p);
}

const char *
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

/* ---- forms ---- */

struct form
form_once(struct maker *p)
{
    static const int factor[] = {1, 1, 1, 2, -1, 3, -2};
    static const int large[] = {1073741824, 65537, 2147483647, 16777216, 3};
    struct form f = {LINE, factor[pick(p, 7)], some(p), 1};
    if (p->large && once_in(p, 5)) f.a = large[pick(p, 5)];
    return f;
}

struct form
form_any(struct maker *p)
{
    struct form f = form_once(p);
    if (once_in(p, 3)) f.kind = (int)pick(p, FORMS);
    f.by = 2 + (int)pick(p, 3);
    if (f.kind == REST && once_in(p, 8)) f.by = -f.by;
    return f;
}

const char *
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

int
step(struct maker *p)
{
    static const int usual[] = {2, 3, -2, -3, 5, -1}, large[] = {1073741824, -2147483647, 65536};
    return p->large && once_in(p, 4) ? large[pick(p, 3)] : usual[pick(p, 6)];
}

/* ---- conditions ---- */

static const char *const ops[] = {"<", "<=", "==", "!=", ">", ">="};

void
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
