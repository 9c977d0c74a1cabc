/* exec_wide.c - of several nodes: loops of which all iterations are begun before the first goes on.
 *
 * Where other nodes do not walk a loop themselves (share.h), they learn of what is theirs when the
 * loop comes to it. That must not wait for calls of the first iterations, which may be long, and so
 * many that loops pause. So a loop whose iterations do not feed each other is walked to its end at
 * once: what is for others is sent; loops, branches and bodies that stay here are put aside, and go
 * on afterwards in the order of the text; calls wait, and no loop pauses for them.
 *
 *     for f: { df p;  for b: work(p[b]);  reduce p[b] => light[f]; }
 *     wide:  f = 0: a loop, a sum;  f = 1: a loop, a sum;  f = 2, of another node: sent;  ...
 *     then:  the loop of f = 0, its sum, the loop of f = 1, ...
 *
 * A call that is ready at once and stands beside a loop ends that: what the loop behind it reads
 * may be large, and is to be read before the next call makes more. */
#include "runtime/exec/exec_range.h"
#include "runtime/exec/share.h"

enum { WIDE_MOST = 8192 }; /* iterations that wait here: more would be memory, not work */

static bool
makes_others(const struct luna_site *s)
{
    return range_is_made(s) || s->kind == LUNA_S_REDUCE;
}

/* Nothing but such that can be begun at once, and calls. */
static bool
may_be_wide(const struct luna_program *p, const struct luna_block *b)
{
    for (uint32_t k = 0; k < b->nsites; k++) {
        const struct luna_site *s = &p->sites[b->site + k];
        if (s->kind != LUNA_S_CALL && (s->nin || !makes_others(s))) return false;
    }
    return true;
}

bool
exec_is_wide(const struct worker *w, const struct range *r)
{
    const struct node *n = w->node;
    const unsigned of = RANGE_COUNTER | RANGE_CARRIED | RANGE_SHARED;
    if (w->wide) return r == w->wide;
    return (r->head.flags & of) == RANGE_COUNTER && r->left && !r->next_site &&
           w->early < WIDE_MOST && n->shares[r->head.site].located &&
           may_be_wide(n->program, &n->program->blocks[r->head.site]);
}

static bool
has_others(const struct luna_program *p, const struct luna_block *b)
{
    for (uint32_t k = 0; k < b->nsites; k++)
        if (makes_others(&p->sites[b->site + k])) return true;
    return false;
}

static size_t
begun(const struct worker *w)
{
    return w->begun.tail - w->begun.head;
}

/* What it has begun comes next, and then the rest of it, if there is one. */
static void
wide_ends(struct worker *w, struct range *rest)
{
    struct fifo *q = &w->ranges_of[w->wide_side];
    w->wide = NULL;
    if (rest && !fifo_push_first(q, &rest->head)) fault_nomem();
    for (size_t k = begun(w); k-- > 0;)
        if (!fifo_push_first(q, fifo_ahead(&w->begun, k))) fault_nomem();
    w->begun.head = w->begun.tail;
}

/* A turn is bounded; so are a call's, where they are ready and short. */
void
exec_wide_run(struct worker *w, struct range *r)
{
    const struct luna_block *b = &w->node->program->blocks[r->head.site];
    const bool mixed = has_others(w->node->program, b);
    struct cook c;
    bool last = false, ready = false;
    if (!w->wide) w->wide_side = w->side;
    w->wide = r;
    range_begin(w, r, &c);
    for (int n = 0; n < RANGE_CHUNK && !last && !ready; n++) {
        const uint64_t calls = w->calls;
        const long had = w->nready;
        range_locals(w, r);
        uint32_t row = b->site + r->next_site;
        last = range_step(r, b->nsites);
        w->begins = true;
        exec_spawn(w, row, r, &c);
        w->begins = false;
        ready = (w->calls != calls) || (mixed && w->nready != had);
    }
    const bool full = w->early + (long)begun(w) >= WIDE_MOST;
    if (last) exec_range_drop(w, r);
    if (last || full || (mixed && ready)) wide_ends(w, last ? NULL : r);
}
