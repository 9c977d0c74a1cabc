/* jobs.h - compilers as child processes: argument vectors, never a shell; as many at once as cores.
 *
 * While jobs_watch() is on, what wishes that we end (wish.h) is noted instead of ending us at once:
 * running jobs are ended, jobs_run returns, and the caller removes its intermediate files and
 * leaves. */
#ifndef LUNA_APPS_JOBS_H
#define LUNA_APPS_JOBS_H

#include <stdbool.h>
#include <sys/types.h>

struct job {
    const char *const *argv; /* NULL behind the last; looked up in PATH */
    const char *log;         /* file that gets its stdout and stderr */
    const char *out;         /* file that gets its stdout instead; NULL: none */
    const char *dir;         /* where it runs; NULL: where we do */
    int error;               /* errno: it could not be started */
    int status;              /* as of waitpid */
    pid_t pid;
};

/* Runs all, however they end, with their temporary files in `dir`. False: interrupted. */
bool jobs_run(struct job *jobs, int n, const char *dir);
static inline bool
job_is_fine(const struct job *j)
{
    return !j->error && !j->status;
}

void jobs_watch(bool on);
int  jobs_signal(void); /* the signal that interrupted us, or 0 */

#endif
