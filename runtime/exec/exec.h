/* exec.h - what each kind of statement does, once it is at the head of a queue. */
#ifndef LUNA_RUNTIME_EXEC_H
#define LUNA_RUNTIME_EXEC_H

#include "runtime/node/node.h"

/* Runs a task of the queues: asks for its inputs (TASK_START) or does its work (TASK_READY). Takes
 * it. */
void exec_task(struct worker *w, struct task *t);
/* Spawns children of a range until it is done or, with many workers, should make room for what has
 * become ready. Takes it; what is left goes back into the queues. */
void exec_range(struct worker *w, struct range *r);
/* Elements of a reduction that have come are taken; what is missing is not waited for. */
void exec_range_look(struct worker *w, struct range *r);

/* The body of a sub for a new activation; takes the frame, and lies in it. */
struct range *exec_body_range(struct frame *f, uint32_t block);

/* ---- for home.c: what other nodes ask us to do ---- */
void exec_put_here(struct worker *w, uint32_t site, const struct task *t, const struct key *k,
                   luna_value v, int32_t uses); /* t: who puts, NULL if on another node */
/* The value of a fragment that has moved here with its cell. */
void exec_fragment_here(struct worker *w, const struct key *k, luna_value v, int32_t uses);
/* A call that has moved here waits for what is missing; asked: for which inputs it has asked. */
void exec_adopt(struct worker *w, struct task *t, const uint8_t *asked, uint32_t cell);
void exec_kill_here(struct worker *w, uint32_t site, const struct key *k);
/* Hands v to each waiter, who holds a count of it already. */
void exec_deliver(struct worker *w, struct waiter *list, const struct key *k, luna_value v);
void exec_frame_drop(struct worker *w, struct frame *f);
void exec_range_drop(struct worker *w, struct range *r); /* unrun, or run to its end */

/* A call whose inputs are here: does another node wait for what it will assign on this one, or a
 * condition, a loop or an activation of this one, which makes nothing before? */
bool exec_is_asked(const struct worker *w, struct task *t);
/* NaN counts as 0. */
static inline double
exec_number(double priority)
{
    return priority < 0 || priority > 0 ? priority : 0;
}
/* The priority of a call whose inputs are here; 0 without a rule. */
double exec_priority(const struct luna_program *p, const struct luna_site *site,
                     const struct task *t);
/* The weight of a call whose inputs are here. */
double exec_weight(const struct luna_program *p, const struct luna_site *site,
                   const struct task *t);

/* The words of a draft: enough for any statement of the program. */
size_t exec_draft_bytes(const struct luna_program *p);

/* Its kind, its inputs and its place go together. For assertions. */
bool exec_task_is_valid(const struct node *n, struct task *t);

/* A task on the heap has gone to another node: its memory and its count of the frame go, too. */
void exec_task_left(struct worker *w, const struct luna_site *site, struct task *t);

#endif
