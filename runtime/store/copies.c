/* copies.c - a map under one lock, a list by the last read, a list of what is untold. */
#include "copies.h"

#include "runtime/base/map.h"
#include "runtime/base/mem.h"

#include <pthread.h>
#include <stddef.h>

struct place { /* in a list */
    struct place *next, *before;
};

struct copy {
    struct place by_read, by_tale; /* by_tale.next: NULL if it stands in no list */
    luna_value value;              /* unset: gone */
    int home;
    uint32_t read; /* untold */
    bool counts, evicted;
    struct key key; /* as far as it is used */
};

struct copies {
    struct copies_counts n; /* comes first */
    pthread_mutex_t lock;
    struct map *map;
    struct place read, untold; /* rings; read: who was read longest ago comes first */
    size_t room, bytes;
    struct copies_sums sums;
};

static void
ring_init(struct place *ring)
{
    ring->next = ring->before = ring;
}

static void
ring_add(struct place *ring, struct place *p)
{
    p->next = ring;
    p->before = ring->before;
    ring->before->next = p;
    ring->before = p;
}

static void
ring_take(struct place *p)
{
    p->before->next = p->next;
    p->next->before = p->before;
    p->next = NULL;
}

static struct copy *
by_read(struct place *p)
{
    return (struct copy *)(void *)((char *)p - offsetof(struct copy, by_read));
}

static struct copy *
by_tale(struct place *p)
{
    return (struct copy *)(void *)((char *)p - offsetof(struct copy, by_tale));
}

/* A name as bytes: what it is bound to is no part of it. */
static size_t
name_of(const struct key *k, struct key *name)
{
    size_t size = offsetof(struct key, ix) + k->n * sizeof *k->ix;
    memcpy(name, k, size);
    name->bound = 0;
    return size;
}

static struct copy *
find(const struct copies *c, const struct key *k)
{
    struct key name;
    size_t size = name_of(k, &name);
    return map_get_bytes(c->map, &name, size);
}

enum err
copies_new(struct copies **out, size_t room)
{
    struct copies *c = mem_zalloc(1, sizeof *c);
    *out = NULL;
    if (!c) return E_NOMEM;
    c->room = room;
    c->map = map_new();
    ring_init(&c->read);
    ring_init(&c->untold);
    pthread_mutex_init(&c->lock, NULL);
    if (!c->map) {
        copies_free(c);
        return E_NOMEM;
    }
    *out = c;
    return OK;
}

static void
forget(struct copies *c, struct copy *x)
{
    struct key name;
    size_t size = name_of(&x->key, &name);
    map_remove_bytes(c->map, &name, size);
    mem_free(x);
}

static size_t
bytes_of(luna_value v)
{
    size_t bytes;
    value_bytes(&v, &bytes);
    return bytes;
}

static bool
is_untold(const struct copy *x)
{
    return x->read || x->evicted;
}

static void
note(struct copies *c, struct copy *x)
{
    if (x->by_tale.next) return;
    ring_add(&c->untold, &x->by_tale);
    atomic_fetch_add_explicit(&c->n.untold, 1, memory_order_relaxed);
}

/* The value goes; what is untold of it stays. */
static void
let_go(struct copies *c, struct copy *x)
{
    c->bytes -= bytes_of(x->value);
    value_release(x->value);
    x->value = value_unset();
    ring_take(&x->by_read);
    atomic_fetch_sub_explicit(&c->n.here, 1, memory_order_relaxed);
    if (!is_untold(x)) forget(c, x);
}

static void
make_room(struct copies *c)
{
    while (c->bytes > c->room) {
        struct copy *x = by_read(c->read.next);
        x->evicted = true;
        note(c, x);
        let_go(c, x);
    }
}

void
copies_free(struct copies *c)
{
    if (!c) return;
    while (c->read.next != &c->read) let_go(c, by_read(c->read.next));
    while (c->untold.next != &c->untold) {
        struct copy *x = by_tale(c->untold.next);
        ring_take(&x->by_tale);
        forget(c, x);
    }
    map_free(c->map);
    pthread_mutex_destroy(&c->lock);
    mem_free(c);
}

bool
copies_take(struct copies *c, const struct key *k, luna_value *v, bool *counts)
{
    pthread_mutex_lock(&c->lock);
    struct copy *x = find(c, k);
    bool here = x && x->value.type != LUNA_UNSET;
    if (here) {
        *v = x->value;
        *counts = x->counts;
        value_retain(*v);
        ring_take(&x->by_read);
        ring_add(&c->read, &x->by_read);
        x->read += x->counts;
        if (x->counts) note(c, x);
        c->sums.read++;
    }
    pthread_mutex_unlock(&c->lock);
    return here;
}

static struct copy *
copy_new(struct copies *c, const struct key *k)
{
    struct key name;
    size_t size = name_of(k, &name);
    struct copy *x = mem_zalloc(1, offsetof(struct copy, key) + size);
    if (!x) return NULL;
    memcpy(&x->key, k, size);
    x->value = value_unset();
    if (map_put_bytes(c->map, &name, size, x)) return x;
    mem_free(x);
    return NULL;
}

void
copies_keep(struct copies *c, const struct key *k, int home, luna_value v, bool counts)
{
    pthread_mutex_lock(&c->lock);
    struct copy *x = find(c, k);
    if (!x) x = copy_new(c, k);
    if (x && x->value.type == LUNA_UNSET) {
        x->value = v;
        x->home = home;
        x->counts = counts;
        x->evicted = false;
        x->key.bound = k->bound;
        ring_add(&c->read, &x->by_read);
        atomic_fetch_add_explicit(&c->n.here, 1, memory_order_relaxed);
        c->bytes += bytes_of(v);
        c->sums.kept++;
    } else {
        value_release(v); /* two were on their way; or there is no memory */
    }
    make_room(c);
    pthread_mutex_unlock(&c->lock);
}

void
copies_drop(struct copies *c, const struct key *k)
{
    pthread_mutex_lock(&c->lock);
    struct copy *x = find(c, k);
    if (x && x->value.type != LUNA_UNSET) let_go(c, x);
    pthread_mutex_unlock(&c->lock);
}

bool
copies_untold(struct copies *c, struct copies_news *news)
{
    pthread_mutex_lock(&c->lock);
    bool any = c->untold.next != &c->untold;
    if (any) {
        struct copy *x = by_tale(c->untold.next);
        memcpy(&news->key, &x->key, offsetof(struct key, ix) + x->key.n * sizeof *x->key.ix);
        news->home = x->home;
        news->read = x->read;
        news->let_go = x->evicted;
        x->read = 0;
        x->evicted = false;
        ring_take(&x->by_tale);
        atomic_fetch_sub_explicit(&c->n.untold, 1, memory_order_relaxed);
        if (x->value.type == LUNA_UNSET) forget(c, x);
    }
    pthread_mutex_unlock(&c->lock);
    return any;
}

struct copies_sums
copies_sums(struct copies *c)
{
    pthread_mutex_lock(&c->lock);
    struct copies_sums s = c->sums;
    pthread_mutex_unlock(&c->lock);
    return s;
}
