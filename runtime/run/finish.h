/* finish.h - what is said when a run has ended: --stats, --hash, --time, and notes for the user. */
#ifndef LUNA_RUNTIME_FINISH_H
#define LUNA_RUNTIME_FINISH_H

#include "runtime/run/layout.h"
#include "runtime/run/runtime.h"
#include "runtime/run/stuck.h"

/* All ranks call it; the first one prints. `sim`: NULL, or whose time counts. */
void finish_tell(const struct nodes *all, const struct run_options *o, const struct layout *layout,
                 const struct sim *sim, double seconds);

#endif
