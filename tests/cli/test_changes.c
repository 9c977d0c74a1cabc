/* Where a text changes a variable. */
#include "apps/luna/build/changes.h"
#include "apps/luna/build/fortran.h"
#include "tests/lib/check.h"

TEST(of_c)
{
    static const struct {
        const char *text, *at; /* NULL: nowhere */
    } cases[] = {
        {"int x; void f(void) { x = 1; }", "x = 1"},
        {"int x; void f(void) { if (x == 1) g(x); }", NULL},
        {"int x = 1, y[] = {2}; int *p = &x;", NULL},
        {"int x; int f(void) { return x++; }", "x++"},
        {"int x; int f(void) { return ++x + 1; }", "x + 1"},
        {"int x; int f(int a) { return a + x - -a; }", NULL},
        {"int x[4]; void f(int i) { x[i & 3] += x[0]; }", "x[i"},
        {"int x[4]; void f(int i) { x [ i[x] ] <<= 1; }", "x [ i"},
        {"struct s x; void f(void) { x.a.b[3] = 1; }", "x.a"},
        {"struct s *x; void f(void) { x->a--; }", "x->a--"},
        {"int x; void f(struct s *p) { p->x = 1; p->s.x++; }", NULL},
        {"int *x; void f(void) { *x = 1; }", NULL},
        {"int x; void f(int x) { x = 1; }", NULL},
        {"int x; void f(void) { int x = 2; x = 1; }", NULL},
        {"int x; void f(void) { for (int x = 2; x < 3; x++) g(); }", NULL},
        {"int x; void f(void) { double *x = 0; x++; } void g(void) { x /= 2; }", "x /= 2"},
        {"void f(void) { static int x = 3; x = 1; }", "x = 1"},
        {"void f(void) { static int x = 3; g(&x, x <= 1, x >= 1, x != 1, x > 1); }", NULL},
        {"int x; void f(void) { /* x = 1 */ g(\"x = 1\"); }\n#define X x = 1\n", NULL},
        {"namespace a { int x; void f() const { x = 1; } }", "x = 1"},
        {"namespace a { int x = 1; } struct b { int x = 2; };", NULL},
        {"std::map<int, int> x = {}; extern \"C\" void f() { x[3] = 1; }", "x[3] = 1"},
        {"int x; int f(int k) { if (k) x = 1; else x = 2; }", "x = 1"},
        {"int x; int f(int k) { if (k) { } else x = 2; }", "x = 2"},
        {"int x; void f(void) { g(xx = 1, ax++); }", NULL},
        {"int x; void f(void) { x[", NULL},
        {"int x; void f(void) { x", NULL},
        {"int x; void f(void) { x.", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = changes_find(cases[i].text, "x"), *want = cases[i].at;
        CHECK(want ? at && !strncmp(at, want, strlen(want)) : !at, "%s: %s", cases[i].text,
              at ? at : "nowhere");
    }
}

TEST(of_fortran)
{
    static const struct {
        const char *text;
        uint32_t line; /* 0: nowhere */
    } cases[] = {
        {"module m\ninteger :: x = 1\ncontains\nsubroutine f() bind(c)\n X = x + 1\nend\nend", 5},
        {"integer, save :: x(3)\nif (a == b(1)) x(2) = 3\n", 2},
        {"type(t) :: x\n x%part(3) = 1\n", 2},
        {"integer :: x\n if (x == 1) y = x\n p => x\n call g(x)\n", 0},
        {"integer :: x\n ! x = 1\n print *, 'x = 1'\n", 0},
        {"integer :: x\n x = 1\ninteger :: x\n", 0},
        {"integer :: x\n xx = 1\n 10 x = 2\n", 3},
    };
    struct arena *a = arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t line = 0, col = 0;
        bool found = fortran_find_change(a, cases[i].text, false, "x", &line, &col);
        CHECK(found == (cases[i].line > 0) && line == cases[i].line, "%s: %u", cases[i].text, line);
    }
    arena_free(a);
}

TEST_MAIN(T(of_c), T(of_fortran))
