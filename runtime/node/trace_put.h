/* trace_put.h - how a record is put together, behind `at`, which all give back further on. */
#ifndef LUNA_RUNTIME_TRACE_PUT_H
#define LUNA_RUNTIME_TRACE_PUT_H

#include "runtime/node/trace_binary.h"
#include "runtime/program.h"

#include <assert.h>

/* ---- numbers ---- */

static inline char *
put_long(char *at, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) *at++ = (char)(v | 0x80);
    *at++ = (char)v;
    return at;
}

/* Most are short. */
static inline char *
put(char *at, uint64_t v)
{
    if (__builtin_expect(v < 0x80, 1)) {
        *at = (char)v;
        return at + 1;
    }
    if (__builtin_expect(v >= 0x4000, 0)) return put_long(at, v);
    at[0] = (char)(v | 0x80);
    at[1] = (char)(v >> 7);
    return at + 2;
}

static inline char *
put_signed(char *at, int64_t v)
{
    return put(at, trace_block_fold(v));
}

/* The difference from `*last`, which is v from now on. */
static inline char *
put_next(char *at, uint64_t *last, uint64_t v)
{
    at = put_signed(at, (int64_t)(v - *last));
    *last = v;
    return at;
}

static inline char *
put_kind(char *at, enum trace_record kind, unsigned flags)
{
    return put(at, kind | flags << TRACE_KIND_BITS);
}

static inline char *
put_text(char *at, const char *text, size_t n)
{
    at = put(at, n);
    memcpy(at, text, n);
    return at + n;
}

/* ---- what several have ---- */

/* A block begins with nothing before. */
static inline void
put_begin(const struct trace_buffer *to, struct trace_records *r, uint64_t t)
{
    if (__builtin_expect(r->block == to->blocks + 1, 1)) return;
    r->block = to->blocks + 1;
    r->t = t;
    r->sent = r->call = r->message = r->reads = 0;
    trace_block_put64(to->data + TRACE_BLOCK_FIRST, t);
}

/* What the record before of its name was is in names->last then: the name was told in this block,
 * with so many indices. */
static inline char *
put_name(char *at, struct trace_records *r, struct trace_names *names, const struct told_name *name)
{
    const struct trace_last *last = names->last[name->number];
    if (__builtin_expect(last && last->block == r->block && last->n == name->n, 1)) return at;
    struct told_name whole = *name;
    return trace_binary_name(at, r, names, &whole);
}

static inline char *
put_indices(char *at, struct trace_last *last, const int32_t *ix)
{
    for (uint32_t i = 0, n = last->n; i < n; i++) {
        at = put_signed(at, (int64_t)ix[i] - last->ix[i]);
        last->ix[i] = ix[i];
    }
    return at;
}

/* Behind the name of a site: counters, and identities, which are never small. */
static inline char *
put_counters(char *at, struct trace_last *last, const luna_word *local, unsigned n)
{
    int32_t *ix = last->ix;
    for (unsigned i = 0; i < n; i++) {
        int32_t v = (int32_t)local[i].i;
        if (v != local[i].i) continue;
        at = put_signed(at, (int64_t)v - *ix);
        *ix++ = v;
    }
    assert(ix == last->ix + last->n);
    return at;
}

static inline unsigned
put_flag_of(const struct trace_records *r, const struct told_by *by)
{
    if (by->by == (int32_t)r->worker) return TRACE_HAS_CALL;
    if (by->by == TOLD_MESSAGE) return TRACE_HAS_MESSAGE;
    return by->by == TOLD_UNKNOWN ? 0 : TRACE_HAS_WORKER;
}

static inline char *
put_by(char *at, struct trace_records *r, const struct told_by *by)
{
    if (by->by == TOLD_UNKNOWN) return at;
    if (by->by == TOLD_MESSAGE) at = put(at, (uint64_t)by->node);
    else if (by->by != (int32_t)r->worker) at = put(at, (uint64_t)by->by);
    return put_next(at, by->by == TOLD_MESSAGE ? &r->message : &r->call, by->k);
}

/* ---- a call ---- */

/* NULL: its site has not been named in this block. */
static inline struct trace_last *
put_known(const struct trace_records *r, uint32_t site)
{
    struct trace_last *last = r->sites.last[site];
    return last && last->block == r->block ? last : NULL;
}

/* Behind its name. `counters`: so many locals, in place of the indices of the name; or NULL. */
static inline __attribute__((always_inline)) char *
put_call(char *at, struct trace_records *r, const struct told_call *c, struct trace_last *last,
         const luna_word *counters, unsigned n)
{
    unsigned flags = 0;
    if (c->waited) flags |= TRACE_HAS_READY | put_flag_of(r, &c->by);
    if (c->cell != TOLD_NO_CELL) flags |= TRACE_HAS_CELL;
    if (c->values.size) flags |= TRACE_HAS_VALUES;
    at = put_kind(at, TRACE_RECORD_EXEC, flags);
    at = put(at, c->name.number);
    at = put(at, c->t - r->t);
    at = put(at, c->dur);
    at = put_next(at, &r->reads, c->chain - c->dur);
    r->t = c->t + c->dur;
    at = counters ? put_counters(at, last, counters, n) : put_indices(at, last, c->name.ix);
    if (c->cell != TOLD_NO_CELL) {
        at = put_signed(at, (int64_t)c->cell - last->cell);
        last->cell = c->cell;
    }
    if (c->waited) {
        at = put(at, c->t - c->ready);
        at = put_by(at, r, &c->by);
    }
    return c->values.size ? put_text(at, c->values.text, c->values.size) : at;
}

#endif
