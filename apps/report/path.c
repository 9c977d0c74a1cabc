/* path.c - the critical path of a run: the chain of calls, and of messages between them, that ends
 * with the call that ended last.
 *
 * A call that became ready when its worker was free had to wait for what brought its last input
 * (enablers.c). One that was ready before, or followed another one of its worker at once, had to
 * wait for that.
 *
 * Traces of earlier versions do not say what brought what, nor is it known of a call that was
 * made late, as in a loop that had paused. Then it is estimated: the call had to wait for the last
 * value that left for its node within the gap before it, so for the call on the sender that had
 * ended last then; without such a value, for the call of its own node that ended last. */
#include "apps/report/report.h"

#include "runtime/base/vec.h"

struct at { /* a call */
    size_t lane, i;
    bool known;
};

static const struct report_call *
call_at(const struct report_run *r, struct at x)
{
    return &r->lanes[x.lane].at[x.i];
}

static uint64_t
end_of(const struct report_run *r, struct at x)
{
    const struct report_call *c = call_at(r, x);
    return c->t + c->dur;
}

/* The last call of the lane that had ended by t and began before `before`. */
static struct at
ended_by(const struct report_run *r, size_t lane, uint64_t t, uint64_t before)
{
    const struct report_lane *l = &r->lanes[lane];
    size_t low = 0, high = l->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct report_call *c = &l->at[mid];
        if (c->t + c->dur <= t && c->t < before)
            low = mid + 1;
        else
            high = mid;
    }
    return (struct at){lane, low - 1, low};
}

static struct at
latest_on(const struct report_run *r, unsigned node, uint64_t t, uint64_t before)
{
    uint64_t workers = r->stats.run.workers;
    struct at best = {0};
    for (uint64_t w = 0; w < workers; w++) {
        struct at x = ended_by(r, node * workers + w, t, before);
        if (x.known && (!best.known || end_of(r, x) > end_of(r, best))) best = x;
    }
    return best;
}

/* By what the trace tells of the call. */
static bool
told_before(const struct report_run *r, const struct report_call *c, struct at *y,
            const struct report_send **by)
{
    y->known = report_enabler(r, c->by, &y->lane, &y->i);
    if (!y->known || call_at(r, *y)->t >= c->t) return false; /* clocks of two hosts */
    *by = report_message(r, c->by);
    return true;
}

/* What the call waited for. Always one that began earlier, so that the walk ends. */
static struct at
before(const struct report_run *r, struct at x, const struct report_send **by)
{
    const struct report_call *c = call_at(r, x);
    unsigned node = (unsigned)(x.lane / r->stats.run.workers);
    struct at prev = {x.lane, x.i - 1, x.i};
    uint64_t idle_from = prev.known ? end_of(r, prev) : 0;
    *by = NULL;
    struct at told;
    if (c->ready > idle_from && told_before(r, c, &told, by)) return told;
    if (prev.known && (c->t <= idle_from + REPORT_GAP || (c->ready && c->ready <= idle_from)))
        return prev;
    const struct report_send *s = report_arrival(r, node, idle_from, c->t);
    if (s && s->from != node) {
        struct at y = latest_on(r, s->from, s->t, c->t);
        if (y.known) {
            *by = s;
            return y;
        }
    }
    struct at y = latest_on(r, node, c->t, c->t);
    return y.known ? y : prev;
}

static struct at
last_call(const struct report_run *r)
{
    struct at best = {0};
    for (size_t i = 0; i < r->nlanes; i++) {
        struct at x = {i, r->lanes[i].n - 1, r->lanes[i].n};
        if (x.known && (!best.known || end_of(r, x) > end_of(r, best))) best = x;
    }
    return best;
}

/* The longest calls, the longest first. */
static void
keep_top(struct report_run *r, struct at x)
{
    struct report_path *p = &r->path;
    uint64_t dur = call_at(r, x)->dur;
    unsigned k = p->ntop < REPORT_TOP ? p->ntop++ : REPORT_TOP;
    for (; k; k--) {
        struct at y = {p->top[k - 1].lane, p->top[k - 1].call, true};
        if (call_at(r, y)->dur >= dur) break;
        if (k < REPORT_TOP) p->top[k] = p->top[k - 1];
    }
    if (k < REPORT_TOP) p->top[k] = (struct report_at){(uint32_t)x.lane, (uint32_t)x.i};
}

static void
add_step(struct report_run *r, struct at x, bool joins)
{
    struct report_path *p = &r->path;
    const struct report_call *c = call_at(r, x);
    p->calls += c->dur;
    p->ncalls++;
    p->by[c->sub] += c->dur;
    p->count[c->sub]++;
    keep_top(r, x);
    if (joins) {
        p->segs[p->n - 1].from = c->t;
        return;
    }
    vec_need(r->arena, p->segs, p->n, p->room);
    p->segs[p->n++] = (struct report_seg){c->t, c->t + c->dur, (uint32_t)x.lane};
}

static void
turn_round(struct report_path *p)
{
    for (size_t i = 0; i < p->n / 2; i++) {
        struct report_seg s = p->segs[i];
        p->segs[i] = p->segs[p->n - 1 - i];
        p->segs[p->n - 1 - i] = s;
    }
}

void
report_trace_path(struct report_run *r)
{
    struct report_path *p = &r->path;
    p->by = arena_array(r->arena, uint64_t, r->stats.nsubs + 1);
    p->count = arena_array(r->arena, uint64_t, r->stats.nsubs + 1);
    bool joins = false;
    for (struct at x = last_call(r); x.known;) {
        const struct report_send *by;
        add_step(r, x, joins);
        struct at y = before(r, x, &by);
        uint64_t gap = 0, t = call_at(r, x)->t;
        if (y.known && end_of(r, y) < t) gap = t - end_of(r, y);
        if (by) {
            p->messages += gap;
            p->nmessages++;
        } else {
            p->between += gap;
        }
        joins = y.known && y.lane == x.lane && gap <= REPORT_GAP;
        x = y;
    }
    turn_round(p);
}
