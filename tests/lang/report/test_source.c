/* test_source.c - places: lines and columns of files, and the way from the plain text to them. */
#include "lang/report/source.h"
#include "tests/lib/check.h"

static struct arena *arena;

static struct source *
source_of(const char *name, const char *text)
{
    arena = arena_new();
    struct source *s = source_new(arena);
    int file = source_add_file(s, name, text, strlen(text), true);
    source_add_origin(s, (struct origin){.file = file, .use = -1});
    return s;
}

/* "file:line:col-line:col|first line|why", or "none". */
static const char *
place_text(const struct place *p, const char *why)
{
    return arena_printf(arena, "%s:%u:%u-%u:%u|%.*s|%s", p->file, p->line, p->col, p->end_line,
                        p->end_col, (int)p->line_size, p->line_text, why ? why : "");
}

static const char *
span_text(const struct source *s, uint32_t lo, uint32_t hi, int depth)
{
    struct place p;
    const char *why;
    return source_place(s, (struct span){lo, hi}, depth, &p, &why) ? place_text(&p, why) : "none";
}

static const char *
origin_text(const struct source *s, int origin, uint32_t offset, uint32_t size)
{
    struct place p;
    const char *why;
    bool placed = source_origin_place(s, origin, offset, size, 0, &p, &why);
    return placed ? place_text(&p, why) : "none";
}

TEST(lines_and_columns_of_a_file)
{
    struct source *s = source_of("a.fa", "ab\nc\r\n\nlast");
    CHECK_STR(origin_text(s, 0, 0, 2), "a.fa:1:1-1:3|ab|");
    CHECK_STR(origin_text(s, 0, 2, 1), "a.fa:1:3-1:4|ab|");
    CHECK_STR(origin_text(s, 0, 3, 1), "a.fa:2:1-2:2|c|");
    CHECK_STR(origin_text(s, 0, 6, 1), "a.fa:3:1-3:2||");
    CHECK_STR(origin_text(s, 0, 7, 4), "a.fa:4:1-4:5|last|");
    CHECK_STR(origin_text(s, 0, 11, 0), "a.fa:4:5-4:5|last|");
    CHECK_STR(origin_text(s, 0, 99, 9), "a.fa:4:5-4:5|last|");
    CHECK_STR(origin_text(s, 0, 0, 4), "a.fa:1:1-2:2|ab|");
    CHECK_STR(origin_text(s, 1, 0, 0), "none");
    arena_free(arena);
}

TEST(columns_count_characters)
{
    struct source *s = source_of("a.fa", "\xd1\x8f\xd1\x8f = x; \xe2\x82\xac y\nz");
    CHECK_STR(origin_text(s, 0, 7, 1), "a.fa:1:6-1:7|\xd1\x8f\xd1\x8f = x; \xe2\x82\xac y|");
    CHECK_STR(origin_text(s, 0, 14, 1), "a.fa:1:11-1:12|\xd1\x8f\xd1\x8f = x; \xe2\x82\xac y|");
    CHECK_STR(origin_text(s, 0, 2, 2), "a.fa:1:2-1:3|\xd1\x8f\xd1\x8f = x; \xe2\x82\xac y|");
    CHECK_STR(origin_text(s, 0, 16, 1), "a.fa:2:1-2:2|z|");
    arena_free(arena);
}

TEST(an_empty_program_has_a_place)
{
    struct source *s = source_of("a.fa", "");
    size_t size = 1;
    CHECK_STR(source_text(s, &size), "");
    CHECK(size == 0);
    CHECK_STR(span_text(s, 0, 0, 0), "a.fa:1:1-1:1||");
    CHECK_STR(span_text(s, 0, 1, 0), "a.fa:1:1-1:1||");
    CHECK_STR(span_text(s, 0, 0, 1), "none");
    arena_free(arena);
}

TEST(the_end_is_behind_the_last_word)
{
    struct source *s = source_of("a.fa", "one\n  two\n\n  \n");
    source_add_text(s, 0, 0, 0, "one\n  two\n\n  \n", 14);
    CHECK_STR(span_text(s, 14, 14, 0), "a.fa:2:6-2:6|  two|");
    arena_free(arena);
}

/* The program is  x$N+1;y  with N, defined in lib.fa, being  ($M)  and M being  7 ; then lib.fa
 * again as an include. Plain: x(7)+1;yq */
static struct source *
nested(void)
{
    struct source *s = source_of("a.fa", "x$N+1;\ny");
    int lib = source_add_file(s, "lib.fa", "($M) 7\nq", 8, true);
    int n = source_add_origin(s, (struct origin){lib, 0, 1, 2, "N"});
    int m = source_add_origin(s, (struct origin){lib, n, 1, 2, "M"});
    source_add_text(s, 0, 0, 0, "x", 1);
    source_add_text(s, n, 0, 0, "(", 1);
    source_add_text(s, m, 5, 0, "7", 1);
    source_add_text(s, n, 3, 0, ")", 1);
    source_add_text(s, 0, 3, 0, "+1;", 3);
    source_add_text(s, 0, 7, 0, "y", 1);
    int inc = source_add_origin(s, (struct origin){lib, 0, 7, 1, NULL});
    source_add_text(s, inc, 7, 0, "q", 1);
    return s;
}

