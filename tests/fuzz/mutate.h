/* mutate.h - a text made of two: words of one are left out, said twice, change places, or words of
 * the other are put among them. It needs no compiler of its own, so some such texts are part of the
 * normal tests; a fuzzer that sees what is reached finds more. */
#ifndef LUNA_TESTS_FUZZ_MUTATE_H
#define LUNA_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

struct mutated {
    uint8_t *bytes; /* of its exact size, so that a sanitizer sees what is read behind it */
    size_t size;
};

/* The same for the same seed; to be freed. */
struct mutated mutate(const struct mutated *of, const struct mutated *with, uint64_t seed);

#endif
