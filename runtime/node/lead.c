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

void
lead_comes(struct worker *w, const struct task *t, int from)
{
    struct lead *l = &w->node->lead;
    spin_lock(&l->held);
    if (l->n == l->room) {
        int room = l->room ? 2 * l->room : 16;
        struct lead_note *note = mem_realloc(l->note, (size_t)room * sizeof *note);
        if (!note) fault_nomem();
        l->note = note;
        l->room = room;
    }
    l->note[l->n++] = (struct lead_note){t, from};
    spin_unlock(&l->held);
}

void
lead_goes(struct worker *w, struct task *t)
{
    struct lead *l = &w->node->lead;
    spin_lock(&l->held);
    int i = 0;
    while (i < l->n && l->note[i].task != t) i++;
    assert(i < l->n); /* protocols 6 */
    int from = l->note[i].from;
    l->note[i] = l->note[--l->n];
    spin_unlock(&l->held);
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
