/* test_gone.c - which requests a home turns to the cell of a call that has gone. */
#include "runtime/exec/gone.h"
#include "runtime/store/store.h"
#include "tests/lib/check.h"

enum { GIVER = 3, CELL = 70 };

static struct store *s;
static const struct key x = {.id = 1, .df = 2, .n = 1, .ix = {5}};

static struct waiter *
itself(void *who)
{
    return who;
}

static struct asker_afar
asker(int node, enum wants wants, uint32_t sweeps)
{
    return (struct asker_afar){.kind = WAITER_AFAR, .node = node, .wants = (uint8_t)wants,
                               .cell = LATTICE_NONE, .sweeps = sweeps, .part = {0, PART_WHOLE}};
}

static void
waits(struct asker_afar *a)
{
    luna_value v;
    enum store_want got = store_want(s, &x, &v, itself, &a->link);
    CHECK(got == WANT_FIRST || got == WANT_WAIT);
}

static bool
turned(uint32_t sweeps)
{
    return gone_turn(s, &x, GIVER, sweeps, CELL);
}

TEST(one_request_of_the_giver_is_turned_once)
{
    CHECK(store_new(&s, 1) == OK);
    struct asker_afar other = asker(4, WANTS_VALUE, 1), counts = asker(GIVER, WANTS_NOTHING, 1),
                      term = asker(GIVER, WANTS_TERM, 1), its = asker(GIVER, WANTS_COPY, 1);
    CHECK(!turned(1), "nobody waits");
    waits(&other);
    waits(&counts);
    waits(&term);
    CHECK(!turned(1), "none of them wants a value for a call that can go");
    waits(&its);
    CHECK(turned(1) && its.wants == WANTS_FOLLOWS && its.cell == CELL);
    CHECK(other.wants == WANTS_VALUE && counts.wants == WANTS_NOTHING && term.wants == WANTS_TERM);
    CHECK(!turned(1));
    store_free(s);
}

/* The answer to the one that was meant may have come: who asked since would get none. */
TEST(what_was_asked_later_is_not_turned)
{
    CHECK(store_new(&s, 1) == OK);
    struct asker_afar later = asker(GIVER, WANTS_VALUE, 8),
                      old = asker(GIVER, WANTS_VALUE, UINT32_MAX);
    waits(&later);
    CHECK(!turned(7) && later.wants == WANTS_VALUE && later.cell == LATTICE_NONE);
    waits(&old);
    CHECK(turned(7) && old.wants == WANTS_FOLLOWS, "numbers begin again after the last");
    CHECK(later.wants == WANTS_VALUE);
    CHECK(turned(8) && later.wants == WANTS_FOLLOWS);
    store_free(s);
}

TEST(only_the_same_part_is_turned)
{
    CHECK(store_new(&s, 1) == OK);
    struct asker_afar whole = asker(GIVER, WANTS_VALUE, 1), part = asker(GIVER, WANTS_VALUE, 1);
    struct key k = x;
    part.part = (struct key_part){16, 32};
    waits(&whole);
    waits(&part);
    key_add_part(&k, (struct key_part){16, 64});
    CHECK(!gone_turn(s, &k, GIVER, 1, CELL));
    k = x;
    key_add_part(&k, part.part);
    CHECK(gone_turn(s, &k, GIVER, 1, CELL) && part.wants == WANTS_FOLLOWS);
    CHECK(whole.wants == WANTS_VALUE);
    store_free(s);
}

TEST_MAIN(T(one_request_of_the_giver_is_turned_once), T(what_was_asked_later_is_not_turned),
          T(only_the_same_part_is_turned))
