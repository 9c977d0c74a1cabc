/* lead.c - see lead.h. */
#include "lead.h"

#include "runtime/base/mem.h"
#include "runtime/base/spin.h"
#include "runtime/fault/fault.h"
#include "runtime/node/node.h"
#include "runtime/node/send.h"

void
lead_init(struct lead *l, int nodes, size_t every)
{
    *l = (struct lead){.every = every ? every : LEAD_EVERY,
                       .most = LEAD_MARKS + (long)LEAD_MARKS_A_NODE * nodes,
                       .held = ATOMIC_FLAG_INIT};
}

void
lead_fini(struct lead *l)
{
    mem_free(l->note);
}

static void
hold(struct lead *l)
{
    while (atomic_flag_test_and_set_explicit(&l->held, memory_order_acquire)) spin_relax();
}

static void
let_go(struct lead *l)
{
    atomic_flag_clear_explicit(&l->held, memory_order_release);
}

void
lead_comes(struct worker *w, const struct task *t, int from)
{
    struct lead *l = &w->node->lead;
    hold(l);
    if (l->n == l->room) {
        int room = l->room ? 2 * l->room : 16;
        struct lead_note *note = mem_realloc(l->note, (size_t)room * sizeof *note);
        if (!note) fault_nomem();
        l->note = note;
        l->room = room;
    }
    l->note[l->n++] = (struct lead_note){t, from};
    let_go(l);
}

void
lead_goes(struct worker *w, struct task *t)
{
    struct lead *l = &w->node->lead;
    hold(l);
    int i = 0;
    while (i < l->n && l->note[i].task != t) i++;
    assert(i < l->n); /* protocols 6 */
    int from = l->note[i].from;
    l->note[i] = l->note[--l->n];
    let_go(l);
    t->flags &= (uint8_t)~TASK_MARKED;
    bool own = from == w->node->number; /* its cell has come here meanwhile */
    if (own) atomic_fetch_sub(&l->marks, 1);
    else send_ran(w, from);
}

bool
on_ran(struct worker *w, struct reader *r)
{
    struct lead *l = &w->node->lead;
    return reader_done(r) && atomic_fetch_sub(&l->marks, 1) > 0;
}
