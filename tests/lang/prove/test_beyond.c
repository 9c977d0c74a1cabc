/* test_beyond.c - which names are proved to be within their shape, so that no run looks at them. */
#include "lang/prove/prove.h"
#include "tests/lang/lowered.h"

static const char functions[] =
    "C sub put(name x, int k) ${{ $}}\nC sub get(value a, value b) ${{ $}}\n";

/* What is proved of the mentions of x: "x[L0] always". */
static const char *
told(struct lowered *l, const char *text)
{
    static struct buf out;
    struct buf whole = {0};
    struct prove_options o = {.args = NULL};
    static const char *const words[] = {"not", "small", "always"};
    buf_printf(&whole, "%s%s", functions, text);
    if (!lowered_run(l, "t.fa", whole.data) || !l->plan) return "it is no program";
    prove_run(l->arena, l->plan, l->tree, l->source, l->diag, &o);
    buf_clear(&out);
    for (uint32_t i = 0; i < l->plan->refs.n; i++) {
        const struct plan_ref *r = &l->plan->refs.row[i];
        if (r->base == PB_PARAM || strcmp(l->plan->dfs.row[r->df].name, "x")) continue;
        buf_str(&out, out.size ? "; " : "");
        plan_print_ref(l->plan, i, &out);
        buf_printf(&out, " %s", words[r->inside]);
    }
    buf_str(&out, "");
    buf_fini(&whole);
    lowered_fini(l);
    return out.data;
}

TEST(constants)
{
    struct lowered l;
    CHECK_STR(told(&l, "sub main() { df x[0..9]; for i = 0..9 put(x[i], i);\n"
                       "for i = 0..8 get(x[i + 1], x[i - 1]); } @ { outside x => 0; }\n"),
              "x[L0] always; x[L0 + 1] always; x[L0 - 1] not");
}

TEST(one_row_is_all_its_mentions)
{
    struct lowered l;
    CHECK_STR(told(&l, "sub main() { df x[0..9]; for i = 0..9 put(x[i], i);\n"
                       "for i = 0..10 get(x[i], x[0]); } @ { outside x => 0; }\n"),
              "x[L0] not; x[0] always");
}

/* n - i and n + 1 may wrap around, but not where n is small, which the run looks at. */
TEST(arguments)
{
    struct lowered l;
    CHECK_STR(told(&l, "sub main(int n) { df x[n + 1]; for i = 0..n put(x[i], i);\n"
                       "for i = 1..n get(x[i - 1], x[n - i]); }\n"),
              "x[L0] small; x[L0 - 1] small; x[-L0 + F0] small");
    CHECK_STR(
        told(&l, "sub main(int n) { df x[0..n]; for i = 0..n put(x[i], i); get(x[n], x[0]); }\n"),
        "x[L0] always; x[F0] not; x[0] not");
}

/* Nobody looks at what other subs are called with. */
TEST(parameters_of_subs)
{
    struct lowered l;
    CHECK_STR(told(&l, "sub main(int n) { f(n); }\nsub f(int n) { df x[n + 1], y;\n"
                       "for i = 0..n put(x[i], i); for i = 0..n get(x[i], x[n - i]); }\n"),
              "x[L0] not; x[-L0 + F0] not");
    CHECK_STR(told(&l, "sub main(int n) { f(n); }\nsub f(int n) { df x[n], y;\n"
                       "for i = 0..9 if i < n put(x[i], i); get(x[4], y); }\n"),
              "x[L0] always; x[4] not");
}

/* Who sends values to labels names them elsewhere, too. */
TEST(sent)
{
    struct lowered l;
    CHECK_STR(told(&l, "sub main() { df x[0..9]; put(x[0], 1) @ { afterpush x[0] => c; };\n"
                       "cf c: get(x[0], x[0]) @ { wait x[0]; }; }\n"),
              "x[0] not");
}

TEST_MAIN(T(constants), T(one_row_is_all_its_mentions), T(arguments), T(parameters_of_subs),
          T(sent))
