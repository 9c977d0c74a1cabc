/* trace_cause.c - which call, or message, has brought what a call waited for.
 *
 * Each worker knows why it does what it does: because of a call that has just ended, or of a
 * message that has come, or it does not know. What it brings to a waiting task is caused by that.
 * Statements that are no calls hand on what has made them ready. */
#include "trace_parts.h"

static const struct task_cause unknown = {.by = CAUSE_UNKNOWN};

struct told_by
trace_cause_told(struct task_cause c)
{
    static_assert((int)CAUSE_MESSAGE == TOLD_MESSAGE && (int)CAUSE_UNKNOWN == TOLD_UNKNOWN, "");
    return (struct told_by){.k = c.k, .node = (int32_t)c.node, .by = (int32_t)c.by};
}

struct task_cause
trace_cause_now(const struct worker *w)
{
    return w->trace->front.by_call ? trace_last_call(w) : w->trace->now;
}

static inline void
set_cause(struct worker *w, struct task_cause c)
{
    w->trace->front.by_call = false;
    w->trace->now = c;
}

/* ---- tasks ---- */

void
trace_came(struct worker *w, const struct luna_site *site, struct task *t)
{
    struct trace_worker *tw = w->trace;
    t->flags |= TASK_CAUSED;
    /* What is known to have brought it has come. */
    if (!tw->now.ready || tw->now.by == CAUSE_UNKNOWN) tw->now.ready = trace_now(w);
    *task_cause(site, t) = tw->now;
}

void
trace_took(struct worker *w, const struct luna_site *site, struct task *t)
{
    if (site->kind == LUNA_S_CALL) return;
    set_cause(w, t->flags & TASK_CAUSED ? *task_cause(site, t) : unknown);
    w->trace->now.ready = 0;
    t->flags &= (uint8_t)~TASK_CAUSED; /* the test of a while goes on as the next one */
}

void
trace_knows_nothing(struct worker *w)
{
    set_cause(w, unknown);
}

/* ---- messages ---- */

/* Of a mark: whether the message has values; above that its number. */
enum { MARK_VALUE = 1, MARK_SHIFT = 1 };

uint64_t
trace_cause_number(struct worker *w, bool value)
{
    struct trace_worker *tw = w->trace;
    if (!tw->mark) {
        uint64_t n = atomic_fetch_add_explicit(&tw->node->messages, 1, memory_order_relaxed) + 1;
        tw->mark = n << MARK_SHIFT;
    }
    if (value) tw->mark |= MARK_VALUE;
    return tw->mark >> MARK_SHIFT;
}

void
trace_mark_message(struct worker *w, struct packet *p)
{
    trace_cause_number(w, false);
    p->mark = w->trace->mark;
    w->trace->mark = 0;
}

void
trace_message_came(struct worker *w, const struct packet *p)
{
    struct trace_worker *tw = w->trace;
    set_cause(w, unknown);
    if (!p->mark) return;
    set_cause(w, (struct task_cause){.by = CAUSE_MESSAGE, .k = p->mark >> MARK_SHIFT,
                                     .node = (uint32_t)p->from});
    if (!(p->mark & MARK_VALUE)) return;
    uint64_t now = trace_now_after(w);
    tw->now.ready = now;
    trace_cause_recv(w, &(struct told_recv){.t = now, .from = (uint64_t)p->from,
                                            .k = tw->now.k});
}
