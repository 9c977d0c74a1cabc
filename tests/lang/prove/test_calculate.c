/* test_calculate.c - texts of counts come to what the C compiler makes of them, with what emitted C
 * sees of the runtime; and what is none is refused. */
#define LUNA_EMITTED
#include "runtime/program.h"

#include "calculate.h"

#include "tests/lib/check.h"
#include "tests/runtime/run_child.h"

static luna_word locals[2], frame[3];
static const luna_env *const e = &(luna_env){.local = locals, .frame = frame};

static int32_t
local_of(const void *who, int64_t word)
{
    (void)who;
    return L(word);
}

static int32_t
frame_of(const void *who, int64_t word)
{
    (void)who;
    return F(word);
}

static struct luna_named name;

static int32_t
df_of(const void *who, int64_t word)
{
    (void)who;
    return (int32_t)DF(word);
}

static const struct calculate_words words = {local_of, frame_of, df_of, NULL};

/* x as text, and x. */
#define SAME(x)                                                                                    \
    do {                                                                                           \
        long long have_ = calculate(#x, &words), want_ = (x);                                      \
        CHECK(have_ == want_, "%s is %lld, not %lld, for %d, %d, %d, %d", #x, have_, want_, L(0),  \
              L(1), F(0), F(1));                                                                   \
    } while (0)

static void
compare_all(void)
{
    SAME(7);
    SAME((int64_t)F(0));
    SAME((int64_t)L(1) - 2 * (int64_t)F(1) + 3);
    SAME(-(int64_t)L(0) + 1);
    SAME(5 - (4 - (int64_t)F(0)));
    SAME(-2 * (int64_t)L(0) * (int64_t)L(1));
    SAME((int64_t)F(0) - -3);
    SAME((int64_t)F(0) >= -1);
    SAME((int64_t)F(0) == (int64_t)L(0) + 1);
    SAME((int64_t)F(0) >= 1 && (int64_t)F(1) >= 1 && (int64_t)L(0) >= 1);
    SAME((int64_t)F(0) >= 1 || (int64_t)F(1) == 2 || (int64_t)L(0) == 3);
    SAME(((int64_t)F(0) >= 1 && (int64_t)F(1) >= 1) || ((int64_t)L(0) >= 1));
    SAME(!((int64_t)F(0) >= 1));
    SAME(!LUNA_SMALL((int64_t)F(0)));
    SAME(!LUNA_SMALL(((int64_t)F(0) - (3))));
    SAME(luna_uses((int64_t)F(0)));
    SAME(luna_uses((int64_t)F(0) + 1));
    SAME(luna_uses(2 * (int64_t)L(0)));
    SAME(luna_floor((int64_t)F(0), 3));
    SAME(luna_floor((int64_t)F(0) - (int64_t)L(0) - 1, 2) * 5);
    SAME(luna_floor(luna_floor((int64_t)F(0), 2) + 1, 1073741824));
    SAME((int64_t)F(0) >= 1 ? 2 : (int64_t)F(1) >= 1 ? 3 : 4);
    SAME((int64_t)F(0) >= 1 ? (int64_t)F(1) >= 1 ? 2 : 3 : 4);
    SAME(!LUNA_SMALL((int64_t)F(0)) ? -1 : !LUNA_SMALL((int64_t)F(1)) ? -1
         : (int64_t)F(0) - (int64_t)L(0) >= 2 ? luna_uses(1 + 1 * (int64_t)F(0)) : 0);
    SAME(LUNA_SMALL((int64_t)F(0)) && LUNA_SMALL((int64_t)F(1)) && (-(int64_t)F(0) >= -4));
    SAME(DF(2) == 3 ? ((int64_t)L(0) >= 1 ? 2 : 1) : DF(2) == 14 ? 4 : -1);
    SAME((int64_t)L(0) == 1 ? luna_uses(luna_floor(2 + 1 * (int64_t)F(0) + 1, 2)) : 1);
}

TEST(all_that_is_printed_is_as_in_c)
{
    static const int32_t bound = 1 << 24;
    const int32_t values[] = {0, 1, 2, 3, -1, -2, -7, bound - 1, bound, -bound, -bound - 1,
                              bound + 3, INT32_MAX, INT32_MIN};
    enum { N = sizeof values / sizeof *values };
    for (int i = 0; i < N * N && !check_failed; i++) {
        locals[0].i = values[i % N], frame[0].i = values[i / N % N];
        locals[1].i = values[(i + 3) % N], frame[1].i = values[(i / N + 5) % N];
        frame[2].p = &name, name.df = i % 2 ? 3 : 14;
        compare_all();
    }
}

/* Where a compiler would ask for brackets. */
TEST(operators_bind_as_in_c)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"1 || 0 && 0", 1},      {"0 && 0 || 1", 1},        {"2 && 3", 1},
        {"0 || 5", 1},           {"0 || 0", 0},             {"!0 + 1", 2},
        {"!2 >= 1", 0},          {"-1 + 2", 1},             {"1 + 2 * 3 - 4", 3},
        {"9 - 3 - 2", 4},        {"2 + 2 == 1 * 4", 1},     {"2 >= 2 && 1 >= 2 ? 3 : 4", 4},
        {"(1 ? 0 : 1) ? 2 : 3", 3}, {"0 ? 1 : 0 ? 2 : 3", 3}, {"1?2:3", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t v = calculate(cases[i].text, &words);
        CHECK(v == cases[i].value, "%s is %lld", cases[i].text, (long long)v);
    }
}

static int
calculate_it(const void *text)
{
    calculate(text, &words);
    return 0;
}

TEST(what_is_no_count_is_refused)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "a number is missing before ''\n"},
        {"1 + x", "a number is missing before 'x'\n"},
        {"1 + +2", "a number is missing before '+2'\n"},
        {"(1 + 2", ") is missing before ''\n"},
        {"L(0", ") is missing before ''\n"},
        {"luna_floor(4)", ", is missing before ')'\n"},
        {"1 ? 2", ": is missing before ''\n"},
        {"1 <= 2", "an end is missing before '<= 2'\n"},
        {"1 == 1 == 1", "an end is missing before '== 1'\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(run_child(calculate_it, cases[i].text), 1, cases[i].said);
}

TEST_MAIN(T(all_that_is_printed_is_as_in_c), T(operators_bind_as_in_c),
          T(what_is_no_count_is_refused))
