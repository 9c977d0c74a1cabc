/* test_parse.c - the grammar: trees of every production, every precedence, every error text. */
#include "tests/lang/cases.h"

#include "runtime/base/mem.h"

TEST(trees)
{
    cases_run(TEST_DIR "/parse/trees.txt", "parse");
}

TEST(precedence)
{
    cases_run(TEST_DIR "/parse/precedence.txt", "parse");
}

TEST(tokens)
{
    cases_run(TEST_DIR "/parse/tokens.txt", "parse");
}

TEST(errors)
{
    cases_run(TEST_DIR "/parse/errors.txt", "parse");
}

/* ---- what is too long for a file of cases ---- */

/* What the parser says of head, n times piece, tail. */
static void
parse_many(struct buf *out, const char *head, const char *piece, int n, const char *tail)
{
    struct buf text = {0};
    buf_str(&text, head);
    while (n--) buf_str(&text, piece);
    buf_str(&text, tail);
    struct buf dump = {0};
    struct one_file f = {text.data, text.size};
    struct lang l;
    struct lang_options o = {.file = "t.fa", .prep = {.read = one_file_read, .read_who = &f}};
    o.dump = "resolve";
    o.dump_out = &dump;
    if (lang_compile(&l, &o)) diag_print_text(l.diag, out);
    buf_str(out, "");
    lang_fini(&l);
    buf_fini(&dump);
    buf_fini(&text);
}

struct depth_case {
    const char *head, *piece, *tail;
    int fits, too_many;
    const char *words;
};

TEST(nesting_has_a_limit_that_is_told)
{
    static const struct depth_case cases[] = {
        {"import f(int) as f; sub main() f(", "(", "", 254, 300, "PAR4"},
        {"import f(int) as f; sub main() f(1", "+1", ");", 3000, 4100, "PAR4"},
        {"import f(int) as f; sub main() f(", "-", "1);", 3000, 4100, "PAR4"},
        {"import f(int) as f; sub main() ", "if 1 ", "f(1);", 1000, 4100, "PAR4"},
        {"import f(int) as f; sub main() ", "if 1 {", "f(1);", 250, 300, "PAR4"},
        {"import f(int) as f; sub main() { df x; f(x", "[x", "", 250, 300, "PAR4"},
        {"import f(int) as f; sub main() { df x; f(x", "[1]", "); }", 255, 256, "PAR4"},
        {"import f(int) as f; sub main() f(1", "?1:1", ");", 1000, 4100, "PAR4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct depth_case *c = &cases[i];
        struct buf out = {0};
        parse_many(&out, c->head, c->piece, c->fits, c->tail);
        CHECK(!strstr(out.data, c->words), "case %zu, %d: %s", i, c->fits, out.data);
        buf_clear(&out);
        parse_many(&out, c->head, c->piece, c->too_many, c->tail);
        CHECK(strstr(out.data, c->words), "case %zu, %d: %s", i, c->too_many, out.data);
        CHECK(strstr(out.data, "1 error\n"), "case %zu: more than one: %s", i, out.data);
        buf_fini(&out);
    }
}

TEST(long_programs_are_no_nesting)
{
    struct buf out = {0};
    parse_many(&out, "import f(int) as f; sub main() {", "f(1);\n", 20000, "}");
    CHECK_STR(out.data, "");
    parse_many(&out, "import f(int) as f; sub main() f(1);", "sub g() f(2);\n", 1, "");
    CHECK_STR(out.data, "");
    buf_fini(&out);
}

/* Each broken statement is told, and the brackets they leave open do not add up. */
TEST(many_errors_stay_errors_of_their_own)
{
    struct buf out = {0};
    parse_many(&out, "sub main() {", "f(((1;\n", 400, "}");
    CHECK(strstr(out.data, "400 errors"), "%s", out.data);
    CHECK(!strstr(out.data, "PAR4"), "%s", out.data);
    buf_fini(&out);
}

/* ---- out of memory ---- */

static const char everything[] =
    "#define N 4\n"
    "import init(int, name x) as init : CUDA, NOCPU;\n"
    "C++ head ${{ int a; $}}\n"
    "C sub say(value v, string s) ${{ }$}}\n"
    "sub <<rush, 1>> g(name v, real r, int k) {\n"
    "    df t;\n"
    "    cf l[k]: say(v[k], \"a\\n\" + k) >> (t) --> (v[0]) @ { request t; weight: 2; };\n"
    "} @ { nfparam n; locator_cyclic v[i] => i * n; locator_cyclic: k; stealable, foo; }\n"
    "sub main(int a, string s) {\n"
    "    df x, y, z;\n"
    "    for <<static>> i = 0 .. $N { init(i ? a : -2, x[i]) @ { req_count x[i] = 1; }; }\n"
    "    while x[i] > 1.5 && real(a) < 2, i = 0 .. out z let q = x[i], w = 2 {\n"
    "        g(q[1], w * 1.5, i) @ { nfparam n => i; }; }\n"
    "    if (a == 3) reduce + x[i] over i = 0 .. 3, j = 1..2 => y;\n"
    "    sayy(ghost, 1; say(undeclared, 3) say(z, \"\\q\");\n"
    "} @ { cells 4, a; cell x[i][j] => i, j; }\n";

TEST(every_failed_allocation_is_clean)
{
    static const char *const passes[] = {"parse", "resolve"};
    for (int k = 0; k < 2; k++) {
        struct buf want = {0};
        CHECK(text_compile(everything, sizeof everything - 1, passes[k], &want), "%d", k);
        bool ok = false;
        long n = 0;
        for (; !ok; n++) {
            struct buf out = {0};
            mem_fail_after(n);
            ok = text_compile(everything, sizeof everything - 1, passes[k], &out);
            mem_fail_after(-1);
            if (ok) CHECK_STR(out.data, want.data);
            buf_fini(&out);
        }
        CHECK(n > 5, "only %ld allocations", n);
        buf_fini(&want);
    }
}

TEST_MAIN(T(trees), T(precedence), T(tokens), T(errors), T(nesting_has_a_limit_that_is_told),
          T(long_programs_are_no_nesting), T(many_errors_stay_errors_of_their_own),
          T(every_failed_allocation_is_clean))
