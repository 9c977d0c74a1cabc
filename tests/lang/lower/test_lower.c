/* test_lower.c - the plans of the programs in programs/, and what is hard to see in a plan.
 *
 * NAME.fa has NAME.plan beside it: what `luna dump --pass=lower` prints. LUNA_UPDATE=1 writes the
 * .plan files anew; read the difference before you commit it. */
#include "tests/lang/lowered.h"

#include "runtime/base/mem.h"

#include <dirent.h>
#include <time.h>
#include <unistd.h>

static struct lowered l;

static const char *
dump_of(const char *text)
{
    lowered_fini(&l);
    return lowered_run(&l, "a.fa", text) ? lowered_dump(&l) : "no memory";
}

/* The first line of what is reported. */
static const char *
report_of(const char *text)
{
    dump_of(text);
    char *end = strchr(l.text.data, '\n');
    if (end) *end = 0;
    return l.text.data;
}

/* ---- golden plans ---- */

static void
check_plan(const char *name)
{
    char fa[300], plan[300];
    snprintf(fa, sizeof fa, "%.200s", name);
    snprintf(plan, sizeof plan, "%.*s.plan", (int)strlen(fa) - 3, fa);
    lowered_fini(&l);
    lowered_run(&l, fa, NULL);
    const char *have = lowered_dump(&l);
    if (getenv("LUNA_UPDATE")) file_write(plan, have);
    char *want = file_text(plan);
    CHECK(want, "%s is missing", plan);
    if (strcmp(have, want)) printf("%s differs\n", plan);
    CHECK_STR(have, want);
    free(want);
}

TEST(plans_of_the_folder)
{
    int n = 0;
    CHECK(!chdir(TEST_DIR "/programs"), "no folder");
    DIR *dir = opendir(".");
    for (struct dirent *d; (d = readdir(dir)) && !check_failed;) {
        size_t size = strlen(d->d_name);
        if (size < 4 || strcmp(d->d_name + size - 3, ".fa")) continue;
        check_plan(d->d_name);
        n++;
    }
    closedir(dir);
    CHECK(check_failed || n >= 8, "%d programs", n);
}

/* ---- rows ---- */

TEST(equal_references_are_one_row)
{
    struct buf text = {0};
    buf_str(&text, "import f(value, name) as f; sub main(int n) { df x, y; for i = 0 .. n {\n");
    for (int i = 0; i < 1000; i++) buf_str(&text, "f(x[i][2 * n + i], y[i + 1]);\n");
    buf_str(&text, "} }");
    dump_of(text.data);
    buf_fini(&text);
    CHECK(l.plan && l.plan->sites.n == 1001, "%u sites", l.plan ? l.plan->sites.n : 0);
    CHECK(l.plan->refs.n == 2, "%u references", l.plan->refs.n);
    CHECK(l.plan->ins.n == 1 && l.plan->args.n == 2, "%u, %u", l.plan->ins.n, l.plan->args.n);
    CHECK(l.plan->exprs.n <= 8, "%u expressions", l.plan->exprs.n);
}

TEST(statements_of_a_block_are_consecutive)
{
    dump_of("import f(int) as f; sub main() {"
            " f(1); if 1 { f(2); for i = 0..1 { f(3); f(4); } f(5); }"
            " let a = 6 { f(a); f(a + 1); } f(8); }");
    const struct plan *p = l.plan;
    CHECK(p, "%s", lowered_errors(&l));
    const struct plan_block *b = &p->blocks.row[p->subs.row[p->main].body];
    CHECK(b->nsites == 5, "%u", b->nsites);
    for (uint32_t i = 0; i < p->blocks.n; i++)
        for (uint32_t s = 0; s < p->blocks.row[i].nsites; s++)
            CHECK(p->sites.row[p->blocks.row[i].site + s].stmt, "block %u has a hole", i);
    CHECK(p->sites.row[b->site + 3].stmt->args->kind == E_BIN, "order of the let's statements");
}

TEST(names_of_a_sub_called_by_nobody_are_left_out)
{
    dump_of("import f() as f; import g() as g; sub a() g(); sub b() f(); sub main() b();");
    CHECK(l.plan->subs.n == 2 && l.plan->functions.n == 1, "%u, %u", l.plan->subs.n,
          l.plan->functions.n);
}

/* ---- loops that carry ---- */

static bool
is_carried(const char *body)
{
    char text[600];
    snprintf(text, sizeof text,
             "import w(name) as w; import r(value) as r; import wr(value, name) as wr;"
             "sub s(name p) w(p); sub main(int n) { df x, y, z; for i = 0 .. n %s }", body);
    dump_of(text);
    if (!l.plan) printf("%s\n", l.text.data);
    const struct plan *p = l.plan;
    return p && p->sites.row[p->blocks.row[p->subs.row[p->main].body].site].flags & PF_CARRIED;
}

