/* test_prep_macro.c - macros: definitions, arguments, what is made of them; -D. */
#include "tests/lang/prepared.h"

#include <sys/resource.h>

/* ---- macros ---- */

TEST(macros_are_replaced)
{
    PLAIN("#define N 8\nx$N $N*2 ${{$}}$N;", "\nx8 8*2 ${0}8;");
    PLAIN("#define E\na$E b", "\na b");
    PLAIN("#define N\t 2+3 \t\r\n($N*2)", "\n(2+3*2)");
    PLAIN("#define A $B$B\n#define B b\n$A", "\n\nbb");
    PLAIN("#define HELLO sub main() say(1);\n$HELLO", "\nsub main() say(1);");
    PLAIN("#define LAST 1", "");
    PLAIN("say(1); #define N 5\n say($N);", "say(1); \n say(5);");
    PLAIN("#define A +1\n#define _b2 2\n$A$_b2", "\n\n+12");
    PLAIN("#define P (x)\n$P(1)", "\n(x)(1)");
    end();
}

TEST(bodies_are_cleaned)
{
    PLAIN("#define N 8 // eight\n$N*2", "\n8*2");
    PLAIN("#define N 8 // eight \\\n still\n$N", "\n\n8");
    PLAIN("#define N 8/* a\nb */+1\n$N", "\n\n8 +1");
    PLAIN("#define N a(`in x)\n$N", "\na( x)");
    PLAIN("#define U \"http://x\" // y\n$U", "\n\"http://x\"");
    PLAIN("#define L a(); \\\n  b(); \\\r\n c();\n$L", "\n\n\na(); \n  b(); \n c();");
    PLAIN("#define L a \\\n\n$L.", "\n\na.");
    REPORT("#define Q \"a\nb", "a.fa:1:11: error[PP7]: string is not closed on its line");
    end();
}

TEST(macros_take_arguments)
{
    PLAIN("#define MUL(a, b) (($a)*($b))\n$MUL(2, x+1)", "\n((2)*(x+1))");
    PLAIN("#define F() f\n$F()$F( )$F (\n)", "\nfff");
    PLAIN("#define F(x) <$x>\n$F()$F( )$F( a b )", "\n<><><a b>");
    PLAIN("#define F( a , b ) $b$a\n$F(1,2)", "\n21");
    PLAIN("#define F(a,b) $a;$b\n$F(1 /* , */, `w 2) $F(1, // x, )\n2)", "\n1;2 1;2");
    PLAIN("#define F(a,b) $a;$b\n$F(\"x,)\", \"\\\"(\")", "\n\"x,)\";\"\\\"(\"");
    PLAIN("#define F(a) $a\n$F(\"x\\,y\\)\\n\")", "\n\"x,y)\\n\"");
    PLAIN("#define F(a) $a\n$F(a\r\n  b)", "\na\n  b");
    end();
}

TEST(arguments_protect_and_nest)
{
    PLAIN("#define MUL(a, b) ($a*$b)\n$MUL(2, $MUL(3\\,4\\))", "\n(2*(3*4))");
    PLAIN("#define MUL(a, b) ($a*$b)\n$MUL(2, $MUL(3,4))", "\n(2*(3*4))");
    PLAIN("#define F(a) [$a]\n$F(x\\,y)$F(\\()$F(\\))$F(f(a\\,b\\))$F(\\\\)",
          "\n[x,y][(][)][f(a,b)][\\]");
    PLAIN("#define F(a) [$a]\n$F(f(g(1,2),3))", "\n[f(g(1,2),3)]");
    PLAIN("#define F(a) [$a]\n#define G $F(1\\,2)\n$G", "\n\n[1,2]");
    end();
}

TEST(parameters_match_longest)
{
    PLAIN("#define F(a, ab) $ab.$a.$abc.$ac\n$F(1,2)", "\n2.1.2c.1c");
    PLAIN("#define DF(n) x_$n_tmp\n$DF(7)", "\nx_7_tmp");
    PLAIN("#define id 5\n#define F(i) $i $id\n$F(1)", "\n\n1 5");
    PLAIN("#define F(x) \"$x\" $x\n$F(1)", "\n\"$x\" 1");
    PLAIN("#define SIZE_x 3\n#define GET(n) $SIZE_$n\n$GET(x)", "\n\n3");
    end();
}

TEST(what_is_made_is_read_again)
{
    PLAIN("#define F(a) <$a>\n#define G $F\n$G(1) $G (2)", "\n\n<1> <2>");
    PLAIN("#define CALL(f, x) $$f($x)\n#define ADD(x) $x+1\n$CALL(ADD, 2)", "\n\n2+1");
    PLAIN("#define F(a) $a\n#define N 3\n$F($N)$F($F($F($N)))", "\n\n33");
    PLAIN("#define F(a,b) $a$b\n$F($F(1,2),$F(3,4))", "\n1234");
    PLAIN("#define COMMA ,\n#define F(a,b) $a-$b\n$F(1 $COMMA 2, 3)", "\n\n1 , 2-3");
    end();
}

