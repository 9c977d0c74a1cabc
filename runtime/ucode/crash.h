/* crash.h - who runs what: set around each call of a ucode, read when it crashes, ends the process,
 * or fails by luna_fail. The message names the call. It must not know schedulers or nodes. */
#ifndef LUNA_UCODE_CRASH_H
#define LUNA_UCODE_CRASH_H

#include "runtime/program.h"

#include <stdbool.h>
#include <stddef.h>

struct task;
struct running {
    const struct luna_site *site; /* NULL: no ucode runs on this thread */
    const char *function;
    const struct task *task;
    const struct luna_df *df; /* of the worker on this thread: argument i of the call is df[i], */
    const union luna_actual *actual; /* or, if it is a list, actual[i].list */
    uint64_t begun; /* ticks, if the call is measured; 0: nobody has looked at a clock */
};
extern _Thread_local struct running running;

/* Behind each call, if there is a reason: functions change how floating-point arithmetic rounds,
 * which is set back; or one has forked, and this is the child, which ends here. */
extern bool running_looks_after;
void running_look_after(void);

/* What runs on each thread that crash_handler_thread has met; others go on meanwhile, so only what
 * lives as long as the program may be looked at. For signal handlers, too. */
void running_each(void (*fn)(void *who, const struct running *r), void *who);

/* The name of a DF that the running ucode was given; false: it is none of its arguments, or the
 * value of an expression. */
bool running_name_df(const struct luna_df *df, char *text, size_t size);
/* There was no memory for n bytes of `df`: a fault, if no machine like this one has so much,
 * whatever else is in use. */
void running_asks_too_much(const struct luna_df *df, size_t n);

/* luna_fail with a hint, and with who may have assigned the DF that was read; both may be NULL. */
void running_fail(const struct luna_df *read, const char *hint, const char *fmt, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

/* Catches SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT on an alternate stack (one per thread), and
 * exit() called by a ucode. */
void crash_handler_install(void);
/* Before that, around the loading of a program: static objects have constructors. */
void crash_handler_load(bool begins);
/* The run is over: what fails now does so in a destructor, or the like. */
void crash_handler_end(void);
void crash_handler_thread(void);
void crash_handler_thread_end(void);

#endif
