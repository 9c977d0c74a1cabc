/* top.h - runs that go on, chosen and told: in lines, on a screen, in JSON. */
#ifndef LUNA_APPS_TOP_H
#define LUNA_APPS_TOP_H

#include "runtime/base/buf.h"
#include "runtime/run/status_read.h"

/* How many runs they are of. */
int top_count(const struct status_runs *runs);
/* Only those stay that have to do with this process: it is of them, or has started one of theirs,
 * as luna run starts mpiexec, and that ranks. */
void top_keep(struct status_runs *runs, pid_t pid);

/* Asks once more, and adds up. False: the run has ended, or does not answer. */
bool top_look(struct status_runs *runs, struct status_sum *sum);

/* A line for each run. */
void top_list(const struct status_runs *runs, struct buf *out);

enum top_order { TOP_BY_NODE, TOP_BY_BUSY, TOP_BY_CALLS, TOP_ORDERS };

/* All about one, in at most `lines` lines; 0: as many as there are. */
void top_text(const struct status_runs *runs, const struct status_sum *sum, enum top_order order,
              int lines, struct buf *out);
void top_json(const struct status_runs *runs, const struct status_sum *sum, struct buf *out);

/* Text on the terminal until the run ends, or the user has had enough: true. Where stdout or stdin
 * is no terminal, see top_text. */
bool top_screen(struct status_runs *runs);

#endif
