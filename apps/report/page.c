/* page.c - the one HTML file: page.html, which is in this program as bytes, with @TITLE@, @DATA@
 * and @CALLS@ replaced. No text of a trace can end the element that it stands in. */
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

void
page_html(struct buf *out, const struct report_run *r, const struct segments *s,
          const struct page_options *o)
{
    struct buf json = {0};
    page_json(&json, r, s, o);
    for (const char *p = (const char *)page_html_text; *p;) {
        size_t n = strcspn(p, "@");
        buf_add(out, p, n);
        p += n;
        if (!strncmp(p, "@TITLE@", 7)) {
            put_title(out, path_base(r->stats.run.program));
            p += 7;
        } else if (!strncmp(p, "@DATA@", 6)) {
            put_data(out, &json);
            p += 6;
        } else if (!strncmp(p, "@CALLS@", 7)) {
            buf_add(out, s->packed.data, s->packed.size);
            p += 7;
        } else if (*p) {
            buf_char(out, *p++);
        }
    }
    out->failed |= json.failed;
    buf_fini(&json);
}
