/* test_store.c - every transition of store.h's picture, with the counts of requests and values. */
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "tests/lib/check.h"
#include "tests/runtime/store/store_calls.h"

#include <stdint.h>

static luna_value
block_value(const char *text)
{
    return value_of_string(text, strlen(text));
}

static unsigned
refs(luna_value v)
{
    return atomic_load(&value_block(v)->refs);
}

TEST(a_value_is_there_for_all_who_ask_later)
{
    struct store *s = fresh();
    CHECK(put(s, key(1, 5), 42, STORE_USES_UNLIMITED) == OK && !served);
    for (int i = 0; i < 10; i++) CHECK(want(s, key(1, 5), NULL) == 42);
    CHECK(count(s) == 1 && seen.present && seen_key.ix[0] == 5 && seen.value.w.i == 42);
    struct key k = key(1, 5);
    CHECK(store_has(s, &k) && store_gone(s, &k) == GONE_NOT);
    store_free(s);
    store_free(NULL);
}

TEST(taking_changes_nothing_that_is_not_here)
{
    struct store *s;
    struct waiter w;
    luna_value v;
    struct key k = key(1, 1);
    CHECK(!store_new(&s, 1) && !store_take(s, &k, &v));
    CHECK(want(s, k, &w) == WAITS);
    CHECK(!store_take(s, &k, &v));
    CHECK(put(s, k, 5, 3) == OK && served == &w);
    CHECK(store_take(s, &k, &v) && v.w.i == 5);
    CHECK(store_take(s, &k, &v) && v.w.i == 5);
    CHECK(!store_take(s, &k, &v) && store_gone(s, &k) == GONE_USED_UP);
    CHECK(store_kill(s, &k) == KILL_LATER);
    CHECK(!store_take(s, &k, &v));
    store_free(s);
}

TEST(names_that_differ_in_anything_are_different)
{
    struct store *s = fresh();
    struct key k[] = {{.id = 1, .df = 1, .n = 0},
                      {.id = 1, .df = 1, .n = 1, .ix = {0}},
                      {.id = 1, .df = 1, .n = 2, .ix = {0, 0}},
                      {.id = 1, .df = 1, .n = 2, .ix = {0, 8}},
                      {.id = 1, .df = 1, .n = 2, .ix = {8, 0}},
                      {.id = 1, .df = 1, .n = 1, .ix = {-1}},
                      {.id = 1, .df = 2, .n = 1, .ix = {0}},
                      {.id = 2, .df = 1, .n = 1, .ix = {0}},
                      {.id = 1, .df = 1 | KEY_PUSHED, .n = 1, .ix = {0}},
                      {.id = 1ull << 40, .df = 1, .n = 1, .ix = {0}}};
    enum { N = sizeof k / sizeof *k };
    for (int i = 0; i < N; i++) CHECK(put(s, k[i], i, STORE_USES_UNLIMITED) == OK, "%d", i);
    for (int i = 0; i < N; i++) CHECK(want(s, k[i], NULL) == i, "%d", i);
    CHECK(count(s) == N);
    store_free(s);
}

TEST(the_longest_names_fit)
{
    struct store *s = fresh();
    struct key a = {.id = 1, .df = 1, .n = KEY_INDICES_MAX}, b;
    for (int i = 0; i < KEY_INDICES_MAX; i++) a.ix[i] = i * 1000003;
    b = a;
    b.ix[0]++;
    put(s, a, 1, STORE_USES_UNLIMITED), put(s, b, 2, STORE_USES_UNLIMITED);
    CHECK(want(s, a, NULL) == 1 && want(s, b, NULL) == 2);
    store_free(s);
}

TEST(after_so_many_requests_it_is_gone)
{
    struct store *s = fresh();
    struct waiter late;
    struct key k = key(1, 1);
    put(s, k, 7, 3);
    CHECK(want(s, k, NULL) == 7 && want(s, k, NULL) == 7);
    CHECK(count(s) == 1 && seen.uses == 1);
    CHECK(want(s, k, NULL) == 7);
    CHECK(!count(s) && store_gone(s, &k) == GONE_USED_UP && !store_has(s, &k));
    CHECK(want(s, k, &late) == WAITS);
    CHECK(count(s) == 1 && !seen.present && !seen.doomed && seen.waiters == &late);
    store_free(s);
}

