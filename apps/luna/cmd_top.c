/* cmd_top.c - luna top: what runs of this user do just now, from outside. */
#include "apps/luna/cmd.h"
#include "apps/luna/common/say.h"
#include "apps/luna/top/top.h"
#include "runtime/base/args.h"
#include "runtime/base/io.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { APART_NS = 250000000 };

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

static void
put_out(struct buf *text)
{
    io_print(text->data, text->size);
    buf_fini(text);
}

/* One run is left, or an exit code: it has been said why none. */
static int
choose(const struct options *o, struct status_runs *runs)
{
    pid_t pid = o->file ? pid_of(o->file) : 0;
    if (o->file && !pid) {
        say_error("luna top needs the PID of a run, not '%s'", o->file);
        return EXIT_USAGE;
    }
    if (pid) top_keep(runs, pid);
    int n = top_count(runs);
    if (n == 1) return 0;
    if (!n && pid) return no_such_run(pid);
    if (!n) say_error("no program of yours is run by luna on this host");
    if (!n) return EXIT_USAGE;
    struct buf list = {0};
    if (!o->json) top_list(runs, &list);
    put_out(&list);
    say_error("there are %d runs: say which, as in: luna top %d", n, (int)runs->process[0].pid);
    return EXIT_USAGE;
}

/* Two looks, for how fast it goes. False: it has ended, or does not answer. */
static bool
once(struct status_runs *runs, bool json)
{
    struct status_sum sum;
    struct buf text = {0};
    if (!top_look(runs, &sum)) return false;
    nanosleep(&(struct timespec){.tv_nsec = APART_NS}, NULL);
    if (!top_look(runs, &sum)) return false;
    if (json) top_json(runs, &sum, &text);
    else top_text(runs, &sum, TOP_BY_NODE, 0, &text);
    put_out(&text);
    return true;
}

int
cmd_top(struct options *o)
{
    struct status_runs runs;
    bool screen = !o->once && !o->json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    status_find(&runs);
    int code = choose(o, &runs);
    if (!code && screen && !top_screen(&runs)) {
        say_note("the run has ended, or does not answer");
    } else if (!code && !screen && !once(&runs, o->json)) {
        say_error("the run has ended, or does not answer");
        code = EXIT_USAGE;
    }
    status_free(&runs);
    return code;
}
