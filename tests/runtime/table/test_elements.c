/* test_elements.c - numbers of elements and their counters, of boxes and of rows of all lengths. */
#include "runtime/data/frame.h"
#include "runtime/table/elements.h"
#include "tests/lib/check.h"

#include <string.h>

enum { LOCALS = 2, COUNTERS = 4, WORDS = LOCALS + 2 * COUNTERS + 1, SHAPES = 20000 };

static uint64_t state = 7;

static int32_t
pick(int32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((state >> 33) % (uint32_t)n);
}

/* x over c0 = lo..hi, c1 = ...: a bound is an int of the owner's, or an earlier counter and a
 * number. */
static struct shape {
    struct luna_site site[COUNTERS + 1];
    struct luna_block block[COUNTERS + 1];
    struct luna_expr expr[2 * COUNTERS];
    struct luna_program program;
    luna_word word[WORDS + COUNTERS];
    uint32_t counters;
} shape;

/* Two words of the owner's own, the bounds, one more int, the counters. */
static unsigned
counter_at(uint32_t k)
{
    return LOCALS + 2 * shape.counters + 1 + k;
}

static void
begin(uint32_t counters)
{
    memset(&shape, 0, sizeof shape);
    shape.counters = counters;
    shape.program = (struct luna_program){.sites = shape.site, .blocks = shape.block,
                                          .exprs = shape.expr};
    for (uint32_t k = 0; k <= counters; k++) shape.block[k] = (struct luna_block){k, 1};
    shape.site[0] = (struct luna_site){.kind = LUNA_S_LIST, .nlocal = LOCALS, .b = counters,
                                       .nargs = (uint16_t)(1 + 2 * counters + 1), .body = 1};
    for (uint32_t k = 1; k < counters; k++) {
        shape.site[k] = (struct luna_site){.kind = LUNA_S_FOR, .a = 2 * k, .b = 2 * k + 1,
                                           .body = k + 1};
        for (uint32_t i = 0; i < 2; i++)
            shape.expr[2 * k + i] = (struct luna_expr){
                .kind = LUNA_E_LOCAL, .a = (uint16_t)(LOCALS + 2 * k + i)};
    }
    shape.site[counters].kind = LUNA_S_TERM;
}

static void
follow(uint32_t bound, uint32_t counter, int32_t more)
{
    shape.expr[bound] = (struct luna_expr){.kind = LUNA_E_LOCAL, .k = more,
                                           .a = (uint16_t)counter_at(counter)};
}

static int32_t
bound(uint32_t i)
{
    const struct luna_expr *x = &shape.expr[i];
    return (int32_t)shape.word[i < 2 ? LOCALS + i : x->a].i + (i < 2 ? 0 : x->k);
}

static bool
look(struct elements *e)
{
    static struct frame frame;
    return elements_look(e, &shape.program, &shape.site[0], &frame, shape.word);
}

static uint32_t number; /* of the next element */

/* By nested loops. */
static void
each(const struct elements *e, uint32_t k)
{
    luna_word *counter = &shape.word[counter_at(0)];
    if (k == shape.counters) {
        luna_word want[COUNTERS];
        memcpy(want, counter, sizeof want);
        CHECK(elements_number(e, shape.word) == number, "element %u", number);
        memset(counter, 77, shape.counters * sizeof *counter);
        elements_counters(e, number, shape.word);
        CHECK(!memcmp(counter, want, shape.counters * sizeof *want), "element %u", number);
        number++;
        return;
    }
    int32_t hi = bound(2 * k + 1);
    for (int32_t i = bound(2 * k); i <= hi; i++) {
        counter[k].i = i;
        each(e, k + 1);
    }
}

TEST(counters_come_in_the_order_of_nested_loops)
{
    uint32_t boxes = 0, rows = 0, empty = 0;
    for (int n = 0; n < SHAPES; n++) {
        struct elements e;
        begin(1 + (uint32_t)pick(COUNTERS));
        for (uint32_t k = 0; k < shape.counters; k++) {
            shape.word[LOCALS + 2 * k].i = pick(9) - 4;
            shape.word[LOCALS + 2 * k + 1].i = shape.word[LOCALS + 2 * k].i + pick(5) - 1;
            for (uint32_t i = 0; k && i < 2; i++)
                if (!pick(4)) follow(2 * k + i, (uint32_t)pick((int32_t)k), pick(5) - 2);
        }
        CHECK(look(&e));
        number = 0;
        each(&e, 0);
        CHECK(number == e.total, "%u elements, not %u", e.total, number);
        rows += e.rows != NULL, boxes += !e.rows, empty += !e.total;
        elements_forget(&e);
    }
    CHECK(boxes > 1000 && rows > 1000 && empty > 1000, "%u boxes, %u rows, %u empty", boxes, rows,
          empty);
}

static void
over(uint32_t k, int32_t lo, int32_t hi)
{
    shape.word[LOCALS + 2 * k].i = lo;
    shape.word[LOCALS + 2 * k + 1].i = hi;
}

TEST(there_may_be_none_and_there_may_be_too_many)
{
    struct elements e;
    begin(1);
    over(0, 3, 2);
    CHECK(look(&e) && !e.total);
    over(0, INT32_MAX, INT32_MIN);
    CHECK(look(&e) && !e.total);
    over(0, INT32_MIN, INT32_MAX);
    CHECK(!look(&e));
    over(0, INT32_MIN, INT32_MAX - 1);
    CHECK(look(&e) && e.total == UINT32_MAX);
    begin(2);
    over(0, 0, 1 << 20);
    over(1, 0, 1 << 20);
    CHECK(!look(&e));
    over(1, 0, -1); /* of nothing there is nothing, whatever the other side */
    CHECK(look(&e) && !e.total);
}

TEST(rows_have_a_limit_too)
{
    struct elements e;
    begin(2);
    over(0, 0, 100000); /* a triangle with more than there may be */
    follow(3, 0, 0);
    CHECK(!look(&e));
    elements_forget(&e);
    over(0, 0, 1 << 25); /* rows of nothing */
    follow(3, 0, -(1 << 26));
    CHECK(!look(&e));
    elements_forget(&e);
    over(0, 0, 60000);
    follow(3, 0, 0);
    CHECK(look(&e) && e.total == 60001u * 60002u / 2 && e.rows);
    elements_counters(&e, e.total - 1, shape.word);
    CHECK(shape.word[counter_at(0)].i == 60000 && shape.word[counter_at(1)].i == 60000);
    elements_forget(&e);
}

TEST_MAIN(T(counters_come_in_the_order_of_nested_loops),
          T(there_may_be_none_and_there_may_be_too_many), T(rows_have_a_limit_too))
