/* ucodes.h - atomic functions that the tests' programs call, with the letters of parameters. */
#ifndef LUNA_TESTS_UCODES_H
#define LUNA_TESTS_UCODES_H

#include "build_program.h"

/* Adds all of these to a program:
 *
 *     say(i) sayr(r) says(s) sayv(v)     print a line
 *     nop(i)
 *     init(n, i) initr(n, r) inits(n, s) set the output
 *     step(v, n)                         output = input + 1
 *     sum(v, v, n) sum3(v, v, v, n)      output = the sum, to 16 bits
 *     bytes(n, i)                        so many bytes, all of them 7
 *     unset(n)                           returns without setting it */
void build_ucodes(struct build *b);

#endif
