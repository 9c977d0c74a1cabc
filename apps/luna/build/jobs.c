/* jobs.c - posix_spawn and waitpid. */
#include "apps/luna/build/jobs.h"

#include "runtime/base/wish.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Noted and no more: compilers are ended, folders removed, then the process ends as by the
 * signal. */
static volatile sig_atomic_t signal_seen;

static void
on_signal(int number)
{
    signal_seen = number;
}

void
jobs_watch(bool on)
{
    struct sigaction act = {.sa_handler = on ? on_signal : SIG_DFL};
    struct sigaction old;
    for (int i = 0; i < WISHES; i++) { /* what our parent ignores (nohup) stays ignored */
        sigaction(wish_signal[i], NULL, &old);
        if (old.sa_handler != SIG_IGN) sigaction(wish_signal[i], &act, NULL);
    }
}

int
jobs_signal(void)
{
    return signal_seen;
}

/* A sanitizer is for the program's functions (sanitize.c), not for compilers. */
static bool
is_ours_alone(const char *variable)
{
    bool here = dlsym(RTLD_DEFAULT, "__asan_init") ||
                dlsym(RTLD_DEFAULT, "__ubsan_handle_out_of_bounds");
    return here && !strncmp(variable, "LD_PRELOAD=", 11) && strstr(variable, "san");
}

/* Ours, but with messages in English, whose form messages.c reads, and with the compiler's own
 * temporary files in our folder, where they go with it even if a compiler is killed at a bad
 * moment. */
static char **
job_environment(char *tmpdir)
{
    int n = 0;
    while (environ[n]) n++;
    char **env = calloc((size_t)n + 3, sizeof *env);
    if (!env) return NULL;
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) && strncmp(environ[i], "LANGUAGE=", 9) &&
            strncmp(environ[i], "TMPDIR=", 7) && !is_ours_alone(environ[i]))
            env[kept++] = environ[i];
    env[kept++] = "LC_ALL=C";
    env[kept] = tmpdir;
    return env;
}

static void
job_start(struct job *j, char **env)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t group; /* its own, so that what it starts can be ended with it */
    if ((j->error = posix_spawn_file_actions_init(&files))) return;
    posix_spawnattr_init(&group);
    posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
    int flags = O_WRONLY | O_CREAT | O_TRUNC;
    j->error = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (!j->error) j->error = posix_spawn_file_actions_addopen(&files, 1, j->log, flags, 0600);
    if (!j->error) j->error = posix_spawn_file_actions_adddup2(&files, 1, 2);
    if (!j->error && j->out)
        j->error = posix_spawn_file_actions_addopen(&files, 1, j->out, flags, 0600);
    if (!j->error && j->dir) j->error = posix_spawn_file_actions_addchdir_np(&files, j->dir);
    if (!j->error)
        j->error = posix_spawnp(&j->pid, j->argv[0], &files, &group, (char *const *)j->argv, env);
    if (j->error) j->pid = 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&group);
}

/* The whole group of each: gcc waits for cc1 and as, which would go on without it. */
static bool
is_interrupted(struct job *jobs, int n)
{
    if (!signal_seen) return false;
    for (int i = 0; i < n; i++)
        if (jobs[i].pid) kill(-jobs[i].pid, SIGTERM);
    return true;
}

/* Waits until some job has ended. */
static void
wait_one(struct job *jobs, int n)
{
    int status;
    pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0) {
        if (errno == EINTR) is_interrupted(jobs, n);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (jobs[i].pid != pid) continue;
        jobs[i].status = status;
        jobs[i].pid = 0;
    }
}

static int
running(const struct job *jobs, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) count += jobs[i].pid != 0;
    return count;
}

static int
cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set)) return (int)sysconf(_SC_NPROCESSORS_ONLN);
    return CPU_COUNT(&set);
}

/* As many at once as there are cores we may use. After a signal no more are started, but those that
 * run are waited for: they write into a folder that is about to be removed. */
bool
jobs_run(struct job *jobs, int n, const char *dir)
{
    assert(n >= 0 && dir);
    char tmpdir[PATH_MAX + 8];
    snprintf(tmpdir, sizeof tmpdir, "TMPDIR=%s", dir);
    char **env = job_environment(tmpdir);
    int at_once = cores();
    for (int i = 0; i < n && !signal_seen; i++) {
        if (env) job_start(&jobs[i], env);
        else jobs[i].error = ENOMEM;
        while (running(jobs, i + 1) >= at_once && !signal_seen) wait_one(jobs, i + 1);
    }
    is_interrupted(jobs, n);
    while (running(jobs, n)) wait_one(jobs, n);
    free(env);
    return !signal_seen;
}
