/* calculate.h - what the C comes to in which the prover tells numbers of readers, and which ints of
 * main are refused. There is no C compiler here, and no code of what prints it:
 *
 *     !LUNA_SMALL((int64_t)F(0)) ? -1 : (int64_t)L(1) >= 2 ? luna_uses(1 + 2 * (int64_t)F(0)) : 0
 *
 * Such a text consists of
 *
 *     ? :   ||   &&   == >=   + -   *   - !   ( )   and numbers
 *     (int64_t)x           x
 *     L(word), F(word)     an int that the statement has in a local, or its frame has
 *     DF(word)             which DF a name stands for that its frame has
 *     LUNA_SMALL(x)        whether x is at least -2^24, and less than 2^24
 *     luna_uses(x)         x; -1, which is no limit, if an int32_t is too small for it
 *     luna_floor(x, by)    x / by, cut downwards; by > 0
 *
 * and means what it means to a compiler; ints have 64 bits. Any other text is a mistake of the
 * prover, or something new that it prints: the process ends, and says what is missing. */
#ifndef LUNA_TESTS_CALCULATE_H
#define LUNA_TESTS_CALCULATE_H

#include <stdint.h>

/* What L(), F() and DF() are. */
struct calculate_words {
    int32_t (*local)(const void *who, int64_t word);
    int32_t (*frame)(const void *who, int64_t word);
    int32_t (*df)(const void *who, int64_t word);
    const void *who;
};

int64_t calculate(const char *text, const struct calculate_words *words);

#endif
