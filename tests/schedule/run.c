/* run.c - lines of a trace, as luna writes them (docs/traces.md). */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
run_begin(struct run *r, const struct graph *g, int nodes, int workers)
{
    *r = (struct run){.nodes = nodes, .workers = workers};
    r->span = calloc((size_t)g->things, sizeof *r->span);
    if (!r->span) abort();
    for (int i = 0; i < g->things; i++) r->span[i] = (struct run_span){.thing = i, .node = -1};
}

void
run_fini(struct run *r)
{
    free(r->span);
    r->span = NULL;
}

void
run_call(struct run *r, int thing, int node, int worker, int64_t begin, int64_t end)
{
    r->span[thing] = (struct run_span){thing, node, worker, begin, end};
    if (end > r->end) r->end = end;
}

#define WRONG(r, ...)                                                                              \
    do {                                                                                           \
        if (!*(r)->wrong) snprintf((r)->wrong, sizeof (r)->wrong, __VA_ARGS__);                    \
    } while (0)

/* ---- names of calls ---- */

struct names {
    int *slot, room; /* things, open addressing; -1: free */
};

static uint32_t
hash(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static int *
names_at(const struct names *n, const struct graph *g, const char *name)
{
    uint32_t i = hash(name);
    while (n->slot[i % (uint32_t)n->room] >= 0 &&
           strcmp(g->thing[n->slot[i % (uint32_t)n->room]].name, name))
        i++;
    return &n->slot[i % (uint32_t)n->room];
}

static struct names
names_of(struct run *r, const struct graph *g)
{
    struct names n = {.room = 2 * g->things + 1};
    n.slot = malloc((size_t)n.room * sizeof *n.slot);
    if (!n.slot) abort();
    for (int i = 0; i < n.room; i++) n.slot[i] = -1;
    for (int i = 0; i < g->things; i++) {
        if (g->thing[i].kind != THING_CALL) continue;
        int *at = names_at(&n, g, g->thing[i].name);
        if (*at >= 0) WRONG(r, "two calls are named %s", g->thing[i].name);
        *at = i;
    }
    return n;
}

/* ---- lines ---- */

static int64_t
number(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

static void
read_exec(struct run *r, const struct graph *g, const struct names *names, int node, char *line)
{
    char *name = strstr(line, "\"cf\":\""), *rest;
    if (!name || !(rest = strchr(name += 6, '"'))) return;
    *rest++ = 0;
    int k = *names_at(names, g, name);
    if (k < 0) {
        WRONG(r, "the text has no call %s", name);
        return;
    }
    if (r->span[k].node >= 0) WRONG(r, "%s has run twice", name);
    int64_t t = number(line, "\"t\":"), dur = number(rest, "\"dur\":");
    run_call(r, k, node, (int)number(rest, "\"worker\":"), t, t + dur);
}

/* [[0,1],[0,2]] or [[0],[1]] */
static void
read_own(struct run *r, int node, const char *line)
{
    const char *at = strstr(line, "\"cells\":[");
    for (at = at ? at + 9 : ""; (at = strchr(at, '[')); at++) {
        char *end;
        long cell = strtol(at + 1, &end, 10);
        if (*end == ',') cell = cell * GRAPH_SIDE + strtol(end + 1, &end, 10);
        if (cell >= 0 && cell < RUN_CELLS_MAX) r->owner[cell] = node;
        at = end;
    }
}

static void
read_node(struct run *r, const struct graph *g, const struct names *names, const char *dir,
          int node)
{
    char path[RUN_WORDS], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/node-%05d.jsonl", dir, node);
    FILE *f = fopen(path, "r");
    if (!f) {
        WRONG(r, "there is no %.200s", path);
        return;
    }
    while (getline(&line, &room, f) > 0) {
        if (strstr(line, "\"ev\":\"exec\"")) read_exec(r, g, names, node, line);
        else if (strstr(line, "\"ev\":\"own\"")) read_own(r, node, line);
    }
    free(line);
    fclose(f);
}

/* ---- does it fit? ---- */

void
run_check(struct run *r, const struct graph *g)
{
    for (int i = 0; i < g->things; i++) {
        const struct thing *t = &g->thing[i];
        const struct run_span *s = &r->span[i];
        if (t->kind != THING_CALL) continue;
        if (s->node < 0) WRONG(r, "%s has not run", t->name);
        else if (s->node != t->at.node)
            WRONG(r, "%s has run on node %d, not on %d", t->name, s->node, t->at.node);
        for (int j = 0; j < t->nin; j++) {
            int w = g->value[g->in[t->in + j]].writer;
            if (g->thing[w].kind == THING_CALL && r->span[w].end > s->begin)
                WRONG(r, "%s began at %lld ns, before the end of %s at %lld", t->name,
                      (long long)s->begin, g->thing[w].name, (long long)r->span[w].end);
        }
    }
}

void
run_read(struct run *r, struct graph *g, const char *dir, int nodes, int workers)
{
    run_begin(r, g, nodes, workers);
    struct names names = names_of(r, g);
    for (int i = 0; i < nodes; i++) read_node(r, g, &names, dir, i);
    free(names.slot);
    graph_place(g, nodes, r->owner);
    run_check(r, g);
}
