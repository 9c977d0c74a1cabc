/* test_prep.c - the preprocessor: what text it makes, what it says, where it says things stand.
 *
 * Small cases are here, as files in memory. Whole programs are in prep/: NAME.fa with NAME.out
 * beside it, the plain text, the blocks and the reports. LUNA_UPDATE=1 writes the .out files anew.
 */
#include "lang/prep.h"
#include "runtime/base/mem.h"
#include "tests/lib/check.h"

#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static struct arena *arena;
static struct source *source;
static struct diag *d;
static struct prep prep;
static struct buf out;

/* ---- files in memory ---- */

struct memory_file {
    const char *name, *text;
    size_t size; /* 0: as long as a string */
};
static struct memory_file files[8];

static const char *
read_memory(void *who, struct arena *a, const char *path, size_t *size)
{
    for (struct memory_file *f = who; f->name; f++) {
        if (strcmp(f->name, path)) continue;
        if (!f->text) break;
        *size = f->size ? f->size : strlen(f->text);
        /* A copy without a 0 behind it: reading too far is found. */
        char *text = arena_alloc(a, *size);
        return memcpy(text, f->text, *size);
    }
    errno = ENOENT;
    return NULL;
}

static void
end(void)
{
    arena_free(arena);
    buf_fini(&out);
    memset(files, 0, sizeof files);
    arena = NULL;
}

static bool
run_options(const char *text, const char *const *defines, int n)
{
    if (arena) arena_free(arena);
    arena = arena_new();
    source = source_new(arena);
    d = diag_new(arena, source);
    files[0].name = "a.fa";
    if (text) files[0].text = text;
    struct prep_options o = {
        .defines = defines, .ndefines = n, .read = read_memory, .read_who = files};
    return prep_run(arena, source, d, "a.fa", &o, &prep);
}

/* The plain text of a program; a report is a part of it. */
static const char *
said(void)
{
    buf_clear(&out);
    diag_print_text(d, &out);
    return out.data ? out.data : "";
}

static const char *
plain(const char *text)
{
    bool good = run_options(text, NULL, 0);
    if (!good || diag_errors(d)) return said();
    return source_text(source, NULL);
}

/* What is reported of a program. */
static const char *
reports(const char *text)
{
    run_options(text, NULL, 0);
    return said();
}

#define PLAIN(text, want) CHECK_STR(plain(text), want)
#define REPORTS(text, want) CHECK_STR(reports(text), want)
/* The first line of the reports. */
#define REPORT(text, want)                                                                      \
    do {                                                                                        \
        const char *said_ = reports(text);                                                      \
        CHECK(!strncmp(said_, want, strlen(want)) && said_[strlen(want)] == '\n', "%s", said_); \
    } while (0)

/* ---- text ---- */

TEST(plain_text_stays)
{
    PLAIN("", "");
    PLAIN("sub main() hello();\n", "sub main() hello();\n");
    PLAIN("a # 1 #1 / 2 #_x #", "a # 1 #1 / 2 #_x #");
    PLAIN("a\r\nb\r\n\r\nc\rd\r", "a\nb\n\nc\rd\r");
    PLAIN("\xef\xbb\xbfx", "x");
    end();
}

TEST(an_interpreter_line_is_dropped)
{
    PLAIN("#!/usr/bin/luna\nx", "\nx");
    PLAIN("#!/usr/bin/luna", "");
    PLAIN("\xef\xbb\xbf#!/bin/luna\nx", "\nx");
    PLAIN(" #!/usr/bin/luna\nx", " #!/usr/bin/luna\nx");
    PLAIN("#! /usr/bin/luna\nx", "#! /usr/bin/luna\nx");
    files[1] = (struct memory_file){"b.fa", "#!/x\n", 0};
    PLAIN("#include \"b.fa\"\n", "#!/x\n\n");
    end();
}