TEST(a_use_count_of_nothing_drops_the_value)
{
    struct store *s = fresh();
    luna_value v = block_value("x");
    struct key k = key(1, 1);
    value_retain(v);
    CHECK(store_put(s, &k, v, 0, &served) == OK && !served && !count(s));
    CHECK(refs(v) == 1 && store_gone(s, &k) == GONE_USED_UP);
    value_release(v);
    store_free(s);
}

TEST(waiters_come_back_in_the_order_they_asked)
{
    struct store *s = fresh();
    struct waiter w[5];
    for (int i = 0; i < 5; i++) CHECK(want(s, key(1, 1), &w[i]) == WAITS);
    CHECK(put(s, key(1, 1), 9, STORE_USES_UNLIMITED) == OK);
    for (int i = 0; i < 5; i++, served = served->next) CHECK(served == &w[i], "%d", i);
    CHECK(!served && want(s, key(1, 1), NULL) == 9);
    store_free(s);
}

TEST(the_first_who_asks_is_told_so)
{
    struct store *s = fresh();
    struct waiter w[2];
    struct key k = key(1, 1);
    luna_value v;
    CHECK(store_want(s, &k, &v, waits, &w[0]) == WANT_FIRST);
    CHECK(store_want(s, &k, &v, waits, &w[1]) == WANT_WAIT);
    struct waiter *list = store_take_waiters(s, &k);
    CHECK(list == &w[0] && list->next == &w[1] && !w[1].next && !count(s));
    CHECK(!store_take_waiters(s, &k));
    CHECK(store_want(s, &k, &v, waits, &w[0]) == WANT_FIRST);
    store_free(s);
}

TEST(who_takes_the_waiters_is_told_their_cell)
{
    struct store *s = fresh();
    struct waiter w[2];
    struct key bound = key(1, 1), free_of = key(1, 2), asked;
    luna_value v;
    bound.bound = 6;
    CHECK(store_want(s, &bound, &v, waits, &w[0]) == WANT_FIRST);
    CHECK(store_want(s, &free_of, &v, waits, &w[1]) == WANT_FIRST);
    asked = key(1, 1);
    CHECK(store_take_waiters(s, &asked) == &w[0] && asked.bound == 6);
    asked = key(1, 2);
    CHECK(store_take_waiters(s, &asked) == &w[1] && !asked.bound);
    store_free(s);
}

TEST(each_waiter_holds_a_count_of_the_value)
{
    for (int32_t uses = -1; uses < 6; uses++) {
        struct store *s = fresh();
        struct waiter w[3];
        luna_value v = block_value("shared");
        struct key k = key(1, 1);
        value_retain(v); /* ours, to look at it afterwards */
        for (int i = 0; i < 3; i++) want(s, k, &w[i]);
        CHECK(store_put(s, &k, v, uses, &served) == OK);
        int n = 0;
        for (; served; served = served->next, n++) value_release(v);
        CHECK(n == (uses < 0 || uses > 3 ? 3 : uses), "%d served of %d", n, uses);
        bool stays = uses < 0 || uses > 3;
        CHECK(refs(v) == 1u + stays, "uses %d: %u counts", uses, refs(v));
        CHECK(count(s) == (stays || uses < 3));
        if (stays) CHECK(seen.present && seen.uses == (uses < 0 ? -1 : uses - 3));
        store_free(s);
        CHECK(refs(v) == 1);
        value_release(v);
    }
}

