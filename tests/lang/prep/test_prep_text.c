/* test_prep_text.c - comments, strings and foreign blocks, and what is not closed. */
#include "tests/lang/prepared.h"

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
    REPORTS("C sub a() ${{ x; }}\n\n\tC++  head ${{ $}}\nb",
            "a.fa:1:11: error[PP7]: foreign block is not closed\n"
            "    1 | C sub a() ${{ x; }}\n"
            "      |           ^~~\n"
            "a.fa:3:1: note: here the next one begins\n"
            "hint: it ends with '$}}'\n"
            "1 error\n");
    REPORT("C sub a() ${{ x;\nC sub b() ${{ y; $}",
           "a.fa:1:11: error[PP7]: foreign block is not closed");
    CHECK(strstr(said(), "a.fa:2:11: error[PP7]: foreign block is not closed\n"), "%s", said());
    PLAIN("${{ C sub ${{\nC subs ${{\nC;\nCsub ${{\n//C sub ${{\nC sub\nC+ sub ${{ $}}",
          "${0}\n\n\n\n\n\n");
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

TEST_MAIN(T(plain_text_stays), T(an_interpreter_line_is_dropped), T(comments_are_removed),
          T(strings_are_kept), T(what_is_not_closed_is_reported), T(zero_bytes_are_reported),
          T(blocks_are_cut_out), T(blocks_may_be_empty_and_stand_side_by_side),
          T(malformed_blocks_are_reported), T(blocks_in_macros_are_cut_out))
