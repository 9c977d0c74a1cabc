/* exec_ready.c - a call whose inputs have all come: what it will take, and when its turn is. */
#include "exec_parts.h"

#include "runtime/base/ticks.h"
#include "runtime/data/warm.h"

enum { LOOK_NS = 3000 }; /* of a call, for each look at whether another one is asked for */

/* What a call that is ready will take, UINT64_MAX: who knows. In the simulator its weight tells. */
uint64_t
worker_expects_ns(const struct worker *w, const struct task *t)
{
    const struct node *n = w->node;
    const struct luna_site *site = &n->program->sites[t->site];
    if (site->kind != LUNA_S_CALL) return 0;
    if (!n->weighs) return cost_ns(&w->known, t->site);
    return (uint64_t)(exec_weight(n->program, site, t) * (double)n->call_ns / node_speed(n));
}

bool
worker_expects_long(const struct worker *w, const struct task *t)
{
    const struct luna_site *site = &w->node->program->sites[t->site];
    if (w->node->weighs) return worker_expects_ns(w, t) >= COST_SHORT_NS;
    return site->kind == LUNA_S_CALL && !cost_is_short(&w->known, t->site);
}

bool
worker_heeds(struct worker *w, const struct task *t, uint64_t *rest_ns)
{
    struct transport *net = w->node->net;
    uint64_t call_ns = worker_expects_ns(w, t);
    uint64_t now = call_ns < HEED_CALL_NS ? 0 : net->ops->now_ns(net); /* else nobody looks at it */
    return heed_waits(&w->heed, call_ns, now, rest_ns);
}

/* A look at one of them takes a tenth of a microsecond, and shall not take long beside the call
 * that comes next. */
void
worker_looks_for_asked(struct worker *w)
{
    uint64_t most = worker_expects_ns(w, w->aged.item->task) / LOOK_NS;
    w->asked = false;
    for (size_t i = 0; i < w->aged.n && i < most; i++)
        if (!w->aged.item[i].asked && exec_is_asked(w, w->aged.item[i].task))
            aged_asked(&w->aged, i);
}

static inline bool
is_ranked(const struct worker *w, const struct task *t)
{
    return recipe_ranks(&w->node->recipes[t->site], t->frame);
}

static bool
ready_deep(struct worker *w, struct task *t)
{
    const struct luna_site *site = &w->node->program->sites[t->site];
    if (site->kind != LUNA_S_CALL) return fifo_push(&w->soon, t);
    w->nready++;
    if (!is_ranked(w, t) && !worker_expects_long(w, t)) return fifo_push(&w->fifo, t);
    uint32_t age = task_age(site, t, w->made++);
    double priority = exec_priority(w->node->program, site, t);
    return aged_push(&w->aged, t, priority, age, exec_is_asked(w, t));
}

/* In order and many: it waits until its rule says that it is next. */
static bool
ready_ranked(struct worker *w, struct task *t)
{
    const struct luna_site *site = &w->node->program->sites[t->site];
    double priority = exec_priority(w->node->program, site, t);
    w->nready += !w->many;
    if (!w->many) return aged_push(&w->aged, t, priority, w->made++, false);
    bool ok = ranked_push(&w->node->ranked, t, priority);
    node_wake_one(w->node);
    return ok;
}

bool
worker_reads_cold(const struct worker *w, const struct task *t)
{
    const struct luna_site *site = &w->node->program->sites[t->site];
    const luna_value *v = task_values(site, (struct task *)t);
    return site->kind == LUNA_S_CALL && warm_elsewhere(v, site->nin, (unsigned)w->number);
}

void
worker_ready(struct worker *w, struct task *t)
{
    bool ok = true;
    assert(t->kind == TASK_READY && exec_task_is_valid(w->node, t));
    if (w->deep) {
        ok = ready_deep(w, t);
    } else if (is_ranked(w, t)) {
        ok = ready_ranked(w, t);
    } else if (!w->many) {
        bool first = w->order != ORDER_QUEUE;
        ok = first ? fifo_push_first(&w->fifo, t) : fifo_push(&w->fifo, t);
        w->nfirst += first;
        w->nready++;
    } else if (worker_is_cold(w, t)) {
        ok = deque_push(&w->cold, t);
        node_wake_one(w->node);
    } else if (!w->next) {
        w->next = t;
    } else {
        ok = deque_push(&w->ready, t);
        node_wake_one(w->node);
    }
    if (!ok) fault_nomem();
}
