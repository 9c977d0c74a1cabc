/* scope.h - which names are visible where, while resolve walks a sub.
 *
 * Each name has one word, which holds its innermost meaning; entering a block overlays meanings,
 * leaving it puts the old ones back. So a look-up costs one hash, however deep the nesting.
 *
 * Three spaces of names: values (DFs, parameters, counters, let names), cf labels, subs. */
#ifndef LUNA_LANG_RESOLVE_SCOPE_H
#define LUNA_LANG_RESOLVE_SCOPE_H

#include "lang/tree/ast.h"

struct scope_word {
    const char *text;
    struct symbol *value;     /* visible here, or NULL */
    struct symbol *gone;      /* the last value of this name that is visible no more */
    struct symbol *label;     /* of the sub, wherever it stands in it */
    struct symbol *nfparam;   /* of a sub; its own if nfparam->sub is the one at hand */
    struct sub *sub;
    const struct sub *told_in; /* where "undeclared" was reported for it */
    bool told_sub;             /* "no such sub" was */
};

struct scope;

struct scope *scope_new(struct arena *a);
struct scope_word *scope_word(struct scope *s, const char *text);

/* Everything bound since the mark is undone by scope_leave(mark). */
size_t scope_mark(const struct scope *s);
void   scope_leave(struct scope *s, size_t mark);
void   scope_bind(struct scope *s, struct symbol *value);
void   scope_bind_label(struct scope *s, struct symbol *label);

/* The visible value, or label, whose name is closest to `text`; NULL when none is close. */
const char *scope_near_value(const struct scope *s, const char *text);
const char *scope_near_label(const struct scope *s, const char *text);

#endif
