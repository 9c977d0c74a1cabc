/* test_utf8.c - characters as they are taken, cut and measured; bytes that are none. */
#include "runtime/base/utf8.h"
#include "tests/lib/check.h"

/* The number taken from a text, and its bytes. */
static uint32_t number;
static size_t
take(const char *text, size_t n)
{
    number = 0;
    return utf8_take(text, n, &number);
}
#define TAKES(text, bytes, c)                                                                      \
    do {                                                                                           \
        size_t n_ = take(text, sizeof text - 1);                                                   \
        CHECK(n_ == (bytes) && number == (c), "%zu bytes, number %x", n_, (unsigned)number);       \
    } while (0)

TEST(characters_of_all_lengths)
{
    TAKES("a", 1, 'a');
    TAKES("\xc3\xa9!", 2, 0xe9);
    TAKES("\xe2\x82\xac!", 3, 0x20ac);
    TAKES("\xf0\x9f\x98\x80!", 4, 0x1f600);
    TAKES("\xf4\x8f\xbf\xbf", 4, 0x10ffff);
    TAKES("\0", 1, 0);
}

TEST(what_is_no_character_is_one_byte)
{
    TAKES("\x80", 1, UTF8_INVALID);             /* begins nothing */
    TAKES("\xc3", 1, UTF8_INVALID);             /* ends too early */
    TAKES("\xe2\x82", 1, UTF8_INVALID);
    TAKES("\xc3(", 1, UTF8_INVALID);
    TAKES("\xc0\xaf", 1, UTF8_INVALID);         /* longer than need be */
    TAKES("\xe0\x80\xaf", 1, UTF8_INVALID);
    TAKES("\xf0\x80\x80\xaf", 1, UTF8_INVALID);
    TAKES("\xed\xa0\x80", 1, UTF8_INVALID);     /* half of a pair */
    TAKES("\xf4\x90\x80\x80", 1, UTF8_INVALID); /* beyond the last */
    TAKES("\xff", 1, UTF8_INVALID);
}

TEST(a_text_is_cut_before_a_character)
{
    const char text[] = "a\xe2\x82\xac!";
    const size_t want[] = {0, 1, 1, 1, 4};
    for (size_t n = 0; n < 5; n++) CHECK(utf8_cut(text, n) == want[n], "%zu", n);
    CHECK(utf8_begins('a') && utf8_begins('\xe2') && !utf8_begins('\x82'));
}

TEST(cells_and_what_is_not_safe)
{
    CHECK(utf8_cells('a') == 1 && utf8_cells(0xe9) == 1 && utf8_cells(0x20ac) == 1);
    CHECK(utf8_cells(0x301) == 0 && utf8_cells(0x200b) == 0); /* an accent, a space of no width */
    CHECK(utf8_cells(0x4e2d) == 2 && utf8_cells(0x1f600) == 2);
    CHECK(utf8_unsafe(0x1b) && utf8_unsafe(0x7f) && utf8_unsafe(0x9b) && utf8_unsafe(0x202e));
    CHECK(utf8_unsafe(UTF8_INVALID) && utf8_cells(UTF8_INVALID) == 1);
    CHECK(!utf8_unsafe(' ') && !utf8_unsafe('~') && !utf8_unsafe(0xa0));
}

TEST_MAIN(T(characters_of_all_lengths), T(what_is_no_character_is_one_byte),
          T(a_text_is_cut_before_a_character), T(cells_and_what_is_not_safe))
