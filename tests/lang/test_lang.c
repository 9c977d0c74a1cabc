/* test_lang.c - the walk over the passes: products, dumps, where it stops, out of memory. */
#include "lang/lang.h"
#include "runtime/base/mem.h"
#include "tests/lang/parsed.h"

#include <time.h>

static const char valid[] =
    "C++ head ${{ static int zero() { return 0; } $}}\n"
    "C head ${{ static int one(void) { return 1; } $}}\n"
    "C sub put(name v, int k) ${{ luna_set_int(v, k + one()); $}}\n"
    "C++ sub say(value v, string s) ${{ v.get_int(); $}}\n"
    "import far(real r, name v) as near_by;\n"
    "sub g(name v, int n) {\n"
    "    cf l[n]: put(v[n], n * n % 7) @ { req_count v[n] = 2; };\n"
    "} @ { nfparam f; locator_cyclic v[i] => i * f; }\n"
    "sub main(int n, string s) {\n"
    "    df x, y, z, stop;\n"
    "    for i = 0..n { g(x, i) @ { nfparam f => 2; }; }\n"
    "    while x[i] > 3 && i < n, i = 0..out stop let q = x[i] say(q, s + i) --> (x[i]);\n"
    "    near_by(real(stop) / 2, y) >> (z);\n"
    "    if z say(y, \"end\\n\");\n"
    "}\n";

struct compiled {
    struct lang l;
    struct buf dump;
    bool ok;
};

static void
compile(struct compiled *c, const char *text, const char *file, const char *dump)
{
    static struct one_file f;
    f = (struct one_file){text, strlen(text)};
    struct lang_options o = {.file = file, .prep = {.read = one_file_read, .read_who = &f}};
    c->dump = (struct buf){0};
    o.dump = dump;
    o.dump_out = &c->dump;
    c->ok = lang_compile(&c->l, &o);
}

static void
forget(struct compiled *c)
{
    lang_fini(&c->l);
    buf_fini(&c->dump);
}

TEST(a_valid_program_gives_all_products)
{
    struct compiled c;
    compile(&c, valid, "t.fa", NULL);
    CHECK(c.ok && !diag_errors(c.l.diag), "%d errors", diag_errors(c.l.diag));
    CHECK(strstr(c.l.c_text.data, "luna_program"), "%s", c.l.c_text.data);
    CHECK(strstr(c.l.c_blocks.data, "one(void)"), "%s", c.l.c_blocks.data);
    CHECK(strstr(c.l.cpp_blocks.data, "zero()"), "%s", c.l.cpp_blocks.data);
    forget(&c);
}

TEST(each_pass_can_be_dumped)
{
    static const char *const sign[] = {"C sub put(name v, int k) ${", "cf l[n]: put(v[n], ",
                                       "cf l#", "cf l#", "main", "main.x[]: written at 1",
                                       "placement", "luna_program"};
    int n = 0;
    for (const char *name; (name = lang_pass_name(n)); n++) {
        struct compiled c;
        compile(&c, valid, "t.fa", name);
        CHECK(c.ok && c.dump.size, "pass %s", name);
        CHECK(n < 8 && strstr(c.dump.data, sign[n]), "pass %s: %s", name, c.dump.data);
        forget(&c);
    }
    CHECK(n == 8 && !lang_pass_name(-1), "%d passes", n);
}

