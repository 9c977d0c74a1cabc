/* segment.h - the memory members share: made by one, mapped by all, named by nobody.
 *
 * Members that are threads of one process use one mapping. A child of fork does not have it.
 * The kernel keeps a lock for each member and drops it when its process ends, however it ends: so
 * the others can ask whether it lives. */
#ifndef LUNA_COLLECTIVES_SEGMENT_H
#define LUNA_COLLECTIVES_SEGMENT_H

#include "collectives/coll.h"

struct segment {
    char *base;
    size_t bytes, page;
    int fd;
    const volatile int *here; /* 1; 0 in a child of fork */
    _Atomic int users;        /* threads of this process */
};

/* A file of `bytes` zeros in memory, without a name; in `folder` if given. -1, with `why`. */
int segment_make(size_t bytes, const char *folder, char why[COLL_WHY]);
/* Bytes of a page of what is in `folder`. */
size_t segment_page(const char *folder);

/* Takes the file. NULL, with `why`. The users' count is 1. */
struct segment *segment_map(int fd, size_t bytes, size_t page, char why[COLL_WHY]);
/* NULL is fine. The last user unmaps. */
void segment_leave(struct segment *s);

/* Allocates the pages of a part, on the NUMA node of the caller. E_NOMEM, with `why`: not so many
 * are free. */
enum err segment_settle(struct segment *s, size_t from, size_t bytes, const char *folder,
                        char why[COLL_WHY]);
/* How many pages of a part are on other nodes than `os_node`. */
size_t segment_elsewhere(const struct segment *s, size_t from, size_t bytes, int os_node);

bool segment_sign(struct segment *s, int rank);
/* Of another process: does it still hold its lock? */
bool segment_lives(const struct segment *s, int rank);

#endif
