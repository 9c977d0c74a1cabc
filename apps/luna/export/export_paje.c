/* export_paje.c - the Paje format: containers program > node > worker, a state for each call, a
 * variable for the bytes alive, an event for each value sent, a link for each message with values.
 * Paje wants all events in the order of time, so they are kept and sorted. */
#include "apps/luna/common/path.h"
#include "apps/luna/export/export.h"
#include "runtime/base/vec.h"

#include <stdlib.h>
#include <string.h>

enum line_kind { LINE_PUSH, LINE_POP, LINE_LOAD, LINE_SEND, LINE_LEAVES, LINE_COMES };

struct line {
    uint64_t t, number; /* number: of a load bytes, of a link the message */
    uint64_t order;
    const char *name; /* of a push, a send */
    uint32_t node, worker, from; /* from: of a link */
    enum line_kind kind;
};

struct paje {
    struct line *lines;
    size_t n, room;
    const char **names; /* each name once */
    size_t nnames, names_room;
    uint32_t node; /* whose message was told last, */
    uint64_t k;    /* and which */
};

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n%  Alias string\n%  Type string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n%  Alias string\n%  Type string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineVariableType 2\n%  Alias string\n%  Type string\n%  Name string\n"
    "%  Color color\n%EndEventDef\n"
    "%EventDef PajeDefineEventType 3\n%  Alias string\n%  Type string\n%  Name string\n"
    "%  Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 4\n%  Time date\n%  Alias string\n%  Type string\n"
    "%  Container string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 5\n%  Time date\n%  Type string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajePushState 6\n%  Time date\n%  Type string\n%  Container string\n"
    "%  Value string\n%EndEventDef\n"
    "%EventDef PajePopState 7\n%  Time date\n%  Type string\n%  Container string\n"
    "%EndEventDef\n"
    "%EventDef PajeSetVariable 8\n%  Time date\n%  Type string\n%  Container string\n"
    "%  Value double\n%EndEventDef\n"
    "%EventDef PajeNewEvent 9\n%  Time date\n%  Type string\n%  Container string\n"
    "%  Value string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 10\n%  Alias string\n%  Type string\n"
    "%  StartContainerType string\n%  EndContainerType string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeStartLink 11\n%  Time date\n%  Type string\n%  Container string\n"
    "%  StartContainer string\n%  Value string\n%  Key string\n%EndEventDef\n"
    "%EventDef PajeEndLink 12\n%  Time date\n%  Type string\n%  Container string\n"
    "%  EndContainer string\n%  Value string\n%  Key string\n%EndEventDef\n"
    "0 P 0 program\n0 N P node\n0 W N worker\n1 S W call\n"
    "2 B N \"bytes alive\" \"0.2 0.4 0.8\"\n3 V N sent \"0.8 0.4 0.2\"\n"
    "10 L P N N message\n";

static double
seconds(uint64_t ns)
{
    return (double)ns * 1e-9;
}

/* In quotes; what would end them, or the line, is left out. */
static void
put_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++)
        if (*text != '"' && (unsigned char)*text >= ' ') putc(*text, out);
    putc('"', out);
}

static void
begin(struct export *e)
{
    e->own = arena_new_of(e->arena, struct paje);
    fputs(header, e->out);
    fprintf(e->out, "4 0.000000000 p P 0 ");
    put_text(e->out, path_base(e->run->program));
    putc('\n', e->out);
    for (uint64_t i = 0; i < e->run->nodes; i++) {
        unsigned long long node = i;
        fprintf(e->out, "4 0.000000000 n%llu N p \"node %llu\"\n", node, node);
        for (uint64_t w = 0; w < e->run->workers; w++)
            fprintf(e->out, "4 0.000000000 w%llu.%llu W n%llu \"worker %llu.%llu\"\n", node,
                    (unsigned long long)w, node, node, (unsigned long long)w);
    }
}

