/* trace_text.c - see trace_text.h. */
#include "trace_text.h"

#include <string.h>

void
trace_text_cell(struct trace_line *l, const struct lattice *cells, uint32_t cell)
{
    struct lattice_point p = lattice_point(cells, cell);
    trace_text(l, ",\"cell\":");
    for (int d = 0; d < cells->ndims; d++) trace_number(l, d ? "," : "[", (uint64_t)p.at[d]);
    trace_text(l, "]");
}

static void
add_by(struct trace_line *l, const struct told_by *by)
{
    if (by->by == TOLD_UNKNOWN) return;
    trace_number(l, ",\"by\":[", (uint64_t)by->node);
    if (by->by == TOLD_MESSAGE) trace_text(l, ",\"m\"");
    else trace_number(l, ",", (uint64_t)by->by);
    trace_number(l, ",", by->k);
    trace_text(l, "]");
}

static void
add_name(struct trace_line *l, const char *before, const struct told_name *n)
{
    trace_text(l, before);
    trace_name(l, n->base, n->ix, n->n);
    trace_text(l, "\"");
}

/* Behind it the line is over. */
static void
add_values(struct trace_line *l, const struct told_text *values)
{
    if (values->size) memcpy(l->at, values->text, values->size);
    l->at += values->size;
    trace_text(l, "}\n");
}

void
trace_text_call(struct trace_line *l, const struct told_call *c, const struct lattice *cells)
{
    trace_number(l, "{\"t\":", c->t);
    add_name(l, ",\"ev\":\"exec\",\"cf\":\"", &c->name);
    trace_number(l, ",\"line\":", c->name.line);
    trace_number(l, ",\"worker\":", c->worker);
    trace_number(l, ",\"dur\":", c->dur);
    trace_number(l, ",\"chain\":", c->chain);
    if (c->cell != LATTICE_NONE) trace_text_cell(l, cells, c->cell);
    if (c->waited) trace_number(l, ",\"ready\":", c->ready);
    if (c->waited) add_by(l, &c->by);
    add_values(l, &c->values);
}

void
trace_text_send(struct trace_line *l, const struct told_send *s)
{
    static const char *const words[] = {"reply", "push", "migrate", "collective"};
    trace_number(l, "{\"t\":", s->t);
    trace_number(l, ",\"ev\":\"send\",\"to\":", s->to);
    add_name(l, ",\"df\":\"", &s->name);
    if (s->part) {
        trace_number(l, ",\"part\":[", s->part_from);
        trace_number(l, ",", s->part_count);
        trace_text(l, "]");
    }
    trace_number(l, ",\"bytes\":", s->bytes);
    trace_number(l, ",\"dist\":", s->dist);
    trace_text(l, ",\"why\":\"");
    trace_text(l, words[s->why]);
    trace_text(l, "\"");
    if (s->k) trace_number(l, ",\"k\":", s->k);
    add_by(l, &s->by);
    add_values(l, &s->values);
}

void
trace_text_recv(struct trace_line *l, const struct told_recv *r)
{
    trace_number(l, "{\"t\":", r->t);
    trace_number(l, ",\"ev\":\"recv\",\"from\":", r->from);
    trace_number(l, ",\"k\":", r->k);
    trace_text(l, "}\n");
}
