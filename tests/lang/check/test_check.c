/* test_check.c - the parts of the checks that have an interface of their own, and what golden files
 * cannot show: memory that runs out. Reports word for word are in ../diag/. */
#include "lang/check/check.h"
#include "lang/check/check_facts.h"
#include "lang/resolve/resolve.h"
#include "lang/tree/rules.h"
#include "tests/lang/parsed.h"

#include <limits.h>

/* ---- programs in memory ---- */

static void
checked(struct parsed *p, struct buf *out)
{
    (void)out;
    if (p->tree->lost) return;
    bool broken = diag_errors(p->diag);
    resolve_run(p->arena, p->tree, p->diag);
    if (!broken) check_run(p->arena, p->tree, p->diag);
}

/* The reports. */
static const char *
told(const char *text)
{
    static struct buf out;
    buf_clear(&out);
    if (!parsed_told(text, strlen(text), checked, &out)) return "no memory";
    buf_str(&out, "");
    return out.data;
}

static struct parsed program;
static const struct ast *tree;
static struct facts *facts;

static void
find_facts(struct parsed *p, struct buf *out)
{
    (void)out;
    resolve_run(p->arena, p->tree, p->diag);
    tree = p->tree;
    facts = facts_new(p->arena, p->tree, p->diag);
}

/* The facts of a program without errors; forget() is due. */
static struct facts *
facts_of(const char *text)
{
    struct buf out = {0};
    parsed_run(&program, text, strlen(text), find_facts, &out);
    return facts;
}

static void
forget(void)
{
    parsed_fini(&program);
}

#define SUBS                                                                                       \
    "C++ sub seti(name v, int k) ${{ v = k; $}}\n"                                                 \
    "C++ sub say(int k) ${{ putchar(k); $}}\n"

/* ---- normal forms ---- */

/* All writes of main name one fragment, or all name different ones. */
static int
distinct_keys(const char *body)
{
    char text[1000];
    int keys[32], n = 0;
    snprintf(text, sizeof text, SUBS "sub main(int n, int m, real r) { df x, y; seti(y, 1); %s }",
             body);
    struct facts *f = facts_of(text);
    for (int i = 0; i < f->nuses; i++) {
        const struct use *u = &f->uses[i];
        if (u->kind != USE_WRITE || strcmp(u->target.sym->name.text, "x")) continue;
        int k = 0;
        while (k < n && keys[k] != u->target.key) k++;
        if (k == n) keys[n++] = u->target.key;
    }
    forget();
    return n;
}

