/* test_map.c - a map of strings and bytes: order, replacement, removal, allocations that fail. */
#include "runtime/base/arena.h"
#include "runtime/base/map.h"
#include "runtime/base/mem.h"
#include "tests/lib/check.h"

#include <stdint.h>

enum { MANY = 5000 };
static int values[MANY];

static const char *
key_of(int i)
{
    static char text[32];
    snprintf(text, sizeof text, "key %d", i * 7919 % MANY);
    return text;
}

TEST(what_was_put_is_found)
{
    struct map *m = map_new();
    CHECK(!map_get(m, "x") && !map_count(m));
    for (int i = 0; i < MANY; i++) CHECK(map_put(m, key_of(i), &values[i]));
    CHECK(map_count(m) == MANY);
    for (int i = 0; i < MANY; i++) CHECK(map_get(m, key_of(i)) == &values[i], "%d", i);
    CHECK(!map_get(m, "key"), "a beginning of a key is another key");
    CHECK(!map_get(m, ""));
    map_free(m);
    map_free(NULL);
}

TEST(keys_are_copied)
{
    char key[] = "name";
    struct map *m = map_new();
    map_put(m, key, &values[1]);
    key[0] = 'g';
    CHECK(map_get(m, "name") == &values[1] && !map_get(m, key));
    CHECK(map_put(m, "", &values[2]) && map_get(m, "") == &values[2]);
    map_free(m);
}

TEST(a_second_put_replaces)
{
    struct map *m = map_new();
    map_put(m, "a", &values[1]);
    map_put(m, "a", &values[2]);
    CHECK(map_count(m) == 1 && map_get(m, "a") == &values[2]);
    map_remove(m, "a");
    map_remove(m, "a");
    CHECK(!map_count(m) && !map_get(m, "a"));
    map_put(m, "a", &values[3]);
    CHECK(map_get(m, "a") == &values[3]);
    map_free(m);
}

static void
append(void *who, const char *key, void *value)
{
    (void)value;
    strcat(who, key);
}

TEST(each_comes_in_the_order_of_first_insertion)
{
    char text[64] = "";
    struct map *m = map_new();
    map_each(m, append, text);
    CHECK_STR(text, "");
    for (const char *k = "qwertyuiop"; *k; k++) map_put(m, (char[]){*k, 0}, NULL);
    map_put(m, "w", &values[1]);
    map_remove(m, "e");
    map_put(m, "e", NULL);
    map_each(m, append, text);
    CHECK_STR(text, "qwrtyuiope");
    map_free(m);
}

TEST(bytes_are_keys_whatever_they_are)
{
    struct map *m = map_new();
    for (int i = 0; i < MANY; i++) {
        uint64_t key[2] = {(uint64_t)i, 0};
        CHECK(map_put_bytes(m, key, 8 + (size_t)i % 9, &values[i]));
    }
    CHECK(map_count(m) == MANY);
    for (int i = 0; i < MANY; i++) {
        uint64_t key[2] = {(uint64_t)i, 0};
        CHECK(map_get_bytes(m, key, 8 + (size_t)i % 9) == &values[i], "%d", i);
        CHECK(!map_get_bytes(m, key, 8 + (size_t)(i + 1) % 9), "%d, another size", i);
    }
    uint64_t one[2] = {1, 0};
    map_remove_bytes(m, one, 8);
    CHECK(map_count(m) == MANY, "that was another");
    map_remove_bytes(m, one, 9);
    CHECK(map_count(m) == MANY - 1 && !map_get_bytes(m, one, 9));
    map_free(m);
}

TEST(a_string_is_its_bytes)
{
    struct map *m = map_new();
    map_put(m, "name", &values[1]);
    CHECK(map_get_bytes(m, "name of it", 4) == &values[1]);
    CHECK(!map_get_bytes(m, "name", 5), "the 0 is not among them");
    CHECK(map_put_bytes(m, NULL, 0, &values[2]) && map_get(m, "") == &values[2]);
    CHECK(map_put_bytes(m, "a\0b", 3, &values[3]) && !map_get(m, "a"));
    map_free(m);
}

/* Puts 100 pairs while the n-th allocation and all behind it fail; true when none failed. */
static bool
fill(long n)
{
    mem_fail_after(n);
    struct map *m = map_new();
    size_t put = 0;
    for (int i = 0; m && i < 100; i++) put += map_put(m, key_of(i), &values[i]);
    mem_fail_after(-1);
    if (!m) return false;
    size_t found = 0;
    for (int i = 0; i < 100; i++) found += map_get(m, key_of(i)) == &values[i];
    if (found != put || map_count(m) != put) printf("%zu put, %zu found\n", put, found);
    check_failed |= found != put || map_count(m) != put;
    for (int i = 0; i < 100; i++) map_put(m, key_of(i), &values[i]);
    check_failed |= map_count(m) != 100;
    map_free(m);
    return put == 100;
}

TEST(a_failed_put_leaves_the_map_as_it_was)
{
    long n = 0;
    while (!fill(n) && !check_failed) CHECK(++n < 1000);
    CHECK(n > 100, "%ld allocations", n);
}

/* Nothing of it is of malloc, and nothing is freed: the leak checker sees. */
TEST(in_an_arena_there_is_nothing_to_free)
{
    struct arena *a = arena_new();
    struct map *m = map_new_in(a), *other = map_new();
    for (int i = 0; i < MANY; i++) {
        CHECK(map_put(m, key_of(i), &values[i]));
        CHECK(map_put(other, key_of(i), &values[MANY - 1 - i]));
    }
    for (int i = 0; i < MANY; i += 2) map_remove(m, key_of(i));
    CHECK(map_count(m) == MANY / 2 && map_count(other) == MANY);
    for (int i = 0; i < MANY; i++) {
        CHECK(map_get(m, key_of(i)) == (i % 2 ? &values[i] : NULL));
        CHECK(map_get(other, key_of(i)) == &values[MANY - 1 - i]);
    }
    map_free(m);
    CHECK(map_get(m, key_of(1)) == &values[1], "it goes with the arena");
    map_free(other);
    arena_free(a);
}

TEST(a_failure_in_an_arena_is_one_of_the_arena)
{
    static char large[1 << 22]; /* more than a piece of the arena */
    struct arena *volatile a = arena_new();
    jmp_buf no_memory;
    volatile bool jumped = false;
    if (!setjmp(no_memory)) {
        arena_on_fail(a, &no_memory);
        struct map *m = map_new_in(a);
        mem_fail_after(0);
        for (int i = 0; i < MANY; i++) map_put(m, key_of(i), m);
        map_put_bytes(m, large, sizeof large, m);
    } else {
        jumped = true;
    }
    mem_fail_after(-1);
    CHECK(jumped);
    arena_free(a);
}

TEST_MAIN(T(what_was_put_is_found), T(keys_are_copied), T(a_second_put_replaces),
          T(each_comes_in_the_order_of_first_insertion), T(bytes_are_keys_whatever_they_are),
          T(a_string_is_its_bytes),
          T(a_failed_put_leaves_the_map_as_it_was), T(in_an_arena_there_is_nothing_to_free),
          T(a_failure_in_an_arena_is_one_of_the_arena))
