/* changes.c - see changes.h. */
#include "apps/luna/build/changes.h"

#include "apps/luna/build/ctext.h"

#include <stdbool.h>
#include <string.h>

/* Where in the text we are, and what stood before. */
struct reading {
    const char *text, *name;
    char before[2]; /* signs, 'w' for a word that may be a type, 'k' for one that is none */
    int depth;      /* of braces in a function; 0: outside of all */
    bool is_param;  /* the last parentheses outside of functions name it */
    bool is_local;  /* so the function at hand means another */
    bool is_static; /* the statement at hand begins so */
};

static bool
is_no_type(struct word w)
{
    static const char *const words[] = {"return", "else", "do", "case", "goto", "throw"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (word_is(w, words[i])) return true;
    return false;
}

static const char *
behind_index(const char *start, const char *p)
{
    int open = 0;
    do {
        open += (*p == '[') - (*p == ']');
        p = ctext_token(start, *p == '"' || *p == '\'' ? ctext_literal(p) : p + 1);
    } while (*p && open);
    return p;
}

/* x, x[i], x.part, x->part: behind all of it. */
static const char *
behind_parts(const char *start, const char *p)
{
    for (p = ctext_token(start, p);; p = ctext_token(start, p)) {
        bool arrow = p[0] == '-' && p[1] == '>';
        if (*p == '[')
            p = behind_index(start, p);
        else if (*p == '.' || arrow)
            p = ctext_token(start, p + 1 + arrow), p += ctext_word(p).size;
        else
            return p;
    }
}

static bool
is_assignment(const char *p)
{
    if (p[0] == '=') return p[1] != '=';
    if (strchr("+-*/%&|^", p[0]) && p[0]) return p[1] == '=';
    return (!strncmp(p, "<<", 2) || !strncmp(p, ">>", 2)) && p[2] == '=';
}

static bool
is_step(const char *p)
{
    return !strncmp(p, "++", 2) || !strncmp(p, "--", 2);
}

/* What stands behind a type is a declaration, and what a star stands before is another thing. */
static bool
is_changed(const struct reading *r, const char *p, size_t size)
{
    const char *behind = behind_parts(r->text, p + size);
    bool stepped = (r->before[0] == '+' || r->before[0] == '-') && r->before[1] == r->before[0];
    if (r->before[0] == '.' || r->before[0] == '>' || r->before[0] == 'w') return false;
    if (stepped || is_step(behind)) return true;
    return is_assignment(behind) && r->before[0] != '*' && r->before[0] != '&';
}

/* `int x`, `int *x`: a local variable hides ours up to the end of the function. */
static void
look_for_local(struct reading *r)
{
    bool star = r->before[0] == '*' || r->before[0] == '&';
    bool declares = r->before[0] == 'w' || (star && r->before[1] == 'w');
    if (declares && !r->is_static) r->is_local = true;
}

static void
take_before(struct reading *r, char c)
{
    r->before[1] = r->before[0];
    r->before[0] = c;
}

/* A brace behind parentheses begins a function, others a namespace, a type or values. */
static void
take_sign(struct reading *r, char c)
{
    bool behind_params = r->before[0] == ')' || (r->before[0] == 'w' && r->before[1] == ')');
    if (c == '(' && !r->depth) r->is_param = false;
    if (c == '{' && (r->depth || behind_params) && !r->depth++) r->is_local = r->is_param;
    if (c == '}' && r->depth) r->depth--;
    if (strchr(";{}", c)) r->is_static = false;
    take_before(r, c);
}

const char *
changes_find(const char *text, const char *name)
{
    struct reading r = {.text = text, .name = name};
    for (const char *p = ctext_token(text, text); *p; p = ctext_token(text, p)) {
        struct word w = ctext_word(p);
        if (w.size && word_is(w, name)) {
            if (!r.depth)
                r.is_param = true;
            else
                look_for_local(&r);
            if (r.depth && !r.is_local && is_changed(&r, p, w.size)) return p;
        }
        r.is_static |= word_is(w, "static");
        if (w.size)
            take_before(&r, is_no_type(w) ? 'k' : 'w');
        else
            take_sign(&r, *p);
        p = w.size ? p + w.size : *p == '"' || *p == '\'' ? ctext_literal(p) : p + 1;
    }
    return NULL;
}
