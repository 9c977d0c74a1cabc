/* trace_binary.c - see trace_binary.h. */
#include "trace_binary.h"

#include "distrib/lattice.h"
#include "runtime/base/mem.h"
#include "runtime/fault/fault.h"
#include "runtime/node/trace_block.h"

struct trace_last {
    unsigned block; /* it was told in that one */
    uint32_t n, room, cell;
    int32_t ix[];
};

void
trace_binary_init(struct trace_records *r, uint32_t worker, uint32_t nsites, uint32_t ndfs)
{
    *r = (struct trace_records){.sites.n = nsites, .dfs.n = ndfs, .worker = worker};
}

static void
names_free(struct trace_names *names)
{
    for (uint32_t i = 0; names->last && i < names->n; i++) mem_free(names->last[i]);
    mem_free((void *)names->last);
}

void
trace_binary_fini(struct trace_records *r)
{
    names_free(&r->sites);
    names_free(&r->dfs);
}

/* ---- numbers ---- */

static inline void
put(struct trace_line *l, uint64_t v)
{
    char *at = l->at;
    for (; v >= 0x80; v >>= 7) *at++ = (char)(v | 0x80);
    *at++ = (char)v;
    l->at = at;
}

/* The difference from `*last`, which is v from now on. */
static inline void
put_next(struct trace_line *l, uint64_t *last, uint64_t v)
{
    put(l, trace_block_fold((int64_t)(v - *last)));
    *last = v;
}

static void
put_kind(struct trace_line *l, enum trace_record kind, unsigned flags)
{
    put(l, kind | flags << TRACE_KIND_BITS);
}

static void
put_text(struct trace_line *l, const char *text, size_t n)
{
    put(l, n);
    memcpy(l->at, text, n);
    l->at += n;
}

/* ---- what several have ---- */

/* A block begins with nothing before. */
static inline void
begin_record(struct trace_line *l, struct trace_records *r, uint64_t t)
{
    if (__builtin_expect(r->block == l->to->blocks + 1, 1)) return;
    r->block = l->to->blocks + 1;
    r->t = t;
    r->sent = r->call = r->message = r->reads = 0;
    trace_block_put64(l->to->data + TRACE_BLOCK_FIRST, t);
}

static __attribute__((noinline)) struct trace_last *
tell_name(struct trace_line *l, struct trace_records *r, struct trace_names *names,
          const struct told_name *name)
{
    size_t size = strlen(name->base);
    if (!names->last) names->last = mem_zalloc(names->n, sizeof(void *));
    if (!names->last) fault_nomem();
    struct trace_last *last = names->last[name->number];
    if (!last || last->room < name->n) {
        last = mem_realloc(last, sizeof *last + name->n * sizeof *last->ix);
        if (!last) fault_nomem();
        last->room = name->n;
        names->last[name->number] = last;
    }
    last->block = r->block;
    last->n = name->n;
    last->cell = 0;
    memset(last->ix, 0, name->n * sizeof *last->ix);
    put_kind(l, TRACE_RECORD_NAME, names == &r->dfs ? TRACE_NAME_DF : 0);
    put(l, name->number);
    if (names != &r->dfs) put(l, name->line);
    put(l, name->n);
    put_text(l, name->base, size < TRACE_NAME_ROOM ? size : TRACE_NAME_ROOM);
    return last;
}

/* Its name was told in this block, with so many indices. */
static inline struct trace_last *
last_of(struct trace_line *l, struct trace_records *r, struct trace_names *names,
        const struct told_name *name)
{
    struct trace_last *last = names->last ? names->last[name->number] : NULL;
    bool known = last && last->block == r->block && last->n == name->n;
    return __builtin_expect(known, 1) ? last : tell_name(l, r, names, name);
}

static inline void
put_indices(struct trace_line *l, struct trace_last *last, const int32_t *ix)
{
    for (uint32_t i = 0; i < last->n; i++) {
        put(l, trace_block_fold((int64_t)ix[i] - last->ix[i]));
        last->ix[i] = ix[i];
    }
}

