/* exec_parts.h - what the files of exec share: each other's doors.
 *
 *     exec.c        a statement's life: it is made, runs, leaves
 *     exec_ask.c    asking for inputs, waiting, what has come
 *     exec_range.c  the children of ranges
 *     exec_call.c   atomic functions: arguments in, outputs out
 *     exec_repeat.c many calls that take nothing but ints
 *     exec_guard.c  -g: whether a function kept to its own memory
 *     exec_flow.c   structured subs, for, while, if
 *     exec_wide.c   of several nodes: all iterations of a loop are begun at once
 *     exec_put.c    assigning, what follows a statement's work, the end of activations */
#ifndef LUNA_RUNTIME_EXEC_PARTS_H
#define LUNA_RUNTIME_EXEC_PARTS_H

#include "runtime/store/digest.h"
#include "runtime/store/values.h"
#include "runtime/table/eval.h"
#include "runtime/exec/exec.h"
#include "runtime/fault/fault.h"
#include "runtime/table/mention.h"
#include "runtime/table/name.h"
#include "runtime/table/part.h"
#include "runtime/exec/where.h"
#include "runtime/table/recipe.h"

/* What the statement at hand does with slots of its frame needs no heed of other workers. */
static inline bool
exec_is_alone(const struct worker *w, const struct frame *f)
{
    return !w->many || frame_is_held_once(f);
}

/* ---- exec.c ---- */
/* A copy on the heap, counted on its frame. NULL: out of memory. */
struct task *exec_task_new(const struct luna_site *site, const struct task *from);
void         exec_task_free(const struct luna_site *site, struct task *t);
/* What it waits for decides of more statements: a condition, a loop, an activation. */
static inline bool
exec_decides(const struct luna_site *site)
{
    return site->kind > LUNA_S_CALL && site->kind < LUNA_S_REDUCE;
}
/* Do the work of a statement whose inputs are all here. True: the task lives on in a queue. */
bool exec_cook(struct worker *w, const struct luna_site *site, struct task *t, struct cook *c);
bool exec_site_run(struct worker *w, const struct luna_site *site, struct task *t);

/* ---- exec_ask.c ---- */
struct asker {
    struct worker *w;
    const struct luna_site *site;
    const struct recipe *q;
    struct task *t;
    bool draft;        /* t lies in the worker's draft: it moves to the heap when it must wait */
    unsigned at;       /* the input that is asked for */
    unsigned linked;   /* how many of this round were missing */
    /* Of a call that has moved here: which inputs of its round it had asked for, and its cell. */
    const uint8_t *asked;
    uint32_t cell;
    bool some; /* a call of another node: some inputs of the round have come with it */
};

/* Asks for inputs from t->at on. True: all are here, and here is where the statement runs. False:
 * it waits or has left for another node, and is no longer ours. */
bool exec_ask(struct asker *a);
/* The value of input `at` has come to a waiting task. Takes the count. */
void exec_input_came(struct worker *w, struct task *t, unsigned at, luna_value v);
/* What the task wants of a whole value, *k, for input `at`. Takes the count, gives one. */
luna_value exec_part_of(struct worker *w, struct task *t, unsigned at, const struct key *k,
                        luna_value v);

/* ---- exec_range.c ---- */
/* Children of a block for the activation and locals of `from`. */
struct range *exec_range_new(const struct task *from, unsigned nlocal, uint32_t block);
/* Creates a child of `r`; w->draft and `c` have been made ready for it. */
void exec_spawn(struct worker *w, uint32_t row, const struct range *r, struct cook *c);

/* ---- exec_call.c, exec_flow.c: the work of each kind of statement ---- */
/* Are calls of this statement known to be short, by this worker or, if it knows nothing, by
 * another? */
bool exec_knows_short(struct worker *w, uint32_t site);
void exec_call(struct worker *w, const struct recipe *q, struct task *t, struct cook *c);
/* fn(who) calls the function of `site`; an exception that leaves it is a fault. */
void exec_guard_call(const struct luna_program *p, const struct luna_site *site,
                     const struct task *t, void (*fn)(void *who), void *who);
