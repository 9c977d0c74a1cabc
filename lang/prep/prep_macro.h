/* prep_macro.h - macros: the table of names, and bodies with arguments put in.
 *
 * A name stays in the table for good: it remembers whether it was asked for by #ifdef, used, or
 * reported, also while it is not defined. */
#ifndef LUNA_LANG_PREP_PREP_MACRO_H
#define LUNA_LANG_PREP_PREP_MACRO_H

#include "lang/prep/prep_text.h"

struct macro {
    struct macro *next;         /* of the same bucket */
    struct macro *next_by_age;
    const char *name;
    uint32_t name_size, hash;
    bool defined;
    bool used, asked;           /* in a text; by #ifdef or #ifndef */
    bool reported;              /* as not defined: once is enough */
    bool endless;               /* found to expand without end; no more used */
    /* while defined: */
    const char **params;
    int nparams;                /* -1: takes none, not even () */
    struct ptext body;          /* its bytes are of PTEXT_OWN, in file `file` */
    int file;
    struct ptext_spot where;    /* of the name in its definition */
};

struct macros {
    struct arena *arena;
    struct macro **buckets;
    uint32_t nbuckets, n;
    struct macro *oldest, **youngest;
};

void macros_init(struct macros *m, struct arena *a);
/* The entry of a name, made if need be; or NULL if there is none. */
struct macro *macros_get(struct macros *m, const char *name, uint32_t size);
struct macro *macros_find(const struct macros *m, const char *name, uint32_t size);
/* The defined macro whose name is nearest to this one's, or NULL. */
const char *macros_nearest(const struct macros *m, const char *name);

/* The arguments of a use: a[i] is bytes lo..hi-1 of `text`. */
struct macro_args {
    const struct ptext *text;
    const struct macro_arg {
        uint32_t lo, hi;
    } *arg;
    int n;
};

/* Adds the body to `out`, each $param replaced by its argument, or by 0 when that is missing. Of
 * the names that fit at a place the longest wins, parameters and macros alike; a parameter also
 * fits when more letters follow, as in x_$a_y: that is how texts are glued together. False: `out`
 * has come to cost more than `max` bytes, and is not whole. */
bool macro_substitute(const struct macros *all, const struct macro *m,
                      const struct macro_args *args, size_t max, struct ptext_build *out);

#endif