TEST(those_beyond_the_count_wait_on_and_are_told_as_such)
{
    struct store *s = fresh();
    struct waiter w[3], late;
    for (int i = 0; i < 3; i++) want(s, key(1, 1), &w[i]);
    CHECK(put(s, key(1, 1), 5, 2) == OK);
    CHECK(served == &w[0] && served->next == &w[1] && !served->next->next);
    CHECK(want(s, key(1, 1), &late) == WAITS);
    CHECK(count(s) == 1 && seen.spent && !seen.present && seen.waiters == &w[2]);
    CHECK(seen.waiters->next == &late && !late.next);
    CHECK(put(s, key(1, 1), 5, 2) == E_TWICE, "the second value");
    store_free(s);
}

TEST(a_second_put_is_refused_and_stays_with_the_caller)
{
    struct store *s = fresh();
    luna_value v = block_value("second");
    struct key k = key(1, 1);
    put(s, k, 1, 2);
    CHECK(store_put(s, &k, v, -1, &served) == E_TWICE && !served && refs(v) == 1);
    CHECK(want(s, k, NULL) == 1);
    value_release(v);
    store_free(s);
}

TEST(killing_frees_what_is_there)
{
    struct store *s = fresh();
    luna_value v = block_value("text");
    struct key k = key(1, 1);
    value_retain(v);
    store_put(s, &k, v, STORE_USES_UNLIMITED, &served);
    CHECK(store_kill(s, &k) == KILL_DONE && refs(v) == 1);
    CHECK(!count(s) && store_gone(s, &k) == GONE_KILLED);
    value_release(v);
    store_free(s);
}

TEST(killing_before_the_value_drops_it_when_it_comes)
{
    struct store *s = fresh();
    luna_value v = block_value("text");
    struct key k = key(1, 1);
    value_retain(v);
    CHECK(store_kill(s, &k) == KILL_LATER && count(s) == 1 && seen.doomed);
    CHECK(store_kill(s, &k) == KILL_AGAIN);
    CHECK(store_put(s, &k, v, STORE_USES_UNLIMITED, &served) == OK && !served);
    CHECK(refs(v) == 1 && !count(s) && store_gone(s, &k) == GONE_KILLED);
    value_release(v);
    store_free(s);
}

TEST(killing_what_is_promised_or_wanted_is_refused)
{
    struct store *s = fresh();
    struct waiter w[2];
    struct key counted = key(1, 1), wanted = key(1, 2), spent = key(1, 3);
    put(s, counted, 1, 2);
    want(s, wanted, &w[0]);
    want(s, spent, &w[0]), want(s, spent, &w[1]);
    put(s, spent, 1, 1);
    CHECK(store_kill(s, &counted) == KILL_COUNTED && want(s, counted, NULL) == 1);
    CHECK(store_kill(s, &wanted) == KILL_REQUESTED);
    CHECK(store_kill(s, &spent) == KILL_REQUESTED);
    store_free(s);
}

TEST(who_asks_for_what_is_doomed_waits_and_is_told_as_such)
{
    struct store *s = fresh();
    struct waiter w;
    struct key k = key(1, 1);
    store_kill(s, &k);
    CHECK(want(s, k, &w) == WAITS);
    CHECK(put(s, k, 1, STORE_USES_UNLIMITED) == OK && !served);
    CHECK(count(s) == 1 && seen.doomed && seen.waiters == &w);
    CHECK(put(s, k, 1, STORE_USES_UNLIMITED) == E_TWICE, "the second value");
    store_free(s);
}

TEST(after_it_is_gone_the_name_may_live_again)
{
    struct store *s = fresh();
    struct key k = key(1, 1);
    for (int i = 0; i < 5; i++) {
        CHECK(put(s, k, i, 1) == OK && want(s, k, NULL) == i && !count(s));
        CHECK(put(s, k, i, -1) == OK && store_kill(s, &k) == KILL_DONE && !count(s));
    }
    store_free(s);
}

/* ---- no memory ---- */

/* Of a size no other test has left objects of. */
static struct key
long_name(uint32_t df, int i)
{
    return (struct key){.id = 77, .df = df, .n = 40, .ix = {i}};
}