static inline unsigned
by_flag(const struct trace_records *r, const struct told_by *by)
{
    if (by->by == (int32_t)r->worker) return TRACE_HAS_CALL;
    if (by->by == TOLD_MESSAGE) return TRACE_HAS_MESSAGE;
    return by->by == TOLD_UNKNOWN ? 0 : TRACE_HAS_WORKER;
}

static inline void
put_by(struct trace_line *l, struct trace_records *r, const struct told_by *by)
{
    if (by->by == TOLD_UNKNOWN) return;
    if (by->by == TOLD_MESSAGE) put(l, (uint64_t)by->node);
    else if (by->by != (int32_t)r->worker) put(l, (uint64_t)by->by);
    put_next(l, by->by == TOLD_MESSAGE ? &r->message : &r->call, by->k);
}

/* ---- records ---- */

void
trace_binary_call(struct trace_line *l, struct trace_records *r, const struct told_call *c)
{
    unsigned flags = 0;
    begin_record(l, r, c->t);
    struct trace_last *last = last_of(l, r, &r->sites, &c->name);
    if (c->waited) flags |= TRACE_HAS_READY | by_flag(r, &c->by);
    if (c->cell != LATTICE_NONE) flags |= TRACE_HAS_CELL;
    if (c->values.size) flags |= TRACE_HAS_VALUES;
    put_kind(l, TRACE_RECORD_EXEC, flags);
    put(l, c->name.number);
    put(l, c->t - r->t);
    put(l, c->dur);
    put_next(l, &r->reads, c->chain - c->dur);
    r->t = c->t + c->dur;
    put_indices(l, last, c->name.ix);
    if (c->cell != LATTICE_NONE) {
        put(l, trace_block_fold((int64_t)c->cell - last->cell));
        last->cell = c->cell;
    }
    if (c->waited) {
        put(l, c->t - c->ready);
        put_by(l, r, &c->by);
    }
    if (c->values.size) put_text(l, c->values.text, c->values.size);
}

void
trace_binary_send(struct trace_line *l, struct trace_records *r, const struct told_send *s)
{
    begin_record(l, r, s->t);
    struct trace_last *last = last_of(l, r, &r->dfs, &s->name);
    unsigned flags = by_flag(r, &s->by);
    if (s->k) flags |= TRACE_HAS_NUMBER;
    if (s->part) flags |= TRACE_HAS_PART;
    if (s->values.size) flags |= TRACE_HAS_VALUES;
    put_kind(l, TRACE_RECORD_SEND, flags);
    put(l, s->name.number);
    put(l, s->t - r->t);
    r->t = s->t;
    put(l, s->to);
    put_indices(l, last, s->name.ix);
    put(l, s->bytes);
    put(l, s->why | s->dist << 2);
    if (s->k) put_next(l, &r->sent, s->k);
    if (s->part) {
        put(l, s->part_from);
        put(l, s->part_count);
    }
    put_by(l, r, &s->by);
    if (s->values.size) put_text(l, s->values.text, s->values.size);
}

void
trace_binary_recv(struct trace_line *l, struct trace_records *r, const struct told_recv *v)
{
    begin_record(l, r, v->t);
    put_kind(l, TRACE_RECORD_RECV, 0);
    put(l, v->t - r->t);
    r->t = v->t;
    put(l, v->from);
    put_next(l, &r->message, v->k);
}

/* ---- lines ---- */

enum { TEXT_HEAD = 3 }; /* the kind, and a number of two bytes: it is known in the end */

void
trace_binary_text(struct trace_line *l)
{
    put_kind(l, TRACE_RECORD_TEXT, 0);
    l->at += TEXT_HEAD - 1;
}

void
trace_binary_text_end(struct trace_line *l)
{
    size_t n = (size_t)(l->at - l->start) - TEXT_HEAD;
    l->start[1] = (char)(n | 0x80);
    l->start[2] = (char)(n >> 7);
}
