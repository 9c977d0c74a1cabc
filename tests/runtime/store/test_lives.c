/* Counters of a node and of its cells: found again, summed up, from many threads at once. */
#include "runtime/store/lives.h"

#include "tests/lib/check.h"

#include <pthread.h>

TEST(a_cell_counts_in_the_whole)
{
    struct lives *l;
    CHECK(lives_new(&l, true) == OK);
    lives_sum_up(l);
    struct live *three = lives_of(l, 3 + 1), *whole = lives_whole(l);
    CHECK(three != whole && lives_of(l, 3 + 1) == three && lives_find(l, 3) == three);
    CHECK(lives_of(l, 0) == whole && !lives_find(l, 4));
    live_add(three, 100, 1);
    live_add(whole, 10, 1);
    live_add(lives_of(l, 4 + 1), 1, 1);
    live_add(three, -40, 0);
    CHECK(atomic_load(&three->bytes) == 60 && atomic_load(&three->count) == 1);
    CHECK(atomic_load(&whole->bytes) == 71 && atomic_load(&whole->count) == 3);
    lives_free_all();
}

TEST(the_whole_is_what_has_no_cell_if_nobody_asks_for_it)
{
    struct lives *l;
    CHECK(lives_new(&l, true) == OK);
    live_add(lives_of(l, 3 + 1), 100, 1);
    live_add(lives_of(l, 0), 7, 1);
    CHECK(atomic_load(&lives_find(l, 3)->bytes) == 100);
    CHECK(atomic_load(&lives_whole(l)->bytes) == 7);
    lives_free_all();
}

TEST(a_block_is_counted_once)
{
    struct lives *l;
    CHECK(lives_new(&l, true) == OK);
    struct block *b = block_new(1000);
    for (int shared = 0; shared < 2; shared++) {
        block_measure(b, lives_of(l, 1), NULL);
        block_measure(b, lives_of(l, 2), NULL);
        if (!shared) block_retain(b);
    }
    CHECK(atomic_load(&lives_find(l, 0)->bytes) == 1000);
    CHECK(atomic_load(&lives_find(l, 1)->bytes) == 0);
    block_release(b);
    block_release(b);
    CHECK(atomic_load(&lives_find(l, 0)->bytes) == 0);
    lives_free_all();
}

/* One of many that come and go lies where one before it was. */
TEST(counters_of_an_earlier_run_are_forgotten)
{
    for (int run = 0; run < 100; run++) {
        struct lives *l;
        CHECK(lives_new(&l, true) == OK);
        if (run % 3) live_add(lives_of(l, 2), 1, 1); /* so that not all are alike */
        live_add(lives_of(l, 1), 5, 1);
        live_add(lives_of(l, 1), 5, 1);
        CHECK(lives_find(l, 0) && atomic_load(&lives_find(l, 0)->bytes) == 10, "run %d", run);
        lives_free_all();
    }
}

TEST(without_cells_all_is_the_whole)
{
    struct lives *l;
    CHECK(lives_new(&l, false) == OK);
    CHECK(lives_of(l, 7) == lives_whole(l) && !lives_find(l, 6));
    lives_free_all();
}

TEST(a_block_counts_until_it_is_freed)
{
    struct lives *l;
    CHECK(lives_new(&l, true) == OK);
    lives_sum_up(l);
    struct block *b = block_new(1000);
    block_measure(b, lives_of(l, 1), NULL);
    block_retain(b);
    block_release(b);
    CHECK(atomic_load(&lives_find(l, 0)->bytes) == 1000);
    block_measure_anew(b, lives_of(l, 2), NULL);
    CHECK(atomic_load(&lives_find(l, 0)->bytes) == 0);
    CHECK(atomic_load(&lives_find(l, 1)->bytes) == 1000);
    CHECK(atomic_load(&lives_whole(l)->bytes) == 1000);
    block_release(b);
    CHECK(atomic_load(&lives_find(l, 1)->bytes) == 0 && !atomic_load(&lives_whole(l)->count));
    lives_free_all();
}

enum { THREADS = 4, CELLS = 3000 };

static void *
count_all(void *lives)
{
    for (uint32_t round = 0; round < 5; round++)
        for (uint32_t c = 0; c < CELLS; c++)
            live_add(lives_of(lives, (c * 37 + round * 11) % CELLS + 1), 2, 1);
    return NULL;
}

TEST(threads_find_the_same_counters)
{
    struct lives *l;
    pthread_t thread[THREADS];
    CHECK(lives_new(&l, true) == OK);
    lives_sum_up(l);
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, count_all, l);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (uint32_t c = 0; c < CELLS; c++) {
        const struct live *live = lives_find(l, c);
        CHECK(live && atomic_load(&live->bytes) == 10 * THREADS, "cell %u", c);
    }
    CHECK(atomic_load(&lives_whole(l)->count) == 5L * THREADS * CELLS);
    lives_free_all();
}

TEST(kinds_are_made_when_they_are_asked_for)
{
    struct lives *l;
    CHECK(lives_new(&l, false) == OK);
    CHECK(!lives_kind(l, 0) && !lives_kind_found(l, 0), "nobody counts by kind");
    CHECK(lives_by_kind(l, 2) == OK && !lives_kind_found(l, 1));
    struct life *one = lives_kind(l, 1);
    CHECK(one && lives_kind(l, 1) == one && lives_kind_found(l, 1) == one);
    CHECK(!lives_kind(l, 2) && !lives_kind_found(l, 0));
    lives_free_all();
}

TEST_MAIN(T(a_cell_counts_in_the_whole), T(the_whole_is_what_has_no_cell_if_nobody_asks_for_it),
          T(a_block_is_counted_once), T(counters_of_an_earlier_run_are_forgotten),
          T(without_cells_all_is_the_whole),
          T(a_block_counts_until_it_is_freed), T(threads_find_the_same_counters),
          T(kinds_are_made_when_they_are_asked_for))