TEST(each_failing_allocation_is_told)
{
    struct store *s = NULL;
    long n = 0;
    for (enum err e = E_NOMEM; e != OK; n++) {
        mem_fail_after(n);
        e = store_new(&s, 1);
        mem_fail_after(-1);
        CHECK(e == OK || (e == E_NOMEM && !s), "allocation %ld", n);
    }
    CHECK(n == 4, "%ld", n);
    pool_set_bytes_max(0);
    struct waiter w;
    struct key k = long_name(1, 1);
    bool asked = want(s, long_name(2, 0), &w) == NOMEM;
    bool given = put(s, long_name(3, 0), 1, 1) == E_NOMEM;
    bool killed = store_kill(s, &k) == KILL_NOMEM;
    pool_set_bytes_max(SIZE_MAX);
    CHECK(asked && given && killed);
    CHECK(want(s, k, NULL) == NOMEM, "no waiter could be made");
    CHECK(count(s) == 0, "and there is no entry without one");
    CHECK(put(s, k, 3, 1) == OK && want(s, k, NULL) == 3, "as if nobody had asked");
    store_free(s);
}

/* ---- asking for somebody else ---- */

static const struct waiter *shown; /* who waited when it was asked */
static bool agrees;

static bool
may(void *who, const struct waiter *first)
{
    (void)who;
    shown = first;
    return agrees;
}

static enum store_want
want_for(struct store *s, struct key k, size_t most, luna_value *v, struct waiter *w)
{
    return store_want_for(s, &k, most, v, may, waits, w);
}

TEST(for_somebody_else)
{
    struct store *s;
    struct waiter w[2];
    luna_value v;
    CHECK(store_new(&s, 1) == OK);
    agrees = false;
    CHECK(want_for(s, key(1, 0), 4, &v, &w[0]) == WANT_NOT && !shown);
    agrees = true;
    CHECK(want_for(s, key(1, 0), 4, &v, &w[0]) == WANT_FIRST);
    agrees = false;
    CHECK(want_for(s, key(1, 0), 4, &v, &w[1]) == WANT_NOT && shown == &w[0]);
    CHECK(put(s, key(1, 0), 5, 2) == OK && served == &w[0]);
    CHECK(want_for(s, key(1, 0), 4, &v, &w[1]) == WANT_HERE && v.w.i == 5);
    CHECK(want_for(s, key(1, 0), 4, &v, &w[1]) == WANT_NOT, "the count was two");
    struct key large = key(1, 1);
    CHECK(store_put(s, &large, block_value("12345678"), 1, &served) == OK);
    CHECK(want_for(s, large, 4, &v, &w[1]) == WANT_NOT, "too large");
    CHECK(want_for(s, large, 100, &v, &w[1]) == WANT_HERE);
    value_release(v);
    store_free(s);
}

TEST(copies_for_many)
{
    struct store *s;
    luna_value v;
    struct key free_ = key(1, 0), counted = key(1, 1), large = key(1, 2), none = key(1, 3);
    CHECK(store_new(&s, 1) == OK);
    CHECK(put(s, free_, 5, STORE_USES_UNLIMITED) == OK);
    CHECK(put(s, counted, 6, 3) == OK);
    CHECK(store_put(s, &large, block_value("12345678"), STORE_USES_UNLIMITED, &served) == OK);
    CHECK(store_copy(s, &free_, 4, &v) && v.w.i == 5);
    CHECK(!store_copy(s, &counted, 4, &v), "who promises readers counts them");
    CHECK(!store_copy(s, &large, 4, &v));
    CHECK(!store_copy(s, &none, 4, &v));
    store_free(s);
}

static bool
is_there(void *who, struct waiter *first)
{
    (void)who;
    shown = first;
    return first != NULL;
}

TEST(who_waits_is_shown)
{
    struct store *s;
    struct waiter w;
    struct key k = key(1, 0);
    CHECK(store_new(&s, 1) == OK);
    CHECK(!store_awaits(s, &k, is_there, NULL));
    CHECK(want(s, k, &w) == WAITS);
    CHECK(store_awaits(s, &k, is_there, NULL) && shown == &w);
    CHECK(put(s, k, 1, STORE_USES_UNLIMITED) == OK);
    CHECK(!store_awaits(s, &k, is_there, NULL), "it is here");
    store_free(s);
}

