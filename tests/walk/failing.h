/* failing.h - what failing.c tells walk.c about a run: a page of a file that all processes map. */
#ifndef LUNA_TESTS_FAILING_H
#define LUNA_TESTS_FAILING_H

#include <sys/types.h>

struct fail_page {
    long most;     /* calls that the process with the most has made */
    long met;      /* calls that failed */
    pid_t pid;     /* of the first that failed */
    char from[64]; /* whose call it was: the name of an executable or library */
};

#endif
