/* built.h - a program built by hand, call by call: what tests of whole runs begin with. */
#ifndef LUNA_TESTS_BUILT_H
#define LUNA_TESTS_BUILT_H

#include "run_program.h"
#include "ucodes.h"

static struct build *b; /* the program of the running test */

/* A new program that has the ucodes and no sub yet. */
static inline void
begin(void)
{
    build_free(b);
    b = build_new();
    build_ucodes(b);
}

#define SAY(e, ...) CALL("say", .arg = {A_INT(e)}, __VA_ARGS__)
#define INIT(ref, e, ...) CALL("init", .arg = {OUT(ref), A_INT(e)}, __VA_ARGS__)
#define STEP(from, to, ...) CALL("step", .in = {from}, .arg = {VALUE(IN(0)), to}, __VA_ARGS__)

#endif
