/* values_run.h - --print, --hash=values and --compare of a run: what the user said, and the end,
 * where all processes bring together what they have seen (values.h). */
#ifndef LUNA_RUNTIME_VALUES_RUN_H
#define LUNA_RUNTIME_VALUES_RUN_H

#include "runtime/run/runtime.h"

/* Does anybody ask for values? */
bool values_wanted(const struct run_options *o);
/* False: something is wrong with what was said, and that was told. */
bool values_check(const struct luna_program *p, const struct run_options *o);
/* Before nodes are made. False: out of memory. */
bool values_begin(const struct luna_program *p, const struct run_options *o, int workers);
/* Tells. False: the values are not those of --compare's file. */
bool values_end(const struct run_options *o);

#endif
