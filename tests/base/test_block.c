/* test_block.c - counted bytes of any size: aligned, freed by the last, within the memory limit. */
#include "runtime/base/block.h"
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "tests/lib/check.h"

#include <pthread.h>

TEST(data_is_aligned_and_has_its_size)
{
    for (size_t size = 0; size < 5000; size = size * 5 / 4 + 1) {
        struct block *b = block_new(size);
        CHECK(b && b->size == size && (uintptr_t)b->data % 64 == 0, "size %zu", size);
        memset(b->data, 0x5a, size);
        CHECK(b->size == size && atomic_load(&b->refs) == 1);
        block_release(b);
    }
}

TEST(the_last_count_frees)
{
    enum { SIZE = 80 << 20 };
    size_t before = block_bytes_live();
    struct block *b = block_new(SIZE);
    CHECK(block_bytes_live() >= before + SIZE);
    block_retain(b);
    block_release(b);
    CHECK(block_bytes_live() >= before + SIZE);
    block_release(b);
    CHECK(block_bytes_live() == before, "%zu left", block_bytes_live() - before);
}

TEST(the_limit_holds_for_every_size)
{
    size_t size[] = {100, 1 << 20, 100 << 20};
    for (int i = 0; i < 3; i++) {
        pool_thread_flush();
        struct block *first = block_new(size[i]);
        pool_set_bytes_max(pool_bytes());
        struct block *kept[2000];
        int n = 0;
        while (n < 2000 && (kept[n] = block_new(size[i]))) n++;
        pool_set_bytes_max(SIZE_MAX);
        CHECK(n < 1000, "%d blocks of %zu beyond the limit", n, size[i]);
        while (n) block_release(kept[--n]);
        block_release(first);
    }
}

TEST(sizes_nobody_has_are_refused)
{
    CHECK(!block_new(SIZE_MAX));
    CHECK(!block_new(SIZE_MAX - 63));
    pool_set_bytes_max((size_t)64 << 30); /* as in a run */
    struct block *most = block_new(SIZE_MAX / 2);
    pool_set_bytes_max(SIZE_MAX);
    CHECK(!most);
    mem_fail_after(0);
    struct block *b = block_new(100 << 20);
    mem_fail_after(-1);
    CHECK(!b);
}

TEST(fresh_ones_are_filled_when_asked)
{
    block_guard(true);
    struct block *b = block_new(100);
    block_guard(false);
    for (int i = 0; i < 100; i++) CHECK((unsigned char)b->data[i] == 0xCB, "byte %d", i);
    block_release(b);
}

enum { ROUNDS = 20000 };

static void *
retain_and_release(void *who)
{
    struct block *b = who;
    for (int i = 0; i < ROUNDS; i++) {
        block_retain(b);
        block_release(b);
    }
    block_release(b);
    pool_thread_flush();
    return NULL;
}

TEST(any_thread_may_drop_the_last_count)
{
    pthread_t thread[3];
    struct block *b = block_new(200);
    for (int i = 0; i < 3; i++) block_retain(b);
    for (int i = 0; i < 3; i++) pthread_create(&thread[i], NULL, retain_and_release, b);
    block_release(b);
    for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
}

TEST(a_block_is_counted_in_one_place_until_it_is_freed)
{
    struct live here = {0}, there = {0};
    struct block *b = block_new(300);
    block_measure(b, &here, NULL);
    block_measure(b, &there, NULL);
    CHECK(here.bytes == 300 && here.count == 1 && there.bytes == 0, "the first counts");
    block_measure_anew(b, &there, NULL);
    block_measure_anew(b, &there, NULL);
    CHECK(here.bytes == 0 && here.count == 0, "%ld left behind", here.bytes);
    CHECK(there.bytes == 300 && there.count == 1, "%ld, %ld", there.bytes, there.count);
    block_release(b);
    CHECK(there.bytes == 0 && there.count == 0, "%ld still", there.bytes);
}

static uint64_t now;

static uint64_t
its_now(void)
{
    return now;
}

TEST(a_block_has_a_life_from_when_it_is_counted)
{
    struct live live = {0};
    struct life life = {0}, other = {0};
    struct block *a = block_new(100), *b = block_new(30);
    block_clock(its_now);
    now = 10;
    block_measure(a, &live, &life);
    now = 15;
    block_measure(a, &live, &other);
    block_measure(b, &live, &life);
    now = 30;
    block_release(a);
    CHECK(life.blocks == 2 && life.alive == 30 && life.peak == 130 && life.ns == 20);
    CHECK(life.here == 1 && life.born == 15 && life.longest == 20 && !other.blocks);
    now = 32;
    block_measure_anew(b, &live, &other);
    now = 40;
    block_release(b);
    CHECK(!life.alive && !life.here && life.ns == 37 && life.longest == 20);
    CHECK(other.blocks == 1 && !other.alive && other.peak == 30 && other.ns == 8);
    block_clock(NULL);
}

/* Its bytes go on as those of another fragment: the first one has ended. */
TEST(a_block_that_is_taken_begins_another_life)
{
    struct live here = {0}, there = {0};
    struct life life = {0}, other = {0};
    struct block *b = block_new(100);
    block_clock(its_now);
    block_measure_no_more(b);
    now = 10;
    block_measure(b, &here, &life);
    now = 15;
    block_measure_no_more(b);
    CHECK(!here.bytes && !here.count && !life.alive && !life.here && life.ns == 5);
    now = 30;
    block_measure(b, &there, &other);
    now = 32;
    block_release(b);
    CHECK(!there.bytes && !there.count && life.ns == 5 && other.blocks == 1 && other.ns == 2);
    block_clock(NULL);
}

TEST_MAIN(T(data_is_aligned_and_has_its_size), T(the_last_count_frees),
          T(the_limit_holds_for_every_size), T(sizes_nobody_has_are_refused),
          T(fresh_ones_are_filled_when_asked), T(any_thread_may_drop_the_last_count),
          T(a_block_is_counted_in_one_place_until_it_is_freed),
          T(a_block_has_a_life_from_when_it_is_counted),
          T(a_block_that_is_taken_begins_another_life))