TEST(unknown_macros_are_reported_once)
{
    REPORTS("#define SIZE 1\nf($SIZ, $SIZE, $SIZ, $other);",
            "a.fa:2:3: error[PP3]: macro 'SIZ' is not defined\n"
            "    2 | f($SIZ, $SIZE, $SIZ, $other);\n"
            "      |   ^~~~\n"
            "hint: did you mean 'SIZE'?\n"
            "a.fa:2:22: error[PP3]: macro 'other' is not defined\n"
            "    2 | f($SIZ, $SIZE, $SIZ, $other);\n"
            "      |                      ^~~~~~\n"
            "hint: a macro is defined above its first use, or by -D other=...\n"
            "2 errors\n");
    CHECK_STR(source_text(source, NULL), "\nf(SIZ, 1, SIZ, other);");
    REPORT("$N\n#define N 1", "a.fa:1:1: error[PP3]: macro 'N' is not defined");
    REPORT("#define N 1\n$N\n#undef N\n$N", "a.fa:4:1: error[PP3]: macro 'N' is not defined");
    REPORT("a $ b", "a.fa:1:3: error[PP10]: '$' must stand before a macro's name");
    REPORT("a $1", "a.fa:1:3: error[PP10]: '$' must stand before a macro's name");
    end();
}

TEST(macros_are_defined_once)
{
    REPORTS("#define N 1\n  #define N 1\n$N",
            "a.fa:2:11: error[PP4]: macro 'N' is defined twice\n"
            "    2 |   #define N 1\n"
            "      |           ^\n"
            "a.fa:1:9: note: 'N' is defined here\n"
            "hint: #undef N comes first, or #ifndef N around this one\n"
            "1 error\n");
    PLAIN("#define N 1\n$N\n#undef N\n#define N(a) <$a>\n$N(2)", "\n1\n\n\n<2>");
    REPORT("#undef N", "a.fa:1:8: error[PP3]: #undef of 'N', which is not defined");
    end();
}

TEST(arguments_are_counted)
{
    REPORTS("#define MUL(a, b) $a*$b\nx = $MUL(2);\ny = $MUL(1,2,3);\nz = $MUL;",
            "a.fa:2:5: error[PP5]: macro 'MUL' takes 2 arguments, 1 given\n"
            "    2 | x = $MUL(2);\n"
            "      |     ^~~~~~~\n"
            "a.fa:1:9: note: 'MUL' is defined here\n"
            "a.fa:3:5: error[PP5]: macro 'MUL' takes 2 arguments, 3 given\n"
            "    3 | y = $MUL(1,2,3);\n"
            "      |     ^~~~~~~~~~~\n"
            "a.fa:1:9: note: 'MUL' is defined here\n"
            "hint: a comma that belongs to an argument is written \\, or in parentheses\n"
            "a.fa:4:5: error[PP5]: macro 'MUL' is used without its arguments\n"
            "    4 | z = $MUL;\n"
            "      |     ^~~~\n"
            "a.fa:1:9: note: 'MUL' is defined here\n"
            "3 errors\n");
    CHECK_STR(source_text(source, NULL), "\nx = 2*0;\ny = 1*2;\nz = MUL;");
    REPORT("#define F() f\n$F(1)", "a.fa:2:1: error[PP5]: macro 'F' takes 0 arguments, 1 given");
    REPORT("#define F(a) f\n$F(1, (2)", "a.fa:2:1: error[PP7]: the arguments of macro 'F' are not "
                                        "closed");
    REPORT("#define F(a) f\n#define G $F\n$G", "a.fa:2:11: error[PP5]: macro 'F' is used without "
                                               "its arguments");
    end();
}

TEST(endless_macros_are_found)
{
    REPORTS("#define A $A\nx = $A; y = $A;\n",
            "a.fa:1:11: error[PP6]: macro 'A' expands without end\n"
            "    1 | #define A $A\n"
            "      |           ^~\n"
            "a.fa:2:5: note: in macro 'A', used here\n"
            "1 error\n");
    CHECK_STR(source_text(source, NULL), "\nx = ; y = A;\n");
    REPORT("#define A $B\n#define B 1+$A\n$A",
           "a.fa:2:13: error[PP6]: macro 'A' expands without end");
    REPORT("#define W(x) $x($x)\n$W($W)", "a.fa:2:4: error[PP6]: macro 'W' expands without end");
    REPORT("#define A(x) $A($x$x)\n$A(1)",
           "a.fa:1:14: error[PP6]: macros expand to more than 64 MiB of text");
    end();
}

