/* diag_json.c - reports as JSON, for editors: all of them. */
#include "lang/report/diag_parts.h"
#include "runtime/base/json.h"

static void
put_place(struct json *j, const struct place *p)
{
    json_key_text(j, "file", p->file);
    json_key_uint(j, "line", p->line);
    json_key_uint(j, "col", p->col);
}

static void
put_hints(struct json *j, const struct note *hints)
{
    struct buf all = {0};
    for (const struct note *h = hints; h; h = h->next) {
        if (h != hints) buf_str(&all, "; ");
        buf_str(&all, h->words);
    }
    json_key_text(j, "hint", all.data);
    j->to->failed |= all.failed;
    buf_fini(&all);
}

static void
put_report(struct json *j, const struct report *r)
{
    json_open(j, '{');
    json_key_text(j, "code", diag_code_text(r->code));
    json_key_text(j, "severity", diag_severity_text(r->severity));
    put_place(j, &r->place);
    json_key_uint(j, "end_line", r->place.end_line);
    json_key_uint(j, "end_col", r->place.end_col);
    json_key_text(j, "message", r->words);
    json_key_open(j, "notes", '[');
    for (const struct note *n = r->notes; n; n = n->next) {
        json_open(j, '{');
        put_place(j, &n->place);
        json_key_text(j, "message", n->words);
        json_close(j, '}');
    }
    json_close(j, ']');
    put_hints(j, r->hints);
    json_close(j, '}');
}

void
diag_print_json(const struct diag *d, struct buf *out)
{
    struct report **sorted = diag_sorted(d);
    struct json j = {.to = out};
    json_open(&j, '{');
    json_key_open(&j, "diagnostics", '[');
    for (int i = 0; i < d->n; i++) {
        json_line(&j, 0);
        put_report(&j, sorted[i]);
    }
    if (d->n) buf_char(out, '\n');
    json_close(&j, ']');
    json_key_uint(&j, "errors", (unsigned)d->count[SEV_ERROR]);
    json_key_uint(&j, "warnings", (unsigned)d->count[SEV_WARNING]);
    json_close(&j, '}');
    buf_char(out, '\n');
}
