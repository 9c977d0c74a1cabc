/* copy.h - copies between a user's memory and the segment, through the caches or around them.
 *
 * A member writes its queue where others have read before. Where cores share caches that is as
 * good as any memory. Elsewhere each line must first be taken back from the caches of its readers,
 * one after the other, and around the caches is up to five times faster, though readers then fetch
 * from memory. Which of both it is, is not known before and changes while a program runs, where a
 * virtual machine moves: so a copier times some of its copies.
 *
 * It must not know calls. Why the writer chooses: docs/decisions/0024. */
#ifndef LUNA_COLLECTIVES_COPY_H
#define LUNA_COLLECTIVES_COPY_H

#include "collectives/coll.h"

#include <stdint.h>

/* `around`: past the caches. Complete when it returns: a later release covers it. */
void copy_bytes(void *to, const void *from, size_t bytes, bool around);

/* From so many bytes on the second half of a broadcast goes around the caches: what they hold would
 * be pushed out before it is used. */
size_t copy_around_from(void);

/* Short copies, of which the processor has some lines fetched while it goes on; and long ones, to
 * lines that were written lately, or to a large area, whose lines have often left the caches. */
enum copy_kind { COPY_SHORT, COPY_NEAR, COPY_WIDE, COPY_KINDS };
enum { COPY_TIMED = 3 };

/* How copies of one kind go. */
struct copy_way {
    double slow; /* ticks a byte: what takes longer through the caches had better go around them */
    double ticks[COPY_TIMED]; /* a byte, through the caches, of the last that were timed */
    unsigned timed, wait; /* copies until the next is timed */
    bool around;
};

/* Of one writer. */
struct copier {
    struct copy_way way[COPY_KINDS];
};

/* To see how fast memory is, `room` is written over. */
void copier_init(struct copier *c, enum coll_copying how, char *room, size_t bytes);
/* The same as copy_bytes, the better way; `long_kind` is COPY_NEAR or COPY_WIDE. */
void copier_copy(struct copier *c, enum copy_kind long_kind, void *to, const void *from,
                 size_t bytes);

/* A copy through the caches has taken so long. Of the last three the middle one counts: one may be
 * slow because its core was taken away, two are no accident. */
void copier_learn(struct copy_way *w, double ticks_a_byte);

#endif
