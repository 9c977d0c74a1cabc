/* reduce_parts.h - what the files of reductions share: the fold.
 *
 *     reduce.c        folds: made, fed by terms and by other nodes, ended
 *     reduce_few.c    a few elements on the only node
 *     reduce_walk.c   loops over elements: those that are here, many at once */
#ifndef LUNA_RUNTIME_REDUCE_PARTS_H
#define LUNA_RUNTIME_REDUCE_PARTS_H

#include "runtime/data/combine.h"
#include "runtime/exec/exec_parts.h"
#include "runtime/data/partials.h"
#include "runtime/exec/reduce.h"

/* What a node has of one reduction. Hangs on a frame: a copy of the statement's, so that terms find
 * their names in it. */
struct fold {
    const struct luna_site *site;
    struct task *task;   /* the statement, for messages; where it began also for its end */
    bool begun_here;
    enum combine_items items; /* how bytes are read */
    uint32_t total;
    struct partial loose; /* of what may be combined in any order: level 0, first: any element */
    struct partials parts;
    atomic_flag busy;     /* held while parts or loose change, never while values are combined */
    uint32_t nwords;
    luna_word word[];     /* what all terms see: locals of the statement, bounds, indices */
};

/* The bounds of counter k. */
static inline int32_t
fold_lo(const struct luna_site *reduce, const luna_word *word, uint32_t k)
{
    return (int32_t)word[reduce->nlocal + 2 * k].i;
}

static inline int32_t
fold_hi(const struct luna_site *reduce, const luna_word *word, uint32_t k)
{
    return (int32_t)word[reduce->nlocal + 2 * k + 1].i;
}

/* The number of an element in the order of the counters, the last one fastest. */
static inline uint32_t
fold_number(const struct fold *f, const luna_word *counter)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < f->site->b; k++) {
        uint32_t lo = (uint32_t)fold_lo(f->site, f->word, k);
        at = at * ((uint32_t)fold_hi(f->site, f->word, k) - lo + 1) + (uint32_t)counter[k].i - lo;
    }
    return at;
}

/* And the counters of a number. */
static inline void
fold_counters(const struct fold *f, uint32_t number, luna_word *counter)
{
    for (uint32_t k = f->site->b; k-- > 0;) {
        int32_t lo = fold_lo(f->site, f->word, k);
        uint32_t n = (uint32_t)fold_hi(f->site, f->word, k) - (uint32_t)lo + 1;
        counter[k].i = lo + (int32_t)(n ? number % n : number);
        number = n ? number / n : 0;
    }
}

static inline bool
fold_in_any_order(const struct fold *f, uint32_t type)
{
    return combine_in_any_order((enum luna_operation)f->site->a, type, f->items);
}

/* ---- reduce.c ---- */
void fold_init(struct fold *f, const struct luna_site *reduce, const luna_word *word,
               uint32_t total);
/* The result: one part, or the loose one. */
luna_value fold_take_whole(struct worker *w, struct fold *f);
/* Assigns the result of statement t. Takes the value and the inputs. */
void fold_assign(struct worker *w, const struct luna_site *reduce, struct task *t, luna_value v);
/* How many words terms see besides their counters. */
unsigned fold_words(const struct luna_site *reduce);
/* The only site of the innermost loop. */
const struct luna_site *fold_term(const struct luna_program *p, const struct luna_site *reduce);
/* The part that one element is; a value that is none faults. Takes the value. */
struct partial fold_element(struct worker *w, const struct fold *f, const luna_env *e,
                            uint32_t first, luna_value v);
/* Takes the value: combines it as far as its neighbours are here. */
void fold_add(struct worker *w, struct fold *f, struct partial p);
/* *a = *a op *b. Takes b's value. */
void fold_combine(struct worker *w, struct fold *f, struct partial *a, const struct partial *b);

/* ---- reduce_few.c ---- */
bool reduce_few_takes(const struct worker *w, const struct luna_site *reduce, uint32_t total);
/* The statement whose bounds are known; its elements are asked for in its next turn. */
void reduce_few_begin(struct worker *w, const struct luna_site *reduce, struct task *t,
                      const luna_word *word, uint32_t total);
void reduce_few_ready(struct worker *w, struct task *t); /* all have come; takes it */

/* ---- reduce_walk.c ---- */
/* Terms of elements that another node has sent here, whose numbers are `first` of the parts. */
void reduce_walk_elements(struct worker *w, struct frame *frame, const struct partial *p,
                          uint32_t n);

#endif
