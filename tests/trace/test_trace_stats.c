/* test_trace_stats.c - figures of events that are added by hand; memory that runs out. */
#include "apps/luna/trace/stats.h"

#include "runtime/base/mem.h"
#include "tests/lib/check.h"

#include <math.h>

static struct arena *arena;
static struct stats s;

/* A run of 1000 ns, so a row is 100. */
static void
start(unsigned nodes, unsigned workers)
{
    struct trace_run run = {.nodes = nodes, .workers = workers, .duration = 1000};
    if (!arena) arena = arena_new();
    if (!arena || !stats_init(&s, arena, &run)) abort();
}

static void
sends(unsigned node, enum trace_kind kind, const char *df, uint64_t bytes, uint64_t dist)
{
    stats_add(&s, node, &(struct trace_event){.ev = TRACE_EV_SEND, .kind = kind, .df = df,
                                              .bytes = bytes, .dist = dist});
}

static void
has(unsigned node, uint64_t t, uint64_t bytes, uint64_t cells)
{
    stats_add(&s, node,
              &(struct trace_event){.ev = TRACE_EV_LOAD, .t = t, .bytes = bytes, .cells = cells});
}

static void
calls(unsigned node, const char *cf, uint64_t line, uint64_t dur)
{
    stats_add(&s, node,
              &(struct trace_event){.ev = TRACE_EV_EXEC, .cf = cf, .line = line, .dur = dur});
}

static bool
near(double x, double y)
{
    return fabs(x - y) < 1e-12;
}

TEST(distances_are_of_those_who_sent_and_sizes_of_all)
{
    start(4, 1);
    sends(0, TRACE_KIND_REPLY, "x[1]", 1 << 20, 1);
    sends(0, TRACE_KIND_PUSH, "x[2]", 1 << 20, 3);
    sends(2, TRACE_KIND_MIGRATE, "y", 2 << 20, 5);
    sends(3, TRACE_KIND_COLLECTIVE, "z", 99, 7); /* has a row of its own only */
    CHECK(stats_end(&s));
    CHECK(near(stats_avg_sd(&s), (2 + 5) / 2.), "%g", stats_avg_sd(&s));
    CHECK(near(stats_avg_ss(&s), 4 / 4.), "%g", stats_avg_ss(&s));
    CHECK(s.kind[TRACE_KIND_REPLY].count == 1 && s.kind[TRACE_KIND_COLLECTIVE].bytes == 99);
    stats_fini(&s);
}

TEST(nobody_sent)
{
    start(2, 1);
    CHECK(stats_end(&s) && stats_avg_sd(&s) == 0 && stats_avg_ss(&s) == 0);
    stats_fini(&s);
}

TEST(only_the_chosen_count)
{
    start(1, 1);
    stats_choose(&s, "x,u,yy");
    sends(0, TRACE_KIND_REPLY, "x[1][2]", 10, 1);
    sends(0, TRACE_KIND_REPLY, "y[1]", 20, 1);
    sends(0, TRACE_KIND_REPLY, "xx", 40, 1);
    sends(0, TRACE_KIND_REPLY, "yy", 80, 1);
    CHECK(s.kind[TRACE_KIND_REPLY].bytes == 90);
    CHECK(s.only.n == 3 && s.sent[0] && !s.sent[1] && s.sent[2]);
    stats_fini(&s);
}

TEST(a_row_has_the_last_load_before_its_end)
{
    start(2, 1);
    has(0, 0, 100, 4);
    has(0, 90, 300, 3);
    has(0, 50, 200, 9); /* of another worker: not in order */
    has(1, 250, 500, 5);
    struct stats_range first = stats_load_in(&s, 0), third = stats_load_in(&s, 2);
    CHECK(near(first.mean, 150) && near(first.max, 300) && first.node == 0);
    CHECK(first.cells_min == 0 && first.cells_max == 3, "node 1 has told nothing");
    CHECK(near(stats_imbalance(&first), 2));
    CHECK(near(third.mean, 400) && near(third.max, 500) && third.node == 1);
    CHECK(third.cells_min == 3 && third.cells_max == 5);
    CHECK(near(stats_load_in(&s, 9).mean, 400), "it stays");
    CHECK(stats_row_end(&s, 0) == 100 && stats_row_end(&s, 9) == 1000);
    stats_fini(&s);
}

