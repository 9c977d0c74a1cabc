/* interpret.h - a run of a plan in one process, without the runtime and without a C compiler.
 *
 * What it needs of a program is the plan: rows and nodes are computed as language.md says, ints
 * wrap around, division cuts towards 0. Functions are the caller's, of ints and reals. A statement
 * goes on when all it waits for is here; which one of those that can go on is next is chosen by
 * `seed`. It shares no code with lang/prove and lang/unroll, nor with the runtime.
 *
 *     ENDED     nothing is left
 *     TWICE     a fragment is assigned a second time
 *     STUCK     statements wait, and nothing can go on
 *     FAULT     anything else that ends a run: a division by 0, a requirement
 *     LONG      more statements than `most`
 *
 * It keeps all fragments that were named, also those that have gone: who asked for them how often,
 * and for how many requests they were kept. */
#ifndef LUNA_TESTS_INTERPRET_H
#define LUNA_TESTS_INTERPRET_H

#include "lang/plan/plan.h"

enum { INTERPRET_INDICES = 8, INTERPRET_ARGS = 8 };

struct interpret_value {
    bool real;
    int32_t i;
    double d;
    struct interpret_value *list; /* of an argument that is a list, read or assigned: its n values */
    uint32_t n;
};

/* `out` by argument, for those that are names. False: it knows no such function. */
typedef bool interpret_call_fn(const char *name, unsigned nargs, const struct interpret_value *in,
                               struct interpret_value *out);

struct interpret_setup {
    interpret_call_fn *call;
    const int32_t *args; /* of main */
    long most;           /* statements */
    uint64_t seed;       /* 0: the oldest first */
    bool tolerant;       /* a second value is ignored, and all values stay */
};

enum interpret_end { ENDED, TWICE, STUCK, FAULT, LONG };
enum interpret_state { ABSENT, AWAITED, HERE, DOOMED }; /* as in runtime/store/store.h */

struct interpret_fragment {
    struct interpret_fragment *next; /* of all, in the order in which they were named */
    uint64_t id;
    uint32_t decl, n;
    int32_t ix[INTERPRET_INDICES];
    enum interpret_state state;
    bool assigned, proved; /* proved: its count is the compiler's */
    bool asked_late;       /* its count was used up before its last reader, or it was deleted */
    int32_t uses, left;    /* -1: no limit */
    long requests, times;  /* it was asked for, and assigned */
    struct interpret_value value;
    struct interpret_waiter *first, *last;
};

struct interpreted {
    enum interpret_end end;
    const char *why;                     /* of FAULT */
    const struct interpret_fragment *at; /* assigned twice; the first that is waited for */
    const struct interpret_fragment *all;
    long statements;
};

/* In the arena, which has no handler. */
struct interpreted interpret(struct arena *a, const struct plan *p,
                             const struct interpret_setup *s);

/* The row of main's frame, for refusals. */
int32_t interpret_int_of_main(struct arena *a, const struct plan *p, const int32_t *args,
                              uint32_t row);

/* x[3][4] */
const char *interpret_text(const struct plan *p, const struct interpret_fragment *f, char *text,
                           size_t size);

#endif
