/* sizes.h - how large values are, out of a trace: the mean of each name that was sent. */
#ifndef LUNA_APPS_TRACE_SIZES_H
#define LUNA_APPS_TRACE_SIZES_H

#include "runtime/base/arena.h"

struct sizes;
/* NULL: the trace is damaged or not there, and that was said. */
const struct sizes *sizes_read(struct arena *a, const char *dir);
/* Below 0: nothing of that name was sent. `who` is a struct sizes. */
double sizes_mean(const void *who, const char *name);

#endif
