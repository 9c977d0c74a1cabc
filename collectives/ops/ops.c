/* ops.c - one loop for each type, operation and number of operands, made by macros. */
#include "collectives/ops/ops.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

/* Users' arrays may lie anywhere. */
typedef int32_t i32 __attribute__((aligned(1), may_alias));
typedef int64_t i64 __attribute__((aligned(1), may_alias));
typedef float f32 __attribute__((aligned(1), may_alias));
typedef double f64 __attribute__((aligned(1), may_alias));

#define DO_SUM(a, b) ((a) + (b)) /* ints wrap: we are compiled with -fno-strict-overflow */
#define DO_PROD(a, b) ((a) * (b))
#define DO_MIN(a, b) ((b) < (a) ? (b) : (a))
#define DO_MAX(a, b) ((b) > (a) ? (b) : (a))
#define DO_BAND(a, b) ((a) & (b))
#define DO_BOR(a, b) ((a) | (b))
#define DO_BXOR(a, b) ((a) ^ (b))
#define DO_LAND(a, b) ((a) && (b))
#define DO_LOR(a, b) ((a) || (b))
#define DO_LXOR(a, b) (!(a) != !(b))

typedef void ops_fn(void *out, const void *const *in, int n, size_t count);

/* Each case has its own loop, so that the compiler makes vectors of it. `out` may be an operand, at
 * the same place: an element is read before it is written, and no other depends on it. */
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define OPERANDS(T)                                                                                \
    const T *a = in[0], *b = in[n > 1], *c = in[n > 2 ? 2 : 0], *d = in[n > 3 ? 3 : 0],            \
            *e = in[n > 4 ? 4 : 0], *f = in[n > 5 ? 5 : 0], *g = in[n > 6 ? 6 : 0];
#define EACH(T, expression)                                                                        \
    INDEPENDENT                                                                                    \
    for (size_t i = 0; i < count; i++) {                                                           \
        T x = a[i];                                                                                \
        expression;                                                                                \
        r[i] = x;                                                                                  \
    }                                                                                              \
    break
#define WITH(DO, y) x = DO(x, y[i])
#define COMBINE(T, t, OP)                                                                          \
    static void t##_##OP(void *out, const void *const *in, int n, size_t count)                    \
    {                                                                                              \
        OPERANDS(T)                                                                                \
        T *r = out;                                                                                \
        switch (n) {                                                                               \
        case 2: EACH(T, WITH(DO_##OP, b));                                                         \
        case 3: EACH(T, WITH(DO_##OP, b); WITH(DO_##OP, c));                                       \
        case 4: EACH(T, WITH(DO_##OP, b); WITH(DO_##OP, c); WITH(DO_##OP, d));                     \
        case 5: EACH(T, WITH(DO_##OP, b); WITH(DO_##OP, c); WITH(DO_##OP, d); WITH(DO_##OP, e));   \
        case 6:                                                                                    \
            EACH(T, WITH(DO_##OP, b); WITH(DO_##OP, c); WITH(DO_##OP, d); WITH(DO_##OP, e);        \
                 WITH(DO_##OP, f));                                                                \
        case 7:                                                                                    \
            EACH(T, WITH(DO_##OP, b); WITH(DO_##OP, c); WITH(DO_##OP, d); WITH(DO_##OP, e);        \
                 WITH(DO_##OP, f); WITH(DO_##OP, g));                                              \
        }                                                                                          \
    }

#define NUMBERS(T, t) COMBINE(T, t, SUM) COMBINE(T, t, PROD) COMBINE(T, t, MIN) COMBINE(T, t, MAX)
#define LOGIC(T, t)                                                                                \
    COMBINE(T, t, BAND) COMBINE(T, t, BOR) COMBINE(T, t, BXOR) COMBINE(T, t, LAND)                 \
    COMBINE(T, t, LOR) COMBINE(T, t, LXOR)

NUMBERS(i32, i32)
NUMBERS(i64, i64)
NUMBERS(f32, f32)
NUMBERS(f64, f64)
LOGIC(i32, i32)
LOGIC(i64, i64)

#define NUMBERS_ROW(t)                                                                             \
    [COLL_SUM] = t##_SUM, [COLL_PROD] = t##_PROD, [COLL_MIN] = t##_MIN, [COLL_MAX] = t##_MAX
#define LOGIC_ROW(t)                                                                               \
    [COLL_BAND] = t##_BAND, [COLL_BOR] = t##_BOR, [COLL_BXOR] = t##_BXOR,                          \
    [COLL_LAND] = t##_LAND, [COLL_LOR] = t##_LOR, [COLL_LXOR] = t##_LXOR

static const struct {
    size_t bytes;
    ops_fn *combine[COLL_OPS]; /* a hole: there is no such operation */
} types[COLL_TYPES] = {
    [COLL_INT32] = {4, {NUMBERS_ROW(i32), LOGIC_ROW(i32)}},
    [COLL_INT64] = {8, {NUMBERS_ROW(i64), LOGIC_ROW(i64)}},
    [COLL_FLOAT] = {4, {NUMBERS_ROW(f32)}},
    [COLL_DOUBLE] = {8, {NUMBERS_ROW(f64)}},
};

size_t
coll_type_bytes(enum coll_type type)
{
    return (unsigned)type < COLL_TYPES ? types[type].bytes : 0;
}

bool
ops_has(enum coll_type type, enum coll_op op)
{
    return (unsigned)type < COLL_TYPES && (unsigned)op < COLL_OPS && types[type].combine[op];
}

/* More than seven: in blocks that stay in the nearest cache, with the result so far as the first
 * operand of the next pass. `out` is written last, since it may be an operand of any pass. */
static void
combine_many(ops_fn *fn, size_t size, char *out, const void *const *in, int n, size_t count)
{
    enum { BLOCK = 4096 };
    _Alignas(64) char sum[BLOCK];
    for (size_t from = 0, step = BLOCK / size; from < count; from += step) {
        size_t now = count - from < step ? count - from : step;
        for (int done = 0; done < n;) {
            const void *operands[OPS_OPERANDS];
            int k = 0;
            if (done) operands[k++] = sum;
            while (k < OPS_OPERANDS && done < n)
                operands[k++] = (const char *)in[done++] + from * size;
            fn(done == n ? out + from * size : sum, operands, k, now);
        }
    }
}

void
ops_combine(enum coll_type type, enum coll_op op, void *out, const void *const *in, int n,
            size_t count)
{
    assert(ops_has(type, op) && n >= 1);
    size_t size = types[type].bytes;
    if (n == 1) memmove(out, in[0], count * size);
    else if (n <= OPS_OPERANDS) types[type].combine[op](out, in, n, count);
    else combine_many(types[type].combine[op], size, out, in, n, count);
}
