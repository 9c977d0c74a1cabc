/* slot.h - where a fragment lives that only statements of its own activation mention: in the frame
 * (frame.h), as long as nobody has to wait for it.
 *
 *     empty --put, a number--> kept for n requests, or for any --the last request--> gone
 *        \---asked for, or put but no number--> elsewhere: from now on the store has it
 *
 * Who finds it elsewhere or gone does what is done with any other fragment. So all that is rare,
 * waiting and errors, is known to the store alone.
 *
 * Any worker may call; `alone`: there is only one. */
#ifndef LUNA_RUNTIME_SLOT_H
#define LUNA_RUNTIME_SLOT_H

#include "runtime/base/spin.h"
#include "runtime/data/value.h"

#include <sched.h>
#include <stdatomic.h>

enum {
    SLOT_EMPTY = 0,
    SLOT_UNLIMITED = -1, /* as STORE_USES_UNLIMITED; above 0: so many requests are left */
    SLOT_GONE = -2,
    SLOT_ELSEWHERE = -3,
    SLOT_BUSY = -4 /* it is being put */
};

struct slot {
    luna_word w;
    uint32_t type;
    _Atomic int32_t state;
};

static inline bool
slot_keeps(int32_t state)
{
    return state > SLOT_EMPTY || state == SLOT_UNLIMITED;
}

static inline int32_t
slot_state(const struct slot *s)
{
    return atomic_load_explicit(&s->state, memory_order_acquire);
}

/* From *from; false: it is in another state, which *from is then. */
static inline bool
slot_turns(struct slot *s, int32_t *from, int32_t to, bool alone)
{
    if (!alone)
        return atomic_compare_exchange_strong_explicit(&s->state, from, to, memory_order_acq_rel,
                                                       memory_order_acquire);
    int32_t was = *from;
    *from = slot_state(s);
    if (*from != was) return false;
    atomic_store_explicit(&s->state, to, memory_order_relaxed);
    return true;
}

/* One request. False: it is not here, and *v is as it was. */
static inline bool
slot_take(struct slot *s, luna_value *v, bool alone)
{
    int32_t state = slot_state(s);
    while (slot_keeps(state))
        if (state == SLOT_UNLIMITED ||
            slot_turns(s, &state, state == 1 ? SLOT_GONE : state - 1, alone)) {
            *v = (luna_value){.w = s->w, .type = s->type};
            return true;
        }
    return false;
}

/* Who puts it needs a few instructions, but may have lost its core. Gives the state then. */
static inline int32_t
slot_settled(const struct slot *s)
{
    int32_t state;
    for (unsigned n = 1; (state = slot_state(s)) == SLOT_BUSY; n++)
        if (n % 1000) spin_relax();
        else sched_yield();
    return state;
}

/* The same for who waits if it is not here. False: the store is to be asked. */
static inline bool
slot_ask(struct slot *s, luna_value *v, bool alone)
{
    while (!slot_take(s, v, alone)) {
        int32_t state = slot_settled(s);
        if (state == SLOT_GONE || state == SLOT_ELSEWHERE) return false;
        if (state == SLOT_EMPTY && slot_turns(s, &state, SLOT_ELSEWHERE, alone)) return false;
    }
    return true;
}

/* Assigns; `uses` as in the store, at least -1. False: nothing is kept here. Then *twice tells
 * whether it has a value; if not, the store is to get it. */
static inline bool
slot_put(struct slot *s, luna_value v, int32_t uses, bool alone, bool *twice)
{
    bool number = (v.type == LUNA_INT || v.type == LUNA_REAL) && uses;
    int32_t state = SLOT_EMPTY;
    *twice = false;
    if (!slot_turns(s, &state, !number ? SLOT_ELSEWHERE : alone ? uses : SLOT_BUSY, alone)) {
        *twice = state == SLOT_BUSY || slot_keeps(state);
        return false;
    }
    if (!number) return false;
    s->w = v.w;
    s->type = v.type;
    if (!alone) atomic_store_explicit(&s->state, uses, memory_order_release);
    return true;
}

#endif
