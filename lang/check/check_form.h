/* check_form.h - when do two references name the same fragment, and what is known of a number?
 *
 *     x[i+1], x[1+i], y[1] under  let y = x  with i ...   ->  keys: "x[i+1]" once, "x[1]"
 *
 * An int expression becomes  k + c1*a1 + c2*a2 ... ; an atom is a counter, a parameter, a DF, or an
 * operation that is not taken apart. Within one activation of the loops and subs around, equal keys
 * are equal fragments. Different keys promise nothing, unless both are constant. Lets are seen
 * through: a name that stands for a reference is that reference. */
#ifndef LUNA_LANG_CHECK_CHECK_FORM_H
#define LUNA_LANG_CHECK_CHECK_FORM_H

#include "lang/tree/ast.h"

struct term {
    int atom;
    int32_t factor; /* never 0 */
};

struct form {
    int32_t k;
    int n;
    struct term *terms; /* by rising atom */
};

struct forms;
struct forms *forms_new(struct arena *a);

struct form forms_of(struct forms *f, const struct expr *e);
struct form forms_diff(struct forms *f, struct form a, struct form b);
/* A number for any text: equal texts, equal numbers. */
int         forms_intern(struct forms *f, const char *text);
const char *forms_text(const struct forms *f, int id);
int         forms_count(const struct forms *f); /* one more than the largest number so far */

/* What a reference stands for, once the lets are gone. */
struct target {
    struct symbol *sym; /* SYM_DF, or a parameter of type name or value */
    int depth;          /* indices, those hidden in lets included */
    int key;            /* interned: symbol and indices */
    bool constant;      /* all indices are */
    const char *suffix; /* the key without its symbol: "[1][0]" */
};
/* False when no fragment stands behind it: a counter, an int parameter, an expression, an error. */
bool forms_target(struct forms *f, const struct ref *r, struct target *out);
/* The same symbol with `suffix` behind the indices. */
int forms_key_with(struct forms *f, int key, const char *suffix);

/* ---- constants ---- */
struct known { /* a number known before the run */
    bool real;
    int32_t i;
    double d;
};
struct binding { /* a name whose value is known here */
    const struct binding *next;
    const struct symbol *sym;
    struct known value;
};
bool    form_fold(const struct expr *e, const struct binding *env, struct known *out);
int32_t forms_known_int(struct known v); /* as the run-time truncates */
bool    forms_known_whole(struct known v); /* an int, also one that is written as a real */
bool    forms_known_fits(struct known v); /* what is left of it when cut is an int */
bool    forms_known_true(struct known v); /* not 0 when cut; nan, a fault at run time, is not */

#endif
