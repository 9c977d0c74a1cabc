/* test_diag.c - what a user reads: text with carets, counts and merged reports; the same as JSON.
 * */
#include "lang/report/diag.h"
#include "tests/lib/check.h"

static struct arena *arena;
static struct source *source;
static struct diag *d;
static struct buf out;

/* A program that is its own plain text. */
static void
begin(const char *text)
{
    arena = arena_new();
    source = source_new(arena);
    int file = source_add_file(source, "heat.fa", text, strlen(text), true);
    source_add_origin(source, (struct origin){.file = file, .use = -1});
    source_add_text(source, 0, 0, 0, text, strlen(text));
    d = diag_new(arena, source);
}

static struct span
span(uint32_t lo, uint32_t hi)
{
    return (struct span){lo, hi};
}

static const char *
text(void)
{
    buf_clear(&out);
    diag_print_text(d, &out);
    return out.data ? out.data : "";
}

static const char *
json(void)
{
    buf_clear(&out);
    diag_print_json(d, &out);
    return out.data;
}

static void
end(void)
{
    arena_free(arena);
    buf_fini(&out);
}

TEST(nothing_to_say_says_nothing)
{
    begin("x\n");
    CHECK_STR(text(), "");
    CHECK_STR(json(), "{\"diagnostics\":[],\"errors\":0,\"warnings\":0}\n");
    end();
}

TEST(a_report_has_place_line_caret_note_and_hint)
{
    begin("for i\n    cf b: step(u[i]);\n");
    diag(d, SEV_ERROR, D_SEM2_1, span(21, 25), "'%s' is assigned twice", "u[i]");
    diag_note(d, span(4, 5), "first assigned here, for i = 0..%s", "N-1");
    diag_hint(d, "index it by the step: %s", "u[t][i]");
    CHECK_STR(text(), "heat.fa:2:16: error[SEM2.1]: 'u[i]' is assigned twice\n"
                      "    2 |     cf b: step(u[i]);\n"
                      "      |                ^~~~\n"
                      "heat.fa:1:5: note: first assigned here, for i = 0..N-1\n"
                      "hint: index it by the step: u[t][i]\n"
                      "1 error\n");
    CHECK_STR(
        json(),
        "{\"diagnostics\":[\n{\"code\":\"SEM2.1\",\"severity\":\"error\",\"file\":\"heat.fa\","
        "\"line\":2,\"col\":16,\"end_line\":2,\"end_col\":20,"
        "\"message\":\"'u[i]' is assigned twice\",\"notes\":[{\"file\":\"heat.fa\",\"line\":1,"
        "\"col\":5,\"message\":\"first assigned here, for i = 0..N-1\"}],"
        "\"hint\":\"index it by the step: u[t][i]\"}\n],\"errors\":1,\"warnings\":0}\n");
    end();
}

TEST(reports_are_sorted_by_place_and_counted)
{
    begin("one\ntwo\nthree\n");
    diag(d, SEV_WARNING, D_SEM4, span(8, 13), "third");
    diag(d, SEV_ERROR, D_SYN2, span(5, 6), "second b");
    diag(d, SEV_ERROR, D_SYN1, span(4, 5), "second a");
    diag(d, SEV_WARNING, D_SEM4, span(0, 3), "first");
    diag_at(d, SEV_ERROR, D_SYN7, NULL, "no sub 'main'");
    CHECK(diag_errors(d) == 3 && diag_warnings(d) == 2);
    CHECK_STR(text(), "error[SYN7]: no sub 'main'\n"
                      "heat.fa:1:1: warning[SEM4]: first\n"
                      "    1 | one\n"
                      "      | ^~~\n"
                      "heat.fa:2:1: error[SYN1]: second a\n"
                      "    2 | two\n"
                      "      | ^\n"
                      "heat.fa:2:2: error[SYN2]: second b\n"
                      "    2 | two\n"
                      "      |  ^\n"
                      "heat.fa:3:1: warning[SEM4]: third\n"
                      "    3 | three\n"
                      "      | ^~~~~\n"
                      "3 errors, 2 warnings\n");
    end();
}

