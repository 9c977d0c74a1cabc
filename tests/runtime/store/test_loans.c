/* test_loans.c - what is borrowed is paid for, and goes with the last who paid. */
#include "runtime/base/pool.h"
#include "runtime/base/rng.h"
#include "runtime/store/loans.h"
#include "tests/lib/check.h"

#include <pthread.h>
#include <stdatomic.h>

static struct store *store;

static struct key
name(int32_t i)
{
    return (struct key){.id = 7, .df = 3, .n = 1, .ix = {i}};
}

static bool
put(int32_t i, luna_value v, int32_t uses)
{
    struct key k = name(i);
    struct waiter *none;
    return store_put(store, &k, v, uses, &none) == OK && !none;
}

static bool
has(int32_t i)
{
    struct key k = name(i);
    return store_has(store, &k);
}

/* Reads name i in this place; is it i? */
static bool
reads(struct loans *l, unsigned place, int32_t i)
{
    struct key k = name(i);
    luna_value v;
    return loans_take(l, store, place, &k, &v) && v.type == LUNA_INT && v.w.i == i;
}

TEST(a_number_goes_when_its_last_reader_is_paid_for)
{
    struct loans one = {0}, other = {0};
    CHECK(store_new(&store, 2) == OK && put(5, luna_v_of_int(5), 2 * LOAN_MOST), "no memory");
    for (int n = 0; n < LOAN_MOST - 1; n++) CHECK(reads(&one, 0, 5), "%d", n);
    for (int n = 0; n < LOAN_MOST; n++) CHECK(reads(&other, 3, 5), "%d", n);
    CHECK(has(5), "one reader is to come, and others are not paid for");
    loans_pay(&one, store);
    CHECK(has(5), "one is to come");
    CHECK(reads(&one, 0, 5) && has(5), "that was it, but it is not paid for");
    loans_pay(&other, store);
    CHECK(has(5), "nor is it now");
    loans_pay(&one, store);
    CHECK(!has(5) && !reads(&one, 0, 5), "it is gone");
    store_free(store);
}

TEST(a_place_that_is_taken_is_paid_for_first)
{
    enum { USES = 4 * LOAN_MOST };
    struct loans l = {0};
    CHECK(store_new(&store, 2) == OK && put(1, luna_v_of_int(1), USES) &&
              put(2, luna_v_of_int(2), USES),
          "no memory");
    for (int n = 0; n < USES; n += 4)
        for (int k = 0; k < 8; k++) CHECK(reads(&l, 1, 1 + k / 4), "%d, %d", n, k);
    loans_pay(&l, store);
    CHECK(!has(1) && !has(2), "nothing is owed");
    store_free(store);
}

TEST(what_is_not_lent_is_counted_at_once)
{
    struct loans l = {0};
    struct key k = name(3), far = {.id = 7, .df = 3, .n = 3, .ix = {1, 2, 3}};
    struct waiter *none;
    luna_value v;
    CHECK(store_new(&store, 2) == OK, "no memory");
    CHECK(!reads(&l, 0, 9), "it is not there");
    CHECK(put(4, luna_v_of_int(4), 2) && reads(&l, 0, 4) && reads(&l, 0, 4) && !has(4), "few");
    CHECK(put(3, value_of_string("abc", 3), LOAN_MOST), "no memory");
    for (int n = 0; n < LOAN_MOST; n++) {
        CHECK(has(3) && loans_take(&l, store, 0, &k, &v) && value_is_block(v), "%d", n);
        value_release(v);
    }
    CHECK(!has(3), "a block");
    CHECK(store_put(store, &far, luna_v_of_int(1), 100, &none) == OK, "no memory");
    for (int n = 0; n < 100; n++) CHECK(loans_take(&l, store, 0, &far, &v), "%d", n);
    CHECK(!store_has(store, &far), "a long name");
    store_free(store);
}

TEST(what_stays_is_lent_for_ever)
{
    struct loans l = {0};
    CHECK(store_new(&store, 2) == OK && put(1, luna_v_of_int(1), STORE_USES_UNLIMITED),
          "no memory");
    for (int n = 0; n < 10 * LOAN_MOST; n++) CHECK(reads(&l, 7, 1), "%d", n);
    loans_pay(&l, store);
    CHECK(has(1), "it stays");
    store_free(store);
}

/* ---- threads ---- */

enum { THREADS = 4, NAMES = 40, READS = CHECK_CASES(200000) };

static atomic_long wrong;

static void *
reader(void *seed)
{
    struct rng r = rng_of((uint64_t)(uintptr_t)seed);
    struct loans l = {0};
    int left[NAMES];
    for (int i = 0; i < NAMES; i++) left[i] = READS / NAMES;
    for (int n = NAMES * (READS / NAMES); n; n--) {
        int i = (int)rng_below(&r, NAMES);
        while (!left[i]) i = (i + 1) % NAMES;
        left[i]--;
        /* Places are shared by names, as those of inputs are. */
        if (!reads(&l, (unsigned)i / 2 % LOAN_PLACES, i)) atomic_fetch_add(&wrong, 1);
        if (!rng_below(&r, 1000)) loans_pay(&l, store);
    }
    loans_pay(&l, store);
    pool_thread_flush();
    return NULL;
}

TEST(many_threads_read_what_was_promised_and_nothing_is_left)
{
    pthread_t thread[THREADS];
    CHECK(store_new(&store, THREADS) == OK, "no memory");
    for (int i = 0; i < NAMES; i++)
        CHECK(put(i, luna_v_of_int(i), THREADS * (READS / NAMES)), "no memory");
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&thread[i], NULL, reader, (void *)(i + 1)), "no thread");
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    CHECK(!wrong, "%ld", (long)wrong);
    for (int i = 0; i < NAMES; i++) CHECK(!has(i), "%d is left", i);
    store_free(store);
}

TEST_MAIN(T(a_number_goes_when_its_last_reader_is_paid_for),
          T(a_place_that_is_taken_is_paid_for_first), T(what_is_not_lent_is_counted_at_once),
          T(what_stays_is_lent_for_ever),
          T(many_threads_read_what_was_promised_and_nothing_is_left))
