/* args.c - see args.h. */
#include "args.h"

#include "near.h"
#include "utf8.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is wrong ---- */

static void __attribute__((format(printf, 3, 0)))
put_words(char *text, size_t size, const char *fmt, va_list ap)
{
    int n = vsnprintf(text, size, fmt, ap);
    if (n >= (int)size) strcpy(text + utf8_cut(text, size - 4), "...");
}

bool
args_wrong(struct args *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_words(a->fault.text, sizeof a->fault.text, fmt, ap);
    va_end(ap);
    return false;
}

void
args_hint(struct args *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_words(a->fault.hint, sizeof a->fault.hint, fmt, ap);
    va_end(ap);
}

/* ---- finding an option ---- */

static bool
is_long(const char *word)
{
    return word[1] == '-';
}

static bool
is_taken(const struct args_option *o, unsigned who)
{
    return !o->who || o->who & who;
}

static bool
may_follow(const struct args_kind *k, const char *rest)
{
    if (!(k->flags & (ARGS_VALUE | ARGS_MAYBE)) || k->flags & ARGS_APART) return false;
    return !(k->flags & ARGS_DIGITS) || args_digits(rest);
}

static bool
is_named(const char *name, const char *word, size_t size)
{
    return name && strlen(name) == size && !memcmp(name, word, size);
}

/* Is `word` this option? Then *value is what stands behind `=`, or NULL; behind a short one what
 * follows at once, or "". */
static bool
matches(const struct args_option *o, const char *word, const char **value)
{
    const char *equals = is_long(word) ? strchr(word, '=') : NULL;
    size_t size = equals ? (size_t)(equals - word) : strlen(word);
    *value = equals ? equals + 1 : is_long(word) ? NULL : word + size;
    if (is_named(o->name, word, size) || is_named(o->alias, word, size)) return true;
    *value = word + 2;
    return !is_long(word) && !strncmp(o->name, word, 2) && word[2] && may_follow(o->kind, *value);
}

/* The row of this name that `who` takes, else one of others. */
static const struct args_option *
find(const struct args *a, const char *word, const char **value)
{
    const struct args_option *found = NULL;
    for (int i = 0; i < a->n && !(found && is_taken(found, a->who)); i++) {
        const struct args_option *o = &a->options[i];
        if ((!found || is_taken(o, a->who)) && matches(o, word, value)) found = o;
    }
    if (found) matches(found, word, value);
    return found;
}

/* One letter is near to every other: of short ones nothing is guessed. */
static const char *
nearest(const struct args *a, const char *word)
{
    char name[64];
    struct near near = {.word = name};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    for (int i = 0; i < a->n && is_long(word); i++) {
        const struct args_option *o = &a->options[i];
        if (!is_taken(o, a->who) || !o->help || !*o->name) continue;
        near_try(&near, o->name);
        if (o->alias) near_try(&near, o->alias);
    }
    return near.best;
}

static bool
unknown(struct args *a, const char *word)
{
    const char *meant = nearest(a, word);
    a->fault.unknown = word;
    if (meant) args_hint(a, "did you mean '%s'?", meant);
    return args_wrong(a, "unknown option '%s'", word);
}

static bool
needs_value(struct args *a, const struct args_option *o)
{
    return args_wrong(a, "%s needs a value: %s%s", o->name, o->name, o->form);
}

/* ---- reading ---- */

const char *
args_next(struct args *a)
{
    return a->i < a->argc ? a->argv[a->i++] : NULL;
}

static bool
take(struct args *a, const struct args_option *o, const char *value)
{
    unsigned flags = o->kind->flags;
    bool none = !value || !*value;
    if (flags & ARGS_VALUE) {
        bool next = !is_long(o->name) || (flags & ARGS_NEXT && !value);
        if (none && next) none = !(value = args_next(a));
        if (none && !(value && flags & ARGS_EMPTY)) return needs_value(a, o);
    } else if (!none && !(flags & ARGS_MAYBE)) {
        return args_wrong(a, "%s takes no value", o->name);
    }
    return !o->kind->read || o->kind->read(a, o, value);
}

