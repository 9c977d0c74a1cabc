/* progress.c - a thread that sleeps; it exists only when somebody reads what it says. */
#include "progress.h"

#include "runtime/base/clock.h"
#include "runtime/base/numeric.h"
#include "runtime/base/pool.h"
#include "runtime/fault/fault.h"
#include "runtime/run/depth.h"
#include "runtime/run/heaviest.h"
#include "runtime/run/status_read.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { SECOND_NS = 1000000000, SILENT_SECONDS = 2, ASK_MS = 200, FINDS = 3 };

static struct {
    const struct nodes *all;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool started, ending;
    bool terminal;     /* a line is written over the one before it */
    uint64_t begun, first_ns, every_ns;
    struct status_runs run; /* the processes of this run, looked for so many times: */
    int finds;
    atomic_bool shown, silent;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

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
    heaviest_text(progress.all, false, names + 2, sizeof names - 2);
    if (!names[2]) *names = 0;
    return names;
}

/* Ranks of this host may have begun later than we; of others nothing is known. */
static void
look(struct status_sum *sum)
{
    if (progress.finds < FINDS && (!progress.finds || sum->told < sum->nodes)) {
        progress.finds++;
        status_free(&progress.run);
        status_find_own(&progress.run);
    }
    status_look(&progress.run, ASK_MS);
    status_add_up(&progress.run, sum);
}

/* On a terminal a line must not be longer than that is wide: its rest would stay. The cursor stays
 * at the start, so that what comes next is written over it. */
static int
end_line(char *line, int n, int size)
{
    struct winsize w;
    bool wide = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) || !w.ws_col;
    if (!progress.terminal) return n + snprintf(line + n, (size_t)(size - n), "\n");
    if (!wide && n >= w.ws_col) n = w.ws_col - 1;
    return n + snprintf(line + n, (size_t)(size - n), "\033[K\r");
}

static void
show(double seconds)
{
    static struct status_sum sum;
    char text[STATUS_LINE], line[STATUS_LINE + 64 + DEPTH_TEXT + HEAVIEST_TEXT], depth[DEPTH_TEXT];
    look(&sum);
    const char *comma = depth_tell(progress.all, depth) ? ", " : "";
    status_line(text, sizeof text, &sum);
    int n = snprintf(line, sizeof line - 8, "luna: %.*f s, %s%s%s, %zu MiB%s",
                     progress.every_ns % SECOND_NS != 0, seconds, text, comma, depth,
                     (size_t)sum.bytes >> 20, heaviest((long)seconds));
    n = end_line(line, n < (int)sizeof line - 8 ? n : (int)sizeof line - 9, sizeof line);
    if (atomic_load(&progress.silent)) return;
    atomic_store(&progress.shown, progress.terminal);
    ssize_t wrote = write(STDERR_FILENO, line, (size_t)n);
    (void)wrote;
}

static void *
run(void *who)
{
    (void)who;
    numeric_begin();
    uint64_t next_ns = progress.begun + progress.first_ns;
    pthread_mutex_lock(&progress.lock);
    while (!progress.ending) {
        struct timespec next = clock_until(next_ns);
        if (!pthread_cond_timedwait(&progress.end, &progress.lock, &next)) continue;
        show((double)(next_ns - progress.begun) / SECOND_NS);
        next_ns += progress.every_ns;
    }
    pthread_mutex_unlock(&progress.lock);
    return NULL;
}

static bool
on_terminal(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

void
progress_begin(const struct nodes *all, double every, bool quiet)
{
    pthread_condattr_t a;
    sigset_t every_signal, old;
    progress.terminal = on_terminal();
    if (every < 0 || (!(every > 0) && (quiet || !progress.terminal))) return;
    progress.all = all;
    progress.begun = clock_ns();
    progress.every_ns = every > 0 ? (uint64_t)(every * SECOND_NS) : SECOND_NS;
    progress.first_ns = every > 0 ? progress.every_ns : (uint64_t)SILENT_SECONDS * SECOND_NS;
    progress.finds = 0;
    fault_before_message(progress_wipe);
    progress.ending = false;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&progress.end, &a);
    pthread_condattr_destroy(&a);
    sigfillset(&every_signal);
    pthread_sigmask(SIG_SETMASK, &every_signal, &old); /* signals are for the workers */
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
    status_free(&progress.run);
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
