/* placed.c - a walk over each sub, with the names that are known in it. */
#include "placed.h"

#include <ctype.h>
#include <string.h>

struct known { /* blocks around, the innermost first */
    const struct text_sub *sub;
    const struct text_body *body;
    const struct known *next;
};

struct places {
    struct text_sub *subs;
    bool cells; /* the program has some */
};

const struct text_sub *
placed_sub(const struct text_sub *subs, const char *name)
{
    while (subs && strcmp(subs->name, name)) subs = subs->next;
    return subs;
}

/* The length of the word; *n: how many indices follow it, *end: what is behind them. */
static size_t
word_length(const char *text, int *n, const char **end)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
    *n = 0;
    for (*end = text + length; **end == '['; ++*n)
        for (int depth = 0; **end;) {
            depth += (**end == '[') - (**end == ']');
            ++*end;
            if (!depth) break;
        }
    return length;
}

static bool
is_word(const char *name, const char *text, size_t n)
{
    return strlen(name) == n && !memcmp(name, text, n);
}

static const struct text_rule *
rule_of(const struct text_body *b, bool cell, const char *text, size_t n, int nix)
{
    for (const struct text_rule *r = b->rules; r; r = r->next)
        if (r->cell == cell && r->nix == nix && is_word(r->name, text, n)) return r;
    return NULL;
}

/* A fragment whose rule says a cell; of a parameter only the run knows, so it may. */
static bool
may_have_cell(const struct known *k, const char *text, size_t n, int nix)
{
    for (; k; k = k->next) {
        for (int i = 0; i < k->body->ndfs; i++)
            if (is_word(k->body->df[i], text, n)) return rule_of(k->body, true, text, n, nix);
        for (int i = 0; !k->next && i < k->sub->nparams; i++)
            if (is_word(k->sub->param[i], text, n)) return k->sub->is_name[i];
    }
    return false;
}

static bool
names_cell(const struct known *k, const char *text)
{
    while (*text) {
        int nix;
        const char *end;
        size_t n = word_length(text, &nix, &end);
        if (n && isalpha((unsigned char)*text) && may_have_cell(k, text, n, nix)) return true;
        text = n ? end : text + 1;
    }
    return false;
}

/* Its own locator, or that of its label. */
static bool
has_locator(const struct known *k, const struct text_stmt *s)
{
    if (s->node) return true;
    if (!s->label) return false;
    int nix;
    const char *end;
    size_t n = word_length(s->label, &nix, &end);
    for (; k; k = k->next)
        if (rule_of(k->body, false, s->label, n, nix)) return true;
    return false;
}

static bool
has_place(const struct places *p, const struct known *k, const struct text_stmt *s)
{
    bool calls = s->kind == TEXT_CALL || s->kind == TEXT_REDUCE;
    if (k->sub->seated && (calls || s->kind == TEXT_WHILE)) return true;
    if (!calls || has_locator(k, s)) return calls;
    if (!p->cells) return false;
    if (s->kind == TEXT_REDUCE) return names_cell(k, s->out);
    for (int i = 0; i < s->nargs; i++)
        if (names_cell(k, s->arg[i])) return true;
    return false;
}

/* Whether any statement of the block has a place, perhaps in a loop or condition inside. */
static bool
find_in(const struct places *p, const struct known *around, const struct text_sub *sub,
        struct text_body *b)
{
    struct known k = {sub, b, around};
    bool any = false;
    for (struct text_stmt *s = b->first; s; s = s->next) {
        if (s->body) s->stays = find_in(p, &k, sub, s->body);
        if (s->other) s->stays |= find_in(p, &k, sub, s->other);
        any |= has_place(p, &k, s) || s->stays;
    }
    return any;
}

/* ---- seats ---- */

static bool
seat(const struct places *p, const struct known *around, const struct text_sub *sub,
     const struct text_body *b)
{
    struct known k = {sub, b, around};
    bool any = false;
    for (const struct text_stmt *s = b->first; s; s = s->next) {
        if (s->body) any |= seat(p, &k, sub, s->body);
        if (s->other) any |= seat(p, &k, sub, s->other);
        if (s->kind != TEXT_CALL || (!sub->seated && !has_locator(&k, s))) continue;
        struct text_sub *called = (struct text_sub *)placed_sub(p->subs, s->callee);
        if (!called || called->seated) continue;
        called->seated = any = true;
    }
    return any;
}

static bool
has_cells(const struct text_body *b)
{
    for (const struct text_rule *r = b->rules; r; r = r->next)
        if (r->cell) return true;
    for (const struct text_stmt *s = b->first; s; s = s->next)
        if ((s->body && has_cells(s->body)) || (s->other && has_cells(s->other))) return true;
    return false;
}

void
placed_find(struct text_sub *subs)
{
    struct places p = {.subs = subs};
    bool more = true;
    for (const struct text_sub *s = subs; s; s = s->next) p.cells |= has_cells(s->body);
    while (more) {
        more = false;
        for (const struct text_sub *s = subs; s; s = s->next) more |= seat(&p, NULL, s, s->body);
    }
    for (struct text_sub *s = subs; s; s = s->next) find_in(&p, NULL, s, s->body);
}
