/* ask.c - see ask.h. */
#include "runtime/run/ask.h"

#include "runtime/base/buf.h"
#include "runtime/base/clock.h"
#include "runtime/base/io.h"
#include "runtime/base/numeric.h"
#include "runtime/base/pool.h"
#include "runtime/run/ranks.h"
#include "runtime/run/status.h"
#include "runtime/run/stuck.h"
#include "runtime/table/name.h"
#include "runtime/turn/life.h"
#include "runtime/ucode/crash.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { CALLS_SHOWN = 5, WAITS_SHOWN = 10, HOLD_MS = 1000 };

static struct {
    const struct nodes *all;
    uint64_t begun;
    pthread_t thread;
    atomic_bool ending, by_signal;
    bool started;
    sigset_t before; /* of main's thread */
} ask;

struct told {
    const struct luna_program *program;
    struct buf running, waiting;
    int calls, shown, waits;
    const struct luna_site *site[CALLS_SHOWN];
};

static void
put_place(struct buf *b, const struct luna_program *p, uint32_t place)
{
    const struct luna_place *at = place < p->nplaces ? &p->places[place] : NULL;
    if (at) buf_printf(b, "%s:%u:%u: ", p->files[at->file], at->line, at->col);
    else buf_str(b, "luna: ");
}

static void
tell_call(void *who, const struct running *r)
{
    struct told *t = who;
    t->calls++;
    for (int i = 0; i < t->shown; i++)
        if (t->site[i] == r->site) return;
    if (t->shown == CALLS_SHOWN) return;
    t->site[t->shown++] = r->site;
    put_place(&t->running, t->program, r->site->place);
    buf_printf(&t->running, "note: %s is running\n", r->function);
}

/* Elements of a reduction, and what other nodes have asked for, are told where they are from. */
static const struct task *
waiting_call(const struct waiter *w)
{
    return w->kind == WAITER_CALL || w->kind == WAITER_INPUT ? waiter_call((struct waiter *)w)
                                                             : NULL;
}

static void
tell_waiters(void *who, const struct store_entry *e)
{
    struct told *t = who;
    char df[NAME_MAX_TEXT], cf[NAME_MAX_TEXT];
    struct key k = *e->key;
    key_plain(&k);
    for (const struct waiter *w = e->waiters; w && t->waits < WAITS_SHOWN; w = w->next) {
        const struct task *call = waiting_call(w);
        if (!call) continue;
        t->waits++;
        name_df(t->program, &k, df, sizeof df);
        name_cf(t->program, call, cf, sizeof cf);
        put_place(&t->waiting, t->program, t->program->sites[call->site].place);
        buf_printf(&t->waiting, "note: %s waits for '%s'\n", cf, df);
    }
}

static void
look_at(struct told *t, struct node *n)
{
    if (!node_hold(n, HOLD_MS, &ask.ending)) {
        buf_printf(&t->waiting, "luna: note: the worker of node %d is in a call: what waits there "
                   "is not known\n", n->number);
        return;
    }
    store_each(n->store, tell_waiters, t);
    node_release(n);
}

/* Workers count without asking anybody who looks on. */
static __attribute__((no_sanitize("thread"))) uint64_t
calls_of(const struct worker *w)
{
    return *(const volatile uint64_t *)&w->calls;
}

static void
tell(void)
{
    const struct nodes *all = ask.all;
    struct told t = {.program = all->node[0]->program};
    struct buf b = {0};
    uint64_t calls = 0;
    long waiting = 0;
    running_each(tell_call, &t);
    for (int i = 0; i < all->n; i++) {
        struct node *n = all->node[i];
        for (int k = 0; k < n->nworkers; k++) calls += calls_of(&n->workers[k]);
        waiting += node_waiting(n);
        if (t.waits < WAITS_SHOWN) look_at(&t, n);
    }
    if (waiting < 0) waiting = 0;
    if (isatty(STDERR_FILENO)) buf_str(&b, "\r\033[K"); /* over the line of progress */
    buf_str(&b, "luna: ");
    if (ranks_on()) buf_printf(&b, "node %d: ", ranks_number());
    buf_printf(&b, "%.1f s: %" PRIu64 " calls run, %d running, %ld wait, %zu MiB\n",
               (double)(clock_ns() - ask.begun) * 1e-9, calls, t.calls, waiting,
               pool_bytes() >> 20);
    if (t.running.size) buf_add(&b, t.running.data, t.running.size);
    if (t.waiting.size) buf_add(&b, t.waiting.data, t.waiting.size);
    if (t.waits == WAITS_SHOWN && waiting > t.waits)
        buf_printf(&b, "luna: note: and %ld more\n", waiting - t.waits);
    if (!b.failed) (void)io_write_all(STDERR_FILENO, b.data, b.size);
    buf_fini(&b);
    buf_fini(&t.running);
    buf_fini(&t.waiting);
}

static void *
run(void *who)
{
    sigset_t ours;
    (void)who;
    numeric_begin();
    sigemptyset(&ours);
    sigaddset(&ours, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
    for (;;) {
        unsigned asked = status_await();
        if (atomic_load(&ask.ending)) return NULL;
        if (atomic_exchange(&ask.by_signal, false)) tell();
        status_tell(asked);
    }
}

static void
asked(int sig)
{
    int was = errno;
    (void)sig;
    atomic_store(&ask.by_signal, true);
    status_ask();
    errno = was;
}

static void
take_no_notice(int sig)
{
    (void)sig;
}

void
ask_may_come(void)
{
    struct sigaction now, sa = {.sa_handler = take_no_notice, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, NULL, &now);
    if (now.sa_handler == SIG_DFL) sigaction(SIGUSR1, &sa, NULL);
}

/* The thread takes the signal, and no other one: a function that sleeps, or waits for a file, would
 * be woken by it and go wrong. Workers have it blocked already (node_thread_start). */
void
ask_begin(const struct nodes *all)
{
    struct sigaction before, sa = {.sa_handler = asked, .sa_flags = SA_RESTART};
    sigset_t every, ours;
    /* MPICH has a handler, for runs that go on without a process they have lost. Ours do not. */
    sigaction(SIGUSR1, NULL, &before);
    ask.all = all;
    ask.begun = clock_ns();
    atomic_store(&ask.ending, false);
    sigfillset(&every);
    sigemptyset(&ours);
    sigaddset(&ours, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &every, &ask.before); /* other signals are for the workers */
    ask.started = !pthread_create(&ask.thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &ask.before, NULL);
    pthread_sigmask(SIG_BLOCK, &ours, NULL);
    if (ask.started && before.sa_handler != SIG_IGN) sigaction(SIGUSR1, &sa, NULL);
}

void
ask_end(void)
{
    if (!ask.started) return;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGUSR1, &ignore, NULL); /* who asks now comes too late */
    atomic_store(&ask.ending, true);
    status_ask();
    pthread_join(ask.thread, NULL);
    pthread_sigmask(SIG_SETMASK, &ask.before, NULL);
    ask.started = false;
}
