/* flips.c - flips DIR: the binary files of a trace, cut after every byte and with every bit
 * changed, are refused; with the checksums put right they are refused or read, and nothing else
 * happens. Prints how many were refused and how many read. Leaves the files as they were.
 *
 * flips FILE AT BYTE: that byte is this from now on, and the checksums are right. */
#include "apps/luna/trace/trace_read.h"
#include "runtime/node/trace_block.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *dir;
static struct trace_run run;
static char path[4096];
static int fd;
static unsigned node;
static unsigned long refused, whole, events;

static void
count(void *who, unsigned of, const struct trace_event *e)
{
    (void)who, (void)of;
    /* The texts are there. */
    events += e->ev == TRACE_EV_EXEC ? strlen(e->cf) > 0 : e->df && strlen(e->df);
}

static bool
reads(void)
{
    struct arena *a = arena_new();
    bool good = a && trace_read_node(a, dir, &run, node, count, NULL);
    arena_free(a);
    if (good) whole++;
    else refused++;
    return good;
}

/* In place: files that are cut to nothing and written go to the disk at once. */
static void
put(const char *bytes, size_t n)
{
    if (pwrite(fd, bytes, n, 0) != (ssize_t)n || ftruncate(fd, (off_t)n)) abort();
}

/* The checksums of what still looks like blocks. */
static void
mend(char *bytes, size_t n)
{
    while (n >= TRACE_BLOCK_HEAD) {
        size_t size = trace_block_get32(bytes + TRACE_BLOCK_SIZE);
        if (size < TRACE_BLOCK_HEAD || size > n) return;
        uint64_t sum = XXH3_64bits(bytes + TRACE_BLOCK_SIZE, size - TRACE_BLOCK_SIZE);
        for (int i = 0; i < 4; i++) bytes[TRACE_BLOCK_SUM + i] = (char)(sum >> 8 * i);
        bytes += size;
        n -= size;
    }
}

static bool
flips(const char *bytes, size_t n, char *copy)
{
    for (size_t bit = 0; bit < 8 * n; bit++) {
        memcpy(copy, bytes, n);
        copy[bit / 8] ^= (char)(1 << bit % 8);
        put(copy, n);
        if (reads()) {
            printf("%s: bit %zu of byte %zu may be anything\n", path, bit % 8, bit / 8);
            return false;
        }
        mend(copy, n);
        put(copy, n);
        reads();
    }
    return true;
}

static bool
cuts(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(bytes, i);
        if (!reads()) continue;
        printf("%s: %zu bytes of %zu are taken for the whole\n", path, i, n);
        return false;
    }
    return true;
}

enum { ROOM = 1 << 20 };

static bool
file(void)
{
    char *bytes = malloc(ROOM), *copy = malloc(ROOM);
    snprintf(path, sizeof path, "%s/node-%05u.ltr", dir, node);
    fd = open(path, O_RDWR);
    ssize_t n = fd >= 0 && bytes && copy ? read(fd, bytes, ROOM) : 0;
    bool good = n > 0 && reads() && cuts(bytes, (size_t)n) && flips(bytes, (size_t)n, copy);
    if (n > 0) put(bytes, (size_t)n);
    if (fd >= 0) close(fd);
    free(bytes);
    free(copy);
    return good;
}

static bool
sets(const char *name, size_t at, int byte)
{
    static char bytes[ROOM];
    fd = open(name, O_RDWR);
    ssize_t n = fd >= 0 ? read(fd, bytes, ROOM) : 0;
    if (n <= (ssize_t)at) return false;
    bytes[at] = (char)byte;
    mend(bytes, (size_t)n);
    put(bytes, (size_t)n);
    return !close(fd);
}

int
main(int argc, char **argv)
{
    if (argc == 4) return !sets(argv[1], strtoul(argv[2], NULL, 10), atoi(argv[3]));
    bool good = argc == 2 && freopen("/dev/null", "w", stderr);
    struct arena *a = arena_new();
    dir = argv[1];
    good = good && a && trace_read_run(a, dir, &run) && run.binary;
    for (node = 0; good && node < run.nodes; node++) good = file();
    arena_free(a);
    printf("%lu refused, %lu read\n", refused, whole);
    return !good;
}
