/* test_emit.c - the emitted C: compilers accept it without a word, people can read it, and it
 * computes what the language says.
 *
 * programs/hello.c and hello.blocks are the text of one program; LUNA_UPDATE=1 makes them. */
#include "tests/lang/lowered.h"

#include "runtime/table/eval.h"
#include "runtime/ucode/df.h"

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct lowered l;
static char folder[] = "/tmp/luna-test-emit-XXXXXX";

/* ---- compilers ---- */

static const char *const compilers[] = {"gcc", "clang"};

static bool
has_compiler(const char *cc)
{
    char command[100];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", cc);
    return !system(command);
}

/* Compiles `text`; false when the compiler had anything to say. */
static bool
compiles(const char *cc, const char *suffix, const char *flags, const char *text)
{
    char path[100], command[1000];
    snprintf(path, sizeof path, "%s/t.%s", folder, suffix);
    file_write(path, text);
    snprintf(command, sizeof command,
             "%s %s -fPIC -fwrapv -Wall -Wextra -Werror -I%s/../../runtime %s -o %s/t.so", cc,
             flags, TEST_DIR, path, folder);
    return !system(command);
}

static void
check_compiles(const char *name, const char *text)
{
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        if (has_compiler(compilers[i]))
            CHECK(compiles(compilers[i], "c", "-std=gnu11 -O0 -c", text), "%s: %s", compilers[i],
                  name);
}

TEST(plans_compile_without_warnings)
{
    CHECK(!chdir(TEST_DIR "/programs"), "no folder");
    DIR *dir = opendir(".");
    for (struct dirent *d; (d = readdir(dir)) && !check_failed;) {
        size_t size = strlen(d->d_name);
        if (size < 4 || strcmp(d->d_name + size - 3, ".fa")) continue;
        lowered_fini(&l);
        lowered_run(&l, d->d_name, NULL);
        if (l.plan) check_compiles(d->d_name, lowered_c(&l));
        else printf("%s: %s\n", d->d_name, lowered_errors(&l));
    }
    closedir(dir);
}

/* What C and its comments could stumble over. */
TEST(odd_texts_compile)
{
    static const char text[] =
        "import exp(int) as int32_t; import main(string, value) as NONE; import write(real) as L;\n"
        "import init() as luna_program; import errno(name) as e;\n"
        "sub main(int n, string text) { df call_0, exprs, x0, F;\n"
        "  int32_t(n * n * (2147483647 + 1 - 2147483648));\n"
        "  NONE(\"*/ /* ?\?= \\\" \\\\ \\n \xd0\x96 %s //\" + text, n ? \"*/\" : text);\n"
        "  NONE(text + \"/*\", (n < 2) < 3 == 4 != (n && n || n));\n"
        "  L(1.0 / 0); L(-(0.0 / 0)); L(100000000000000000000000.0 * n); L(0.1 / (0.0 - n));\n"
        "  luna_program(); e(call_0[exprs[n * n]]); e(exprs[F - -5 - - n * -2147483648]);\n"
        "  L(F / 2 * -F); L(n * -2147483648 - (-2147483648) - (n / -1 % -2147483648));\n"
        "  L(n == n || n * n == n * n && n - 1 < n); L((n ? 1 : 2) ? 3 : 4); L(n && 5 || 0 && n);\n"
        "  L(x0 && (n < 1 ? 1 : n)); L(-(n < 1) * ((n < 2) + 1)); L((n || n) < n); \n"
        "  L(- - - n * n);\n"
        "}\n";
    lowered_fini(&l);
    lowered_run(&l, "we\"ird\\name.fa", text);
    CHECK(l.plan, "%s", lowered_errors(&l));
    check_compiles("odd", lowered_c(&l));
}

/* ---- texts for people ---- */