bool
args_read(struct args *a)
{
    const char *word = args_next(a), *value;
    const struct args_option *o = find(a, word, &value);
    assert(a->n <= ARGS_MAX);
    if (o && is_taken(o, a->who)) {
        a->given[o - a->options] = true;
        return take(a, o, value);
    }
    a->fault.others = o;
    return unknown(a, word);
}

bool
args_given(const struct args *a, const char *name)
{
    bool given = false;
    for (int i = 0; i < a->n; i++)
        given |= a->given[i] && !strcmp(a->options[i].name, name);
    return given;
}

bool
args_fit(struct args *a, const struct args_pair *pairs, size_t n)
{
    for (const struct args_pair *p = pairs; p < pairs + n; p++)
        if (args_given(a, p->one) && args_given(a, p->other))
            return args_wrong(a, "%s and %s exclude each other%s%s", p->one, p->other,
                              p->why ? ": " : "", p->why ? p->why : "");
    return true;
}

/* ---- help ---- */

static void
help_row(FILE *out, const struct args_option *o, int width)
{
    char left[80];
    const char *rest = o->help;
    snprintf(left, sizeof left, "%s%s%s%s", o->name, o->form, o->alias ? ", " : "",
             o->alias ? o->alias : "");
    if (strlen(left) > (size_t)width) fprintf(out, "  %s\n", left);
    for (const char *gap = strlen(left) > (size_t)width ? "" : left; rest; gap = "") {
        int n = (int)strcspn(rest, "\n");
        fprintf(out, "  %-*s %.*s\n", width, gap, n, rest);
        rest = rest[n] ? rest + n + 1 : NULL;
    }
}

void
args_help(FILE *out, const struct args_option *options, int n, unsigned who, int width)
{
    for (const struct args_option *o = options; o < options + n; o++)
        if (is_taken(o, who) && o->help && *o->name) help_row(out, o, width);
        else if (is_taken(o, who) && !*o->name) fprintf(out, "\n%s\n", o->help);
}

/* ---- kinds ---- */

static bool
put_true(struct args *a, const struct args_option *o, const char *value)
{
    (void)value;
    return *args_at(a, o, bool) = true;
}

bool
args_word(struct args *a, const struct args_option *o, const char *value)
{
    *args_at(a, o, const char *) = value;
    return true;
}

const struct args_kind args_flag = {.read = put_true};
const struct args_kind args_text = {.read = args_word, .flags = ARGS_VALUE | ARGS_EMPTY};

bool
args_put(struct args *a, const struct args_option *o, const char *value)
{
    (void)value;
    *args_at(a, o, int) = (int)o->kind->least;
    return true;
}

bool
args_digits(const char *text)
{
    const char *p = text;
    while (isdigit((unsigned char)*p)) p++;
    return p > text && !*p;
}

bool
args_int(struct args *a, const struct args_option *o, const char *value)
{
    const struct args_kind *k = o->kind;
    errno = 0;
    long n = args_digits(value) ? strtol(value, NULL, 10) : -1;
    if (n < k->least || n > k->most || errno)
        return args_wrong(a, "%s needs a number from %ld to %ld, not '%s'", o->name, k->least,
                          k->most, value);
    *args_at(a, o, int) = (int)n;
    return true;
}

/* -1: it is none of them, and said so. What is said is also the form: " usec|sec". */
static int
choose(struct args *a, const struct args_option *o, const char *value)
{
    const char *const *words = o->kind->words;
    for (int i = 0; words[i]; i++)
        if (*words[i] && !strcmp(words[i], value)) return i;
    args_wrong(a, "%s is %s, not '%s'", o->name, o->form + 1, value);
    return -1;
}

bool
args_choice(struct args *a, const struct args_option *o, const char *value)
{
    int i = choose(a, o, value);
    if (i >= 0) *args_at(a, o, int) = i;
    return i >= 0;
}

bool
args_either(struct args *a, const struct args_option *o, const char *value)
{
    int i = choose(a, o, value);
    if (i >= 0) *args_at(a, o, bool) = i;
    return i >= 0;
}
