/* top.h - runs that go on, chosen and told in lines of text. */
#ifndef LUNA_APPS_TOP_H
#define LUNA_APPS_TOP_H

#include "runtime/run/status_read.h"

#include <stdio.h>

/* How many runs they are of. */
int top_count(const struct status_runs *runs);
/* The run of this process, or of one that it has started: luna run starts mpiexec, which starts
 * ranks. False: there is none. */
bool top_run_of(const struct status_runs *runs, pid_t pid, uint64_t *run);

/* A line for each run. */
void top_list(const struct status_runs *runs, FILE *out);
/* All about one. */
void top_print(const struct status_runs *runs, const struct status_sum *sum, FILE *out);

#endif
