/* test_pool.c - size classes keep their promises; objects travel between threads and come back. */
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/base/rng.h"
#include "tests/lib/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef POOL_PLAIN
enum { FIRST_CLASSES = 8 };

struct first {
    size_t bytes;
    bool aligned;
};

static void *
first_objects(void *to)
{
    struct first *f = to;
    size_t before = pool_bytes();
    f->aligned = true;
    pool_thread_begin();
    pool_thread_begin(); /* nothing more */
    for (size_t size = 64; size <= FIRST_CLASSES * 64; size += 64) {
        for (unsigned i = 0; i < 3; i++) {
            char *p = pool_get(pool_class(size));
            f->aligned &= p && (uintptr_t)p % 64 == 0;
            if (p) memset(p, 1, size);
        }
    }
    f->bytes = pool_bytes() - before;
    pool_thread_flush();
    return NULL;
}

/* Before any other test: no thread has left objects of these classes. */
TEST(the_first_objects_of_a_thread_lie_together)
{
    pthread_t thread;
    struct first f = {0};
    pthread_create(&thread, NULL, first_objects, &f);
    pthread_join(thread, NULL);
    CHECK(f.bytes >= (10u << 10) && f.bytes <= (16u << 10), "%zu bytes", f.bytes);
    CHECK(f.aligned);
}
#define FIRST T(the_first_objects_of_a_thread_lie_together),
#else
#define FIRST
#endif

TEST(a_class_is_large_enough_and_never_much_too_large)
{
    unsigned before = 0;
    for (size_t size = 0; size < 200000; size++) {
        unsigned k = pool_class(size);
        size_t bytes = pool_class_bytes(k);
        CHECK(k >= before && k <= before + 1, "size %zu: class %u behind %u", size, k, before);
        CHECK(bytes >= size && bytes >= sizeof(void *) * 2, "size %zu gets %zu", size, bytes);
        CHECK(bytes <= size + POOL_STEP || bytes * 4 <= size * 5 + 4, "%zu gets %zu", size, bytes);
        before = k;
    }
}

TEST(classes_grow_and_give_themselves)
{
    for (unsigned k = 0; k < POOL_CLASSES; k++) {
        size_t bytes = pool_class_bytes(k);
        CHECK(!k || bytes > pool_class_bytes(k - 1), "class %u", k);
        CHECK(pool_class(bytes) == k, "class %u, %zu bytes: %u", k, bytes, pool_class(bytes));
        CHECK(bytes % POOL_STEP == 0);
        if (k + 1 < POOL_CLASSES) CHECK(pool_class(bytes + 1) == k + 1, "class %u", k);
    }
}

TEST(objects_are_aligned_and_apart)
{
    static char *object[POOL_CLASSES][10];
    unsigned classes = pool_class(1 << 20);
    for (unsigned k = 0; k <= classes; k++)
        for (int i = 0; i < 10; i++) {
            char *p = object[k][i] = pool_get(k);
            size_t bytes = pool_class_bytes(k);
            CHECK(p && (uintptr_t)p % (bytes % 64 ? 16 : 64) == 0, "class %u: %p", k, (void *)p);
            memset(p, (int)(k + (unsigned)i), bytes);
        }
    for (unsigned k = 0; k <= classes; k++)
        for (int i = 0; i < 10; i++) {
            char *p = object[k][i], want = (char)(k + (unsigned)i);
            for (size_t n = 0; n < pool_class_bytes(k); n++)
                CHECK(p[n] == want, "class %u, byte %zu", k, n);
            pool_put(k, p);
        }
}

TEST(what_was_put_back_is_used_again)
{
    static void *object[3000];
    unsigned k = pool_class(100);
    size_t bytes = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 3000; i++) object[i] = pool_get(k);
        for (int i = 0; i < 3000; i++) pool_put(k, object[(i * 7 + round) % 3000]);
        if (round == 0) bytes = pool_bytes();
    }
    CHECK(pool_bytes() <= bytes, "%zu, then %zu", bytes, pool_bytes());
}

