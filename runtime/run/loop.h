/* loop.h - how far a run is: in which iteration of its outermost loop a call runs.
 *
 * Meant are loops whose iterations follow each other: `while`, and `for` if its iterations may feed
 * each other. The counter is a word of the call, or, if the loop stands around a call of the sub in
 * which the call is made, an int that was handed to it. Where it is is found in the rows of the
 * program, once. */
#ifndef LUNA_RUNTIME_LOOP_H
#define LUNA_RUNTIME_LOOP_H

#include "runtime/program.h"

#include <stdbool.h>

struct loops;
struct running;

/* How it is told where a loop is; always, what is less is further behind. */
enum loop_form {
    LOOP_COUNTER,
    LOOP_TURNS, /* from 0 on: of a `for` with a step whose bounds are known */
    LOOP_DOWN   /* the counter times -1: of one that goes down, if they are not */
};

struct loop_at {
    uint32_t place; /* of the loop */
    bool ends;      /* its bounds are known: */
    int64_t first, last, at;
    enum loop_form form;
};

/* `main`: the first so many words of its activation, copied; NULL: this process does not know them.
 * NULL: no memory. */
struct loops *loops_new(const struct luna_program *p, const luna_word *main);
void loops_free(struct loops *l);
/* Of a call that ran a moment ago on some thread. False: it is in no such loop, or it has ended. */
bool loop_of(const struct loops *l, const struct running *r, struct loop_at *at);

#endif
