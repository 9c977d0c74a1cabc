/* heed.h - before a long call a node heeds the others: while it runs, it answers nobody.
 *
 * Requests for what is here, and loops and calls that bring more to do for others, may be on their
 * way just now, since all nodes have heard the same news. A request that comes a moment after a
 * call has begun waits for its end. So a worker whose next call is much longer than a message, with
 * nobody idle beside it, polls until nothing has come or been made for a twentieth of what the
 * call will take, at most HEED_NS.
 *
 *     something was made or came --> restless --so long without--> quiet: the call begins
 *
 * Where that is in vain, time after time, it is tried now and then only. For the first call of a
 * statement, of which nothing is known, it waits longer: that is when all nodes begin. */
#ifndef LUNA_RUNTIME_HEED_H
#define LUNA_RUNTIME_HEED_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HEED_NS = 6000,       /* so long without news, at most, */
    HEED_PART = 20,       /* and a part of the call; */
    HEED_MOST_NS = 12000, /* with news, too, no longer than that */
    HEED_CALL_NS = 20000, /* a call that takes less is not worth it */
    HEED_CROWD = 4,       /* where a thread turns several nodes: so many times as long, at most */
    HEED_FIRST = 4,       /* times as long before a call of which nothing is known */
    HEED_PATIENCE = 8,     /* times in vain before it is tried rarely, */
    HEED_RARELY = 64       /* once in so many calls */
};

struct heed { /* of one worker */
    uint64_t news_ns;  /* when something was last made, or came, */
    uint64_t since_ns; /* and when it began to wait for this call */
    bool restless;     /* something was, since the last look */
    bool waits, asked; /* for this call; and others have asked something of us meanwhile */
    unsigned patience, skipped;
    unsigned crowd; /* nodes that one thread turns: news takes so many times as long, 0: once */
};

/* A call is next that takes call_ns, UINT64_MAX: who knows. True: not yet, look for messages again;
 * *rest_ns: for how long at least. */
bool heed_waits(struct heed *h, uint64_t call_ns, uint64_t now_ns, uint64_t *rest_ns);

/* Something was made; what has come asks for something of ours. */
static inline void
heed_made(struct heed *h)
{
    h->restless = true;
}

static inline void
heed_asked(struct heed *h)
{
    h->restless = h->asked = true;
}

#endif
