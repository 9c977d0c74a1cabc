/* tables.h - a program in memory, from its text, without a C compiler.
 *
 * The compiler's plan has the rows of the tables that it would print as C (lang/plan/plan.h); here
 * they become tables at once. Expressions that need C are read from their text whenever they are
 * needed (expr.h). Functions are those of `functions`, by name. So thousands of programs can be run
 * in a minute. */
#ifndef LUNA_TESTS_SCHEDULE_TABLES_H
#define LUNA_TESTS_SCHEDULE_TABLES_H

#include "runtime/program.h"

struct tables_function {
    const char *name;
    void (*call)(const luna_actual *);
};

/* The list of functions ends with a row without name. A text with errors, or with what cannot be
 * had without a C compiler, ends the process with a message. One program a process. */
const struct luna_program *tables_of(const char *file, const struct tables_function *functions);

#endif
