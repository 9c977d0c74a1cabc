/* test_workers.c - rows of workers: how a run is cut, which rows are shown, what is judged. */
#include "runtime/node/workers.h"
#include "tests/lib/check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct worker_row
split(uint64_t duration, uint64_t worked, uint64_t in_calls, uint64_t wasted)
{
    struct worker_row r = {0};
    worker_row_split(&r, duration, worked, in_calls, wasted);
    return r;
}

static bool
is(struct worker_row r, uint64_t in_calls, uint64_t runtime, uint64_t idle, uint64_t wasted)
{
    return r.in_calls == in_calls && r.runtime == runtime && r.idle == idle && r.wasted == wasted;
}

TEST(a_run_is_cut_into_three)
{
    CHECK(is(split(100, 70, 50, 10), 50, 20, 30, 10));
    CHECK(is(split(100, 0, 0, 0), 0, 0, 100, 0));
    CHECK(is(split(0, 0, 0, 0), 0, 0, 0, 0));
}

TEST(what_does_not_fit_is_cut_off)
{
    CHECK(is(split(100, 40, 50, 10), 50, 0, 50, 10)); /* calls are work */
    CHECK(is(split(100, 130, 50, 10), 50, 50, 0, 0));
    CHECK(is(split(100, 130, 120, 10), 100, 0, 0, 0));
    CHECK(is(split(100, 70, 50, 40), 50, 20, 30, 30));
}

/* What is printed, in memory of malloc. */
static char *
printed(struct worker_row *rows, size_t n, const char *before)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!before) worker_rows_print(f, rows, n);
    else worker_rows_judge(f, before, rows, n);
    fclose(f);
    return text;
}

static unsigned
lines_of(const char *text)
{
    unsigned n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

TEST(the_idlest_come_first)
{
    struct worker_row rows[] = {
        {.node = 1, .worker = 0, .calls = 7, .in_calls = 2000000, .runtime = 1000, .idle = 500},
        {.node = 1, .worker = 1, .idle = 90000, .wasted = 80000, .steals = 3, .naps = 4},
        {.node = 0, .worker = 1, .idle = 500},
    };
    char *text = printed(rows, 3, NULL);
    CHECK(!strcmp(text,
                  "node  worker        calls    in calls  in runtime  idle: work   idle: none   "
                  "steals     naps\n"
                  "1          1            0     0.00 us     0.00 us    80.00 us     10.00 us   "
                  "     3        4\n"
                  "0          1            0     0.00 us     0.00 us     0.00 us      0.50 us   "
                  "     0        0\n"
                  "1          0            7     2.00 ms     1.00 us     0.00 us      0.50 us   "
                  "     0        0\n"),
          "%s", text);
    free(text);
}

TEST(of_many_sixteen_are_shown)
{
    struct worker_row rows[40] = {{0}};
    for (unsigned n = 15; n <= 40; n++) {
        for (unsigned i = 0; i < n; i++) rows[i] = (struct worker_row){.worker = i, .idle = i};
        char *text = printed(rows, n, NULL), more[64];
        snprintf(more, sizeof more, "\n%u more workers were idle for no longer than these\n",
                 n - 16);
        CHECK(lines_of(text) == 1 + (n < 16 ? n : 16) + (n > 16), "%u rows:\n%s", n, text);
        CHECK(!strstr(text, " more ") == (n <= 16));
        CHECK(n <= 16 || strstr(text, more), "%s", text);
        CHECK(rows[0].worker == n - 1 && rows[n - 1].worker == 0);
        free(text);
    }
}

TEST(more_than_a_twentieth_wasted_is_told)
{
    struct worker_row rows[] = {{.in_calls = 500, .runtime = 400, .idle = 100, .wasted = 100},
                                {.in_calls = 1000}};
    char *text = printed(rows, 2, "note: ");
    CHECK(!*text, "%s", text); /* just a twentieth */
    free(text);
    rows[0].idle = rows[0].wasted = 110;
    rows[0].runtime = 390;
    text = printed(rows, 2, "note: ");
    CHECK(!strncmp(text, "note: workers were idle for 5.5% of their time although ", 56), "%s",
          text);
    CHECK(lines_of(text) == 1);
    free(text);
    rows[0].wasted = 0; /* idle for good reason */
    text = printed(rows, 2, "note: ");
    CHECK(!*text, "%s", text);
    free(text);
    text = printed(rows, 0, "note: ");
    CHECK(!*text, "%s", text);
    free(text);
}

TEST(who_is_kept_from_a_core_is_told)
{
    struct worker_row rows[] = {{.in_calls = 500, .idle = 500, .on = 1600000000, .off = 400000000},
                                {.in_calls = 1000, .on = 2000000000}};
    char *text = printed(rows, 2, "note: ");
    CHECK(!*text, "%s", text); /* just a tenth */
    free(text);
    rows[0].off = 600000000;
    text = printed(rows, 2, "note: ");
    CHECK(!strncmp(text, "note: workers were kept from their cores for 14.3% of the time ", 63),
          "%s", text);
    CHECK(lines_of(text) == 1);
    free(text);
    rows[0].on = 80000000, rows[0].off = 190000000, rows[1].on = 0; /* a short run: chance */
    text = printed(rows, 2, "note: ");
    CHECK(!*text, "%s", text);
    free(text);
}

TEST_MAIN(T(a_run_is_cut_into_three), T(what_does_not_fit_is_cut_off), T(the_idlest_come_first),
          T(of_many_sixteen_are_shown), T(more_than_a_twentieth_wasted_is_told),
          T(who_is_kept_from_a_core_is_told))
