/* expect.c - syntax errors in the user's words: slips that we know, else the general form, expected
 * ',' or ')', not ';'. */
#include "lang/parse/slips.h"
#include "parse.tab.h"

#include <stdio.h>
#include <string.h>

void
expect_reserved(struct parser *p, struct token word)
{
    uint64_t bit = (uint64_t)1 << (word.kind & 63);
    int size;
    const char *text = expected_text(p, word.span, &size);
    if (!(p->told & bit))
        diag(p->diag, SEV_ERROR, D_PAR1, word.span, "'%.*s' is a reserved word, not a name", size,
             text);
    p->told |= bit;
}

/* ---- the general form ---- */

static bool
is_operator(const char *word)
{
    static const char *const ops[] = {"'?'",  "'||'", "'&&'", "'<'", "'<='", "'=='", "'!='", "'>'",
                                      "'>='", "'+'",  "'-'",  "'*'", "'/'",  "'%'",  "'['"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strcmp(word, ops[i])) return true;
    return false;
}

static bool
begins_operand(const char *word)
{
    static const char *const words[] = {"a name", "an integer", "a real number", "a string",
                                        "'('",    "'-'",        "'!'",           "'int'",
                                        "'real'", "'string'",   "'node'",        "'value'"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i])) return true;
    return false;
}

static bool
is_keyword(const char *word)
{
    char c = word[0] == '\'' ? word[1] | 32 : 0;
    return (c >= 'a' && c <= 'z') || word[1] == '_';
}

static bool
is(const char *word, const char *other)
{
    return !strcmp(word, other);
}

/* Whether a group's name stands for this token in the list. */
static bool
in_group(const struct expected *x, const char *word)
{
    bool name = is(word, "a name") || is_keyword(word);
    bool params = x->p->header.kind == K_IMPORT || x->p->header.kind == K_SUB;
    if (x->n > 1 && (is(word, "'over'") || is(word, "', NAME ='"))) return true;
    if (params && is(word, "'['")) return true; /* value x[] */
    if (expected_statement(x) && (name || is(word, "'@'"))) return true;
    if (expected_call_end(x) && !is(word, "';'")) return true;
    if (expected_item(x)) return true;
    if (expected_new_name(x) && (name || is(word, "'<<'"))) return true;
    if (expected_has(x, "'name'") && is_keyword(word)) return true;
    if (expected_operand(x) && begins_operand(word)) return true;
    if (expected_operator(x) && is_operator(word)) return true;
    if (expected_call(x) && (is(word, "'='") || is(word, "','"))) return true;
    if (expected_assignment(x) && is(word, "'['")) return true;
    if (x->p->header.kind == K_DF && is(word, "'['")) return true; /* df x[n], y; */
    return expected_call(x) && (is_operator(word) || name);
}

/* These stand last in a list: most often something is missing in front of them. */
static bool
closes(const char *word)
{
    return word[0] == '\'' && strchr(")]};", word[1]);
}

enum { LIST_MAX = 5 };

/* "an expression, ',' or ')'" */
static void
list_words(const struct expected *x, char *out, size_t room)
{
    const char *list[LIST_MAX + 4];
    int n = 0;
    if (expected_item(x)) list[n++] = "'sub', 'import', 'const', 'C sub' or 'C++ sub'";
    if (expected_statement(x)) list[n++] = "a statement";
    if (expected_operand(x)) list[n++] = "an expression";
    if (expected_new_name(x))
        list[n++] = "a name";
    else if (expected_has(x, "'name'") && !expected_item(x))
        list[n++] = "a type";
    for (int closing = 0; closing <= 1; closing++)
        for (int i = 0; i < x->n && n < LIST_MAX; i++)
            if (closes(x->words[i]) == closing && !in_group(x, x->words[i]))
                list[n++] = x->words[i];
    if (!n) list[n++] = "an operator";
    size_t at = 0;
    out[0] = 0;
    for (int i = 0; i < n && at < room; i++)
        at += snprintf(out + at, room - at, "%s%s", !i ? "" : i == n - 1 ? " or " : ", ", list[i]);
}

/* Behind an error outside of any sub: is this still part of what that one is about? */
static bool
is_stray(const struct expected *x)
{
    if (!x->p->stray || !expected_item(x)) return false;
    const char *next = x->p->text + x->found.span.hi;
    next += strspn(next, " \t\r\n");
    bool language = x->found.kind == K_NAME && !strncmp(next, "sub", 3); /* D sub */
    return !language && !expected_near_item(x);
}

static void
hint_form(const struct expected *x)
{
    static const char *const statements[] = {"for", "while", "if",     "let",
                                             "cf",  "df",    "reduce", NULL};
    const char *meant = NULL;
    if (x->before.kind == K_NAME && x->n == 1 && expected_has(x, "'('"))
        meant = expected_near(x->p, x->before, statements);
    if (expected_item(x)) meant = expected_near_item(x);
    if (meant && !strcmp(meant, "df")) x->p->tree->lost = true; /* names that it declares */
    bool type = expected_has(x, "'name'") && x->found.kind == K_NAME && !expected_item(x);
    if (meant)
        HINT(x, "did you mean '%s'?", meant);
    else if (x->found.kind == K_DF && expected_has(x, "'{'"))
        HINT(x, "a df line stands in braces: { df a, b; ... }");
    else if (type)
        HINT(x, "the types are int, real, string, name and value");
    else if (x->found.kind == ',' && expected_has(x, "']'"))
        HINT(x, "each index has brackets of its own: x[i][j]");
    else if (expected_item(x))
        HINT(x, "a program begins in: sub main() { ... }");
    else if (x->before.kind == K_SETS || x->before.kind == K_KILLS)
        HINT(x, "fragments stand in parentheses here");
    if (meant || type || expected_statement(x) || x->before.kind == K_SHL) return;
    if (x->p->over && x->p->header.kind != K_NAME) {
        HINT(x, "the form is: x[i] over i = FIRST .. LAST");
        return;
    }
    switch (x->p->header.kind) {
    case K_FOR:
        HINT(x, "the form is: for i = FIRST .. LAST%s", x->before.kind == K_BY ? " by STEP" : "");
        break;
    case K_WHILE:
        HINT(x, "the form is: while CONDITION, i = START .. out X");
        break;
    case K_LET:
        HINT(x, "the form is: let a = EXPRESSION, b = EXPRESSION { ... }");
        break;
    case K_SUB:
        HINT(x, "the form is: sub NAME(TYPE NAME, ...) { ... }");
        break;
    case K_CONST:
        HINT(x, "the form is: const NAME = EXPRESSION;");
        break;
    case K_IMPORT:
        HINT(x, "the form is: import FUNCTION(TYPE, ...) as NAME;");
        break;
    case K_NAME:
        HINT(x, "the form is: reduce OP x[i] over i = FIRST .. LAST => y");
        break;
    }
}

static void
say_general(const struct expected *x)
{
    char list[200], found[64];
    list_words(x, list, sizeof list);
    struct span at = x->found.span;
    uint32_t end = x->before.span.hi;
    if (!x->found.kind && end) at = (struct span){end - 1, end};
    expected_say(x, at, "expected %s, not %s", list,
                 expected_token(x->p, x->found, found, sizeof found));
    hint_form(x);
}

void
expect_report(struct parser *p, const char *const *words, int n)
{
    struct expected x = {p, words, n, p->last, p->before};
    p->skipping = true;
    if (p->quiet || parser_muted(p) || is_stray(&x)) return;
    if (!slips_told(&x)) say_general(&x);
}
