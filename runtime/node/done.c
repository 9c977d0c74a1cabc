/* done.c - waves over the tree. */
#include "done.h"

#include "runtime/base/exit.h"
#include "runtime/fault/fault.h"
#include "runtime/node/node.h"

#include <assert.h>
#include <inttypes.h>

static int
children(const struct node *n)
{
    int first = 2 * n->number + 1;
    return (first < n->nodes) + (first + 1 < n->nodes);
}

static void
send(struct node *n, int to, struct writer *wr, enum msg_kind kind)
{
    struct packet *p = writer_packet(wr, kind);
    if (!p) fault_nomem();
    node_send(n, to, p);
}

static void
to_children(struct node *n, enum msg_kind kind, uint32_t wave)
{
    for (int i = 1; i <= children(n); i++) {
        struct writer wr = {0};
        write_u32(&wr, wave);
        send(n, 2 * n->number + i, &wr, kind);
    }
}

static void
wave_begin(struct node *n, uint32_t wave)
{
    struct done *d = n->done;
    d->asked = true;
    d->wave = wave;
    d->reports = 0;
    d->sent = d->received = d->paused = 0;
    to_children(n, MSG_PROBE, wave);
}

/* All that waits waits for statements which nobody has come to yet. */
static void
loops_go_on(struct node *n)
{
    to_children(n, MSG_GO_ON, n->done->wave);
    if (node_has_ranges(n)) {
        atomic_store(&n->window, 2 * n->window);
        n->lead.most *= 2;
    }
    n->done->last_known = false;
}

static void
run_ends(struct node *n)
{
    to_children(n, MSG_STOP, n->done->wave);
    node_stop(n);
}

enum { DELAY_NS_MIN = 5000, DELAY_NS_MAX = 1000000 };

/* Virtual time does not pass by itself: nothing would wake the root of a simulated run. */
static void
wave_later(struct node *n)
{
    struct done *d = n->done;
    if (n->weighs) {
        wave_begin(n, d->wave + 1);
        return;
    }
    d->delay_ns = d->delay_ns ? d->delay_ns * 2 : DELAY_NS_MIN;
    if (d->delay_ns > DELAY_NS_MAX) d->delay_ns = DELAY_NS_MAX;
    d->not_before_ns = n->net->ops->now_ns(n->net) + d->delay_ns;
}

/* At the root no wave is under way. */
static bool
wave_is_due(const struct node *n)
{
    return !n->done->not_before_ns || n->net->ops->now_ns(n->net) >= n->done->not_before_ns;
}

/* Two waves found the same, so nothing is under way: what was received had been sent. */
static void
check_counts(uint64_t sent, uint64_t received)
{
    if (received <= sent) return;
    fault_begin(F_RUN12, LUNA_NONE, "%" PRIu64 " messages were received, but only %" PRIu64
                " were sent", received, sent);
    fault_hint("all nodes must run the same version of luna and of the program");
    fault_end(EXIT_SYSTEM);
}

/* The root has the sums of a whole wave. */
static void
wave_ends(struct node *n, uint64_t sent, uint64_t received, uint32_t paused)
{
    struct done *d = n->done;
    bool same = d->last_known && d->last_sent == sent && d->last_received == received;
    if (same) check_counts(sent, received);
    if (same && sent == received && paused) {
        loops_go_on(n);
        wave_later(n);
        return;
    }
    if (same && sent == received) {
        run_ends(n);
        return;
    }
    d->last_known = true;
    d->last_sent = sent;
    d->last_received = received;
    d->confirms = !d->confirms && sent == received;
    if (d->confirms) wave_begin(n, d->wave + 1); /* it looks like the end: ask again at once */
    else wave_later(n);
}

/* Section 6: what the proof needs of a node. Its counters only grow. */
#ifndef NDEBUG
static bool
counts_grow(struct done *d, uint64_t sent, uint64_t received)
{
    bool grow = sent >= d->seen_sent && received >= d->seen_received;
    d->seen_sent = sent;
    d->seen_received = received;
    return grow;
}
#endif

struct done_seen
done_look(const struct node *n)
{
    return (struct done_seen){atomic_load(&n->sent), atomic_load(&n->received),
                              node_has_ranges(n)};
}

void
done_at_rest(struct worker *w, const struct done_seen *seen)
{
    struct node *n = w->node;
    struct done *d = n->done;
    if (!n->number && !d->asked && wave_is_due(n)) wave_begin(n, d->wave + 1);
    if (!d->asked || d->reports < children(n)) return;
    uint64_t sent = seen->sent, received = seen->received;
    assert(counts_grow(d, sent, received));
    sent += d->sent;
    received += d->received;
    uint32_t paused = d->paused + seen->paused;
    d->asked = false;
    if (!n->number) {
        wave_ends(n, sent, received, paused);
        return;
    }
    struct writer wr = {0};
    write_u32(&wr, d->wave);
    write_u64(&wr, sent);
    write_u64(&wr, received);
    write_u32(&wr, paused);
    send(n, (n->number - 1) / 2, &wr, MSG_REPORT);
}

static bool
from_parent(const struct worker *w, const struct reader *r)
{
    int number = w->node->number;
    return number && r->packet->from == (number - 1) / 2;
}

bool
on_probe(struct worker *w, struct reader *r)
{
    uint32_t wave = read_u32(r);
    if (!reader_done(r) || w->node->done->asked || !from_parent(w, r)) return false;
    wave_begin(w->node, wave);
    return true;
}

bool
on_report(struct worker *w, struct reader *r)
{
    struct done *d = w->node->done;
    uint32_t wave = read_u32(r);
    uint64_t sent = read_u64(r), received = read_u64(r);
    uint32_t paused = read_u32(r);
    if (!reader_done(r) || !d->asked || wave != d->wave || d->reports >= children(w->node) ||
        (r->packet->from - 1) / 2 != w->node->number)
        return false;
    d->sent += sent;
    d->received += received;
    d->paused += paused;
    d->reports++;
    return true;
}

bool
on_stop(struct worker *w, struct reader *r)
{
    (void)read_u32(r);
    if (!reader_done(r) || !from_parent(w, r)) return false;
    run_ends(w->node);
    return true;
}

bool
on_go_on(struct worker *w, struct reader *r)
{
    (void)read_u32(r);
    if (!reader_done(r) || !from_parent(w, r)) return false;
    loops_go_on(w->node);
    return true;
}
