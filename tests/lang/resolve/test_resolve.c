/* test_resolve.c - which declaration each name means, the types, and what is told of names. */
#include "lang/resolve/resolve.h"
#include "tests/lang/cases.h"

static void
resolved(struct parsed *p, struct buf *out)
{
    if (p->tree->lost) return;
    resolve_run(p->arena, p->tree, p->diag);
    resolve_dump(p->tree, out);
}

TEST(names)
{
    cases_run(TEST_DIR "/resolve/names.txt", resolved);
}

TEST(types)
{
    cases_run(TEST_DIR "/resolve/types.txt", resolved);
}

TEST(rules)
{
    cases_run(TEST_DIR "/resolve/rules.txt", resolved);
}

TEST(reports)
{
    cases_run(TEST_DIR "/resolve/reports.txt", resolved);
}

/* The program has faults of grammar, which hide no names. */
TEST(every_failed_allocation_is_clean)
{
    parsed_without_memory(program_of_everything, resolved);
}

/* What the parser lets through, as deep and as long as it may be. */
TEST(depth_and_length_do_no_harm)
{
    static const struct { const char *head, *piece, *tail; int n; } cases[] = {
        {"import f(int) as f; sub main() f(1", "+1", ");", 3000},
        {"import f(int) as f; sub main() f(", "-", "1);", 3000},
        {"import f(int) as f; sub main() ", "if 1 ", "f(1);", 1000},
        {"import f(int) as f; sub main() f(1", "?1:1", ");", 1000},
        {"import f(int) as f; sub main() {", "f(1);\n", "}", 20000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf text = {0}, out = {0};
        buf_str(&text, cases[i].head);
        for (int k = 0; k < cases[i].n; k++) buf_str(&text, cases[i].piece);
        buf_str(&text, cases[i].tail);
        CHECK(parsed_told(text.data, text.size, resolved, &out), "case %zu", i);
        CHECK(strstr(out.data, "f("), "case %zu: %s", i, out.data);
        buf_fini(&out);
        buf_fini(&text);
    }
}

TEST_MAIN(T(names), T(types), T(rules), T(reports), T(every_failed_allocation_is_clean),
          T(depth_and_length_do_no_harm))
