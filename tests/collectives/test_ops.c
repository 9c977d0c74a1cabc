/* test_ops.c - every operation on every type, with any number of operands, against a plain fold. */
#include "collectives/ops/ops.h"
#include "runtime/base/rng.h"
#include "tests/lib/check.h"

#include <stdint.h>

enum { COUNT_MAX = 2500, OPERANDS_MAX = 17 };

static const char *const names[] = {"sum", "prod", "min", "max", "band",
                                    "bor", "bxor", "land", "lor", "lxor"};

/* A fold of two numbers, written down once more, without macros shared with ops.c. */
#define FOLD_NUMBER(T)                                                                             \
    static T fold_##T(enum coll_op op, T a, T b)                                                   \
    {                                                                                              \
        switch (op) {                                                                              \
        case COLL_SUM: return a + b;                                                               \
        case COLL_PROD: return a * b;                                                              \
        case COLL_MIN: return a <= b ? a : b;                                                      \
        default: return a >= b ? a : b;                                                            \
        }                                                                                          \
    }
#define FOLD_INT(T)                                                                                \
    static T fold_##T(enum coll_op op, T a, T b)                                                   \
    {                                                                                              \
        switch (op) {                                                                              \
        case COLL_SUM: return a + b;                                                               \
        case COLL_PROD: return a * b;                                                              \
        case COLL_MIN: return a <= b ? a : b;                                                      \
        case COLL_MAX: return a >= b ? a : b;                                                      \
        case COLL_BAND: return a & b;                                                              \
        case COLL_BOR: return a | b;                                                               \
        case COLL_BXOR: return a ^ b;                                                              \
        case COLL_LAND: return a != 0 && b != 0;                                                   \
        case COLL_LOR: return a != 0 || b != 0;                                                    \
        default: return (a != 0) != (b != 0);                                                      \
        }                                                                                          \
    }
FOLD_INT(int32_t)
FOLD_INT(int64_t)
FOLD_NUMBER(float)
FOLD_NUMBER(double)

static void
fold(enum coll_type type, enum coll_op op, char *acc, const char *x)
{
#define CASE(TYPE, T)                                                                              \
    case TYPE: {                                                                                   \
        T a, b;                                                                                    \
        memcpy(&a, acc, sizeof a);                                                                 \
        memcpy(&b, x, sizeof b);                                                                   \
        a = fold_##T(op, a, b);                                                                    \
        memcpy(acc, &a, sizeof a);                                                                 \
        break;                                                                                     \
    }
    switch (type) {
        CASE(COLL_INT32, int32_t)
        CASE(COLL_INT64, int64_t)
        CASE(COLL_FLOAT, float)
        CASE(COLL_DOUBLE, double)
    default: abort();
    }
}

static struct rng rng;

/* Values with many bits, and zeros for the logical ones. */
static void
put_value(enum coll_type type, char *to)
{
    uint64_t r = rng_next(&rng);
    int32_t i32 = r % 5 ? (int32_t)(r >> 20) : 0;
    int64_t i64 = r % 5 ? (int64_t)r : 0;
    float f = (float)((double)(int64_t)r / 1e17);
    double d = (double)(int64_t)r / 1e17;
    switch (type) {
    case COLL_INT32: memcpy(to, &i32, 4); break;
    case COLL_INT64: memcpy(to, &i64, 8); break;
    case COLL_FLOAT: memcpy(to, &f, 4); break;
    default: memcpy(to, &d, 8);
    }
}

static char data[OPERANDS_MAX][COUNT_MAX * 8 + 16], out[COUNT_MAX * 8 + 16];
static const void *in[OPERANDS_MAX];

static void
fill(enum coll_type type, int n, size_t count, size_t shift)
{
    size_t size = coll_type_bytes(type);
    for (int k = 0; k < n; k++) {
        in[k] = data[k] + shift;
        for (size_t i = 0; i < count; i++) put_value(type, data[k] + shift + i * size);
    }
}

/* The place of the first difference; -1: none. */
static long
differs(enum coll_type type, enum coll_op op, const char *have, int n, size_t count)
{
    size_t size = coll_type_bytes(type);
    for (size_t i = 0; i < count; i++) {
        char want[8];
        memcpy(want, (const char *)in[0] + i * size, size);
        for (int k = 1; k < n; k++) fold(type, op, want, (const char *)in[k] + i * size);
        if (memcmp(want, have + i * size, size)) return (long)i;
    }
    return -1;
}

TEST(every_operation)
{
    static const size_t counts[] = {0, 1, 2, 3, 4, 7, 8, 9, 31, 33, 511, 512, 513, 1025, 2500};
    rng = rng_of(1);
    for (int type = 0; type < COLL_TYPES; type++)
        for (int op = 0; op < COLL_OPS; op++) {
            if (!ops_has(type, op)) continue;
            for (int n = 1; n <= OPERANDS_MAX; n++)
                for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                    size_t shift = rng_below(&rng, 9);
                    fill(type, n, counts[c], shift);
                    ops_combine(type, op, out + 3, in, n, counts[c]);
                    long at = differs(type, op, out + 3, n, counts[c]);
                    CHECK(at < 0, "type %d %s of %d, %zu elements: element %ld", type, names[op], n,
                          counts[c], at);
                }
        }
}

/* MPI_IN_PLACE: the result over any one of the operands. */
TEST(over_an_operand)
{
    static char before[COUNT_MAX * 8];
    rng = rng_of(2);
    for (int type = 0; type < COLL_TYPES; type++)
        for (int n = 1; n <= OPERANDS_MAX; n++)
            for (int k = 0; k < n; k++) {
                size_t count = 1300, bytes = count * coll_type_bytes(type);
                fill(type, n, count, 0);
                memcpy(before, data[k], bytes);
                ops_combine(type, COLL_SUM, data[k], in, n, count);
                memcpy(out, data[k], bytes);
                memcpy(data[k], before, bytes);
                long at = differs(type, COLL_SUM, out, n, count);
                CHECK(at < 0, "type %d of %d over %d: element %ld", type, n, k, at);
            }
}

TEST(there_is_no_bitwise_and_of_doubles)
{
    for (int op = COLL_BAND; op < COLL_OPS; op++) {
        CHECK(!ops_has(COLL_FLOAT, op) && !ops_has(COLL_DOUBLE, op), "%s", names[op]);
        CHECK(ops_has(COLL_INT32, op) && ops_has(COLL_INT64, op), "%s", names[op]);
    }
    CHECK(!ops_has(COLL_TYPES, COLL_SUM) && !ops_has(COLL_INT32, COLL_OPS), "beyond the end");
    CHECK(!ops_has((enum coll_type)-1, COLL_SUM), "below the start");
}

TEST_MAIN(T(every_operation), T(over_an_operand), T(there_is_no_bitwise_and_of_doubles))