/* Numbers of enums never go from plan.h to program.h by value. */
TEST(flags_and_operations_go_by_name)
{
    static const struct { const char *body, *want; } cases[] = {
        {"reduce + x[i] over i = 0 .. n => s;", "S_REDUCE(0, "},
        {"reduce + x[i] over i = 0 .. n => s;", ", LUNA_R_ADD, 1, "},
        {"reduce * x[i] over i = 0 .. n => s;", ", LUNA_R_MUL, 1, "},
        {"reduce min x[i] over i = 0 .. n => s;", ", LUNA_R_MIN, 1, "},
        {"reduce max x[i + j] over i = 0 .. n, j = 1 .. n => s;", ", LUNA_R_MAX, 2, "},
        {"reduce && x[i] over i = 0 .. n => s;", ", LUNA_R_AND, 1, "},
        {"reduce || x[i] over i = 0 .. n => s;", ", LUNA_R_OR, 1, "},
        {"reduce join x[i] over i = 0 .. n => s;", ", LUNA_R_SUB, 1, "},
        {"reduce + int(x[i]) over i = 0 .. n => s;", "S_REDUCE(LUNA_F_INTS, "},
        {"reduce + real(x[i]) over i = 0 .. n => s;", "S_REDUCE(LUNA_F_REALS, "},
        {"reduce + int64(x[i]) over i = 0 .. n => s;", "S_REDUCE(LUNA_F_INT64, "},
        {"reduce min float(x[i]) over i = 0 .. n => s;", "S_REDUCE(LUNA_F_FLOAT, "},
        {"reduce * complex(x[i]) over i = 0 .. n => s;", "S_REDUCE(LUNA_F_COMPLEX, "},
        {"glue(x[i] over i = 0 .. n, s);", "S_LISTS(0, "},
        {"glue(x[i] over i = 0 .. n, s);", "S_LIST(0, "},
        {"glue(x[i] over i = 0 .. n, s);", "S_TERM(0, "},
        {"cut(n, x[i] over i = 0 .. n);", "S_ELEMENT(0, "},
        {"cut(n, x[i] over i = 0 .. n);", "{\"cut\", call_0, \"iN\", "},
        {"glue(x[i] over i = 0 .. n, s);", "luna_u_0(const struct luna_list *, struct luna_df *)"},
        {"put(n, x) @ { stealable; };", "S_CALL(LUNA_F_STEALABLE, "},
        {"for i = 1 .. n { df y; put(i, y); join(y, x[i - 1], x[i]); }",
         "S_FOR(LUNA_F_FRESH | LUNA_F_CARRIED, "},
        {"for i = 1 .. n put(i, x[i]);", "S_FOR(0, "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "import put(int, name) as put; import join(value, value, name) as join;\n"
                 "import glue(value[], name) as glue; import cut(int, name[]) as cut;\n"
                 "sub main(int n) { df x, s; %s }", cases[i].body);
        lowered_fini(&l);
        lowered_run(&l, "t.fa", text);
        CHECK(l.plan, "%s", lowered_errors(&l));
        CHECK(strstr(lowered_c(&l), cases[i].want), "%s: no %s", cases[i].body, cases[i].want);
    }
}

static void
check_text(const char *path, const char *have)
{
    if (getenv("LUNA_UPDATE")) file_write(path, have);
    char *want = file_text(path);
    CHECK(want, "%s is missing", path);
    CHECK_STR(have, want);
    free(want);
}

static const char *
blocks_of(struct lowered *p)
{
    static const char *const lang[] = {"C", "C++"};
    struct buf all = {0};
    for (int i = 0; i < 2; i++) {
        enum foreign_lang in = i ? LANG_CPP : LANG_C;
        buf_printf(&all, "==== blocks, %s\n", lang[i]);
        emit_blocks(p->plan, p->tree, in, &all);
    }
    buf_fini(&p->text);
    p->text = all;
    return all.data;
}

TEST(texts_of_hello)
{
    CHECK(!chdir(TEST_DIR "/programs"), "no folder");
    lowered_fini(&l);
    lowered_run(&l, "hello.fa", NULL);
    check_text("hello.c", lowered_c(&l));
    check_text("hello.blocks", blocks_of(&l));
}

TEST(nothing_is_emitted_for_a_language_that_is_not_there)
{
    lowered_fini(&l);
    lowered_run(&l, "a.fa", "C++ sub main() ${{ puts(\"\"); $}}");
    CHECK_STR(blocks_of(&l), "==== blocks, C\n==== blocks, C++\n"
                             "#include \"ucenv.h\"\n#line 1 \"a.fa\"\n"
                             "extern \"C\" void luna_inline_main()\n#line 1 \"a.fa\"\n"
                             "                 { puts(\"\"); }\n");
}

/* Faults in blocks are told at the line and column where they stand, whatever the form. */
TEST(blocks_keep_their_places)
{
    static const struct { const char *text, *want; } cases[] = {
        {"C head ${{ wrong1; $}} sub main() f(); C sub f() ${{ $}}", "t.fa:1:12"},
        {"C head ${<X}\n  wrong2; X sub main() f(); C sub f() ${{ $}}", "t.fa:2:3"},
        {"C sub main() ${{ wrong3(; $}}", "t.fa:1:25"},
        {"C sub main() ${{\n\n   wrong4(; $}}", "t.fa:3:11"},
        {"C sub main() ${<X} wrong5(; X", "t.fa:1:27"},
        {"C sub main() ${<X}\n{\n wrong6(; } X", "t.fa:3:9"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[400], path[100];
        lowered_fini(&l);
        lowered_run(&l, "t.fa", cases[i].text);
        CHECK(l.plan, "%s", lowered_errors(&l));
        buf_clear(&l.text);
        emit_blocks(l.plan, l.tree, LANG_C, &l.text);
        snprintf(path, sizeof path, "%s/b.c", folder);
        file_write(path, l.text.data);
        snprintf(command, sizeof command,
                 "LC_ALL=C gcc -fsyntax-only -I%s/../../runtime/ucode %s 2>&1 | grep -q '^%s: '",
                 TEST_DIR, path, cases[i].want);
        CHECK(!system(command), "%s not at %s in\n%s", cases[i].text, cases[i].want, l.text.data);
    }
}

/* ---- what it computes ---- */

static const struct luna_program *
load(void **handle)
{
    char path[100];
    snprintf(path, sizeof path, "%s/t.so", folder);
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*handle) printf("%s\n", dlerror());
    return *handle ? dlsym(*handle, "luna_program") : NULL;
}

