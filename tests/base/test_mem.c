/* test_mem.c - the door of memory: sizes of nothing, products that overflow, failures to order. */
#include "runtime/base/mem.h"
#include "tests/lib/check.h"

#include <stdint.h>
#include <time.h>

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

enum { IN_TIME = 200000, LATE = 4500000 }; /* ns, of a large page */

/* Burns so much time of the processor. */
static void
burn(double seconds)
{
    for (clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC); clock() < end;) {}
}

TEST(large_pages_are_asked_for_while_few_are_late)
{
    CHECK(mem_asks_large_pages());
    for (int i = 0; i < 1000; i++) {
        mem_large_page_took(i % 10 ? IN_TIME : LATE);
        CHECK(mem_asks_large_pages(), "one late of ten, %d", i);
    }
    int n = 0;
    while (mem_asks_large_pages() && n < 1000) mem_large_page_took(LATE), n++;
    CHECK(n >= 3 && n < 1000, "in a row %d", n); /* more only if this process has run for long */
    CHECK(!mem_asks_large_pages());
    n = 0;
    while (!mem_asks_large_pages() && n < 1000) mem_large_page_took(IN_TIME), n++;
    CHECK(n < 1000);
}

TEST(large_pages_that_were_late_are_tried_again_in_time)
{
    for (int i = 0; mem_asks_large_pages() && i < 1000; i++) mem_large_page_took(LATE);
    CHECK(!mem_asks_large_pages());
    burn(.3); /* a 64th of which is more than one late page costs */
    CHECK(mem_asks_large_pages());
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
          T(large_pages_are_asked_for_while_few_are_late),
          T(large_pages_that_were_late_are_tried_again_in_time), T(a_failed_realloc_keeps_the_old))
