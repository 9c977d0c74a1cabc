/* run_child.h - runs a function in a child process, so that it may fail, crash or hang.
 *
 * stdout and stderr go to files, and what they hold is given back. A hang is a failure like any
 * other: a child that works for a minute (five under a sanitizer) is ended by SIGPROF, one that is
 * there for four by SIGALRM: on a busy machine a second of work takes many. */
#ifndef LUNA_TESTS_RUN_CHILD_H
#define LUNA_TESTS_RUN_CHILD_H

#include "tests/lib/check.h"

struct ran {
    int code;        /* exit code, or 256 + the signal that ended it */
    long rss_kib;    /* most memory it held */
    char *out, *err; /* lent until the next run */
};

/* Runs body(who) in a child, which ends with the code it gives. */
struct ran run_child(int (*body)(const void *who), const void *who);

/* A run that must end well and have printed `text`. */
#define CHECK_PRINTS(how, text)                                                                    \
    do {                                                                                           \
        struct ran ran_ = (how);                                                                   \
        CHECK(ran_.code == 0, "exit %d, said\n%s", ran_.code, ran_.err);                           \
        CHECK_STR(ran_.out, text);                                                                 \
    } while (0)

/* A run that must end with `code` and say exactly `text`. */
#define CHECK_FAILS(how, want, text)                                                               \
    do {                                                                                           \
        struct ran ran_ = (how);                                                                   \
        CHECK(ran_.code == (want), "exit %d, said\n%s", ran_.code, ran_.err);                      \
        CHECK_STR(ran_.err, text);                                                                 \
    } while (0)

#endif
