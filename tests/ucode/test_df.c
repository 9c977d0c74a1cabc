/* test_df.c - luna.h: each call on each type of value, and each way it ends the run. */
#include "runtime/ucode/df.h"
#include "runtime/ucode/luna.h"
#include "runtime/data/value.h"
#include "tests/ucode/dies.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>

/* One DF of each type, ended by `gone`. */
struct five {
    luna_df unset, i, r, s, b;
};

static void
made(struct five *f)
{
    *f = (struct five){0};
    luna_set_int(&f->i, -5);
    luna_set_real(&f->r, 2.5);
    luna_set_string(&f->s, "hey");
    memcpy(luna_create(&f->b, 3), "\1\2\3", 3);
}

static void
gone(struct five *f)
{
    luna_fini(&f->unset), luna_fini(&f->i), luna_fini(&f->r), luna_fini(&f->s), luna_fini(&f->b);
}

TEST(a_value_has_its_type_and_size)
{
    struct five f;
    made(&f);
    CHECK(luna_type(&f.unset) == LUNA_DF_UNSET);
    CHECK(luna_type(&f.i) == LUNA_DF_INT && luna_size(&f.i) == 4 && luna_get_int(&f.i) == -5);
    CHECK(luna_type(&f.r) == LUNA_DF_REAL && luna_size(&f.r) == 8 && luna_get_real(&f.r) == 2.5);
    CHECK(luna_type(&f.s) == LUNA_DF_STRING && luna_size(&f.s) == 4);
    CHECK_STR(luna_get_string(&f.s), "hey");
    CHECK(luna_type(&f.b) == LUNA_DF_VALUE && luna_size(&f.b) == 3 && luna_data_size(&f.b) == 3);
    CHECK(((char *)luna_data(&f.b))[2] == 3);
    gone(&f);
}

TEST(reading_another_type_ends_the_run)
{
    struct five f;
    made(&f);
    DIES(luna_get_int(&f.r), 3, "get_int failed for type real");
    DIES(luna_get_int(&f.unset), 3, "get_int failed for type (unset)");
    DIES(luna_get_int(&f.b), 3, "get_int failed for type value");
    DIES(luna_get_real(&f.i), 3, "get_real failed for type int");
    DIES(luna_get_real(&f.s), 3, "get_real failed for type string");
    DIES(luna_get_string(&f.i), 3, "get_string failed for type int");
    DIES(luna_data(&f.i), 3, "get_data failed for type int");
    DIES(luna_data(&f.r), 3, "get_data failed for type real");
    DIES(luna_data(&f.s), 3, "get_data failed for type string");
    DIES(luna_data(&f.unset), 3, "get_data failed for type (unset)");
    DIES(luna_data_size(&f.s), 3, "get_size failed for type string");
    DIES(luna_size(&f.unset), 3, "Cannot getSize(), df is unset");
    DIES(luna_bytes(&f.unset), 3, "reading bytes failed for type (unset)");
    gone(&f);
}

TEST(a_known_name_stands_in_front_of_the_fault)
{
    luna_df x = {0};
    luna_set_name(&x, "u[3][1]");
    CHECK_STR(luna_name(&x), "u[3][1]");
    DIES(luna_get_int(&x), 3, "u[3][1]: get_int failed for type (unset)");
    luna_set_name(&x, NULL);
    CHECK_STR(luna_name(&x), "(df)");
    luna_fini(&x);
}

TEST(a_lent_name_is_not_freed)
{
    char text[] = "x";
    luna_df x = {.name = text};
    luna_set_name(&x, "mine");
    luna_set_name(&x, "mine again");
    CHECK_STR(luna_name(&x), "mine again");
    CHECK_STR(text, "x");
    luna_fini(&x);
    x.name = text;
    luna_fini(&x);
    CHECK(!x.name);
}

