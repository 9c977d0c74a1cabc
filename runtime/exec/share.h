/* share.h - loops that all nodes run together, so that they do not live on one.
 *
 * A loop whose bounds need no fragment, and whose calls have locators, is the same everywhere. When
 * it has many calls, the node that meets it sends it down a tree of nodes; each node walks
 * it and creates only the calls that run there. So each call is created once, where it runs,
 * without a message, and back-pressure is each node's own.
 *
 *     node that meets the loop --RANGE--> parts of the other nodes --RANGE--> ...
 *
 * Loops whose calls run with fragments bound to cells are cut by the cells the node founded
 * (distrib.h). If all are bound to one cell, the loop goes to its founder alone. When the locators
 * are affine in a counter, the innermost loop that decides is walked with a stride, over this
 * node's iterations only. What cannot be shared (a body with DFs of its own, conditions that need
 * fragments, calls of subs) is left to the one node where it runs anyway, and begun whole there, if
 * its iterations do not feed each other (exec_wide.c).
 */
#ifndef LUNA_RUNTIME_SHARE_H
#define LUNA_RUNTIME_SHARE_H

#include "runtime/table/task.h"

struct luna_program;
struct worker;
struct reader;

/* What is known of each block before the run. */
struct share {
    bool worth;      /* has calls with locators, perhaps in loops inside */
    bool uniform;    /* all of them have one locator, affine */
    bool pure;       /* has nothing else */
    bool located;    /* has any statements with locators or cells, perhaps far inside */
    uint32_t expr;   /* of that locator */
    double calls;    /* in one pass over it, as far as bounds are constants */
};

/* A row per block. NULL: out of memory. */
struct share *share_analyse(const struct luna_program *p);

/* Whether an expression is a constant, a counter, a parameter, or a sum of such. */
bool share_is_sum(const struct luna_program *p, uint32_t expr);

/* A `for`, an `if`; a `while` and its test, which has the body of the turns. */
bool share_has_body(const struct luna_site *site);
/* A `for` or `if` that need not run on one node only. */
bool share_is_control(const struct luna_site *site);
/* The block behind its `else`; LUNA_NONE: there is none. */
uint32_t share_other(const struct luna_site *site);

/* A fresh range of a `for` on its one node: sends it to all if that pays. */
void share_offer(struct worker *w, struct range *r);
/* Of a shared range: skip to this node's iterations. False: there are none. */
bool share_stride(struct worker *w, struct range *r);
/* Of a child of a shared range: does this node create it? */
bool share_is_mine(struct worker *w, const struct luna_site *site, struct task *draft);

bool on_range(struct worker *w, struct reader *r); /* handler; false: malformed */

#endif
