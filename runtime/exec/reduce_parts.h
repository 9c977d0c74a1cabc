/* reduce_parts.h - what the files of reductions share: the fold.
 *
 *     fold.c          folds, made and freed
 *     reduce.c        reductions: folds are fed by terms and by other nodes, and end
 *     reduce_few.c    a few elements on the only node, and the missing ones of many
 *     reduce_walk.c   loops over elements: those that are here, many at once
 *     gather.c        lists of elements, which nobody combines (gather.h) */
#ifndef LUNA_RUNTIME_REDUCE_PARTS_H
#define LUNA_RUNTIME_REDUCE_PARTS_H

#include "runtime/data/combine.h"
#include "runtime/exec/exec_parts.h"
#include "runtime/data/partials.h"
#include "runtime/exec/reduce.h"
#include "runtime/table/elements.h"

struct gather;

/* What a node has of one reduction, or a list that is being gathered. Hangs on a frame: a copy of
 * the statement's, so that terms find their names in it. */
struct fold {
    const struct luna_site *site;
    struct task *task;   /* the statement, for messages; where it began also for its end */
    struct gather *gather; /* it is the list-th of this one; NULL: a reduction */
    uint32_t list;
    bool begun_here;
    enum combine_items items; /* how bytes are read */
    uint8_t as_they_are;      /* 1 << type: values of these need no look before they are combined */
    struct elements which;
    struct partial loose; /* of what may be combined in any order: level 0, first: any element */
    struct partials parts;
    atomic_flag busy;     /* held while parts or loose change, never while values are combined */
    uint32_t nwords;
    luna_word word[];     /* what all terms see: locals of the statement, bounds, indices */
};

static inline bool
fold_in_any_order(const struct fold *f, uint32_t type)
{
    return combine_in_any_order((enum luna_operation)f->site->a, type, f->items);
}

/* ---- fold.c ---- */
/* Take `which`. */
void         fold_init(struct fold *f, const struct elements *which, const luna_word *word);
struct fold *fold_new(const struct elements *which, const luna_word *word);
void         fold_free(struct fold *f);
/* The loop over its first counter, without a frame. */
struct range *fold_range(const struct luna_site *reduce, const luna_word *word);

/* ---- reduce.c ---- */
/* The result: one part, or the loose one. */
luna_value fold_take_whole(struct worker *w, struct fold *f);
/* Assigns the result of statement t. Takes the value and the inputs. */
void fold_assign(struct worker *w, const struct luna_site *reduce, struct task *t, luna_value v);
/* What an element is for the operation; a value that is none faults. Takes the value. */
luna_value fold_value(struct worker *w, const struct fold *f, const luna_env *e, uint32_t first,
                      luna_value v);
static inline bool
fold_takes_as_it_is(const struct fold *f, luna_value v)
{
    return f->as_they_are >> v.type & 1;
}
/* The part that one element is. */
static inline struct partial
fold_element(struct worker *w, const struct fold *f, const luna_env *e, uint32_t first,
             luna_value v)
{
    if (!fold_takes_as_it_is(f, v)) v = fold_value(w, f, e, first, v);
    return (struct partial){first, 0, v};
}
/* Takes the value: combines it as far as its neighbours are here. */
void fold_add(struct worker *w, struct fold *f, struct partial p);
/* *a = *a op *b. Takes b's value. */
void fold_combine(struct worker *w, struct fold *f, struct partial *a, const struct partial *b);

/* ---- reduce_few.c ---- */
/* Its elements are asked for so: not of several nodes, nor for a function that combines. */
bool reduce_few_waits(const struct worker *w, const struct luna_site *reduce);
/* The statement whose bounds are known; its elements are asked for in its next turn. */
void reduce_few_begin(struct worker *w, struct task *t, const luna_word *word,
                      const struct elements *which);
void reduce_few_ready(struct worker *w, struct task *t); /* all have come; takes it */
/* Waits for n elements of the frame's fold from `first` on, REDUCE_FEW at most. Their names come
 * one after the other; `further`: not the first. */
typedef const struct key *reduce_name_fn(void *names, bool further);
void reduce_few_neighbours(struct worker *w, struct frame *frame, uint32_t first, uint32_t n,
                           reduce_name_fn *next, void *names, struct cook *c);

/* ---- reduce_walk.c ---- */
/* Terms of elements that another node has sent here, whose numbers are `first` of the parts. */
void reduce_walk_elements(struct worker *w, struct frame *frame, const struct partial *p,
                          uint32_t n);
/* Terms of the elements of the fold with the numbers from .. to - 1, in the draft, wherever these
 * live. */
void reduce_walk_all(struct worker *w, struct frame *frame, uint32_t from, uint32_t to);
/* Elements that have come: n parts, of which each has a greater number than the one before. */
void reduce_walk_add(struct worker *w, struct fold *f, const struct partial *p, uint32_t n);
/* On the only node: takes those elements of a list that are here, seen from this frame, and not in
 * `to` yet; gives the number of one that is not, or how many there are. */
uint32_t reduce_walk_present(struct worker *w, struct frame *frame, const struct elements *which,
                             const luna_word *word, luna_value *to);

#endif
