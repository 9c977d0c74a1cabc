/* frame.h - one activation of a structured sub: the words its statements share.
 *
 *     head | words: parameters, nfparams | a short name for each name parameter | slots (slot.h) |
 *     its body's range
 *
 * All in one object, so that an activation costs one. Longer names, strings and values are objects
 * of their own.
 *
 * Counted: every waiting call, every range and every frame of a callee inside a scope holds one
 * count. The last one to go frees the frame and, if it has a `done`, tells the call that made it
 * that all its descendants have finished. */
#ifndef LUNA_RUNTIME_FRAME_H
#define LUNA_RUNTIME_FRAME_H

#include "runtime/base/pool.h"
#include "runtime/data/ahead.h"
#include "runtime/data/key.h"
#include "runtime/program.h"
#include "runtime/data/slot.h"
#include "runtime/data/value.h"

#include <assert.h>

/* A name parameter: what the caller passed, with the indices it brought along. Behind the words
 * captured for what is said of the DF (cells.h) stand the indices. */
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
    uint32_t body;       /* bytes from here to the body's range */
    uint8_t class_;      /* of its memory (pool.h) */
    bool plain : 1;      /* its words own no objects */
    bool alone : 1;      /* only one thread counts */
    bool led : 1;        /* a copy for a loop: it has values that came along (frame_ahead) */
    uint16_t depth;      /* of activations around it, at most UINT16_MAX: that many, or more */
    union {
        uint64_t id;              /* identity of the DFs it declares */
        struct frame *next_ended; /* once its last count is gone */
    };
    struct frame *scope; /* nearest caller that has a `done`; counted */
    struct task *done;   /* the call statement, kept to fire its >> and --> ; usually NULL */
    struct fold *fold;   /* a copy that counts what belongs to a reduction (reduce.h); else NULL */
    luna_word word[];
};

enum {
    FRAME_NAME_INDICES = 2, /* of a short name, at most; it has no captured words */
    FRAME_NAME_BYTES = sizeof(struct name_ref) + FRAME_NAME_INDICES * sizeof(int32_t),
    FRAME_BODY_BYTES = 48   /* of a range without words (task.h) */
};

/* How large frames of a sub are. */
struct frame_shape {
    uint32_t body;
    uint16_t slots; /* so many, before the body */
    uint8_t class_;
};

struct frame_shape frame_shape(const struct luna_sub *sub, unsigned slots);
/* With words that are 0, without slots. NULL: out of memory. */
struct frame *frame_new(const struct luna_sub *sub, uint32_t row, uint64_t id);

/* The same with words that the caller sets, all of them. */
static inline struct frame *
frame_begin(struct frame_shape shape, uint32_t row, uint64_t id)
{
    struct frame *f = pool_get(shape.class_);
    if (!f) return NULL;
    atomic_init(&f->refs, 1);
    f->sub = row;
    f->body = shape.body;
    f->class_ = shape.class_;
    f->plain = f->alone = f->led = false;
    f->depth = 0;
    f->id = id;
    f->scope = NULL;
    f->done = NULL;
    f->fold = NULL;
    struct slot *slot = (struct slot *)(void *)((char *)f + shape.body);
    for (unsigned n = shape.slots; n; n--) atomic_init(&(--slot)->state, SLOT_EMPTY);
    return f;
}

/* `at`: bytes from the frame. */
static inline struct slot *
frame_slot(struct frame *f, unsigned at)
{
    return (struct slot *)(void *)((char *)f + at);
}

/* Such a copy has no body: where that would be. */
static inline struct ahead **
frame_ahead_place(struct frame *f)
{
    return (struct ahead **)(void *)((char *)f + f->body);
}

/* The values that came along with a loop (ahead.h), or NULL. */
static inline const struct ahead *
frame_ahead(struct frame *f)
{
    return f->led ? *frame_ahead_place(f) : NULL;
}

/* Takes them; NULL: none. */
static inline void
frame_lead(struct frame *f, struct ahead *ahead)
{
    f->led = ahead != NULL;
    if (ahead) *frame_ahead_place(f) = ahead;
}

/* Nobody but the statement at hand, whose count is the only one, can use the frame: what another
 * thread may do at the same time needs no heed. */
static inline bool
frame_is_held_once(const struct frame *f)
{
    return atomic_load_explicit(&f->refs, memory_order_acquire) == 1;
}
/* By a statement that has a count of its own. Who drops the last count hears of the drops before
 * it, but not of those before a store: they are heard of here. */
static inline void
frame_retain(struct frame *f)
{
    uint32_t had = atomic_load_explicit(&f->refs, memory_order_acquire);
    if (had == 1 || f->alone) atomic_store_explicit(&f->refs, had + 1, memory_order_relaxed);
    else atomic_fetch_add_explicit(&f->refs, 1, memory_order_relaxed);
}
/* By one that knows of it through a frame that has one. */
static inline void
frame_retain_around(struct frame *f)
{
    if (f->alone) frame_retain(f);
    else atomic_fetch_add_explicit(&f->refs, 1, memory_order_relaxed);
}
/* Drops a count; true when it was the last: the caller then fires `done` and calls frame_free. */
static inline bool
frame_release(struct frame *f)
{
    uint32_t had = atomic_load_explicit(&f->refs, memory_order_acquire);
    assert(had > 0);
    if (had == 1) return true; /* nobody else has one, so nobody else can take or drop one */
    if (!f->alone) return atomic_fetch_sub_explicit(&f->refs, 1, memory_order_acq_rel) == 1;
    atomic_store_explicit(&f->refs, had - 1, memory_order_relaxed);
    return false;
}
/* Where the short name of the first name parameter may lie; those of others follow. */
static inline struct name_ref *
frame_names(struct frame *f, const struct luna_sub *sub)
{
    return (struct name_ref *)(void *)&f->word[sub->nwords];
}
static inline struct name_ref *
frame_names_next(struct name_ref *r)
{
    return (struct name_ref *)(void *)((char *)r + FRAME_NAME_BYTES);
}
/* The same words once more, with one count, without scope, done and fold. NULL: out of memory. */
struct frame *frame_copy(const struct frame *f, const struct luna_sub *sub);
void frame_free_all(struct frame *f, const struct luna_sub *sub); /* with what it owns */
static inline void
frame_free(struct frame *f, const struct luna_sub *sub)
{
    if (f->plain && !f->led) pool_put(f->class_, f);
    else frame_free_all(f, sub);
}
struct frame *frame_proxy_new(int node, uint64_t handle);
void frame_proxy_free(struct frame *f);

/* A name of at most FRAME_NAME_INDICES and without captured words, where there is room for it. */
static inline void
name_ref_short(struct name_ref *r, const struct key *k)
{
    r->id = k->id;
    r->df = k->df;
    r->n = k->n;
    r->nwords = 0;
    for (uint32_t i = 0; i < k->n; i++) name_ref_ix(r)[i] = k->ix[i];
}
static inline bool
name_ref_is_short(const struct name_ref *r)
{
    return !r->nwords && r->n <= FRAME_NAME_INDICES;
}
/* NULL: out of memory. */
struct name_ref *name_ref_new(const struct key *k, const luna_word *words, uint32_t nwords);
luna_value *frame_box(luna_value v); /* takes the count; NULL: out of memory */

#endif
