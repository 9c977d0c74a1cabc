/* wait.h - waiting for a word of the segment to reach a value.
 *
 *     spin --(50 us)--> yield --(1 ms)--> sleep --(10 ms)--> look around, sleep ..
 *
 * If the user has given something that is to go on meanwhile (MPI), it is called every few looks
 * and rounds, and a sleep becomes naps of 100 us, or of up to 1 ms while there is nothing to do.
 *
 * Members publish their core from time to time. If the awaited member was last seen on our core, we
 * yield at once: it cannot run otherwise. A group is crowded if it has more members than cores that
 * they may run on. Then an awaited member elsewhere may be kept from running, too: we spin about as
 * long as a switch takes there, then yield; and after a few rounds we sleep, for processes of
 * different sessions do not yield to each other (Linux shares cores among sessions first, and MPI
 * starts each process in one). All members see the same flag. It is found out when the group is
 * made, and again by whoever sleeps, since affinities change.
 *
 * Sleepers hang on a bell of the member they wait for, and are counted there: who publishes looks
 * at its own line, and rings if there are any. When not crowded the count may be read before the
 * word is seen by others, because a fence would cost more than all the rest; a bell that was not
 * rung for this reason costs one short sleep.
 *
 * Looking around: has a member died, or has the awaited one left the group? Then the group is
 * broken, and all waits end. */
#ifndef LUNA_COLLECTIVES_WAIT_H
#define LUNA_COLLECTIVES_WAIT_H

#include "collectives/group/layout.h"

struct wait_member {
    struct head *head;
    struct member *self, *first; /* this member; that of rank 0 */
    size_t stride;               /* bytes from member to member */
    int size;
    /* Looks for deaths and crowding: called now and then by a wait that takes long. Sets
     * head->broken. */
    void (*look)(void *who);
    void *who;
    bool (*progress)(void *of); /* as in coll_setup; or NULL */
    void *of;
};

/* What is waited for: a word, who will write it, and which of the writer's bells tells of it. */
struct wait {
    _Atomic uint64_t *word;
    uint64_t least;
    int writer, bell;
};

/* Makes go on what the user wants to. True: there may be more to do soon. */
static inline bool
wait_progress(const struct wait_member *w)
{
    return w->progress && w->progress(w->of);
}

bool wait_slowly(struct wait_member *w, const struct wait *a);
void wait_ring(struct wait_bell *b);

/* Tells the others on which core this member is. */
void wait_here(struct wait_member *w);
/* `member` was last seen on this core: it does not run as long as the caller does. */
bool wait_blocks(const struct wait_member *w, int member);

/* True: *word >= least, and what was written before it is seen. False: the group is broken.
 * `writer` is the member that will write it. */
static inline bool
wait_for(struct wait_member *w, _Atomic uint64_t *word, uint64_t least, int writer)
{
    /* Acquire: the data behind the word was written before it. */
    if (atomic_load_explicit(word, memory_order_acquire) >= least) return true;
    return wait_slowly(w, &(struct wait){word, least, writer, BELL_DATA});
}

/* Makes *word `value` for all who wait, after everything this member has written or read; wakes
 * nobody. */
static inline void
wait_publish_quietly(_Atomic uint64_t *word, uint64_t value)
{
    /* Release: data first; and what was read here may be written over by who sees the word. */
    atomic_store_explicit(word, value, memory_order_release);
}

/* Wakes those who sleep for what this member has published. */
static inline void
wait_wake(struct wait_member *w, int bell)
{
    struct wait_bell *b = &w->self->bell[bell];
    if (atomic_load_explicit(&w->head->crowded, memory_order_relaxed))
        atomic_thread_fence(memory_order_seq_cst); /* word before sleepers: see above */
    if (atomic_load_explicit(&b->sleepers, memory_order_relaxed)) wait_ring(b);
}

static inline void
wait_publish(struct wait_member *w, _Atomic uint64_t *word, uint64_t value)
{
    wait_publish_quietly(word, value);
    wait_wake(w, BELL_DATA);
}

/* Ends all waits with false. Async-signal-safe. The first reason stays. */
void wait_break(struct wait_member *w, enum err reason);

#endif
