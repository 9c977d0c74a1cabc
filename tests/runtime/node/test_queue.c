/* test_queue.c - the fifo keeps order while it grows; from a deque each item is taken exactly once,
 * by its owner or by thieves, also while it grows. */
#include "runtime/base/mem.h"
#include "runtime/node/queue.h"
#include "tests/lib/check.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>

static struct task *
item(intptr_t n)
{
    return (struct task *)(n + 1);
}

TEST(a_fifo_keeps_order)
{
    struct fifo q = {0};
    intptr_t in = 0, out = 0;
    CHECK(fifo_empty(&q) && !fifo_pop(&q));
    for (int round = 1; round < 300; round++) { /* pushes gain on pops: it wraps and grows */
        for (int i = 0; i < round; i++) CHECK(fifo_push(&q, item(in++)));
        for (int i = 0; i < round * 2 / 3; i++, out++) CHECK(fifo_pop(&q) == item(out));
    }
    for (; out < in; out++) CHECK(fifo_pop(&q) == item(out));
    CHECK(fifo_empty(&q) && !fifo_pop(&q));
    fifo_fini(&q);
    CHECK(fifo_empty(&q) && fifo_push(&q, item(1)) && fifo_pop(&q) == item(1));
    for (int i = 0; i < 3000; i++) CHECK(fifo_push_first(&q, item(i)));
    for (int i = 3000; i-- > 0;) CHECK(fifo_pop(&q) == item(i));
    CHECK(fifo_empty(&q));
    for (int i = 0; i < 1000; i++) CHECK(fifo_push(&q, item(i)) && fifo_push_first(&q, item(-i)));
    for (int i = 999; i >= 0; i--) CHECK(fifo_pop(&q) == item(-i));
    for (int i = 0; i < 1000; i++) CHECK(fifo_pop(&q) == item(i));
    CHECK(fifo_empty(&q) && !fifo_pop_last(&q));
    for (int i = 0; i < 1000; i++) CHECK(fifo_push(&q, item(i)));
    for (int i = 1000; i-- > 500;) CHECK(fifo_pop_last(&q) == item(i));
    for (int i = 0; i < 500; i++) CHECK(fifo_pop(&q) == item(i));
    CHECK(fifo_empty(&q));
    fifo_fini(&q);
    fifo_fini(&q);
}

TEST(entries_may_be_marked)
{
    static struct task *const none = NULL;
    long a[2] = {0};
    struct task *t = (struct task *)(void *)&a[1];
    struct fifo q = {0};
    CHECK(!fifo_is_marked(none) && !fifo_is_marked(t));
    CHECK(fifo_push(&q, t) && fifo_push(&q, fifo_marked(t)) && fifo_push(&q, t));
    CHECK(!fifo_is_marked(fifo_pop(&q)));
    struct task *marked = fifo_pop(&q);
    CHECK(fifo_is_marked(marked) && fifo_unmarked(marked) == t && fifo_unmarked(t) == t);
    CHECK(fifo_pop(&q) == t);
    fifo_fini(&q);
}

TEST(a_fifo_that_cannot_grow_keeps_what_it_has)
{
    struct fifo q = {0};
    intptr_t n = 0;
    mem_fail_after(1);
    while (fifo_push(&q, item(n))) n++;
    mem_fail_after(-1);
    CHECK(n > 100 && fifo_push(&q, item(n)));
    for (intptr_t i = 0; i <= n; i++) CHECK(fifo_pop(&q) == item(i));
    fifo_fini(&q);
}

TEST(an_owner_takes_the_newest_and_a_thief_the_oldest)
{
    struct deque d;
    CHECK(deque_init(&d) && deque_empty(&d) && !deque_pop(&d) && !deque_steal(&d));
    for (intptr_t i = 0; i < 5000; i++) CHECK(deque_push(&d, item(i)));
    for (intptr_t i = 0; i < 2000; i++) CHECK(deque_steal(&d) == item(i));
    for (intptr_t i = 4999; i >= 2000; i--) CHECK(deque_pop(&d) == item(i));
    CHECK(deque_empty(&d) && !deque_pop(&d) && !deque_steal(&d));
    CHECK(deque_push(&d, item(1)) && !deque_empty(&d) && deque_pop(&d) == item(1));
    CHECK(deque_push(&d, item(2)) && deque_steal(&d) == item(2) && !deque_pop(&d));
    deque_fini(&d);
}

TEST(a_deque_that_cannot_grow_keeps_what_it_has)
{
    struct deque d;
    intptr_t n = 0;
    mem_fail_after(0);
    bool made = deque_init(&d);
    mem_fail_after(1);
    CHECK(!made && deque_init(&d));
    while (deque_push(&d, item(n))) n++;
    mem_fail_after(-1);
    CHECK(n > 100 && deque_push(&d, item(n)));
    for (intptr_t i = n; i >= 0; i--) CHECK(deque_pop(&d) == item(i));
    deque_fini(&d);
}

/* ---- owner and thieves ---- */

enum {
    THIEVES = 3,
#if defined(__SANITIZE_THREAD__)
    ITEMS = 100000
#else
    ITEMS = 1000000
#endif
};

static struct deque shared;
static atomic_uchar taken[ITEMS];
static atomic_long stolen;
static atomic_bool over;

static void
take(struct task *t)
{
    atomic_fetch_add(&taken[(intptr_t)t - 1], 1);
}

static void *
thief(void *who)
{
    while (!atomic_load(&over) || !deque_empty(&shared)) {
        struct task *t = deque_steal(&shared);
        if (!t) {
            sched_yield();
            continue;
        }
        take(t);
        atomic_fetch_add(&stolen, 1);
    }
    return who;
}

/* Pushes bursts of growing length and pops some of each: the ring grows while thieves read it, and
 * often enough holds one item that both sides want. */
static void
own(int burst_max)
{
    intptr_t n = 0;
    for (int burst = 1; n < ITEMS; burst = burst % burst_max + 1) {
        int pushed = 0;
        for (; pushed < burst && n < ITEMS; pushed++) deque_push(&shared, item(n++));
        for (int i = 0; i < pushed / 2 + 1; i++) {
            struct task *t = deque_pop(&shared);
            if (t) take(t);
        }
    }
    for (struct task *t; (t = deque_pop(&shared));) take(t);
}

static void
each_once(int burst_max)
{
    pthread_t thread[THIEVES];
    memset(taken, 0, sizeof taken);
    over = false;
    CHECK(deque_init(&shared));
    for (int i = 0; i < THIEVES; i++) pthread_create(&thread[i], NULL, thief, NULL);
    own(burst_max);
    atomic_store(&over, true);
    for (int i = 0; i < THIEVES; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < ITEMS; i++) CHECK(taken[i] == 1, "item %d: %d times", i, taken[i]);
    deque_fini(&shared);
}

TEST(each_item_is_taken_once)
{
    stolen = 0;
    each_once(1);
    if (!check_failed) each_once(5);
    if (!check_failed) each_once(3000);
    if (!check_failed) CHECK(stolen > 0);
}

TEST_MAIN(T(a_fifo_keeps_order), T(entries_may_be_marked),
          T(a_fifo_that_cannot_grow_keeps_what_it_has),
          T(an_owner_takes_the_newest_and_a_thief_the_oldest),
          T(a_deque_that_cannot_grow_keeps_what_it_has), T(each_item_is_taken_once))
