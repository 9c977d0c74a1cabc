/* reduce.h - reductions of fragments: `reduce + x[i] over i = 0..n => s`.
 *
 *     REDUCE on its node: the bounds are known
 *        a *fold*: an activation with what this node has of the reduction so far (partials.h)
 *        the loop over the elements, shared by all nodes if that pays (share.h); each has a fold
 *     TERM, one an element, mostly where the element lives
 *        asks for it, as any reader does; when it is here, adds it to the fold of this node
 *        elements whose cells have changed hands: TERMS, a list, to the node that has them, which
 *        makes a fold for them
 *     the fold has lost its last count: all loops here are walked, all terms added, and all folds
 *     that were sent the loop from here have reported
 *        FOLDED with the parts it has, to the fold that sent the loop here; the first one assigns
 *
 * Up to REDUCE_FEW elements on the only node need none of this: they are waited for by the
 * statement itself and combined when the last one has come (reduce_few.c). Of more elements there
 * so many neighbours wait as one, without terms.
 *
 * Nobody waits: a fold is an armed operation whose threshold is the count of its frame, and who
 * takes off the last count sends. What is combined with what depends on the indices alone
 * (partials.h), whoever does it and in whatever order elements come; operations for which the order
 * makes no difference (combine.h) keep one value instead of parts. */
#ifndef LUNA_RUNTIME_REDUCE_H
#define LUNA_RUNTIME_REDUCE_H

#include "runtime/node/node.h"

struct reader;

enum { REDUCE_FEW = 16 };

/* The two kinds of statements. Take the inputs, not the task. */
void reduce_begin(struct worker *w, const struct luna_site *site, struct task *t);
/* True: it was a reduction of a few elements, of which the last has come; that takes the task. */
bool reduce_term(struct worker *w, const struct luna_site *site, struct task *t);
/* A few elements: they are asked for; element `at` has come (takes the count). */
void reduce_few_ask(struct worker *w, struct task *t);
void reduce_few_came(struct worker *w, struct task *t, unsigned at, luna_value v);
/* What waits for one of a few becomes the input of a term, as reports know it. */
void reduce_few_show(const struct luna_program *p, struct input_link *link);

/* A loop over elements as a whole: those that are here already, many at once. The draft and the
 * cook are its own. */
enum reduce_walked {
    WALKED_NOT,    /* it is to be run like any other loop, and nothing was done */
    WALKED,        /* to its end */
    WALKED_SOME,   /* there is more */
    WALKED_IN_VAIN /* there is more, but it is still to be made (harvest.h) */
};
struct cook;
enum reduce_walked reduce_walk(struct worker *w, struct range *r, struct cook *c);
/* Where elements are still to come, their loop stands aside. */
bool reduce_is_harvested(const struct worker *w, const struct frame *frame);
/* A loop over elements that are still to come goes to those that are walked later (harvest.h). */
void reduce_put_aside(struct worker *w, struct range *r, bool last);
/* A loop has come: if it is over elements, its frame gets a fold. False: malformed. */
bool reduce_join(struct worker *w, struct range *r);
/* A function combines its elements. */
bool reduce_operates(const struct frame *f);
/* How many elements the loop has in all nodes. */
uint32_t reduce_total(const struct frame *f);
/* The fold has lost its last count. Takes the frame. */
void reduce_ended(struct worker *w, struct frame *f);
/* What other nodes have sent, as an entry of the queues. Takes it. */
void reduce_arrived(struct worker *w, struct task *t);
bool on_folded(struct worker *w, struct reader *r); /* handlers; false: malformed */
bool on_terms(struct worker *w, struct reader *r);

#endif
