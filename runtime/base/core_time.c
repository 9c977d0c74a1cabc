/* core_time.c - see core_time.h. What schedstat says of the time on a core is as old as the last
 * tick: that is asked for elsewhere. */
#include "core_time.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

bool
core_time_read(const char *text, uint64_t *off)
{
    uint64_t on;
    return sscanf(text, "%" SCNu64 " %" SCNu64, &on, off) == 2;
}

bool
core_time_now(struct core_time *t)
{
    char text[100];
    struct timespec on;
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0 || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &on)) return false;
    text[n] = 0;
    t->on = (uint64_t)on.tv_sec * 1000000000 + (uint64_t)on.tv_nsec;
    return core_time_read(text, &t->off);
}
