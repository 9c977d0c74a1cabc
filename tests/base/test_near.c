/* test_near.c - what counts as a slip of the hand. */
#include "runtime/base/near.h"

#include "tests/lib/check.h"

static const char *
nearest(const char *word, const char *const *of)
{
    struct near n = {.word = word};
    for (; *of; of++) near_try(&n, *of);
    return n.best ? n.best : "-";
}

TEST(slips_are_found_and_strangers_are_not)
{
    static const char *const of[] = {"request", "req_count", "say", "x",     "alpha", "alpha2",
                                     "length",  "size",      "for", "width", "run",   NULL};
    CHECK_STR(nearest("reqest", of), "request");
    CHECK_STR(nearest("reuqest", of), "request");
    CHECK_STR(nearest("req_cuont", of), "req_count");
    CHECK_STR(nearest("rqe_cuont", of), "req_count");
    CHECK_STR(nearest("sya", of), "say");
    CHECK_STR(nearest("alhpa", of), "alpha");
    CHECK_STR(nearest("alpha3", of), "alpha"); /* the first of two as near */
    CHECK_STR(nearest("lenght", of), "length");
    CHECK_STR(nearest("sing", of), "-");
    CHECK_STR(nearest("gamma", of), "-");
    CHECK_STR(nearest("say", of), "-"); /* the word itself is no slip of it */
}

TEST(a_word_that_goes_on_is_nearer)
{
    static const char *const of[] = {"--start", "--stats", "--state", NULL};
    CHECK_STR(nearest("--stat", of), "--stats");
    CHECK_STR(nearest("--strt", of), "--start");
    CHECK_STR(nearest("--stast", of), "--start"); /* the first of two as near */
}

TEST(case_alone_is_nearer_than_a_slip)
{
    static const char *const of[] = {"SIZES", "size", "n", NULL};
    CHECK_STR(nearest("SIZE", of), "size");
    CHECK_STR(nearest("SiZeS", of), "SIZES");
    CHECK_STR(nearest("N", of), "n");
}

TEST(short_words_are_near_to_few)
{
    static const char *const of[] = {"for", "m", "ac", "u1", "run", NULL};
    CHECK_STR(nearest("n", of), "-");
    CHECK_STR(nearest("ab", of), "-");
    CHECK_STR(nearest("u2", of), "-");
    CHECK_STR(nearest("mn", of), "-");
    CHECK_STR(nearest("mm", of), "m"); /* a key that was pressed too long */
    CHECK_STR(nearest("ru", of), "run");
    CHECK_STR(nearest("fro", of), "for");
    CHECK_STR(nearest("form", of), "for");
    CHECK_STR(nearest("", of), "-");
}

TEST(long_words_are_compared_without_harm)
{
    char a[200], b[200];
    memset(a, 'a', sizeof a - 1);
    memset(b, 'a', sizeof b - 1);
    a[199] = b[199] = 0;
    b[100] = 'b';
    struct near n = {.word = a};
    near_try(&n, b);
    near_try(&n, "a");
    CHECK(!n.best, "only words that people mistype are looked at");
}

TEST_MAIN(T(slips_are_found_and_strangers_are_not),
          T(a_word_that_goes_on_is_nearer), T(case_alone_is_nearer_than_a_slip),
          T(short_words_are_near_to_few), T(long_words_are_compared_without_harm))
