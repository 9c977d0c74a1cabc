/* test_duration.c - times, and what is none. */
#include "runtime/base/duration.h"
#include "tests/lib/check.h"

TEST(a_number_and_its_unit)
{
    CHECK(duration_ns("300ns") == 300);
    CHECK(duration_ns("500us") == 500000);
    CHECK(duration_ns("10ms") == 10000000);
    CHECK(duration_ns("007s") == 7000000000u);
    CHECK(duration_ns("9999999s") == 9999999000000000u);
}

TEST(all_else_is_no_time)
{
    static const char *const wrong[] = {"", "s", "10", "10 s", "10n", "10msx", "-1s", "1.5s", "0s",
                                        "12345678us", "18446744073709551617s"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!duration_ns(wrong[i]), "'%s'", wrong[i]);
}

TEST(a_time_is_written_as_it_is_read)
{
    static const char *const texts[] = {"300ns", "1us", "9999us", "1s", "100000s", "1001ms"};
    char text[DURATION_TEXT];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK(!strcmp(duration_text(duration_ns(texts[i]), text), texts[i]), "%s: %s", texts[i],
              text);
}

TEST_MAIN(T(a_number_and_its_unit), T(a_time_is_written_as_it_is_read), T(all_else_is_no_time))
