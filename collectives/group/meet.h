/* meet.h - members find each other before there is a segment.
 *
 * By name: rank 0 listens on a socket of that name, the others come to it, and exchanges go through
 * it. And in all cases, how the segment gets from the member that made it to the others: as a file
 * descriptor in a message. The sockets' names are abstract, in no folder: they vanish with their
 * process, and only processes of the same user are let in. */
#ifndef LUNA_COLLECTIVES_MEET_H
#define LUNA_COLLECTIVES_MEET_H

#include "collectives/coll.h"

#include <stdint.h>

struct meet;

/* Where a member is. Two can meet, and share a segment, if these are the same. */
struct meet_host {
    char boot[40];  /* of the kernel that runs, its name */
    uint64_t net;   /* names of sockets are known in a network of a host: containers may have their
                     * own */
};
struct meet_host meet_here(void);
bool meet_same_host(const struct meet_host *a, const struct meet_host *b);

/* E_SYSTEM, with `why`: nobody there in time, two with the same rank, .. */
enum err meet_new(struct meet **out, const char *name, int rank, int size, int timeout_ms,
                  char why[COLL_WHY]);
void     meet_free(struct meet *m);
/* The `exchange` of a setup; who is the meet. */
int      meet_exchange(void *m, const void *mine, void *all, size_t bytes);

/* A listening socket of the given name ("" : any; the one it got is written there), or -1. */
enum { MEET_NAME = 100 };
int meet_listen(char name[MEET_NAME]);
/* Sends `fd` to `count` who come to `listener`. False: not all came in time. */
bool meet_hand_out(int listener, int count, int fd, int timeout_ms);
/* The file descriptor given out at `name`, whose listener is there; or -1. */
int meet_fetch(const char *name, int timeout_ms);

#endif
