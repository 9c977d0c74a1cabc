/* test_resolve.c - which declaration each name means, the types, and what is told of names. */
#include "tests/lang/cases.h"

TEST(names)
{
    cases_run(TEST_DIR "/syntax/names.txt", "resolve");
}

TEST(types)
{
    cases_run(TEST_DIR "/syntax/types.txt", "resolve");
}

TEST(rules)
{
    cases_run(TEST_DIR "/syntax/rules.txt", "resolve");
}

TEST(reports)
{
    cases_run(TEST_DIR "/syntax/reports.txt", "resolve");
}

TEST_MAIN(T(names), T(types), T(rules), T(reports))
