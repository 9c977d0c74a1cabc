/* interrupt.c - a handler: nothing is allocated, and no lock taken. */
#include "interrupt.h"

#include "runtime/base/clock.h"
#include "runtime/base/io.h"
#include "runtime/fault/fault.h"
#include "runtime/run/stuck.h"
#include "runtime/ucode/crash.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM};
enum { SIGNALS = 2, SHOWN = 5 };

static struct {
    const struct nodes *all;
    uint64_t begun;
    struct sigaction before[SIGNALS];
    atomic_flag told;
    volatile sig_atomic_t sig;
} interrupt = {.told = ATOMIC_FLAG_INIT};

struct told {
    char text[4096];
    size_t used;
    int runs, shown;
    const struct luna_site *site[SHOWN];
};

static void
tell_call(void *who, const struct luna_site *site, const char *function)
{
    struct told *t = who;
    const struct luna_program *p = fault_program();
    const struct luna_place *at = site->place < p->nplaces ? &p->places[site->place] : NULL;
    t->runs++;
    for (int i = 0; i < t->shown; i++)
        if (t->site[i] == site) return;
    if (t->shown == SHOWN || !at) return;
    t->site[t->shown++] = site;
    size_t room = sizeof t->text - t->used;
    int n = snprintf(t->text + t->used, room, "%s:%u:%u: note: %s was running\n",
                     p->files[at->file], at->line, at->col, function);
    if (n > 0) t->used += (size_t)n < room ? (size_t)n : room - 1;
}

static long
waiting(void)
{
    long sum = 0;
    for (int i = 0; i < interrupt.all->n; i++) {
        const struct node *n = interrupt.all->node[i];
        for (int k = 0; k < n->nworkers; k++)
            sum += atomic_load_explicit(&n->workers[k].waiting, memory_order_relaxed);
    }
    return sum > 0 ? sum : 0;
}

/* The last of all hooks: whoever started us sees that a signal ended us. */
static void
die(int exit_code, bool late)
{
    (void)exit_code, (void)late;
    sigset_t set;
    if (!interrupt.sig) return;
    sigemptyset(&set);
    sigaddset(&set, interrupt.sig);
    signal(interrupt.sig, SIG_DFL);
    raise(interrupt.sig);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void
interrupted(int sig)
{
    static struct told t;
    char head[200];
    if (atomic_flag_test_and_set(&interrupt.told)) _exit(128 + sig);
    if (fault_is_leaving()) return;
    interrupt.sig = sig;
    running_each(tell_call, &t);
    long waits = waiting();
    int n = snprintf(head, sizeof head,
                     "luna: interrupted after %.1f s: %d call%s running, %ld wait%s\n",
                     (double)(clock_ns() - interrupt.begun) * 1e-9, t.runs,
                     t.runs == 1 ? " was" : "s were", waits, waits == 1 ? "s" : "");
    fault_message_begins();
    (void)io_write_all(STDERR_FILENO, head, (size_t)n);
    (void)io_write_all(STDERR_FILENO, t.text, t.used);
    leave(128 + sig);
}

void
interrupt_begin(const struct nodes *all)
{
    struct sigaction sa = {.sa_handler = interrupted, .sa_flags = SA_ONSTACK};
    interrupt.all = all;
    interrupt.begun = clock_ns();
    fault_at_leave(die);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &interrupt.before[i]);
        if (interrupt.before[i].sa_handler == SIG_DFL) sigaction(signals[i], &sa, NULL);
    }
}

void
interrupt_end(void)
{
    for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &interrupt.before[i], NULL);
    fault_forget_leave(die);
}
