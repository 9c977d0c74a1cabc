/* walk.c - a command is run with its first call of some kind failing (failing.c), then with its
 * second, and so on until a run meets none. Each run must end in good order.
 *
 *     walk --object=FAILING.SO --what=malloc [options] -- COMMAND...
 *
 * --in=VAR[=VALUE] and --exe=NAME say in which processes, --by=NAME in whose code of them, --on
 * lets all that follow fail, too.
 * --every=K takes each K-th n, from one that --seed=S chooses; --sample=N takes N at random among
 * as many as a run makes that nobody disturbs. --out=FILE is what stdout must be after exit code 0;
 * its lines may come in any order. --again=COMMAND, for a shell, has to succeed after each run.
 * --fresh=DIR is emptied before each. --at=N: this one alone, and what it says.
 *
 * A run is good if
 *   - it ends within --limit seconds (5), or ten times what an undisturbed run takes on a busy
 *     machine, not by a signal, and none of its processes is left;
 *   - its exit code is 5, and stderr has one error in the form of our messages, or it is 0, stdout
 *     is right and stderr has no error;
 *   - TMPDIR is empty, and --again succeeds.
 *
 * Some lines of the loader end a process by exit code 127 when they have no memory, before our code
 * can act: for a name that C++ wants to have once in a process, and for a library's thread-local
 * data. They are counted by themselves. */
#include "failing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct {
    const char *object, *what, *in, *exe, *by, *on, *out, *again, *fresh;
    long every, seed, sample, at;
    double limit;
    char **command;
} how = {.exe = "luna", .every = 1, .limit = 5, .at = -1};

static struct fail_page *page;
static char page_path[4096];

struct ended {
    int status;
    bool late, left;
    char *out, *err;
};

/* ---- files ---- */

static void
die(const char *what)
{
    perror(what);
    exit(2);
}

static char *
whole(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1);
    if (!text || pread(fd, text, (size_t)size, 0) != size) die("pread");
    close(fd);
    return text;
}

static char *
whole_file(const char *path)
{
    int fd = open(path, O_RDONLY);
    if (fd < 0) die(path);
    return whole(fd);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type;
    return at->level ? remove(path) : 0;
}

static void
empty(const char *dir)
{
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool
is_empty(const char *dir)
{
    DIR *d = dir ? opendir(dir) : NULL;
    if (!d) return true;
    int n = 0;
    while (readdir(d)) n++;
    closedir(d);
    return n == 2;
}

static void
open_page(void)
{
    strcpy(page_path, "/dev/shm/walk-XXXXXX");
    int fd = mkstemp(page_path);
    if (fd < 0 || ftruncate(fd, sizeof *page)) die(page_path);
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) die("mmap");
    close(fd);
}

/* ---- one run ---- */

static double
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
set(const char *name, const char *value)
{
    if (value) setenv(name, value, 1);
}

static void
become(long n, int out, int err)
{
    char text[30];
    snprintf(text, sizeof text, "%ld", n);
    set("FAIL_AT", text);
    set("FAIL_WHAT", how.what);
    set("FAIL_IN", how.in);
    set("FAIL_EXE", how.exe);
    set("FAIL_BY", how.by);
    set("FAIL_ON", how.on);
    set("FAIL_PAGE", page_path);
    set("LD_PRELOAD", how.object);
    int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    dup2(null, 0), dup2(out, 1), dup2(err, 2);
    execvp(how.command[0], how.command);
    die(how.command[0]);
}

static void
nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 500 * 1000}, NULL);
}

/* Our children, and those that have lost their parents, since then ours: compilers have groups of
 * their own, and killing one group is not enough. */
static void
kill_children(void)
{
    char path[60];
    int pid;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "r");
    while (f && fscanf(f, "%d", &pid) == 1) kill(pid, SIGKILL);
    if (f) fclose(f);
}

