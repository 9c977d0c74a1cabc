/* run_program.h - runs a program in a child process, with options of a run. */
#ifndef LUNA_TESTS_RUN_PROGRAM_H
#define LUNA_TESTS_RUN_PROGRAM_H

#include "run_child.h"

#include "runtime/run/runtime.h"

struct ran run_program(const struct luna_program *p, struct run_options o, int argc, char **argv);

/* RUN(p, .workers = 2) */
#define RUN(p, ...) run_program((p), (struct run_options){__VA_ARGS__}, 0, NULL)

#endif
