/* interrupt.c - a handler: nothing is allocated, and no lock taken. */
#include "interrupt.h"

#include "runtime/base/clean.h"
#include "runtime/base/clock.h"
#include "runtime/base/exit.h"
#include "runtime/base/io.h"
#include "runtime/base/wish.h"
#include "runtime/fault/fault.h"
#include "runtime/run/depth.h"
#include "runtime/run/ranks.h"
#include "runtime/run/stuck.h"
#include "runtime/ucode/crash.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ONE_WISH_MS = 100, SHOWN = 5 };

static struct {
    const struct nodes *all;
    uint64_t begun;
    struct sigaction before[WISHES], pipe_before;
    _Atomic uint64_t told_ns; /* 0: not yet */
    volatile sig_atomic_t sig;
} interrupt;

struct told {
    struct rank_news *news;
    size_t used;
    int shown;
    const struct luna_site *site[SHOWN];
};

static void
add_note(struct told *t, uint32_t place, const char *words, const char *more)
{
    const struct luna_program *p = fault_program();
    const struct luna_place *at = place < p->nplaces ? &p->places[place] : NULL;
    if (!at) return;
    size_t room = sizeof t->news->text - t->used;
    int n = snprintf(t->news->text + t->used, room, "%s:%u:%u: note: %s%s\n", p->files[at->file],
                     at->line, at->col, words, more);
    if (n > 0) t->used += clean_text(t->news->text + t->used, "\n");
}

static void
tell_call(void *who, const struct running *r)
{
    struct told *t = who;
    t->news->calls++;
    for (int i = 0; i < t->shown; i++)
        if (t->site[i] == r->site) return;
    if (t->shown == SHOWN) return;
    t->site[t->shown++] = r->site;
    add_note(t, r->site->place, r->function, " was running");
}

static void
tell_depth(struct told *t)
{
    char text[DEPTH_TEXT];
    const struct luna_sub *sub = depth_tell(interrupt.all, text);
    if (sub) add_note(t, sub->place, text, ": does it always come to its end?");
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

static void
look(struct rank_news *news)
{
    struct told t = {.news = news};
    news->in_run = 1;
    running_each(tell_call, &t);
    tell_depth(&t);
    news->waits = waiting();
    news->seconds = (double)(clock_ns() - interrupt.begun) * 1e-9;
    fault_message_begins();
}

/* ---- the end by a signal ---- */

static void
raise_again(int sig)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    signal(sig, SIG_DFL);
    raise(sig);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* The last of all hooks: whoever started us sees that a signal ended us. */
static void
die(int exit_code, bool late)
{
    (void)exit_code, (void)late;
    if (interrupt.sig) raise_again(interrupt.sig);
}

/* MPI may be in any state. The first that ends ends all: the others get their time to speak. */
static void
leave_ranks(int sig)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    raise_again(sig);
}

bool
interrupt_urges(int sig, uint64_t ms_later)
{
    return sig != SIGXCPU && ms_later >= ONE_WISH_MS;
}

/* False: it has been told before. */
static bool
is_first(int sig)
{
    uint64_t before = 0, now = clock_ns();
    if (atomic_compare_exchange_strong(&interrupt.told_ns, &before, now)) return true;
    if (now > before && interrupt_urges(sig, (now - before) / 1000000)) _exit(EXIT_SIGNAL + sig);
    return false;
}

static void
interrupted(int sig)
{
    static struct rank_news news;
    char who[32] = "", head[INTERRUPT_HEAD];
    if (!is_first(sig) || fault_is_leaving()) return;
    interrupt.sig = sig;
    look(&news);
    if (ranks_on()) snprintf(who, sizeof who, "node %d: ", ranks_number());
    size_t n = interrupt_head(head, who, sig, &news);
    (void)io_write_all(STDERR_FILENO, head, n);
    (void)io_write_all(STDERR_FILENO, news.text, strlen(news.text));
    if (ranks_on()) leave_ranks(sig);
    fault_leave(EXIT_SIGNAL + sig);
}

/* The pipe may be another one than stdout, of which nothing should be lost. */
static void
nobody_reads(int sig)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    if (fault_is_leaving()) return;
    interrupt.sig = sig;
    if (poll(&out, 1, 0) == 1 && (out.revents & POLLERR)) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (null >= 0) dup2(null, STDOUT_FILENO);
    }
    fault_leave(EXIT_SIGNAL + sig);
}

size_t
interrupt_head(char text[INTERRUPT_HEAD], const char *who, int sig, const struct rank_news *news)
{
    int n = snprintf(text, INTERRUPT_HEAD,
                     "luna: %sinterrupted by %s after %.1f s: %" PRId64 " call%s running, %" PRId64
                     " wait%s\n",
                     who, wish_name(sig), news->seconds, news->calls,
                     news->calls == 1 ? " was" : "s were", news->waits,
                     news->waits == 1 ? "s" : "");
    return (size_t)n;
}

static void
take(int sig, void (*handler)(int), int flags, struct sigaction *before)
{
    struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_ONSTACK | flags};
    sigaction(sig, NULL, before);
    if (before->sa_handler == SIG_DFL) sigaction(sig, &sa, NULL);
}

void
interrupt_begin(const struct nodes *all)
{
    interrupt.all = all;
    interrupt.begun = clock_ns();
    if (ranks_supervised()) {
        struct sigaction before;
        ranks_answer_by(look);
        take(SIGXCPU, ranks_wish, SA_RESTART, &before);
        return;
    }
    fault_at_leave(die);
    for (int i = 0; i < WISHES; i++) take(wish_signal[i], interrupted, 0, &interrupt.before[i]);
    if (!ranks_on()) take(SIGPIPE, nobody_reads, 0, &interrupt.pipe_before);
}

void
interrupt_end(void)
{
    ranks_answer_by(NULL);
    if (ranks_supervised()) return;
    for (int i = 0; i < WISHES; i++) sigaction(wish_signal[i], &interrupt.before[i], NULL);
    if (!ranks_on()) sigaction(SIGPIPE, &interrupt.pipe_before, NULL);
    fault_forget_leave(die);
}