TEST(equal_reports_are_merged_with_what_belongs_to_them)
{
    begin("one\n");
    for (int i = 0; i < 3; i++) {
        diag(d, SEV_ERROR, D_SYN2, span(0, 3), "no sub 'one'");
        diag_hint(d, "hint %d", i);
        diag_note(d, span(0, 1), "note %d", i);
    }
    diag(d, SEV_ERROR, D_SYN2, span(0, 3), "no sub 'two'");
    diag(d, SEV_WARNING, D_SYN2, span(0, 3), "no sub 'one'");
    CHECK(diag_errors(d) == 2 && diag_warnings(d) == 1);
    CHECK_STR(text(), "heat.fa:1:1: error[SYN2]: no sub 'one'\n"
                      "    1 | one\n      | ^~~\n"
                      "heat.fa:1:1: note: note 0\n"
                      "hint: hint 0\n"
                      "heat.fa:1:1: error[SYN2]: no sub 'two'\n"
                      "    1 | one\n      | ^~~\n"
                      "heat.fa:1:1: warning[SYN2]: no sub 'one'\n"
                      "    1 | one\n      | ^~~\n"
                      "2 errors, 1 warning\n");
    end();
}

static int
occurrences(const char *in, const char *what)
{
    int n = 0;
    for (in = strstr(in, what); in; in = strstr(in + 1, what)) n++;
    return n;
}

TEST(twenty_are_printed_errors_first)
{
    begin("0123456789012345678901234567890123456789\n");
    for (uint32_t i = 0; i < 22; i++) diag(d, SEV_WARNING, D_SEM4, span(i, i + 1), "w%u.", i);
    for (uint32_t i = 25; i < 40; i++) diag(d, SEV_ERROR, D_SYN2, span(i, i + 1), "e%u.", i);
    const char *t = text();
    CHECK(occurrences(t, ": error[") == 15 && occurrences(t, ": warning[") == 5, "%s", t);
    CHECK(strstr(t, "w0.") && strstr(t, "w4.") && !strstr(t, "w5."), "%s", t);
    CHECK(strstr(t, "w4.") < strstr(t, "e25."), "in the order of places\n%s", t);
    CHECK(strstr(t, "\n17 warnings more not shown\n15 errors, 22 warnings\n"), "%s", t);
    CHECK(occurrences(json(), "\"code\"") == 37, "JSON has all");
    end();
}

TEST(a_flood_is_counted_but_not_kept)
{
    begin("x\n");
    for (int i = 0; i < 50000; i++) diag(d, SEV_ERROR, D_SYN2, span(0, 1), "report %d", i);
    diag_note(d, span(0, 1), "of one that is not kept");
    CHECK(diag_errors(d) == 50000);
    CHECK(strstr(text(), "49980 errors more not shown\n50000 errors\n"), "%s", text());
    CHECK(occurrences(json(), "\"code\"") == 1000);
    end();
}

TEST(the_caret_follows_tabs_and_wide_characters)
{
    begin("\tf\tx;\n\xd1\x8f\xe6\xbc\xa2+y;\n");
    diag(d, SEV_ERROR, D_SYN9, span(3, 4), "x");
    diag(d, SEV_ERROR, D_SYN9, span(12, 13), "y");
    CHECK_STR(text(), "heat.fa:1:4: error[SYN9]: x\n"
                      "    1 |         f       x;\n"
                      "      |                 ^\n"
                      "heat.fa:2:4: error[SYN9]: y\n"
                      "    2 | \xd1\x8f\xe6\xbc\xa2+y;\n"
                      "      |     ^\n"
                      "2 errors\n");
    end();
}

