/* graph.h - what place looks at: which calls touch which fragments, by which counters.
 *
 * A counter is one of the text, whichever way leads to it: all that is found here concerns
 * statements as they are written. An index of a fragment is a counter times c plus k, in each of
 * the ways it may come out. The coordinate of a counter is itself at first. */
#ifndef LUNA_LANG_PLACE_GRAPH_H
#define LUNA_LANG_PLACE_GRAPH_H

#include "lang/plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

enum { BOUND_TERMS = 4, TURNS_MOST = 64, TURNS_OF_WHILE = 12 };

/* An int in main's words: k + sum of factor * word of its frame, divided by `by` and cut downwards;
 * by 0: not divided. */
struct end {
    bool known;
    int64_t k, by;
    int n;
    struct {
        uint32_t word;
        int64_t factor;
    } term[BOUND_TERMS];
};

struct counter { /* of a `for`, a `while` or a reduction */
    const struct plan_site *site;
    bool of_while;
    bool slanted; /* where it begins or ends depends on other counters */
    struct end lo, hi; /* its least value and its most */
    int32_t step;
    int64_t stride, base; /* it is base + stride times the coordinate: strides.h */
    double turns;         /* as far as they count */
};

struct index_step { /* an index: c * coordinate of the counter + k; counter -1: just k */
    int counter;
    int64_t c, k;
    bool sometimes; /* in some turns: a condition of the program, or a remainder, says in which */
};
struct index { /* in the ways it may come out; n 0: nothing is known of it */
    int n;
    struct index_step *step;
    int64_t lo, hi; /* it is surely between */
};

struct touch {
    int stop;
    uint32_t df; /* a row of plan->dfs */
    bool write;
    bool first;                /* of the outputs of its call */
    bool number;               /* nothing but an int or real is taken */
    const struct index *index; /* as many as the DF has */
    int order;                 /* of the touches of its stop: what it follows is the first */
};

struct stop { /* a call, or an element or the result of a reduction */
    const struct plan_site *site;
    int ncounters;
    const int *counter; /* outermost first */
    double turns;       /* of all of them */
    int ntouches, room;
    int *touch;
};

/* Where the frame, or the locals, of an activation have it. NOWHERE: they have not. */
enum source_kind { SOURCE_NOWHERE, SOURCE_LOCAL, SOURCE_INT, SOURCE_INDEX };
struct source {
    enum source_kind kind;
    uint16_t word;
    int index; /* INDEX: this one of the name in that word */
};

/* Of a sub's activations: the loops around the call of it that has most of them, and around the
 * calls above. */
struct activations {
    int n;
    const int *counter; /* outermost first */
    const struct source *source; /* for each: where something that goes along with it is, */
    const struct index *index;   /* and how; c is above 0 */
};

enum { SEEN_OUT = 1, SEEN_TOUCHED = 2, SEEN_READ = 4, SEEN_WHOLE = 8 };
struct fragments { /* of a DF */
    unsigned seen; /* OUT: it has no one place; WHOLE: some reader takes more than a number */
    int n, hidden; /* indices; the first `hidden` are what is around the declaration: */
    int outer;     /* so many loops around activations of its sub, then those in it */
    const struct source *source; /* of the hidden */
    int touch, ntouches;  /* its touches: those from here on */
};

struct place_graph {
    struct arena *arena;
    const struct plan *plan;
    struct counter *counters;
    int ncounters, counters_room;
    struct stop *stops;
    int nstops, stops_room;
    struct touch *touches;
    int ntouches, touches_room;
    struct fragments *dfs;     /* by row of plan->dfs */
    struct end **given;        /* by sub and word of its frame: what it surely is */
    struct activations *activations; /* by sub */
    int *stop_of, *counter_of; /* by row of plan->sites; -1: none */
};

/* a - b. Not known if one of them is not, or is divided, or they are too many words. */
struct end end_less(const struct end *a, const struct end *b);
/* It and k, divided; it is not divided yet. */
struct end end_divided(const struct end *a, int64_t k, int64_t by);
bool end_same(const struct end *a, const struct end *b);
bool end_constant(const struct end *a);

/* No rule can be made of this index. */
static inline bool
graph_is_nowhere(const struct place_graph *g, uint32_t df, int position)
{
    const struct fragments *f = &g->dfs[df];
    return position < f->hidden && f->source[position].kind == SOURCE_NOWHERE;
}

/* What is in main's words, in those of a sub. False: it has not all of them. */
bool graph_words_in(const struct place_graph *g, uint32_t sub, const struct end *of,
                    struct end *there);

/* Of all that main reaches. */
void graph_make(struct place_graph *g, struct arena *a, const struct plan *p);

#endif
