/* alive.h - how many values of a DF are there at once, whatever the order in which calls run.
 *
 *     for t.. for i.. step(u[t][i-1], u[t][i], u[t][i+1], u[t+1][i]);
 *
 * Who writes u[t+2][i] waits for all that read u[t][i], and who writes u[t+1][i] for who wrote
 * u[t][i]: so of each line u[0..][i] two are alive. A line is what differs in one word of the
 * vector alone.
 *
 * Only where values leave after their last reader. Copies on their way to other nodes are not
 * counted. */
#ifndef LUNA_LANG_PROVE_ALIVE_H
#define LUNA_LANG_PROVE_ALIVE_H

#include "lang/prove/waits.h"

struct alive {
    int levels; /* of each line; 0: all there are */
    int word;   /* along which lines go, */
    bool turns; /* and that is the counter of a loop around the declaration */
    bool known; /* how many lines, or with no levels fragments, there are: */
    int64_t lines;
};

/* `last`: by word, values go after their last reader but for some that are the last of a line along
 * that word; NULL: nothing is known of that. */
struct alive alive_of(struct sets *s, struct waits *all, const struct touched *t, const bool *last);

#endif