TEST(a_span_of_lines_is_marked_on_its_first)
{
    begin("  sub f() {   \n  }\n\n");
    diag(d, SEV_ERROR, D_SYN9, span(2, 18), "lines");
    diag(d, SEV_ERROR, D_SYN9, span(99, 99), "end");
    CHECK_STR(text(), "heat.fa:1:3: error[SYN9]: lines\n"
                      "    1 |   sub f() {\n"
                      "      |   ^~~~~~~~~\n"
                      "heat.fa:2:4: error[SYN9]: end\n"
                      "    2 |   }\n"
                      "      |    ^\n"
                      "2 errors\n");
    end();
}

TEST(the_margin_grows_with_line_numbers)
{
    begin("x\n");
    struct place far = {
        .file = "gen.c", .line = 1234567, .col = 3, .line_text = "int x", .line_size = 5};
    diag_at(d, SEV_ERROR, D_CC1, &far, "far");
    CHECK_STR(text(), "gen.c:1234567:3: error[CC1]: far\n"
                      "1234567 | int x\n"
                      "        |   ^\n"
                      "1 error\n");
    end();
}

TEST(an_empty_line_has_a_caret)
{
    begin("\n  \nx");
    diag(d, SEV_ERROR, D_SYN9, span(0, 1), "newline");
    CHECK_STR(text(), "heat.fa:1:1: error[SYN9]: newline\n    1 |\n      | ^\n1 error\n");
    end();
}

TEST(of_a_long_line_a_window_is_shown)
{
    char line[1001];
    for (int i = 0; i < 1000; i++) line[i] = 'a' + i % 26;
    line[1000] = 0;
    begin(line);
    diag(d, SEV_ERROR, D_SYN9, span(10, 900), "front");
    diag(d, SEV_ERROR, D_SYN9, span(500, 503), "middle");
    diag(d, SEV_ERROR, D_SYN9, span(995, 1000), "back");
    const char *t = text();
    for (const char *p = t, *q; (q = strchr(p, '\n')); p = q + 1)
        CHECK(q - p <= 8 + 100 + 6, "%.*s", (int)(q - p), p);
    CHECK(strstr(t, "    1 | abcdefghijkl"), "%s", t);
    const char *middle = strstr(t, "middle"), *caret = strstr(middle, "^~~\n");
    CHECK(caret, "%s", t);
    const char *marked = strchr(middle, '\n') + 1 + (caret - (strstr(middle, "      |")));
    CHECK(!strncmp(marked, line + 500, 3), "caret is under %.3s", marked);
    CHECK(strstr(middle, "    1 | ...") && strstr(middle, "...\n"), "%s", t);
    const char *back = strstr(t, "back");
    CHECK(strstr(back, "hijkl\n") && strstr(back, " ^~~~~\n"), "%s", t);
    end();
}

TEST(control_characters_do_not_reach_the_terminal)
{
    begin("a\x1b[31m\xff\xc3 \xe2\x80\xae b\x7f\n");
    diag(d, SEV_ERROR, D_SYN9, span(12, 13), "name '\x1b[0m\n\xf0\x9f' \xe2\x81\xa6.");
    CHECK_STR(text(), "heat.fa:1:11: error[SYN9]: name '?[0m ?"
                      "?' ?.\n"
                      "    1 | a?[31m?? ? b?\n"
                      "      |           ^\n"
                      "1 error\n");
    CHECK(strstr(json(), "name '\\u001b[0m\\n\\ufffd\\ufffd' \xe2\x81\xa6."), "%s", json());
    end();
}

TEST(json_is_quoted)
{
    begin("x\n");
    diag(d, SEV_ERROR, D_SYN9, span(0, 1), "a \"b\" \\ c");
    diag_hint(d, "one");
    diag_hint(d, "two");
    CHECK(strstr(json(), "\"message\":\"a \\\"b\\\" \\\\ c\""), "%s", json());
    CHECK(strstr(json(), "\"hint\":\"one; two\""), "%s", json());
    end();
}

