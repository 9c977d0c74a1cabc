/* listed.h - how a plain scheduler would run a graph: an example, and a yardstick.
 *
 * Each node runs one call at a time; between two calls it hears all messages that have come, walks
 * what can be walked, makes all that stands there and sends what is for others, asks for what it
 * misses, answers. What stands in a loop is made as if by its own node, so that
 * its inputs are asked for. Then it begins one of its calls that have all they need, by a rule.
 * There is no window, and nothing but calls takes time on a node. So it keeps what verdict.h asks
 * for, whatever the rule. */
#ifndef LUNA_TESTS_SCHEDULE_LISTED_H
#define LUNA_TESTS_SCHEDULE_LISTED_H

#include "run.h"

enum listed_rule { LISTED_OLDEST, LISTED_NEWEST, LISTED_RANDOM };

struct listed_how {
    enum listed_rule rule;
    uint64_t seed;                   /* of LISTED_RANDOM, and of messages */
    int64_t least_ns, most_ns;       /* that a message takes */
    int64_t asking_ns;               /* a request, besides: it comes after what it could have met */
    int64_t call_ns;                 /* of weight 1 */
};

/* The graph must be placed. `r` gets the run. */
void listed_run(struct run *r, const struct graph *g, int nodes, const struct listed_how *how);

#endif
