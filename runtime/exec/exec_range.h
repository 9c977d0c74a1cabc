/* exec_range.h - the children of a range, one after the other: what exec.c and exec_wide.c share.
 * The draft and the cook are those of the range's children. */
#ifndef LUNA_RUNTIME_EXEC_RANGE_H
#define LUNA_RUNTIME_EXEC_RANGE_H

#include "runtime/exec/exec_parts.h"

enum { RANGE_CHUNK = 32 }; /* children of a range in one turn */

static inline void
range_begin(struct worker *w, const struct range *r, struct cook *c)
{
    w->draft->frame = r->head.frame;
    if (r->head.at) memcpy(w->draft->word, r->local, r->head.at * sizeof(luna_word));
    cook_begin(c, w->node->program, w->draft);
}

static inline void
range_locals(struct worker *w, struct range *r)
{
    luna_word *local = w->draft->word;
    unsigned n = r->head.at;
    if (!(r->head.flags & RANGE_COUNTER)) return;
    local[n].i = r->i;
    if (!(r->head.flags & RANGE_FRESH)) return;
    if (!r->made) {
        r->local[n].i = (int64_t)worker_new_id(w);
        r->made = 1;
    }
    local[n + 1] = r->local[n];
}

/* True when the next child was the last. */
static inline bool
range_step(struct range *r, uint32_t nsites)
{
    if (++r->next_site < nsites) return false;
    r->next_site = 0;
    r->made = 0;
    if (!r->left) return true;
    range_go(r, 1);
    return false;
}

#endif
