/* rebalance_knobs.h - what the user says about balancing. */
#ifndef LUNA_RUNTIME_REBALANCE_KNOBS_H
#define LUNA_RUNTIME_REBALANCE_KNOBS_H

#include "runtime/run/layout.h"
#include "runtime/rebalance/rebalance.h"

/* Reads the options; false: they do not fit, which has been told. */
bool rebalance_read(struct rebalance_knobs *k, const struct run_options *o,
                    const struct layout *layout);

#endif
