/* test_prep_line.c - directives: conditionals, and lines that are none. */
#include "tests/lang/prepared.h"

/* ---- directives ---- */

TEST(conditionals_choose)
{
    PLAIN("#define A\n#ifdef A\na\n#else\nb\n#endif\nc", "\n\na\n\n\n\nc");
    PLAIN("#ifdef A\na\n#else\nb\n#endif\nc", "\n\n\nb\n\nc");
    PLAIN("#ifndef A\na\n#endif\n#ifndef A // why\nb\n#endif /* A */ c", "\na\n\n\nb\n   c");
    PLAIN("#ifdef A\n#ifdef B\nx\n#else\ny\n#endif\n#else\n#ifndef B\nz\n#else\nw\n#endif\n#endif",
          "\n\n\n\n\n\n\n\nz\n\n\n\n");
    PLAIN("x #ifndef A\ny #endif z", "x \ny  z");
    end();
}

TEST(what_is_skipped_is_not_obeyed)
{
    PLAIN(
        "#ifdef A\n#define A\n#include \"none\"\n#word #undef X\n$X $F( ${{ #endif $}} \"#endif\"\n"
        "// #endif\n/* #endif */ `endif $ $}} ${9\n#endif\n#ifndef A\ny\n#endif",
        "\n\n\n\n\n\n\n\n\ny\n");
    CHECK(prep.nblocks == 0);
    end();
}

TEST(conditionals_must_match)
{
    REPORTS("x\n #ifdef A\n#ifndef B\n#else\n",
            "a.fa:2:2: error[PP7]: #ifdef is not closed by #endif\n"
            "    2 |  #ifdef A\n"
            "      |  ^~~~~~\n"
            "a.fa:3:1: error[PP7]: #ifndef is not closed by #endif\n"
            "    3 | #ifndef B\n"
            "      | ^~~~~~~\n"
            "a.fa:4:1: note: this is its #else\n"
            "2 errors\n");
    REPORT("#else", "a.fa:1:1: error[PP2]: #else without #ifdef or #ifndef");
    REPORT("x #endif", "a.fa:1:3: error[PP2]: #endif without #ifdef or #ifndef");
    REPORTS("#ifdef A\n#else\n #else\n#endif", "a.fa:3:2: error[PP2]: a second #else\n"
                                               "    3 |  #else\n"
                                               "      |  ^~~~~\n"
                                               "a.fa:2:1: note: the first is here\n"
                                               "1 error\n");
    REPORT("#ifdef A B\n#endif", "a.fa:1:10: error[PP2]: more than a name behind #ifdef");
    REPORT("#ifndef 5\n#endif", "a.fa:1:1: error[PP2]: #ifndef needs a name");
    REPORT("#ifdef", "a.fa:1:1: error[PP2]: #ifdef needs a name");
    end();
}

TEST(conditionals_end_with_their_file)
{
    files[1] = (struct memory_file){"open.fa", "#ifdef A\nlib", 0};
    files[2] = (struct memory_file){"close.fa", "#endif\n", 0};
    REPORTS("#include \"open.fa\"\nmain\n",
            "open.fa:1:1: error[PP7]: #ifdef is not closed by #endif\n"
            "    1 | #ifdef A\n"
            "      | ^~~~~~\n"
            "a.fa:1:1: note: included from here\n"
            "1 error\n");
    CHECK_STR(source_text(source, NULL), "\n\nmain\n");
    REPORT("#ifndef A\n#include \"close.fa\"\n#endif",
           "close.fa:1:1: error[PP2]: #endif without #ifdef or #ifndef");
    end();
}

TEST(malformed_directives_are_reported)
{
    REPORT("#define", "a.fa:1:1: error[PP2]: #define needs a name");
    REPORT("#define 8 x\n", "a.fa:1:1: error[PP2]: #define needs a name");
    REPORT("#undef \"A\"", "a.fa:1:1: error[PP2]: #undef needs a name");
    REPORT("#define F(a b) x", "a.fa:1:1: error[PP2]: malformed list of parameters");
    REPORT("#define F(a,) x", "a.fa:1:1: error[PP2]: malformed list of parameters");
    REPORT("#define F(a, x", "a.fa:1:1: error[PP2]: malformed list of parameters");
    REPORT("#define F(", "a.fa:1:1: error[PP2]: malformed list of parameters");
    REPORT("#define F(a, b, a) x", "a.fa:1:1: error[PP2]: two parameters are called 'a'");
    REPORT("#include x", "a.fa:1:1: error[PP2]: #include needs a file name in quotes");
    REPORT("#include \"x\n\"", "a.fa:1:1: error[PP2]: #include needs a file name in quotes");
    REPORT("#include \"\"", "a.fa:1:1: error[PP2]: #include needs a file name in quotes");
    REPORT("#include <x", "a.fa:1:1: error[PP2]: #include needs a file name in quotes");
    REPORT("#include <>", "a.fa:1:1: error[PP2]: #include needs a file name in quotes");
    REPORT("#include", "a.fa:1:1: error[PP2]: #include needs a file name in quotes");
    /* The uses of a macro whose definition was reported are no further faults. */
    reports("#define F(a b) x\n$F(1) $F");
    CHECK(diag_errors(d) == 1, "%s", said());
    end();
}

