/* test_err.c - every error has words of its own. */
#include "runtime/base/err.h"
#include "tests/lib/check.h"

TEST(each_has_words)
{
    for (int e = 0; e < ERR_COUNT; e++) {
        const char *words = err_text((enum err)e);
        CHECK(words && *words && words[strlen(words) - 1] != '.', "%d", e);
        for (int k = 0; k < e; k++) CHECK(strcmp(words, err_text((enum err)k)), "%d, %d", e, k);
    }
    CHECK_STR(err_text(OK), "no error");
    CHECK_STR(err_text(E_NOMEM), "out of memory");
}

TEST(what_is_no_error_is_said_to_be_unknown)
{
    CHECK_STR(err_text(ERR_COUNT), "unknown error");
    CHECK_STR(err_text((enum err)-1), "unknown error");
}

TEST_MAIN(T(each_has_words), T(what_is_no_error_is_said_to_be_unknown))
