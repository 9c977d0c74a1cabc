/* access.h - who touches which fragment: the plan as relations from instances of statements to
 * vectors of indices.
 *
 * One sub at a time: the DFs it declares, within one activation of it. Its calls are followed as
 * far as these DFs are handed on. The vector of a fragment begins with the counters of the loops
 * around its declaration, so `df t` inside `for i` is t[i]. */
#ifndef LUNA_LANG_PROVE_ACCESS_H
#define LUNA_LANG_PROVE_ACCESS_H

#include "lang/prove/form.h"

/* Ints that are fixed while an activation lives. */
enum fixed_kind {
    FIXED_MAIN,  /* a parameter of main, which nobody calls: the user decides */
    FIXED_PARAM, /* of another sub */
    FIXED_VALUE, /* what a fragment holds, as an int */
    FIXED_END    /* of a while: the counter for which its condition fails */
};
struct fixed {
    enum fixed_kind kind;
    uint32_t word; /* of the frame */
    uint32_t decl; /* FIXED_VALUE: which fragment */
    int n;
    const int64_t *index;
    const struct sums *from; /* FIXED_END: at least this */
    const char *name;
};

/* What stands around a statement: a chain from the inside out. */
enum step_kind { STEP_LOOP, STEP_IF, STEP_CALL };
struct env;
struct nesting {
    const struct nesting *up;
    enum step_kind kind;
    const struct plan_site *site;
    const struct env *env;      /* in which it stands */
    int loops;                  /* of the chain, with this one */
    bool sure;                  /* all that is around is known: instances are created */
    const struct sums *lo, *hi; /* STEP_LOOP; NULL: not known */
    unsigned word;              /* STEP_LOOP: the local word of its counter */
    const struct where *where;  /* STEP_IF */
    const struct env *inside;   /* STEP_CALL */
};

/* An activation on the way. */
struct bound {     /* what a name parameter stands for */
    uint32_t decl; /* PLAN_NONE: no DF of the sub that is looked at */
    int n, hidden; /* words; so many come from loops around the declaration */
    const struct sums **index;
};
struct env {
    const struct env *outer;    /* NULL: the sub that is looked at */
    const struct nesting *call; /* the STEP_CALL */
    uint32_t sub;
    const struct sums **frame;
    struct bound *names;
    const struct sums **local; /* as far as the statement being looked at sees */
};

struct access {
    struct access *next;      /* in textual order */
    const struct nesting *at; /* NULL: nothing is around it */
    const struct env *env;
    const struct plan_site *site;
    struct span span;
    uint32_t ref;
    const struct sums **index; /* of the whole vector; NULL: not known */
    bool sure;                 /* it happens for just these instances, and with these indices */
    bool ruled;                /* a write whose value may leave */
};

/* Why a DF is not looked at, or not all is said about it. */
enum {
    DECL_VAGUE = 1, /* recursion, or too many calls */
    DECL_SENT = 2,  /* afterpush, wait */
    DECL_DROPPED = 4,
    DECL_KILLED = 8,
    DECL_TOLD = 16 /* check has reported a slip */
};

struct touched {           /* one DF with so many words in its vector */
    struct touched *next;  /* of the same DF */
    struct touched *later; /* of all of the sub, as they come */
    uint32_t decl;
    int n;
    int hidden; /* so many words come from loops around the declaration */
    struct access *writes, *reads, **last_write, **last_read;
};

struct walk {
    struct former forms;
    const struct plan *plan;
    uint32_t sub;
    bool main_called;
    int64_t box; /* fixed ints are between -box and box - 1 */
    struct fixed *fixed;
    struct interval *ranges; /* of the fixed */
    int nfixed, fixed_room, ranges_room;
    struct interval *counters;
    int counters_room;
    struct touched **targets; /* by declaration */
    struct touched *all, **last;
    uint8_t *flags; /* by declaration: DECL_ */
    int *calls;     /* left to follow, for the whole program */
    /* Where the walk is. */
    struct env *env;
    const struct plan_site *site;
    bool *active; /* by sub */
};

/* Collects what concerns the DFs that `sub` declares. */
void access_walk(struct walk *w, struct arena *a, const struct plan *p, uint32_t sub, int64_t box,
                 bool main_called, int *calls);

/* From its instances, the counters around it, to vectors of `n` words: what it does if a->sure,
 * else at most that. new_symbol[i] is the number of fixed int i as a symbol. NULL: too many
 * pieces. */
struct rel *access_rel(struct walk *w, struct sets *s, const struct access *a, int n,
                       const int *new_symbol);
/* What is true of those fixed ints that have a number: a set of vectors without words; or NULL. */
struct set *access_fixed(struct walk *w, struct sets *s, const int *new_symbol);
/* Marks the fixed ints that occur. */
void access_mark(const struct walk *w, const struct access *a, int n, bool *used);

#endif
