/* graph.h - what a program's run consists of, and what waits for what: told by its text.
 *
 *     cf c[t][i]: w2(e, x[t][i - 1], x[t][i], x[t + 1][i])      a CALL, reads 2 values, writes one
 *     if, each turn of a while, a call of a sub                 a BODY: what stands in it can be
 *                                                               created when its values are there
 *     reduce max x[t + 1][i] over i = 0 .. 3 => all[t + 1]      a SUM
 *
 * A thing is created in the BODY it stands in, on the node of that (`for` and braces are none of
 * their own, unless they stand in a body of another node than 0: a loop without locator runs on
 * node 0). The program is unrolled here as the language is defined, with values: each call gives
 * one more than the largest of what it reads, so a `while` ends where it would.
 *
 * Where things run and values live follows from locators and cells; whose a cell is, is asked later
 * (graph_place). */
#ifndef LUNA_TESTS_SCHEDULE_GRAPH_H
#define LUNA_TESTS_SCHEDULE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

enum { GRAPH_DIMS = 2, GRAPH_SIDE = 64 }; /* sides of a lattice of two dimensions, at most */

enum thing_kind { THING_BODY, THING_CALL, THING_SUM };

struct spot {
    bool cell;
    int at[GRAPH_DIMS]; /* the cell; else a number of a node, modulo nodes, in at[0] */
    int node;           /* once it is placed */
};

struct thing {
    enum thing_kind kind;
    int body;       /* in which it is created; -1: it is main */
    struct spot at; /* where it runs */
    bool looped;    /* in a loop that nodes may walk themselves: each makes what runs there */
    double weight;  /* of a CALL */
    bool adds;      /* of a SUM: else it is the largest */
    bool shows;     /* of a CALL: it is `show`, which writes nothing */
    const char *name;
    int in, nin;    /* values: graph.in[in ...] */
    int level;      /* length of the longest way that leads here, in things */
};

struct value {
    int writer;     /* a thing; a `while` sets its counter by its last BODY */
    struct spot home;
};

struct graph {
    struct thing *thing;
    struct value *value;
    int *in;
    int things, values, ins;
    int calls, levels;
    int64_t answer; /* what `show` shows */
    int dims; /* of the lattice of cells; 0: there is none */
    struct arena *arena;
};

/* A program of text.h, with main(). Gives up with a message on what never comes. */
struct graph *graph_of(const char *text);
void graph_free(struct graph *g);

/* Numbers of nodes for all spots; owner[] by cell: i, or with two dimensions GRAPH_SIDE * i + j. */
void graph_place(struct graph *g, int nodes, const int *owner);

#endif
