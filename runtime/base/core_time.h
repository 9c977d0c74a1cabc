/* core_time.h - how long this thread had a core, and how long it wanted one and had none. */
#ifndef LUNA_BASE_CORE_TIME_H
#define LUNA_BASE_CORE_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct core_time { /* ns, since the thread began */
    uint64_t on, off;
};

/* False: the kernel does not tell. */
bool core_time_now(struct core_time *t);
/* `off` in the text of /proc/thread-self/schedstat. False: it is none. */
bool core_time_read(const char *text, uint64_t *off);

#endif
