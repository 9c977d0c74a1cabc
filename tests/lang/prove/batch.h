/* batch.h - random programs, many of them compiled by one call of the C compiler. */
#ifndef LUNA_TESTS_BATCH_H
#define LUNA_TESTS_BATCH_H

#include "lang/lang.h"

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
/* An object with all that are compiled, luna_program_SEED each; NULL: it went wrong. Makes files in
 * the folder. */
void *batch_link(const struct batch_program *p, int n, const char *folder);
void batch_end(struct batch_program *p);

#endif
