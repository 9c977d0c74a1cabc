/* diag_json.c - reports as JSON, for editors: all of them. */
#include "lang/report/diag_parts.h"
#include "runtime/base/json.h"

static void
put_text(struct json *j, const char *name, const char *text)
{
    json_key(j, name);
    json_text(j, text);
}

static void
put_count(struct json *j, const char *name, unsigned n)
{
    json_key(j, name);
    json_uint(j, n);
}

static void
put_place(struct json *j, const struct place *p)
{
    put_text(j, "file", p->file);
    put_count(j, "line", p->line);
    put_count(j, "col", p->col);
}

static void
put_hints(struct json *j, const struct note *hints)
{
    struct buf all = {0};
    for (const struct note *h = hints; h; h = h->next) {
        if (h != hints) buf_str(&all, "; ");
        buf_str(&all, h->words);
    }
    put_text(j, "hint", all.data);
    j->to->failed |= all.failed;
    buf_fini(&all);
}

static void
put_report(struct json *j, const struct report *r)
{
    json_open(j, '{');
    put_text(j, "code", diag_code_text(r->code));
    put_text(j, "severity", diag_severity_text(r->severity));
    put_place(j, &r->place);
    put_count(j, "end_line", r->place.end_line);
    put_count(j, "end_col", r->place.end_col);
    put_text(j, "message", r->words);
    json_key(j, "notes");
    json_open(j, '[');
    for (const struct note *n = r->notes; n; n = n->next) {
        json_open(j, '{');
        put_place(j, &n->place);
        put_text(j, "message", n->words);
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
    json_key(&j, "diagnostics");
    json_open(&j, '[');
    for (int i = 0; i < d->n; i++) {
        json_line(&j, 0);
        put_report(&j, sorted[i]);
    }
    if (d->n) buf_char(out, '\n');
    json_close(&j, ']');
    put_count(&j, "errors", (unsigned)d->count[SEV_ERROR]);
    put_count(&j, "warnings", (unsigned)d->count[SEV_WARNING]);
    json_close(&j, '}');
    buf_char(out, '\n');
}
