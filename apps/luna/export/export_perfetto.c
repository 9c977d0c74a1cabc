/* export_perfetto.c - JSON as chrome://tracing reads it: a process for each node, a thread for each
 * worker and one more for what the node sends and moves. Times are us, to the ns. */
#include "apps/luna/common/path.h"
#include "apps/luna/export/export.h"
#include "runtime/base/json.h"

#include <string.h>

static void
put_time(struct json *j, const char *name, uint64_t ns)
{
    json_key(j, name);
    buf_printf(j->to, "%llu.%03u", (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
    j->comma = true;
}

/* Each event is a line; the first has no comma in front of it. */
static struct json
open_event(struct export *e, const char *phase, uint64_t node, const char *name, size_t n)
{
    struct json j = {.to = &e->line};
    e->name.size = 0;
    buf_add(&e->name, name, n);
    buf_str(&e->line, e->own ? ",\n" : "\n");
    e->own = e;
    json_open(&j, '{');
    json_key_text(&j, "ph", phase);
    json_key_uint(&j, "pid", node);
    json_key_text(&j, "name", e->name.data);
    return j;
}

static void
close_event(struct export *e, struct json *j)
{
    json_close(j, '}');
    export_flush(e);
}

static void
name_it(struct export *e, const char *kind, uint64_t node, uint64_t thread, const char *name)
{
    struct json j = open_event(e, "M", node, kind, strlen(kind));
    json_key_uint(&j, "tid", thread);
    json_key_open(&j, "args", '{');
    json_key_text(&j, "name", name);
    json_close(&j, '}');
    close_event(e, &j);
}

static void
begin(struct export *e)
{
    fprintf(e->out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{");
    struct json j = {.to = &e->line};
    json_key_text(&j, "program", path_base(e->run->program));
    export_flush(e);
    fprintf(e->out, "},\"traceEvents\":[");
    for (uint64_t i = 0; i < e->run->nodes; i++) {
        const char *node = arena_printf(e->arena, "node %llu", (unsigned long long)i);
        name_it(e, "process_name", i, 0, node);
        for (uint64_t w = 0; w < e->run->workers; w++)
            name_it(e, "thread_name", i, w,
                    arena_printf(e->arena, "worker %llu", (unsigned long long)w));
        name_it(e, "thread_name", i, e->run->workers, "sends and moves");
    }
}

static void
add_call(struct export *e, unsigned node, const struct trace_event *x)
{
    struct json j = open_event(e, "X", node, x->cf, export_base(x->cf));
    json_key_uint(&j, "tid", x->worker);
    put_time(&j, "ts", x->t);
    put_time(&j, "dur", x->dur);
    json_key_open(&j, "args", '{');
    json_key_text(&j, "call", x->cf);
    json_key_uint(&j, "line", x->line);
    json_close(&j, '}');
    close_event(e, &j);
}

static void
add_load(struct export *e, unsigned node, const struct trace_event *x)
{
    static const char name[] = "bytes of live fragments";
    struct json j = open_event(e, "C", node, name, strlen(name));
    put_time(&j, "ts", x->t);
    json_key_open(&j, "args", '{');
    json_key_uint(&j, "bytes", x->bytes);
    json_close(&j, '}');
    close_event(e, &j);
}

static struct json
open_instant(struct export *e, unsigned node, const struct trace_event *x, const char *name,
             size_t n)
{
    struct json j = open_event(e, "i", node, name, n);
    json_key_uint(&j, "tid", e->run->workers);
    json_key_text(&j, "s", "t");
    put_time(&j, "ts", x->t);
    json_key_open(&j, "args", '{');
    json_key_uint(&j, "to", x->to);
    return j;
}

static void
add_send(struct export *e, unsigned node, const struct trace_event *x)
{
    struct json j = open_instant(e, node, x, x->df, export_base(x->df));
    json_key_text(&j, "value", x->df);
    json_key_uint(&j, "bytes", x->bytes);
    json_key_text(&j, "why", trace_kind_text[x->kind]);
    json_close(&j, '}');
    close_event(e, &j);
}

static void
add_move(struct export *e, unsigned node, const struct trace_event *x)
{
    struct json j = open_instant(e, node, x, "cell moves", strlen("cell moves"));
    json_key_uint(&j, "cell", x->cell);
    json_close(&j, '}');
    close_event(e, &j);
}

static void
add(void *who, unsigned node, const struct trace_event *x)
{
    struct export *e = who;
    if (x->ev == TRACE_EV_EXEC) add_call(e, node, x);
    if (x->ev == TRACE_EV_LOAD) add_load(e, node, x);
    if (x->ev == TRACE_EV_SEND) add_send(e, node, x);
    if (x->ev == TRACE_EV_MOVE) add_move(e, node, x);
}

static void
end(struct export *e)
{
    fprintf(e->out, "\n]}\n");
}

const struct export_format export_perfetto = {"perfetto", "perfetto.json", begin, add, end};
