/* perf_limits.h - can this host hold the processes that luna perf is to start? Asked before, since
 * a launcher that runs into a limit tells only of itself, after a while or never. */
#ifndef LUNA_APPS_PERF_LIMITS_H
#define LUNA_APPS_PERF_LIMITS_H

/* Says what is missing and gives an exit code, or 0. `bench` is for an example of what to do. */
int perf_limits(int processes, const char *bench);

/* So many files as this user may open at all: the launcher needs some for each process. */
void perf_limits_raise(void);

#endif
