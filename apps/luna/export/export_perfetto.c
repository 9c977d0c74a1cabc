/* export_perfetto.c - JSON as chrome://tracing reads it: a process for each node, a thread for each
 * worker and one more for what the node sends and moves. Times are us, to the ns.
 *
 * An arrow goes from the call that has made a value to the first call of another node that was
 * ready when it came: a flow, named by the message. */
#include "apps/luna/common/path.h"
#include "apps/luna/export/export.h"
#include "runtime/base/json.h"
#include "runtime/base/map.h"

#include <string.h>

struct perfetto {
    bool any;             /* event was written */
    struct at {
        uint64_t calls, t; /* of a worker of the node that is read: so many, the last began at t */
    } *last;
    unsigned node;
    struct map *arrived; /* messages that have an arrow's end */
};

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
    struct perfetto *p = e->own;
    buf_str(&e->line, p->any ? ",\n" : "\n");
    p->any = true;
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
    struct perfetto *p = e->own = arena_new_of(e->arena, struct perfetto);
    p->last = arena_array(e->arena, struct at, e->run->workers);
    p->arrived = map_new_in(e->arena);
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

/* ---- arrows ---- */

static struct json
open_flow(struct export *e, const char *phase, unsigned node, uint64_t worker, const char *id)
{
    struct json j = open_event(e, phase, node, "value", strlen("value"));
    json_key_text(&j, "cat", "value");
    json_key_text(&j, "id", id);
    json_key_uint(&j, "tid", worker);
    return j;
}

/* The call that is told has made the value that is told next. */
static void
begin_flow(struct export *e, unsigned node, const struct trace_event *x)
{
    struct perfetto *p = e->own;
    char id[64];
    if (!x->k || x->by.what != TRACE_BY_CALL || p->last[x->by.worker].calls != x->by.k) return;
    snprintf(id, sizeof id, "%u.%llu", node, (unsigned long long)x->k);
    struct json j = open_flow(e, "s", node, x->by.worker, id);
    put_time(&j, "ts", p->last[x->by.worker].t);
    close_event(e, &j);
}

static void
end_flow(struct export *e, unsigned node, const struct trace_event *x)
{
    struct perfetto *p = e->own;
    char id[64];
    int n = snprintf(id, sizeof id, "%llu.%llu", (unsigned long long)x->by.node,
                     (unsigned long long)x->by.k);
    if (x->by.what != TRACE_BY_MESSAGE || map_get_bytes(p->arrived, id, (size_t)n)) return;
    map_put_bytes(p->arrived, arena_strndup(e->arena, id, (size_t)n), (size_t)n, p);
    struct json j = open_flow(e, "f", node, x->worker, id);
    json_key_text(&j, "bp", "e");
    put_time(&j, "ts", x->t);
    close_event(e, &j);
}

static void
count_call(struct perfetto *p, const struct trace_run *run, unsigned node,
           const struct trace_event *x)
{
    if (p->node != node) memset(p->last, 0, run->workers * sizeof *p->last);
    p->node = node;
    p->last[x->worker].calls++;
    p->last[x->worker].t = x->t;
}

/* ---- events ---- */

static void
add_call(struct export *e, unsigned node, const struct trace_event *x)
{
    count_call(e->own, e->run, node, x);
    struct json j = open_event(e, "X", node, x->cf, export_base(x->cf));
    json_key_uint(&j, "tid", x->worker);
    put_time(&j, "ts", x->t);
    put_time(&j, "dur", x->dur);
    json_key_open(&j, "args", '{');
    json_key_text(&j, "call", x->cf);
    json_key_uint(&j, "line", x->line);
    json_close(&j, '}');
    close_event(e, &j);
    end_flow(e, node, x);
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
    begin_flow(e, node, x);
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

const struct export_format export_perfetto = {"perfetto", "perfetto.json", begin, add, end, NULL};
