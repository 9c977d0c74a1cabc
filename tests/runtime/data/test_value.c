/* test_value.c - values: bytes, types, counts. Frames and names of parameters, which hold them. */
#include "runtime/base/pool.h"
#include "runtime/data/frame.h"
#include "tests/lib/check.h"

#include <pthread.h>

static int
bytes_are(luna_value v, const void *want, size_t size)
{
    size_t have;
    const void *bytes = value_bytes(&v, &have);
    return have == size && !memcmp(bytes, want, size);
}

TEST(bytes_as_they_are_counted_and_hashed)
{
    int i = -5;
    double d = 0.1;
    CHECK(bytes_are(luna_v_of_int(i), &i, 4) && bytes_are(luna_v_of_real(d), &d, 8));
    luna_value s = value_of_string("hey", 3), empty = value_of_string("", 0);
    CHECK(bytes_are(s, "hey", 4) && bytes_are(empty, "", 1));
    struct block *b = block_new(3);
    memcpy(b->data, "\1\2\3", 3);
    CHECK(bytes_are(value_of_block(b, LUNA_BYTES), "\1\2\3", 3));
    size_t size = 1;
    luna_value unset = value_unset();
    CHECK(!value_bytes(&unset, &size) && !size);
    value_release(s), value_release(empty), value_release(unset);
    block_release(b);
}

TEST(types_have_words)
{
    CHECK_STR(value_type_text(LUNA_UNSET), "unset");
    CHECK_STR(value_type_text(LUNA_INT), "int");
    CHECK_STR(value_type_text(LUNA_REAL), "real");
    CHECK_STR(value_type_text(LUNA_STRING), "string");
    CHECK_STR(value_type_text(LUNA_BYTES), "bytes");
    CHECK_STR(value_type_text(77), "unknown");
}

TEST(only_blocks_are_counted)
{
    luna_value i = luna_v_of_int(7), s = value_of_string("x", 1);
    value_retain(i), value_release(i), value_release(i);
    CHECK(!value_is_block(i) && value_is_block(s));
    value_retain(s);
    CHECK(atomic_load(&value_block(s)->refs) == 2);
    value_release(s);
    CHECK(atomic_load(&value_block(s)->refs) == 1);
    value_release(s);
}

TEST(without_memory_a_string_is_unset)
{
    pool_set_bytes_max(0);
    luna_value v = value_of_string("x", 3 << 20);
    pool_set_bytes_max(SIZE_MAX);
    CHECK(v.type == LUNA_UNSET);
}

/* ---- frames ---- */

TEST(a_frame_frees_what_its_parameters_hold)
{
    struct luna_sub sub = {.params = "insrvs", .nwords = 8};
    struct key k = {.id = 1, .df = 2, .n = 3, .ix = {4, 5, 6}};
    luna_word words[2] = {{.i = 7}, {.i = 8}};
    luna_value v = value_of_string("shared", 6);
    struct frame *f = frame_new(&sub, 3, 99);
    CHECK(f && f->sub == 3 && f->id == 99 && !f->scope && !f->done);
    for (uint32_t i = 0; i < sub.nwords; i++) CHECK(!f->word[i].i, "word %u", i);
    f->word[0].i = -1;
    f->word[1].p = name_ref_new(&k, words, 2);
    value_retain(v), value_retain(v);
    f->word[2].p = frame_box(v);
    f->word[4].p = frame_box(v);
    f->word[5].p = NULL; /* a call that failed half-way */
    f->word[7].i = -1;   /* an nfparam is only a number */
    struct name_ref *r = f->word[1].p;
    CHECK(r->id == 1 && r->df == 2 && r->n == 3 && name_ref_ix(r)[2] == 6);
    CHECK(r->nwords == 2 && r->word[1].i == 8);
    CHECK(atomic_load(&value_block(v)->refs) == 3);
    frame_free(f, &sub);
    CHECK(atomic_load(&value_block(v)->refs) == 1);
    value_release(v);
}

TEST(the_last_count_of_a_frame_says_so)
{
    struct luna_sub sub = {.params = "", .nwords = 0};
    struct frame *f = frame_new(&sub, 0, 1);
    frame_retain(f);
    CHECK(!frame_release(f));
    CHECK(frame_release(f));
    frame_free(f, &sub);
}

enum { THREADS = 4, TURNS = 100000 };

/* Each has a count of its own, as a statement that runs has. */
static void *
counts(void *who)
{
    struct frame *f = who;
    bool last = false;
    for (int i = 0; i < TURNS; i++) {
        frame_retain(f);
        last |= frame_release(f);
    }
    return frame_release(f) || last ? f : NULL;
}

/* The one that is alone counts without heed of others, who may come back. */
TEST(threads_with_counts_of_their_own_count_one_frame)
{
    struct luna_sub sub = {.params = "", .nwords = 0};
    struct frame *f = frame_new(&sub, 0, 1);
    CHECK(frame_is_held_once(f));
    for (int round = 0; round < 3; round++) {
        pthread_t thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            frame_retain(f);
            CHECK(!pthread_create(&thread[i], NULL, counts, f));
        }
        for (int i = 0; i < THREADS; i++) {
            void *last;
            CHECK(!pthread_join(thread[i], &last) && !last);
        }
        CHECK(frame_is_held_once(f));
    }
    CHECK(frame_release(f));
    frame_free(f, &sub);
}

TEST(frames_come_from_memory_that_may_end)
{
    struct luna_sub sub = {.params = "", .nwords = 50000};
    struct key k = {.n = 60};
    pool_set_bytes_max(0);
    bool refused = !frame_new(&sub, 0, 1) && !name_ref_new(&k, NULL, 0);
    pool_set_bytes_max(SIZE_MAX);
    CHECK(refused);
}

TEST_MAIN(T(bytes_as_they_are_counted_and_hashed), T(types_have_words),
          T(only_blocks_are_counted), T(without_memory_a_string_is_unset),
          T(a_frame_frees_what_its_parameters_hold), T(the_last_count_of_a_frame_says_so),
          T(threads_with_counts_of_their_own_count_one_frame),
          T(frames_come_from_memory_that_may_end))