/* What is reported tells which passes ran. */
TEST(the_walk_goes_on_as_long_as_it_makes_sense)
{
    static const struct stop_case {
        const char *text, *told, *not_told;
    } cases[] = {
        /* Prep's fault, then grammar, but no names: the macro may have declared them. */
        {"sub main() { $NONE f(1 2); g(ghost); }", "PAR1", "SYN"},
        /* A broken call hides no name, but what it would have read or written. */
        {"import f(name) as f; sub main() { df x, y; f(x y); f(ghost); }", "SYN9", "SEM4"},
        {"import f(name) as f; sub main() { df x, y; f(x y); f(ghost); }", "PAR1", "SYN5.3"},
        /* A broken header hides its names. */
        {"import f(int) as f; sub main() { for i = 0 { f(i); } }", "PAR1", "SYN9"},
        /* Names and kinds are told together. */
        {"import f(int) as f; sub main() { f(ghost); f(1, 2); }", "SYN9", "PAR"},
        {"import f(int) as f; sub main() { f(ghost); f(1, 2); }", "SYN3", "PAR"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct compiled c;
        struct buf told = {0};
        compile(&c, cases[i].text, "t.fa", NULL);
        CHECK(c.ok && diag_errors(c.l.diag) > 0 && !c.l.c_text.size, "case %zu", i);
        diag_print_text(c.l.diag, &told);
        CHECK(strstr(told.data, cases[i].told), "case %zu: %s", i, told.data);
        CHECK(!strstr(told.data, cases[i].not_told), "case %zu: %s", i, told.data);
        buf_fini(&told);
        forget(&c);
    }
}

TEST(a_missing_file_is_one_report)
{
    struct compiled c;
    struct buf told = {0};
    compile(&c, "", "none.fa", NULL);
    CHECK(c.ok && diag_errors(c.l.diag) == 1, "%d errors", diag_errors(c.l.diag));
    diag_print_text(c.l.diag, &told);
    CHECK(strstr(told.data, "PP8"), "%s", told.data);
    buf_fini(&told);
    forget(&c);
}

TEST(any_change_of_the_program_changes_its_hash)
{
    static const char *const texts[] = {
        "C sub f(int a) ${{ a = 1; $}} sub main() f(1);",
        "C sub f(int a) ${{ a = 2; $}} sub main() f(1);",
        "C sub f(int a) ${{ a = 1; $}} sub main() f(2);",
    };
    struct compiled c[3];
    for (int i = 0; i < 3; i++) compile(&c[i], texts[i], "t.fa", NULL);
    for (int i = 0; i < 3; i++) {
        const struct buf *a = &c[i].l.c_text, *b = &c[(i + 1) % 3].l.c_text;
        CHECK(a->size && (a->size != b->size || memcmp(a->data, b->data, a->size)), "%d", i);
    }
    for (int i = 0; i < 3; i++) forget(&c[i]);
}

/* ---- size ---- */

#define SUBS                                                                                       \
    "C++ sub seti(name v, int k) ${{ v = k; $}}\n"                                                 \
    "C++ sub say(int k) ${{ putchar(k); $}}\n"

static void
compile_only(const char *text)
{
    struct compiled c;
    compile(&c, text, "t.fa", NULL);
    CHECK(c.ok, "no memory");
    forget(&c);
}

/* `line` with its number for each %d, `n` times. */
static char *
many(const char *before, const char *line, const char *after, int n)
{
    struct buf b = {0};
    buf_str(&b, before);
    for (int i = 0; i < n; i++) buf_printf(&b, line, i, i, i, i);
    buf_str(&b, after);
    return b.data;
}

static double
now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* With sanitizers each takes about a second; a quadratic pass would take minutes. */
TEST(size_does_no_harm)
{
    static const struct { const char *before, *line, *after;
    } cases[] = {
        {SUBS "sub main() { df x; seti(x[-1], 1);", "seti(x[%d], x[%d - 1]);\n", "}"},
        {SUBS "sub main(int n) { df x;", "if n == %d seti(x, %d);\n", "say(x); }"},
        {SUBS "sub main() { df x;", "if %d seti(x, 1);\n", "}"},
        {SUBS "sub s0(name v) seti(v[0], 1);\n",
         "sub t%d(name v, int k) { s0(v[%d]); t%d(v, k + 1); }\n",
         "sub main() { df x; t3(x, 1); say(x); }"},
        {SUBS "sub main() {", "for i = 3 .. 1 { df t%d; say(%d); }\n", "}"},
        {SUBS "sub main(int n) { let a = n", ", a%d = n + %d", " say(1); }"},
        {SUBS "sub main() { df x;", "seti(x[%d], x[(%d + 1) %% 9999]);\n", "}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = many(cases[i].before, cases[i].line, cases[i].after, 15000);
        double start = now_s();
        compile_only(text);
        CHECK(now_s() - start < 20, "case %zu: %.1f s", i, now_s() - start);
        free(text);
    }
}

TEST(long_chains_of_lets_are_no_danger)
{
    char *sum = many(SUBS "sub main(int n) { let a = n, b = a", ", a%d = b * n + %d, b%d = a%d",
                     " say(b14999); }", 15000);
    compile_only(sum);
    free(sum);
    struct buf b = {0};
    buf_str(&b, SUBS "sub main(int n) { df x; let a0 = n");
    for (int i = 0; i < 12000; i++) buf_printf(&b, ", a%d = a%d %% 7 + a%d", i + 1, i, i);
    buf_str(&b, " { if a12000 > 3 say(a12000); seti(x[a12000], 1); } }");
    compile_only(b.data);
    buf_fini(&b);
}

/* ---- memory ---- */

TEST(every_failed_allocation_is_clean)
{
    struct compiled c = {.ok = false};
    long n = 0;
    for (; !c.ok; n++) {
        mem_fail_after(n);
        compile(&c, valid, "t.fa", NULL);
        mem_fail_after(-1);
        if (c.ok) CHECK(c.l.c_text.size && !diag_errors(c.l.diag), "after %ld", n);
        forget(&c);
    }
    CHECK(n > 5, "only %ld allocations", n);
}

TEST_MAIN(T(a_valid_program_gives_all_products), T(each_pass_can_be_dumped),
          T(the_walk_goes_on_as_long_as_it_makes_sense), T(a_missing_file_is_one_report),
          T(any_change_of_the_program_changes_its_hash), T(size_does_no_harm),
          T(long_chains_of_lets_are_no_danger), T(every_failed_allocation_is_clean))
