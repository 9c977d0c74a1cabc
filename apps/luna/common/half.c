/* half.c - see half.h. */
#include "apps/luna/common/half.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
enum { NUMBERS = sizeof numbers / sizeof *numbers };
static const char *_Atomic half;

static void
remove_half(void)
{
    const char *path = atomic_exchange(&half, NULL);
    if (path) unlink(path);
}

static void
on_signal(int number)
{
    remove_half();
    signal(number, SIG_DFL);
    raise(number);
}

static void
watch(void (*handler)(int))
{
    struct sigaction act = {.sa_handler = handler}, old;
    for (int i = 0; i < NUMBERS; i++) { /* what our parent ignores (nohup) stays ignored */
        sigaction(numbers[i], NULL, &old);
        if (old.sa_handler != SIG_IGN) sigaction(numbers[i], &act, NULL);
    }
}

void
half_begins(const char *path)
{
    atomic_store(&half, path);
    watch(on_signal);
}

void
half_is_over(void)
{
    remove_half();
    watch(SIG_DFL);
}
