/* exit.h - how a run ends, as its parent sees it: the exit codes of the product. */
#ifndef LUNA_BASE_EXIT_H
#define LUNA_BASE_EXIT_H

enum exit_code {
    EXIT_DONE = 0,
    EXIT_PROGRAM = 1, /* the program has errors */
    EXIT_USAGE = 2,
    EXIT_RUN = 3,     /* run-time error of the program */
    EXIT_STUCK = 4,   /* waits for fragments that will never come */
    EXIT_SYSTEM = 5,
    EXIT_SIGNAL = 128 /* and the number of the signal that ended it */
};

/* Of an output that cannot be written, with the error of the system: is it the path's fault? */
enum exit_code exit_unwritten(int e);

#endif