TEST(blocks_of_megabytes_are_used_again)
{
    unsigned k = pool_class(3 << 20);
    void *p = pool_get(k), *q = pool_get(k), *r = pool_get(k);
    size_t bytes = pool_bytes();
    for (int i = 0; i < 100; i++) {
        pool_put(k, p), pool_put(k, q), pool_put(k, r);
        p = pool_get(k), q = pool_get(k), r = pool_get(k);
        CHECK(p && q && r && p != q && q != r && p != r);
    }
    CHECK(pool_bytes() == bytes);
    pool_put(k, p), pool_put(k, q), pool_put(k, r);
}

TEST(beyond_the_limit_there_is_nothing)
{
    enum { ROOM = 5, MOST = 100 }; /* what is idle is there besides */
    unsigned k = pool_class(7 << 20);
    void *object[MOST];
    int n = 0;
    pool_set_bytes_max(pool_bytes() + ROOM * pool_class_bytes(k));
    while (n < MOST - 1 && (object[n] = pool_get(k))) n++;
    size_t bytes = pool_bytes();
    void *more = pool_get(k), *huge = pool_take(8 << 20);
    pool_set_bytes_max(SIZE_MAX);
    CHECK(n >= ROOM && n < MOST - 1, "%d", n);
    CHECK(!more && !huge && pool_bytes() == bytes, "a refusal counts nothing");
    CHECK((object[n] = pool_get(k)) != NULL);
    for (; n >= 0; n--) pool_put(k, object[n]);
}

TEST(large_things_go_back_to_the_system)
{
    size_t before = pool_bytes();
    char *p = pool_take(100 << 20);
    CHECK(p && (uintptr_t)p % 64 == 0 && pool_bytes() == before + (100 << 20));
    pool_give(p, 100 << 20);
    CHECK(pool_bytes() == before);
}

#ifndef POOL_PLAIN
/* So many bytes of objects of one class, taken and put. */
static void
use(unsigned k, size_t bytes)
{
    size_t n = 0, size = pool_class_bytes(k), all = bytes / size;
    void **object = mem_zalloc(all, sizeof *object);
    for (; n < all; n++) CHECK((object[n] = pool_get(k)) != NULL);
    while (n) pool_put(k, object[--n]);
    mem_free(object);
}

TEST(what_is_idle_serves_other_sizes)
{
    enum { ALL = 48 << 20 };
    size_t before = pool_bytes();
    for (unsigned k = pool_class(20 << 10); k <= pool_class(12 << 20); k += 3) use(k, ALL);
    CHECK(pool_bytes() - before < ALL / 4 * 9, "%zu MiB", (pool_bytes() - before) >> 20);
}

TEST(what_is_idle_and_larger_than_chunks_goes_back_to_the_system)
{
    enum { ALL = 200 << 20 };
    size_t before = pool_bytes();
    for (unsigned k = pool_class(20 << 20); k <= pool_class(40 << 20); k++) use(k, ALL);
    CHECK(pool_bytes() - before < ALL / 4 * 9, "%zu MiB", (pool_bytes() - before) >> 20);
}

TEST(who_goes_to_and_fro_has_memory_for_both_in_the_end)
{
    unsigned k[2] = {pool_class(30 << 10), pool_class(50 << 10)};
    size_t all = 4 * pool_bytes(), bytes = 0;
    for (int round = 0; round < 100; round++) {
        if (round == 90) bytes = pool_bytes();
        for (int i = 0; i < 2; i++) use(k[i], all);
    }
    CHECK(pool_bytes() == bytes, "%zu, then %zu", bytes, pool_bytes());
}

TEST(the_limit_is_reached_only_when_nothing_is_idle)
{
    enum { ALL = 40 << 20 };
    use(pool_class(100 << 10), ALL);
    pool_set_bytes_max(pool_bytes());
    void *p = pool_get(pool_class(10 << 20));
    pool_set_bytes_max(SIZE_MAX);
    CHECK(p != NULL);
    pool_put(pool_class(10 << 20), p);
}

