/* gather.h - calls with lists: `f(x[i] over i = 0..n, y[j] over j = 0..m)`.
 *
 *     the call has its inputs, and its node is this one
 *        a *gather*: the call on the heap, and a place for each element of its lists
 *        of each list that is read what is here is taken; of the others each is asked for, as any
 *        reader asks (a TERM), and comes to its place: at once, or by a loop if they are many.
 *        Nobody combines anything, and no loop is shared
 *     the last one has come: the call is ready, and its turn comes; if none was missing, on
 *        the only node, it runs at once
 *
 * From its beginning on the call stays on its node, whatever becomes of its cell. */
#ifndef LUNA_RUNTIME_GATHER_H
#define LUNA_RUNTIME_GATHER_H

#include "runtime/exec/exec_parts.h"

struct gather;
struct fold;

/* Takes the inputs, not the task. */
void gather_begin(struct worker *w, struct task *t);
/* The gather of a call whose lists are here (TASK_GATHERED). */
struct gather *gather_of(struct task *t);
/* Takes the call and its count of the frame: it has run, and its inputs are gone. */
void gather_end(struct worker *w, struct task *t);

/* An element has come (takes the count), or all of a list. */
void gather_came(struct fold *f, uint32_t number, luna_value v);
/* The element that a list waited for has come: it may wait for another one. */
void gather_goes_on(struct worker *w, struct frame *frame);
/* The run is stuck: the list asks for all that is missing, so that all of it is told. */
void gather_asks_all(struct worker *w, const struct task *term);
void gather_list_came(struct worker *w, struct fold *f);

/* ---- while the call runs ---- */

/* What the function sees of list k. */
const struct luna_list *gather_list(struct worker *w, struct gather *g, unsigned k);
/* Assigns the elements of all lists that are assigned. */
void gather_put(struct worker *w, struct gather *g);
/* A traced run: the longest chain of what is read in lists; that of what was assigned. */
uint32_t gather_chain(const struct gather *g);
void gather_set_chain(struct gather *g, uint32_t chain);
/* -g: notes what was read before the call, and looks behind it. */
void gather_guard_inputs(struct gather *g);
void gather_guard_look(struct worker *w, struct gather *g);

#endif
