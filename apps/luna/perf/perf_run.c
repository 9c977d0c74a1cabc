/* perf_run.c - see perf_run.h. */
#include "apps/luna/perf/perf_run.h"

#include "apps/luna/common/home.h"
#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"
#include "apps/luna/perf/perf_limits.h"
#include "lang/report/verdict.h"
#include "runtime/base/exit.h"
#include "runtime/base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- peers ---- */

#define HYDRA {"mpiexec.mpich", "mpiexec.hydra", "mpiexec"}
#define LOCAL {"-launcher", "fork", "-hosts", "localhost"}
/* The program itself binds processes, the same way for all peers. */
#define ORTE {"mpiexec.openmpi"}

static const struct perf_peer peers[] = {
    {"mpich", "luna_perf", HYDRA, LOCAL, "mpich libmpich-dev", false},
    {"openmpi", "luna_perf_openmpi", ORTE, {"--bind-to", "none", "--oversubscribe"},
     "openmpi-bin libopenmpi-dev", false},
    {"openmpi-sm", "luna_perf_openmpi", ORTE,
     {"--bind-to", "none", "--oversubscribe", "--mca", "coll_sm_priority", "100"},
     "openmpi-bin libopenmpi-dev", false},
    {"luna", "luna_perf", HYDRA, LOCAL, "mpich libmpich-dev", true},
};

const struct perf_peer *
perf_peer(int i)
{
    return i < (int)(sizeof peers / sizeof *peers) ? &peers[i] : NULL;
}

/* ---- what is there ---- */

static bool
in_path(struct arena *a, const char *name)
{
    struct words dirs = {0};
    const char *path = getenv("PATH");
    words_split(a, &dirs, path ? path : "/usr/bin:/bin", ":");
    for (int i = 0; i < dirs.n; i++)
        if (!access(path_join(a, dirs.at[i], name), X_OK)) return true;
    return false;
}

static const char *
launcher_of(struct arena *a, const struct perf_peer *p)
{
    for (int i = 0; i < 4 && p->launchers[i]; i++)
        if (in_path(a, p->launchers[i])) return p->launchers[i];
    return NULL;
}

static const char *
program_of(struct arena *a, const struct perf_peer *p)
{
    const char *home = home_find(a);
    return home ? path_join(a, path_join(a, home, "lib/luna"), p->program) : NULL;
}

bool
perf_peer_is_there(struct arena *a, const struct perf_peer *p, bool error)
{
    const char *program = program_of(a, p), *what = NULL;
    if (!program) return false; /* it is said */
    if (!file_is_there(program)) what = "luna was built without it";
    else if (!launcher_of(a, p)) what = "its mpiexec was not found in PATH";
    if (!what) return true;
    if (error) say_error("%s: %s", p->name, what);
    else say_warning("%s is left out: %s", p->name, what);
    say_hint("install %s (packages %s), then configure and build luna again",
             strstr(p->program, "openmpi") ? "Open MPI" : "MPICH", p->packages);
    return false;
}

/* ---- the report ---- */

int
perf_column(const struct perf_table *t, const char *name)
{
    for (int i = 0; i < t->ncolumns; i++)
        if (!strcmp(t->columns[i], name)) return i;
    return -1;
}

static void
take_columns(struct arena *a, struct perf_table *t, const char *line)
{
    struct words w = {0};
    words_split(a, &w, line, " \n");
    for (t->ncolumns = 0; t->ncolumns < w.n && t->ncolumns < PERF_COLUMNS; t->ncolumns++)
        t->columns[t->ncolumns] = w.at[t->ncolumns];
}

static void
take_row(struct arena *a, struct perf_table *t, const char *line)
{
    struct perf_row row;
    for (int i = 0; i < PERF_COLUMNS; i++) {
        char *end;
        line += strspn(line, " ");
        row.at[i] = strtod(line, &end);
        if (end == line) row.at[i] = NAN;
        line += strcspn(line, " \n");
    }
    if (isnan(row.at[0])) return; /* a word of the launcher's */
    if (vec_more(a, t->rows, t->n, t->room)) t->rows[t->n++] = row;
}

