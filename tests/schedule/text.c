/* text.c - from the left to the right; an expression ends where its brackets are closed. */
#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct arena *a;
    const char *text, *at;
};

static void
blanks(struct reader *r)
{
    for (;;) {
        while (isspace((unsigned char)*r->at)) r->at++;
        if (strncmp(r->at, "//", 2)) return;
        while (*r->at && *r->at != '\n') r->at++;
    }
}

static bool
takes(struct reader *r, const char *sign)
{
    blanks(r);
    size_t n = strlen(sign);
    bool word = isalpha((unsigned char)*sign);
    if (strncmp(r->at, sign, n)) return false;
    if (word && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')) return false;
    r->at += n;
    return true;
}

static void
fail(const struct reader *r, const char *wanted)
{
    int line = 1;
    for (const char *c = r->text; c < r->at; c++) line += *c == '\n';
    fprintf(stderr, "line %d: '%s' was expected: '%.30s'\n", line, wanted, r->at);
    abort();
}

static void
must(struct reader *r, const char *sign)
{
    if (!takes(r, sign)) fail(r, sign);
}

static const char *
word(struct reader *r)
{
    blanks(r);
    const char *from = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_') r->at++;
    if (r->at == from) fail(r, "a name");
    return arena_strndup(r->a, from, (size_t)(r->at - from));
}

/* Up to a sign that ends an expression, outside of brackets. */
static const char *
expression(struct reader *r)
{
    blanks(r);
    const char *from = r->at;
    for (int depth = 0; *r->at; r->at++) {
        if (!depth && (strchr(",;{)]@", *r->at) || !strncmp(r->at, "..", 2) ||
                       !strncmp(r->at, "=>", 2)))
            break;
        depth += (*r->at == '(' || *r->at == '[') - (*r->at == ')' || *r->at == ']');
    }
    if (r->at == from) fail(r, "an expression");
    return arena_strndup(r->a, from, (size_t)(r->at - from));
}

/* ---- rules ---- */

static void
read_rule(struct reader *r, struct text_rule **list, bool cell)
{
    struct text_rule *x = arena_new_of(r->a, struct text_rule);
    x->cell = cell;
    x->name = word(r);
    while (x->nix < TEXT_IX && takes(r, "[")) {
        x->ix[x->nix++] = word(r);
        must(r, "]");
    }
    must(r, "=>");
    do x->e[x->dims++] = expression(r);
    while (x->dims < TEXT_DIMS && takes(r, ","));
    must(r, ";");
    x->next = *list;
    *list = x;
}

static void
read_block_rules(struct reader *r, struct text_body *b)
{
    if (!takes(r, "@")) return;
    for (must(r, "{"); !takes(r, "}");) {
        if (takes(r, "locator_cyclic")) {
            read_rule(r, &b->rules, false);
        } else if (takes(r, "cell")) {
            read_rule(r, &b->rules, true);
        } else {
            must(r, "cells");
            do expression(r);
            while (takes(r, ","));
            must(r, ";");
        }
    }
}

static void
read_stmt_rules(struct reader *r, struct text_stmt *s)
{
    if (!takes(r, "@")) return;
    for (must(r, "{"); !takes(r, "}"); must(r, ";")) {
        const char **to = takes(r, "weight") ? &s->weight : &s->node;
        if (to == &s->node) must(r, "locator_cyclic");
        must(r, ":");
        *to = expression(r);
    }
}

/* ---- statements ---- */

static struct text_body *read_block(struct reader *r);

static void
read_over(struct reader *r, struct text_stmt *s)
{
    int k = s->ncounters++;
    s->counter[k] = word(r);
    must(r, "=");
    s->lo[k] = expression(r);
    must(r, "..");
    s->hi[k] = expression(r);
}

static void
read_call(struct reader *r, struct text_stmt *s)
{
    s->kind = TEXT_CALL;
    if (takes(r, "cf")) {
        const char *from = (blanks(r), r->at);
        while (*r->at && *r->at != ':') r->at++;
        s->label = arena_strndup(r->a, from, (size_t)(r->at - from));
        must(r, ":");
    }
    s->callee = word(r);
    must(r, "(");
    if (!takes(r, ")")) {
        do s->arg[s->nargs++] = expression(r);
        while (s->nargs < TEXT_ARGS && takes(r, ","));
        must(r, ")");
    }
    read_stmt_rules(r, s);
    must(r, ";");
}

static void
read_reduce(struct reader *r, struct text_stmt *s)
{
    s->kind = TEXT_REDUCE;
    s->callee = takes(r, "+") ? "+" : word(r);
    const char *from = (blanks(r), r->at);
    while (*r->at && strncmp(r->at, " over ", 6)) r->at++;
    s->element = arena_strndup(r->a, from, (size_t)(r->at - from));
    must(r, "over");
    do read_over(r, s);
    while (s->ncounters < TEXT_OVERS && takes(r, ","));
    must(r, "=>");
    s->out = expression(r);
    read_stmt_rules(r, s);
    must(r, ";");
}

static struct text_stmt *
read_stmt(struct reader *r)
{
    struct text_stmt *s = arena_new_of(r->a, struct text_stmt);
    if (takes(r, "reduce")) {
        read_reduce(r, s);
    } else if (takes(r, "for")) {
        s->kind = TEXT_FOR;
        read_over(r, s);
        s->body = read_block(r);
    } else if (takes(r, "if")) {
        s->kind = TEXT_IF;
        s->hi[0] = expression(r);
        s->body = read_block(r);
        if (takes(r, "else")) s->other = read_block(r);
    } else if (takes(r, "while")) {
        s->kind = TEXT_WHILE;
        s->hi[0] = expression(r);
        must(r, ",");
        s->counter[0] = word(r);
        must(r, "=");
        s->lo[0] = expression(r);
        must(r, "..");
        must(r, "out");
        s->out = expression(r);
        s->body = read_block(r);
    } else {
        read_call(r, s);
    }
    return s;
}

static struct text_body *
read_block(struct reader *r)
{
    struct text_body *b = arena_new_of(r->a, struct text_body);
    must(r, "{");
    if (takes(r, "df")) {
        do b->df[b->ndfs++] = word(r);
        while (b->ndfs < TEXT_DFS && takes(r, ","));
        must(r, ";");
    }
    for (struct text_stmt **end = &b->first; !takes(r, "}"); end = &(*end)->next)
        *end = read_stmt(r);
    read_block_rules(r, b);
    return b;
}

/* ---- the program ---- */

static void
read_params(struct reader *r, struct text_sub *s)
{
    must(r, "(");
    if (takes(r, ")")) return;
    do {
        s->is_name[s->nparams] = takes(r, "name");
        if (!s->is_name[s->nparams]) must(r, "int");
        s->param[s->nparams++] = word(r);
    } while (s->nparams < TEXT_PARAMS && takes(r, ","));
    must(r, ")");
}

struct text_sub *
text_read(struct arena *a, const char *text)
{
    struct reader r = {a, text, text};
    struct text_sub *all = NULL;
    for (blanks(&r); *r.at; blanks(&r)) {
        if (takes(&r, "C")) {
            const char *end = strstr(r.at, "$}}");
            if (!end) fail(&r, "$}}");
            r.at = end + 3;
            continue;
        }
        must(&r, "sub");
        struct text_sub *s = arena_new_of(a, struct text_sub);
        s->name = word(&r);
        read_params(&r, s);
        s->body = read_block(&r);
        s->next = all;
        all = s;
    }
    return all;
}
