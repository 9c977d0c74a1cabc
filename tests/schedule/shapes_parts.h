/* shapes_parts.h - dice and text, for those who write shapes. */
#ifndef LUNA_TESTS_SCHEDULE_SHAPES_PARTS_H
#define LUNA_TESTS_SCHEDULE_SHAPES_PARTS_H

#include "shapes.h"

#include "runtime/base/rng.h"

enum { TEXTS = 32, TEXT = 160 };
enum placing { NOWHERE, BY_CELLS, BY_LOCATORS };

struct gen {
    struct rng dice;
    struct buf *o;
    int nodes, shape, room;   /* room: about how many calls a shape may have */
    bool threads, no_else;
    enum placing placing;
    int dims, side[2];        /* of the lattice of cells */
    int n;                    /* width of this shape: elements that are spread over nodes */
    char spot[TEXT];          /* of element i of n, for cells and locators */
    char text[TEXTS][TEXT];   /* expressions in the making */
    int next;
    struct buf *subs; /* that are to stand before this one */
    int number;       /* of names */
};

static inline int
dice(struct gen *g, int n)
{
    return (int)rng_below(&g->dice, (uint64_t)n);
}

static inline int
between(struct gen *g, int lo, int hi)
{
    return hi <= lo ? lo : lo + dice(g, hi - lo + 1);
}

#define PUT(g, ...) buf_printf((g)->o, __VA_ARGS__)

/* One of the last TEXTS ones. */
__attribute__((format(printf, 2, 3))) const char *say(struct gen *g, const char *fmt, ...);

int long_cost(struct gen *g);
/* By the numbers i and j. */
const char *cost(struct gen *g, const char *i, const char *j);

/* A shape of which the parts are shapes (pieces.c). */
void pieces(struct gen *g);

#endif
