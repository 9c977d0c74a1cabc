/* values.h - what is told of single values when they are assigned.
 *
 *     --print=x[3][*]    each on a line:           main.x[3][7] = 5
 *     --hash=values      at the end, sorted:       value main.x[3][7] int 4 0123456789abcdef
 *     --compare=FILE     of such lines, those that are not as in FILE
 *
 * Lines hold name, type, bytes, and XXH3-64 of type and bytes. Several activations of a sub give
 * several lines of one name; FILE is a bag of lines. Where a value differs although the call that
 * assigned it has read only values that FILE has, an error has begun.
 *
 * It must not know nodes: each process tells of its own, and runtime.c brings the ends together. */
#ifndef LUNA_RUNTIME_VALUES_H
#define LUNA_RUNTIME_VALUES_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/data/key.h"
#include "runtime/program.h"

#include <stdbool.h>
#include <stdio.h>

struct values_options {
    const char *print;     /* NULL: nothing */
    bool list;
    const char *compare;   /* the text of FILE; NULL: nothing */
    int workers;
};

/* What is wrong with --print's words, or NULL. */
const char *values_print_wrong(const struct luna_program *p, const char *words);
/* How many lines of values a text has. */
size_t values_lines(const char *text);

enum err values_open(const struct luna_program *p, const struct values_options *o);
void     values_close(void);

/* A value has been assigned by this worker. True: it is not as in FILE. */
bool values_note(int worker, const struct key *k, const luna_value *v);
/* FILE has such a value, or there is none to compare with. */
bool values_known(const struct key *k, const luna_value *v);
/* Where an error has begun: what is said of it, in the order of time. */
void values_began(int worker, const char *text);

/* ---- the end ---- */

/* --print: how many values this process has printed. */
uint64_t values_printed(void);
/* --hash=values: the lines of this process, in no order. */
void values_listed(struct buf *out);
/* Prints lines of several processes, sorted. */
void values_print(struct buf *lines, FILE *out);
/* --compare: FILE's lines that were met, a number each, to be summed over processes; */
uint64_t *values_met(size_t *n);
/* and what this process has seen that FILE has not. */
void values_differing(struct buf *out);
/* Says what differs, once all are brought together; `name` is FILE's. True: nothing does. */
bool values_verdict(const char *name, const uint64_t *met, struct buf *differing, FILE *out);

#endif
