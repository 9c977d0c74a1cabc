/* recorded.h - runs of a compiled program in a child, and what its store was asked and given.
 *
 * The store's calls are wrapped by the linker: each fragment's requests are counted, and what was
 * assigned is noted, in memory that child and parent share. */
#ifndef LUNA_TESTS_RECORDED_H
#define LUNA_TESTS_RECORDED_H

#include "runtime/program.h"

#include <stdbool.h>
#include <stddef.h>

enum { RECORDED_INDICES = 8, RECORDED_MOST = 1 << 13 };

struct recorded_fragment {
    uint64_t id;
    uint32_t decl, n;
    int32_t ix[RECORDED_INDICES];
    int32_t requests, value;
    bool assigned;
};

struct recorded {
    size_t n;
    bool full;
    struct recorded_fragment row[RECORDED_MOST];
};

/* The exit code, or 256 + the signal. Refusals do not keep it from starting. *rows is lent until
 * the next run. */
int recorded_run(const struct luna_program *p, const int32_t args[2],
                 const struct recorded **rows);

#endif
