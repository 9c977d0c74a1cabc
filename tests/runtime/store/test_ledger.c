/* test_ledger.c - who gets a copy, and when. */
#include "runtime/base/mem.h"
#include "runtime/base/rng.h"
#include "runtime/store/ledger.h"
#include "tests/lib/check.h"

static struct ledger *l;

static struct key
name(int32_t i)
{
    return (struct key){.id = 7, .df = 3, .n = 1, .ix = {i}};
}

static bool
gives(int32_t i, int node, uint64_t price, uint64_t copy)
{
    struct key k = name(i);
    return ledger_gives(l, &k, node, price, copy, false);
}

TEST(a_copy_is_given_when_as_much_is_paid)
{
    CHECK(ledger_new(&l) == OK, "no memory");
    for (int i = 0; i < 10; i++) CHECK(!gives(1, 2, 100, 1000), "%d", i);
    CHECK(!gives(1, 3, 100, 1000) && !gives(2, 2, 100, 1000), "each for itself");
    CHECK(gives(1, 2, 100, 1000), "the eleventh");
    for (int i = 0; i < 30; i++) CHECK(!gives(1, 2, 100, 1000), "asked before it came: %d", i);
    struct key k = name(1);
    ledger_forget(l, &k, 2);
    for (int i = 0; i < 10; i++) CHECK(!gives(1, 2, 100, 1000), "from the beginning: %d", i);
    CHECK(gives(1, 2, 100, 1000), "again");
    ledger_free(l);
}

TEST(who_says_that_it_will_ask_again_gets_it_at_once)
{
    struct key k = name(1);
    CHECK(ledger_new(&l) == OK, "no memory");
    CHECK(ledger_gives(l, &k, 2, 1000, 1000, true), "at once");
    CHECK(!ledger_gives(l, &k, 2, 1000, 1000, true), "once");
    ledger_free(l);
}

/* Whatever is asked how often, at most twice of the better of both is paid, and one price. */
TEST(never_more_than_twice_the_better)
{
    struct rng r = rng_of(1);
    for (int seed = 0; seed < CHECK_CASES(1000); seed++) {
        uint64_t price = 1 + rng_below(&r, 300), copy = price + rng_below(&r, 5000), paid = 0;
        uint64_t asked = rng_below(&r, 200), n = 0;
        CHECK(ledger_new(&l) == OK, "no memory");
        while (n < asked && !gives(1, 2, price, copy)) {
            paid += price;
            n++;
        }
        if (n < asked) paid += copy; /* the rest is read there */
        uint64_t parts = asked * price, better = parts < copy ? parts : copy;
        CHECK(paid <= 2 * better + price, "%d for %d", (int)paid, (int)better);
        ledger_free(l);
    }
}

TEST(given_ones_are_shown_round_and_round)
{
    struct key k;
    int node, seen[3] = {0};
    CHECK(ledger_new(&l) == OK, "no memory");
    CHECK(!ledger_next_given(l, &k, &node), "none");
    for (int32_t i = 0; i < 3; i++) gives(i, 10 + i, 100, i == 1 ? 1000 : 0);
    for (int i = 0; i < 4; i++) {
        if (!ledger_next_given(l, &k, &node)) continue;
        CHECK(node == 10 + k.ix[0] && !k.bound, "%d", node);
        seen[k.ix[0]]++;
    }
    CHECK(seen[0] == 2 && !seen[1] && seen[2] == 2, "%d, %d, %d", seen[0], seen[1], seen[2]);
    ledger_free(l);
}

/* What is asked for now and then stays; what nobody asks for any more makes room. */
TEST(old_rows_make_room)
{
    int known = 0;
    CHECK(ledger_new(&l) == OK, "no memory");
    for (int32_t i = 1; i <= 8 * LEDGER_ROWS; i++) {
        CHECK(!gives(i, 2, 100, 150), "%d", i);
        if (i % 64 == 0) gives(0, 2, 100, 100000);
    }
    CHECK(gives(0, 2, 100, 100 * 8 * LEDGER_ROWS / 64), "0 has paid for all");
    for (int32_t i = 1; i <= LEDGER_ROWS; i++) known += gives(i, 2, 0, 100);
    CHECK(!known, "%d of the first are known", known);
    ledger_free(l);
}

TEST(without_memory_nothing_is_given)
{
    for (long n = 0; n < 40; n++) {
        mem_fail_after(n);
        enum err e = ledger_new(&l);
        bool given = e == OK && gives(1, 2, 100, 0);
        mem_fail_after(-1);
        ledger_free(l);
        l = NULL;
        if (given) return;
    }
    CHECK(false, "never");
}

TEST_MAIN(T(a_copy_is_given_when_as_much_is_paid),
          T(who_says_that_it_will_ask_again_gets_it_at_once), T(never_more_than_twice_the_better),
          T(given_ones_are_shown_round_and_round), T(old_rows_make_room),
          T(without_memory_nothing_is_given))
