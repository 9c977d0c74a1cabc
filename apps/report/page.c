/* page.c - the one HTML file: page.html or compare.html, which are in this program as bytes, with
 * @TITLE@, @DATA@, @CALLS@ and @CALLS_B@ replaced. No text of a trace can end the element that it
 * stands in. */
#include "apps/report/page.h"

#include "apps/luna/common/path.h"
#include "apps/report/page_html.h"
#include "runtime/base/utf8.h"

#include <string.h>

/* For HTML text. Bytes that are no UTF-8 become U+FFFD, as in JSON. */
static void
put_title(struct buf *out, const char *text)
{
    uint32_t c;
    for (size_t n; *text; text += n) {
        n = utf8_take(text, UTF8_MAX, &c);
        if (c == '<')
            buf_str(out, "&lt;");
        else if (c == '&')
            buf_str(out, "&amp;");
        else if (c == UTF8_INVALID)
            buf_str(out, "\xef\xbf\xbd");
        else
            buf_add(out, text, n);
    }
}

/* JSON within a script element: there "<" could end it, or begin a comment. */
static void
put_data(struct buf *out, const struct buf *json)
{
    if (!json->data) return;
    for (const char *p = json->data; *p;) {
        size_t n = strcspn(p, "<");
        buf_add(out, p, n);
        p += n;
        if (!*p) break;
        buf_str(out, "\\u003c");
        p++;
    }
}

enum { MARKS = 4 };
static const char *const marks[MARKS] = {"@TITLE@", "@DATA@", "@CALLS@", "@CALLS_B@"};

/* Puts for each mark its text: with[i] for marks[i]. */
static void
fill(struct buf *out, const unsigned char *page, const struct buf *with)
{
    for (const char *p = (const char *)page; *p;) {
        size_t n = strcspn(p, "@");
        int mark = 0;
        buf_add(out, p, n);
        p += n;
        while (mark < MARKS && strncmp(p, marks[mark], strlen(marks[mark])) != 0) mark++;
        if (mark < MARKS) {
            if (with[mark].size) buf_add(out, with[mark].data, with[mark].size);
            p += strlen(marks[mark]);
        } else if (*p) {
            buf_char(out, *p++);
        }
    }
}

static void
fill_all(struct buf *out, const unsigned char *page, struct buf *title, struct buf *json,
         const struct segments *a, const struct segments *b)
{
    struct buf data = {0};
    put_data(&data, json);
    struct buf with[MARKS] = {*title, data, a->packed, b->packed};
    fill(out, page, with);
    out->failed |= title->failed || json->failed || data.failed;
    buf_fini(&data);
    buf_fini(json);
    buf_fini(title);
}

void
page_html(struct buf *out, const struct page_run *r, const struct page_options *o)
{
    static const struct segments none;
    struct buf json = {0}, title = {0};
    page_json(&json, r, o);
    put_title(&title, path_base(r->report->stats.run.program));
    fill_all(out, page_html_text, &title, &json, r->calls, &none);
}

void
page_pair_html(struct buf *out, const struct page_run *a, const struct page_run *b,
               const struct page_options *o)
{
    struct buf json = {0}, title = {0};
    const char *first = path_base(a->report->stats.run.program);
    const char *second = path_base(b->report->stats.run.program);
    page_pair_json(&json, a, b, o);
    put_title(&title, first);
    buf_str(&title, strcmp(first, second) ? " and " : ", two runs");
    if (strcmp(first, second)) put_title(&title, second);
    fill_all(out, compare_html_text, &title, &json, a->calls, b->calls);
}
