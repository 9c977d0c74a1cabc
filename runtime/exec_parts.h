/* exec_parts.h - what the files of exec share: names of fragments, and each other's doors.
 *
 *     exec.c        a statement's life: asking for inputs, running, ranges of children
 *     exec_call.c   atomic functions: arguments in, outputs out
 *     exec_flow.c   structured subs, for, while, if
 *     exec_put.c    assigning, what follows a statement's work, the end of activations */
#ifndef LUNA_RUNTIME_EXEC_PARTS_H
#define LUNA_RUNTIME_EXEC_PARTS_H

#include "runtime/digest.h"
#include "runtime/eval.h"
#include "runtime/exec.h"
#include "runtime/fault/fault.h"
#include "runtime/name.h"
#include "runtime/place.h"
#include "runtime/recipe.h"

/* The declaration behind a reference. */
static inline uint32_t
ref_df(const struct luna_program *p, const luna_env *e, uint32_t ref)
{
    const struct luna_ref *r = &p->refs[ref];
    if (r->base != LUNA_B_PARAM) return r->df;
    return ((const struct name_ref *)e->frame[r->word].p)->df;
}

/* How many indices it has, those that came with a parameter included. */
static inline uint32_t
ref_depth(const struct luna_program *p, const luna_env *e, uint32_t ref)
{
    const struct luna_ref *r = &p->refs[ref];
    if (r->base != LUNA_B_PARAM) return r->nindices;
    return ((const struct name_ref *)e->frame[r->word].p)->n + r->nindices;
}

static inline void
key_begin(const luna_env *e, const struct frame *f, const struct luna_ref *r, struct key *k)
{
    k->df = r->df;
    k->n = 0;
    k->bound = 0;
    if (r->base == LUNA_B_FRAME_ID) {
        k->id = f->id;
    } else if (r->base == LUNA_B_LOCAL_ID) {
        k->id = (uint64_t)e->local[r->word].i;
    } else {
        const struct name_ref *n = e->frame[r->word].p;
        k->id = n->id;
        k->df = n->df;
        k->n = n->n;
        for (uint32_t i = 0; i < n->n; i++) k->ix[i] = name_ref_ix(n)[i];
    }
}

static inline void
key_of(const struct luna_program *p, const luna_env *e, const struct frame *f, uint32_t ref,
       struct key *k)
{
    const struct luna_ref *r = &p->refs[ref];
    key_begin(e, f, r, k);
    if (k->n + r->nindices > KEY_INDICES_MAX)
        fault(F_RUN8, e->site->place, "a reference has more than %d indices", KEY_INDICES_MAX);
    for (uint32_t i = 0; i < r->nindices; i++) k->ix[k->n++] = eval_int(p, e, r->index + i);
}

/* A value that afterpush sends to one label has a name of its own: the fragment's, the label's
 * indices, and the label's number with the number of those indices. To a call without label nothing
 * is sent. */
static inline void
key_push_to(const struct luna_program *p, const luna_env *e, uint32_t label, struct key *k)
{
    static const struct luna_label nobody = {.name = UINT32_MAX / KEY_INDICES_MAX};
    const struct luna_label *l = label == LUNA_NONE ? &nobody : &p->labels[label];
    if (k->n + l->nindices + 1 > KEY_INDICES_MAX)
        fault(F_RUN8, e->site->place, "a label has too many indices");
    k->df |= KEY_PUSHED;
    for (uint32_t i = 0; i < l->nindices; i++) k->ix[k->n++] = eval_int(p, e, l->index + i);
    k->ix[k->n++] = (int32_t)(l->name * KEY_INDICES_MAX + l->nindices);
}

/* The name under which a call that has moved with its cell, or was sent to it, waits for what was
 * asked for in its name before; without a cell (LATTICE_NONE) on the node it was sent to. */
static inline void
key_carry(struct key *k, uint32_t cell)
{
    assert(k->n < KEY_INDICES_MAX);
    k->df |= KEY_CARRIED;
    k->ix[k->n++] = (int32_t)cell;
    k->bound = cell + 1;
}