TEST(a_place_in_a_macro_names_body_and_uses)
{
    struct source *s = nested();
    CHECK_STR(source_text(s, NULL), "x(7)+1;yq");
    CHECK_STR(span_text(s, 2, 3, 0), "lib.fa:1:6-1:7|($M) 7|");
    CHECK_STR(span_text(s, 2, 3, 1), "lib.fa:1:2-1:4|($M) 7|in macro 'M', used here");
    CHECK_STR(span_text(s, 2, 3, 2), "a.fa:1:2-1:4|x$N+1;|in macro 'N', used here");
    CHECK_STR(span_text(s, 2, 3, 3), "none");
    arena_free(arena);
}

TEST(a_span_belongs_to_the_origin_that_holds_both_ends)
{
    struct source *s = nested();
    CHECK_STR(span_text(s, 1, 4, 0), "lib.fa:1:1-1:5|($M) 7|");
    CHECK_STR(span_text(s, 1, 4, 1), "a.fa:1:2-1:4|x$N+1;|in macro 'N', used here");
    CHECK_STR(span_text(s, 0, 3, 0), "a.fa:1:1-1:4|x$N+1;|");
    CHECK_STR(span_text(s, 2, 6, 0), "a.fa:1:2-1:6|x$N+1;|");
    CHECK_STR(span_text(s, 0, 8, 0), "a.fa:1:1-2:2|x$N+1;|");
    CHECK_STR(span_text(s, 0, 8, 1), "none");
    arena_free(arena);
}

TEST(an_include_is_named)
{
    struct source *s = nested();
    CHECK_STR(span_text(s, 8, 9, 0), "lib.fa:2:1-2:2|q|");
    CHECK_STR(span_text(s, 8, 9, 1), "a.fa:2:1-2:2|y|included from here");
    CHECK_STR(span_text(s, 7, 9, 0), "a.fa:2:1-2:2|y|");
    arena_free(arena);
}

TEST(arguments_in_another_order_are_one_place)
{
    struct source *s = source_of("a.fa", "$SWAP(a, b)");
    int swap = source_add_origin(s, (struct origin){0, 0, 0, 11, "SWAP"});
    source_add_text(s, 0, 9, 0, "b", 1);
    source_add_text(s, swap, 2, 0, "-", 1);
    source_add_text(s, 0, 6, 0, "a", 1);
    CHECK_STR(span_text(s, 0, 3, 0), "a.fa:1:7-1:11|$SWAP(a, b)|");
    arena_free(arena);
}

TEST(a_replaced_text_is_all_of_what_it_replaces)
{
    struct source *s = source_of("a.fa", "f ${{ x\n y $}} g");
    source_add_text(s, 0, 0, 0, "f ", 2);
    source_add_text(s, 0, 2, 12, "${0}", 4);
    source_add_text(s, 0, 14, 0, " g", 2);
    CHECK_STR(span_text(s, 3, 4, 0), "a.fa:1:3-2:7|f ${{ x|");
    CHECK_STR(span_text(s, 0, 6, 0), "a.fa:1:1-2:7|f ${{ x|");
    CHECK_STR(span_text(s, 7, 8, 0), "a.fa:2:8-2:9| y $}} g|");
    arena_free(arena);
}

TEST(empty_spans_stand_before_their_byte)
{
    struct source *s = nested();
    CHECK_STR(span_text(s, 4, 4, 0), "a.fa:1:4-1:4|x$N+1;|");
    arena_free(arena);
}

TEST(files_are_counted)
{
    struct source *s = nested();
    source_add_file(s, "<command line>", "-D N", 4, false);
    size_t size;
    CHECK(source_file_count(s) == 3);
    CHECK_STR(source_file_name(s, 1), "lib.fa");
    CHECK_STR(source_file_text(s, 1, &size), "($M) 7\nq");
    CHECK(size == 8 && source_file_on_disk(s, 1) && !source_file_on_disk(s, 2));
    arena_free(arena);
}

/* One long line of characters of two bytes: places, in whatever order, must not count it anew each
 * time (this takes minutes then). */
TEST(places_on_a_long_line_are_cheap)
{
    enum { N = 400000 };
    char *text = malloc(2 * N + 1);
    for (int i = 0; i < N; i++) memcpy(text + 2 * i, "\xd1\x8f", 2);
    text[2 * N] = 0;
    struct source *s = source_of("a.fa", text);
    struct place p = {0};
    int wrong = 0;
    for (uint32_t i = 0; i < N; i++) {
        uint32_t at = i % 2 ? N - i : i;
        wrong += !source_origin_place(s, 0, 2 * at, 2, 0, &p, NULL) || p.col != at + 1;
    }
    CHECK(source_origin_place(s, 0, 2 * N, 0, 0, &p, NULL) && p.col == N + 1, "the end");
    CHECK(!wrong, "%d wrong", wrong);
    arena_free(arena);
    free(text);
}

TEST_MAIN(T(lines_and_columns_of_a_file), T(columns_count_characters),
          T(an_empty_program_has_a_place), T(the_end_is_behind_the_last_word),
          T(a_place_in_a_macro_names_body_and_uses),
          T(a_span_belongs_to_the_origin_that_holds_both_ends), T(an_include_is_named),
          T(arguments_in_another_order_are_one_place),
          T(a_replaced_text_is_all_of_what_it_replaces), T(empty_spans_stand_before_their_byte),
          T(files_are_counted), T(places_on_a_long_line_are_cheap))
