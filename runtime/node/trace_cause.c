/* trace_cause.c - which call, or message, has brought what a call waited for.
 *
 * Each worker knows why it does what it does: because of a call that has just ended, or of a
 * message that has come, or it does not know. What it brings to a waiting task is caused by that.
 * Statements that are no calls hand on what has made them ready. */
#include "trace_parts.h"

static const struct task_cause unknown = {.by = CAUSE_UNKNOWN};

void
trace_cause_call(struct worker *w)
{
    struct trace_worker *tw = w->trace;
    tw->now = (struct task_cause){
        .k = atomic_load_explicit(&tw->calls, memory_order_relaxed),
        .node = w->node->number, .by = w->number};
}

void
trace_cause_print(struct trace_line *l, const char *before, const struct task_cause *c)
{
    if (c->by == CAUSE_UNKNOWN) return;
    trace_number(l, before, (uint64_t)c->node);
    if (c->by == CAUSE_MESSAGE) trace_text(l, ",\"m\"");
    else trace_number(l, ",", (uint64_t)c->by);
    trace_number(l, ",", c->k);
    trace_text(l, "]");
}

/* ---- tasks ---- */

void
trace_came(struct worker *w, const struct luna_site *site, struct task *t)
{
    *task_cause(site, t) = w->trace->now;
    task_cause(site, t)->ready = trace_now(w);
    t->flags |= TASK_CAUSED;
}

void
trace_took(struct worker *w, const struct luna_site *site, struct task *t)
{
    if (site->kind == LUNA_S_CALL) return;
    w->trace->now = t->flags & TASK_CAUSED ? *task_cause(site, t) : unknown;
    t->flags &= (uint8_t)~TASK_CAUSED; /* the test of a while goes on as the next one */
}

void
trace_knows_nothing(struct worker *w)
{
    w->trace->now = unknown;
}

/* ---- chains ---- */

void
trace_set_reads(struct worker *w, uint32_t chain)
{
    w->trace->reads = chain;
}

void
trace_set_chain(struct worker *w, uint32_t chain)
{
    w->trace->chain = chain;
}

uint32_t
trace_last_chain(const struct worker *w)
{
    return w->trace->chain;
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
    struct trace_line l;
    tw->now = unknown;
    if (!p->mark) return;
    tw->now = (struct task_cause){
        .k = p->mark >> MARK_SHIFT, .node = p->from, .by = CAUSE_MESSAGE};
    if (!(p->mark & MARK_VALUE) || !trace_line_begin(&l, &tw->lines, 0)) return;
    trace_number(&l, "{\"t\":", trace_now(w));
    trace_number(&l, ",\"ev\":\"recv\",\"from\":", (uint64_t)p->from);
    trace_number(&l, ",\"k\":", tw->now.k);
    trace_text(&l, "}\n");
    trace_line_end(&l);
}
