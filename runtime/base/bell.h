/* bell.h - whoever has nothing to do sleeps beside a bell; whoever brings something rings it.
 *
 *     sleeper: bell_lie_down, look once more, bell_sleep or bell_get_up
 *     bringer: put it down, bell_ring
 *
 * Either the sleeper sees at its last look what was put down, or the bringer sees that it sleeps:
 * both write before they read. While nobody sleeps, ringing costs a fence and a read. */
#ifndef LUNA_BASE_BELL_H
#define LUNA_BASE_BELL_H

#include <stdatomic.h>

struct bell { /* zeroed: nobody sleeps */
    atomic_int sleeps, rung;
};

void bell_lie_down(struct bell *b);
void bell_get_up(struct bell *b);
/* Until it is rung, but no longer than so many ns; and gets up. */
void bell_sleep(struct bell *b, long ns);
void bell_wake(struct bell *b);

static inline void
bell_ring(struct bell *b)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&b->sleeps, memory_order_relaxed)) bell_wake(b);
}

#endif
