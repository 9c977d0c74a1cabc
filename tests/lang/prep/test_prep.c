/* test_prep.c - the preprocessor as a whole: where things stand, its limits, whole programs.
 *
 * Programs are in prep/: NAME.fa with NAME.out beside it, the plain text, the blocks and the
 * reports. LUNA_UPDATE=1 writes the .out files anew. */
#include "runtime/base/mem.h"
#include "tests/lang/prepared.h"

#include <dirent.h>
#include <time.h>
#include <unistd.h>

/* ---- places ---- */

/* The place of the first `word` in the plain text: "file:line:col" and, behind <, those of its
 * uses. */
static const char *
place_of(const char *word)
{
    struct buf text = {0};
    struct place p;
    const char *at = strstr(source_text(source, NULL), word);
    uint32_t lo = at ? at - source_text(source, NULL) : 0;
    struct span span = {lo, lo + strlen(word)};
    for (int depth = 0; at && source_place(source, span, depth, &p, NULL); depth++)
        buf_printf(&text, "%s%s:%u:%u-%u", depth ? " < " : "", p.file, p.line, p.col, p.end_col);
    const char *copy = arena_strdup(arena, text.data ? text.data : "none");
    buf_fini(&text);
    return copy;
}

TEST(places_are_those_of_the_user)
{
    files[1] = (struct memory_file){"b.fa", "/* lib */ #define BAD b + $a\n\n  inner $BAD", 0};
    run_options("#define a 5\n/* \xd1\x8f */ one `two three // four\n"
                "#define MUL(x, y) ($x * $y)\n"
                "  z = $MUL(left, $MUL(in\\,out\\)); C sub f() ${{\n $}} last\n"
                "#include \"b.fa\"\n",
                NULL, 0);
    CHECK_STR(said(), "");
    CHECK_STR(place_of("one"), "a.fa:2:9-12");
    CHECK_STR(place_of("three"), "a.fa:2:18-23");
    CHECK_STR(place_of("z ="), "a.fa:4:3-6");
    CHECK_STR(place_of("left"), "a.fa:4:12-16");
    CHECK_STR(place_of("out"), "a.fa:4:27-30");
    CHECK_STR(place_of(" * "), "a.fa:3:22-25 < a.fa:4:7-33");
    CHECK_STR(place_of("in * out"), "a.fa:4:23-30");
    CHECK_STR(place_of(";"), "a.fa:4:33-34");
    CHECK_STR(place_of("${0}"), "a.fa:4:45-5");
    CHECK_STR(place_of("last"), "a.fa:5:6-10");
    CHECK_STR(place_of("inner"), "b.fa:3:3-8 < a.fa:6:1-16");
    CHECK_STR(place_of("b +"), "b.fa:1:23-26 < b.fa:3:9-13 < a.fa:6:1-16");
    CHECK_STR(place_of("5"), "a.fa:1:11-12 < b.fa:1:27-29 < b.fa:3:9-13 < a.fa:6:1-16");
    end();
}

/* ---- limits of memory and time ---- */

static const char everything[] =
    "#define N 8 // eight\n#define MUL(a, b) (($a)*($b))\n#include \"b.fa\"\n"
    "C sub f(int `i) ${{ g(); $}}\n#ifdef N\nx$N $MUL(1, $MUL(2, 3)) $LIB $unknown\n#endif\n#bad\n";

/* Runs with `n` allocations that succeed; false if they were not enough. */
static bool
run_within(long n)
{
    jmp_buf failed;
    struct arena *volatile a = NULL;
    volatile bool enough = false;
    mem_fail_after(n);
    a = arena_new();
    if (a && !setjmp(failed)) {
        arena_on_fail(a, &failed);
        struct source *s = source_new(a);
        struct diag *reports = diag_new(a, s);
        struct prep_options o = {.read = read_memory, .read_who = files};
        struct buf text = {0};
        prep_run(a, s, reports, "a.fa", &o, &prep);
        diag_print_json(reports, &text);
        enough = !text.failed;
        buf_fini(&text);
    }
    mem_fail_after(-1);
    arena_free(a);
    return enough;
}

TEST(any_allocation_may_fail)
{
    files[0] = (struct memory_file){"a.fa", everything, 0};
    files[1] = (struct memory_file){"b.fa", "#define LIB lib\nincluded\n", 0};
    long n = 0;
    while (n < 10000 && !run_within(n)) n++;
    CHECK(n > 3 && n < 10000, "%ld allocations", n);
    end();
}

