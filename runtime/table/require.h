/* require.h - what the parameters of a sub must fulfil before its body begins. */
#ifndef LUNA_TABLE_REQUIRE_H
#define LUNA_TABLE_REQUIRE_H

#include "runtime/data/frame.h"
#include "runtime/program.h"

enum { REQUIRE_CALL = 200 };

/* The first requirement that the words of `f`, a frame of the sub, do not fulfil; NULL: all is
 * well. What fails on the way is a fault at `place`. */
const struct luna_require *require_broken(const struct luna_program *p, const struct luna_sub *sub,
                                          const struct frame *f, uint32_t place);
/* f(3, _, 0.5): the call with what can be told of its arguments. */
const char *require_call(const struct luna_sub *sub, const struct frame *f,
                         char text[REQUIRE_CALL]);

#endif
