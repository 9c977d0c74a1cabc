/* test_past.c - each event of a fragment happens once, among any number of them and of threads. */
#include "runtime/base/mem.h"
#include "runtime/store/past.h"
#include "tests/lib/check.h"

#include <pthread.h>
#include <stdatomic.h>

static struct key
key_of(uint64_t id, uint32_t df, uint32_t n, int32_t a, int32_t b)
{
    return (struct key){.id = id, .df = df, .n = n, .ix = {a, b}};
}

TEST(an_event_happens_once)
{
    struct past *p;
    CHECK(past_new(&p) == OK, "no memory");
    struct key k = key_of(1, 2, 2, 3, 4);
    CHECK(past_note(p, &k, PAST_ASSIGNED) == OK, "the first time");
    CHECK(past_note(p, &k, PAST_ASSIGNED) == E_TWICE, "the second time");
    CHECK(past_note(p, &k, PAST_DELETED) == OK, "another event");
    CHECK(past_note(p, &k, PAST_DELETED) == E_TWICE, "deleted twice");
    CHECK(past_note(p, &k, PAST_ASSIGNED) == E_TWICE, "still assigned");
    past_free(p);
    past_free(NULL);
}

TEST(names_that_differ_anywhere_are_others)
{
    struct past *p;
    CHECK(past_new(&p) == OK, "no memory");
    struct key k[] = {key_of(1, 2, 2, 3, 4), key_of(2, 2, 2, 3, 4), key_of(1, 3, 2, 3, 4),
                      key_of(1, 2, 1, 3, 0), key_of(1, 2, 2, 4, 3), key_of(1, 2, 0, 0, 0)};
    for (size_t i = 0; i < sizeof k / sizeof *k; i++)
        CHECK(past_note(p, &k[i], PAST_ASSIGNED) == OK, "key %zu", i);
    past_free(p);
}

enum { MANY = 100000 };

TEST(many_names_are_kept)
{
    struct past *p;
    CHECK(past_new(&p) == OK, "no memory");
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < MANY; i++) {
            struct key k = key_of(7, 1, 2, i % 300, i / 300);
            CHECK(past_note(p, &k, PAST_ASSIGNED) == (turn ? E_TWICE : OK), "%d, turn %d", i, turn);
        }
    past_free(p);
}

static struct past *shared;
static atomic_int firsts;

static void *
note_all(void *who)
{
    (void)who;
    for (int i = 0; i < MANY; i++) {
        struct key k = key_of(7, 1, 1, i, 0);
        firsts += past_note(shared, &k, PAST_DELETED) == OK;
    }
    return NULL;
}

TEST(of_several_threads_one_is_the_first)
{
    pthread_t thread[4];
    CHECK(past_new(&shared) == OK, "no memory");
    for (int i = 0; i < 4; i++) pthread_create(&thread[i], NULL, note_all, NULL);
    for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    CHECK(firsts == MANY, "%d", firsts);
    past_free(shared);
}

TEST(without_memory_nothing_is_left_behind)
{
    struct past *p;
    for (long n = 0; n < 40; n++) {
        mem_fail_after(n);
        enum err e = past_new(&p);
        mem_fail_after(-1);
        if (e == OK) past_free(p);
        CHECK(n >= 33 || e == E_NOMEM, "allocation %ld", n);
        CHECK(n < 33 || e == OK, "allocation %ld", n);
    }
}

TEST_MAIN(T(an_event_happens_once), T(names_that_differ_anywhere_are_others),
          T(many_names_are_kept), T(of_several_threads_one_is_the_first),
          T(without_memory_nothing_is_left_behind))
