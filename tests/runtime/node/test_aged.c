/* test_aged.c - calls by age. */
#include "runtime/node/aged.h"
#include "runtime/base/rng.h"
#include "tests/lib/check.h"

static struct task *
task(uintptr_t n)
{
    return (struct task *)(n * 16 + 16);
}

static uintptr_t
number(const struct task *t)
{
    return ((uintptr_t)t - 16) / 16;
}

TEST(the_oldest_comes_first)
{
    enum { N = 1000 };
    struct aged a = {0};
    struct rng r = rng_of(7);
    uint32_t order[N];
    for (uint32_t i = 0; i < N; i++) order[i] = i;
    for (uint32_t i = N; i > 1; i--) {
        uint32_t k = (uint32_t)rng_below(&r, i), x = order[k];
        order[k] = order[i - 1];
        order[i - 1] = x;
    }
    /* Ages that begin anew in the middle. */
    for (uint32_t i = 0; i < N; i++)
        CHECK(aged_push(&a, task(order[i]), 0, order[i] + UINT32_MAX - N / 2, false));
    for (uint32_t i = 0; i < N; i++) {
        struct task *t = aged_pop(&a);
        CHECK(t && number(t) == i, "%u-th", i);
    }
    CHECK(!aged_pop(&a));
    aged_fini(&a);
}

TEST(any_place_can_be_taken)
{
    enum { N = 300 };
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct aged a = {0};
        struct rng r = rng_of(seed);
        bool gone[N] = {false};
        for (uint32_t i = 0; i < N; i++) CHECK(aged_push(&a, task(i), 0, i * 7 % N, false));
        for (int k = 0; k < N / 3; k++) gone[number(aged_take(&a, rng_below(&r, a.n)))] = true;
        int64_t last = -1, left = 0;
        for (struct task *t; (t = aged_pop(&a)); left++) {
            int64_t age = (int64_t)(number(t) * 7 % N);
            CHECK(age > last && !gone[number(t)], "seed %d", (int)seed);
            last = age;
        }
        CHECK(left == N - N / 3);
        aged_fini(&a);
    }
}

TEST(who_is_asked_for_is_older)
{
    struct aged a = {0};
    aged_push(&a, task(1), 0, 5, false);
    aged_push(&a, task(2), 0, 1000, true);
    aged_push(&a, task(3), 0, 900, true);
    CHECK(number(aged_pop(&a)) == 3);
    CHECK(number(aged_pop(&a)) == 2);
    CHECK(number(aged_pop(&a)) == 1);
    aged_fini(&a);
}

TEST(who_is_asked_for_later_is_older_from_then_on)
{
    enum { N = 40 };
    struct aged a = {0};
    for (uint32_t i = 0; i < N; i++) aged_push(&a, task(i), 0, i, i == 7);
    for (size_t i = 0; i < a.n; i++) {
        if (number(a.item[i].task) % 7) continue;
        aged_asked(&a, i);
        aged_asked(&a, 0); /* once more: it is not older still */
    }
    for (uint32_t i = 0; i < N; i += 7) CHECK(number(aged_pop(&a)) == i, "%u", i);
    for (uint32_t i = 0; i < N; i++) CHECK(i % 7 == 0 || number(aged_pop(&a)) == i, "%u", i);
    aged_fini(&a);
}

TEST(a_priority_comes_before_age)
{
    struct aged a = {0};
    aged_push(&a, task(1), -1, 1, false);
    aged_push(&a, task(2), 0, 2, false);
    aged_push(&a, task(3), 7.5, 4, false);
    aged_push(&a, task(4), 7.5, 3, false);
    aged_push(&a, task(5), 0, 5, true);
    static const uintptr_t order[] = {4, 3, 5, 2, 1};
    for (int i = 0; i < 5; i++) CHECK(number(aged_pop(&a)) == order[i], "place %d", i);
    aged_fini(&a);
}

TEST_MAIN(T(the_oldest_comes_first), T(any_place_can_be_taken), T(who_is_asked_for_is_older),
          T(who_is_asked_for_later_is_older_from_then_on),
          T(a_priority_comes_before_age))
