/* progress.c - a thread that sleeps; it exists only when stderr is a terminal. */
#include "progress.h"

#include "runtime/base/clock.h"
#include "runtime/base/pool.h"
#include "runtime/fault/fault.h"
#include "runtime/node/node.h"
#include "runtime/run/depth.h"
#include "runtime/run/stuck.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECOND_NS = 1000000000, SILENT_SECONDS = 2 };

static struct {
    const struct nodes *all;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool started, ending;
    atomic_bool shown, silent;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Workers count without asking anybody who looks on: a figure for the eye. */
static __attribute__((no_sanitize("thread"))) uint64_t
calls_of(const struct worker *w)
{
    return *(const volatile uint64_t *)&w->calls;
}

enum { NAMES_SECONDS = 5 }; /* looking through all fragments takes a moment */

/* Beyond half of the memory: who has it. */
static const char *
heaviest(long seconds)
{
    static char names[HEAVIEST_TEXT];
    static long looked = -NAMES_SECONDS;
    if (pool_bytes() < pool_bytes_max() / 2) return "";
    if (seconds < looked + NAMES_SECONDS) return names;
    looked = seconds;
    memcpy(names, ": ", 3);
    stuck_heaviest(progress.all, false, names + 2, sizeof names - 2);
    if (!names[2]) *names = 0;
    return names;
}

static void
show(long seconds)
{
    char line[128 + DEPTH_TEXT + HEAVIEST_TEXT], depth[DEPTH_TEXT];
    uint64_t calls = 0;
    long waiting = 0;
    for (int i = 0; i < progress.all->n; i++) {
        const struct node *n = progress.all->node[i];
        for (int k = 0; k < n->nworkers; k++) {
            calls += calls_of(&n->workers[k]);
            waiting += atomic_load_explicit(&n->workers[k].waiting, memory_order_relaxed);
        }
    }
    const char *comma = depth_tell(progress.all, depth) ? ", " : "";
    /* The cursor stays at the start, so that what comes next is written over it. */
    int n = snprintf(line, sizeof line,
                     "luna: %ld s, %" PRIu64 " calls run, %ld wait%s%s, %zu MiB%s\033[K\r",
                     seconds, calls, waiting > 0 ? waiting : 0, comma, depth, pool_bytes() >> 20,
                     heaviest(seconds));
    if (atomic_load(&progress.silent)) return;
    atomic_store(&progress.shown, true);
    ssize_t wrote = write(STDERR_FILENO, line, (size_t)n);
    (void)wrote;
}

static void *
run(void *who)
{
    (void)who;
    uint64_t begun = clock_ns();
    long seconds = SILENT_SECONDS;
    pthread_mutex_lock(&progress.lock);
    while (!progress.ending) {
        struct timespec next = clock_until(begun + (uint64_t)seconds * SECOND_NS);
        if (pthread_cond_timedwait(&progress.end, &progress.lock, &next)) show(seconds++);
    }
    pthread_mutex_unlock(&progress.lock);
    return NULL;
}

void
progress_begin(const struct nodes *all)
{
    const char *terminal = getenv("TERM");
    pthread_condattr_t a;
    sigset_t every, old;
    if (!isatty(STDERR_FILENO) || !terminal || !strcmp(terminal, "dumb")) return;
    progress.all = all;
    fault_before_message(progress_wipe);
    progress.ending = false;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&progress.end, &a);
    pthread_condattr_destroy(&a);
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &old); /* signals are for the workers */
    progress.started = !pthread_create(&progress.thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void
progress_end(void)
{
    if (!progress.started) return;
    pthread_mutex_lock(&progress.lock);
    progress.ending = true;
    pthread_cond_signal(&progress.end);
    pthread_mutex_unlock(&progress.lock);
    pthread_join(progress.thread, NULL);
    pthread_cond_destroy(&progress.end);
    progress.started = false;
    progress_wipe();
    atomic_store(&progress.silent, false);
}

void
progress_wipe(void)
{
    atomic_store(&progress.silent, true);
    if (!atomic_exchange(&progress.shown, false)) return;
    ssize_t wrote = write(STDERR_FILENO, "\033[K", 3);
    (void)wrote;
}
