/* scope.c - a growing table of slots, free ones linked. */
#include "scope.h"

#include "runtime/base/pool.h"

enum { ROOM_FIRST = 64 };

void
scopes_init(struct scopes *s)
{
    *s = (struct scopes){.free = -1};
    pthread_mutex_init(&s->lock, NULL);
}

void
scopes_fini(struct scopes *s)
{
    if (s->slot) pool_give(s->slot, s->room * sizeof *s->slot);
    pthread_mutex_destroy(&s->lock);
}

static bool
grow(struct scopes *s)
{
    uint32_t room = s->room ? s->room * 2 : ROOM_FIRST;
    struct scope_slot *slot = room < INT32_MAX ? pool_take(room * sizeof *slot) : NULL;
    if (!slot) return false;
    if (s->slot) {
        memcpy(slot, s->slot, s->n * sizeof *slot);
        pool_give(s->slot, s->room * sizeof *slot);
    }
    s->slot = slot;
    s->room = room;
    return true;
}

/* A free slot; -1: out of memory. */
static int32_t
slot_new(struct scopes *s)
{
    int32_t i = s->free;
    if (i >= 0) {
        s->free = s->slot[i].to;
        return i;
    }
    if (s->n == s->room && !grow(s)) return -1;
    s->slot[s->n] = (struct scope_slot){.frame = NULL};
    return (int32_t)s->n++;
}

uint64_t
scope_lend(struct scopes *s, struct frame *f, int to)
{
    uint64_t handle = 0;
    pthread_mutex_lock(&s->lock);
    int32_t i = slot_new(s);
    if (i >= 0) {
        frame_retain_around(f);
        s->slot[i].frame = f;
        s->slot[i].to = to;
        handle = (uint64_t)++s->slot[i].used << 32 | ((uint32_t)i + 1);
    }
    pthread_mutex_unlock(&s->lock);
    return handle;
}

struct frame *
scope_take(struct scopes *s, uint64_t handle, int from)
{
    struct frame *f = NULL;
    uint32_t i = (uint32_t)handle - 1;
    pthread_mutex_lock(&s->lock);
    if (i < s->n && s->slot[i].used == handle >> 32 &&
        (s->slot[i].to == from || s->slot[i].to == SCOPE_ANYWHERE))
        f = s->slot[i].frame;
    if (f) {
        s->slot[i].frame = NULL;
        s->slot[i].to = s->free;
        s->free = (int32_t)i;
    }
    pthread_mutex_unlock(&s->lock);
    return f;
}

#ifndef NDEBUG
enum { LENT_LOOK = 1024 };

bool
scope_is_lent(struct scopes *s, const struct frame *f)
{
    bool lent = false;
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->n && i < LENT_LOOK && !lent; i++)
        lent = s->slot[i].frame == f;
    pthread_mutex_unlock(&s->lock);
    return lent;
}

long
scope_count_lent(struct scopes *s)
{
    long n = 0;
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->n; i++) n += s->slot[i].frame != NULL;
    pthread_mutex_unlock(&s->lock);
    return n;
}
#endif
