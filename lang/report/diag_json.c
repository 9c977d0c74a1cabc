/* diag_json.c - reports as JSON, for editors: all of them. */
#include "lang/report/diag_parts.h"
#include "lang/report/utf8.h"

#include <string.h>

static void
put_json_string(struct buf *out, const char *text)
{
    if (!text) {
        buf_str(out, "null");
        return;
    }
    uint32_t c;
    buf_char(out, '"');
    for (size_t n = strlen(text), len; n; text += len, n -= len) {
        len = utf8_take(text, n, &c);
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", (int)c);
        else if (c == '\n')
            buf_str(out, "\\n");
        else if (c < 0x20 || c == 0x7f || c == UTF8_INVALID)
            buf_printf(out, "\\u%04x", c);
        else
            buf_add(out, text, len);
    }
    buf_char(out, '"');
}

static void
put_json_place(struct buf *out, const struct place *p)
{
    buf_str(out, "\"file\":");
    put_json_string(out, p->file);
    buf_printf(out, ",\"line\":%u,\"col\":%u", p->line, p->col);
}

static void
put_json_hints(struct buf *out, const struct note *hints)
{
    if (!hints || !hints->next) {
        put_json_string(out, hints ? hints->words : NULL);
        return;
    }
    struct buf all = {0};
    for (const struct note *h = hints; h; h = h->next) {
        if (h != hints) buf_str(&all, "; ");
        buf_str(&all, h->words);
    }
    put_json_string(out, all.data);
    out->failed |= all.failed;
    buf_fini(&all);
}

static void
put_json_report(struct buf *out, const struct report *r)
{
    const struct place *p = &r->place;
    buf_printf(out, "{\"code\":\"%s\",\"severity\":\"%s\",", diag_code_text(r->code),
               diag_severity_text(r->severity));
    put_json_place(out, p);
    buf_printf(out, ",\"end_line\":%u,\"end_col\":%u,\"message\":", p->end_line, p->end_col);
    put_json_string(out, r->words);
    buf_str(out, ",\"notes\":[");
    for (const struct note *n = r->notes; n; n = n->next) {
        buf_char(out, '{');
        put_json_place(out, &n->place);
        buf_str(out, ",\"message\":");
        put_json_string(out, n->words);
        buf_str(out, n->next ? "}," : "}");
    }
    buf_str(out, "],\"hint\":");
    put_json_hints(out, r->hints);
    buf_char(out, '}');
}

void
diag_print_json(const struct diag *d, struct buf *out)
{
    struct report **sorted = diag_sorted(d);
    buf_str(out, "{\"diagnostics\":[");
    for (int i = 0; i < d->n; i++) {
        buf_str(out, i ? ",\n" : "\n");
        put_json_report(out, sorted[i]);
    }
    buf_printf(out, "%s],\"errors\":%d,\"warnings\":%d}\n", d->n ? "\n" : "", d->count[SEV_ERROR],
               d->count[SEV_WARNING]);
}
