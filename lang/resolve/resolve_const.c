/* resolve_const.c - const N = 8; among the subs: a let of the whole program, whose value is known.
 *
 * -D N=16 puts another value in its place, which is read as an argument of main would be: it must
 * have the type that the program's own value has. */
#include "lang/resolve/resolve_parts.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the value of the command line ---- */

static const struct given *
given_of(const struct resolve *r, const char *name)
{
    const struct ast *t = r->tree;
    for (int i = t->ngiven; i-- > 0;) /* of equal keys the last counts */
        if (!strcmp(t->given[i].name, name)) return &t->given[i];
    return NULL;
}

/* No hexadecimal, no infinity: what the program could not say, either. */
static bool
read_number(const char *text, double *v)
{
    char *end;
    *v = strtod(text, &end);
    return end != text && !*end && !text[strspn(text, "+-0123456789.eE")] && isfinite(*v);
}

/* As arguments of main: 1e6 and 2.0 are ints, too. */
static bool
is_int(double v)
{
    return v == floor(v) && v >= INT_MIN && v <= INT_MAX;
}

static struct expr *
new_value(struct resolve *r, const struct expr *own, enum expr_kind kind, enum type type)
{
    struct expr *e = arena_new_of(r->arena, struct expr);
    e->kind = kind;
    e->type = type;
    e->span = own->span;
    e->depth = 1;
    return e;
}

/* Quotes around it are left out: the shell may want them, the text does not. */
static struct expr *
text_value(struct resolve *r, const struct expr *own, const char *text)
{
    size_t size = strlen(text);
    bool quoted = size > 1 && text[0] == '"' && text[size - 1] == '"';
    struct expr *e = new_value(r, own, E_STR, T_STRING);
    e->str = arena_strndup(r->arena, text + quoted, size - 2 * quoted);
    e->str_size = size - 2 * quoted;
    return e;
}

/* NULL: the text does not fit. `own` is the value of the program. */
static struct expr *
value_of(struct resolve *r, const struct expr *own, const char *text)
{
    double v;
    if (own->type == T_STRING) return text_value(r, own, text);
    if (!read_number(text, &v) || (own->type == T_INT && !is_int(v))) return NULL;
    bool whole = own->type == T_INT || (own->type != T_REAL && is_int(v));
    struct expr *e = new_value(r, own, whole ? E_INT : E_REALNUM, whole ? T_INT : T_REAL);
    if (whole) e->ival = (int64_t)v;
    else e->rval = v;
    return e;
}

static const char *
wanted_text(enum type t)
{
    return t == T_INT ? "an int" : t == T_REAL ? "a real" : "a number";
}

static void
take_given(struct resolve *r, struct symbol *c)
{
    const struct given *g = given_of(r, c->name.text);
    if (!g || c->let_value->type == T_NONE) return;
    struct expr *value = g->text && *g->text ? value_of(r, c->let_value, g->text) : NULL;
    if (g->text && c->let_value->type == T_STRING) value = text_value(r, c->let_value, g->text);
    if (value) {
        c->let_value = value;
        return;
    }
    if (!g->text || !*g->text)
        diag_origin(r->diag, SEV_ERROR, D_SYN1, g->origin, g->at, g->size,
                    "the const '%s' needs a value: -D %s=...", g->name, g->name);
    else
        diag_origin(r->diag, SEV_ERROR, D_SYN1, g->origin, g->at, g->size,
                    "the const '%s' must be %s, not '%s'", g->name,
                    wanted_text(c->let_value->type), g->text);
    diag_note(r->diag, c->name.span, "'%s' is here", g->name);
}

/* ---- names ---- */

static bool
is_macro(const struct resolve *r, const char *name)
{
    for (const char *const *m = r->tree->macros; m && *m; m++)
        if (!strcmp(*m, name)) return !given_of(r, name);
    return false;
}

static void
check_name(struct resolve *r, struct symbol *c, const struct symbol *old)
{
    const char *name = c->name.text;
    c->mentioned |= old || is_macro(r, name); /* that is enough to be told of it */
    if (old) {
        diag(r->diag, SEV_ERROR, D_SYN8_6, c->name.span, "const '%s' is defined twice", name);
        diag_note(r->diag, old->name.span, "first here");
    } else if (is_macro(r, name)) {
        diag(r->diag, SEV_ERROR, D_SYN8_6, c->name.span,
             "'%s' is a macro, too: '%s' and '$%s' would be two values", name, name, name);
        diag_hint(r->diag, "remove the #define; -D %s=... gives the const its value", name);
    }
}

void
resolve_consts(struct resolve *r)
{
    struct sub outside = {.kind = SUB_STRUCT};
    r->sub = &outside;
    for (struct symbol *c = r->tree->consts; c; c = c->next) {
        c->sub = &outside;
        scope_word(r->scope, c->name.text)->gone = c; /* seen by those above it: "not visible" */
    }
    for (struct symbol *c = r->tree->consts; c; c = c->next) {
        const struct symbol *old = scope_word(r->scope, c->name.text)->value;
        resolve_expr(r, c->let_value);
        take_given(r, c);
        resolve_declare(r, c);
        check_name(r, c, old);
        if (!old) scope_bind(r->scope, c);
    }
    for (struct symbol *c = r->tree->consts; c; c = c->next) {
        c->sub = NULL;
        scope_word(r->scope, c->name.text)->gone = NULL;
    }
    r->sub = NULL;
}