/* -g: notes what the inputs are before the call, and looks behind it (exec_guard.c); the same for
 * the result of an operation. */
void exec_guard_inputs(struct worker *w, const struct recipe *q);
void exec_guard_look(struct worker *w, const struct recipe *q, const struct cook *c,
                     const struct task *t);
void exec_guard_result(struct worker *w, const struct luna_site *site, const struct task *t,
                       luna_value v);
/* For elements of lists, by the name of one: -g finds that the call wrote into it, or around it. */
_Noreturn void exec_guard_wrote(struct worker *w, const struct task *call, const char *df);
bool           exec_guard_harms(luna_value v);
_Noreturn void exec_guard_harmed(struct worker *w, const struct task *call, const char *df,
                                 luna_value v);
/* Is an output as large as its bytes rule says? */
void exec_measure(struct worker *w, const struct luna_site *site, luna_env *e, uint32_t ref,
                  const struct key *k, luna_value v);
/* The operation of a reduction. Takes both values, gives a new one. */
luna_value exec_operate(struct worker *w, const struct luna_site *site, struct task *t,
                        luna_value a, luna_value b);
void exec_expand(struct worker *w, const struct recipe *q, struct task *t, struct cook *c);
/* The block that a condition has taken, or LUNA_NONE; and what is in it, to be made later. */
uint32_t exec_if_takes(struct worker *w, struct task *t, struct cook *c);
void exec_branch(struct worker *w, struct task *t, struct cook *c, uint32_t block);
void exec_for(struct worker *w, const struct recipe *q, struct task *t, struct cook *c);
void exec_while(struct worker *w, const struct luna_site *site, struct task *t);
/* True when the loop goes on: `t` is then the next iteration's test. Takes the inputs, not the
 * task. */
bool exec_test(struct worker *w, const struct luna_site *site, struct task *t);

/* ---- exec_repeat.c ---- */
/* Calls that take nothing but ints, one for each iteration that is left of `r`; with many workers
 * not for long. True: the range is done. The draft holds the range's words. */
bool exec_repeat(struct worker *w, const struct recipe *q, const struct luna_site *site,
                 struct range *r);

/* ---- exec_wide.c ---- */
bool exec_is_wide(const struct worker *w, const struct range *r);
void exec_wide_run(struct worker *w, struct range *r); /* some iterations */

/* ---- exec_put.c ---- */
/* How many requests an output will serve: its rule, or for ever. */
int32_t exec_uses(const struct worker *w, const luna_env *e, uint32_t post);
/* Gives n; a fault if nothing can be meant by it. */
int32_t exec_uses_checked(const luna_env *e, int32_t n);
/* What follows a store_put that gave `e` and `list`. */
void exec_put_ended(struct worker *w, uint32_t site, const struct task *t, const struct key *k,
                    luna_value v, enum err e, struct waiter *list);
/* Assigns at the home, or homes, that `ref` has as seen from here. Takes the value's count. */
void exec_put(struct worker *w, const struct luna_site *site, const struct task *t, luna_env *e,
              uint32_t ref, struct key *k, luna_value v, int32_t uses);
/* It has a value in the frame. */
_Noreturn void exec_kept_twice(struct worker *w, const struct recipe_arg *arg,
                               const struct task *t);
/* Assigns in the frame. False: the value is to be put into the store. */
static inline bool
exec_keep(struct worker *w, const struct recipe_arg *arg, const struct task *t, luna_value v,
          int32_t uses)
{
    bool alone = exec_is_alone(w, t->frame), twice;
    if (slot_put(frame_slot(t->frame, arg->slot), v, uses, alone, &twice)) return true;
    if (twice) exec_kept_twice(w, arg, t);
    return false;
}
/* An output that is kept nowhere: it counts as assigned. Takes the value's count. */
void exec_drop(struct worker *w, const struct key *k, luna_value v);
/* What follows the work: >>, delete and -->. */
void exec_after(struct worker *w, const struct luna_site *site, struct task *t, luna_env *e);
/* Sends an output to the calls labelled in afterpush rules. */
void exec_push(struct worker *w, const struct luna_site *site, struct task *t, luna_env *e,
               const struct key *key, luna_value v);

#endif
