/* waiter.h - who waits for a fragment: what stands in the lists of a store.
 *
 *     struct task   a call, for the first of its inputs that is missing (task.h)
 *     input_link    the same call, for each further one
 *     asker_afar    another node, which has asked for itself or for a call that was sent away
 *     follower      a call that has gone with its cell: the value goes after it
 *
 * Whoever takes one off a list looks at `kind` to see which of them it is. */
#ifndef LUNA_RUNTIME_WAITER_H
#define LUNA_RUNTIME_WAITER_H

#include "runtime/data/key.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum waiter_kind {
    WAITER_CALL,
    WAITER_INPUT,
    WAITER_ELEMENT, /* an input_link, too: its call is a reduction of a few elements (reduce.h) */
    WAITER_AFAR,
    WAITER_FOLLOWER,
    WAITER_KINDS /* a task that waits for nothing has kinds from here on (enum task_kind) */
};

/* What they have in common. The store links it and never looks inside. */
struct waiter {
    struct waiter *next;
    uint8_t kind; /* enum waiter_kind; set before it is linked */
};

/* Begins each of them. Fields of its own fill up the second word, which a member of type struct
 * waiter would leave empty: there are millions of waiting calls. */
#define WAITER(...)                                                                                \
    union {                                                                                        \
        struct waiter link;                                                                        \
        struct {                                                                                   \
            struct waiter *next;                                                                   \
            uint8_t kind;                                                                          \
            __VA_ARGS__                                                                            \
        };                                                                                         \
    }

struct task;

struct input_link {
    WAITER(uint16_t at;); /* which input, or element, it is */
    struct task *call;
};

/* What is wanted of the home: REQUEST says it, and so does who waits there. */
enum wants {
    WANTS_NOTHING, /* it only counts */
    WANTS_VALUE,
    WANTS_COPY,   /* the same, and more readers follow */
    WANTS_TERM,   /* the value, as an element of a reduction */
    WANTS_FOLLOWS /* the value, after one call that was sent to the node or to the cell before */
};

struct asker_afar {
    WAITER(uint8_t wants; int node;); /* enum wants */
    uint32_t cell; /* that of the call, LATTICE_NONE: the node itself asks, or it has none */
    struct key_part part; /* what of it is wanted, */
    uint32_t place;       /* where that is written, */
    uint32_t readers;     /* and how many more such readers are to be expected; 0: who knows */
    uint32_t sweeps;      /* of the node when it asked (gone.h) */
};

struct follower {
    WAITER(uint32_t cell;);
};

static_assert(offsetof(struct input_link, kind) == offsetof(struct waiter, kind) &&
              offsetof(struct asker_afar, kind) == offsetof(struct waiter, kind) &&
              offsetof(struct follower, kind) == offsetof(struct waiter, kind) &&
              sizeof(struct input_link) == 24, "one head, and no byte in vain");

/* ---- which of them it is ---- */

static inline struct input_link *
waiter_input(struct waiter *w)
{
    assert(w->kind == WAITER_INPUT || w->kind == WAITER_ELEMENT);
    return (struct input_link *)w;
}

static inline struct asker_afar *
waiter_afar(const struct waiter *w)
{
    assert(w->kind == WAITER_AFAR);
    return (struct asker_afar *)w;
}

static inline struct follower *
waiter_follower(struct waiter *w)
{
    assert(w->kind == WAITER_FOLLOWER);
    return (struct follower *)w;
}

/* The call on this node that waits. NULL: another node does, or a call that has gone. */
static inline struct task *
waiter_call(const struct waiter *w)
{
    switch ((enum waiter_kind)w->kind) {
    case WAITER_CALL: return (struct task *)w;
    case WAITER_INPUT:
    case WAITER_ELEMENT: return ((const struct input_link *)w)->call;
    case WAITER_AFAR:
    case WAITER_FOLLOWER:
    case WAITER_KINDS: break;
    }
    return NULL;
}

#endif
