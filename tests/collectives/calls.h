/* calls.h - calls with checked results: what members give follows from the number of the call. */
#ifndef LUNA_TESTS_CALLS_H
#define LUNA_TESTS_CALLS_H

#include "runtime/base/rng.h"
#include "tests/collectives/members.h"

enum call_kind { BARRIER, BCAST, REDUCE, ALLREDUCE, CALL_KINDS };

struct call {
    enum call_kind kind;
    uint64_t number;
    size_t bytes; /* of a broadcast */
    size_t count; /* of a reduction */
    enum coll_type type;
    enum coll_op op;
    int root, in_place, shift; /* shift: from where memory is aligned */
};

struct room {
    char *send, *recv, *want;
};

static inline struct room
room_new(size_t bytes)
{
    struct room r = {malloc(bytes + 64), malloc(bytes + 64), malloc(bytes + 64)};
    return r;
}

static inline void
room_free(struct room *r)
{
    free(r->send);
    free(r->recv);
    free(r->want);
}

/* The operand of a member: numbers whose sums depend on the order in which they are added. */
static inline void
call_operand(const struct call *c, int rank, char *to)
{
    struct rng r = rng_of(c->number * 64 + (uint64_t)rank);
    for (size_t i = 0; i < c->count; i++) {
        uint64_t x = rng_next(&r);
        int32_t i32 = (int32_t)x;
        int64_t i64 = (int64_t)x;
        float f = (float)i64 * 1e-17f;
        double d = (double)i64 * 1e-17;
        switch (c->type) {
        case COLL_INT32: memcpy(to + i * 4, &i32, 4); break;
        case COLL_INT64: memcpy(to + i * 8, &i64, 8); break;
        case COLL_FLOAT: memcpy(to + i * 4, &f, 4); break;
        default: memcpy(to + i * 8, &d, 8);
        }
    }
}

/* want[] becomes x0 op x1 op ..., one operand after the other. */
static inline void
call_reference(const struct call *c, int size, char *want, char *operand)
{
    call_operand(c, 0, want);
    for (int r = 1; r < size; r++) {
        call_operand(c, r, operand);
        for (size_t i = 0; i < c->count; i++) {
#define STEP(T)                                                                                    \
    {                                                                                              \
        T a, b;                                                                                    \
        memcpy(&a, want + i * sizeof a, sizeof a);                                                 \
        memcpy(&b, operand + i * sizeof b, sizeof b);                                              \
        a = c->op == COLL_SUM ? a + b : c->op == COLL_MIN ? (b < a ? b : a) : (b > a ? b : a);     \
        memcpy(want + i * sizeof a, &a, sizeof a);                                                 \
    }
            switch (c->type) {
            case COLL_INT32: STEP(int32_t) break;
            case COLL_INT64: STEP(int64_t) break;
            case COLL_FLOAT: STEP(float) break;
            default: STEP(double)
            }
#undef STEP
        }
    }
}

static inline int
call_bcast(struct coll *g, const struct call *c, struct room *m)
{
    char *buf = m->recv + c->shift;
    struct rng r = rng_of(c->number);
    for (size_t i = 0; i < c->bytes; i += 8) {
        uint64_t x = rng_next(&r);
        memcpy(m->want + i, &x, 8);
    }
    memset(buf, 0x5a, c->bytes + 8);
    if (coll_rank(g) == c->root) memcpy(buf, m->want, c->bytes);
    enum err e = coll_bcast(g, buf, c->bytes, c->root);
    if (e) BAD("call %llu: %s", (unsigned long long)c->number, err_text(e));
    for (size_t i = 0; i < c->bytes; i++)
        if (buf[i] != m->want[i])
            BAD("bcast %llu of %zu from %d to %d of %d: byte %zu", (unsigned long long)c->number,
                c->bytes, c->root, coll_rank(g), coll_size(g), i);
    for (int i = 0; i < 8; i++)
        if (buf[c->bytes + (size_t)i] != 0x5a)
            BAD("bcast %llu of %zu: written behind the end", (unsigned long long)c->number,
                c->bytes);
    return 0;
}

static inline int
call_reduce(struct coll *g, const struct call *c, struct room *m)
{
    int rank = coll_rank(g), gets = c->kind == ALLREDUCE || rank == c->root;
    size_t bytes = c->count * coll_type_bytes(c->type);
    char *send = m->send + c->shift, *recv = gets ? m->recv : NULL;
    if (gets) call_reference(c, coll_size(g), m->want, send);
    call_operand(c, rank, send);
    if (gets && c->in_place) recv = send;
    else if (gets) memset(recv, 0x5a, bytes + 8);
    enum err e = c->kind == REDUCE
                     ? coll_reduce(g, send, recv, c->count, c->type, c->op, c->root)
                     : coll_allreduce(g, send, recv, c->count, c->type, c->op);
    if (e) BAD("call %llu: %s", (unsigned long long)c->number, err_text(e));
    if (gets && memcmp(recv, m->want, bytes))
        BAD("%s %llu of %zu, type %d, op %d, root %d: rank %d of %d has something else",
            c->kind == REDUCE ? "reduce" : "allreduce", (unsigned long long)c->number, c->count,
            c->type, c->op, c->root, rank, coll_size(g));
    for (size_t i = 0; gets && !c->in_place && i < 8; i++)
        if (recv[bytes + i] != 0x5a)
            BAD("reduction %llu of %zu: written behind the end", (unsigned long long)c->number,
                c->count);
    return 0;
}

static inline int
call_make(struct coll *g, const struct call *c, struct room *m)
{
    if (c->kind == BCAST) return call_bcast(g, c, m);
    if (c->kind == REDUCE || c->kind == ALLREDUCE) return call_reduce(g, c, m);
    enum err e = coll_barrier(g);
    if (e) BAD("barrier %llu: %s", (unsigned long long)c->number, err_text(e));
    return 0;
}

#endif
