/* tree.h - random programs of test_prove as trees: made of a seed, and printed as text.
 *
 * main takes an int, n, and has the DFs x, y and z, and w, which a `while` at its top writes; loops
 * have a DF of their own. There are loops, `while`s, branches, and calls of put(), get(), copy() and
 * both(), which the text defines. Most are wrong. */
#ifndef LUNA_TESTS_TREE_H
#define LUNA_TESTS_TREE_H

#include "runtime/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { NODES = 200, DFS = 3, DEPTH = 4 };
enum { LINE_BOTH = 6 }; /* of the put of both() */

enum kind { FOR, WHILE, IF, PUT, GET, CALL, COPY };
enum shape { SUM, QUOTIENT, REST, CHOICE, HELD };
/* a*counter + b*counter + c*n + k, or that over or modulo `by`, or chosen by it, or w more. */
struct tree_index {
    enum shape shape;
    int a, u, b, v, c, k, by;
};

struct tree_node {
    enum kind kind;
    struct tree_index lo, hi; /* FOR; IF: lo op hi; PUT, GET, CALL: the indices; COPY: to, from */
    int op, df, depth;         /* df: DFS + d is the one of the loop at depth d */
    int step;                  /* FOR */
    int from;                  /* COPY: the DF */
    int body, next;            /* NODES: none */
    int other;                 /* IF: what stands behind `else`; NODES: there is none */
    bool vague;                /* IF: its condition is one that sets cannot say */
    bool promises;             /* PUT: it has a req_count, */
    struct tree_index readers; /* and which */
    int line;                  /* in the text */
};

struct tree {
    uint64_t state;
    struct tree_node node[NODES];
    int n, first;
    bool has_df[DEPTH]; /* loops of that depth declare one, on the way to where we are */
    bool held;          /* w has been written by a while */
    bool sparing;       /* each DF has one statement that writes it */
    bool promising;     /* and says how many readers there are */
    bool copying;       /* values are made of others */
    bool turning;       /* it begins with a `while` like those of solvers */
    bool written[DFS + DEPTH];
};

/* False: it has been cut, perhaps to an empty block. */
bool tree_make(struct tree *p, unsigned long seed);
/* Notes the lines of the nodes. */
void tree_print(struct buf *out, struct tree *p);

#endif
