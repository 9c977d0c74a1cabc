/* stuck_parts.h - what the files of stuck share.
 *
 *     stuck_rows.c    who waits for what, of all ranks
 *     stuck_cause.c   why it never comes
 *     stuck.c         the report */
#ifndef LUNA_RUNTIME_STUCK_PARTS_H
#define LUNA_RUNTIME_STUCK_PARTS_H

#include "runtime/base/buf.h"
#include "runtime/run/stuck.h"
#include "runtime/store/store.h"

struct missing { /* one fragment somebody waits for */
    struct key key;
    bool doomed, spent;
    struct waiter *first; /* of those calls who wait */
    size_t waiters; /* calls; requests that other nodes have left here are the same calls again */
    bool circular;      /* a waiting statement would write it, */
    bool perhaps;       /* or may: it would make some that write others of its declaration */
    int asked_at;       /* node that was asked for it: its home as its readers see it */
    size_t asked;       /* requests other nodes have left there */
};

struct stuck {
    const struct nodes *all;
    const struct luna_program *program;
    int number;         /* of the node being looked at */
    struct missing *row;
    size_t n, room, calls;
    size_t unsent;      /* rows that ranks have kept to themselves: too many */
    size_t steps; /* spent on names that a sub may write to */
};

/* ---- rows ---- */

/* Of all ranks, at rank 0; of others, their own. Sorted by key, one a fragment. */
void stuck_rows(struct stuck *r);
int  stuck_by_key(const void *a, const void *b);
/* The statement that waits: of an element the reduction, or the call whose list has it. */
const struct luna_site *stuck_who_waits(const struct luna_program *p, const struct task *t);
bool stuck_is_element(const struct luna_program *p, const struct task *t);

/* ---- causes ---- */

struct range_of { /* which instances of a declaration are there, of one activation */
    const struct key *key;
    size_t others;
    struct key lo, hi; /* component-wise */
};

/* What the stores of this process know of a fragment; those of other ranks add to it. */
struct stuck_facts {
    int32_t holder; /* the node that has it although another was asked for it; -1: none */
    int32_t gone;   /* enum store_gone */
    int32_t let_go; /* others of its declaration have been freed, perhaps */
    struct range_of range;
};

void stuck_find_facts(const struct nodes *all, const struct key *k, struct stuck_facts *f);
void stuck_add_facts(struct stuck_facts *f, const struct stuck_facts *more);
/* Rows that a waiting call would write. */
void stuck_mark_circular(struct stuck *r);
/* Its readers were more than promised: the first ones had the value. */
bool stuck_is_used_up(const struct missing *m, const struct stuck_facts *f);
/* Why it never comes, in words. */
void stuck_cause(const struct stuck *r, const struct missing *m, const struct stuck_facts *f,
                 struct buf *b);

#endif