static char seen[200];

__attribute__((visibility("default"), used)) void
exp_of_the_program(int32_t i, double d, const char *s, const struct luna_df *in,
                   struct luna_df *out)
{
    snprintf(seen, sizeof seen, "%d %g %s %d", i, d, s, (int)in->value.w.i);
    out->value = luna_v_of_real(d + i);
}

TEST(functions_get_their_c_types)
{
    void *handle;
    lowered_fini(&l);
    lowered_run(&l, "a.fa", "import exp_of_the_program(int, real, string, value, name) as exp;"
                            "sub main() { df x; exp(1, 2, \"s\", 5, x); }");
    CHECK(compiles("gcc", "c", "-std=gnu11 -shared", lowered_c(&l)), "gcc");
    const struct luna_program *p = load(&handle);
    CHECK(p && p->abi == LUNA_ABI && p->nfunctions == 1 && !p->guard, "program");
    CHECK_STR(p->functions[0].name, "exp");
    CHECK_STR(p->functions[0].params, "irsvn");
    CHECK_STR(p->name, "a.fa");
    CHECK(p->hash == 0x1234, "hash");
    struct luna_df in = {.value = luna_v_of_int(9)}, out = {0};
    luna_actual a[] = {{.i = -3}, {.d = 2.5}, {.s = "text"}, {.in = &in}, {.out = &out}};
    p->functions[0].call(a);
    CHECK_STR(seen, "-3 2.5 text 9");
    CHECK(out.value.w.d == -0.5, "%g", out.value.w.d);
    dlclose(handle);
}

/* One expression in three spellings: with literals (folded by us), with parameters (rows and C with
 * static types), with DFs (dynamic). All three must come to the same. */
enum { INTS = 5, REALS = 4, FORMS = 3, CASES = 300 };
static const int int_of[INTS] = {0, 1, 7, -3, 2147483647};
static const double real_of[REALS] = {0.0, 2.5, -0.75, 3.0};
static uint64_t seed;