/* Of this process: the machine may have much else to do. */
static double
seconds(const char *text)
{
    struct timespec t0, t1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
    run_options(text, NULL, 0);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
    return (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
}

/* Tenths of a second in sum; were one of them quadratic, it would be minutes. */
TEST(time_is_linear)
{
    struct buf b = {0};
    enum { MANY = CHECK_CASES(100000) };
    buf_str(&b, "#define ID(x) $x\n#define BIG ");
    for (int i = 0; i < MANY; i++) buf_str(&b, "12345");
    buf_str(&b, "\n");
    for (int i = 0; i < MANY; i++)
        buf_printf(&b, "#define M%d %d\n$M%d $ID(%d) `w // c\n", i, i, i, i);
    buf_str(&b, "$BIG $BIG $BIG $ID(");
    for (int i = 0; i < MANY; i++) buf_str(&b, "f(x)\\, \"s\" /* c */");
    buf_str(&b, ")\n");
    for (int i = 0; i < MANY; i++) buf_str(&b, "#ifdef A\n");
    for (int i = 0; i < MANY; i++) buf_str(&b, "#else\n#endif\n");
    for (int i = 0; i < MANY; i++) buf_str(&b, "${{ x $}} ");
    double time = seconds(b.data);
    CHECK(!strstr(said(), "error"), "%s", said());
    CHECK(prep.nblocks == MANY);
    CHECK(time < 60, "%f s", time);
    buf_fini(&b);
    end();
}

TEST(time_is_linear_after_faults)
{
    struct buf b = {0};
    enum { MANY = CHECK_CASES(50000) };
    for (int i = 0; i < MANY; i++) buf_printf(&b, "#define macro_number_%d\n", i);
    for (int i = 0; i < MANY; i++) buf_printf(&b, "$unknown_macro_%d #word%d $1 ${ $}}\n", i, i);
    for (int i = 0; i < MANY; i++) buf_str(&b, "#else #endif #ifdef\n");
    buf_str(&b, "#define F(x) $x\n");
    for (int i = 0; i < MANY; i++) buf_str(&b, "$F(");
    double time = seconds(b.data);
    CHECK(diag_errors(d) > 5 * MANY, "%d", diag_errors(d));
    CHECK(time < 60, "%f s", time);
    buf_fini(&b);
    end();
}

/* ---- whole programs ---- */

static void
read_text(const char *path, struct buf *text)
{
    char part[4096];
    size_t n;
    FILE *f = fopen(path, "rb");
    while (f && (n = fread(part, 1, sizeof part, f))) buf_add(text, part, n);
    if (f) fclose(f);
}

/* Runs prep/NAME.fa; what comes out of it: plain text, blocks, reports. */
static void
run_golden(const char *name)
{
    arena = arena_new();
    source = source_new(arena);
    d = diag_new(arena, source);
    prep_run(arena, source, d, name, NULL, &prep);
    buf_clear(&out);
    prep_dump(source, &prep, &out);
    buf_str(&out, "---- reports\n");
    diag_print_text(d, &out);
}

static bool
golden_agrees(const char *name)
{
    char path[300];
    struct buf want = {0};
    snprintf(path, sizeof path, "%.*s.out", (int)(strlen(name) - 3), name);
    run_golden(name);
    if (getenv("LUNA_UPDATE")) {
        FILE *f = fopen(path, "wb");
        fwrite(out.data, 1, out.size, f);
        fclose(f);
    }
    read_text(path, &want);
    bool same = want.size == out.size && !memcmp(want.data, out.data, out.size);
    if (!same) printf("%s:\n--- have\n%s\n--- want\n%s\n", path, out.data, want.data);
    buf_fini(&want);
    end();
    return same;
}

TEST(programs_come_out_as_before)
{
    CHECK(!chdir(TEST_DIR "/prep"));
    DIR *dir = opendir(".");
    int n = 0, wrong = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        size_t size = strlen(e->d_name);
        if (size < 4 || strcmp(e->d_name + size - 3, ".fa")) continue;
        n++;
        wrong += !golden_agrees(e->d_name);
    }
    closedir(dir);
    CHECK(n > 3 && !wrong, "%d of %d", wrong, n);
}

TEST_MAIN(T(places_are_those_of_the_user), T(any_allocation_may_fail), T(time_is_linear),
          T(time_is_linear_after_faults), T(programs_come_out_as_before))