TEST(no_load_is_even)
{
    start(2, 1);
    struct stats_range p = stats_load_in(&s, 0);
    CHECK(stats_imbalance(&p) == 1 && !p.cells_min && !p.cells_max);
    stats_fini(&s);
}

TEST(moves_stand_in_their_rows)
{
    start(1, 1);
    static const uint64_t at[] = {0, 100, 101, 1000, 5000};
    for (int i = 0; i < 5; i++)
        stats_add(&s, 0, &(struct trace_event){.ev = TRACE_EV_MOVE, .t = at[i]});
    CHECK(s.moves == 5 && s.moves_in[0] == 2 && s.moves_in[1] == 1 && s.moves_in[9] == 2);
    stats_fini(&s);
}

TEST(time_is_in_calls_idle_or_in_protocols)
{
    start(3, 2); /* 2000 ns of workers a node */
    for (unsigned i = 0; i < 3; i++) calls(i, "f", 1, 1500);
    stats_add(&s, 0, &(struct trace_event){.ev = TRACE_EV_END, .idle = 300, .has_idle = true});
    stats_add(&s, 1, &(struct trace_event){.ev = TRACE_EV_END}); /* of before: not told */
    stats_add(&s, 2, &(struct trace_event){.ev = TRACE_EV_END, .idle = 900, .has_idle = true});
    struct stats_times t = stats_times(&s, 0), old = stats_times(&s, 1), more = stats_times(&s, 2);
    CHECK(near(t.calls, 1500e-9) && near(t.idle, 300e-9) && near(t.protocol, 200e-9));
    CHECK(near(old.idle, 500e-9) && near(old.protocol, 0));
    CHECK(near(more.idle, 500e-9) && near(more.protocol, 0), "no more than there is");
    stats_fini(&s);
}

TEST(calls_of_a_name_and_a_line_are_one_and_the_longest_is_first)
{
    start(2, 1);
    for (int i = 0; i < 3000; i++) calls(0, arena_printf(arena, "f%d[%d]", i % 1000, i), 7, 10);
    calls(1, "f3[9][9]", 7, 5); /* of another node: the same */
    calls(1, "f3", 8, 1);       /* at another line: another */
    calls(1, "g[0]", 7, 1000);
    CHECK(stats_end(&s) && s.nsubs == 1002, "%zu", s.nsubs);
    CHECK(!strcmp(s.subs[0]->name, "g") && s.subs[0]->total == 1000);
    CHECK(!strcmp(s.subs[1]->name, "f3") && s.subs[1]->count == 4 && s.subs[1]->total == 35);
    CHECK(!strcmp(s.subs[2]->name, "f0"), "then by name: %s", s.subs[2]->name);
    CHECK(!strcmp(s.subs[1001]->name, "f3") && s.subs[1001]->line == 8);
    CHECK(s.nodes[0].calls == 3000 && s.nodes[1].in_calls == 1006);
    stats_fini(&s);
}

TEST(missing_memory_is_told)
{
    long n = 0;
    for (bool fine = false; !fine; n++) {
        CHECK(n < 1000);
        struct trace_run run = {.nodes = 1, .workers = 1, .duration = 1000};
        struct arena *a = arena_new(); /* its first chunk is there, or it is not needed */
        arena_alloc(a, 1);
        mem_fail_after(n);
        bool begun = stats_init(&s, a, &run);
        for (int i = 0; begun && i < 20; i++) calls(0, i % 2 ? "f" : "g", (uint64_t)i, 1);
        fine = begun && stats_end(&s);
        mem_fail_after(-1);
        CHECK(!fine || s.nsubs == 20, "%zu", s.nsubs);
        stats_fini(&s);
        arena_free(a);
    }
    CHECK(n > 20, "%ld allocations", n);
}

TEST_MAIN(T(distances_are_of_those_who_sent_and_sizes_of_all), T(nobody_sent),
          T(only_the_chosen_count), T(a_row_has_the_last_load_before_its_end), T(no_load_is_even),
          T(moves_stand_in_their_rows), T(time_is_in_calls_idle_or_in_protocols),
          T(calls_of_a_name_and_a_line_are_one_and_the_longest_is_first), T(missing_memory_is_told))