TEST(equal_references_have_equal_keys)
{
    static const char *const same[] = {
        "seti(x[n+1], 1); seti(x[1+n], 1); seti(x[n+3-2], 1); seti(x[2*n-n+1], 1);",
        "seti(x[-1], 1); seti(x[all], 1); seti(x[2-3], 1); seti(x[0-1], 1);",
        "seti(x[n*m][y], 1); let i = y seti(x[n*m][i], 1); let v = x[n*m] seti(v[y+0], 1);",
        "seti(x[(n+m)/2], 1); seti(x[(m+n)/2], 1);",
        "seti(x[2*(n+m)], 1); seti(x[n*2+2*m], 1);",
        "seti(x[int(n)], 1); seti(x[n], 1); seti(x[-(0-n)], 1);",
        "seti(x[2147483647+1], 1); seti(x[-2147483647-1], 1);",
        "seti(x[y[n+1]], 1); seti(x[y[1+n]], 1);",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        CHECK(distinct_keys(same[i]) == 1, "%s: %d", same[i], distinct_keys(same[i]));
}

TEST(different_references_have_different_keys)
{
    static const struct { const char *body; int n; } cases[] = {
        {"seti(x, 1); seti(x[0], 1); seti(x[0][0], 1); seti(x[1], 1);", 4},
        {"seti(x[n+m], 1); seti(x[n], 1); seti(x[m], 1); seti(x[n][m], 1);", 4},
        {"seti(x[n/2*2], 1); seti(x[n], 1); seti(x[2*(n/2)+1], 1);", 3},
        {"seti(x[n%3], 1); seti(x[n/3], 1); seti(x[n-3], 1);", 3},
        {"for i = 0..1 seti(x[i], 1); for i = 0..1 seti(x[i], 1);", 2},
        {"seti(x[int(r)], 1); seti(x[int(r+1.0)], 1); seti(x[n>m], 1); seti(x[n<m], 1);", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n = distinct_keys(cases[i].body);
        CHECK(n == cases[i].n, "%s: %d", cases[i].body, n);
    }
}

TEST(folding_computes_as_the_run_time)
{
    static const struct { const char *e; int value;
    } cases[] = {
        {"5 / 2", 2},
        {"-5 / 2", -2},
        {"-5 % 3", -2},
        {"5 % -3", 2},
        {"7 / 2.0 > 3", 1},
        {"1 < 2 == 1", 1},
        {"0 < 5 < 3", 1},
        {"1 ? 2 : 0 ? 5 : 6", 5},
        {"0.5 || 0", 0},
        {"1.5 && 1", 1},
        {"int(7.9)", 7},
        {"real(7) / 2 == 3.5", 1},
        {"2147483647 + 1 < 0", 1},
        {"all", -1},
        {"--3", 3},
        {"int(-0.5)", 0},
        {"(-2147483647 - 1) / -1", INT_MIN},
        {"(-2147483647 - 1) % -1", 0},
        {"int((1 ? 7 : 2.5) / 2 * 10)", 35},
        {"3e9 && 1", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        struct known v;
        snprintf(text, sizeof text, SUBS "sub main() say(%s);", cases[i].e);
        struct facts *f = facts_of(text);
        CHECK(form_fold(f->sites[0].stmt->args, NULL, &v), "%s", cases[i].e);
        CHECK(forms_known_int(v) == cases[i].value, "%s: %d", cases[i].e, forms_known_int(v));
        forget();
    }
}

TEST(what_would_fault_is_not_folded)
{
    static const char *const cases[] = {"1 / 0", "1 % (2 - 2)", "n + 1", "0.0 / 0.0 % 1"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        struct known v;
        snprintf(text, sizeof text, SUBS "sub main(int n) say(%s);", cases[i]);
        struct facts *f = facts_of(text);
        CHECK(!form_fold(f->sites[0].stmt->args, NULL, &v), "%s", cases[i]);
        forget();
    }
}

/* ---- what the text of a ucode tells ---- */

static enum value_kind
output_of(const char *lang_word, const char *body)
{
    char text[600];
    snprintf(text, sizeof text,
             "%s sub f(int k, real r, string s, value u, name v) ${<STOP} { %s } STOP\n"
             "sub main() { df x; f(1, 2.0, \"s\", 3, x); }", lang_word, body);
    facts_of(text);
    enum value_kind h = facts_ucode_output(tree->subs, tree->subs->params->next->next->next->next);
    forget();
    return h;
}

TEST(outputs_with_one_assignment_have_a_type)
{
    static const struct { const char *lang, *body; enum value_kind held; } cases[] = {
        {"C++", "v = k;", VALUE_INT},
        {"C++", "v = -k * (2 + k);", VALUE_INT},
        {"C++", "v = k * 2.5;", VALUE_REAL},
        {"C++", "if (k) v = r;", VALUE_REAL},
        {"C++", "v = \"text\";", VALUE_STRING},
        {"C++", "v.setValue(s);", VALUE_STRING},
        {"C++", "/* v = r; */ v = k; // v = s\n", VALUE_INT},
        {"C++", "double *p = v.create<double>(8); p[0] = 1;", VALUE_BYTES},
        {"C", "luna_set_real(v, r);", VALUE_REAL},
        {"C", "void *p = luna_create(v, 80);", VALUE_BYTES},
        {"C++", "puts(\"v = 1;\"); v = r;", VALUE_REAL},
        /* not certain */
        {"C++", "v = u;", VALUE_UNKNOWN},
        {"C++", "v = k; v = r;", VALUE_UNKNOWN},
        {"C++", "fill(v, k);", VALUE_UNKNOWN},
        {"C++", "v = g(k);", VALUE_UNKNOWN},
        {"C++", "v = k ? r : k;", VALUE_UNKNOWN},
        {"C++", "v == k;", VALUE_UNKNOWN},
        {"C++", "x.v = k;", VALUE_UNKNOWN},
        {"C++", "auto &w = v; w = 1;", VALUE_UNKNOWN},
        {"C++", "DF v = k;", VALUE_UNKNOWN},
        {"C++", "v = 1e3;", VALUE_UNKNOWN},
        {"C++", "v = s + k;", VALUE_UNKNOWN},
        {"C++", "", VALUE_UNKNOWN},
        {"C++", "v = \"no end", VALUE_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum value_kind h = output_of(cases[i].lang, cases[i].body);
        CHECK(h == cases[i].held, "%s: %d", cases[i].body, (int)h);
    }
}

TEST(a_ucode_that_may_exit_is_known)
{
    static const struct { const char *body; bool may; } cases[] = {
        {"printf(\"exit(1)\"); // exit(2)\n", false},
        {"if (k) { v = k; } for (int i = 0; i < k; i++) { }", false},
        {"v.setValue(k);", false},
        {"exit(0);", true},
        {"if (k) throw 1;", true},
        {"helper(k);", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "C++ sub f(int k, name v) ${<STOP} { %s } STOP\nsub main() { df x; f(1, x); }",
                 cases[i].body);
        facts_of(text);
        CHECK(facts_ucode_may_exit(tree->subs) == cases[i].may, "%s", cases[i].body);
        forget();
    }
}

/* ---- what runs, what subs do ---- */

static const struct site *
site_of(const struct facts *f, const char *callee)
{
    for (int i = 0; i < f->nsites; i++) {
        const struct stmt *s = f->sites[i].stmt;
        if (s->kind == S_CALL && !strcmp(s->callee.text, callee)) return &f->sites[i];
    }
    return NULL;
}

TEST(certain_is_what_no_input_can_avoid)
{
    static const struct { const char *around; bool certain; } cases[] = {
        {"%s", true},
        {"if 1 { %s }", true},
        {"if n { %s }", false},
        {"if 0 { %s }", false},
        {"for i = 0 .. 0 { %s }", true},
        {"for i = 1 .. 0 { %s }", false},
        {"for i = n .. n + 1 { %s }", true},
        {"for i = n .. n - 1 { %s }", false},
        {"for i = 0 .. n { %s }", false},
        {"let q = n { %s }", true},
        {"while i < 2, i = 1 .. out x { %s }", true},
        {"while i < 2, i = 2 .. out x { %s }", false},
        {"while i < n, i = 0 .. out x { %s }", false},
        {"for i = 0 .. 2 { let q = i { if 2 > 1 { %s } } }", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[200], text[700];
        snprintf(body, sizeof body, cases[i].around, "say(7);");
        snprintf(text, sizeof text,
                 SUBS "sub f(int n) { df x; %s seti(x, 1); }\nsub main(int n) f(n);", body);
        struct facts *f = facts_of(text);
        const struct site *s = site_of(f, "say");
        CHECK(facts_certain(f, (int)(s - f->sites)) == cases[i].certain, "%s", cases[i].around);
        forget();
    }
}

TEST(effects_go_through_calls_and_recursion)
{
    struct facts *f = facts_of(SUBS
        "sub down(name v, int n) { seti(v[n], n); if n > 0 down(v, n - 1); }\n"
        "sub deep(name v, int n) { say(v); deep(v[n], n); }\n"
        "sub swap(name a, name b, int n) { if n swap(b, a, n - 1); seti(a, n); }\n"
        "sub main() { df x, y, p, q; down(x[1], 3); deep(y, 2); swap(p, q, 4); }");
    const struct symbol *x = tree->main->body->dfs, *y = x->next, *p = y->next, *q = p->next;
    CHECK(facts_df(f, x)->writes == 4 && !facts_df(f, x)->reads, "%x", facts_df(f, x)->writes);
    CHECK(facts_df(f, y)->reads == 0xffffffffu, "%x", facts_df(f, y)->reads);
    CHECK(facts_df(f, p)->writes == 1 && facts_df(f, q)->writes == 1);
    const struct sub *swap = tree->main;
    for (swap = tree->subs; strcmp(swap->name.text, "swap"); ) swap = swap->next;
    CHECK(facts_df(f, swap->params)->neffects == 1); /* a surely, b only if n */
    CHECK(facts_df(f, swap->params->next)->neffects == 0);
    forget();
}

TEST(rules_are_found_by_name)
{
    CHECK(rule_find("req_count") == RULE_REQ_COUNT);
    CHECK(rule_find("reqcount") == RULE_UNKNOWN);
}

/* ---- reports ---- */

TEST(memory_may_run_out)
{
    const char *text = SUBS
        "sub g(name v, int n) { seti(v[n], n); if n > 0 g(v, n - 1); } @ { locator_cyclic v[i] => "
        "i; }\n"
        "sub main() { df a, b, c; g(a, 3); seti(b, c); seti(c, b); say(b) @ { request a[1]; };\n"
        "  for i = 0 .. 3 seti(a, i); let q = a[2] say(q + q[1]); if b > 0 || b <= 0 say(1); }\n";
    CHECK(strstr(told(text), "error["), "%s", told(text));
    parsed_without_memory(text, checked);
}

TEST(nothing_follows_from_what_was_reported)
{
    CHECK(!strstr(told(SUBS "sub main() { df a; sya(a); say(a); }"), "SEM"), "%s", told(""));
    CHECK(!strstr(told(SUBS "sub main() { df a; seti(a); say(a); }"), "SEM"));
    CHECK(!strstr(told(SUBS "sub main() { df a; seti(b, 1); say(b[a]); seti(a, 1); }"), "SEM"));
}

TEST_MAIN(T(equal_references_have_equal_keys), T(different_references_have_different_keys),
          T(folding_computes_as_the_run_time), T(what_would_fault_is_not_folded),
          T(outputs_with_one_assignment_have_a_type), T(a_ucode_that_may_exit_is_known),
          T(certain_is_what_no_input_can_avoid), T(effects_go_through_calls_and_recursion),
          T(rules_are_found_by_name), T(memory_may_run_out),
          T(nothing_follows_from_what_was_reported))
