/* test_resolve.c - which declaration each name means, the types, and what is told of names. */
#include "tests/lang/cases.h"

TEST(names)
{
    cases_run(TEST_DIR "/resolve/names.txt", "resolve");
}

TEST(types)
{
    cases_run(TEST_DIR "/resolve/types.txt", "resolve");
}

TEST(rules)
{
    cases_run(TEST_DIR "/resolve/rules.txt", "resolve");
}

TEST(reports)
{
    cases_run(TEST_DIR "/resolve/reports.txt", "resolve");
}

TEST_MAIN(T(names), T(types), T(rules), T(reports))