TEST(comments_are_removed)
{
    PLAIN("a // b\nc", "a \nc");
    PLAIN("a // b", "a ");
    PLAIN("a //", "a ");
    PLAIN("a // b \\\n c \\\r\n d\ne", "a \n\n\ne");
    PLAIN("a // b \\\\\nc", "a \nc");
    PLAIN("a // b \\", "a ");
    PLAIN("a/* // \" ` ${{ $X \n #define */b", "a \nb");
    PLAIN("a/**/b/***/c/*/*/d", "a b c d");
    PLAIN("import f(int `rows, `in value `a_1, out name `b) as f;",
          "import f(int ,  value , out name ) as f;");
    PLAIN("f(`in x);`", "f( x);");
    PLAIN("`a\\ b\\", "");
    PLAIN("`\xd1\x8f", "\xd1\x8f");
    end();
}

TEST(strings_are_kept)
{
    PLAIN("#define X 1\nf(\"$X // /* ` ${{ #define \\\" $X\", $X)",
          "\nf(\"$X // /* ` ${{ #define \\\" $X\", 1)");
    PLAIN("\"a\\\\\" // b", "\"a\\\\\" ");
    PLAIN("\"a\nb\\\nc\"", "\"a\nb\\\nc\"");
    PLAIN("\"a\r\nb\\\r\nc\"", "\"a\nb\\\nc\"");
    end();
}

TEST(what_is_not_closed_is_reported)
{
    REPORTS("a /* b\nc", "a.fa:1:3: error[PP7]: comment is not closed\n"
                         "    1 | a /* b\n"
                         "      |   ^~\n"
                         "hint: close it with */\n"
                         "1 error\n");
    REPORTS("f(\"a);\nf(\"b\");\n f(\"c\");",
            "a.fa:3:6: error[PP7]: string is not closed\n"
            "    3 |  f(\"c\");\n"
            "      |      ^\n"
            "a.fa:1:3: note: this is the first string that runs over the end of its line\n"
            "1 error\n");
    REPORT("\"\\\"", "a.fa:1:1: error[PP7]: string is not closed");
    REPORT("/*/", "a.fa:1:1: error[PP7]: comment is not closed");
    REPORT("x ${{ y $}", "a.fa:1:3: error[PP7]: foreign block is not closed");
    CHECK(strstr(said(), "hint: it ends with the first '$}}'\n"), "%s", said());
    REPORT("x ${<END} y EN", "a.fa:1:3: error[PP7]: foreign block is not closed");
    end();
}

TEST(zero_bytes_are_reported)
{
    files[0] = (struct memory_file){"a.fa", "a\0b\nc \"\0\"", 9};
    CHECK(run_options(NULL, NULL, 0));
    CHECK_STR(said(), "a.fa:1:2: error[PP10]: zero byte: this is no text file\n"
                      "    1 | a?b\n"
                      "      |  ^\n"
                      "1 error\n");
    CHECK_STR(source_text(source, NULL), "a b\nc \" \"");
    end();
}

/* ---- foreign blocks ---- */

static const char *
block(int i)
{
    const struct foreign *f = &prep.blocks[i];
    return arena_printf(arena, "%u:%u %.*s", f->place.line, f->place.col, (int)f->size, f->text);
}

TEST(blocks_are_cut_out)
{
    PLAIN("C++ sub f() ${{ \"a // $X\n$} }} ` $}} C head ${<END}\n#if x\nEND C sub g()${<@@}{}@@;",
          "C++ sub f() ${0}\n C head ${1}\n\n C sub g()${2};");
    CHECK(prep.nblocks == 3);
    CHECK_STR(block(0), "1:15 { \"a // $X\n$} }} ` }");
    CHECK_STR(block(1), "2:27 \n#if x\n");
    CHECK_STR(block(2), "4:20 {}");
    end();
}

TEST(blocks_may_be_empty_and_stand_side_by_side)
{
    PLAIN("${{$}}${<x}x${<%%%}%%%%%%", "${0}${1}${2}%%%");
    CHECK_STR(block(0), "1:3 {}");
    CHECK_STR(block(1), "1:12 ");
    CHECK_STR(block(2), "1:20 ");
    end();
}

