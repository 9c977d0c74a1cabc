/* sim.c - a heap of events, an inbox and a clock per node, the last arrival per pair. */
#include "transport.h"

#include "runtime/base/mem.h"
#include "runtime/base/rng.h"
#include "runtime/base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
    HOST_NODES = 2,   /* on each host, for what goes by hosts */
    SMALL_BYTES = 512 /* of a message: how long it is on the way is known before */
};

struct event {
    uint64_t time, number;
    int node;
    struct packet *packet; /* NULL: a turn */
};

struct pair { /* of nodes that have spoken */
    uint64_t key;   /* from, to; PAIR_NONE: free */
    uint64_t last;  /* arrival of the latest packet */
};
#define PAIR_NONE UINT64_MAX

struct endpoint {
    struct transport base;
    struct sim *sim;
    struct packet *first, *last; /* inbox */
    uint64_t time;               /* its clock: in a turn, or at the end of its last one */
    uint64_t link_free;          /* until then packets sent before are on their way out */
    uint64_t turn; /* the number + 1 of its next turn's event, which is in the heap; 0: none */
    bool waits;    /* what comes brings that turn forward */
};

struct sim {
    struct endpoint *endpoint;
    int nodes;
    struct sim_options o;
    uint64_t least, range; /* of latencies */
    struct rng rng;
    uint64_t now, numbers, events, digest;
    struct event *heap;
    size_t n, room;
    struct pair *pairs; /* open addressing */
    size_t npairs, pairs_room;
    bool failed;        /* out of memory: told by sim_next */
    uint64_t time_of[SMALL_BYTES]; /* most messages are small, and a division takes long */
};

/* ---- the heap ---- */

