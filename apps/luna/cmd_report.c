/* cmd_report.c - luna report: a page, or JSON, of a trace (apps/report), or of two side by side.
 * And luna run --report: the run goes on in a child, with a trace in a folder that lasts as long as
 * it is needed. */
#include "apps/luna/cmd.h"
#include "apps/luna/common/files.h"
#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"
#include "apps/luna/trace/owners.h"
#include "apps/report/page.h"
#include "runtime/base/amount.h"
#include "runtime/base/io.h"
#include "runtime/base/wish.h"
#include "runtime/run/ranks.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACE_FOLDER "LUNA_REPORT_TRACE" /* tells ranks where they leave their traces */

/* ---- a trace into a report ---- */

struct reader {
    struct report_run report;
    struct owners *owners; /* at the start; NULL: no cells */
};

static void
add_event(void *who, unsigned node, const struct trace_event *e)
{
    struct reader *r = who;
    report_add(&r->report, node, e);
    if (r->owners) owners_add(r->owners, node, e);
}

static int32_t *
owners_at_start(struct reader *r)
{
    struct owners *o = r->owners;
    if (!o) return NULL;
    if (r->report.stats.run.nodes == 1)
        owners_alone(o);
    else if (!o->told)
        return NULL;
    else
        owners_settle(o);
    return o->of;
}

/* An exit code; it has been told why, if it is not 0. */
static int
read_trace(struct reader *r, struct arena *a, const char *dir)
{
    struct trace_run run;
    bool whole = true;
    *r = (struct reader){.owners = NULL};
    if (!trace_is_folder(dir) || !trace_read_run(a, dir, &run)) return EXIT_USAGE;
    bool fits = report_init(&r->report, a, &run);
    if (run.cells.ndims) r->owners = owners_new(a, &run, 0);
    for (unsigned i = 0; fits && whole && i < run.nodes; i++)
        whole = trace_read_node(a, dir, &run, i, add_event, r);
    if (!whole) return EXIT_USAGE;
    if (fits && report_end(&r->report, owners_at_start(r))) return EXIT_DONE;
    say_error("out of memory");
    return EXIT_SYSTEM;
}

/* ---- a report into a file ---- */

static void
say_made(const struct report_run *r, const char *path, size_t size)
{
    const struct report_finding *f = r->findings;
    struct amount big = amount_bytes((double)size);
    bool nothing = !r->nfindings || (r->nfindings == 1 && !strcmp(f->name, "one-function"));
    if (nothing)
        say_note("%s: %s; nothing stands out", path, big.text);
    else if (f->gain < 0.005)
        say_note("%s: %s; %s", path, big.text, f->title);
    else
        say_note("%s: %s; %s: at most -%.0f %%", path, big.text, f->title, 100 * f->gain);
}

static void
say_compared(const struct report_run *a, const struct report_run *b, const char *path, size_t size)
{
    const struct trace_run *was = &a->stats.run, *is = &b->stats.run;
    struct amount big = amount_bytes((double)size);
    double x = (double)was->duration, y = (double)is->duration;
    const char *same = "it is not known whether both are the same program";
    if (was->hash && is->hash)
        same = strcmp(was->hash, is->hash) ? "not the same program" : "the same program";
    say_note("%s: %s; run time %.3g s and %.3g s, %+.0f %%; %s", path, big.text, x / 1e9, y / 1e9,
             x > 0 ? 100 * (y / x - 1) : 0, same);
}

/* An exit code. `n` runs: one, or two that are compared. */
static int
write_report(const struct report_run *const *r, int n, const struct options *o, const char *path)
{
    struct segments s[2] = {{.n = 0}};
    struct page_run runs[2];
    struct buf text = {0};
    const struct page_options show = {.paths = o->paths, .hosts = o->hosts};
    bool fits = true, standard = !strcmp(path, "-");
    for (int i = 0; i < n; i++) {
        fits = fits && segments_pack(&s[i], r[i], SEGMENTS_MOST / (size_t)n);
        runs[i] = (struct page_run){r[i], &s[i]};
    }
    if (fits && n == 1) (o->json ? page_json : page_html)(&text, &runs[0], &show);
    if (fits && n == 2)
        (o->json ? page_pair_json : page_pair_html)(&text, &runs[0], &runs[1], &show);
    fits = fits && !text.failed;
    int e = 0;
    if (fits && standard) io_print(text.data, text.size);
    else if (fits) e = file_write(path, text.data, text.size, 0666);
    if (fits && !e && !standard && !o->run.quiet) {
        if (n == 1) say_made(r[0], path, text.size);
        else say_compared(r[0], r[1], path, text.size);
    }
    buf_fini(&text);
    for (int i = 0; i < n; i++) buf_fini(&s[i].packed);
    if (!fits) say_error("out of memory");
    if (e) return say_unwritten(path, e);
    return fits ? EXIT_DONE : EXIT_SYSTEM;
}

