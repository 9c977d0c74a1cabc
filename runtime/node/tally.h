/* tally.h - what builds with assertions count while a run goes on, for over.h to look at when it is
 * over: what is true of all nodes together, and so cannot be seen by one of them. Others count
 * nothing. */
#ifndef LUNA_RUNTIME_TALLY_H
#define LUNA_RUNTIME_TALLY_H

#include "runtime/node/node.h"

enum { TALLY_CALLS = 1024 };

struct tally { /* of one node */
    atomic_uint vain;   /* values that came for nobody */
    atomic_uint ncalls; /* made here of loops that all nodes walk; of the first, their names */
    uint64_t call[TALLY_CALLS];
};

#ifdef NDEBUG

static inline void
tally_answer(struct node *n, const struct waiter *waiters)
{
    (void)n, (void)waiters;
}

static inline void
tally_call(struct node *n, const struct task *t)
{
    (void)n, (void)t;
}

#else

/* A value has come that was asked for elsewhere. */
static inline void
tally_answer(struct node *n, const struct waiter *waiters)
{
    if (!waiters) atomic_fetch_add(&n->tally->vain, 1);
}

static inline uint64_t
tally_mix(uint64_t name, uint64_t word)
{
    name = (name ^ word) * 0xBF58476D1CE4E5B9ull;
    return name ^ name >> 29;
}

/* A call of a shared loop is made here. Its name: an activation, a statement, counters. */
static inline void
tally_call(struct node *n, const struct task *t)
{
    unsigned at = atomic_fetch_add(&n->tally->ncalls, 1);
    uint64_t name = tally_mix(tally_mix(0, t->frame->id), t->site);
    for (unsigned i = 0; i < n->program->sites[t->site].nlocal; i++)
        name = tally_mix(name, (uint64_t)t->word[i].i);
    if (at < TALLY_CALLS) n->tally->call[at] = name;
}

#endif

#endif
