/* test_json.c - JSON as it is written: commas, lines, escapes, numbers; any bytes in a text. */
#include "runtime/base/json.h"
#include "runtime/base/mem.h"
#include "tests/lib/check.h"

#include <math.h>

TEST(commas_and_colons_come_by_themselves)
{
    struct buf b = {0};
    struct json j = {.to = &b};
    json_open(&j, '{');
    json_key(&j, "empty"), json_open(&j, '{'), json_close(&j, '}');
    json_key(&j, "list"), json_open(&j, '[');
    for (unsigned i = 0; i < 3; i++) json_uint(&j, i);
    json_open(&j, '['), json_close(&j, ']');
    json_text(&j, "x");
    json_close(&j, ']');
    json_key(&j, "nothing"), json_text(&j, NULL);
    json_close(&j, '}');
    CHECK_STR(b.data, "{\"empty\":{},\"list\":[0,1,2,[],\"x\"],\"nothing\":null}");
    buf_fini(&b);
}

TEST(a_key_comes_with_its_value)
{
    struct buf b = {0};
    struct json j = {.to = &b};
    json_open(&j, '{');
    json_key_text(&j, "text", "x");
    json_key_text(&j, "none", NULL);
    json_key_uint(&j, "uint", UINT64_MAX);
    json_key_open(&j, "list", '[');
    json_close(&j, ']');
    json_key_float(&j, "float", 3, 0.12345);
    json_key_seconds(&j, "seconds", 1.5);
    json_close(&j, '}');
    CHECK_STR(b.data, "{\"text\":\"x\",\"none\":null,\"uint\":18446744073709551615,\"list\":[],"
                      "\"float\":0.123,\"seconds\":1.500000000}");
    buf_fini(&b);
}

TEST(lines_begin_where_they_are_asked_for)
{
    struct buf b = {0};
    struct json j = {.to = &b};
    json_open(&j, '{');
    json_key(&j, "a"), json_open(&j, '[');
    json_line(&j, 2), json_uint(&j, 1);
    json_line(&j, 2), json_uint(&j, 2);
    json_close(&j, ']');
    json_line(&j, 1), json_key(&j, "b"), json_uint(&j, 3);
    json_line(&j, 0), json_key(&j, "c"), json_open(&j, '[');
    json_line(&j, 9); /* nothing follows on this level */
    json_close(&j, ']');
    json_close(&j, '}');
    CHECK_STR(b.data, "{\"a\":[\n  1,\n  2],\n \"b\":3,\n\"c\":[]}");
    buf_fini(&b);
}

static const char *
written(struct buf *b, const char *text)
{
    struct json j = {.to = b};
    buf_clear(b);
    json_text(&j, text);
    return b->data;
}

TEST(texts_are_escaped)
{
    struct buf b = {0};
    CHECK_STR(written(&b, ""), "\"\"");
    CHECK_STR(written(&b, "a \"b\" \\ /"), "\"a \\\"b\\\" \\\\ /\"");
    CHECK_STR(written(&b, "\001\n\t\x1f\x7f"), "\"\\u0001\\n\\u0009\\u001f\\u007f\"");
    buf_fini(&b);
}

TEST(utf8_stays_and_other_bytes_do_not)
{
    struct buf b = {0};
    CHECK_STR(written(&b, "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
              "\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
#define ENDS "\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"
    CHECK_STR(written(&b, ENDS), "\"" ENDS "\""); /* the first and last of each length */
    CHECK_STR(written(&b, "caf\xe9.fa"), "\"caf\\ufffd.fa\"");     /* Latin-1 */
    CHECK_STR(written(&b, "\xe2\x82"), "\"\\ufffd\\ufffd\"");       /* cut off */
    CHECK_STR(written(&b, "\x80\xbf"), "\"\\ufffd\\ufffd\"");       /* begins nothing */
    CHECK_STR(written(&b, "\xc0\xaf"), "\"\\ufffd\\ufffd\"");       /* longer than it must be */
    CHECK_STR(written(&b, "\xe0\x9f\xbf"), "\"\\ufffd\\ufffd\\ufffd\"");
    CHECK_STR(written(&b, "\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\""); /* half a pair */
    CHECK_STR(written(&b, "\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
    CHECK_STR(written(&b, "\xf5\xff"), "\"\\ufffd\\ufffd\"");
    buf_fini(&b);
}

/* Reads as a strict reader does: is it UTF-8, with nothing but characters that may stand there? */
static int
is_valid(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    while (*p) {
        int more = *p < 0x80 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;
        unsigned low = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80;
        unsigned high = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;
        if (*p < ' ' || *p == 0x7f || (*p >= 0x80 && *p < 0xc2) || *p > 0xf4) return 0;
        p++;
        if (more && (*p < low || *p > high)) return 0;
        for (; more; more--, p++)
            if ((*p & 0xc0) != 0x80) return 0;
    }
    return 1;
}

TEST(whatever_four_bytes_come_the_text_is_valid)
{
    static const unsigned char some[] = {1,    'a',  '"',  '\\', 0x7f, 0x80, 0x8f, 0x90,
                                         0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1,
                                         0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff};
    enum { SOME = sizeof some };
    struct buf b = {0};
    for (unsigned i = 0; i < SOME * SOME * SOME * SOME; i++) {
        char text[] = {(char)some[i % SOME], (char)some[i / SOME % SOME],
                       (char)some[i / SOME / SOME % SOME], (char)some[i / SOME / SOME / SOME], 0};
        CHECK(is_valid(written(&b, text)), "%u: %s", i, b.data);
    }
    buf_fini(&b);
}

TEST(numbers_are_finite_or_null)
{
    struct buf b = {0};
    struct json j = {.to = &b};
    json_open(&j, '[');
    json_uint(&j, UINT64_MAX);
    json_int(&j, INT64_MIN);
    json_float(&j, 17, 0.1);
    json_float(&j, 10, 0.1);
    json_float(&j, 10, 3);
    json_seconds(&j, 2.4e-9);
    json_seconds(&j, 12);
    json_float(&j, 10, NAN);
    json_seconds(&j, INFINITY);
    json_close(&j, ']');
    CHECK_STR(b.data, "[18446744073709551615,-9223372036854775808,"
                      "0.10000000000000001,0.1,3,0.000000002,12.000000000,"
                      "null,null]");
    buf_fini(&b);
}

TEST(missing_memory_is_told_by_the_buf)
{
    for (long n = 0; n < 2; n++) {
        struct buf b = {0};
        struct json j = {.to = &b};
        mem_fail_after(n);
        json_open(&j, '[');
        for (int i = 0; i < 100; i++) json_text(&j, "some words");
        mem_fail_after(-1);
        CHECK(b.failed, "%ld", n);
        buf_fini(&b);
    }
}

TEST_MAIN(T(commas_and_colons_come_by_themselves), T(a_key_comes_with_its_value),
          T(lines_begin_where_they_are_asked_for), T(texts_are_escaped),
          T(utf8_stays_and_other_bytes_do_not), T(whatever_four_bytes_come_the_text_is_valid),
          T(numbers_are_finite_or_null), T(missing_memory_is_told_by_the_buf))
