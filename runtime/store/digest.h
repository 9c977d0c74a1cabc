/* digest.h - --hash: a sum over all values ever put, equal for every way of running a program.
 *
 * Each value counts once, when it is put, as XXH3-64 of name, indices, type and bytes; sums are
 * modulo 2^64, so neither order nor place matters. */
#ifndef LUNA_RUNTIME_DIGEST_H
#define LUNA_RUNTIME_DIGEST_H

#include "runtime/base/err.h"
#include "runtime/data/key.h"
#include "runtime/program.h"

#include <stdio.h>

/* XXH3-64 of type and bytes alone. */
uint64_t digest_of_value(const luna_value *v);

enum err digest_open(const struct luna_program *p, int workers);
void     digest_add(int worker, const struct key *k, const luna_value *v);
/* After digest_sum. Prints `hash NAME COUNT HEX16` per declared name, sorted, then `hash * COUNT
 * HEX16`. */
void     digest_print(FILE *out);
/* Adds what all workers of this process have summed, then lets `sum` add other processes'. */
void     digest_sum(void (*sum)(uint64_t *v, size_t n));
void     digest_close(void);

#endif
