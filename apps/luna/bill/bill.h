/* bill.h - what a run will send and what must wait for what, before it: `luna plan`.
 *
 * The program is walked by lang/unroll for these arguments. Each statement has a node and each
 * fragment a home, by the rules of runtime/exec/where.c; owners of cells are those that distrib
 * tells. Nothing runs.
 *
 *     a read   of a fragment with another home: one message from there, if nobody else on this
 *              node reads it; else between one and as many as there are readers, since those that
 *              wait together share an answer
 *     a put    to another home: a message
 *     a call   that is created elsewhere takes what it already knows: a message each
 *
 * So it is in runs of one process that do not balance: of several, a value for many nodes goes by a
 * tree (runtime/exec/spread.c), as a collective. What loops and reductions send down and up their
 * trees is not here, as in AvgSD; nor what finds the end. */
#ifndef LUNA_APPS_BILL_H
#define LUNA_APPS_BILL_H

#include "lang/unroll/unroll.h"
#include "runtime/node/owners.h"

enum { BILL_NONE = -1 };

struct bill_count {
    uint64_t least, most;
};

struct bill_pair { /* values of one DF from node to node */
    uint32_t decl;
    int from, to;
    struct bill_count n;
};

struct bill_access { /* where the text says so */
    const struct plan_site *site;
    int input; /* of it; BILL_NONE: an output */
    uint32_t decl;
    struct bill_count n;
};

struct bill_alive { /* fragments of one DF */
    uint32_t decl;
    uint64_t made, most; /* at once, if calls run in the order of the text */
};

struct bill {
    struct arena *arena;
    int nodes;
    uint64_t calls, calls_most; /* of a node */
    uint64_t path;              /* the longest chain of calls */
    uint64_t nwalked;           /* statements: turns of loops that are alike are left out */
    double weight, path_weight, weight_most;
    bool weighed;  /* some call has a weight of its own, */
    bool vague;    /* or one that is a value: it counts as 1 */
    bool parts_again; /* a node reads several parts of a fragment of another one */
    bool circle;   /* some calls wait for each other */
    struct bill_pair *pairs; /* by DF, from, to */
    struct bill_access *accesses;
    struct bill_alive *alive;
    size_t npairs, naccesses, nalive;
    struct bill_count messages;
    double far_least, far_most; /* AvgSD if as few, or as many, are sent as may be */
    const double *bytes; /* by declaration: the mean size of its values, out of a trace or by its
                          * rule; below 0: not known */
};

/* False: it cannot be told, and *fault says why; "": there was no memory. */
bool bill_make(struct bill *b, struct arena *a, const struct plan *p, const struct layout *layout,
               int nodes, const struct unroll_setup *s, const double *bytes,
               struct unroll_fault *fault);

/* Of all sends; false: the size of one is not known, of *decl (may be NULL). */
bool bill_bytes(const struct bill *b, struct bill_count *bytes, uint32_t *decl);

/* For people; for programs. */
struct source;
void bill_print(const struct bill *b, const struct plan *p, const struct source *s);
void bill_print_json(const struct bill *b, const struct plan *p, const struct source *s,
                     struct buf *out);

#endif
