/* test_task.c - what has caused a task is told back as it was, however late, however far away. */
#include "runtime/table/task.h"
#include "tests/lib/check.h"

static const uint64_t SPAN = (uint64_t)1 << CAUSE_READY_BITS, WEEK = 7 * 86400000000000ull;

static uint64_t
told(uint64_t ready, uint64_t now)
{
    struct task_cause c = {.ready = ready};
    return task_cause_ready(&c, now);
}

static void
a_moment_comes_back_whole(void)
{
    CHECK(told(5, 5) == 5);
    CHECK(told(0, WEEK) == 0);
    for (uint64_t turn = 0; turn < 8192; turn += 1023) { /* the clock's upper bits */
        uint64_t t = turn * SPAN + 12345;
        CHECK(told(t, t) == t);
        CHECK(told(t, t + WEEK) == t);
        CHECK(told(t + SPAN - 12346, t + SPAN - 12345) == t + SPAN - 12346); /* as they change */
    }
}

static void
a_moment_may_lie_a_little_ahead(void)
{
    CHECK(told(107, 100) == 107);
    CHECK(told(SPAN + 7, SPAN - 3) == SPAN + 7);
    CHECK(told(3 * SPAN, 3 * SPAN - 1) == 3 * SPAN);
}

static void
the_last_worker_node_and_call_have_room(void)
{
    struct task_cause c = {.by = 4095, .k = 10000000000000, .node = (1 << 20) - 1};
    CHECK(c.by == 4095 && c.k == 10000000000000 && c.node == (1 << 20) - 1);
    c.by = CAUSE_MESSAGE;
    CHECK(c.by == CAUSE_MESSAGE);
    c.by = CAUSE_UNKNOWN;
    CHECK(c.by == CAUSE_UNKNOWN && c.node == (1 << 20) - 1);
}

TEST_MAIN(T(a_moment_comes_back_whole), T(a_moment_may_lie_a_little_ahead),
          T(the_last_worker_node_and_call_have_room))
