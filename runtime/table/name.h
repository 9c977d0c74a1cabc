/* name.h - fragments and calls as people read them: x[2][7], step[3][1].
 *
 * They must not know who asks: messages, traces and listings share them. */
#ifndef LUNA_RUNTIME_NAME_H
#define LUNA_RUNTIME_NAME_H

#include "runtime/data/key.h"
#include "runtime/program.h"
#include "runtime/table/task.h"

enum { NAME_MAX_TEXT = 256 };

/* The declared name with the full index vector; longer ones end in "...". */
void name_df(const struct luna_program *p, const struct key *k, char *text, size_t size);
/* The input of a statement that has this value, a string or bytes: its number; -1: it is none. */
int name_input(const struct luna_program *p, const luna_env *e, luna_value v, char *text,
               size_t size);
/* The fragment a reference means to a statement: its indices are computed anew. */
void name_ref_of(const struct luna_program *p, const luna_env *e, uint32_t ref, char *text,
                 size_t size);
/* The label with its indices; else the sub's name with the counters of the loops around it,
 * outermost first; for, while and if by their word. */
void name_cf(const struct luna_program *p, const struct task *t, char *text, size_t size);
/* The same for a statement that has no task (any more). */
void name_site(const struct luna_program *p, const luna_env *e, char *text, size_t size);

struct name_parts { /* in two: what stands before all indices, and they */
    const char *base;
    uint32_t n;
    int32_t ix[KEY_INDICES_MAX];
};
void name_parts_df(const struct luna_program *p, const struct key *k, struct name_parts *out);
void name_parts_site(const struct luna_program *p, const struct task *t, struct name_parts *out);

/* Local words of a site are counters and identities; identities are never small. */
static inline void
name_add_counters(struct name_parts *out, const luna_word *local, unsigned from, unsigned to)
{
    for (unsigned i = from; local && i < to && out->n < KEY_INDICES_MAX; i++)
        if (local[i].i == (int32_t)local[i].i) out->ix[out->n++] = (int32_t)local[i].i;
}

/* Most: an atomic call without a label, whose name is that of its function, with the counters. */
static inline bool
name_is_counted(const struct luna_program *p, const struct luna_site *s)
{
    return s->kind == LUNA_S_CALL && s->nlocal <= KEY_INDICES_MAX &&
           (s->rules == LUNA_NONE || p->rules[s->rules].label == LUNA_NONE);
}

static inline void
name_parts_cf(const struct luna_program *p, const struct task *t, struct name_parts *out)
{
    const struct luna_site *s = &p->sites[t->site];
    if (!name_is_counted(p, s)) {
        name_parts_site(p, t, out);
        return;
    }
    out->base = p->functions[s->callee].name;
    out->n = 0;
    name_add_counters(out, t->word, 0, s->nlocal);
}

#endif