TEST(malformed_blocks_are_reported)
{
    REPORTS("x ${ y }", "a.fa:1:3: error[PP2]: '${' must begin a foreign block\n"
                        "    1 | x ${ y }\n"
                        "      |   ^~\n"
                        "hint: write ${{ ... $}} or ${<END} ... END; a macro is used as $NAME\n"
                        "1 error\n");
    REPORT("${0}", "a.fa:1:1: error[PP2]: '${' must begin a foreign block");
    REPORT("${", "a.fa:1:1: error[PP2]: '${' must begin a foreign block");
    REPORT("${<} x", "a.fa:1:1: error[PP2]: '${' must begin a foreign block");
    REPORT("${<END\n} x END", "a.fa:1:1: error[PP2]: '${' must begin a foreign block");
    REPORT("${<END", "a.fa:1:1: error[PP2]: '${' must begin a foreign block");
    REPORT("x $}} y", "a.fa:1:3: error[PP10]: '$}}' closes no block");
    end();
}

TEST(blocks_in_macros_are_cut_out)
{
    PLAIN("#define F(n) C sub f$n() ${{ say($n, \"$n\"); // x\n $}} // real comment\n$F(1);$F(2);",
          "\n\nC sub f1() ${0};C sub f2() ${1};");
    CHECK_STR(block(0), "1:28 { say($n, \"$n\"); // x\n }");
    CHECK_STR(block(1), "1:28 { say($n, \"$n\"); // x\n }");
    PLAIN("#define ID(x) $x\n$ID(C sub f() ${{ g(1, 2)) $}})", "\nC sub f() ${0}");
    CHECK_STR(block(0), "2:17 { g(1, 2)) }");
    REPORT("#define F ${{ x\n", "a.fa:1:11: error[PP7]: foreign block is not closed");
    end();
}

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
    REPORT("#include <x>", "a.fa:1:1: error[PP2]: #include needs a file name in quotes");
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

/* ---- files ---- */

TEST(files_are_included)
{
    files[1] = (struct memory_file){"b.fa", "lib;", 0};
    files[2] = (struct memory_file){"dir/c.fa", "<#include \"d.fa\">", 0};
    files[3] = (struct memory_file){"dir/d.fa", "beside", 0};
    files[4] = (struct memory_file){"dir/b.fa", "not this one", 0};
    files[5] = (struct memory_file){"dir/e.fa", "#include \"b.fa\"", 0};
    PLAIN("a {#include \"b.fa\"} #include\t\"b.fa\"", "a {lib;} lib;");
    PLAIN("#include \"dir/c.fa\"\n#include \"dir/e.fa\"\n", "<beside>\nlib;\n");
    CHECK(source_file_count(source) == 5);
    CHECK_STR(source_file_name(source, 2), "dir/d.fa");
    end();
}

TEST(absent_files_are_reported)
{
    files[1] = (struct memory_file){"dir/b.fa", "#include \"c.fa\"\n#include \"/c.fa\"", 0};
    REPORTS("  #include \"none.fa\"\n#include \"dir/b.fa\"\n",
            "a.fa:1:12: error[PP8]: include target not found: 'none.fa'\n"
            "    1 |   #include \"none.fa\"\n"
            "      |            ^~~~~~~~~\n"
            "dir/b.fa:1:10: error[PP8]: include target not found: 'c.fa'\n"
            "    1 | #include \"c.fa\"\n"
            "      |          ^~~~~~\n"
            "a.fa:2:1: note: included from here\n"
            "hint: looked in the working directory and for 'dir/c.fa'\n"
            "dir/b.fa:2:10: error[PP8]: include target not found: '/c.fa'\n"
            "    2 | #include \"/c.fa\"\n"
            "      |          ^~~~~~~\n"
            "a.fa:2:1: note: included from here\n"
            "3 errors\n");
    files[0].text = NULL;
    CHECK(!run_options(NULL, NULL, 0));
    CHECK_STR(said(), "a.fa: error[PP8]: cannot be read: No such file or directory\n1 error\n");
    end();
}

TEST(inclusion_without_end_is_reported_with_a_trace)
{
    files[1] = (struct memory_file){"b.fa", "b\n#include \"a.fa\"\n#include \"b.fa\"\n", 0};
    REPORTS("#include \"b.fa\"\n", "a.fa:1:10: error[PP9]: more than 64 files include each other\n"
                                   "    1 | #include \"b.fa\"\n"
                                   "      |          ^~~~~~\n"
                                   "b.fa:2:1: note: included from here\n"
                                   "a.fa:1:1: note: included from here\n"
                                   "b.fa:2:1: note: included from here\n"
                                   "a.fa:1:1: note: included from here (56 more levels left out)\n"
                                   "b.fa:2:1: note: included from here\n"
                                   "a.fa:1:1: note: included from here\n"
                                   "b.fa:2:1: note: included from here\n"
                                   "a.fa:1:1: note: included from here\n"
                                   "1 error\n");
    end();
}

