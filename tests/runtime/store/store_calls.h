/* store_calls.h - what a test asks of a store, and what it sees there, in few words. */
#ifndef TESTS_RUNTIME_STORE_CALLS_H
#define TESTS_RUNTIME_STORE_CALLS_H

#include "runtime/store/store.h"

#include <stdint.h>
#include <stdlib.h>

static inline struct key
key(uint32_t df, int i)
{
    return (struct key){.id = 77, .df = df, .n = 1, .ix = {i}};
}

/* What a want gave: the value as an int, or -1 when `who` waits now. */
enum { WAITS = -1, NOMEM = -2 };

static inline struct waiter *
waits(void *who)
{
    return who;
}

static inline int
want(struct store *s, struct key k, struct waiter *w)
{
    luna_value v;
    switch (store_want(s, &k, &v, waits, w)) {
    case WANT_HERE: break;
    case WANT_NOMEM: return NOMEM;
    default: return WAITS;
    }
    int i = v.type == LUNA_INT ? (int)v.w.i : atoi(value_block(v)->data);
    value_release(v);
    return i;
}

static struct waiter *served; /* by the last put */

static inline enum err
put(struct store *s, struct key k, int i, int32_t uses)
{
    return store_put(s, &k, luna_v_of_int(i), uses, &served);
}

static size_t entries;
static struct store_entry seen; /* the last one of a look */
static struct key seen_key;

static inline void
look_at(void *who, const struct store_entry *e)
{
    (void)who;
    seen = *e;
    seen_key = *e->key;
    entries++;
}

static inline size_t
count(struct store *s)
{
    entries = 0;
    store_each(s, look_at, NULL);
    return entries;
}

static inline struct store *
fresh(void)
{
    struct store *s = NULL;
    return store_new(&s, 1) == OK ? s : NULL;
}

#endif
