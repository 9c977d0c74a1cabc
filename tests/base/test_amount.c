/* test_amount.c - bytes and times in the unit that suits them. */
#include "runtime/base/amount.h"
#include "tests/lib/check.h"

#include <string.h>

#define SAYS(amount, words) CHECK(!strcmp((amount).text, words), "'%s'", (amount).text)

TEST(bytes)
{
    SAYS(amount_bytes(0), "0 B");
    SAYS(amount_bytes(1023), "1023 B");
    SAYS(amount_bytes(1024), "1.00 KiB");
    SAYS(amount_bytes(3.5 * (1 << 20)), "3.50 MiB");
    SAYS(amount_bytes(5e15), "4547.47 TiB");
}

TEST(times)
{
    SAYS(amount_time(0), "0.00 us");
    SAYS(amount_time(999e-6), "999.00 us");
    SAYS(amount_time(.0125), "12.50 ms");
    SAYS(amount_time(90), "90.000 s");
}

TEST_MAIN(T(bytes), T(times))
