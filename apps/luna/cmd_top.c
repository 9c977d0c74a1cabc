/* cmd_top.c - luna top: what runs of this user do just now, from outside. */
#include "apps/luna/cmd.h"
#include "apps/luna/common/say.h"
#include "apps/luna/top/top.h"
#include "runtime/base/args.h"
#include "runtime/run/status_read.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ASK_MS = 1000, APART_MS = 250 };

/* A PID, or 0: that is none. */
static pid_t
pid_of(const char *word)
{
    errno = 0;
    long pid = args_digits(word) ? strtol(word, NULL, 10) : 0;
    return errno || pid > 1 << 30 ? 0 : (pid_t)pid;
}

static int
no_such_run(pid_t pid)
{
    if (kill(pid, 0) && errno == ESRCH) {
        say_error("there is no process %d", (int)pid);
    } else if (errno == EPERM) {
        say_error("process %d is another user's", (int)pid);
    } else {
        say_error("process %d is no run of luna, or its program has not begun", (int)pid);
        say_hint("luna top without PID takes the run there is, or lists them");
    }
    return EXIT_USAGE;
}

/* Which run is meant; an exit code: it has been said why none. */
static int
choose(const struct options *o, struct status_runs *runs, uint64_t *run)
{
    if (o->file) {
        pid_t pid = pid_of(o->file);
        errno = 0;
        if (!pid) {
            say_error("luna top needs the PID of a run, not '%s'", o->file);
            return EXIT_USAGE;
        }
        return top_run_of(runs, pid, run) ? 0 : no_such_run(pid);
    }
    int n = top_count(runs);
    if (n == 1) {
        *run = runs->process[0].page->run;
        return 0;
    }
    if (n) {
        status_look(runs, ASK_MS);
        top_list(runs, stdout);
        say_error("there are %d runs: say which, as in: luna top %d", n,
                  (int)runs->process[0].pid);
    } else {
        say_error("no program of yours is run by luna on this host");
    }
    return EXIT_USAGE;
}

static void
rest(int ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Two looks, for how fast it goes. */
static int
once(struct status_runs *runs)
{
    struct status_sum sum;
    status_look(runs, ASK_MS);
    rest(APART_MS);
    if (!status_look(runs, ASK_MS)) {
        say_error("the run has ended, or does not answer");
        return EXIT_USAGE;
    }
    status_add_up(runs, &sum);
    top_print(runs, &sum, stdout);
    return EXIT_DONE;
}

int
cmd_top(struct options *o)
{
    struct status_runs runs;
    uint64_t run;
    status_find(&runs);
    int code = choose(o, &runs, &run);
    if (!code) {
        status_keep(&runs, run);
        code = once(&runs);
    }
    status_free(&runs);
    return code;
}
