/* directions.h - which counters and indices go along with each other: the directions in which a
 * program extends.
 *
 * A counter of a stop and an index of a DF are in one direction if the stop touches what has this
 * index where its counter is, give or take a constant: they have a common coordinate, which is the
 * counter, or the index by its scale, plus an offset. */
#ifndef LUNA_LANG_PLACE_DIRECTIONS_H
#define LUNA_LANG_PLACE_DIRECTIONS_H

#include "lang/place/graph.h"

/* What writes of c * counter + k with k in base .. base + c - 1 make: (index - base) / c. */
struct scale {
    int64_t c, base;
};

struct direction_member { /* of a direction: a counter of a stop, or an index of a DF */
    bool of_df;
    int of, position;
    int64_t offset; /* its coordinate is it and that */
};

struct direction {
    int n, room;
    struct direction_member *member;
    double weight; /* of the touches along it */
    double turns;  /* of its longest counter */
    bool has_index, slanted, of_while;
    int widest;     /* a counter whose ends main knows; -1: there is none, */
    int64_t offset; /* and its offset */
};

struct directions {
    const struct place_graph *graph;
    int n;
    struct direction *all;
    int *first_counter, *first_index; /* of each stop, and of each DF: among all of these */
    int *number;                      /* of its direction, */
    int64_t *offset;                  /* and its offset there */
    struct scale *scale;              /* likewise; of indices */
};

/* Of an index. False: there is a write of another slope, or none that says something. */
bool directions_scale(const struct place_graph *g, uint32_t df, int position, struct scale *out);

void directions_find(struct directions *d, struct arena *a, const struct place_graph *g);

/* Where the index is if the counter is 0: by the DF's scale. False: they are no multiples. */
bool directions_step(const struct scale *scale, const struct index_step *s, int64_t *at);
/* The place of a counter among those of a stop; -1: it is not around it. */
int directions_counter(const struct stop *s, int counter);

#endif
