/* export_csv.c - tables: a line for each call, or for each value sent. Times are ns. */
#include "apps/luna/export/export.h"

#include <string.h>

/* In quotes, since names of several indices have no comma today but may have anything tomorrow. */
static void
put_text(struct buf *b, const char *text, size_t n)
{
    buf_char(b, '"');
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"') buf_char(b, '"');
        buf_char(b, text[i]);
    }
    buf_char(b, '"');
}

static void
put_names(struct buf *b, const char *name)
{
    put_text(b, name, export_base(name));
    buf_char(b, ',');
    put_text(b, name, strlen(name));
}

/* 3.0.17, a call, or 3.m.17, a message: as docs/traces.md says, with points. */
static void
put_by(struct buf *b, const struct trace_by *by)
{
    buf_char(b, ',');
    if (by->what == TRACE_BY_NOBODY) return;
    buf_printf(b, "%llu.", (unsigned long long)by->node);
    if (by->what == TRACE_BY_MESSAGE) buf_char(b, 'm');
    else buf_printf(b, "%llu", (unsigned long long)by->worker);
    buf_printf(b, ".%llu", (unsigned long long)by->k);
}

static void
begin_calls(struct export *e)
{
    fputs("node,worker,begin,duration,line,function,call,ready,by\n", e->out);
}

static void
add_call(void *who, unsigned node, const struct trace_event *x)
{
    struct export *e = who;
    if (x->ev != TRACE_EV_EXEC) return;
    buf_printf(&e->line, "%u,%llu,%llu,%llu,%llu,", node, (unsigned long long)x->worker,
               (unsigned long long)x->t, (unsigned long long)x->dur, (unsigned long long)x->line);
    put_names(&e->line, x->cf);
    if (x->ready) buf_printf(&e->line, ",%llu", (unsigned long long)x->ready);
    else buf_char(&e->line, ',');
    put_by(&e->line, &x->by);
    buf_char(&e->line, '\n');
    export_flush(e);
}

static void
begin_sends(struct export *e)
{
    fputs("node,to,time,bytes,distance,why,fragment,value,message,by\n", e->out);
}

static void
add_send(void *who, unsigned node, const struct trace_event *x)
{
    struct export *e = who;
    if (x->ev != TRACE_EV_SEND) return;
    buf_printf(&e->line, "%u,%llu,%llu,%llu,%llu,%s,", node, (unsigned long long)x->to,
               (unsigned long long)x->t, (unsigned long long)x->bytes, (unsigned long long)x->dist,
               trace_kind_text[x->kind]);
    put_names(&e->line, x->df);
    if (x->k) buf_printf(&e->line, ",%llu", (unsigned long long)x->k);
    else buf_char(&e->line, ',');
    put_by(&e->line, &x->by);
    buf_char(&e->line, '\n');
    export_flush(e);
}

static void
end_table(struct export *e)
{
    (void)e;
}

const struct export_format export_csv = {"csv", "calls.csv", begin_calls, add_call, end_table,
                                         NULL};
const struct export_format export_csv_sends = {"csv-sends", "sends.csv", begin_sends, add_send,
                                               end_table, NULL};