TEST(setting_replaces_what_was_there)
{
    luna_df x = {0};
    luna_set_string(&x, "first");
    luna_set_int(&x, 1);
    CHECK(luna_get_int(&x) == 1);
    luna_set_text(&x, "a\0b", 3);
    CHECK(luna_size(&x) == 4 && !memcmp(luna_bytes(&x), "a\0b", 4));
    luna_release(&x);
    CHECK(luna_type(&x) == LUNA_DF_UNSET);
    luna_fini(&x);
    DIES(luna_set_string(&x, NULL), 3, "luna_set_string: the text is NULL");
}

TEST(created_bytes_are_aligned_and_may_be_none)
{
    luna_df x = {0};
    for (size_t n = 0; n < 300; n += 7) {
        char *p = luna_create(&x, n);
        CHECK((uintptr_t)p % 64 == 0, "size %zu", n);
        memset(p, 1, n);
        CHECK(luna_size(&x) == n && luna_data(&x) == p && luna_bytes(&x) == p, "size %zu", n);
    }
    luna_create(&x, 0);
    CHECK(luna_data_size(&x) == 0 && luna_data(&x));
    luna_fini(&x);
}

TEST(no_memory_is_the_systems_failure)
{
    luna_df x = {0};
    DIES(luna_create(&x, SIZE_MAX / 2 + 1), 5, "out of memory");
    DIES(luna_create_of(&x, SIZE_MAX / 4, 8), 5, "out of memory");
}

TEST(items_must_fill_the_bytes)
{
    luna_df x = {0};
    CHECK(luna_create_of(&x, 3, 8) == luna_data_of(&x, 8) && luna_size(&x) == 24);
    DIES(luna_data_of(&x, 16), 3, "getData failed: 24 bytes are no whole items of 16");
    luna_set_int(&x, 1);
    DIES(luna_data_of(&x, 4), 3, "getData failed for type int");
    luna_fini(&x);
}

TEST(a_copy_shares_and_outlives)
{
    luna_df a = {0}, b = {0};
    void *data = luna_create(&a, 100);
    luna_copy(&b, &a);
    CHECK(luna_data(&b) == data && value_block(a.value)->refs == 2);
    luna_copy(&b, &b);
    CHECK(value_block(a.value)->refs == 2, "to itself");
    luna_fini(&a);
    CHECK(luna_data(&b) == data && value_block(b.value)->refs == 1);
    luna_copy(&b, &a);
    CHECK(luna_type(&b) == LUNA_DF_UNSET, "a copy of nothing is nothing");
}

/* What an input is to a call that holds `own`. */
static luna_df
lent(const luna_df *own, uint64_t flags)
{
    return (luna_df){.value = own->value, .flags = DF_LENT | flags};
}

TEST(bytes_that_nobody_else_needs_are_taken_over)
{
    luna_df own = {0}, out = {0}, next = {0};
    char *data = memcpy(luna_create(&own, 3), "abc", 3);
    luna_df in = lent(&own, 0);
    CHECK(luna_take(&out, &in) == data && luna_data(&out) == data && luna_size(&out) == 3);
    luna_fini(&own); /* the call drops its count */
    CHECK(value_block(out.value)->refs == 1);
    DIES(luna_data(&in), 3, "get_data failed for type (unset)");
    CHECK(luna_take(&next, &out) == data && luna_type(&out) == LUNA_DF_UNSET, "one of its own");
    CHECK(luna_take(&next, &next) == data && luna_size(&next) == 3, "to itself");
    luna_fini(&next);
}

TEST(bytes_that_others_read_are_copied)
{
    luna_df own = {0}, other = {0}, out = {0};
    char *data = memcpy(luna_create(&own, 3), "abc", 3);
    luna_copy(&other, &own);
    luna_df in = lent(&own, 0);
    char *taken = luna_take(&out, &in);
    CHECK(taken != data && !memcmp(taken, "abc", 3));
    DIES(luna_data(&in), 3, "get_data failed for type (unset)");
    luna_fini(&other);
    in = lent(&own, DF_TWICE);
    CHECK(luna_take(&out, &in) != data, "another input of the call is the same");
    luna_fini(&own);
    CHECK(value_block(out.value)->refs == 1);
    luna_fini(&out);
}

