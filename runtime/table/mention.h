/* mention.h - fragments as statements mention them: the key of a reference, seen from an
 * activation, its loops and the inputs that have come. It looks nothing up. */
#ifndef LUNA_RUNTIME_MENTION_H
#define LUNA_RUNTIME_MENTION_H

#include "runtime/table/eval.h"
#include "runtime/fault/fault.h"
#include "runtime/table/shape.h"
#include "runtime/table/task.h"

#include <assert.h>

/* The declaration behind a reference. */
static inline uint32_t
mention_df(const struct luna_program *p, const luna_env *e, uint32_t ref)
{
    const struct luna_ref *r = &p->refs[ref];
    if (r->base != LUNA_B_PARAM) return r->df;
    return ((const struct name_ref *)e->frame[r->word].p)->df;
}

/* How many indices it has, those that came with a parameter included. */
static inline uint32_t
mention_depth(const struct luna_program *p, const luna_env *e, uint32_t ref)
{
    const struct luna_ref *r = &p->refs[ref];
    if (r->base != LUNA_B_PARAM) return r->nindices;
    return ((const struct name_ref *)e->frame[r->word].p)->n + r->nindices;
}

static inline void
mention_begin(const luna_env *e, const struct frame *f, const struct luna_ref *r, struct key *k)
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

/* The name, whatever its shape. */
static inline void
mention_name(const struct luna_program *p, const luna_env *e, const struct frame *f, uint32_t ref,
             struct key *k)
{
    const struct luna_ref *r = &p->refs[ref];
    mention_begin(e, f, r, k);
    if (k->n + r->nindices > KEY_INDICES_MAX)
        fault(F_RUN8, e->site->place, "a reference has more than %d indices", KEY_INDICES_MAX);
    for (uint32_t i = 0; i < r->nindices; i++) k->ix[k->n++] = eval_int(p, e, r->index + i);
}

/* Of a fragment that there may be: within its shape. */
static inline void
mention_key(const struct luna_program *p, const luna_env *e, const struct frame *f, uint32_t ref,
            struct key *k)
{
    mention_name(p, e, f, ref, k);
    if (p->shaped && !shape_holds(p, e, ref, k)) shape_broken(p, e, ref, k, false);
}

/* Of one that perhaps nobody wants, as the first of an empty list: beyond its shape KEY_BEYOND says
 * so. */
static inline void
mention_place(const struct luna_program *p, const luna_env *e, const struct frame *f, uint32_t ref,
              struct key *k)
{
    mention_name(p, e, f, ref, k);
    if (p->shaped && !shape_holds(p, e, ref, k)) k->df |= KEY_BEYOND;
}

/* Of one that is read: likewise, if it may be. */
static inline void
mention_read(const struct luna_program *p, const luna_env *e, const struct frame *f, uint32_t ref,
             struct key *k)
{
    mention_place(p, e, f, ref, k);
    if (k->df & KEY_BEYOND && !shape_is_open(p, k)) shape_broken(p, e, ref, k, true);
}

/* A value that afterpush sends to one label has a name of its own: the fragment's, the label's
 * indices, and the label's number with the number of those indices. To a call without label nothing
 * is sent. */
static inline void
mention_push_to(const struct luna_program *p, const luna_env *e, uint32_t label, struct key *k)
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
mention_follow(struct key *k, uint32_t cell)
{
    assert(k->n < KEY_INDICES_MAX);
    k->df |= KEY_FOLLOWS;
    k->ix[k->n++] = (int32_t)cell;
    k->bound = cell + 1;
}

static inline const struct luna_rules *
mention_rules(const struct luna_program *p, const struct luna_site *s)
{
    return s->rules == LUNA_NONE ? NULL : &p->rules[s->rules];
}

static inline luna_env
mention_env(const struct luna_site *site, struct task *t)
{
    return (luna_env){.frame = t->frame->word,
                      .local = t->word,
                      .in = task_values(site, t),
                      .site = site};
}

static inline void
mention_release(const struct luna_site *site, const luna_env *e)
{
    for (const luna_value *v = e->in, *end = v + site->nin; v < end; v++) value_release(*v);
}

/* ---- of a task that waits, or has run ---- */

/* For reports: the key of a reference as seen from a task that waits. False when an index depends
 * on a value that has not come. */
bool mention_task_key(const struct luna_program *p, const struct task *t, uint32_t ref,
                      struct key *k);
/* The key of input `at` of a task. */
void mention_input(const struct luna_program *p, const struct task *t, unsigned at, struct key *k);
/* The same of what it wants of it, which has come. */
void mention_wanted(const struct luna_program *p, const struct task *t, unsigned at, struct key *k);
/* The key of what a call assigns: its outputs, then those of its rules. False: there is none. */
bool mention_output(const struct luna_program *p, const struct task *t, unsigned at,
                     struct key *k);

#endif
