/* test_harvest.c - loops over elements that stand aside, of a worker. */
#include "runtime/node/harvest.h"
#include "tests/lib/check.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, EACH = 20000 };

static struct harvest all;
static atomic_int seen[THREADS * EACH + 1];

static struct task *
task(uintptr_t n)
{
    return (struct task *)(n * 16);
}

static uintptr_t
number(const struct task *t)
{
    return (uintptr_t)t / 16;
}

TEST(the_first_is_what_was_put_in_front)
{
    CHECK(!harvest_loops(&all) && !harvest_pop(&all, false) && !harvest_pop(&all, true));
    CHECK(harvest_push(&all, task(1), false) && harvest_push(&all, task(2), true));
    CHECK(harvest_push(&all, task(3), false) && harvest_loops(&all) == 3);
    CHECK(number(harvest_pop(&all, true)) == 2);
    CHECK(number(harvest_pop(&all, false)) == 3);
    CHECK(number(harvest_pop(&all, true)) == 1);
    CHECK(!harvest_loops(&all) && !harvest_pop(&all, false));
}

static void *
push_and_pop(void *who)
{
    uintptr_t base = (uintptr_t)who;
    for (uintptr_t i = 1; i <= EACH; i++) {
        if (!harvest_push(&all, task(base + i), i % 2)) abort();
        struct task *t = harvest_pop(&all, i % 3);
        if (t) atomic_fetch_add(&seen[number(t)], 1);
    }
    return NULL;
}

TEST(each_leaves_once_whoever_takes_it)
{
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, push_and_pop, (void *)(i * EACH)));
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (struct task *t; (t = harvest_pop(&all, true));) seen[number(t)]++;
    int wrong = 0;
    for (int i = 1; i <= THREADS * EACH; i++) wrong += seen[i] != 1;
    CHECK(!wrong, "%d of them", wrong);
    harvest_fini(&all);
}

TEST(looks_in_vain_are_further_and_further_apart)
{
    struct harvest h = {0};
    uint64_t calls = 0, gap = 0;
    for (int k = 0; k < 20; k++) {
        harvest_looked(&h, k % 2 ? HARVEST_FEW : 0, calls);
        CHECK(h.at - calls >= gap && h.at > calls);
        gap = h.at - calls;
        calls = h.at;
    }
    uint64_t most = gap;
    harvest_looked(&h, 0, calls);
    CHECK(h.at - calls == most);
    harvest_looked(&h, HARVEST_FEW + 1, calls);
    CHECK(h.at - calls < most / 8);
}

TEST_MAIN(T(the_first_is_what_was_put_in_front), T(each_leaves_once_whoever_takes_it),
          T(looks_in_vain_are_further_and_further_apart))
