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
#ifndef LUNA_FAULT_FAULT_H
#define LUNA_FAULT_FAULT_H

#include "runtime/program.h"

#include <stdbool.h>

#define FAULT_MAP(X)                                                                               \
    X(RUN1, "value of the wrong type")                                                             \
    X(RUN2, "fragment assigned twice")                                                             \
    X(RUN3, "output left unset")                                                                   \
    X(RUN4, "division by zero, or a result beyond int")                                            \
    X(RUN5, "a function reported a failure")                                                       \
    X(RUN6, "a function crashed")                                                                  \
    X(RUN7, "a function ended the program")                                                        \
    X(RUN8, "indices do not fit")                                                                  \
    X(RUN9, "fragment freed while it was wanted")                                                  \
    X(RUN10, "the program cannot go on")                                                           \
    X(RUN11, "argument of main")                                                                   \
    X(RUN12, "the system has failed")                                                              \
    X(RUN13, "a fragment and the lattice of cells do not fit")                                     \
    X(RUN14, "elements of a reduction do not fit together, or are too many")                       \
    X(RUN15, "call that does not fulfil what its sub requires")                                    \
    X(RUN16, "a part outside of its fragment")                                                     \
    X(RUN17, "a fragment outside its shape")                                                       \
    X(RUN18, "a value is not as large as its bytes rule says")

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
/* Instead of fault_end, by who is called because of exit(): that goes on, so that what the program
 * keeps until then is written, and calls fault_exit_ends last, which does not return then. */
void fault_end_by_exit(int exit_code);
void fault_exit_ends(void);
/* What follows may hang: in some seconds the message is written as far as it is, and the process
 * leaves with this code. */
void fault_hurry(int exit_code);

/* The same, but the run was not wrong: without the line of the text, and fault_end follows with
 * EXIT_DONE. */
void fault_begin_warning(enum fault_code code, uint32_t place, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

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

/* ---- what others do meanwhile: fault.c knows nobody who uses it ---- */

/* This process has been forked: whoever waits for faults waits for the parent's. */
void fault_is_child(void);

/* Calls what fault_before_message was given: for those who write to stderr by themselves. */
void fault_message_begins(void);

/* Flushes stdout. What could not be written is told once, and makes EXIT_SYSTEM of EXIT_DONE. */
int fault_output(int exit_code);

/* Called when the process leaves, after its output is flushed, the last one first; `late`: that
 * took too long, and this is a signal handler. */
void fault_at_leave(void (*fn)(int exit_code, bool late));
void fault_forget_leave(void (*fn)(int exit_code, bool late));
/* Called before the message is written. */
void fault_before_message(void (*fn)(void));
/* Tells the place of the statement that runs on this thread, for out of memory. */
void fault_place_by(uint32_t (*fn)(void));
/* fault_leave() has been called: what fails or exits now is no fault of the program. */
bool fault_is_leaving(void);
/* It has, because of a fault that another thread tells. */
bool fault_is_told_elsewhere(void);

/* Flushes stdout and stderr for at most a second, then _exit. */
void fault_leave(int exit_code) __attribute__((noreturn));
/* Who leaves has crashed on the way: without a flush, with the code it was to leave with. */
void fault_leave_now(void);

#endif
