/* expr.c - one function a level of precedence. */
#include "expr.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    const char *at;
    const char *text; /* the whole */
    expr_name_fn *name;
    void *who;
};

static int64_t choice(struct reading *r);

static void
blanks(struct reading *r)
{
    while (isspace((unsigned char)*r->at)) r->at++;
}

static int
takes(struct reading *r, const char *sign)
{
    blanks(r);
    size_t n = strlen(sign);
    if (strncmp(r->at, sign, n)) return 0;
    if (n == 1 && strchr("<>=!", *sign) && r->at[1] == '=') return 0;
    if (*sign == '=' && r->at[1] == '>') return 0;
    r->at += n;
    return 1;
}

static void
must(struct reading *r, const char *sign)
{
    if (takes(r, sign)) return;
    fprintf(stderr, "no expression: '%.60s', at '%.20s'\n", r->text, r->at);
    abort();
}

static int64_t
named(struct reading *r)
{
    char name[EXPR_NAME];
    size_t n = 0;
    int64_t arg[EXPR_ARGS];
    int nargs = 0;
    for (; isalnum((unsigned char)*r->at) || *r->at == '_'; r->at++)
        if (n < sizeof name - 1) name[n++] = *r->at;
    name[n] = 0;
    if (*r->at == '[') {
        while (nargs < EXPR_ARGS && takes(r, "[")) {
            arg[nargs++] = choice(r);
            must(r, "]");
        }
        return r->name(r->who, name, '[', arg, nargs);
    }
    if (*r->at != '(') return r->name(r->who, name, 0, NULL, 0);
    r->at++;
    if (!takes(r, ")")) {
        do arg[nargs++] = choice(r);
        while (nargs < EXPR_ARGS && takes(r, ","));
        must(r, ")");
    }
    return r->name(r->who, name, '(', arg, nargs);
}

static int64_t
base(struct reading *r)
{
    blanks(r);
    if (isdigit((unsigned char)*r->at)) return strtoll(r->at, (char **)&r->at, 10);
    if (isalpha((unsigned char)*r->at) || *r->at == '_') return named(r);
    if (takes(r, "-")) return -base(r);
    if (takes(r, "!")) return !base(r);
    must(r, "(");
    int64_t v = choice(r);
    must(r, ")");
    return v;
}

static int64_t
product(struct reading *r)
{
    for (int64_t v = base(r);;) {
        char sign = takes(r, "*") ? '*' : takes(r, "/") ? '/' : takes(r, "%") ? '%' : 0;
        if (!sign) return v;
        int64_t b = base(r);
        if (!b && sign != '*') must(r, "a divisor");
        v = sign == '*' ? v * b : sign == '/' ? v / b : v % b;
    }
}

static int64_t
sum(struct reading *r)
{
    for (int64_t v = product(r);;) {
        if (takes(r, "+")) v += product(r);
        else if (takes(r, "-")) v -= product(r);
        else return v;
    }
}

static int64_t
compared(struct reading *r)
{
    for (int64_t v = sum(r);;) {
        if (takes(r, "<=")) v = v <= sum(r);
        else if (takes(r, ">=")) v = v >= sum(r);
        else if (takes(r, "==")) v = v == sum(r);
        else if (takes(r, "!=")) v = v != sum(r);
        else if (takes(r, "<")) v = v < sum(r);
        else if (takes(r, ">")) v = v > sum(r);
        else return v;
    }
}

static int64_t
both(struct reading *r)
{
    int64_t v = compared(r);
    while (takes(r, "&&")) v = (compared(r) != 0) & (v != 0);
    return v;
}

static int64_t
either(struct reading *r)
{
    int64_t v = both(r);
    while (takes(r, "||")) v = (both(r) != 0) | (v != 0);
    return v;
}

static int64_t
choice(struct reading *r)
{
    int64_t v = either(r);
    while (takes(r, "?")) {
        int64_t yes = either(r);
        must(r, ":");
        int64_t no = either(r);
        v = v ? yes : no;
    }
    return v;
}

int64_t
expr_value(const char *text, expr_name_fn *name, void *who)
{
    struct reading r = {text, text, name, who};
    return choice(&r);
}