static inline const struct luna_rules *
rules_of(const struct luna_program *p, const struct luna_site *s)
{
    return s->rules == LUNA_NONE ? NULL : &p->rules[s->rules];
}

static inline luna_env
env_of(const struct luna_site *site, struct task *t)
{
    return (luna_env){.frame = t->frame->word,
                      .local = t->word,
                      .in = task_values(site, t),
                      .site = site};
}

static inline void
values_release(const struct luna_site *site, const luna_env *e)
{
    for (const luna_value *v = e->in, *end = v + site->nin; v < end; v++) value_release(*v);
}

/* ---- exec.c ---- */
/* Creates a child of a range, which the draft and the cook are for. */
void exec_spawn(struct worker *w, uint32_t row, const struct range *r, struct cook *c);
/* The value of input `at` has come to a waiting task. Takes the count. */
void exec_input_came(struct worker *w, struct task *t, unsigned at, luna_value v);
/* A copy on the heap, counted on its frame. NULL: out of memory. */
struct task *exec_task_new(const struct luna_site *site, const struct task *from);
void         exec_task_free(const struct luna_site *site, struct task *t);
/* Children of a block for the activation and locals of `from`. */
struct range *exec_range_new(const struct task *from, unsigned nlocal, uint32_t block);

/* ---- exec_call.c, exec_flow.c: the work of each kind of statement ---- */
/* Are calls of this statement known to be short, by this worker or, if it knows nothing, by
 * another? */
bool exec_knows_short(struct worker *w, uint32_t site);
void exec_call(struct worker *w, const struct recipe *q, struct task *t, struct cook *c);
/* The operation of a reduction. Takes both values, gives a new one. */
luna_value exec_operate(struct worker *w, const struct luna_site *site, struct task *t,
                        luna_value a, luna_value b);
/* Calls that take nothing but ints, one for each iteration that is left of `r`; with many workers
 * not for long. True: the range is done. The draft holds the range's words. */
bool exec_repeat(struct worker *w, const struct recipe *q, const struct luna_site *site,
                 struct range *r);
void exec_expand(struct worker *w, const struct recipe *q, struct task *t, struct cook *c);
void exec_if(struct worker *w, struct task *t, struct cook *c);
void exec_for(struct worker *w, const struct recipe *q, struct task *t, struct cook *c);
void exec_while(struct worker *w, const struct luna_site *site, struct task *t);
/* True when the loop goes on: `t` is then the next iteration's test. Takes the inputs, not the
 * task. */
bool exec_test(struct worker *w, const struct luna_site *site, struct task *t);

/* ---- exec_put.c ---- */
/* How many requests an output will serve: its rule, or for ever. */
int32_t exec_uses(const struct luna_program *p, const luna_env *e, uint32_t post);
/* Gives n; a fault if nothing can be meant by it. */
int32_t exec_uses_checked(const luna_env *e, int32_t n);
/* What follows a store_put that gave `e` and `list`. */
void exec_put_ended(struct worker *w, uint32_t site, const struct task *t, const struct key *k,
                    luna_value v, enum err e, struct waiter *list);
/* Assigns at the home, or homes, that `ref` has as seen from here. Takes the value's count. */
void exec_put(struct worker *w, const struct luna_site *site, const struct task *t, luna_env *e,
              uint32_t ref, struct key *k, luna_value v, int32_t uses);
/* An output that is kept nowhere: it counts as assigned. Takes the value's count. */
void exec_drop(struct worker *w, const struct key *k, luna_value v);
/* What follows the work: >>, delete and -->. */
void exec_after(struct worker *w, const struct luna_site *site, struct task *t, luna_env *e);
/* Sends an output to the calls labelled in afterpush rules. */
void exec_push(struct worker *w, const struct luna_site *site, struct task *t, luna_env *e,
               const struct key *key, luna_value v);

#endif
