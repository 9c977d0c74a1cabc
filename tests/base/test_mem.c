/* test_mem.c - the door of memory: sizes of nothing, products that overflow, failures to order. */
#include "runtime/base/mem.h"
#include "tests/lib/check.h"

#include <stdint.h>

TEST(nothing_is_something)
{
    void *p = mem_alloc(0), *q = mem_zalloc(0, 8), *r = mem_zalloc(8, 0);
    CHECK(p && q && r);
    CHECK((p = mem_realloc(p, 0)) != NULL);
    mem_free(p), mem_free(q), mem_free(r), mem_free(NULL);
}

TEST(zeroed_memory_is_zeroed_and_its_product_checked)
{
    char *p = mem_zalloc(100, 3);
    for (int i = 0; i < 300; i++) CHECK(!p[i]);
    mem_free(p);
    CHECK(!mem_zalloc(SIZE_MAX / 2, 3));
    CHECK(!mem_zalloc(3, SIZE_MAX / 2));
}

TEST(so_many_allocations_succeed_and_no_more)
{
    for (long n = 0; n < 5; n++) {
        void *p[5];
        mem_fail_after(n);
        for (long i = 0; i < 5; i++) p[i] = mem_alloc(1);
        mem_fail_after(-1);
        for (long i = 0; i < 5; i++) {
            CHECK((p[i] != NULL) == (i < n), "%ld of %ld", i, n);
            mem_free(p[i]);
        }
    }
}

TEST(aligned_memory_is_aligned)
{
    for (size_t unit = 16; unit <= 4096; unit *= 2)
        for (size_t bytes = 1; bytes < 10000; bytes = bytes * 3 + 1) {
            char *p = mem_aligned(unit, bytes);
            CHECK(p && (uintptr_t)p % unit == 0, "%zu bytes at %zu", bytes, unit);
            memset(p, 1, bytes);
            mem_free(p);
        }
    CHECK(!mem_aligned(64, SIZE_MAX - 10) && !mem_aligned(64, SIZE_MAX));
    mem_fail_after(0);
    CHECK(!mem_aligned(64, 64));
    mem_fail_after(-1);
}

TEST(a_failed_realloc_keeps_the_old)
{
    char *p = mem_alloc(4);
    strcpy(p, "old");
    mem_fail_after(0);
    CHECK(!mem_realloc(p, 1000) && !mem_zalloc(1, 1));
    mem_fail_after(-1);
    CHECK_STR(p, "old");
    mem_free(p);
}

TEST(what_is_free_is_told)
{
    size_t n = mem_free_bytes();
    CHECK(n == SIZE_MAX || (n > 1 << 20 && n < SIZE_MAX / 1024), "%zu bytes", n);
}

TEST_MAIN(T(what_is_free_is_told), T(nothing_is_something),
          T(zeroed_memory_is_zeroed_and_its_product_checked),
          T(so_many_allocations_succeed_and_no_more), T(aligned_memory_is_aligned),
          T(a_failed_realloc_keeps_the_old))
