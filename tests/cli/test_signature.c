/* How parameters are passed, read from what compilers say; and the form of their messages. */
#include "apps/luna/build/signature.h"

#include "tests/lib/check.h"

TEST(classes_of_parameters)
{
    static const char *const pairs[][2] = {
        {")", ""},
        {"void)", ""},
        {"int)", "i"},
        {"int k, double)", "id"},
        {"const char *s, DF &x, const DF& y)", "cpp"},
        {"float, unsigned long n, long long int m, size_t)", "fiii"},
        {"long double x, double _Complex z, complex double)", "lzz"},
        {"real, std::map<int, double> m, void (*)(int, int))", "??p"},
        {"char s[], int32_t, bool, _Bool, uint8_t)", "ciiii"},
        {"double *, const int x[], int &, float const *y, unsigned char *)", "nnnnc"},
        {"void *, luna_df *, std::vector<int> &, char **, printer *)", "ppppp"},
        {"struct point p, const struct point *q)", "sp"},
        {"double_t x, inter y)", "??"},
    };
    struct arena *a = arena_new();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *have = signature_classes(a, pairs[i][0]);
        CHECK_STR(have ? have : "(null)", pairs[i][1]);
    }
    CHECK(!signature_classes(a, "int, double"), "not closed");
    CHECK(!signature_classes(a, ""), "nothing");
    arena_free(a);
}

TEST(imports_of_functions)
{
    static const char *const pairs[][2] = {
        {")", ""},
        {"void)", ""},
        {"int k, double x, const char *s)", "int, real, string"},
        {"const luna_df *a, struct luna_df *)", "value, name"},
        {"const InputDF &a, InputDF &b, OutputDF &c)", "value, value, name"},
        {"const DF &a, DF&)", "value, name"},
        {"char *s)", NULL},
        {"float x)", NULL},
        {"int k, double *v)", NULL},
        {"int k", NULL},
    };
    struct arena *a = arena_new();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *have = signature_import(a, pairs[i][0]);
        CHECK_STR(have ? have : "(null)", pairs[i][1] ? pairs[i][1] : "(null)");
    }
    arena_free(a);
}

TEST(messages_of_gcc_and_clang)
{
    const char *text = "In file included from x.c:1:\n"
                       "a:b.c:12:7: error: 'x' undeclared: here\n"
                       "   12 | int y = x: error: 3;\n"
                       "b.c:4: warning: w\n"
                       "c.h:1:1: fatal error: no.h: No such file or directory\n"
                       "cc1: error: no place\n"
                       "b.c:9:1: note: n\n"
                       "/usr/m.h:5:3:   required from 'f(int)'\n"
                       "b.c:8:10:   required from here\n"
                       "/usr/f.h:40:2: error: no match";
    struct arena *a = arena_new();
    struct message m;
    CHECK(message_next(a, &text, &m) && m.kind == MESSAGE_ERROR && m.line == 12 && m.col == 7);
    CHECK_STR(m.file, "a:b.c");
    CHECK_STR(m.words, "'x' undeclared: here");
    CHECK(message_next(a, &text, &m) && m.kind == MESSAGE_WARNING && m.line == 4 && !m.col);
    CHECK(message_next(a, &text, &m) && m.kind == MESSAGE_ERROR && m.line == 1);
    CHECK_STR(m.words, "no.h: No such file or directory");
    CHECK(message_next(a, &text, &m) && m.kind == MESSAGE_NOTE && m.line == 9 && !m.user);
    CHECK(message_next(a, &text, &m) && m.kind == MESSAGE_ERROR && m.line == 40);
    CHECK_STR(m.user, "b.c");
    CHECK(m.user_line == 8 && m.user_col == 10);
    CHECK(!message_next(a, &text, &m));
    arena_free(a);
}

TEST_MAIN(T(classes_of_parameters), T(imports_of_functions), T(messages_of_gcc_and_clang))