TEST(carried_loops)
{
    static const struct { bool carried; const char *body; } cases[] = {
        {false, "w(x[i]);"},
        {false, "r(x[i]);"},
        {false, "wr(x[i], y[i + 1]);"},
        {false, "wr(x[i], x[i]);"},
        {true, "wr(x[i], x[i + 1]);"},
        {true, "wr(x[0], x[i]);"},
        {true, "wr(x[i * i], x[i]);"},
        {true, "wr(x[n - i], x[i]);"},
        {false, "wr(x[n - i], x[n - i]);"},
        {false, "wr(x[n][i], x[n + 1][i + 1]);"},
        {false, "wr(x[1], x[2]);"},
        {true, "wr(x[1], x[n]);"},
        {false, "wr(x[i], x);"},             /* x is another DF than x[i] */
        {false, "wr(x[i][0], x[i]);"},
        {true, "{ df k; wr(x[i - 1], k); w(x[i]); }"},
        {false, "{ df k; w(k[i]); r(k[i + 1]); }"},
        {false, "for j = 0 .. n wr(x[i][j], x[i][j + 1]);"},
        {true, "for j = 0 .. n wr(x[i + j], x[i + j]);"},
        {true, "for j = 0 .. n wr(x[j], x[j]);"},
        {true, "if i wr(x[i], x[i + 1]);"},
        {true, "r(1) >> (x[x[i]]);"},
        {true, "{ r(x[i]); r(1) >> (x[i + 1]); }"},
        {true, "{ w(x[i + 1]); for j = 0 .. x[i] r(1); }"},
        {true, "{ r(y[i]); while x[i] > k, k = 0 .. out x[i + 1] r(1); }"},
        {true, "s(x);"},
        {false, "s(x[i]);"},
        {true, "{ s(x[i]); r(x[i - 1][5]); }"},
        {false, "{ s(x[i]); r(x[i][5]); }"},
        {true, "let q = x[i] wr(q, x[i + 1]);"},
        {true, "{ cf a: r(x) @ { wait x; }; w(x) @ { afterpush x => a; }; }"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(is_carried(cases[i].body) == cases[i].carried, "%s", cases[i].body);
}

TEST(many_forms_are_carried_without_comparing)
{
    struct buf text = {0};
    buf_str(&text, "{");
    for (int i = 0; i < 8000; i++) buf_printf(&text, "wr(x[%d * i], x[%d * i]);\n", i + 1, i + 1);
    buf_str(&text, "}");
    struct buf all = {0};
    buf_printf(&all, "import wr(value, name) as wr; sub main(int n) { df x; for i = 0 .. n %s }",
               text.data);
    clock_t start = clock();
    const char *dump = dump_of(all.data);
    double s = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(strstr(dump, "carried"), "not carried");
    CHECK(s < 5, "%.1f s", s);
    buf_fini(&text);
    buf_fini(&all);
}

/* ---- what is refused ---- */

TEST(faults_that_only_lowering_sees)
{
    static const struct { const char *text, *report;
    } cases[] = {
        {"import r(value) as r; sub main() { df x; r(x[1][2]); } @ { locator_cyclic x[i] => i; }",
         "a.fa:1:44: error[EXT6]: 'x' has 2 indices here, but 1 in its locator"},
        {"import r(value) as r; sub main() { df x; r(x); } @ { locator_cyclic x => x + 1; }",
         "a.fa:1:54: error[SEM3.2]: the locator of 'x' depends on values whose locators depend on "
         "values, without end"},
        {"import r(int) as r; sub main() for i = 0 .. 1 { r(i); } @ { weight: 1 + i; }",
         "a.fa:1:73: error[SYN9]: 'i' counts inside this loop and is not known outside"},
        {"import w(name) as w; sub main() for i = 0 .. 1 { df x; w(x); } @ { request x; }",
         "a.fa:1:76: error[SYN9]: 'x' belongs to an iteration of this loop and is not known "
         "outside"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_STR(report_of(cases[i].text), cases[i].report);
}

TEST(a_loop_has_no_node_for_each_iteration)
{
    static const char *const cases[] = {
        "import r(int) as r; sub main() for i = 0 .. 1 { r(i); } @ { locator_cyclic: 2 * i; }",
        "import r(int) as r; sub main() for i = 0 .. 1 { df x; r(x); } @ { locator_cyclic: x[1]; }",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dump_of(cases[i]);
        CHECK(l.plan && !diag_errors(l.diag) && !l.plan->rules.n, "%s", l.text.data);
        CHECK(diag_warnings(l.diag) == 1, "%d", diag_warnings(l.diag));
    }
    dump_of("import r(int) as r; sub main() { df w; while i < 3, i = 0 .. out w { r(i); }"
            " @ { locator_cyclic: i; } }");
    CHECK(l.plan && l.plan->rules.n == 1 && !diag_warnings(l.diag), "%s", l.text.data);
}

TEST(lets_that_double_are_told)
{
    struct buf text = {0};
    buf_str(&text, "import f(int) as f; sub main(int n) { let a0 = n + n");
    for (int i = 1; i < 60; i++) buf_printf(&text, ", a%d = a%d + a%d", i, i - 1, i - 1);
    buf_str(&text, " f(a59); }");
    const char *report = report_of(text.data);
    CHECK(strstr(report, "error[EXT17]: the expression behind 'a"), "%s", report);
    buf_fini(&text);
}

/* ---- size and time ---- */

/* The parser bounds what is written; lets go deeper. */
TEST(deep_expressions)
{
    struct buf text = {0};
    buf_str(&text, "import f(value) as f; sub main(int n) { df x; let a0 = x + n");
    for (int i = 1; i < 900; i++) buf_printf(&text, ",\na%d = 1 - (a%d - x * n)", i, i - 1);
    buf_str(&text, " f(a899); }");
    dump_of(text.data);
    buf_fini(&text);
    CHECK(l.plan && !diag_errors(l.diag), "%.300s", l.text.data);
    CHECK(l.plan->ins.n == 1, "%u", l.plan->ins.n);
}

TEST(deep_references)
{
    struct buf text = {0};
    const int depth = 1000;
    buf_str(&text, "import f(value) as f; sub main(int n) { df x; let a0 = x[n]");
    for (int i = 1; i < depth; i++) buf_printf(&text, ",\na%d = x[a%d]", i, i - 1);
    buf_printf(&text, " f(a%d); }", depth - 1);
    dump_of(text.data);
    buf_fini(&text);
    CHECK(l.plan && !diag_errors(l.diag), "%.300s", l.text.data);
    CHECK(l.plan->ins.n == (uint32_t)depth && l.plan->ins.row[depth - 1].round == depth - 1, "%u",
          l.plan->ins.n);
}

TEST(many_statements_take_linear_time)
{
    struct buf text = {0};
    buf_str(&text, "import f(int, name) as f; import g(value, value, name) as g;\n"
                   "sub main(int a) { df x, y;\n");
    for (int i = 0; i < 15000; i += 3) {
        buf_printf(&text, "f(%d, x[%d]);\n", i, i);
        buf_printf(&text, "if a > %d g(x[%d], y[a * %d], y[%d]) @ { req_count y[%d] = %d; };\n", i,
                   i, i, i + 1, i + 1, i % 7);
        buf_printf(&text, "for i = 0 .. a g(x[%d], y[i], y[i + %d]);\n", i, i);
    }
    buf_str(&text, "} @ {");
    for (int i = 0; i < 300; i++) buf_printf(&text, "locator_cyclic z%d[i] => i;\n", i);
    buf_str(&text, "locator_cyclic x[i] => i; locator_cyclic y[i] => i + a; }");
    lowered_fini(&l);
    lowered_run(&l, "a.fa", text.data);
    CHECK(!diag_errors(l.diag), "%s", lowered_errors(&l));
    clock_t start = clock();
    l.plan = lower_run(l.arena, l.source, l.tree, l.diag);
    double s = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(l.plan->sites.n == 25000, "%u", l.plan->sites.n);
    CHECK(s < 2, "%.2f s", s); /* 0.1 s without sanitizers */
    buf_fini(&text);
}

TEST(every_failed_allocation_is_told)
{
    char *text = file_text(TEST_DIR "/programs/rules.fa");
    long n = 0;
    for (bool good = false; !good; n++) {
        lowered_fini(&l);
        mem_fail_after(n);
        good = lowered_run(&l, "a.fa", text);
        mem_fail_after(-1);
    }
    CHECK(n > 3, "%ld", n);
    CHECK(l.plan && l.plan->sites.n, "no plan");
    free(text);
    lowered_fini(&l);
}

TEST_MAIN(T(plans_of_the_folder), T(equal_references_are_one_row),
          T(statements_of_a_block_are_consecutive), T(names_of_a_sub_called_by_nobody_are_left_out),
          T(carried_loops), T(many_forms_are_carried_without_comparing),
          T(faults_that_only_lowering_sees), T(a_loop_has_no_node_for_each_iteration),
          T(lets_that_double_are_told), T(deep_expressions),
          T(deep_references), T(many_statements_take_linear_time),
          T(every_failed_allocation_is_told))
