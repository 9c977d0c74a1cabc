/* test_combine.c - operations against what C says, and that order does not matter where it is said
 * not to. */
#include "runtime/data/combine.h"
#include "tests/lib/check.h"

#include "runtime/base/rng.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static luna_value
bytes_of(const void *data, size_t size)
{
    struct block *b = block_new(size);
    memcpy(b->data, data, size);
    return value_of_block(b, LUNA_BYTES);
}

static int32_t
ints(enum luna_operation op, int32_t a, int32_t b)
{
    luna_value v = luna_v_of_int(a);
    bool ok = combine(op, &v, luna_v_of_int(b), false) == COMBINED && v.type == LUNA_INT;
    return ok ? (int32_t)v.w.i : -99;
}

static uint64_t
bits(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

static uint64_t
reals(enum luna_operation op, double a, double b)
{
    luna_value v = luna_v_of_real(a);
    bool ok = combine(op, &v, luna_v_of_real(b), false) == COMBINED && v.type == LUNA_REAL;
    return ok ? bits(v.w.d) : 0x1234;
}

TEST(ints_wrap_around)
{
    CHECK(ints(LUNA_R_ADD, INT_MAX, 1) == INT_MIN);
    CHECK(ints(LUNA_R_MUL, 65536, 65537) == 65536);
    CHECK(ints(LUNA_R_MIN, -3, 2) == -3 && ints(LUNA_R_MAX, -3, 2) == 2);
    CHECK(ints(LUNA_R_AND, 2, 4) == 1 && ints(LUNA_R_AND, 2, 0) == 0);
    CHECK(ints(LUNA_R_OR, 0, 4) == 1 && ints(LUNA_R_OR, 0, 0) == 0);
}

TEST(reals_have_one_least_and_one_most)
{
    double nan1 = NAN, nan2 = -NAN;
    CHECK(reals(LUNA_R_ADD, 0.1, 0.2) == bits(0.1 + 0.2));
    CHECK(reals(LUNA_R_MIN, 0.0, -0.0) == bits(-0.0) && reals(LUNA_R_MIN, -0.0, 0.0) == bits(-0.0));
    CHECK(reals(LUNA_R_MAX, 0.0, -0.0) == bits(0.0) && reals(LUNA_R_MAX, -0.0, 0.0) == bits(0.0));
    CHECK(reals(LUNA_R_MIN, nan2, 1.0) == reals(LUNA_R_MIN, 1.0, nan1));
    CHECK(reals(LUNA_R_MAX, nan2, 1.0) == reals(LUNA_R_MIN, nan1, nan2));
    CHECK(reals(LUNA_R_MAX, -INFINITY, -5.5) == bits(-5.5));
    CHECK(reals(LUNA_R_AND, 0.5, 2.0) == bits(0.0) && reals(LUNA_R_OR, 0.5, -2.0) == bits(1.0));
}

/* Any order, any grouping. */
TEST(what_may_be_combined_in_any_order_gives_the_same_bits)
{
    static const double some[] = {0.0, -0.0, 1.5, -1.5, NAN, -NAN, INFINITY, 0.3, -2.0};
    struct rng r = rng_of(7);
    for (int op = LUNA_R_ADD; op < LUNA_R_SUB; op++) {
        if (!combine_in_any_order((enum luna_operation)op, LUNA_REAL, false)) continue;
        for (int k = 0; k < 2000; k++) {
            double a = some[rng_below(&r, 9)], b = some[rng_below(&r, 9)];
            double c = some[rng_below(&r, 9)];
            uint64_t ab = reals(op, a, b), bc = reals(op, b, c);
            double left, right;
            memcpy(&left, &ab, sizeof left);
            memcpy(&right, &bc, sizeof right);
            CHECK(ab == reals(op, b, a), "op %d: %g %g", op, a, b);
            CHECK(reals(op, left, c) == reals(op, a, right), "op %d: %g %g %g", op, a, b, c);
        }
    }
    CHECK(!combine_in_any_order(LUNA_R_ADD, LUNA_REAL, false));
    CHECK(!combine_in_any_order(LUNA_R_MUL, LUNA_BYTES, false));
    CHECK(combine_in_any_order(LUNA_R_MUL, LUNA_BYTES, true));
    CHECK(combine_in_any_order(LUNA_R_ADD, LUNA_INT, false));
    CHECK(!combine_in_any_order(LUNA_R_SUB, LUNA_INT, false));
}

TEST(arrays_are_combined_item_by_item_and_never_under_others)
{
    double x[3] = {1, 2, 3}, y[3] = {10, 20, 30};
    luna_value a = bytes_of(x, sizeof x), b = bytes_of(y, sizeof y), kept = a;
    value_retain(kept);
    CHECK(combine(LUNA_R_ADD, &a, b, false) == COMBINED);
    const double *sum = (const double *)(void *)value_block(a)->data;
    CHECK(sum[0] == 11 && sum[1] == 22 && sum[2] == 33);
    const double *old = (const double *)(void *)value_block(kept)->data;
    CHECK(old[0] == 1 && old[2] == 3, "a value that somebody else holds has changed");
    value_release(kept);
    value_release(a);

    int32_t i[2] = {INT_MAX, 3}, j[2] = {1, 4};
    a = bytes_of(i, sizeof i);
    b = bytes_of(j, sizeof j);
    value_retain(a);
    value_retain(b); /* neither may be written */
    luna_value first = a;
    CHECK(combine(LUNA_R_ADD, &a, b, true) == COMBINED);
    CHECK(((const int32_t *)(void *)value_block(a)->data)[0] == INT_MIN);
    CHECK(((const int32_t *)(void *)value_block(first)->data)[0] == INT_MAX);
    value_release(a);
    value_release(b);
    value_release(first);
}

/* Of each operation, on two items, of which neither is the first. */
#define CHECK_ITEMS(TYPE, ITEMS, OP, ...)                                                          \
    do {                                                                                           \
        const TYPE all[] = {__VA_ARGS__}; /* left, right, wanted */                                \
        TYPE left[3] = {0}, right[3] = {0};                                                        \
        left[1] = all[0];                                                                          \
        right[1] = all[1];                                                                         \
        luna_value a = bytes_of(left, sizeof left), b = bytes_of(right, sizeof right);             \
        CHECK(combine(OP, &a, b, ITEMS) == COMBINED);                                              \
        CHECK(!memcmp((TYPE *)(void *)value_block(a)->data + 1, &all[2], sizeof(TYPE)));           \
        value_release(a);                                                                          \
    } while (0)

TEST(arrays_hold_what_the_program_says)
{
    CHECK_ITEMS(int64_t, COMBINE_INT64, LUNA_R_ADD, INT64_MAX, 1, INT64_MIN);
    CHECK_ITEMS(int64_t, COMBINE_INT64, LUNA_R_MUL, 1ll << 62, 6, INT64_MIN);
    CHECK_ITEMS(int64_t, COMBINE_INT64, LUNA_R_MIN, 1ll << 40, 1ll << 41, 1ll << 40);
    CHECK_ITEMS(int64_t, COMBINE_INT64, LUNA_R_MAX, -1, 1ll << 41, 1ll << 41);
    CHECK_ITEMS(int64_t, COMBINE_INT64, LUNA_R_AND, 1ll << 40, 2, 1);
    CHECK_ITEMS(int64_t, COMBINE_INT64, LUNA_R_OR, 0, 0, 0);
    CHECK_ITEMS(float, COMBINE_FLOAT, LUNA_R_ADD, 16777216.0f, 1.0f, 16777216.0f);
    CHECK_ITEMS(float, COMBINE_FLOAT, LUNA_R_MUL, 0.1f, 3.0f, 0.1f * 3.0f);
    CHECK_ITEMS(float, COMBINE_FLOAT, LUNA_R_MIN, 0.0f, -0.0f, -0.0f);
    CHECK_ITEMS(float, COMBINE_FLOAT, LUNA_R_MAX, 2.5f, -3.0f, 2.5f);
    CHECK_ITEMS(float, COMBINE_FLOAT, LUNA_R_AND, 0.5f, 2.0f, 0.0f);
    typedef struct { double re, im; } complex_number;
    CHECK_ITEMS(complex_number, COMBINE_COMPLEX, LUNA_R_ADD, {1, 2}, {3, 5}, {4, 7});
    CHECK_ITEMS(complex_number, COMBINE_COMPLEX, LUNA_R_MUL, {1, 2}, {3, 5}, {-7, 11});
    CHECK(combine_in_any_order(LUNA_R_ADD, LUNA_BYTES, COMBINE_INT64));
    CHECK(!combine_in_any_order(LUNA_R_ADD, LUNA_BYTES, COMBINE_FLOAT));
    CHECK(!combine_in_any_order(LUNA_R_MUL, LUNA_BYTES, COMBINE_COMPLEX));
    CHECK(!combine_takes(luna_v_of_int(1), COMBINE_INT64), "there are no single ones");
    CHECK(!combine_takes(luna_v_of_real(1), COMBINE_FLOAT));
    luna_value odd = bytes_of("123456789012345678901234", 24);
    CHECK(combine_takes(odd, COMBINE_INT64) && !combine_takes(odd, COMBINE_COMPLEX));
    value_release(odd);
}

TEST(what_does_not_fit_is_told)
{
    double x[2] = {1, 2};
    luna_value a = luna_v_of_int(1), text = value_of_string("t", 1);
    CHECK(combine(LUNA_R_ADD, &a, luna_v_of_real(1), false) == COMBINE_TYPES);
    a = bytes_of(x, 16);
    CHECK(combine(LUNA_R_ADD, &a, bytes_of(x, 8), false) == COMBINE_SIZES);
    CHECK(combine_takes(a, false) && combine_takes(luna_v_of_int(1), false));
    value_release(a);
    a = bytes_of(x, 12);
    CHECK(!combine_takes(a, false) && combine_takes(a, true));
    CHECK(!combine_takes(text, false) && !combine_takes(text, true));
    value_release(a);
    value_release(text);
}

TEST(one_and_none)
{
    double x[2] = {-0.5, 2};
    luna_value v;
    CHECK(combine_one(LUNA_R_ADD, luna_v_of_int(5), false).w.i == 5);
    CHECK(combine_one(LUNA_R_AND, luna_v_of_int(5), false).w.i == 1);
    v = combine_one(LUNA_R_OR, luna_v_of_real(0.5), false);
    CHECK(v.type == LUNA_INT && v.w.i == 0);
    v = combine_one(LUNA_R_OR, bytes_of(x, sizeof x), false);
    const double *d = (const double *)(void *)value_block(v)->data;
    CHECK(d[0] == 0 && d[1] == 1);
    value_release(v);
    CHECK(combine_none(LUNA_R_ADD, false, &v) && v.type == LUNA_INT && v.w.i == 0);
    CHECK(combine_none(LUNA_R_MUL, true, &v) && v.type == LUNA_REAL && v.w.d == 1);
    CHECK(!combine_none(LUNA_R_MIN, false, &v) && !combine_none(LUNA_R_SUB, false, &v));
}

TEST_MAIN(T(ints_wrap_around), T(reals_have_one_least_and_one_most),
          T(what_may_be_combined_in_any_order_gives_the_same_bits),
          T(arrays_are_combined_item_by_item_and_never_under_others),
          T(arrays_hold_what_the_program_says),
          T(what_does_not_fit_is_told), T(one_and_none))
