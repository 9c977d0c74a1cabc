/* exec_wide.c - of several nodes: loops of which all iterations are begun before the first goes on.
 *
 * Where other nodes do not walk a loop themselves (share.h), they learn of what is theirs when the
 * loop comes to it. That must not wait for calls of the first iterations, which may be long, and so
 * many that loops pause. So a loop whose iterations do not feed each other is walked to its end at
 * once. What is for others is sent. What stays here is put aside, and goes on afterwards in the
 * order of the text: loops, branches, bodies and sums; and of an iteration all from its first call
 * on that runs here.
 *
 *     for f: { df p;  for b: work(p[b]);  reduce p[b] => s;  use(s, light[f]); }
 *     wide:  f = 0: a loop, a sum, the rest;  f = 1 likewise;  f = 2, of another node: sent;  ...
 *     then:  the loop of f = 0, its sum, its call; the loop of f = 1, ... */
#include "runtime/exec/exec_range.h"
#include "runtime/base/pool.h"
#include "runtime/exec/share.h"

#include <limits.h>

enum { WIDE_MOST = 8192 }; /* entries that are put aside: more would be memory, not work */

/* Calls, and what can be begun at once. */
static bool
may_be_wide(const struct node *n, const struct luna_block *b)
{
    for (uint32_t k = 0; k < b->nsites; k++) {
        const struct luna_site *s = &n->program->sites[b->site + k];
        bool makes = n->recipes[b->site + k].makes || s->kind == LUNA_S_REDUCE;
        bool begins = !s->nin && makes;
        if (s->kind != LUNA_S_CALL && !begins) return false;
    }
    return true;
}

static bool
may_begin(const struct worker *w, const struct range *r)
{
    const struct node *n = w->node;
    const struct luna_program *p = n->program;
    return !(r->head.flags & (RANGE_CARRIED | RANGE_SHARED | RANGE_FOLD)) && !r->next_site &&
           r->head.site != p->subs[r->head.frame->sub].body && n->shares[r->head.site].located &&
           may_be_wide(n, &p->blocks[r->head.site]);
}

bool
exec_is_wide(const struct worker *w, const struct range *r)
{
    if (w->wide) return r == w->wide;
    return r->head.flags & RANGE_COUNTER && r->left && may_begin(w, r);
}

static size_t
length(const struct fifo *q)
{
    return q->tail - q->head;
}

static void
push(struct fifo *q, struct task *t)
{
    if (!fifo_push(q, t)) fault_nomem();
}

/* What was begun comes next, then the rest of the loop in hand, if there is one, and what was to be
 * looked at behind it. */
static void
wide_ends(struct worker *w, struct range *rest)
{
    struct fifo *q = &w->ranges_of[w->wide_side];
    w->wide = NULL;
    if (rest) push(&w->begun, &rest->head);
    for (struct task *t; (t = fifo_pop(&w->looked_at));) push(&w->begun, t);
    for (size_t k = length(&w->begun); k-- > 0;)
        if (!fifo_push_first(q, fifo_ahead(&w->begun, k))) fault_nomem();
    w->begun.head = w->begun.tail;
}

/* A loop has come to its end. The loops and branches it has made may be wide, too: they are looked
 * at in order, so that what they make stands where they stood, and again, until none is. */
static void
wide_goes_on(struct worker *w)
{
    for (;;) {
        bool any = false;
        for (struct task *t; (t = fifo_pop(&w->looked_at)); push(&w->begun, t)) {
            if (!may_begin(w, (struct range *)t)) continue;
            w->wide = (struct range *)t;
            return;
        }
        for (size_t k = 0; k < length(&w->begun) && !any; k++)
            any = may_begin(w, (struct range *)fifo_ahead(&w->begun, k));
        if (!any) break;
        struct fifo begun = w->begun;
        w->begun = w->looked_at;
        w->looked_at = begun;
    }
    wide_ends(w, NULL);
}

/* A call that runs here, as far as can be told now. */
static bool
is_own_call(const struct worker *w, const struct luna_site *s)
{
    const struct node *n = w->node;
    if (s->kind != LUNA_S_CALL) return false;
    if (s->nin && n->program->ins[s->in].kind == LUNA_IN_NODE) return true;
    return where_of_site(n, s, w->draft).node == n->number;
}

/* The rest of an iteration, which is not begun again. True: it was the last. */
static bool
rest_goes_aside(struct worker *w, struct range *r)
{
    struct range *rest = pool_get(pool_class(range_bytes(r->head.at)));
    if (!rest) fault_nomem();
    memcpy(rest, r, range_bytes(r->head.at));
    rest->left = 0;
    rest->head.flags |= RANGE_CARRIED;
    frame_retain(rest->head.frame);
    push(&w->begun, &rest->head);
    r->next_site = r->made = 0;
    if (!r->left) return true;
    range_go(r, 1);
    return false;
}

static bool walk_some(struct worker *w, struct range *r, int most);

/* What a branch has made, the newest entry, is walked in its place. */
static void
walk_branch(struct worker *w)
{
    struct range *body = (struct range *)fifo_ahead(&w->begun, length(&w->begun) - 1);
    if (body->head.flags & RANGE_COUNTER || !may_begin(w, body)) return;
    w->begun.tail--;
    walk_some(w, body, INT_MAX);
    exec_range_drop(w, body);
}

/* True: to the end. */
static bool
walk_some(struct worker *w, struct range *r, int most)
{
    const struct luna_program *p = w->node->program;
    const struct luna_block *b = &p->blocks[r->head.site];
    bool last = false;
    for (int n = 0; n < most && !last; n++) {
        struct cook c;
        range_begin(w, r, &c);
        range_locals(w, r);
        uint32_t row = b->site + r->next_site;
        if (is_own_call(w, &p->sites[row])) {
            last = rest_goes_aside(w, r);
            continue;
        }
        const size_t begun = length(&w->begun);
        last = range_step(r, b->nsites);
        w->begins = true;
        exec_spawn(w, row, r, &c);
        w->begins = false;
        if (p->sites[row].kind == LUNA_S_IF && length(&w->begun) > begun) walk_branch(w);
    }
    return last;
}

/* A turn is bounded. */
void
exec_wide_run(struct worker *w, struct range *r)
{
    if (!w->wide) w->wide_side = w->side;
    w->wide = r;
    bool last = walk_some(w, r, RANGE_CHUNK);
    bool full = length(&w->begun) + length(&w->looked_at) >= WIDE_MOST;
    bool between = !r->next_site;
    if (last) exec_range_drop(w, r);
    if (full && (last || between)) wide_ends(w, last ? NULL : r);
    else if (last) wide_goes_on(w);
}