static bool
earlier(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void
push(struct sim *s, uint64_t time, int node, struct packet *p)
{
    if (!vec_more(NULL, s->heap, s->n, s->room)) {
        s->failed = true;
        if (p) packet_free(p);
        return;
    }
    struct event e = {time, s->numbers++, node, p};
    size_t i = s->n++;
    for (; i && earlier(&e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = e;
}

static struct event
pop(struct sim *s)
{
    struct event top = s->heap[0], e = s->heap[--s->n];
    size_t i = 0;
    for (size_t k; (k = 2 * i + 1) < s->n; i = k) {
        if (k + 1 < s->n && earlier(&s->heap[k + 1], &s->heap[k])) k++;
        if (!earlier(&s->heap[k], &e)) break;
        s->heap[i] = s->heap[k];
    }
    s->heap[i] = e;
    return top;
}

/* ---- order per pair ---- */

static struct pair *
pair_slot(struct pair *pairs, size_t room, uint64_t key)
{
    size_t i = (key * 0x9E3779B97F4A7C15ull >> 20) & (room - 1);
    while (pairs[i].key != key && pairs[i].key != PAIR_NONE) i = (i + 1) & (room - 1);
    return &pairs[i];
}

static bool
pairs_grow(struct sim *s)
{
    size_t room = s->pairs_room ? s->pairs_room * 2 : 256;
    struct pair *pairs = mem_alloc(room * sizeof *pairs);
    if (!pairs) return false;
    for (size_t i = 0; i < room; i++) pairs[i].key = PAIR_NONE;
    for (size_t i = 0; i < s->pairs_room; i++)
        if (s->pairs[i].key != PAIR_NONE) *pair_slot(pairs, room, s->pairs[i].key) = s->pairs[i];
    mem_free(s->pairs);
    s->pairs = pairs;
    s->pairs_room = room;
    return true;
}

static uint64_t
clock_of(const struct endpoint *e)
{
    return e->time > e->sim->now ? e->time : e->sim->now;
}

static uint64_t
time_of_bytes(const struct sim *s, size_t bytes)
{
    return (uint64_t)((double)bytes * 1e9 / (double)s->o.bandwidth + 0.5);
}

/* When so many bytes that are sent now have left the node. */
static uint64_t
departure(struct endpoint *e, size_t bytes)
{
    uint64_t now = clock_of(e);
    if (e->link_free < now) e->link_free = now;
    e->link_free += bytes < SMALL_BYTES ? e->sim->time_of[bytes] : time_of_bytes(e->sim, bytes);
    return e->link_free;
}

/* When a packet that leaves at `time` arrives: at random, but not before those sent earlier between
 * the two. */
static uint64_t
arrival(struct sim *s, uint64_t time, int from, int to)
{
    time += s->least + rng_below(&s->rng, s->range);
    if (s->npairs * 2 >= s->pairs_room && !pairs_grow(s)) {
        s->failed = true;
        return time;
    }
    uint64_t key = (uint64_t)from << 32 | (uint32_t)to;
    struct pair *p = pair_slot(s->pairs, s->pairs_room, key);
    if (p->key == PAIR_NONE) {
        *p = (struct pair){key, 0};
        s->npairs++;
    }
    if (time <= p->last) time = p->last + 1;
    p->last = time;
    return time;
}

/* ---- the transport ---- */

static void
sim_send(struct transport *t, int to, struct packet *p)
{
    struct endpoint *e = (struct endpoint *)t;
    uint64_t left = departure(e, p->size - p->chains + (p->block ? p->block->size : 0));
    p->from = t->node;
    p->to = to;
    p->next = NULL;
    push(e->sim, arrival(e->sim, left, t->node, to), to, p);
}

static struct packet *
sim_poll(struct transport *t)
{
    struct endpoint *e = (struct endpoint *)t;
    struct packet *p = e->first;
    e->first = e->last = NULL;
    return p;
}

static int
sim_pending(struct transport *t)
{
    return ((struct endpoint *)t)->first != NULL;
}

static uint64_t
sim_clock(struct transport *t)
{
    return clock_of((struct endpoint *)t);
}

static void
sim_spend(struct transport *t, uint64_t ns)
{
    struct endpoint *e = (struct endpoint *)t;
    e->time = clock_of(e) + ns;
}

static void
sim_close(struct transport *t)
{
    for (struct packet *p = sim_poll(t), *next; p; p = next) {
        next = p->next;
        packet_free(p);
    }
}

static const struct transport_ops sim_ops = {.send = sim_send,
                                             .poll = sim_poll,
                                             .pending = sim_pending,
                                             .now_ns = sim_clock,
                                             .spend = sim_spend,
                                             .free = sim_close};

/* ---- the driver's side ---- */

enum err
sim_new(struct sim **out, struct transport **endpoints, int nodes, const struct sim_options *o)
{
    struct sim *s = mem_zalloc(1, sizeof *s);
    if (!s) return E_NOMEM;
    s->nodes = nodes;
    s->o = *o;
    s->least = o->latency_ns * SIM_LATENCY_MIN / 100;
    s->range = o->latency_ns * SIM_LATENCY_MAX / 100 - s->least + 1;
    s->rng = rng_of(o->seed);
    for (size_t i = 0; i < SMALL_BYTES; i++) s->time_of[i] = time_of_bytes(s, i);
    s->endpoint = mem_zalloc((size_t)nodes, sizeof *s->endpoint);
    if (!s->endpoint) {
        mem_free(s);
        return E_NOMEM;
    }
    for (int i = 0; i < nodes; i++) {
        s->endpoint[i].base = (struct transport){.ops = &sim_ops, .node = i, .nodes = nodes,
                                                .host_nodes = HOST_NODES};
        s->endpoint[i].sim = s;
        endpoints[i] = &s->endpoint[i].base;
    }
    *out = s;
    for (int i = 0; i < nodes; i++) sim_turned(s, i, 0, true); /* each looks around once */
    return OK;
}

void
sim_free(struct sim *s)
{
    if (!s) return;
    while (s->n) {
        struct event e = pop(s);
        if (e.packet) packet_free(e.packet);
    }
    mem_free(s->heap);
    mem_free(s->pairs);
    mem_free(s->endpoint);
    mem_free(s);
}

static void
count(struct sim *s, const struct event *e)
{
    uint64_t what = e->packet ? (uint64_t)e->packet->kind << 32 | (uint32_t)e->packet->from : ~0ull;
    s->events++;
    s->digest = (s->digest ^ e->time) * 0x9E3779B97F4A7C15ull;
    s->digest = (s->digest ^ what ^ (uint64_t)e->node << 16) * 0xD6E8FEB86659FD93ull;
    s->digest ^= s->digest >> 29;
}

static void
schedule(struct sim *s, int node)
{
    struct endpoint *e = &s->endpoint[node];
    if (e->turn && !e->waits) return;
    e->waits = false;
    e->turn = s->numbers + 1;
    push(s, clock_of(e), node, NULL);
}

/* A turn that was brought forward. */
static bool
is_stale(const struct sim *s, const struct event *e)
{
    return !e->packet && s->endpoint[e->node].turn != e->number + 1;
}

bool
sim_next(struct sim *s, int *node)
{
    while (s->n && !s->failed) {
        struct event e = pop(s);
        struct endpoint *to = &s->endpoint[e.node];
        if (is_stale(s, &e)) continue;
        s->now = e.time;
        count(s, &e);
        if (!e.packet) {
            to->turn = 0;
            to->waits = false;
            *node = e.node;
            return true;
        }
        if (to->last) to->last->next = e.packet;
        else to->first = e.packet;
        to->last = e.packet;
        schedule(s, e.node);
    }
    return false;
}

uint64_t
sim_turned(struct sim *s, int node, uint64_t ns, bool more)
{
    struct endpoint *e = &s->endpoint[node];
    sim_spend(&e->base, ns);
    if (more || e->first) schedule(s, node);
    return e->time;
}

uint64_t
sim_waits(struct sim *s, int node, uint64_t ns)
{
    struct endpoint *e = &s->endpoint[node];
    uint64_t now = clock_of(e);
    if (e->first) {
        schedule(s, node);
        return now;
    }
    e->turn = s->numbers + 1;
    e->waits = true;
    push(s, now + ns, node, NULL);
    return now;
}

uint64_t
sim_now_ns(const struct sim *s)
{
    uint64_t now = s->now;
    for (int i = 0; i < s->nodes; i++)
        if (s->endpoint[i].time > now) now = s->endpoint[i].time;
    return now;
}

uint64_t
sim_events(const struct sim *s)
{
    return s->events;
}

uint64_t
sim_digest(const struct sim *s)
{
    return s->digest;
}
