/* test_heed.c - how long a node listens before a long call. */
#include "runtime/node/heed.h"
#include "tests/lib/check.h"

enum { LONG = 1000000 };

static uint64_t rest;

/* From `now` on, until the call begins: how long it has waited. */
static uint64_t
waits(struct heed *h, uint64_t call_ns, uint64_t now)
{
    uint64_t begun = now;
    while (heed_waits(h, call_ns, now, &rest)) now += rest;
    return now - begun;
}

TEST(without_news_a_call_begins_at_once)
{
    struct heed h = {.patience = HEED_PATIENCE};
    CHECK(waits(&h, LONG, 5) == 0);
    CHECK(waits(&h, UINT64_MAX, 5) == 0);
}

TEST(with_news_it_waits_until_it_is_quiet)
{
    struct heed h = {.patience = HEED_PATIENCE};
    heed_made(&h);
    CHECK(waits(&h, LONG, 100) == HEED_NS);
    CHECK(waits(&h, LONG, 100 + HEED_NS) == 0, "the news is old");
    heed_made(&h);
    CHECK(waits(&h, 40000, 100) == 40000 / HEED_PART, "a shorter call waits less");
    heed_made(&h);
    CHECK(waits(&h, HEED_CALL_NS - 1, 100) == 0, "a short one not at all");
    heed_made(&h);
    CHECK(waits(&h, UINT64_MAX, 100) == HEED_FIRST * HEED_NS, "who knows how long it is");
}

TEST(news_cannot_hold_it_for_ever)
{
    struct heed h = {.patience = HEED_PATIENCE};
    uint64_t now = 100;
    heed_made(&h);
    for (; heed_waits(&h, LONG, now, &rest); now += 1000) heed_asked(&h);
    CHECK(now - 100 <= HEED_MOST_NS + 1000, "%lu ns", (unsigned long)(now - 100));
}

TEST(where_a_thread_turns_several_nodes_it_waits_longer)
{
    struct heed h = {.patience = HEED_PATIENCE, .crowd = 2};
    heed_made(&h);
    CHECK(waits(&h, LONG, 100) == 2 * HEED_NS);
    h.crowd = 1000;
    heed_made(&h);
    CHECK(waits(&h, LONG, 100) == HEED_CROWD * HEED_NS, "but not for ever");
}

/* How many of n calls wait, if each is preceded by news. */
static int
waiting(struct heed *h, int n, bool asked)
{
    int all = 0;
    for (int i = 0; i < n; i++) {
        uint64_t now = (uint64_t)i * 10 * LONG;
        heed_made(h);
        if (!heed_waits(h, LONG, now, &rest)) continue;
        if (asked) heed_asked(h);
        waits(h, LONG, now + 1);
        all++;
    }
    return all;
}

TEST(in_vain_it_is_tried_rarely)
{
    struct heed h = {.patience = HEED_PATIENCE};
    CHECK(waiting(&h, HEED_PATIENCE, false) == HEED_PATIENCE);
    CHECK(waiting(&h, 10 * HEED_RARELY, false) == 10);
    CHECK(waiting(&h, HEED_RARELY, true) >= 1, "somebody asks");
    CHECK(waiting(&h, 20, true) == 20, "and is heard from then on");
}

TEST_MAIN(T(without_news_a_call_begins_at_once), T(with_news_it_waits_until_it_is_quiet),
          T(news_cannot_hold_it_for_ever),
          T(where_a_thread_turns_several_nodes_it_waits_longer), T(in_vain_it_is_tried_rarely))
