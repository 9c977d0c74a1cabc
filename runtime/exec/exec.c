/* exec.c - tasks come into being, are worked on and leave. */
#include "exec_parts.h"

#include "runtime/base/pool.h"
#include "runtime/exec/gather.h"
#include "runtime/exec/reduce.h"
#include "runtime/node/tally.h"
#include "runtime/node/trace.h"

#include <assert.h>

size_t
exec_draft_bytes(const struct luna_program *p)
{
    size_t most = 0;
    for (uint32_t i = 0; i < p->nsites; i++) {
        size_t n = task_bytes(&p->sites[i]);
        if (n > most) most = n;
    }
    return most + 2 * sizeof(luna_word);
}

/* ---- frames and tasks ---- */

#ifndef NDEBUG
bool
exec_task_is_valid(const struct node *n, struct task *t)
{
    const struct luna_program *p = n->program;
    if (t->site >= p->nsites || !t->frame || !t->frame->refs || t->kind > TASK_START) return false;
    const struct luna_site *site = &p->sites[t->site];
    if (t->flags & TASK_FEW) /* it keeps its inputs elsewhere */
        return t->kind == TASK_READY && t->at == 1;
    if (t->at > site->nin || (t->kind == TASK_READY && t->at < site->nin)) return false;
    /* protocols 5.5: it runs on the node that has been decided. */
    if (n->nodes > 1 && t->kind == TASK_READY && !(t->flags & TASK_HERE)) return false;
    for (unsigned i = 0; i < t->at; i++) /* protocols 3.4: who goes on has all */
        if (task_values(site, t)[i].type == LUNA_UNSET) return false;
    return true;
}
#endif

struct task *
exec_task_new(const struct luna_site *site, const struct task *from)
{
    size_t bytes = task_bytes(site);
    struct task *t = pool_get(pool_class(bytes));
    if (!t) return NULL;
    memcpy(t, from, bytes);
    frame_retain(t->frame);
    return t;
}

void
exec_task_free(const struct luna_site *site, struct task *t)
{
    pool_put(pool_class(task_bytes(site)), t);
}

/* ---- work ---- */

bool
exec_cook(struct worker *w, const struct luna_site *site, struct task *t, struct cook *c)
{
    const struct recipe *q = &w->node->recipes[t->site];
    if (!(t->flags & (TASK_FEW | TASK_GATHERED))) tally_run(w->node, site->nin);
    switch ((enum luna_site_kind)site->kind) {
    case LUNA_S_CALL:
        exec_call(w, q, t, c);
        if (__builtin_expect(!(t->flags & TASK_GATHERED), 1)) return false;
        gather_end(w, t);
        return true;
    case LUNA_S_EXPAND: exec_expand(w, q, t, c); return false;
    case LUNA_S_FOR: exec_for(w, q, t, c); return false;
    case LUNA_S_WHILE: exec_while(w, site, t); return false;
    case LUNA_S_TEST: return exec_test(w, site, t);
    case LUNA_S_IF: exec_branch(w, t, c, exec_if_takes(w, t, c)); return false;
    case LUNA_S_REDUCE: reduce_begin(w, site, t); return false;
    case LUNA_S_TERM: return reduce_term(w, site, t);
    case LUNA_S_LIST: break;
    }
    return false;
}

bool
exec_site_run(struct worker *w, const struct luna_site *site, struct task *t)
{
    struct cook c;
    cook_begin(&c, w->node->program, t);
    cook_site(&c, site, t);
    return exec_cook(w, site, t, &c);
}

void
exec_task(struct worker *w, struct task *t)
{
    const struct luna_site *site = &w->node->program->sites[t->site];
    if (t->kind >= TASK_ARRIVAL) {
        trace_other(w);
        if (t->kind == TASK_ARRIVAL) reduce_arrived(w, t);
        else reduce_few_ask(w, t);
        return;
    }
    assert(t->kind != TASK_WAITS && exec_task_is_valid(w->node, t));
    if (t->kind == TASK_START) {
        bool guest = t->flags & TASK_GUEST;
        struct asker a = {.w = w, .site = site, .q = &w->node->recipes[t->site], .t = t,
                          .some = guest};
        if (!guest) task_unset(site, t, t->at);
        worker_call_waiting(w, t, 1); /* a task on the heap counts as waiting until it runs */
        if (!exec_ask(&a)) return;
        if (recipe_ranks(a.q, t->frame) || (w->node->nodes > 1 && worker_expects_long(w, t))) {
            t->kind = TASK_READY;
            worker_ready(w, t);
            return;
        }
    }
    worker_call_waiting(w, t, -1);
    if (t->flags & TASK_MARKED) lead_goes(w, t);
    trace_task(w, site, t);
    struct frame *f = t->frame;
    w->hosts = w->deep && t->flags & TASK_GUEST;
    bool lives = exec_site_run(w, site, t);
    w->hosts = false;
    if (lives) return;
    exec_task_free(site, t);
    exec_frame_drop(w, f);
}

/* ---- leaving ---- */

void
exec_task_left(struct worker *w, const struct luna_site *site, struct task *t)
{
    struct frame *f = t->frame;
    worker_call_waiting(w, t, -1);
    exec_task_free(site, t);
    exec_frame_drop(w, f);
}
