/* test_copies.c - what stays, who is told of what, and what leaves first. */
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/store/copies.h"
#include "tests/lib/check.h"

#include <pthread.h>

static struct copies *c;

static struct key
name(int32_t i)
{
    return (struct key){.id = 7, .df = 3, .n = 2, .ix = {i, 1}};
}

static luna_value
bytes(size_t n)
{
    return value_of_block(block_new(n), LUNA_BYTES);
}

static void
begin(size_t room)
{
    CHECK(copies_new(&c, room) == OK, "no memory");
}

static void
keep(int32_t i, size_t n, bool counts)
{
    struct key k = name(i);
    copies_keep(c, &k, 5, bytes(n), counts);
}

/* So many bytes; 0: it is not here; 1: it counts otherwise. */
static size_t
taken(int32_t i, bool counted)
{
    struct key k = name(i);
    luna_value v;
    bool counts;
    if (!copies_take(c, &k, &v, &counts)) return 0;
    size_t n = counts == counted ? value_block(v)->size : 1;
    value_release(v);
    return n;
}

TEST(what_is_kept_serves_readers)
{
    begin(10000);
    CHECK(!copies_any(c) && !taken(1, true), "nothing is here");
    keep(1, 100, true);
    keep(2, 200, false);
    CHECK(copies_any(c) && taken(1, true) == 100 && taken(2, false) == 200, "both");
    CHECK(!taken(3, true), "no other");
    struct key k = name(1);
    k.n = 1; /* another name */
    luna_value v;
    bool counts;
    CHECK(!copies_take(c, &k, &v, &counts), "not this one");
    struct copies_sums s = copies_sums(c);
    CHECK(s.kept == 2 && s.read == 2, "%d, %d", (int)s.kept, (int)s.read);
    copies_free(c);
}

TEST(the_home_is_told_how_many_have_read)
{
    struct copies_news news;
    struct key k = name(1);
    begin(10000);
    k.bound = 9;
    copies_keep(c, &k, 5, bytes(100), true);
    keep(2, 100, false);
    CHECK(!copies_untold(c, &news), "nobody has read");
    for (int i = 0; i < 3; i++) taken(1, true);
    taken(2, false);
    CHECK(copies_untold(c, &news) && news.read == 3 && news.home == 5 && !news.let_go, "three");
    CHECK(key_equal(&news.key, k.id, k.df, k.n, k.ix) && news.key.bound == 9, "of this");
    CHECK(!copies_untold(c, &news), "told once");
    taken(1, true);
    copies_drop(c, &k);
    CHECK(!taken(1, true), "gone");
    CHECK(copies_untold(c, &news) && news.read == 1 && !news.let_go, "told all the same");
    copies_drop(c, &k); /* nothing is here */
    copies_free(c);
}

TEST(who_was_read_longest_ago_makes_room)
{
    struct copies_news news;
    begin(1000);
    for (int32_t i = 1; i <= 3; i++) keep(i, 300, true);
    taken(1, true);
    keep(4, 300, true);
    CHECK(!taken(2, true) && taken(1, true) && taken(3, true) && taken(4, true), "the second");
    int let_go = 0;
    while (copies_untold(c, &news)) {
        let_go += news.let_go;
        CHECK(!news.let_go || (news.key.ix[0] == 2 && !news.read), "%d", news.key.ix[0]);
    }
    CHECK(let_go == 1, "%d", let_go);
    keep(5, 2000, true); /* more than there is room for, and all others before */
    CHECK(!copies_any(c), "nothing");
    keep(2, 300, true);
    CHECK(taken(2, true) == 300, "again");
    copies_free(c);
}

TEST(a_second_one_changes_nothing)
{
    begin(1000);
    keep(1, 100, true);
    keep(1, 100, true);
    CHECK(taken(1, true) == 100 && copies_sums(c).kept == 1, "one");
    copies_free(c);
}

TEST(without_memory_nothing_is_kept_and_nothing_leaks)
{
    for (long n = 0; n < 40; n++) {
        struct key k = name(1);
        luna_value v = bytes(10);
        mem_fail_after(n);
        enum err e = copies_new(&c, 1000);
        if (e == OK) copies_keep(c, &k, 5, v, true);
        else value_release(v);
        mem_fail_after(-1);
        CHECK(e == OK || e == E_NOMEM, "%d", e);
        bool kept = e == OK && copies_any(c);
        copies_free(c);
        c = NULL;
        if (kept) return;
    }
    CHECK(false, "never");
}

enum { THREADS = 3, READS = CHECK_CASES(20000) };

static void *
read_many(void *who)
{
    (void)who;
    for (int i = 0; i < READS; i++) {
        struct key k = name(i % 4);
        luna_value v;
        bool counts;
        if (copies_take(c, &k, &v, &counts)) value_release(v);
        else copies_keep(c, &k, 5, bytes(400), true);
    }
    pool_thread_flush();
    return NULL;
}

TEST(many_workers_read_keep_and_lose)
{
    pthread_t thread[THREADS];
    struct copies_news news;
    uint64_t told = 0;
    begin(1000); /* for two of four */
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, read_many, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    while (copies_untold(c, &news)) told += news.read;
    CHECK(told == copies_sums(c).read, "%d", (int)told);
    copies_free(c);
}

TEST_MAIN(T(what_is_kept_serves_readers), T(the_home_is_told_how_many_have_read),
          T(who_was_read_longest_ago_makes_room), T(a_second_one_changes_nothing),
          T(without_memory_nothing_is_kept_and_nothing_leaks), T(many_workers_read_keep_and_lose))
