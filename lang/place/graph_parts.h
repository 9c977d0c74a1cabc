/* graph_parts.h - what the files of graph share. */
#ifndef LUNA_LANG_PLACE_GRAPH_PARTS_H
#define LUNA_LANG_PLACE_GRAPH_PARTS_H

#include "lang/place/graph.h"
#include "lang/prove/access.h"

struct builder {
    struct place_graph *g;
    struct walk **walks; /* by sub */
    bool *reached;
    char *state; /* of given[]: 0 not asked, 1 being asked, 2 known */
    struct activation *inside; /* by sub */
};

/* Around activations of the sub that is looked at, and in it: so many, outermost first. */
const int *graph_counters(struct builder *b, const struct walk *w, const struct nesting *at,
                          int *n);
/* Seen by several ways, that with most counters counts; of those that of its own sub. */
int graph_stop(struct builder *b, const struct plan_site *site, const int *counter, int n,
               bool own);

/* What an access to this DF touches, of which the walk sees so many indices (graph_touch.c). */
void graph_add_touches(struct builder *b, const struct walk *w, const struct access *x,
                       uint32_t df, int n, bool write);

#endif