/* Names are few: those of the text of a program. The one that was asked for last comes first. */
static const char *
keep_name(struct export *e, struct paje *p, const char *name)
{
    size_t n = export_base(name), i = 0;
    while (i < p->nnames && (strncmp(p->names[i], name, n) != 0 || p->names[i][n])) i++;
    if (i == p->nnames) {
        vec_need(e->arena, p->names, p->nnames, p->names_room);
        p->names[p->nnames++] = arena_printf(e->arena, "%.*s", (int)n, name);
    }
    const char *found = p->names[i];
    p->names[i] = p->names[0];
    return p->names[0] = found;
}

static void
keep(struct export *e, struct line line)
{
    struct paje *p = e->own;
    vec_need(e->arena, p->lines, p->n, p->room);
    line.order = p->n;
    p->lines[p->n++] = line;
}

/* A message may have several values, told one after the other. */
static bool
is_new(struct paje *p, uint32_t node, uint64_t k)
{
    bool same = p->node == node && p->k == k;
    p->node = node;
    p->k = k;
    return k && !same;
}

static void
add(void *who, unsigned node, const struct trace_event *x)
{
    struct export *e = who;
    struct line line = {.t = x->t, .node = node, .worker = (uint32_t)x->worker};
    switch (x->ev) {
    case TRACE_EV_EXEC:
        line.name = keep_name(e, e->own, x->cf);
        keep(e, line);
        line.kind = LINE_POP;
        line.t += x->dur;
        keep(e, line);
        break;
    case TRACE_EV_LOAD:
        line.kind = LINE_LOAD;
        line.number = x->bytes;
        keep(e, line);
        break;
    case TRACE_EV_SEND:
        line.kind = LINE_SEND;
        line.name = keep_name(e, e->own, x->df);
        keep(e, line);
        line.kind = LINE_LEAVES;
        line.from = node;
        line.number = x->k;
        if (is_new(e->own, node, x->k)) keep(e, line);
        break;
    case TRACE_EV_RECV:
        line.kind = LINE_COMES;
        line.from = (uint32_t)x->from;
        line.number = x->k;
        keep(e, line);
        break;
    default:
        break;
    }
}

/* A worker's calls stand in its file in order: what ends then comes before what begins. */
static int
by_time(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static void
put_line(struct export *e, const struct line *x)
{
    double t = seconds(x->t);
    switch (x->kind) {
    case LINE_PUSH:
        fprintf(e->out, "6 %.9f S w%u.%u ", t, x->node, x->worker);
        put_text(e->out, x->name);
        break;
    case LINE_POP:
        fprintf(e->out, "7 %.9f S w%u.%u", t, x->node, x->worker);
        break;
    case LINE_LOAD:
        fprintf(e->out, "8 %.9f B n%u %llu", t, x->node, (unsigned long long)x->number);
        break;
    case LINE_SEND:
        fprintf(e->out, "9 %.9f V n%u ", t, x->node);
        put_text(e->out, x->name);
        break;
    case LINE_LEAVES:
    case LINE_COMES:
        fprintf(e->out, "%d %.9f L p n%u value m%u.%llu", x->kind == LINE_LEAVES ? 11 : 12, t,
                x->node, x->from, (unsigned long long)x->number);
        break;
    }
    putc('\n', e->out);
}

static void
end(struct export *e)
{
    struct paje *p = e->own;
    uint64_t last = e->run->duration;
    if (p->n) qsort(p->lines, p->n, sizeof *p->lines, by_time);
    for (size_t i = 0; i < p->n; i++) put_line(e, &p->lines[i]);
    if (p->n && p->lines[p->n - 1].t > last) last = p->lines[p->n - 1].t;
    for (uint64_t i = 0; i < e->run->nodes; i++) {
        for (uint64_t w = 0; w < e->run->workers; w++)
            fprintf(e->out, "5 %.9f W w%llu.%llu\n", seconds(last), (unsigned long long)i,
                    (unsigned long long)w);
        fprintf(e->out, "5 %.9f N n%llu\n", seconds(last), (unsigned long long)i);
    }
    fprintf(e->out, "5 %.9f P p\n", seconds(last));
}

const struct export_format export_paje = {"paje", "trace.paje", begin, add, end, NULL};
