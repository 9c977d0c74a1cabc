/* random_parts.h - what the files of random programs know of each other: the maker, who says a
 * program; what statements are made of; and the parts.
 *
 *     random_program.c     where parts stand, and what they call
 *     random_words.c       ints, how indices follow from counters, conditions
 *     random_boxes.c       a DF that is written in loops, and readers of it
 *     random_steps.c       steps that need each other: stencils, chains, solvers; who watches them
 *     random_subs.c        rows handed to subs, recursions
 *     random_values.c      branches, indices that are values, lives, and whatever comes
 *     random_shapes.c      DFs that have a shape, and are read beyond it
 *     random_rings.c       rings, chains of cases */
#ifndef LUNA_TESTS_RANDOM_PARTS_H
#define LUNA_TESTS_RANDOM_PARTS_H

#include "runtime/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { NAME_TEXT = 60, FORM_TEXT = 200 };

struct maker {
    uint64_t state;
    struct buf *subs, *decls;
    struct buf *out; /* where statements go */
    int number;      /* of the part */
    bool wrong;      /* something is shifted now and then */
    bool large;      /* ints that wrap around */
    bool ruled;      /* rules about lives */
    bool vague;      /* conditions and ends that only values tell */
    char shape[FORM_TEXT], outside[NAME_TEXT]; /* of the part's x, in n and m; "": it has none */
    struct buf *beyond; /* outside rules of what main declares */
};

unsigned pick(struct maker *p, unsigned n); /* less than n */
bool once_in(struct maker *p, unsigned n);
/* To `out`. */
void say(struct maker *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* 0, or where something is to be wrong, 1 or -1. */
int slip(struct maker *p);

int small(struct maker *p);
int some(struct maker *p); /* now and then large, where ints are to be */
int step(struct maker *p); /* of a loop */
/* An int that does not change in the part: a number, n, m. */
const char *fixed_int(struct maker *p, char *text);

/* How an index follows from a counter. */
struct form {
    enum { LINE, QUOTIENT, REST, CHOICE, FORMS } kind;
    int a, b, by;
};

struct form form_once(struct maker *p); /* each counter has an index of its own */
struct form form_any(struct maker *p);
/* As an index; a shift of 1 or -1 makes it wrong. */
const char *form_text(const struct form *f, const char *counter, int shift, char *text);
/* Of n and m, and of the counter; NULL: there is none. */
void condition(struct maker *p, const char *counter);

/* Says statements that write df and read it, and DFs that are named by a letter and the part's
 * number. */
typedef void part_fn(struct maker *p, const char *df);
part_fn part_box, part_stencil, part_chain, part_chain_down, part_solver, part_pipeline, part_rows,
    part_recursion, part_branches, part_index, part_lives, part_rests, part_soup, part_shaped,
    part_open, part_ring, part_cases, part_watched;

#endif
