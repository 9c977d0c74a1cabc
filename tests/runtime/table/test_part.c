/* test_part.c - each kind of number, bytes at all places, names, and the words of each fault. */
#include "runtime/fault/fault.h"
#include "runtime/table/name.h"
#include "runtime/table/part.h"
#include "tests/runtime/run_child.h"

#include <string.h>

static const struct luna_place places[] = {{0, 3, 9, 12}};
static const char *const files[] = {"test.fa"};
static const struct luna_decl dfs[] = {{"x", 0, LUNA_NONE, LUNA_NONE}};
static const struct luna_expr exprs[] = {{.kind = LUNA_E_INT, .k = 7},
                                         {.kind = LUNA_E_INT, .k = -2}};
static const struct luna_part parts[] = {{LUNA_PART_REAL, 0, LUNA_NONE}, {LUNA_PART_BYTES, 0, 0},
                                         {LUNA_PART_BYTES, 0, 1}};
static const struct luna_program program = {.places = places, .nplaces = 1, .files = files,
                                            .dfs = dfs, .ndfs = 1, .exprs = exprs, .parts = parts,
                                            .nparts = 3};
static const struct luna_site site = {.kind = LUNA_S_IF, .rules = LUNA_NONE, .place = 0};
static luna_env env = {.site = &site};
static const struct key x2 = {.id = 1, .df = 0, .n = 1, .ix = {2}};

#define NUMBER(from, kind) ((struct key_part){from, -1 - (int32_t)(kind)})
#define BYTES(from, count) ((struct key_part){from, count})

/* An int64, a float, an int, a double; then to the end the numbers of the bytes. */
static luna_value
mixed(size_t size)
{
    struct block *b = block_new(size);
    const int64_t large = -7;
    const float f = 2.75f;
    const int32_t i = 41;
    const double d = 1e10;
    for (size_t k = 0; k < size; k++) b->data[k] = (char)k;
    memcpy(b->data, &large, 8);
    memcpy(b->data + 8, &f, 4);
    memcpy(b->data + 12, &i, 4);
    memcpy(b->data + 16, &d, 8);
    return value_of_block(b, LUNA_BYTES);
}

static luna_value
taken(struct key_part part, size_t size)
{
    return part_take(&x2, part, 0, mixed(size));
}

TEST(numbers_come_out_as_they_went_in)
{
    CHECK(taken(NUMBER(0, LUNA_PART_INT64), 24).w.i == -7, "-7");
    CHECK(taken(NUMBER(2, LUNA_PART_FLOAT), 24).w.d == 2.75, "a float");
    CHECK(taken(NUMBER(3, LUNA_PART_INT), 24).w.i == 41, "41");
    CHECK(taken(NUMBER(2, LUNA_PART_REAL), 24).w.d == 1e10, "a real");
    CHECK(taken(NUMBER(2, LUNA_PART_REAL), 24).type == LUNA_REAL, "of this type");
    CHECK(taken(NUMBER(3, LUNA_PART_INT), 24).type == LUNA_INT, "of this type");
}

TEST(bytes_are_a_value_of_their_own)
{
    static const struct {
        int from, count;
    } at[] = {{0, 5000}, {24, 4976}, {1000, 1024}, {1000, 1023}, {1001, 2000}, {5000, 0}, {40, 1}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        luna_value v = taken(BYTES(at[i].from, at[i].count), 5000); /* takes the last count */
        struct block *b = value_block(v);
        CHECK(v.type == LUNA_BYTES && b->size == (size_t)at[i].count, "%zu bytes", b->size);
        for (int k = at[i].from < 24 ? 24 : 0; k < at[i].count; k++)
            if (b->data[k] != (char)(at[i].from + k)) CHECK(false, "byte %d", k);
        CHECK(block_harm(b) == BLOCK_WHOLE, "whole");
        value_release(v);
    }
}

TEST(a_part_of_a_part_outlives_both)
{
    struct key_part middle = BYTES(1000, 3000), inner = BYTES(800, 1200);
    luna_value whole = mixed(5000), part = part_take(&x2, middle, 0, whole);
    luna_value v = part_take(&x2, inner, 0, part);
    CHECK(!block_is_alone(value_block(v)), "others must not write to it");
    CHECK(value_block(v)->data[7] == (char)1807, "byte 7");
    value_release(v);
}

