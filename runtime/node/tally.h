/* tally.h - what builds with assertions count while a run goes on, for over.h to look at when it is
 * over: what is true of all nodes together, and so cannot be seen by one of them. Others count
 * nothing. */
#ifndef LUNA_RUNTIME_TALLY_H
#define LUNA_RUNTIME_TALLY_H

#include "runtime/node/node.h"

enum { TALLY_CALLS = 1024 };

struct tally { /* of one node */
    atomic_uint vain;    /* values that came for nobody */
    atomic_int proxies;  /* activations of other nodes that something here counts on */
    atomic_ullong made;  /* statements, */
    atomic_ullong run;   /* those that ran here, wherever they were made, */
    atomic_ullong reads; /* and their inputs; also elements of reductions: of these, */
    atomic_ullong found; /* those found without a word to the store where they live */
    atomic_uint ncalls;  /* made here of loops that all nodes walk; of the first, their names */
    uint64_t call[TALLY_CALLS];
};

#ifdef NDEBUG

static inline void
tally_answer(struct node *n, const struct waiter *waiters)
{
    (void)n, (void)waiters;
}

static inline void
tally_proxies(struct node *n, int more)
{
    (void)n, (void)more;
}

static inline void
tally_made(struct node *n)
{
    (void)n;
}

static inline void
tally_run(struct node *n, unsigned inputs)
{
    (void)n, (void)inputs;
}

static inline void
tally_reads(struct node *n, unsigned inputs)
{
    (void)n, (void)inputs;
}

static inline void
tally_found(struct node *n)
{
    (void)n;
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

/* A proxy has come, 1, or its last count is gone, -1. */
static inline void
tally_proxies(struct node *n, int more)
{
    atomic_fetch_add_explicit(&n->tally->proxies, more, memory_order_relaxed);
}

/* A statement is made here, or a `while` begins a turn. */
static inline void
tally_made(struct node *n)
{
    atomic_fetch_add_explicit(&n->tally->made, 1, memory_order_relaxed);
}

/* Somebody has read so many values. */
static inline void
tally_reads(struct node *n, unsigned inputs)
{
    atomic_fetch_add_explicit(&n->tally->reads, inputs, memory_order_relaxed);
}

/* A statement runs that has so many inputs. */
static inline void
tally_run(struct node *n, unsigned inputs)
{
    atomic_fetch_add_explicit(&n->tally->run, 1, memory_order_relaxed);
    tally_reads(n, inputs);
}

/* A value was read that lies in the frame (slot.h), or came with a loop (ahead.h). */
static inline void
tally_found(struct node *n)
{
    atomic_fetch_add_explicit(&n->tally->found, 1, memory_order_relaxed);
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
