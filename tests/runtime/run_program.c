/* run_program.c - see run_program.h. */
#include "run_program.h"

struct run {
    const struct luna_program *program;
    struct run_options options;
    int argc;
    char **argv;
};

static int
run_body(const void *who)
{
    const struct run *r = who;
    return runtime_run(r->program, &r->options, r->argc, r->argv);
}

struct ran
run_program(const struct luna_program *p, struct run_options o, int argc, char **argv)
{
    return run_child(run_body, &(struct run){p, o, argc, argv});
}