TEST(inclusion_is_limited_by_bytes_too)
{
    char *big = malloc(1 << 20);
    memset(big, 'x', 1 << 20);
    files[1] = (struct memory_file){"big.fa", big, 1 << 20};
    struct buf text = {0};
    for (int i = 0; i < 70; i++) buf_str(&text, "#include \"big.fa\"\n");
    REPORT(text.data, "a.fa:65:10: error[PP9]: more than 64 MiB are included");
    CHECK(diag_errors(d) == 1);
    buf_fini(&text);
    free(big);
    end();
}

TEST(large_files_are_refused)
{
    size_t size = PREP_FILE_BYTES_MAX + 1;
    char *big = malloc(size);
    memset(big, '\n', size);
    files[1] = (struct memory_file){"big.fa", big, size};
    REPORT("#include \"big.fa\"", "a.fa:1:10: error[PP8]: 'big.fa' is larger than 16 MiB");
    files[1].size--;
    CHECK(strlen(plain("#include \"big.fa\"")) == size - 1);
    files[0] = (struct memory_file){"a.fa", big, size};
    CHECK(!run_options(NULL, NULL, 0));
    CHECK_STR(said(), "a.fa: error[PP8]: larger than 16 MiB\n1 error\n");
    free(big);
    end();
}

TEST(the_disk_is_read)
{
    struct prep_options o = {0};
    arena = arena_new();
    source = source_new(arena);
    d = diag_new(arena, source);
    CHECK(!prep_run(arena, source, d, TEST_DIR, &o, &prep));
    CHECK(strstr(said(), ": error[PP8]: cannot be read: Is a directory\n"), "%s", said());
    CHECK(prep_run(arena, source, d, "/dev/null", NULL, &prep));
    CHECK(!prep_run(arena, source, d, "/dev/zero", NULL, &prep));
    CHECK(strstr(said(), "/dev/zero: error[PP8]: larger than 16 MiB\n"), "%s", said());
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

/* Tenths of a second without sanitizers, in sum; were one of them quadratic, it would be minutes.
 * */
TEST(time_is_linear)
{
    struct buf b = {0};
    enum { MANY = 100000 };
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
    enum { MANY = 50000 };
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

TEST_MAIN(T(crumbs_of_text_are_stopped), T(plain_text_stays), T(an_interpreter_line_is_dropped),
          T(comments_are_removed), T(strings_are_kept), T(what_is_not_closed_is_reported),
          T(zero_bytes_are_reported), T(blocks_are_cut_out),
          T(blocks_may_be_empty_and_stand_side_by_side), T(malformed_blocks_are_reported),
          T(blocks_in_macros_are_cut_out), T(macros_are_replaced), T(bodies_are_cleaned),
          T(macros_take_arguments), T(arguments_protect_and_nest), T(parameters_match_longest),
          T(what_is_made_is_read_again), T(unknown_macros_are_reported_once),
          T(macros_are_defined_once), T(arguments_are_counted), T(endless_macros_are_found),
          T(doubling_macros_are_stopped), T(unused_macros_are_warned_about),
          T(conditionals_choose), T(what_is_skipped_is_not_obeyed), T(conditionals_must_match),
          T(conditionals_end_with_their_file), T(malformed_directives_are_reported),
          T(parameters_are_limited), T(unknown_directives_are_explained),
          T(conditionals_of_c_are_faults_that_match), T(files_are_included),
          T(absent_files_are_reported), T(inclusion_without_end_is_reported_with_a_trace),
          T(inclusion_is_limited_by_bytes_too), T(large_files_are_refused), T(the_disk_is_read),
          T(options_define_macros), T(options_are_places_too), T(places_are_those_of_the_user),
          T(any_allocation_may_fail), T(time_is_linear), T(time_is_linear_after_faults),
          T(programs_come_out_as_before))
