/* test_parse.c - the grammar: trees of every production, every precedence, every error text. */
#include "tests/lang/cases.h"

static void
dump(struct parsed *p, struct buf *out)
{
    ast_dump(p->tree, false, out);
}

static void
say_nothing(struct parsed *p, struct buf *out)
{
    (void)p, (void)out;
}

TEST(trees)
{
    cases_run(TEST_DIR "/parse/trees.txt", dump);
}

TEST(precedence)
{
    cases_run(TEST_DIR "/parse/precedence.txt", dump);
}

TEST(tokens)
{
    cases_run(TEST_DIR "/parse/tokens.txt", dump);
}

TEST(errors)
{
    cases_run(TEST_DIR "/parse/errors.txt", dump);
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
    parsed_told(text.data, text.size, say_nothing, out);
    buf_str(out, "");
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
        {"import f(int) as f; sub main() { df x", "[1]", "; f(1); }", 32, 33, "PAR4"},
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

TEST(every_failed_allocation_is_clean)
{
    parsed_without_memory(program_of_everything, dump);
}

TEST_MAIN(T(trees), T(precedence), T(tokens), T(errors), T(nesting_has_a_limit_that_is_told),
          T(long_programs_are_no_nesting), T(many_errors_stay_errors_of_their_own),
          T(every_failed_allocation_is_clean))