TEST(what_is_wanted_is_what_the_expressions_say)
{
    struct key_part number = part_wanted(&program, &env, 1), bytes = part_wanted(&program, &env, 2);
    CHECK(number.from == 7 && number.count == -1 - (int)LUNA_PART_REAL, "number 7");
    CHECK(bytes.from == 7 && bytes.count == 7, "%d, %d", bytes.from, bytes.count);
    CHECK(part_from(number) == 56, "56");
    CHECK(part_bytes(number) == 8, "8");
    CHECK(part_from(bytes) == 7, "7");
    CHECK(part_bytes(bytes) == 7, "7");
}

static const char *
text_of(struct key_part part, unsigned marks)
{
    static char text[NAME_MAX_TEXT];
    struct key k = x2;
    key_add_part(&k, part);
    k.df |= marks;
    if (marks & KEY_FOLLOWS) k.ix[k.n++] = 9;
    name_df(&program, &k, text, sizeof text);
    return text;
}

TEST(a_part_has_a_name_and_the_fragment_keeps_its_own)
{
    CHECK_STR(text_of(NUMBER(3, LUNA_PART_FLOAT), KEY_AWAY), "float(x[2], 3)");
    CHECK_STR(text_of(BYTES(16, 800), KEY_FOLLOWS), "value(x[2], 16, 800)");
    struct key k = x2;
    CHECK(key_take_part(&k).count == PART_WHOLE, "the whole");
    key_add_part(&k, BYTES(1, 2));
    k.df |= KEY_AWAY | KEY_FOLLOWS;
    k.ix[k.n++] = 5;
    key_plain(&k);
    CHECK(key_equal(&k, x2.id, x2.df, x2.n, x2.ix), "as before");
}

/* ---- faults ---- */

static void (*doing)(void);

static int
do_it(const void *who)
{
    (void)who;
    fault_set_program(&program);
    doing();
    return 0;
}

static void
says(void (*what)(void), const char *words)
{
    doing = what;
    struct ran c = run_child(do_it, NULL);
    CHECK(c.code == 3 && strstr(c.err, words), "%d: %s", c.code, c.err);
}

static void beyond(void) { taken(NUMBER(3, LUNA_PART_REAL), 24); }
static void before(void) { taken(NUMBER(-1, LUNA_PART_INT), 24); }
static void long_one(void) { taken(BYTES(20, 5), 24); }
static void far_away(void) { taken(NUMBER(INT32_MAX, LUNA_PART_REAL), 24); }
static void large(void) { taken(NUMBER(1, LUNA_PART_INT64), 24); }
static void no_bytes(void) { part_take(&x2, BYTES(0, 4), 0, luna_v_of_int(3)); }
static void beyond_shape(void) { part_beyond(&x2, NUMBER(1, LUNA_PART_REAL), 0); }
static void less_than_none(void) { part_wanted(&program, &env, 3); }

TEST(what_is_not_there_is_told)
{
    says(beyond, "test.fa:3:9: error[RUN16]: 'real(x[2], 3)' lies outside of the fragment, which "
                 "has 24 bytes");
    says(before, "'int(x[2], -1)' lies outside");
    says(long_one, "'value(x[2], 20, 5)' lies outside");
    says(far_away, "'real(x[2], 2147483647)' lies outside");
    says(large, "'int64(x[2], 1)' is 177170546688, and an int has 32 bits");
    says(no_bytes, "'value(x[2], 0, 4)' is no part: the fragment is an int");
    says(beyond_shape, "'real(x[2], 1)' is no part: the fragment is outside its shape, where it is "
                       "a number");
    says(less_than_none, "a part of -2 bytes");
}

TEST_MAIN(T(numbers_come_out_as_they_went_in), T(bytes_are_a_value_of_their_own),
          T(a_part_of_a_part_outlives_both), T(what_is_wanted_is_what_the_expressions_say),
          T(a_part_has_a_name_and_the_fragment_keeps_its_own), T(what_is_not_there_is_told))
