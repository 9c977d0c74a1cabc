/* calculate.c - see calculate.h: one function for each level of C's operators, the weakest last. */
#include "calculate.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct calculation {
    const char *at;
    const struct calculate_words *words;
};

static int64_t choice(struct calculation *c);

/* ---- the text ---- */

static void
skip_blanks(struct calculation *c)
{
    while (*c->at == ' ') c->at++;
}

static bool
takes(struct calculation *c, const char *word)
{
    skip_blanks(c);
    size_t n = strlen(word);
    if (strncmp(c->at, word, n)) return false;
    c->at += n;
    return true;
}

_Noreturn static void
is_missing(const struct calculation *c, const char *what)
{
    fprintf(stderr, "%s is missing before '%s'\n", what, c->at);
    exit(1);
}

static void
expect(struct calculation *c, const char *word)
{
    if (!takes(c, word)) is_missing(c, word);
}

/* ---- what is no operator; of brackets, the first has been read ---- */

static int64_t
number(struct calculation *c)
{
    char *end;
    if (*c->at < '0' || *c->at > '9') is_missing(c, "a number");
    int64_t v = strtoll(c->at, &end, 10);
    c->at = end;
    return v;
}

static int64_t
bracket(struct calculation *c)
{
    int64_t v = choice(c);
    expect(c, ")");
    return v;
}

static int64_t
word(struct calculation *c, int32_t (*value)(const void *who, int64_t word))
{
    return value(c->words->who, bracket(c));
}

static int64_t
is_small(struct calculation *c)
{
    int64_t v = bracket(c), bound = INT64_C(1) << 24;
    return v >= -bound && v < bound;
}

static int64_t
uses(struct calculation *c)
{
    int64_t v = bracket(c);
    return v > INT32_MAX ? -1 : (int32_t)v;
}

static int64_t
quotient(struct calculation *c)
{
    int64_t v = choice(c);
    expect(c, ",");
    int64_t by = bracket(c);
    int64_t rest = (v % by + by) % by; /* not below 0 */
    return (v - rest) / by;
}

/* ---- operators ---- */

static int64_t
primary(struct calculation *c)
{
    if (takes(c, "(int64_t)")) return primary(c);
    if (takes(c, "-")) return -primary(c);
    if (takes(c, "!")) return !primary(c);
    if (takes(c, "L(")) return word(c, c->words->local);
    if (takes(c, "F(")) return word(c, c->words->frame);
    if (takes(c, "DF(")) return word(c, c->words->df);
    if (takes(c, "LUNA_SMALL(")) return is_small(c);
    if (takes(c, "luna_uses(")) return uses(c);
    if (takes(c, "luna_floor(")) return quotient(c);
    if (takes(c, "(")) return bracket(c);
    return number(c);
}

static int64_t
product(struct calculation *c)
{
    int64_t v = primary(c);
    while (takes(c, "*")) v *= primary(c);
    return v;
}

static int64_t
sum(struct calculation *c)
{
    int64_t v = product(c);
    for (;;) {
        if (takes(c, "+")) v += product(c);
        else if (takes(c, "-")) v -= product(c);
        else return v;
    }
}

static int64_t
comparison(struct calculation *c)
{
    int64_t v = sum(c);
    if (takes(c, "==")) return v == sum(c);
    if (takes(c, ">=")) return v >= sum(c);
    return v;
}

static int64_t
all_of(struct calculation *c)
{
    int64_t v = comparison(c);
    while (takes(c, "&&")) v = comparison(c) && v;
    return v;
}

static int64_t
any_of(struct calculation *c)
{
    int64_t v = all_of(c);
    while (takes(c, "||")) v = all_of(c) || v;
    return v;
}

static int64_t
choice(struct calculation *c)
{
    int64_t v = any_of(c);
    if (!takes(c, "?")) return v;
    int64_t yes = choice(c);
    expect(c, ":");
    int64_t no = choice(c);
    return v ? yes : no;
}

int64_t
calculate(const char *text, const struct calculate_words *words)
{
    struct calculation c = {text, words};
    int64_t v = choice(&c);
    skip_blanks(&c);
    if (*c.at) is_missing(&c, "an end");
    return v;
}
