/* must.h - what holds for any input: a fuzzer sees abort() as a find. */
#ifndef LUNA_TESTS_FUZZ_MUST_H
#define LUNA_TESTS_FUZZ_MUST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of the inputs so far, those with so little wrong that all of what is tested was run. */
extern unsigned long fuzz_deep;

#define MUST(cond)                                                               \
    do {                                                                         \
        if (cond) break;                                                         \
        fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #cond); \
        abort();                                                                 \
    } while (0)

#endif