static bool
has_no_child(void)
{
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

/* What is left has a second to end, too. */
static bool
nobody_left(void)
{
    double end = seconds() + 1;
    while (!has_no_child() && seconds() < end) nap();
    if (has_no_child()) return true;
    do {
        kill_children();
        nap();
    } while (!has_no_child());
    return false;
}

static void
run(struct ended *e, long n)
{
    int out = memfd_create("out", 0), err = memfd_create("err", 0);
    *page = (struct fail_page){0};
    fflush(stdout);
    pid_t pid = fork();
    if (pid < 0) die("fork");
    if (!pid) become(n, out, err);
    double end = seconds() + how.limit;
    e->late = false;
    pid_t got;
    while (!(got = waitpid(pid, &e->status, WNOHANG))) {
        if (seconds() > end) {
            e->late = true;
            kill(-pid, SIGKILL);
            waitpid(pid, &e->status, 0);
            break;
        }
        nap();
    }
    e->left = !nobody_left();
    e->out = whole(out);
    e->err = whole(err);
}

static void
forget(struct ended *e)
{
    free(e->out);
    free(e->err);
}

/* ---- is it good? ---- */

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
lines_of(char *text, char **line, int room)
{
    int n = 0;
    for (char *p = strtok(text, "\n"); p && n < room; p = strtok(NULL, "\n")) line[n++] = p;
    qsort(line, (size_t)n, sizeof *line, by_text);
    return n;
}

static bool
same_lines(const char *a, const char *b)
{
    enum { ROOM = 1000 };
    char *text[2] = {strdup(a), strdup(b)}, *line[2][ROOM];
    int n = lines_of(text[0], line[0], ROOM), m = lines_of(text[1], line[1], ROOM);
    bool same = n == m;
    for (int i = 0; i < n && same; i++) same = !strcmp(line[0][i], line[1][i]);
    free(text[0]), free(text[1]);
    return same;
}

/* "luna: error: ..." or "FILE:LINE:COL: error[CODE]: ...". */
static bool
is_error(const char *line)
{
    const char *p = strstr(line, ": error");
    if (!p) return false;
    p += strlen(": error");
    if (*p == '[') p = strchr(p, ']') ? strchr(p, ']') + 1 : p;
    return p[0] == ':' && p[1] == ' ' && p[2] && p[2] != '\n';
}

/* What may stand beside an error: notes, hints, warnings, lines of the program with a caret. */
static bool
is_beside(const char *line)
{
    if (!strncmp(line, "hint: ", 6) || strstr(line, "note: ")) return true;
    if (strstr(line, ": warning")) return true;
    const char *p = line + strspn(line, " 0123456789");
    return p > line && *p == '|';
}

/* Counts errors; what is neither error nor beside is a stranger. */
static int
errors_in(const char *err, bool *stranger)
{
    char *text = strdup(err);
    int n = 0;
    for (char *p = strtok(text, "\n"); p; p = strtok(NULL, "\n")) {
        if (is_error(p)) n++;
        else if (!is_beside(p)) *stranger = true;
    }
    free(text);
    return n;
}

/* Its own words, and not ours. */
static bool
is_loaders_end(const struct ended *e)
{
    static const char *const words[] = {"out of memory\n",
                                        "cannot allocate memory for thread-local data: ABORT\n"};
    if (strncmp(page->from, "ld-linux", 8) || e->late || e->left) return false;
    if (!WIFEXITED(e->status) || WEXITSTATUS(e->status) != 127) return false;
    return !strcmp(e->err, words[0]) || !strcmp(e->err, words[1]);
}

static const char *
fault_of(const struct ended *e, const char *want)
{
    bool stranger = false;
    int errors = errors_in(e->err, &stranger);
    if (is_loaders_end(e)) return NULL;
    if (e->late) return "does not end";
    if (e->left) return "leaves processes";
    if (WIFSIGNALED(e->status)) return "ends by a signal";
    int code = WEXITSTATUS(e->status);
    if (code && code != 5) return "exit code";
    if (stranger) return "words that are not ours";
    if (code && !errors) return "no word";
    if (errors > 1) return "more than one error";
    if (!code && errors) return "an error, and exit code 0";
    if (!code && want && !same_lines(e->out, want)) return "another answer";
    if (!is_empty(getenv("TMPDIR"))) return "leaves files";
    return NULL;
}

static void
tell(long n, const struct ended *e, const char *fault)
{
    int s = e->status;
    printf("BAD %s %ld: %s; %s %d, call of %s\n", how.what, n, fault,
           WIFSIGNALED(s) ? "signal" : "exit code", WIFSIGNALED(s) ? WTERMSIG(s) : WEXITSTATUS(s),
           page->from);
    for (char *p = strtok(e->err, "\n"); p; p = strtok(NULL, "\n")) printf("    stderr: %s\n", p);
    for (char *p = strtok(e->out, "\n"); p; p = strtok(NULL, "\n")) printf("    stdout: %s\n", p);
}

/* 1 if it was bad. */
static int
judge(long n, struct ended *e, const char *want)
{
    const char *fault = fault_of(e, want);
    if (!fault && how.again && system(how.again) != 0) fault = "and the next run is not right";
    if (!fault) return 0;
    tell(n, e, fault);
    empty(getenv("TMPDIR"));
    return 1;
}

/* ---- all of them ---- */

enum { UNDISTURBED_S = 120 };

/* How many calls a run makes that nobody disturbs; it has to be right. If there is none, nothing is
 * walked: a kind that the command does not call, or failing.c does not see it. */
static long
calls_made(const char *want)
{
    struct ended e;
    if (how.fresh) empty(how.fresh);
    double limit = how.limit, begin = seconds();
    how.limit = UNDISTURBED_S;
    run(&e, 0);
    double took = seconds() - begin;
    how.limit = limit > 10 * took ? limit : 10 * took;
    const char *fault = fault_of(&e, want);
    if (!fault && e.status) fault = "exit code";
    if (!fault && !page->most) fault = "no call was seen";
    if (fault) tell(0, &e, fault), unlink(page_path), exit(1);
    forget(&e);
    return page->most;
}

/* n, or -1: no more. */
static long
next(long i, long most)
{
    if (how.at >= 0) return i ? -1 : how.at;
    if (!how.sample) return 1 + how.seed % how.every + i * how.every;
    return i < how.sample ? 1 + random() % most : -1;
}

static int
walk(void)
{
    char *want = how.out ? whole_file(how.out) : NULL;
    long most = calls_made(want), runs = 0, harmless = 0, loaders = 0, n;
    int bad = 0;
    srandom((unsigned)how.seed);
    double begin = seconds();
    for (long i = 0; (n = next(i, most)) >= 0; i++) {
        struct ended e;
        if (how.fresh) empty(how.fresh);
        run(&e, n);
        bool met = page->met;
        if (how.at >= 0) printf("exit status %x, of %s:\n%s", e.status, page->from, e.err);
        if (met) runs++, harmless += !e.status, loaders += is_loaders_end(&e);
        if (met) bad += judge(n, &e, want);
        forget(&e);
        if (!met && !how.sample) break;
    }
    printf("%s%s%s%s: %ld calls, %ld runs, %ld harmless, %ld ended by the loader, %d bad, %.1f s\n",
           how.what, how.on ? " and all that follow" : "", how.in ? " in " : "",
           how.in ? how.in : "", most, runs, harmless, loaders, bad, seconds() - begin);
    free(want);
    return bad;
}

static const struct option options[] = {
    {"object", 1, NULL, 'o'}, {"what", 1, NULL, 'w'},  {"in", 1, NULL, 'i'},
    {"exe", 1, NULL, 'x'},    {"on", 0, NULL, 'O'},    {"every", 1, NULL, 'e'},
    {"seed", 1, NULL, 's'},   {"sample", 1, NULL, 'n'}, {"out", 1, NULL, 'u'},
    {"again", 1, NULL, 'a'},  {"fresh", 1, NULL, 'f'}, {"limit", 1, NULL, 'l'},
    {"at", 1, NULL, 't'},     {"by", 1, NULL, 'b'},    {0, 0, NULL, 0},
};

static bool
take(int c)
{
    switch (c) {
    case 'o': how.object = optarg; return true;
    case 'w': how.what = optarg; return true;
    case 'i': how.in = optarg; return true;
    case 'x': how.exe = optarg; return true;
    case 'b': how.by = optarg; return true;
    case 'O': how.on = "1"; return true;
    case 'e': how.every = atol(optarg); return how.every > 0;
    case 's': how.seed = atol(optarg); return how.seed >= 0;
    case 'n': how.sample = atol(optarg); return how.sample > 0;
    case 'u': how.out = optarg; return true;
    case 'a': how.again = optarg; return true;
    case 'f': how.fresh = optarg; return true;
    case 'l': how.limit = atof(optarg); return how.limit > 0;
    case 't': how.at = atol(optarg); return true;
    default: return false;
    }
}

int
main(int argc, char **argv)
{
    for (int c; (c = getopt_long(argc, argv, "+", options, NULL)) != -1;)
        if (!take(c)) return 2;
    how.command = argv + optind;
    if (!how.object || !how.what || !*how.command) return fprintf(stderr, "see walk.c\n"), 2;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    open_page();
    int bad = walk();
    unlink(page_path);
    return bad != 0;
}
