/* test_vec.c - arrays grow by one, in an arena and by malloc; a failure leaves them whole. */
#include "runtime/base/vec.h"
#include "tests/lib/check.h"

struct pair {
    int a;
    char b[9];
};

struct list {
    struct pair *at;
    int n, room;
};

static bool
add(struct arena *a, struct list *l)
{
    if (!vec_more(a, l->at, l->n, l->room)) return false;
    l->at[l->n] = (struct pair){.a = l->n, .b = "x"};
    l->n++;
    return true;
}

static bool
is_whole(const struct list *l)
{
    for (int i = 0; i < l->n; i++)
        if (l->at[i].a != i || strcmp(l->at[i].b, "x")) return false;
    return true;
}

TEST(it_keeps_what_was_added)
{
    struct arena *a = arena_new();
    struct list in_arena = {0}, by_malloc = {0};
    for (int i = 0; i < 5000; i++) CHECK(add(a, &in_arena) && add(NULL, &by_malloc));
    CHECK(in_arena.n == 5000 && is_whole(&in_arena));
    CHECK(by_malloc.n == 5000 && is_whole(&by_malloc));
    mem_free(by_malloc.at);
    arena_free(a);
}

/* Each allocation of malloc is a change of room: so few that adding is cheap on the average. */
TEST(it_grows_to_twice_its_size)
{
    struct list l = {0};
    mem_fail_after(8); /* 8 16 32 64 128 256 512 1024 */
    while (add(NULL, &l)) CHECK(l.n < 5000);
    mem_fail_after(-1);
    CHECK(l.n == 1024, "%d", l.n);
    CHECK(is_whole(&l));
    CHECK(add(NULL, &l) && is_whole(&l), "it goes on");
    mem_free(l.at);
}

TEST(the_room_stays_when_the_count_goes_down)
{
    struct list l = {0};
    for (int i = 0; i < 100; i++) CHECK(add(NULL, &l));
    const struct pair *before = l.at;
    l.n = 0;
    mem_fail_after(0);
    for (int i = 0; i < 100; i++) CHECK(add(NULL, &l));
    mem_fail_after(-1);
    CHECK(l.at == before && is_whole(&l));
    mem_free(l.at);
}

TEST(the_first_may_fail)
{
    struct list l = {0};
    mem_fail_after(0);
    CHECK(!add(NULL, &l) && !l.at && !l.n);
    mem_fail_after(-1);
    CHECK(add(NULL, &l));
    mem_free(l.at);
}

TEST(what_cannot_be_counted_in_bytes_fails)
{
    void *at = NULL;
    CHECK(!vec_grow(NULL, &at, 0, 1, SIZE_MAX / 8) && !at);
    CHECK(vec_grow(NULL, &at, SIZE_MAX / 4 + 1, 1, 2) == SIZE_MAX / 4 + 1 && !at);
}

TEST(many_come_at_once)
{
    struct {
        char *at;
        size_t n, room;
    } text = {0};
    struct arena *a = arena_new();
    struct list sparse = {0};
    for (size_t k = 1; k < 3000; k = k * 3 + 1) {
        CHECK(vec_many(NULL, text.at, text.n, k, text.room) && text.room >= text.n + k);
        memset(text.at + text.n, 'x', k);
        text.n += k;
    }
    for (size_t i = 0; i < text.n; i++) CHECK(text.at[i] == 'x');
    CHECK(text.room < 4 * text.n, "%zu for %zu", text.room, text.n);
    CHECK(!vec_many(NULL, text.at, text.n, SIZE_MAX / 2, text.room) && text.room >= text.n);
    mem_free(text.at);
    vec_need_many(a, sparse.at, 0, 100, sparse.room);
    sparse.at[99].a = 7;
    vec_need_many(a, sparse.at, 0, 1000, sparse.room);
    CHECK(sparse.room >= 1000 && sparse.at[99].a == 7 && !sparse.at[98].a && !sparse.at[999].a);
    arena_free(a);
}

TEST_MAIN(T(it_keeps_what_was_added), T(it_grows_to_twice_its_size),
          T(the_room_stays_when_the_count_goes_down), T(the_first_may_fail),
          T(what_cannot_be_counted_in_bytes_fails), T(many_come_at_once))
