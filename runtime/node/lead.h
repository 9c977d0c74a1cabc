/* lead.h - a node's loops do not run ahead without an end of the calls that they make for others.
 *
 * Who makes a call follows from where its loop was cut when the run began; where it runs, from who
 * owns its cell now. So a node whose cells have gone makes calls that wait elsewhere, and its
 * window says nothing of them. One call in LEAD_EVERY that it sends has a mark:
 *
 *     maker                                 where it runs
 *     marks + 1     --CALL, marked-->       notes from whom
 *     marks - 1     <--RAN--                when it begins, or goes on to another node
 *
 * With more than `most` marks out loops pause. Should all nodes rest meanwhile, since what runs
 * elsewhere waits for what a paused loop is to make, `most` is doubled as the window is (done.h).
 *
 * docs/protocols.md section 6. */
#ifndef LUNA_RUNTIME_LEAD_H
#define LUNA_RUNTIME_LEAD_H

#include "runtime/table/task.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct worker;
struct reader;

enum { LEAD_EVERY = 256, LEAD_MARKS = 8, LEAD_MARKS_A_NODE = 4 };

struct lead_note { /* a marked call that is here */
    const struct task *task;
    int from;
};

struct lead {
    uint64_t every; /* one of so many calls of our own has a mark */
    atomic_uint_fast64_t sent; /* those that have left */
    atomic_long marks, most;
    atomic_flag held; /* around notes */
    struct lead_note *note;
    int n, room;
};

void lead_init(struct lead *l, int nodes, size_t every); /* 0: LEAD_EVERY */
void lead_fini(struct lead *l);
/* A call that this node has made leaves: with a mark perhaps. */
static inline void
lead_sends(struct lead *l, struct task *t)
{
    if ((atomic_fetch_add_explicit(&l->sent, 1, memory_order_relaxed) + 1) % l->every) return;
    t->flags |= TASK_MARKED;
    atomic_fetch_add(&l->marks, 1);
}
/* Loops should pause. */
static inline bool
lead_is_far(const struct lead *l)
{
    return atomic_load_explicit(&l->marks, memory_order_relaxed) >
           atomic_load_explicit(&l->most, memory_order_relaxed);
}
/* One with a mark has come; and begins, or leaves. */
void lead_comes(struct worker *w, const struct task *t, int from);
void lead_goes(struct worker *w, struct task *t);

bool on_ran(struct worker *w, struct reader *r); /* false: malformed */

#endif
