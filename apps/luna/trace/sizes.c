/* sizes.c - see sizes.h. */
#include "apps/luna/trace/sizes.h"

#include "apps/luna/trace/trace_read.h"
#include "runtime/base/vec.h"

#include <string.h>

struct size_row {
    const char *name;
    size_t length;
    double sum, n;
};

struct sizes {
    struct arena *arena;
    struct size_row *row;
    int n, room, last; /* last: the one of the send before */
};

static bool
is_row(const struct size_row *r, const char *name, size_t length)
{
    return r->length == length && !memcmp(r->name, name, length);
}

static int
find(const struct sizes *s, const char *name, size_t length)
{
    int i = 0;
    if (s->last < s->n && is_row(&s->row[s->last], name, length)) return s->last;
    while (i < s->n && !is_row(&s->row[i], name, length)) i++;
    return i;
}

static void
add(void *who, unsigned node, const struct trace_event *e)
{
    struct sizes *s = who;
    (void)node;
    if (e->ev != TRACE_EV_SEND) return;
    size_t length = strcspn(e->df, "[");
    int i = s->last = find(s, e->df, length);
    if (i == s->n) {
        vec_need(s->arena, s->row, s->n, s->room);
        s->row[s->n++] = (struct size_row){arena_strndup(s->arena, e->df, length), length, 0, 0};
    }
    s->row[i].sum += (double)e->bytes;
    s->row[i].n++;
}

const struct sizes *
sizes_read(struct arena *a, const char *dir)
{
    struct trace_run run;
    struct sizes *s = arena_new_of(a, struct sizes);
    s->arena = a;
    if (!trace_is_folder(dir) || !trace_read_run(a, dir, &run)) return NULL;
    for (unsigned i = 0; i < run.nodes; i++)
        if (!trace_read_node(a, dir, &run, i, add, s)) return NULL;
    return s;
}

double
sizes_mean(const void *who, const char *name)
{
    const struct sizes *s = who;
    int i = find(s, name, strlen(name));
    return i < s->n ? s->row[i].sum / s->row[i].n : -1;
}