TEST(only_bytes_are_taken)
{
    struct five f;
    luna_df out = {0};
    made(&f);
    DIES(luna_take(&out, &f.i), 3, "take failed for type int");
    DIES(luna_take(&out, &f.s), 3, "take failed for type string");
    DIES(luna_take(&out, &f.unset), 3, "take failed for type (unset)");
    gone(&f);
}

TEST(casts_convert)
{
    struct five f;
    made(&f);
    CHECK(luna_cast_int(&f.i) == -5 && luna_cast_int(&f.r) == 2);
    CHECK(luna_cast_real(&f.i) == -5.0 && luna_cast_real(&f.r) == 2.5);
    luna_set_string(&f.s, "-17");
    CHECK(luna_cast_int(&f.s) == -17);
    luna_set_string(&f.s, "1e-3");
    CHECK(luna_cast_real(&f.s) == 1e-3);
    DIES(luna_cast_int(&f.s), 3, "cast_int failed: '1e-3' is not an integer");
    luna_set_string(&f.s, "");
    DIES(luna_cast_int(&f.s), 3, "cast_int failed: '' is not an integer");
    DIES(luna_cast_real(&f.s), 3, "cast_real failed: '' is not a number");
    luna_set_string(&f.s, "3000000000");
    DIES(luna_cast_int(&f.s), 3, "cast_int failed: 3000000000 is too large");
    DIES(luna_cast_int(&f.b), 3, "cast_int failed for type value");
    DIES(luna_cast_real(&f.unset), 3, "cast_real failed for type (unset)");
    gone(&f);
}

TEST(a_real_becomes_an_int_while_it_fits)
{
    luna_df x = {0};
    luna_set_real(&x, 2147483647.9);
    CHECK(luna_cast_int(&x) == INT_MAX);
    luna_set_real(&x, -2147483648.9);
    CHECK(luna_cast_int(&x) == INT_MIN);
    luna_set_real(&x, 2147483648.0);
    DIES(luna_cast_int(&x), 3, "cast_int failed: 2.14748e+09 is no int");
    luna_set_real(&x, __builtin_nan(""));
    DIES(luna_cast_int(&x), 3, "cast_int failed: nan is no int");
}

TEST(texts_have_their_length_and_are_cut_to_the_room)
{
    struct five f;
    made(&f);
    char text[32];
    CHECK(luna_cast_text(&f.i, text, sizeof text) == 2);
    CHECK_STR(text, "-5");
    CHECK(luna_cast_text(&f.r, text, sizeof text) == 8);
    CHECK_STR(text, "2.500000");
    CHECK(luna_cast_text(&f.s, text, sizeof text) == 3);
    CHECK_STR(text, "hey");
    CHECK(luna_cast_text(&f.s, text, 3) == 3);
    CHECK_STR(text, "he");
    CHECK(luna_cast_text(&f.s, NULL, 0) == 3);
    DIES(luna_cast_text(&f.b, text, sizeof text), 3, "cast_string failed for type value");
    gone(&f);
}

TEST(descriptions_read_as_ever)
{
    struct five f;
    made(&f);
    char text[64];
    luna_describe(&f.unset, text, sizeof text);
    CHECK_STR(text, "DF<unset>");
    luna_describe(&f.i, text, sizeof text);
    CHECK_STR(text, "DF<int>(-5)");
    luna_describe(&f.r, text, sizeof text);
    CHECK_STR(text, "DF<real>(2.500000)");
    luna_describe(&f.s, text, sizeof text);
    CHECK_STR(text, "DF<string>(hey)");
    luna_describe(&f.b, text, sizeof text);
    CHECK_STR(text, "DF<size=3>(01, 02, 03)");
    memset(luna_create(&f.b, 24), 0xff, 24);
    luna_describe(&f.b, text, sizeof text);
    CHECK_STR(text, "DF<size=24>(ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ...)");
    luna_create(&f.b, 0);
    luna_describe(&f.b, text, sizeof text);
    CHECK_STR(text, "DF<size=0>()");
    gone(&f);
}