TEST(endless_words_are_cut)
{
    begin("x\n");
    char *name = malloc(100001);
    memset(name, 'n', 100000);
    memcpy(name + 590, "\xd1\x8f\xd1\x8f\xd1\x8f\xd1\x8f", 8);
    name[100000] = 0;
    diag(d, SEV_ERROR, D_SYN9, span(0, 1), "name '%s'", name);
    CHECK(strlen(text()) < 700, "%s", text());
    CHECK(strstr(text(), "nn...\n") && !strstr(text(), "?"), "%s", text());
    free(name);
    end();
}

TEST(places_of_others_and_no_places)
{
    begin("x\n");
    struct place cc = {
        .file = "ucodes.cpp", .line = 3, .col = 2, .line_text = "int x", .line_size = 5};
    diag_at(d, SEV_ERROR, D_CC1, &cc, "no such type");
    diag_note_at(d, &(struct place){.file = "a.h", .line = 7}, "in this line");
    diag_note_at(d, NULL, "of nowhere");
    cc.col = 0;
    cc.line_text = "int y";
    diag_at(d, SEV_ERROR, D_CC1, &cc, "the whole line");
    cc.line_text = NULL;
    cc.line = 2;
    diag_at(d, SEV_WARNING, D_CC3_2, &cc, "text unknown");
    diag_at(d, SEV_ERROR, D_PP8, &(struct place){.file = "gone.fa"}, "cannot be read");
    diag(d, SEV_ERROR, D_SYN9, span(0, 1), "ours");
    CHECK_STR(text(), "ucodes.cpp:3:2: error[CC1]: no such type\n"
                      "    3 | int x\n      |  ^\n"
                      "a.h:7: note: in this line\n"
                      "note: of nowhere\n"
                      "ucodes.cpp:3: error[CC1]: the whole line\n"
                      "    3 | int y\n"
                      "heat.fa:1:1: error[SYN9]: ours\n"
                      "    1 | x\n      | ^\n"
                      "gone.fa: error[PP8]: cannot be read\n"
                      "ucodes.cpp:2: warning[CC3.2]: text unknown\n"
                      "4 errors, 1 warning\n");
    diag_at(d, SEV_ERROR, D_SYN7, NULL, "no main");
    CHECK(strstr(json(), "{\"code\":\"SYN7\",\"severity\":\"error\",\"file\":null,\"line\":0,"),
          "%s", json());
    end();
}

/* What follows from another error goes; with errors of a C compiler, all warnings. */
TEST(follow_ups_are_dropped)
{
    begin("abcdef\n");
    diag(d, SEV_WARNING, D_SYN5_4, span(0, 1), "unused");
    diag(d, SEV_ERROR, D_SEM3_1, span(1, 2), "unwritten");
    diag(d, SEV_WARNING, D_SYN9, span(2, 3), "in a rule");
    diag(d, SEV_WARNING, D_SEM8, span(3, 4), "endless");
    diag_drop_follow_ups(d);
    CHECK(diag_errors(d) == 1 && diag_warnings(d) == 3, "without an error that is their cause");
    diag(d, SEV_ERROR, D_SYN9, span(4, 5), "misspelt");
    diag_drop_follow_ups(d);
    CHECK(diag_errors(d) == 1 && diag_warnings(d) == 2, "%d, %d", diag_errors(d), diag_warnings(d));
    CHECK(!strstr(text(), "unused") && !strstr(text(), "unwritten"), "%s", text());
    diag_at(d, SEV_ERROR, D_CC1, NULL, "of gcc");
    diag_drop_follow_ups(d);
    CHECK(diag_errors(d) == 2 && !diag_warnings(d), "%s", text());
    end();
}