/* Each byte of such a text has a place of its own: memory counts, not bytes alone. */
TEST(crumbs_of_text_are_stopped)
{
    run_options("#define A(x) $A($x$x)\n$A(1)", NULL, 0);
    size_t limit = 64 << 20;
    CHECK(diag_errors(d) == 1);
    /* The arena keeps all that was made: the sum of what the uses cost, and room to grow. This is
     * the most the process ever had, so this test comes first. */
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    CHECK((size_t)use.ru_maxrss * 1024 < 24 * limit, "%ld KiB", use.ru_maxrss);
    end();
}

TEST(doubling_macros_are_stopped)
{
    struct buf text = {0};
    buf_str(&text, "#define M0\n");
    for (int i = 1; i < 100; i++) buf_printf(&text, "#define M%d $M%d$M%d\n", i, i - 1, i - 1);
    buf_str(&text, "$M99 $M99 done");
    run_options(text.data, NULL, 0);
    CHECK(diag_errors(d) == 1);
    CHECK(strstr(said(), "[PP6]: macros expand to more than 64 MiB of text\n"), "%s", said());
    size_t size;
    const char *have = source_text(source, &size);
    CHECK(size > 5 && !strcmp(have + size - 5, " done"), "what follows is still read");
    buf_clear(&text);
    buf_str(&text, "#define BIG(x) ");
    for (int i = 0; i < 1000000; i++) buf_str(&text, "$x");
    buf_str(&text, "\n$BIG(");
    for (int i = 0; i < 1000000; i++) buf_str(&text, "yy");
    buf_str(&text, ")\n");
    run_options(text.data, NULL, 0);
    CHECK(strstr(said(), "[PP6]: macros expand to more than 64 MiB of text\n"), "%s", said());
    buf_fini(&text);
    end();
}

TEST(unused_macros_are_warned_about)
{
    files[1] = (struct memory_file){"b.fa", "#define LIB 1\n", 0};
    REPORTS("#include \"b.fa\"\n#define UNUSED 3\n#define USED 4\n$USED\n#define ASKED\n"
            "#ifdef ASKED\n#endif\n#define GONE\n#undef GONE\n#ifndef N\n#define N 5\n#endif\n",
            "a.fa:2:9: warning[SYN5.1]: macro 'UNUSED' is not used\n"
            "    2 | #define UNUSED 3\n"
            "      |         ^~~~~~\n"
            "1 warning\n");
    end();
}

/* ---- the command line ---- */

TEST(options_define_macros)
{
    const char *defines[] = {"N=8", "EMPTY", "TEXT=a b // c", "N=9", "EQ==", "S=\"x\"", "M=$N+1"};
    run_options("[$N|$EMPTY|$TEXT|$EQ|$S|$M]\n#ifdef EMPTY\ny\n#endif", defines, 7);
    CHECK_STR(source_text(source, NULL), "[9||a b // c|=|\"x\"|9+1]\n\ny\n");
    CHECK_STR(said(), "");
    CHECK(source_file_count(source) == 2 && !source_file_on_disk(source, 1));
    end();
}

TEST(options_are_places_too)
{
    const char *defines[] = {"N=8", "5=6", "", "A-B=1", "X=1 $UNKNOWN"};
    run_options("#define N 7\n$X", defines, 5);
    CHECK_STR(said(), "a.fa:1:9: error[PP4]: macro 'N' is defined twice\n"
                      "    1 | #define N 7\n"
                      "      |         ^\n"
                      "<command line>:1:4: note: 'N' is defined here\n"
                      "hint: #undef N comes first, or #ifndef N around this one\n"
                      "<command line>:2:4: error[PP2]: -D needs NAME or NAME=text\n"
                      "    2 | -D 5=6\n"
                      "      |    ^~~\n"
                      "<command line>:3:4: error[PP2]: -D needs NAME or NAME=text\n"
                      "    3 | -D\n"
                      "      |   ^\n"
                      "<command line>:4:4: error[PP2]: -D needs NAME or NAME=text\n"
                      "    4 | -D A-B=1\n"
                      "      |    ^~~~~\n"
                      "<command line>:5:8: error[PP3]: macro 'UNKNOWN' is not defined\n"
                      "    5 | -D X=1 $UNKNOWN\n"
                      "      |        ^~~~~~~~\n"
                      "a.fa:2:1: note: in macro 'X', used here\n"
                      "hint: a macro is defined above its first use, or by -D UNKNOWN=...\n"
                      "5 errors\n");
    end();
}

TEST_MAIN(T(crumbs_of_text_are_stopped), T(macros_are_replaced), T(bodies_are_cleaned),
          T(macros_take_arguments), T(arguments_protect_and_nest), T(parameters_match_longest),
          T(what_is_made_is_read_again), T(unknown_macros_are_reported_once),
          T(macros_are_defined_once), T(arguments_are_counted), T(endless_macros_are_found),
          T(doubling_macros_are_stopped), T(unused_macros_are_warned_about),
          T(options_define_macros), T(options_are_places_too))
