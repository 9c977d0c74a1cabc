/* spin.h - for loops that wait for another core. */
#ifndef LUNA_BASE_SPIN_H
#define LUNA_BASE_SPIN_H

#include <stdatomic.h>

/* Lets the core rest for a few cycles. On arm64 `yield` does nothing on most cores: `isb` takes
 * about as long as the pause of x86. */
static inline void
spin_relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb" ::: "memory");
#elif defined __arm__
    __asm__ volatile("yield" ::: "memory");
#else
    __asm__ volatile("" ::: "memory");
#endif
}

/* A lock that is held for some instructions only, and by nobody who sleeps. */
static inline void
spin_lock(atomic_flag *f)
{
    while (atomic_flag_test_and_set_explicit(f, memory_order_acquire)) spin_relax();
}

static inline void
spin_unlock(atomic_flag *f)
{
    atomic_flag_clear_explicit(f, memory_order_release);
}

#endif