/* A warning that would have become an error does not count any more. */
TEST(follow_ups_count_as_no_errors)
{
    struct verdicts v = {0};
    v.error[D_SYN5_4] = true;
    begin("abc\n");
    diag_set_verdicts(d, &v);
    diag(d, SEV_WARNING, D_SYN5_4, span(0, 1), "unused");
    diag(d, SEV_ERROR, D_SYN2, span(1, 2), "no sub");
    diag_drop_follow_ups(d);
    diag_apply_verdicts(d);
    CHECK(diag_errors(d) == 1 && !diag_warnings(d), "%d, %d", diag_errors(d), diag_warnings(d));
    end();
}

/* The source "ab" where b comes out of macro M used at a, n times inside each other. */
static int
macros_inside(int n, int distinct)
{
    int origin = 0;
    for (int i = 0; i < n; i++) {
        uint32_t use = i == 0 ? 0 : 2 + i % distinct;
        origin = source_add_origin(source, (struct origin){0, origin, use, 1, "M"});
    }
    return origin;
}

TEST(uses_around_a_place_are_noted)
{
    begin("ab\ncd\n");
    int in = source_add_origin(source, (struct origin){0, macros_inside(1, 1), 3, 1, NULL});
    diag_origin(d, SEV_ERROR, D_PP3, in, 4, 1, "here");
    diag_note_origin(d, 0, 1, 1, "there");
    CHECK_STR(text(), "heat.fa:2:2: error[PP3]: here\n"
                      "    2 | cd\n      |  ^\n"
                      "heat.fa:2:1: note: included from here\n"
                      "heat.fa:1:1: note: in macro 'M', used here\n"
                      "heat.fa:1:2: note: there\n"
                      "1 error\n");
    end();
}

TEST(a_macro_in_itself_is_one_note)
{
    begin("ab cdefghijklmn\n");
    diag_origin(d, SEV_ERROR, D_PP6, macros_inside(100, 1), 2, 1, "endless");
    CHECK_STR(text(), "heat.fa:1:3: error[PP6]: endless\n"
                      "    1 | ab cdefghijklmn\n      |   ^\n"
                      "heat.fa:1:1: note: in macro 'M', used here\n"
                      "1 error\n");
    end();
}

TEST(of_many_uses_the_ends_are_noted)
{
    begin("ab cdefghijklmn\n");
    diag_origin(d, SEV_ERROR, D_PP6, macros_inside(101, 10), 13, 1, "deep");
    const char *t = text();
    CHECK(occurrences(t, "note:") == 8, "%s", t);
    CHECK(strstr(t, "used here (93 more levels left out)\n"), "%s", t);
    CHECK(strstr(t, "heat.fa:1:1: note: in macro 'M', used here\n1 error\n"), "the last\n%s", t);
    end();
}

TEST(codes_have_words)
{
    CHECK_STR(diag_code_text(D_SEM2_1), "SEM2.1");
    CHECK_STR(diag_code_meaning(D_SYN7), "no main");
    for (int c = 0; c < DIAG_CODES; c++)
        for (int k = 0; k < c; k++)
            CHECK(strcmp(diag_code_text(c), diag_code_text(k)), "%s twice", diag_code_text(c));
}

TEST_MAIN(T(nothing_to_say_says_nothing), T(a_report_has_place_line_caret_note_and_hint),
          T(reports_are_sorted_by_place_and_counted),
          T(equal_reports_are_merged_with_what_belongs_to_them), T(twenty_are_printed_errors_first),
          T(a_flood_is_counted_but_not_kept), T(the_caret_follows_tabs_and_wide_characters),
          T(a_span_of_lines_is_marked_on_its_first), T(the_margin_grows_with_line_numbers),
          T(an_empty_line_has_a_caret), T(of_a_long_line_a_window_is_shown),
          T(control_characters_do_not_reach_the_terminal), T(json_is_quoted),
          T(endless_words_are_cut), T(places_of_others_and_no_places),
          T(follow_ups_are_dropped), T(follow_ups_count_as_no_errors),
          T(uses_around_a_place_are_noted), T(a_macro_in_itself_is_one_note),
          T(of_many_uses_the_ends_are_noted), T(codes_have_words))
