/* Functions that a text in C or C++ defines. */
#include "apps/luna/build/functions.h"
#include "tests/lib/check.h"

static struct arena *a;

/* "name(params" of each, with the words static and mangled, behind each other. */
static const char *
list(const char *text, bool cpp)
{
    struct functions f = {0};
    const char *out = "";
    functions_add(a, &f, text, cpp, "/x/u.c", "u.c");
    for (int i = 0; i < f.n; i++)
        out = arena_printf(a, "%s%s%s%s%s(%s", out, *out ? " | " : "",
                           f.at[i].hidden ? "static " : "", f.at[i].mangled ? "mangled " : "",
                           f.at[i].name, f.at[i].params);
    return out;
}

TEST(of_c)
{
    static const char *const pairs[][2] = {
        {"", ""},
        {"void f(void) { g(1); if (x) { h(2); } }", "f(void)"},
        {"void f(int k);\nint x = f(3), y[] = {f(4)};\nstruct s { int (*f)(int); };", ""},
        {"static\nint *\nf(int a,\n  /* of ) */ char *b)\n{ }", "static f(int a, char *b)"},
        {"#define F(x) { x\nvoid f(int k) // {\n{ char c = '}', *s = \"}\\\"}\"; }\nvoid g() {}",
         "f(int k) | g()"},
        {"#define A \\\n void f(int k) {\nvoid g(double x) { }", "g(double x)"},
        {"#if A\nvoid f(int k) {\n#else\nvoid f(long k) {\n#endif\n}\nvoid g(int k) {}",
         "f(int k) | g(int k)"},
        {"__attribute__((noinline)) void f(int k) { }", "f(int k)"},
        {"static __attribute__((unused)) void f(int k) __attribute__((cold)) { }",
         "static f(int k)"},
        {"void f(void (*g)(int), int h[sizeof(int)]) { }",
         "f(void (*g)(int), int h[sizeof(int)])"},
        {"void f(int k", ""},
        {"void f(int k) /* open", ""},
        {"\"open\nvoid f(int k) {", "f(int k)"},
    };
    a = arena_new();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK_STR(list(pairs[i][0], false), pairs[i][1]);
    arena_free(a);
}

TEST(of_cpp)
{
    static const char *const pairs[][2] = {
        {"void f(int k) { }", "mangled f(int k)"},
        {"extern \"C\" void f(DF &x) { } void g() { }", "f(DF &x) | mangled g()"},
        {"extern \"C\" {\nvoid f(int) { }\n}\nvoid g() { }", "f(int) | mangled g()"},
        {"namespace n { void f(int) { } }\nextern \"C\" void g() noexcept { }", "g()"},
    };
    a = arena_new();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK_STR(list(pairs[i][0], true), pairs[i][1]);
    arena_free(a);
}

TEST(found_by_name)
{
    struct functions f = {0};
    a = arena_new();
    functions_add(a, &f, "static void f(int k) { }", false, "/x/u.c", "u.c");
    functions_add(a, &f, "\n  void f(double x) { }", false, "/x/v.c", "v.c");
    const struct function *x = functions_find(&f, "f");
    CHECK(x && x->line == 2 && x->col == 8 && !x->hidden, "the one that others see");
    CHECK_STR(x->shown, "v.c");
    CHECK(!functions_find(&f, "g"), "there is none");
    arena_free(a);
}

TEST_MAIN(T(of_c), T(of_cpp), T(found_by_name))
