/* triggered.c - a table of descriptors and early packets, and a list of what is ready. */
#include "collectives/ops/triggered.h"

#include "collectives/ops/ops.h"
#include "runtime/base/mem.h"

#include <assert.h>
#include <string.h>

struct arrival {
    struct arrival *next; /* sorted by `from` */
    uint32_t from;
    char data[];
};

struct entry {
    struct entry *next, *next_ready;
    uint64_t operation;
    uint32_t segment;
    uint16_t slot;
    bool armed, ready;
    int arrived;
    uint32_t bytes;
    struct arrival *arrivals;
    struct trig_descriptor d; /* its own and out point behind it into `room` */
    char *room;
};

struct trig {
    int node;
    struct trig_world world;
    struct entry **bucket;
    size_t buckets, count; /* buckets: a power of 2 */
    struct entry *ready, **ready_end;
    bool running;
};

enum { BUCKETS = 16 };

enum err
trig_new(struct trig **out, int node, const struct trig_world *world)
{
    struct trig *t = mem_zalloc(1, sizeof *t);
    if (!t) return E_NOMEM;
    *t = (struct trig){.node = node, .world = *world, .buckets = BUCKETS};
    t->ready_end = &t->ready;
    t->bucket = mem_zalloc(t->buckets, sizeof *t->bucket);
    if (!t->bucket) {
        mem_free(t);
        return E_NOMEM;
    }
    *out = t;
    return OK;
}

static void
entry_free(struct entry *e)
{
    for (struct arrival *a = e->arrivals, *next; a; a = next) {
        next = a->next;
        mem_free(a);
    }
    mem_free(e->room);
    mem_free(e);
}

void
trig_free(struct trig *t)
{
    if (!t) return;
    for (size_t i = 0; i < t->buckets; i++)
        for (struct entry *e = t->bucket[i], *next; e; e = next) {
            next = e->next;
            entry_free(e);
        }
    mem_free(t->bucket);
    mem_free(t);
}

size_t
trig_pending(const struct trig *t)
{
    return t->count;
}

static struct entry **
bucket_of(const struct trig *t, uint64_t operation, uint32_t segment, uint16_t slot)
{
    uint64_t h = operation * 0x9E3779B97F4A7C15ull ^ (uint64_t)segment << 16 ^ slot;
    h = (h ^ h >> 32) * 0x94D049BB133111EBull;
    return &t->bucket[h >> 32 & (t->buckets - 1)];
}

/* Without memory it stays as it is: longer lists, nothing else. */
static void
grow(struct trig *t)
{
    struct entry **old = t->bucket, **fresh = mem_zalloc(2 * t->buckets, sizeof *fresh);
    size_t n = t->buckets;
    if (!fresh) return;
    t->bucket = fresh;
    t->buckets = 2 * n;
    for (size_t i = 0; i < n; i++)
        for (struct entry *e = old[i], *next; e; e = next) {
            next = e->next;
            struct entry **b = bucket_of(t, e->operation, e->segment, e->slot);
            e->next = *b;
            *b = e;
        }
    mem_free(old);
}

/* The entry, made if it is not there; NULL: no memory. */
static struct entry *
entry_get(struct trig *t, uint64_t operation, uint32_t segment, uint16_t slot)
{
    struct entry **b = bucket_of(t, operation, segment, slot);
    for (struct entry *e = *b; e; e = e->next)
        if (e->operation == operation && e->segment == segment && e->slot == slot) return e;
    struct entry *e = mem_zalloc(1, sizeof *e);
    if (!e) return NULL;
    e->operation = operation;
    e->segment = segment;
    e->slot = slot;
    if (++t->count > t->buckets) {
        grow(t);
        b = bucket_of(t, operation, segment, slot);
    }
    e->next = *b;
    *b = e;
    return e;
}

static void
forget(struct trig *t, struct entry *e)
{
    struct entry **at = bucket_of(t, e->operation, e->segment, e->slot);
    while (*at != e) at = &(*at)->next;
    *at = e->next;
    t->count--;
    entry_free(e);
}

static void
note_ready(struct trig *t, struct entry *e)
{
    if (!e->armed || e->ready || e->arrived < e->d.threshold) return;
    e->ready = true;
    *t->ready_end = e;
    t->ready_end = &e->next_ready;
}

