/* where.h - where things are on many nodes: the home of a fragment, the node of a statement.
 *
 * Both follow from locators: an expression, modulo the number of nodes. Without one, a fragment
 * that is bound to a cell lives with the cell's owner, and a statement runs with the first bound
 * fragment it names; all else is on node 0. A replicated fragment has a copy on all
 * nodes, or on every k-th; its readers ask the copy next to them. Only used when there are several
 * nodes.
 *
 * It asks nobody: what is not a formula is the map's to tell (distrib.h). */
#ifndef LUNA_RUNTIME_WHERE_H
#define LUNA_RUNTIME_WHERE_H

#include "runtime/node/node.h"

/* The node of a locator's value, which may be negative. Most are numbers of nodes: no division. */
static inline int
where_modulo(int32_t v, int nodes)
{
    if (v >= 0 && v < nodes) return (int)v;
    int m = (int)(v % nodes);
    return m < 0 ? m + nodes : m;
}

/* Where a reader asks for the fragment `ref` names; k is its key, and gets its cell. */
struct dest where_home(const struct node *n, luna_env *e, uint32_t ref, struct key *k);
/* The same: does the fragment have one home, and is it here? */
bool where_is_home(const struct node *n, luna_env *e, uint32_t ref, struct key *k);
/* On the way to whoever owns a cell. */
struct dest where_of_cell(const struct node *n, uint32_t cell);
/* The node of a statement whose locator needs no fragment. */
struct dest where_of_site(const struct node *n, const struct luna_site *site,
                          const struct task *t);
/* Decides where a statement runs, its preliminary inputs being here. True: on this node. False: it
 * has been sent there; a task on the heap was taken. */
bool where_task(struct worker *w, const struct luna_site *site, struct task *t, bool draft);

/* Put, kill and push where the reference says. Take the value's count. */
void where_put(struct worker *w, uint32_t site, const struct task *t, luna_env *e, uint32_t ref,
               struct key *k, luna_value v, int32_t uses);
void where_kill(struct worker *w, uint32_t site, luna_env *e, uint32_t ref, struct key *k);
void where_push(struct worker *w, uint32_t site, const struct task *t, luna_env *e, uint32_t label,
                const struct key *k, luna_value v);

#endif
