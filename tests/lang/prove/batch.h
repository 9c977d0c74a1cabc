/* batch.h - random programs, many of them compiled by one call of the C compiler. */
#ifndef LUNA_TESTS_BATCH_H
#define LUNA_TESTS_BATCH_H

#include "lang/lang.h"
#include "runtime/program.h"

struct batch_program {
    unsigned long seed;
    struct buf text;
    struct lang lang;
    bool compiled;
};

/* Its text. */
void batch_begin(struct batch_program *p, unsigned long seed);
/* Its C text; false: it is refused. */
bool batch_compile(struct batch_program *p, bool proof);
void batch_end(struct batch_program *p);

struct batch_test {
    unsigned long cases; /* seeds, if nobody says */
    unsigned runs;       /* of each program, with different ints for N and M */
    void (*make)(struct batch_program *p, unsigned long seed); /* begins and compiles it */
    bool (*check)(const struct batch_program *p, const struct luna_program *compiled,
                  const int32_t *args);
};

/* Words: FIRST [LAST], seeds; LUNA_SEEDS: so many, from 1 on. Gives how many checks failed, and
 * stops after 20. *whole: there were so many that each kind of program was among them. */
long batch_run(int argc, char **argv, const struct batch_test *t, bool *whole);

#endif