static int
int_of(luna_op op, int a, int b)
{
    luna_df x = {0}, y = {0}, z = {0};
    luna_set_int(&x, a);
    luna_set_int(&y, b);
    luna_combine(&z, op, &x, &y);
    return luna_get_int(&z);
}

static double
real_of(luna_op op, double a, int b)
{
    luna_df x = {0}, y = {0}, z = {0};
    luna_set_real(&x, a);
    luna_set_int(&y, b);
    luna_combine(&z, op, &x, &y);
    return luna_get_real(&z);
}

static int
compared(luna_op op, double a, int b)
{
    luna_df x = {0}, y = {0}, z = {0};
    luna_set_real(&x, a);
    luna_set_int(&y, b);
    luna_combine(&z, op, &x, &y);
    return luna_get_int(&z);
}

TEST(ints_combine_to_ints)
{
    CHECK(int_of(LUNA_OP_ADD, INT_MAX, 1) == INT_MIN, "wraps around");
    CHECK(int_of(LUNA_OP_SUB, INT_MIN, 1) == INT_MAX);
    CHECK(int_of(LUNA_OP_MUL, 65536, 65536) == 0);
    CHECK(int_of(LUNA_OP_DIV, -5, 2) == -2 && int_of(LUNA_OP_MOD, -5, 3) == -2);
    CHECK(int_of(LUNA_OP_LT, 1, 2) && !int_of(LUNA_OP_LT, 2, 2) && int_of(LUNA_OP_LE, 2, 2));
    CHECK(int_of(LUNA_OP_GT, 2, 1) && !int_of(LUNA_OP_GT, 2, 2) && int_of(LUNA_OP_GE, 2, 2));
    CHECK(int_of(LUNA_OP_EQ, 2, 2) && !int_of(LUNA_OP_EQ, 2, 1) && int_of(LUNA_OP_NE, 2, 1));
    CHECK(int_of(LUNA_OP_AND, 2, 4) == 1 && !int_of(LUNA_OP_AND, 2, 0));
    DIES(int_of(LUNA_OP_DIV, 1, 0), 3, "Division by zero");
    DIES(int_of(LUNA_OP_MOD, 1, 0), 3, "Division by zero");
    CHECK(int_of(LUNA_OP_DIV, INT_MIN, -1) == INT_MIN && int_of(LUNA_OP_MOD, INT_MIN, -1) == 0);
}

TEST(a_real_operand_makes_it_real)
{
    CHECK(real_of(LUNA_OP_ADD, 0.5, 1) == 1.5 && real_of(LUNA_OP_SUB, 0.5, 1) == -0.5);
    CHECK(real_of(LUNA_OP_MUL, 0.5, 3) == 1.5 && real_of(LUNA_OP_DIV, 5, 2) == 2.5);
    DIES(compared(LUNA_OP_AND, (double)NAN, 1), 3, "nan is neither true nor false");
    CHECK(compared(LUNA_OP_LT, 0.5, 1) && !compared(LUNA_OP_LE, 1.5, 1));
    CHECK(compared(LUNA_OP_GT, 1.5, 1) && !compared(LUNA_OP_GE, 0.5, 1));
    CHECK(compared(LUNA_OP_EQ, 1, 1) && compared(LUNA_OP_NE, 1.5, 1));
    CHECK(compared(LUNA_OP_AND, -1.5, 1) && !compared(LUNA_OP_AND, 0.5, 1), "0.5 is false");
    DIES(real_of(LUNA_OP_MOD, 5, 2), 3, "Unsupported operand types: real and int");
}