/* x[i] of an activation that the worker with block b has made. */
static struct key
key_of_block(uint64_t b, int i)
{
    struct key k = key(1, i);
    k.id += b << KEY_BLOCK_BITS;
    return k;
}

static bool
goes(void *who, struct store_entry *e)
{
    ++*(int *)who;
    return e->present;
}

/* Which are known each by itself are those freed lately; of other declarations none was. */
TEST(what_is_remembered_of_what_is_freed)
{
    enum { MANY = 1 << 17 };
    struct store *s = fresh();
    struct key k = key(1, 0), other = key(2, 0), dropped = key(3, 0);
    CHECK(store_gone(s, &k) == GONE_NOT && !store_let_go(s, 1));
    for (int i = 0; i < MANY; i++) put(s, key(1, i), i, 0);
    k.ix[0] = MANY - 1;
    CHECK(store_gone(s, &k) == GONE_USED_UP && store_let_go(s, 1));
    k.ix[0] = 0;
    CHECK(store_gone(s, &k) == GONE_PERHAPS);
    CHECK(store_gone(s, &other) == GONE_NOT && !store_let_go(s, 2));
    store_note_gone(s, &dropped, GONE_DROPPED);
    CHECK(store_gone(s, &dropped) == GONE_DROPPED && store_let_go(s, 3));
    store_free(s);
}

/* Three workers have four tables; identities of others, too, have their place in one. */
TEST(what_activations_of_several_workers_declare)
{
    enum { BLOCKS = 9, EACH = 50 };
    struct store *s;
    struct waiter w;
    int swept = 0;
    CHECK(store_new(&s, 3) == OK);
    for (uint64_t b = 0; b < BLOCKS; b++)
        for (int i = 0; i < EACH; i++) {
            int32_t uses = i ? STORE_USES_UNLIMITED : 1;
            CHECK(put(s, key_of_block(b, i), (int)b * EACH + i, uses) == OK);
        }
    CHECK(count(s) == BLOCKS * EACH);
    for (uint64_t b = 0; b < BLOCKS; b++) {
        struct key first = key_of_block(b, 0), last = key_of_block(b, EACH - 1);
        CHECK(want(s, first, NULL) == (int)b * EACH);
        CHECK(store_gone(s, &first) == GONE_USED_UP);
        CHECK(want(s, last, NULL) == (int)b * EACH + EACH - 1);
    }
    CHECK(want(s, key_of_block(3, EACH), &w) == WAITS);
    store_sweep(s, goes, &swept);
    CHECK(swept == BLOCKS * (EACH - 1) + 1, "%d", swept);
    CHECK(count(s) == 1 && !seen.present);
    store_free(s);
}

TEST_MAIN(T(what_activations_of_several_workers_declare), T(for_somebody_else),
          T(what_is_remembered_of_what_is_freed), T(copies_for_many), T(who_waits_is_shown),
          T(a_value_is_there_for_all_who_ask_later), T(taking_changes_nothing_that_is_not_here),
          T(names_that_differ_in_anything_are_different), T(the_longest_names_fit),
          T(after_so_many_requests_it_is_gone), T(a_use_count_of_nothing_drops_the_value),
          T(waiters_come_back_in_the_order_they_asked), T(the_first_who_asks_is_told_so),
          T(who_takes_the_waiters_is_told_their_cell), T(each_waiter_holds_a_count_of_the_value),
          T(those_beyond_the_count_wait_on_and_are_told_as_such),
          T(a_second_put_is_refused_and_stays_with_the_caller), T(killing_frees_what_is_there),
          T(killing_before_the_value_drops_it_when_it_comes),
          T(killing_what_is_promised_or_wanted_is_refused),
          T(who_asks_for_what_is_doomed_waits_and_is_told_as_such),
          T(after_it_is_gone_the_name_may_live_again), T(each_failing_allocation_is_told))
