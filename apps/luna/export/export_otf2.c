/* export_otf2.c - what an archive of OTF2 has: calls by worker, and messages with values. A message
 * counts as sent straight to the node that it came to, also if others have passed it on. */
#include "apps/luna/common/home.h"
#include "apps/luna/common/path.h"
#include "apps/luna/export/export.h"
#include "apps/luna/export/otf2.h"
#include "runtime/base/vec.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct message { /* sent, or come: then `node` has heard, and `bytes` is not known yet */
    uint64_t k, t, bytes;
    uint32_t from, node;
};

struct messages {
    struct message *at;
    size_t n, room;
};

struct gathered {
    struct otf2_event *events;
    struct otf2_region *regions;
    size_t nevents, events_room, nregions, regions_room;
    struct messages sent, come;
};

static void
begin(struct export *e)
{
    e->own = arena_new_of(e->arena, struct gathered);
}

/* There are few: those of the text of a program. */
static uint32_t
region_of(struct export *e, const struct trace_event *x)
{
    struct gathered *g = e->own;
    size_t n = export_base(x->cf);
    for (uint32_t i = 0; i < g->nregions; i++)
        if (g->regions[i].line == x->line && !strncmp(g->regions[i].name, x->cf, n) &&
            !g->regions[i].name[n])
            return i;
    vec_need(e->arena, g->regions, g->nregions, g->regions_room);
    g->regions[g->nregions] =
        (struct otf2_region){arena_strndup(e->arena, x->cf, n), (uint32_t)x->line};
    return (uint32_t)g->nregions++;
}

static void
add_event(struct export *e, struct otf2_event event)
{
    struct gathered *g = e->own;
    vec_need(e->arena, g->events, g->nevents, g->events_room);
    event.order = g->nevents;
    g->events[g->nevents++] = event;
}

static void
add_message(struct export *e, struct messages *m, struct message one)
{
    vec_need(e->arena, m->at, m->n, m->room);
    m->at[m->n++] = one;
}

static void
add(void *who, unsigned node, const struct trace_event *x)
{
    struct export *e = who;
    struct gathered *g = e->own;
    uint64_t location = node * (e->run->workers + 1) + x->worker;
    if (x->ev == TRACE_EV_EXEC) {
        uint32_t region = region_of(e, x);
        add_event(e, (struct otf2_event){.t = x->t, .location = location, .region = region,
                                         .what = OTF2_ENTER});
        add_event(e, (struct otf2_event){.t = x->t + x->dur, .location = location,
                                         .region = region, .what = OTF2_LEAVE});
    } else if (x->ev == TRACE_EV_SEND && x->k) {
        add_message(e, &g->sent, (struct message){x->k, x->t, x->bytes, node, 0});
    } else if (x->ev == TRACE_EV_RECV) {
        add_message(e, &g->come, (struct message){x->k, x->t, 0, (uint32_t)x->from, node});
    }
}

/* ---- messages ---- */

static int
by_number(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->k != y->k) return x->k < y->k ? -1 : 1;
    return (x->t > y->t) - (x->t < y->t);
}

/* The values of a message become one. */
static void
join(struct messages *m)
{
    size_t n = 0;
    if (m->n) qsort(m->at, m->n, sizeof *m->at, by_number);
    for (size_t i = 0; i < m->n; i++)
        if (n && m->at[n - 1].from == m->at[i].from && m->at[n - 1].k == m->at[i].k)
            m->at[n - 1].bytes += m->at[i].bytes;
        else m->at[n++] = m->at[i];
    m->n = n;
}

/* Both are in the order of senders and numbers. */
static void
match(struct export *e)
{
    struct gathered *g = e->own;
    size_t i = 0;
    join(&g->sent);
    if (g->come.n) qsort(g->come.at, g->come.n, sizeof *g->come.at, by_number);
    for (size_t k = 0; k < g->come.n; k++) {
        const struct message *c = &g->come.at[k], *s;
        while (i < g->sent.n && (g->sent.at[i].from < c->from ||
                                 (g->sent.at[i].from == c->from && g->sent.at[i].k < c->k)))
            i++;
        s = &g->sent.at[i];
        if (i == g->sent.n || s->from != c->from || s->k != c->k) continue;
        uint64_t one = e->run->workers + 1, last = e->run->workers;
        add_event(e, (struct otf2_event){.t = s->t, .bytes = s->bytes,
                                         .location = s->from * one + last, .region = c->node,
                                         .what = OTF2_SENDS});
        add_event(e, (struct otf2_event){.t = c->t, .bytes = s->bytes,
                                         .location = c->node * one + last, .region = s->from,
                                         .what = OTF2_RECEIVES});
    }
}

static int
by_place(const void *a, const void *b)
{
    const struct otf2_event *x = a, *y = b;
    if (x->location != y->location) return x->location < y->location ? -1 : 1;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* ---- the writer ---- */

static const struct otf2_writer *
open_writer(struct export *e, const char **bad)
{
    const char *home = home_find(e->arena);
    const char *path = arena_printf(e->arena, "%s/lib/luna/luna_otf2.so", home ? home : "");
    *bad = "this build of luna has no OTF2: install libopen-trace-format2-dev, then build luna "
           "again";
    if (access(path, F_OK)) return NULL;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct otf2_writer *w = module ? dlsym(module, OTF2_WRITER_SYMBOL) : NULL;
    if (!w) *bad = arena_strdup(e->arena, dlerror());
    else if (strcmp(w->version, LUNA_VERSION)) *bad = "luna_otf2.so is of another version of luna";
    else return w;
    return NULL;
}

static const char *
write_folder(struct export *e, const char *folder)
{
    struct gathered *g = e->own;
    const char *bad;
    const struct otf2_writer *w = open_writer(e, &bad);
    if (!w) return bad;
    match(e);
    if (g->nevents) qsort(g->events, g->nevents, sizeof *g->events, by_place);
    uint64_t last = e->run->duration;
    for (size_t i = 0; i < g->nevents; i++)
        if (g->events[i].t > last) last = g->events[i].t;
    struct otf2_trace t = {path_base(e->run->program), e->run->nodes, e->run->workers, last,
                           g->regions, g->nregions, g->events, g->nevents};
    return w->write(&t, folder);
}

const struct export_format export_otf2 = {.name = "otf2", .file = "otf2", .begin = begin,
                                          .event = add, .folder = write_folder};