TEST(strings_bytes_and_nothing_do_not_combine)
{
    struct five f;
    made(&f);
    luna_df out = {0};
    DIES(luna_combine(&out, LUNA_OP_ADD, &f.s, &f.i), 3,
         "Unsupported operand types: string and int");
    DIES(luna_combine(&out, LUNA_OP_EQ, &f.i, &f.unset), 3,
         "Unsupported operand types: int and (unset)");
    luna_combine(&f.i, LUNA_OP_ADD, &f.i, &f.i);
    CHECK(luna_get_int(&f.i) == -10, "into an operand");
    gone(&f);
}

static int
goes_through(const luna_df *df)
{
    char bytes[128];
    luna_df back = {0};
    luna_set_string(&back, "dropped");
    size_t n = luna_pack(df, bytes, sizeof bytes);
    int same = n == luna_pack_size(df) && luna_unpack(&back, bytes, n) == n &&
               luna_type(&back) == luna_type(df);
    if (same && luna_type(df))
        same = luna_size(df) == luna_size(&back) &&
               !memcmp(luna_bytes(df), luna_bytes(&back), luna_size(df));
    luna_fini(&back);
    return same;
}

TEST(packed_values_come_back)
{
    struct five f;
    made(&f);
    CHECK(goes_through(&f.unset) && goes_through(&f.i) && goes_through(&f.r));
    CHECK(goes_through(&f.s) && goes_through(&f.b));
    luna_create(&f.b, 0);
    CHECK(goes_through(&f.b));
    gone(&f);
}

TEST(what_is_no_value_is_not_unpacked)
{
    struct five f;
    made(&f);
    char bytes[64];
    size_t n = luna_pack(&f.s, bytes, sizeof bytes);
    DIES(luna_pack(&f.s, bytes, n - 1), 3, "serialize: 19 bytes are too few");
    for (size_t cut = 0; cut < n; cut++)
        DIES(luna_unpack(&f.i, bytes, cut), 3, "deserialize: these bytes are no value");
    bytes[n - 1] = 'x'; /* a string without its end */
    DIES(luna_unpack(&f.i, bytes, n), 3, "deserialize: these bytes are no value");
    n = luna_pack(&f.i, bytes, sizeof bytes);
    bytes[0] = 77;
    DIES(luna_unpack(&f.i, bytes, n), 3, "deserialize: these bytes are no value");
    gone(&f);
}

TEST(nothing_is_left_behind)
{
    size_t before = block_bytes_live();
    for (int i = 0; i < 1000; i++) {
        luna_df x = {0}, y = {0};
        luna_create(&x, 100000);
        luna_copy(&y, &x);
        luna_create(&x, 100000);
        luna_fini(&x), luna_fini(&y);
    }
    CHECK(block_bytes_live() < before + (16u << 20), "%zu more", block_bytes_live() - before);
}

TEST_MAIN(T(a_value_has_its_type_and_size), T(reading_another_type_ends_the_run),
          T(a_known_name_stands_in_front_of_the_fault), T(a_lent_name_is_not_freed),
          T(setting_replaces_what_was_there), T(created_bytes_are_aligned_and_may_be_none),
          T(no_memory_is_the_systems_failure), T(items_must_fill_the_bytes),
          T(a_copy_shares_and_outlives), T(bytes_that_nobody_else_needs_are_taken_over),
          T(bytes_that_others_read_are_copied), T(only_bytes_are_taken), T(casts_convert),
          T(a_real_becomes_an_int_while_it_fits),
          T(texts_have_their_length_and_are_cut_to_the_room), T(descriptions_read_as_ever),
          T(ints_combine_to_ints), T(a_real_operand_makes_it_real),
          T(strings_bytes_and_nothing_do_not_combine), T(packed_values_come_back),
          T(what_is_no_value_is_not_unpacked), T(nothing_is_left_behind))
