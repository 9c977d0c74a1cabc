/* frame.h - one activation of a structured sub: the words its statements share.
 *
 * Counted: every waiting call, every range and every frame of a callee inside a scope holds one
 * count. The last one to go frees the frame and, if it has a `done`, tells the call that made it
 * that all its descendants have finished. */
#ifndef LUNA_RUNTIME_FRAME_H
#define LUNA_RUNTIME_FRAME_H

#include "runtime/key.h"
#include "runtime/program.h"
#include "runtime/value.h"

#include <assert.h>

/* A name parameter: what the caller passed, with the indices it brought along. Behind the words
 * captured for the DF's cell rule (cells.h) stand the indices. */
struct name_ref {
    uint64_t id;
    uint32_t df, n;
    uint64_t nwords;
    luna_word word[];
};

static inline int32_t *
name_ref_ix(const struct name_ref *r)
{
    return (int32_t *)(void *)&r->word[r->nwords];
}

struct task;

/* Instead of a row of subs: stands for a scope on another node. word[0]: its node, word[1]: its
 * handle there (scope.h), which holds a count for this one. */
#define FRAME_PROXY 0xffffffffu

struct frame {
    _Atomic uint32_t refs;
    uint32_t sub;        /* row of program.subs, or FRAME_PROXY */
    union {
        uint64_t id;              /* identity of the DFs it declares */
        struct frame *next_ended; /* once its last count is gone */
    };
    struct frame *scope; /* nearest caller that has a `done`; counted */
    struct task *done;   /* the call statement, kept to fire its >> and --> ; usually NULL */
    struct fold *fold;   /* a copy that counts what belongs to a reduction (reduce.h); else NULL */
    luna_word word[];
};

struct frame *frame_new(const struct luna_sub *sub, uint32_t row, uint64_t id);
static inline void
frame_retain(struct frame *f)
{
    atomic_fetch_add_explicit(&f->refs, 1, memory_order_relaxed);
}
/* Drops a count; true when it was the last: the caller then fires `done` and calls frame_free. */
static inline bool
frame_release(struct frame *f)
{
    uint32_t had = atomic_fetch_sub_explicit(&f->refs, 1, memory_order_acq_rel);
    assert(had > 0);
    return had == 1;
}
/* The same words once more, with one count, without scope, done and fold. NULL: out of memory. */
struct frame *frame_copy(const struct frame *f, const struct luna_sub *sub);
void frame_free(struct frame *f, const struct luna_sub *sub);
struct frame *frame_proxy_new(int node, uint64_t handle);
void frame_proxy_free(struct frame *f);

/* NULL: out of memory. */
struct name_ref *name_ref_new(const struct key *k, const luna_word *words, uint32_t nwords);
luna_value      *boxed_new(luna_value v);           /* takes the count; NULL: out of memory */

#endif