/* Objects of all sizes, each with a pattern of its own from end to end. */
enum { HELD = 60, TURNS = 6000 };
struct held {
    unsigned class_;
    unsigned char *at, mark;
};

static bool
is_whole(const struct held *h)
{
    for (size_t i = 0; i < pool_class_bytes(h->class_); i += 61)
        if (h->at[i] != h->mark) return false;
    return true;
}

static void *
hold_all_sizes(void *who)
{
    struct held held[HELD] = {{0}};
    struct rng r = rng_of(*(unsigned *)who);
    unsigned broken = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        struct held *h = &held[rng_below(&r, HELD)];
        if (h->at) {
            broken += !is_whole(h);
            pool_put(h->class_, h->at);
        }
        /* For some time large ones, then smaller ones. */
        unsigned most = turn / 500 % 2 ? pool_class(60 << 10) : pool_class(2 << 20);
        h->class_ = pool_class(4 << 10) + (unsigned)rng_below(&r, most - pool_class(4 << 10));
        h->mark = (unsigned char)turn;
        h->at = pool_get(h->class_);
        if (h->at) memset(h->at, h->mark, pool_class_bytes(h->class_));
        broken += !h->at;
    }
    for (int i = 0; i < HELD; i++)
        if (held[i].at) pool_put(held[i].class_, held[i].at);
    pool_thread_flush();
    *(unsigned *)who = broken;
    return NULL;
}

TEST(no_object_is_given_to_two)
{
    pthread_t thread[3];
    unsigned who[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++) pthread_create(&thread[i], NULL, hold_all_sizes, &who[i]);
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], NULL);
        CHECK(!who[i], "%u objects of thread %d", who[i], i);
    }
}

#define IDLE                                                                                       \
    T(what_is_idle_serves_other_sizes),                                                            \
        T(what_is_idle_and_larger_than_chunks_goes_back_to_the_system),                            \
        T(the_limit_is_reached_only_when_nothing_is_idle), T(no_object_is_given_to_two),           \
        T(who_goes_to_and_fro_has_memory_for_both_in_the_end),
#else
#define IDLE
#endif

#if !defined(POOL_PLAIN) && !defined(__SANITIZE_THREAD__)
enum { PIECE = 60 << 10, MANY = 200 }; /* more than a thread takes before it asks for large pages */

/* Of the memory at p: does the kernel know that it should lie on large pages? Or have they taken
 * long, so that none are asked for any more? */
static bool
is_on_large_pages(const void *p)
{
    char line[512];
    bool there = false, asked = !mem_asks_large_pages();
    FILE *f = fopen("/proc/self/smaps", "r");
    while (f && fgets(line, sizeof line, f)) {
        unsigned long long from, to;
        if (sscanf(line, "%llx-%llx ", &from, &to) == 2)
            there = (uintptr_t)p >= from && (uintptr_t)p < to;
        else if (there && !asked && !strncmp(line, "VmFlags:", 8))
            asked = strstr(line, " hg") != NULL;
    }
    if (f) fclose(f);
    return asked;
}

TEST(much_memory_lies_on_large_pages)
{
    void *object[MANY], *large = pool_take(8 << 20);
    unsigned k = pool_class(PIECE);
    if (access("/sys/kernel/mm/transparent_hugepage", F_OK)) return; /* this kernel has none */
    CHECK(is_on_large_pages((char *)large + (4 << 20)));
    for (int i = 0; i < MANY; i++) object[i] = pool_get(k);
    CHECK(is_on_large_pages(object[MANY - 1]));
    for (int i = 0; i < MANY; i++) pool_put(k, object[i]);
    pool_give(large, 8 << 20);
}

