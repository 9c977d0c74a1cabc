/* test_elements.c - numbers of elements and their counters, of boxes of all shapes. */
#include "runtime/table/elements.h"
#include "tests/lib/check.h"

#include <string.h>

enum { LOCALS = 2, BOXES = 20000 };

static uint64_t state = 7;

static int32_t
pick(int32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((state >> 33) % (uint32_t)n);
}

/* Two words of its own, then the bounds of its counters and one more int. */
static struct luna_site
owner(uint32_t counters)
{
    return (struct luna_site){.kind = LUNA_S_LIST, .nlocal = LOCALS,
                              .nargs = (uint16_t)(1 + 2 * counters + 1), .b = counters};
}

TEST(counters_come_in_the_order_of_nested_loops)
{
    for (int box = 0; box < BOXES; box++) {
        uint32_t counters = 1 + (uint32_t)pick(3), number = 0;
        struct luna_site s = owner(counters);
        luna_word word[LOCALS + 8], at[3] = {{0}}, counter[3];
        CHECK(elements_words(&s) == LOCALS + 2 * counters + 1);
        for (uint32_t k = 0; k < counters; k++) {
            word[LOCALS + 2 * k].i = pick(9) - 4;
            word[LOCALS + 2 * k + 1].i = word[LOCALS + 2 * k].i + pick(5) - 1;
            at[k].i = word[LOCALS + 2 * k].i;
        }
        uint64_t n = elements_count(&s, word), want = 1;
        for (uint32_t k = 0; k < counters; k++)
            want *= (uint64_t)(elements_hi(&s, word, k) - elements_lo(&s, word, k) + 1);
        CHECK(n == want, "%lu elements, not %lu", (unsigned long)n, (unsigned long)want);
        for (; number < n; number++) {
            elements_counters(&s, word, number, counter);
            CHECK(!memcmp(counter, at, counters * sizeof *at), "element %u", number);
            CHECK(elements_number(&s, word, counter) == number);
            for (uint32_t k = counters; k-- > 0;) { /* the next: the last counter runs fastest */
                if (++at[k].i <= elements_hi(&s, word, k)) break;
                at[k].i = elements_lo(&s, word, k);
            }
        }
    }
}

TEST(there_may_be_none_and_there_may_be_too_many)
{
    struct luna_site one = owner(1), two = owner(2);
    luna_word word[LOCALS + 6] = {{0}};
    word[LOCALS].i = 3, word[LOCALS + 1].i = 2;
    CHECK(elements_count(&one, word) == 0);
    word[LOCALS].i = INT32_MAX, word[LOCALS + 1].i = INT32_MIN;
    CHECK(elements_count(&one, word) == 0);
    word[LOCALS].i = INT32_MIN, word[LOCALS + 1].i = INT32_MAX;
    CHECK(elements_count(&one, word) == UINT64_MAX);
    word[LOCALS].i = INT32_MIN, word[LOCALS + 1].i = INT32_MAX - 1;
    CHECK(elements_count(&one, word) == UINT32_MAX);
    word[LOCALS].i = 0, word[LOCALS + 1].i = 1 << 20;
    word[LOCALS + 2].i = 0, word[LOCALS + 3].i = 1 << 20;
    CHECK(elements_count(&two, word) == UINT64_MAX);
    word[LOCALS + 3].i = -1; /* of nothing there is nothing, whatever the other side */
    CHECK(elements_count(&two, word) == 0);
}

TEST_MAIN(T(counters_come_in_the_order_of_nested_loops),
          T(there_may_be_none_and_there_may_be_too_many))