static void
take_line(struct arena *a, struct perf_table *t, const char *line)
{
    static const char library[] = "# library: ";
    size_t n = sizeof library - 1;
    if (!strncmp(line, library, n))
        t->library = arena_printf(a, "%.*s", (int)strcspn(line + n, "\n"), line + n);
    else if (!strncmp(line, "#Procs", 6)) take_columns(a, t, line + 1);
    else if (line[0] != '#') take_row(a, t, line);
}

/* ---- processes ---- */

/* Of the child; it ends with us. Open MPI refuses to be run by root unless told twice. */
static void
become_launcher(const struct words *w, int out, pid_t parent)
{
    int null = open("/dev/null", O_RDONLY);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(EXIT_SYSTEM);
    dup2(null, 0);
    dup2(out, 1);
    perf_limits_raise();
    if (!geteuid()) {
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    }
    execvp(w->at[0], (char *const *)(void *)w->at);
    _exit(127);
}

static int
code_of(const struct perf_peer *p, int status, const struct perf_table *t)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (!code && t->n) return EXIT_DONE;
    if (code == EXIT_USAGE || code == EXIT_SYSTEM) return code; /* it has said why */
    say_error("%s: the processes did not come to their end (%s %d)", p->name,
              code < 0 ? "signal" : "exit code", code < 0 ? WTERMSIG(status) : code);
    return EXIT_SYSTEM;
}

static int
start_and_read(struct arena *a, const struct perf_peer *p, const struct words *w, FILE *echo,
               struct perf_table *out)
{
    int fd[2], status, lost = 0;
    char *line = NULL;
    size_t room = 0;
    pid_t parent = getpid();
    if (pipe2(fd, O_CLOEXEC)) goto failed;
    fflush(NULL);
    pid_t child = fork();
    if (!child) become_launcher(w, fd[1], parent);
    close(fd[1]);
    FILE *in = child > 0 ? fdopen(fd[0], "r") : NULL;
    if (!in) goto failed;
    while (getline(&line, &room, in) > 0) {
        take_line(a, out, line);
        if (!echo || (fputs(line, echo) >= 0 && !fflush(echo))) continue;
        lost = errno; /* nobody reads what would follow */
        kill(child, SIGTERM);
        break;
    }
    free(line);
    fclose(in);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (!lost) return code_of(p, status, out);
    say_error("cannot write to stdout: %s", strerror(lost));
    return EXIT_SYSTEM;
failed:
    say_error("cannot start processes: %s", strerror(errno));
    return EXIT_SYSTEM;
}

int
perf_run(struct arena *a, const struct perf_peer *p, int procs, const struct words *words,
         FILE *echo, struct perf_table *out)
{
    struct words w = {0};
    if (!perf_peer_is_there(a, p, true)) return EXIT_SYSTEM;
    words_add(a, &w, launcher_of(a, p));
    for (int i = 0; i < 8 && p->before[i]; i++) words_add(a, &w, p->before[i]);
    words_add(a, &w, "-n");
    words_add(a, &w, arena_printf(a, "%d", procs));
    words_add(a, &w, program_of(a, p));
    for (int i = 0; i < words->n; i++) words_add(a, &w, words->at[i]);
    return start_and_read(a, p, &w, echo, out);
}

int
perf_become(struct arena *a, const struct words *words)
{
    struct words w = {0};
    if (!perf_peer_is_there(a, &peers[0], true)) return EXIT_SYSTEM;
    words_add(a, &w, program_of(a, &peers[0]));
    for (int i = 0; i < words->n; i++) words_add(a, &w, words->at[i]);
    execv(w.at[0], (char *const *)(void *)w.at);
    say_error("cannot run '%s': %s", w.at[0], strerror(errno));
    return EXIT_SYSTEM;
}
