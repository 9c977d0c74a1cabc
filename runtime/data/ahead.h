/* ahead.h - values that go along with a loop to the nodes that will walk it.
 *
 * What all iterations read, `dt` say, each of these nodes would ask for at the same home, which may
 * be in a call by then. Small values that lie on the node which sends the loop, and that stay until
 * they are deleted (no req_count), go along instead; the nodes' copies of the frame keep them, and
 * calls of the loop take them from there. Nobody counts their readers, so nobody has to be told. */
#ifndef LUNA_RUNTIME_AHEAD_H
#define LUNA_RUNTIME_AHEAD_H

#include "runtime/data/key.h"
#include "runtime/data/value.h"

#include <stdbool.h>

enum {
    AHEAD_MOST = 8,    /* values of a loop */
    AHEAD_BYTES = 256  /* of one */
};

struct ahead {
    unsigned n;
    struct {
        struct key key;
        luna_value value; /* counted */
    } row[AHEAD_MOST];
};

struct ahead *ahead_new(void); /* NULL: out of memory */
void          ahead_free(struct ahead *a);
/* Takes v. There is room. */
void ahead_add(struct ahead *a, const struct key *k, luna_value v);
/* True: *v is the value of k, counted for the caller. */
bool ahead_take(const struct ahead *a, const struct key *k, luna_value *v);

#endif
