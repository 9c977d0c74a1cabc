/* aged.h - calls that are ready, the one of the highest priority on top, and of those, which mostly
 * are all, the one that was made first: a binary heap.
 *
 * One worker of several nodes runs its long calls in this order. The order in which they become
 * ready would not do: of a loop that makes a block and reads it, all blocks would be made before
 * one is read. But what another node waits for comes first: of a wave that goes from node to node,
 * each would else finish all it has before the next one can begin.
 *
 * It must not know where calls come from. Why others come first: docs/decisions/0027. */
#ifndef LUNA_RUNTIME_AGED_H
#define LUNA_RUNTIME_AGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task;

#define AGED_ASKED 0x20000000u /* so much older is a call that another node waits for */

struct aged_item {
    struct task *task;
    double priority; /* of its rule; 0: it has none; never NaN */
    uint32_t made; /* a number that grows, and may begin anew: what lives at one time is near */
    bool asked;    /* another node waits for it: so much older it is here */
};

struct aged { /* zeroed: empty */
    struct aged_item *item;
    size_t n, room;
};

void         aged_fini(struct aged *a);
/* False: out of memory. */
bool         aged_push(struct aged *a, struct task *t, double priority, uint32_t made,
                      bool asked);
bool         aged_put(struct aged *a, struct aged_item item); /* one of another heap */
/* The one in place `at` is asked for now. Those that change places with it are before `at`. */
void         aged_asked(struct aged *a, size_t at);
struct task *aged_pop(struct aged *a); /* NULL: empty */
/* Takes the one in place `at` below n out. */
struct task *aged_take(struct aged *a, size_t at);

#endif
