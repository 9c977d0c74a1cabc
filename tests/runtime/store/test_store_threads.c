/* test_store_threads.c - many threads on overlapping names while the table grows: each request is
 * served exactly once, each value goes to whom it was promised, nothing is left. */
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/store/store.h"
#include "tests/lib/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    THREADS = 4,
    READERS = 3, /* of each name, by different threads */
    NAMES = CHECK_CASES(200000)
};

struct asker { /* one request */
    struct waiter link;
    atomic_int got; /* times it was served */
};

static struct store *store;
static struct asker asker[NAMES][READERS];
static atomic_long served, wrong;
static bool many_blocks;

static struct key
name(int i)
{
    return (struct key){.id = 5 + (uint64_t)(i % 3), .df = 1, .n = 2, .ix = {i / 8, i % 8}};
}

static luna_value
value_for(int i)
{
    if (!many_blocks) return luna_v_of_int(i);
    char text[24];
    return value_of_string(text, (size_t)snprintf(text, sizeof text, "%d", i));
}

static void
serve(struct asker *a, int i, luna_value v)
{
    int have = v.type == LUNA_INT ? (int)v.w.i : atoi(value_block(v)->data);
    if (have != i || atomic_fetch_add(&a->got, 1)) atomic_fetch_add(&wrong, 1);
    atomic_fetch_add(&served, 1);
    value_release(v);
}

static struct waiter *
link_of(void *who)
{
    return &((struct asker *)who)->link;
}

static void
ask(int i, int reader)
{
    struct key k = name(i);
    struct asker *a = &asker[i][reader];
    luna_value v;
    if (store_want(store, &k, &v, link_of, a) == WANT_HERE) serve(a, i, v);
}

static void
give(int i, int32_t uses)
{
    struct key k = name(i);
    luna_value v = value_for(i);
    struct waiter *list;
    if (store_put(store, &k, v, uses, &list) != OK) atomic_fetch_add(&wrong, 1);
    for (struct waiter *next; list; list = next) {
        next = list->next; /* whoever is served may ask again at once */
        serve((struct asker *)list, i, v);
    }
}

/* Thread t writes every THREADS-th name and reads others, each in an order of its own. */
static void *
hammer(void *who)
{
    int t = (int)(intptr_t)who;
    for (int n = 0; n < NAMES; n++) {
        int i = (int)((n * 7919ll + t * 104729) % NAMES);
        if (i % THREADS == t) give(i, READERS);
        else ask(i, (i % THREADS - t + THREADS) % THREADS - 1);
    }
    pool_thread_flush();
    return NULL;
}

static size_t left;

static void
count_left(void *who, const struct store_entry *e)
{
    (void)who, (void)e;
    left++;
}

static void
run(void *(*body)(void *), int threads)
{
    pthread_t thread[THREADS];
    memset(asker, 0, sizeof asker);
    served = wrong = 0;
    left = 0;
    for (int t = 0; t < threads; t++)
        pthread_create(&thread[t], NULL, body, (void *)(intptr_t)t);
    for (int t = 0; t < threads; t++) pthread_join(thread[t], NULL);
    store_each(store, count_left, NULL);
}

TEST(each_request_is_served_once)
{
    for (int blocks = 0; blocks < 2; blocks++) {
        many_blocks = blocks;
        CHECK(store_new(&store, 2) == OK);
        run(hammer, THREADS);
        CHECK(!wrong, "%ld wrong", wrong);
        CHECK(served == (long)NAMES * READERS, "%ld served", served);
        CHECK(!left, "%zu entries left", left);
        store_free(store);
    }
}

/* Names that live again and again: put, one reader or a kill, put. Each thread has its own, but all
 * lie in the same few buckets. */
static void *
come_and_go(void *who)
{
    int t = (int)(intptr_t)who;
    struct waiter *list;
    luna_value v;
    for (int n = 0; n < NAMES; n++) {
        struct key k = {.id = 1, .df = 1, .n = 1, .ix = {t + n % 4 * THREADS}};
        bool bad = store_put(store, &k, value_for(n), n % 2 ? 1 : -1, &list) != OK || list;
        if (n % 2) bad |= store_want(store, &k, &v, link_of, NULL) != WANT_HERE;
        if (n % 2 && !bad) value_release(v);
        if (n % 2 == 0) bad |= store_kill(store, &k) != KILL_DONE;
        if (bad) atomic_fetch_add(&wrong, 1);
    }
    pool_thread_flush();
    return NULL;
}

TEST(names_come_and_go_side_by_side)
{
    CHECK(store_new(&store, 2) == OK);
    run(come_and_go, THREADS);
    CHECK(!wrong, "%ld wrong", wrong);
    CHECK(!left, "%zu entries left", left);
    store_free(store);
}

/* One puts, one kills, in whichever order they come: the value is gone in the end. */
static void *
put_against_kill(void *who)
{
    for (int n = 0; n < NAMES; n++) {
        struct key k = name(n);
        struct waiter *list;
        if (!who) {
            enum store_kill how = store_kill(store, &k);
            if (how != KILL_DONE && how != KILL_LATER) atomic_fetch_add(&wrong, 1);
        } else if (store_put(store, &k, value_for(n), -1, &list) != OK || list) {
            atomic_fetch_add(&wrong, 1);
        }
    }
    pool_thread_flush();
    return NULL;
}

TEST(a_kill_wins_before_and_after_the_put)
{
    many_blocks = true;
    CHECK(store_new(&store, 2) == OK);
    run(put_against_kill, 2);
    CHECK(!wrong, "%ld wrong", wrong);
    CHECK(!left, "%zu entries left", left);
    store_free(store);
}

static atomic_int looking;

static void
look_inside(void *who, const struct store_entry *e)
{
    size_t size;
    (void)who;
    if (e->present && e->value.type == LUNA_STRING && !value_bytes(&e->value, &size))
        atomic_fetch_add(&wrong, 1);
}

static void *
hammer_or_look(void *who)
{
    if ((intptr_t)who < 2) {
        hammer(who);
        atomic_fetch_sub(&looking, 1);
    } else {
        while (atomic_load(&looking)) store_each(store, look_inside, NULL);
    }
    return NULL;
}

TEST(looking_around_while_others_work_is_safe)
{
    many_blocks = true;
    looking = 2;
    CHECK(store_new(&store, 2) == OK);
    run(hammer_or_look, 3);
    CHECK(!wrong, "%ld wrong", wrong);
    store_free(store);
}

TEST_MAIN(T(each_request_is_served_once), T(names_come_and_go_side_by_side),
          T(a_kill_wins_before_and_after_the_put), T(looking_around_while_others_work_is_safe))
