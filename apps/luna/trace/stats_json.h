/* stats_json.h - figures of a trace that are printed in more than one place, as JSON. */
#ifndef LUNA_APPS_STATS_JSON_H
#define LUNA_APPS_STATS_JSON_H

#include "apps/luna/trace/stats.h"
#include "runtime/base/json.h"

enum stats_unit { STATS_NS, STATS_SECONDS };

/* A list of this name with a line for each declaration of fragments; its times are in `unit`. */
void stats_dfs_json(struct json *j, const char *name, const struct stats *s, enum stats_unit unit);

#endif
