#include "tests/lib/check.h"
TEST(nothing_yet) { CHECK(1); }
TEST_MAIN(T(nothing_yet))
