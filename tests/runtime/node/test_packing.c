/* test_packing.c - what a writer packs is what a reader finds, wherever the bytes are kept. */
#include "runtime/node/msg.h"
#include "tests/lib/check.h"

#include <string.h>

static uint32_t
word(size_t i)
{
    return (uint32_t)i * 2654435761u;
}

/* Behind n bytes: numbers of both sizes and a key. */
static struct packet *
packed(size_t n, const struct key *k)
{
    struct writer w = {0};
    for (size_t i = 0; i < n; i++) write_bytes(&w, &(char){(char)word(i)}, 1);
    write_u32(&w, word(n));
    write_u64(&w, (uint64_t)word(n) << 32 | 7);
    write_key(&w, k);
    write_value(&w, (luna_value){.type = LUNA_INT, .w.i = -5}, true);
    return writer_packet(&w, MSG_PUT);
}

TEST(every_length_is_read_back)
{
    static const struct luna_program program = {.ndfs = 4};
    const struct key k = {.id = 1ull << 40 | 3, .df = 2, .n = 3, .ix = {-1, 0, 1 << 30}};
    for (size_t n = 0; n < 5 * WRITER_SMALL; n++) {
        struct packet *p = packed(n, &k);
        CHECK(p && p->size == n + 12 + 16 + 3 * 4 + 12);
        struct reader r = reader_of(p, &program);
        struct key got;
        for (size_t i = 0; i < n; i++) CHECK(read_u8(&r) == (uint8_t)word(i));
        CHECK(read_u32(&r) == word(n));
        CHECK(read_u64(&r) == ((uint64_t)word(n) << 32 | 7));
        read_key(&r, &got);
        CHECK(got.id == k.id && got.df == k.df && got.n == k.n);
        CHECK(!memcmp(got.ix, k.ix, 3 * sizeof *k.ix));
        CHECK(read_value(&r).w.i == -5);
        CHECK(reader_done(&r));
        packet_free(p);
    }
}

TEST(much_at_once_follows_little)
{
    enum { MUCH = 100000 };
    static char bytes[MUCH];
    for (size_t i = 0; i < MUCH; i++) bytes[i] = (char)word(i);
    struct writer w = {0};
    write_u32(&w, 9);
    write_bytes(&w, bytes, MUCH);
    CHECK(w.size == MUCH + 4 && !w.failed);
    CHECK(!memcmp(writer_data(&w) + 4, bytes, MUCH));
    writer_fini(&w);
}

TEST(what_cannot_be_had_is_told_at_the_end)
{
    struct writer w = {0};
    write_u32(&w, 1);
    write_bytes(&w, "", SIZE_MAX / 2);
    CHECK(w.failed);
    write_u32(&w, 2);
    CHECK(!writer_packet(&w, MSG_PUT));
}

TEST_MAIN(T(every_length_is_read_back), T(much_at_once_follows_little),
          T(what_cannot_be_had_is_told_at_the_end))