/* Files a packet; does not run anything. */
static enum err
file_packet(struct trig *t, const struct trig_packet *p)
{
    struct entry *e = entry_get(t, p->operation, p->segment, p->slot);
    if (!e) return E_NOMEM;
    bool first = !e->armed && !e->arrived;
    if (!first && (p->bytes != e->bytes || (e->armed && e->arrived == e->d.threshold)))
        return E_PROTOCOL;
    struct arrival **at = &e->arrivals;
    while (*at && (*at)->from < p->from) at = &(*at)->next;
    if (*at && (*at)->from == p->from) return E_TWICE;
    struct arrival *a = mem_alloc(sizeof *a + p->bytes);
    if (!a) {
        if (first) forget(t, e);
        return E_NOMEM;
    }
    a->from = p->from;
    a->next = *at;
    memcpy(a->data, p->data, p->bytes);
    *at = a;
    e->bytes = p->bytes;
    e->arrived++;
    note_ready(t, e);
    return OK;
}

/* The result of all operands; NULL: no memory. */
static const void *
combine(struct entry *e, char **room)
{
    const struct trig_descriptor *d = &e->d;
    if (!d->combine) return e->arrivals ? e->arrivals->data : d->own;
    int n = 0;
    size_t result = (d->bytes + 63) / 64 * 64;
    *room = mem_alloc(result + (size_t)(d->threshold + 1) * sizeof(void *));
    if (!*room) return NULL;
    const void **in = (const void **)(*room + result);
    if (d->own) in[n++] = d->own;
    for (struct arrival *a = e->arrivals; a; a = a->next) in[n++] = a->data;
    d->combine(d->who, *room, in, n, d->bytes);
    return *room;
}

static enum err
send_all(struct trig *t, const struct trig_descriptor *d, const void *data)
{
    enum err e = OK;
    for (int i = 0; i < d->outs && !e; i++) {
        const struct trig_out *o = &d->out[i];
        struct trig_packet p = {.operation = d->operation, .segment = d->segment, .slot = o->slot,
                                .from = o->from, .bytes = (uint32_t)d->bytes, .data = data};
        if (o->node == t->node) e = file_packet(t, &p); /* runs after this one: no recursion */
        else t->world.send(t->world.who, o->node, &p);
    }
    return e;
}

static enum err
run_one(struct trig *t, struct entry *e)
{
    char *room = NULL;
    const void *result = combine(e, &room);
    enum err error = result || !e->d.bytes ? OK : E_NOMEM;
    if (!error) error = send_all(t, &e->d, e->d.data == TRIG_COPY ? e->d.own : result);
    if (!error && e->d.deliver)
        t->world.done(t->world.who, e->d.operation, e->d.at, result, e->d.bytes);
    mem_free(room);
    forget(t, e);
    return error;
}

static enum err
run(struct trig *t)
{
    if (t->running) return OK; /* an outer call does */
    t->running = true;
    enum err first = OK;
    while (t->ready) {
        struct entry *e = t->ready;
        t->ready = e->next_ready;
        if (!t->ready) t->ready_end = &t->ready;
        enum err error = run_one(t, e);
        if (!first) first = error;
    }
    t->running = false;
    return first;
}

enum err
trig_arrive(struct trig *t, const struct trig_packet *p)
{
    enum err e = file_packet(t, p);
    return e ? e : run(t);
}

enum err
trig_arm(struct trig *t, const struct trig_descriptor *d)
{
    assert(d->threshold >= 0 && (d->combine || d->threshold + !!d->own == 1));
    assert(d->data == TRIG_REPLACE || d->own);
    struct entry *e = entry_get(t, d->operation, d->segment, d->slot);
    if (!e) return E_NOMEM;
    bool fresh = !e->armed && !e->arrived;
    if (e->armed) return E_TWICE;
    if (!fresh && (e->arrived > d->threshold || e->bytes != d->bytes)) return E_PROTOCOL;
    size_t outs = (size_t)d->outs * sizeof *d->out, own = d->own ? d->bytes : 0;
    e->room = mem_alloc(outs + own);
    if (!e->room) {
        if (fresh) forget(t, e);
        return E_NOMEM;
    }
    if (outs) memcpy(e->room, d->out, outs);
    if (own) memcpy(e->room + outs, d->own, own);
    e->d = *d;
    e->d.out = (const void *)e->room;
    if (d->own) e->d.own = e->room + outs;
    e->bytes = (uint32_t)d->bytes;
    e->armed = true;
    note_ready(t, e);
    return run(t);
}

int
trig_node(const struct trig *t)
{
    return t->node;
}

void
trig_combine_op(void *who, void *out, const void *const *in, int n, size_t bytes)
{
    const struct trig_op *o = who;
    ops_combine(o->type, o->op, out, in, n, bytes / coll_type_bytes(o->type));
}