static unsigned
chance(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

struct spelled {
    struct buf form[FORMS];
};

static void
spell(struct spelled *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    for (int i = 0; i < FORMS; i++) {
        va_list again;
        va_copy(again, ap);
        buf_vprintf(&s->form[i], fmt, again);
        va_end(again);
    }
    va_end(ap);
}

static void
spell_leaf(struct spelled *s, bool real)
{
    unsigned k = chance(real ? REALS : INTS);
    if (chance(4) == 0) {
        spell(s, real ? "%u.5" : "%u", chance(9));
        return;
    }
    if (real) buf_printf(&s->form[0], real_of[k] < 0 ? "(%f)" : "%f", real_of[k]);
    else buf_printf(&s->form[0], int_of[k] < 0 ? "(%d)" : "%d", int_of[k]);
    buf_printf(&s->form[1], real ? "r%u" : "i%u", k);
    buf_printf(&s->form[2], real ? "dr[%u]" : "di[%u]", k);
}

static void
spell_expr(struct spelled *s, bool real, int depth)
{
    static const char *const compare[] = {"<", "<=", "==", "!=", ">", ">=", "&&", "||"};
    static const char *const arith[] = {"+", "-", "*"};
    unsigned kind = depth ? chance(real ? 8 : 10) : 0;
    bool side = chance(2);
    if (kind == 0) {
        spell_leaf(s, real);
        return;
    }
    spell(s, "(");
    if (kind <= 4) {
        spell_expr(s, real || false, depth - 1);
        spell(s, " %s ", arith[chance(3)]);
        spell_expr(s, real && side, depth - 1);
    } else if (kind == 5) {
        spell(s, "-");
        spell_expr(s, real, depth - 1);
    } else if (kind == 6) {
        spell_expr(s, false, depth - 1);
        spell(s, " ? ");
        spell_expr(s, real, depth - 1);
        spell(s, " : ");
        spell_expr(s, real, depth - 1);
    } else if (kind == 7) {
        spell_expr(s, real, depth - 1);
        spell(s, real ? " / 4.0" : " %s %d", chance(2) ? "/" : "%", 1 + (int)chance(5));
    } else {
        spell_expr(s, side, depth - 1);
        spell(s, " %s ", compare[chance(8)]);
        spell_expr(s, false, depth - 1);
    }
    spell(s, ")");
}

/* A program of CASES calls f(spelling, spelling, spelling). */
static void
write_cases(struct buf *out)
{
    buf_str(out, "import no_function(value, value, value) as f;\nsub main(");
    for (int i = 0; i < INTS; i++) buf_printf(out, "int i%d, ", i);
    for (int i = 0; i < REALS; i++) buf_printf(out, "%sreal r%d", i ? ", " : "", i);
    buf_str(out, ") { df di, dr;\n");
    for (int i = 0; i < CASES; i++) {
        struct spelled s = {0};
        spell_expr(&s, chance(2), 4);
        buf_printf(out, "f(%s,\n%s,\n%s);\n", s.form[0].data, s.form[1].data, s.form[2].data);
        for (int k = 0; k < FORMS; k++) buf_fini(&s.form[k]);
    }
    buf_str(out, "}");
}

/* The inputs of a site: di[k] and dr[k] are named by their declaration and a constant index. */
static void
fill_inputs(const struct luna_program *p, const struct luna_site *site, luna_value *in)
{
    for (int i = 0; i < site->nin; i++) {
        const struct luna_ref *r = &p->refs[p->ins[site->in + i].ref];
        int k = p->exprs[r->index].k;
        bool real = p->dfs[r->df].name[1] == 'r';
        in[i] = real ? luna_v_of_real(real_of[k]) : luna_v_of_int(int_of[k]);
    }
}

static double
number(luna_value v)
{
    return v.type == LUNA_REAL ? v.w.d : (int32_t)v.w.i;
}

static bool
same_number(luna_value a, luna_value b)
{
    double x = number(a), y = number(b);
    return a.type == b.type && (x == y || (isnan(x) && isnan(y)));
}

__attribute__((visibility("default"), used)) void
no_function(void)
{
}

static void
check_cases(const struct luna_program *p)
{
    luna_word frame[INTS + REALS];
    luna_value in[64], v[FORMS];
    for (int i = 0; i < INTS; i++) frame[i].i = int_of[i];
    for (int i = 0; i < REALS; i++) frame[INTS + i].d = real_of[i];
    for (uint32_t i = 0; i < p->nsites; i++) {
        const struct luna_site *site = &p->sites[i];
        luna_env e = {.frame = frame, .in = in, .site = site};
        fill_inputs(p, site, in);
        for (int k = 0; k < FORMS; k++) v[k] = eval_value(p, &e, p->args[site->arg + k].row);
        CHECK(same_number(v[0], v[1]) && same_number(v[1], v[2]),
              "case %u: %.17g %.17g %.17g, line %u", i, number(v[0]), number(v[1]), number(v[2]),
              p->places[site->place].line);
    }
}

TEST(three_spellings_come_to_the_same)
{
    struct buf text = {0};
    void *handle;
    seed = 20;
    write_cases(&text);
    lowered_fini(&l);
    lowered_run(&l, "a.fa", text.data);
    buf_fini(&text);
    CHECK(l.plan, "%s", lowered_errors(&l));
    char *c = strdup(lowered_c(&l));
    check_compiles("random expressions", c);
    CHECK(check_failed || compiles("gcc", "c", "-std=gnu11 -shared", c), "gcc");
    free(c);
    const struct luna_program *p = load(&handle);
    CHECK(p, "not loaded");
    CHECK(p->nsites == CASES, "%u", p->nsites);
    check_cases(p);
    dlclose(handle);
}

TEST(emission_takes_linear_time)
{
    struct buf text = {0};
    buf_str(&text, "import f(int, name) as f; sub main(int a) { df x;\n");
    for (int i = 0; i < 15000; i++) buf_printf(&text, "f(%d, x[a * a + %d]);\n", i, i);
    buf_str(&text, "}");
    lowered_fini(&l);
    lowered_run(&l, "a.fa", text.data);
    CHECK(l.plan, "%s", lowered_errors(&l));
    clock_t start = clock();
    lowered_c(&l);
    double s = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(s < 3, "%.2f s", s); /* 0.1 s without sanitizers */
    buf_fini(&text);
}

static void
leave(void)
{
    char command[100];
    lowered_fini(&l);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command)) perror(folder);
}

int
main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        T(plans_compile_without_warnings),
        T(odd_texts_compile), T(flags_and_operations_go_by_name),
        T(texts_of_hello),
        T(nothing_is_emitted_for_a_language_that_is_not_there),
        T(blocks_keep_their_places),
        T(functions_get_their_c_types),
        T(three_spellings_come_to_the_same),
        T(emission_takes_linear_time),
    };
    if (!mkdtemp(folder)) return 1;
    atexit(leave);
    return check_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
