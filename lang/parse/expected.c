/* expected.c - what the grammar would take, and the words of reports. */
#include "lang/parse/expected.h"

#include "parse.tab.h"
#include "runtime/base/near.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
expected_has(const struct expected *x, const char *word)
{
    for (int i = 0; i < x->n; i++)
        if (!strcmp(x->words[i], word)) return true;
    return false;
}

/* ---- which part of the grammar we are in, by what it would take ---- */

bool
expected_new_name(const struct expected *x)
{
    return expected_has(x, "'SIZE'");
}

bool
expected_item(const struct expected *x)
{
    return expected_has(x, "'sub'") && expected_has(x, "'import'");
}

bool
expected_statement(const struct expected *x)
{
    return expected_has(x, "'for'") && expected_has(x, "'if'");
}

bool
expected_operand(const struct expected *x)
{
    return expected_has(x, "an integer");
}

bool
expected_operator(const struct expected *x)
{
    return expected_has(x, "'?'") && expected_has(x, "'*'");
}

bool
expected_call_end(const struct expected *x)
{
    return expected_has(x, "';'") && expected_has(x, "'@'");
}

bool
expected_call(const struct expected *x)
{
    return expected_has(x, "'('") && expected_has(x, "'='") && !expected_operator(x) &&
           !expected_operand(x);
}

bool
expected_assignment(const struct expected *x)
{
    return !expected_has(x, "'('") && expected_has(x, "'='") && expected_has(x, "','") &&
           !expected_operator(x);
}

/* ---- words ---- */

const char *
expected_text(const struct parser *p, struct span at, int *size)
{
    enum { SHOWN_MAX = 40 };
    *size = at.hi - at.lo < SHOWN_MAX ? (int)(at.hi - at.lo) : SHOWN_MAX;
    return p->text + at.lo;
}

const char *
expected_token(const struct parser *p, struct token t, char *out, size_t room)
{
    int size;
    const char *text = expected_text(p, t.span, &size);
    switch (t.kind) {
    case 0:
        return "the end of the file";
    case K_STRING:
        return "a string";
    case K_FOREIGN:
        return "a foreign block";
    default:
        snprintf(out, room, "'%.*s'", size, text);
        return out;
    }
}

void
expected_say(const struct expected *x, struct span at, const char *fmt, ...)
{
    char words[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    diag(x->p->diag, SEV_ERROR, D_PAR1, at, "%s", words);
}

/* Is one word the other with its letters in another order? */
static bool
same_letters(const char *a, const char *b)
{
    int n = 0;
    for (; a[n] && b[n]; n++)
        if (!strchr(a, b[n]) || !strchr(b, a[n])) return false;
    return !a[n] && !b[n];
}

const char *
expected_near(const struct parser *p, struct token t, const char *const *words)
{
    char text[41];
    int size;
    const char *s = expected_text(p, t.span, &size);
    snprintf(text, sizeof text, "%.*s", size, s);
    struct near n = {.word = text};
    /* Half of all words of three letters are a slip from `for`, `let` or `sub`: foo is none. */
    for (; *words; words++)
        if (size > 3 || same_letters(text, *words)) near_try(&n, *words);
    return n.best;
}

const char *
expected_near_item(const struct expected *x)
{
    static const char *const items[] = {"sub", "import", "const", "C", NULL};
    return x->found.kind == K_NAME ? expected_near(x->p, x->found, items) : NULL;
}
