/* fault.h - the run cannot go on: say where and why, flush the program's output, leave.
 *
 * A fault of the program is printed as the compiler prints its diagnostics:
 *
 *     heat.fa:14:16: error[RUN2]: 'x[2][7]' is assigned twice, by step[3]
 *        14 |     cf b: step(u[i]);
 *           |           ^~~~
 *     hint: ...
 *
 * The first fault of a process wins; other threads that meet one stop quietly. */
#ifndef LUNA_RUNTIME_FAULT_H
#define LUNA_RUNTIME_FAULT_H

#include "runtime/program.h"

#include <stdbool.h>

#define FAULT_MAP(X)                                                                               \
    X(RUN1, "value of the wrong type")                                                             \
    X(RUN2, "fragment assigned twice")                                                             \
    X(RUN3, "output left unset")                                                                   \
    X(RUN4, "division by zero, or a result beyond int")                                            \
    X(RUN5, "a ucode reported a failure")                                                          \
    X(RUN6, "a ucode crashed")                                                                     \
    X(RUN7, "a ucode ended the program")                                                           \
    X(RUN8, "indices do not fit")                                                                  \
    X(RUN9, "fragment freed while it was wanted")                                                  \
    X(RUN10, "the program cannot go on")                                                           \
    X(RUN11, "argument of main")                                                                   \
    X(RUN12, "the system has failed")                                                              \
    X(RUN13, "a fragment and the lattice of cells do not fit")                                     \
    X(RUN14, "elements of a reduction do not fit together")

#define FAULT_ENUM(code, words) F_##code,
enum fault_code { FAULT_MAP(FAULT_ENUM) FAULT_CODES };
#undef FAULT_ENUM

/* The program whose places and files messages name. */
void                       fault_set_program(const struct luna_program *p);
const struct luna_program *fault_program(void);

/* The command that repeats this run, told with each fault; NULL: none. */
void fault_set_repeat(const char *command);

/* Starts the one message of this run; place LUNA_NONE: none. Does not return when another thread
 * has already started one. Then notes and hints, then fault_end, which does not return. */
void fault_begin(enum fault_code code, uint32_t place, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void fault_note(uint32_t place, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void fault_hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fault_end(int exit_code) __attribute__((noreturn));

/* A warning, and the run goes on. Only the first of a run is told: a loop would give thousands. */
void fault_warn(enum fault_code code, uint32_t place, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* All in one, with the exit code 3. */
void fault(enum fault_code code, uint32_t place, const char *fmt, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
/* Out of memory: exit code 5, after `report` (may be NULL) has said what holds most of it; it gives
 * whether these are values. */
void fault_nomem(void) __attribute__((noreturn));
void fault_set_nomem_report(bool (*report)(void *who), void *who);

/* Called when the process leaves, after its output is flushed; `late`: that took too long, and this
 * is a signal handler. NULL: none. */
void fault_set_leave(void (*fn)(int exit_code, bool late));

/* Flushes stdout and stderr for at most a second, then _exit. */
void leave(int exit_code) __attribute__((noreturn));

/* ---- who runs what: set around each call of a ucode, read by faults, crashes and luna_fail ----
 */
struct task;
struct running {
    const struct luna_site *site; /* NULL: no ucode runs on this thread */
    const char *function;
    const struct task *task;
    const struct luna_df *df; /* of the worker on this thread: argument i of the call is df[i] */
};
extern _Thread_local struct running running;

/* The name of a DF that the running ucode was given; false: it is none of its arguments, or the
 * value of an expression. */
bool running_name_df(const struct luna_df *df, char *text, size_t size);

/* luna_fail with a hint, which may be NULL. */
void running_fail(const char *hint, const char *fmt, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* Catches SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT on an alternate stack (one per thread), and
 * exit() called by a ucode. */
void crash_handler_install(void);
void crash_handler_thread(void);
void crash_handler_thread_end(void);

#endif
