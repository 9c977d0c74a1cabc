/* test_ranked.c - ready calls by priority, of all workers of a node. */
#include "runtime/node/ranked.h"
#include "tests/lib/check.h"

#include <pthread.h>

enum { THREADS = 4, EACH = 20000 };

static struct ranked all;
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

TEST(the_highest_comes_first_of_equals_the_first)
{
    CHECK(ranked_empty(&all) && !ranked_pop(&all, RANKED_ANY) && !ranked_last(&all));
    CHECK(ranked_push(&all, task(1), 1) && ranked_push(&all, task(2), 3));
    CHECK(ranked_push(&all, task(3), 3) && ranked_push(&all, task(4), -1));
    CHECK(!ranked_pop(&all, 4) && !ranked_empty(&all));
    CHECK(number(ranked_pop(&all, 0)) == 2);
    CHECK(number(ranked_pop(&all, 3)) == 3);
    CHECK(number(ranked_last(&all)) == 4);
    CHECK(number(ranked_pop(&all, 0)) == 1);
    CHECK(ranked_empty(&all));
}

static void *
push_and_pop(void *who)
{
    uintptr_t base = (uintptr_t)who;
    for (uintptr_t i = 1; i <= EACH; i++) {
        if (!ranked_push(&all, task(base + i), (double)(i * 37 % 101))) abort();
        struct task *t = i % 3 ? ranked_pop(&all, RANKED_ANY) : ranked_last(&all);
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
    for (struct task *t; (t = ranked_pop(&all, RANKED_ANY));) seen[number(t)]++;
    int wrong = 0;
    for (int i = 1; i <= THREADS * EACH; i++) wrong += seen[i] != 1;
    CHECK(!wrong, "%d of them", wrong);
    CHECK(ranked_empty(&all));
    ranked_fini(&all);
}

TEST_MAIN(T(the_highest_comes_first_of_equals_the_first), T(each_leaves_once_whoever_takes_it))