TEST(parameters_are_limited)
{
    struct buf text = {0};
    buf_str(&text, "#define F(p0");
    for (int i = 1; i < 300; i++) buf_printf(&text, ",p%d", i);
    buf_str(&text, ") x\n");
    REPORT(text.data, "a.fa:1:1: error[PP2]: a macro may have at most 255 parameters");
    buf_fini(&text);
    end();
}

TEST(unknown_directives_are_explained)
{
    files[1] = (struct memory_file){"b.fa", "lib", 0};
    REPORTS("sub f(int #rows, value #in)\n#const N 5\n#if N\n#inlcude \"b.fa\"\n#define M 2\n"
            "f(#M);$N",
            "a.fa:1:11: error[PP1]: unknown directive '#rows'\n"
            "    1 | sub f(int #rows, value #in)\n"
            "      |           ^~~~~\n"
            "hint: old #word comment syntax? It is written `rows now\n"
            "a.fa:1:24: error[PP1]: unknown directive '#in'\n"
            "    1 | sub f(int #rows, value #in)\n"
            "      |                        ^~~\n"
            "hint: old #word comment syntax? It is written `in now\n"
            "a.fa:2:1: error[PP1]: unknown directive '#const'\n"
            "    2 | #const N 5\n"
            "      | ^~~~~~\n"
            "hint: the old '#const NAME text' is written '#define NAME text' now\n"
            "a.fa:3:1: error[PP1]: unknown directive '#if'\n"
            "    3 | #if N\n"
            "      | ^~~\n"
            "hint: there are #ifdef and #ifndef only\n"
            "a.fa:4:1: error[PP1]: unknown directive '#inlcude'\n"
            "    4 | #inlcude \"b.fa\"\n"
            "      | ^~~~~~~~\n"
            "hint: did you mean '#include'?\n"
            "a.fa:6:3: error[PP1]: unknown directive '#M'\n"
            "    6 | f(#M);$N\n"
            "      |   ^~\n"
            "hint: a macro is used as $M\n"
            "6 errors\n");
    CHECK_STR(source_text(source, NULL), "sub f(int , value )\n\n\nlib\n\nf(2);5");
    REPORT("#define A #undef A\n$A", "a.fa:1:11: error[PP1]: a macro cannot expand to a directive");
    end();
}

TEST(conditionals_of_c_are_faults_that_match)
{
    REPORTS("#if A\na\n#elif B\nb\n#ifdef X\n#if Y\n#elif Z\n#endif\n#endif\n#else\nc\n#endif\nd\n"
            "#ifdef X\n#if 1\n#elif 2\n#endif\n#endif\n#elif 3\n#if 4",
            "a.fa:1:1: error[PP1]: unknown directive '#if'\n"
            "    1 | #if A\n"
            "      | ^~~\n"
            "hint: there are #ifdef and #ifndef only\n"
            "a.fa:3:1: error[PP1]: unknown directive '#elif'\n"
            "    3 | #elif B\n"
            "      | ^~~~~\n"
            "hint: there are #ifdef, #ifndef, #else and #endif only\n"
            "a.fa:19:1: error[PP1]: unknown directive '#elif'\n"
            "   19 | #elif 3\n"
            "      | ^~~~~\n"
            "hint: there are #ifdef, #ifndef, #else and #endif only\n"
            "a.fa:20:1: error[PP1]: unknown directive '#if'\n"
            "   20 | #if 4\n"
            "      | ^~~\n"
            "hint: there are #ifdef and #ifndef only\n"
            "4 errors\n");
    CHECK_STR(source_text(source, NULL), "\na\n\n\n\n\n\n\n\n\n\n\nd\n\n\n\n\n\n\n");
    end();
}

TEST_MAIN(T(conditionals_choose), T(what_is_skipped_is_not_obeyed), T(conditionals_must_match),
          T(conditionals_end_with_their_file), T(malformed_directives_are_reported),
          T(parameters_are_limited), T(unknown_directives_are_explained),
          T(conditionals_of_c_are_faults_that_match))