/* In another thread, which has no chunk yet. */
static void *
take_little(void *who)
{
    struct rlimit was, little;
    void *object[MANY];
    unsigned k = pool_class(PIECE + (8 << 10)), n = 0;
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%llu", &pages) != 1) pages = 0;
    if (f) fclose(f);
    getrlimit(RLIMIT_AS, &was);
    little = was;
    little.rlim_cur = pages * 4096 + (24 << 20);
    setrlimit(RLIMIT_AS, &little);
    while (n < MANY && (object[n] = pool_get(k))) n++;
    setrlimit(RLIMIT_AS, &was);
    *(unsigned *)who = n;
    while (n) pool_put(k, object[--n]);
    pool_thread_flush();
    return NULL;
}

TEST(where_no_chunk_fits_there_is_what_fits)
{
    pthread_t thread;
    unsigned n = 0;
    pthread_create(&thread, NULL, take_little, &n);
    pthread_join(thread, NULL);
    CHECK(n * (size_t)PIECE >= 8 << 20, "%u pieces of %d bytes", n, PIECE);
}
#define ON_PAGES T(much_memory_lies_on_large_pages), T(where_no_chunk_fits_there_is_what_fits),
#else
#define ON_PAGES
#endif

/* One thread makes, the other ends, as with calls that are stolen. */
enum { ITEMS = 200000, SLOTS = 512 };
static _Atomic(uint64_t *) slot[SLOTS];
static atomic_int bad;

static void *
end_objects(void *who)
{
    for (uint64_t i = 0; i < ITEMS; i++) {
        uint64_t *p;
        while (!(p = atomic_exchange(&slot[i % SLOTS], NULL))) sched_yield();
        size_t size = 16 + i % 5 * 24;
        if (p[0] != i || p[1] != ~i) atomic_fetch_add(&bad, 1);
        pool_put(pool_class(size), p);
    }
    pool_thread_flush();
    return who;
}

static void
make_objects(void)
{
    for (uint64_t i = 0; i < ITEMS; i++) {
        uint64_t *p = pool_get(pool_class(16 + i % 5 * 24)), *none = NULL;
        p[0] = i;
        p[1] = ~i;
        while (!atomic_compare_exchange_weak(&slot[i % SLOTS], &none, p)) {
            none = NULL;
            sched_yield();
        }
    }
}

TEST(memory_does_not_pile_up_where_objects_end)
{
    pthread_t thread;
    size_t before = pool_bytes();
    pthread_create(&thread, NULL, end_objects, NULL);
    make_objects();
    pthread_join(thread, NULL);
    CHECK(!bad, "%d objects were changed on the way", bad);
    CHECK(pool_bytes() - before < (4u << 20), "%zu bytes more", pool_bytes() - before);
}

static void *
use_and_leave(void *who)
{
    for (unsigned k = 0; k < 40; k++) {
        void *p = pool_get(k);
        pool_put(k, p);
    }
    pool_thread_flush();
    return who;
}

TEST(threads_that_end_leave_their_memory_to_others)
{
    size_t bytes = 0;
    for (int i = 0; i < 50; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, use_and_leave, NULL);
        pthread_join(thread, NULL);
        if (i == 0) bytes = pool_bytes();
    }
    CHECK(pool_bytes() == bytes, "%zu, then %zu", bytes, pool_bytes());
}

TEST(a_system_without_memory_is_told)
{
    pool_thread_flush();
    unsigned k = pool_class(80 << 20); /* from no chunk, which may be there already */
    mem_fail_after(0);
    void *p = pool_get(k);
    mem_fail_after(-1);
    CHECK(!p);
    CHECK((p = pool_get(k)) != NULL);
    pool_put(k, p);
}

TEST_MAIN(FIRST T(a_class_is_large_enough_and_never_much_too_large),
          T(classes_grow_and_give_themselves), T(objects_are_aligned_and_apart),
          T(what_was_put_back_is_used_again), T(blocks_of_megabytes_are_used_again),
          T(beyond_the_limit_there_is_nothing), T(large_things_go_back_to_the_system), ON_PAGES IDLE
          T(memory_does_not_pile_up_where_objects_end),
          T(threads_that_end_leave_their_memory_to_others), T(a_system_without_memory_is_told))
