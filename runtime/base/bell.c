/* bell.c - a futex. */
#include "bell.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void
bell_lie_down(struct bell *b)
{
    atomic_store(&b->rung, 0);
    atomic_store(&b->sleeps, 1);
    atomic_thread_fence(memory_order_seq_cst);
}

void
bell_get_up(struct bell *b)
{
    atomic_store_explicit(&b->sleeps, 0, memory_order_relaxed);
}

void
bell_sleep(struct bell *b, long ns)
{
    struct timespec ts = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    syscall(SYS_futex, &b->rung, FUTEX_WAIT_PRIVATE, 0, &ts, NULL, 0);
    bell_get_up(b);
}

void
bell_wake(struct bell *b)
{
    atomic_store(&b->rung, 1);
    syscall(SYS_futex, &b->rung, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
