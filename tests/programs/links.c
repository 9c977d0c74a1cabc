/* links.c - see links.h. It stands between nodes and their transport. */
#include "tests/programs/links.h"

#include "distrib/kind.h"
#include "runtime/base/mem.h"
#include "runtime/node/msg.h"
#include "runtime/rebalance/rebalance_parts.h"
#include "tests/runtime/planner/planner_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NODES_MAX = 64 };

static const struct node *nodes[NODES_MAX]; /* that have begun */
static uint64_t handed[NODES_MAX], asked[NODES_MAX]; /* bits: those that got cells; transactions */
static uint32_t *moved; /* each cell: in this step */

static struct transport_ops spied;
static void (*send_on)(struct transport *t, int to, struct packet *p);

static bool
beside(const struct rebalance *b, int to)
{
    return lattice_distance(&b->line, (uint32_t)b->node->number, (uint32_t)to) == 1;
}

/* ---- who owns what is beside ours ---- */

struct search {
    const struct node *node;
    int to;
    bool found;
};

static void
look_beside(void *who, uint32_t cell)
{
    struct search *s = who;
    int sides = 2 * s->node->balance->knobs.cells.ndims;
    for (int side = 0; side < sides && !s->found; side++)
        s->found = distrib_beside(s->node->map, cell, side) == s->to;
}

static bool
touches(const struct node *n, int to)
{
    struct search s = {n, to, false};
    distrib_each(n->map, look_beside, &s);
    return s.found;
}

/* ---- by kind ---- */

/* A cell moves once in a step of two phases: so it goes straight to its last owner. */
static const char *
flaw_of_given(const struct rebalance *b, int to, const char *body, size_t n)
{
    struct cell_load note;
    if (!b->two_phase) return beside(b, to) ? NULL : "cells of a transaction for no neighbour";
    if (!moved) moved = mem_zalloc(lattice_size(&b->knobs.cells), sizeof *moved);
    handed[b->node->number] |= UINT64_C(1) << to;
    for (size_t at = 0; at + sizeof note <= n; at += sizeof note) {
        memcpy(&note, body + at, sizeof note);
        if (moved[note.cell] == b->own.step) return "a cell is moved twice in a step";
        moved[note.cell] = b->own.step;
    }
    return NULL;
}

/* With a neighbour, or whose cells touch ours; or an answer, or what follows later. */
static const char *
flaw_of_transfer(const struct rebalance *b, int to)
{
    int from = b->node->number;
    bool knows = (asked[from] >> to | asked[to] >> from) & 1;
    asked[from] |= UINT64_C(1) << to;
    if (knows || beside(b, to) || touches(b->node, to)) return NULL;
    return "a transaction with whom we do not touch";
}

static const char *
flaw_of_balance(const struct rebalance *b, int to, const char *body, size_t n)
{
    uint32_t what;
    memcpy(&what, body, sizeof what);
    body += sizeof what;
    n -= sizeof what;
    switch ((enum rebalance_what)what) {
    case TELL_LOAD:
    case TELL_SUMMARY:
    case TELL_LESSON:
        return beside(b, to) ? NULL : "a load or a report for no neighbour";
    case TELL_TRANSFER:
        return flaw_of_transfer(b, to);
    case TELL_GIVEN:
        return flaw_of_given(b, to, body, n);
    case TELL_PLAN:
        return planner_link_flaw(&b->line, b->node->number, to, nodes[to]->map, NULL, body, n);
    case TELL_KINDS:
        break;
    }
    return "an unknown message";
}

/* Along a rope borders slide from neighbour to neighbour. */
static const char *
flaw_of_parcel(const struct rebalance *b, int to)
{
    bool straight = b->two_phase && !distrib_slides(b->node->map);
    bool good = straight ? handed[b->node->number] >> to & 1 : beside(b, to);
    handed[b->node->number] |= UINT64_C(1) << to;
    return good ? NULL : "a parcel for who gets no cells";
}

/* News begins with the cell it is for; if that was ours it goes where the cell has gone, whatever
 * we have learnt of it since. */
static const char *
flaw_of_news(const struct rebalance *b, int to, const char *body)
{
    const struct distrib *map = b->node->map;
    uint32_t cell;
    memcpy(&cell, body, sizeof cell);
    if (touches(b->node, to) || (map->kind->went && map->kind->went(map, cell).owner == to))
        return NULL;
    return "news for whom we do not touch";
}

static const char *
flaw_of(const struct rebalance *b, int to, const struct packet *p)
{
    switch (p->kind & ~MSG_ROUTED) {
    case MSG_BALANCE:
        return flaw_of_balance(b, to, p->body, p->size);
    case MSG_PARCEL:
        return flaw_of_parcel(b, to);
    case MSG_NEWS:
        return flaw_of_news(b, to, p->body);
    case MSG_FRAGMENT:
    case MSG_WAITING:
        if (handed[b->node->number] >> to & 1) return NULL;
        return "what is bound to a cell goes where no cell went";
    default:
        return NULL; /* not of balancing */
    }
}

static void
spy(struct transport *t, int to, struct packet *p)
{
    const struct rebalance *b = nodes[t->node]->balance;
    const char *flaw = b ? flaw_of(b, to, p) : NULL;
    if (flaw) {
        fprintf(stderr, "from node %d to %d, step %u: %s\n", t->node, to, b->own.step, flaw);
        _exit(LINKS_ASTRAY);
    }
    send_on(t, to, p);
}

/* Steps begin later than each node's first turn. */
void
links_watch(struct worker *w)
{
    struct node *n = w->node;
    if (nodes[n->number]) return;
    nodes[n->number] = n;
    spied = *n->net->ops;
    if (spied.send != spy) send_on = spied.send;
    spied.send = spy;
    n->net->ops = &spied;
}