/* Of the trace in `dir`, beside that in `other`, if there is one. */
static int
report_of(const struct options *o, const char *dir, const char *other, const char *path)
{
    const char *dirs[2] = {dir, other};
    struct reader readers[2];
    const struct report_run *reports[2];
    int n = 0, code = EXIT_DONE;
    for (; n < 2 && dirs[n] && !code; n++) {
        code = read_trace(&readers[n], o->arena, dirs[n]);
        reports[n] = &readers[n].report;
    }
    if (!code) code = write_report(reports, n, o, path);
    while (n--) report_fini(&readers[n].report);
    return code;
}

int
cmd_report(struct options *o)
{
    const char *path = o->output;
    if (!trace_is_folder(o->file)) return EXIT_USAGE;
    if (o->other && !trace_is_folder(o->other)) return EXIT_USAGE;
    if (!path && o->json) path = "-";
    if (!path && o->other) path = path_join(o->arena, o->other, "compare.html");
    if (!path) path = path_join(o->arena, o->file, "report.html");
    if (strcmp(path, "-") && file_try(path)) return cmd_picture_try(path);
    return report_of(o, o->file, o->other, path);
}

/* ---- luna run --report ---- */

static volatile sig_atomic_t child;

/* A terminal signals the child, too; others only us. */
static void
pass_on(int sig, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0) kill((pid_t)child, sig);
}

/* Gives the child's exit code. */
static int
wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return EXIT_SYSTEM;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* True in the child. */
static bool
run_in_child(int *code)
{
    sigset_t set, before;
    pid_t parent = getpid();
    sigemptyset(&set);
    wish_add(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, &before);
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) _exit(EXIT_SYSTEM);
        sigprocmask(SIG_SETMASK, &before, NULL);
        return true;
    }
    child = pid;
    struct sigaction act = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    if (pid > 0) sigaction(SIGUSR1, &act, NULL);
    for (int i = 0; pid > 0 && i < WISHES; i++) sigaction(wish_signal[i], &act, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (pid < 0) say_error("cannot start a process: %s", strerror(errno));
    *code = pid < 0 ? EXIT_SYSTEM : wait_for(pid);
    return false;
}

static void
remove_folder(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
    rmdir(path);
}

static const char *
temporary_folder(struct arena *a)
{
    const char *where = getenv("TMPDIR");
    if (!where || !*where) where = "/tmp";
    char *path = arena_printf(a, "%s/luna-report-XXXXXX", where);
    if (mkdtemp(path)) return path;
    say_error("cannot make a folder for the trace in '%s': %s", where, strerror(errno));
    say_hint("TMPDIR names another place for it");
    return NULL;
}

/* Nobody else reads it: it may be binary. */
static void
trace_for_us(struct options *o, const char *dir)
{
    o->run.trace = dir;
    o->run.trace_format = "binary";
}

/* Who started ranks for this, or for its own --trace, makes the page when they have ended. */
static int
as_rank(struct options *o)
{
    const char *dir = getenv(TRACE_FOLDER);
    if (dir && !o->run.trace) trace_for_us(o, dir);
    if (dir) return EXIT_DONE;
    say_error(
        "--report makes a page when the run is over, and mpiexec or srun have started this one");
    say_hint("give --trace=DIR there, and 'luna report DIR' when it has ended");
    return EXIT_USAGE;
}

bool
report_around(struct options *o, int *code)
{
    const char *path = *o->report ? o->report : "report.html";
    const char *kept = o->run.trace, *dir;
    if (ranks_started()) return (*code = as_rank(o)) != EXIT_DONE;
    if ((*code = cmd_picture_try(path))) return true;
    if (!(dir = kept ? kept : temporary_folder(o->arena))) {
        *code = EXIT_SYSTEM;
        return true;
    }
    if (run_in_child(code)) {
        if (!kept) trace_for_us(o, dir);
        setenv(TRACE_FOLDER, dir, 1);
        return false;
    }
    if (file_is_there(path_join(o->arena, dir, "run.json"))) {
        int e = report_of(o, dir, NULL, path);
        if (!*code) *code = e;
    }
    if (!kept) remove_folder(dir);
    return true;
}
