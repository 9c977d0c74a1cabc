/* sets_parts.h - what sets.c and sets_count.c share: the handles, which hold isl's. */
#ifndef LUNA_LANG_PROVE_SETS_PARTS_H
#define LUNA_LANG_PROVE_SETS_PARTS_H

#include "lang/prove/sets.h"

#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/polynomial.h>
#include <isl/set.h>

struct set {
    struct set *next;
    isl_set *it; /* NULL: unknown */
};

struct rel {
    struct rel *next;
    isl_map *it;
};

struct count {
    struct count *next;
    isl_pw_qpolynomial *it;
};

struct sets {
    struct arena *arena;
    isl_ctx *ctx;
    struct set *sets; /* all that live */
    struct rel *rels;
    struct count *counts;
    /* The next handles. A handle is there before what it holds: the arena may jump. */
    struct set *next_set;
    struct rel *next_rel;
    struct count *next_count;
    int symbols;
    bool begun;
    bool broken;        /* memory ended in the middle of something: nothing of isl's is touched */
    unsigned long left; /* steps, */
    unsigned times;     /* each so many of isl's */
};

/* From now on whoever is under isl and gets no memory jumps the arena of s. */
void sets_guard_memory(struct sets *s);

/* Take `it`, which is freed with the question. */
struct set *sets_keep_set(struct sets *s, isl_set *it);
struct count *sets_keep_count(struct sets *s, isl_pw_qpolynomial *it);

#endif
