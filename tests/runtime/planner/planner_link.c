/* planner_link.c - see planner_link.h. */
#include "tests/runtime/planner/planner_link.h"

#include "runtime/planner/parts.h"

#include <stdlib.h>
#include <string.h>

/* Neighbours, also across corners. */
static bool
is_near(const struct lattice *line, int a, int b)
{
    struct lattice_point x = lattice_point(line, (uint32_t)a), y = lattice_point(line, (uint32_t)b);
    for (int d = 0; d < LATTICE_DIMS_MAX; d++)
        if (abs(x.at[d] - y.at[d]) > 1) return false;
    return true;
}

static bool
owns_all(const struct distrib *map, const char *cells, size_t n)
{
    for (size_t at = 0; at < n; at += sizeof(uint32_t)) {
        uint32_t cell;
        memcpy(&cell, cells + at, sizeof cell);
        if (!distrib_owns(map, cell)) return false;
    }
    return true;
}

/* In the plan, as this node knows it; some of its cells may still be on their way. */
static bool
touches(const struct planner *p, int node)
{
    for (uint32_t i = 0; i < p->item.n; i++) {
        if (!distrib_owns(p->copy, p->item.at[i].cell)) continue;
        for (int s = 0; s < 2 * p->set.cells.ndims; s++)
            if (distrib_beside(p->copy, p->item.at[i].cell, s) == node) return true;
    }
    return false;
}

static bool
is_peer(const struct planner *p, int node)
{
    for (int i = 0; i < p->circle.n; i++)
        if (p->circle.at[i].node == node) return true;
    return false;
}

/* One of our cells goes there. */
static bool
was_claimed_by(const struct planner *p, int node)
{
    for (uint32_t i = 0; i < p->own.n; i++)
        if (p->dest[i] == node) return true;
    return false;
}

/* News begins with its cell: one that has gone there, and this goes after it. */
static bool
went_to(const struct planner *p, const char *news, int node)
{
    uint32_t cell, at;
    memcpy(&cell, news, sizeof cell);
    return distrib_first(p->copy, cell, &at) == node;
}

/* What depends on the plan. */
static const char *
flaw_in_plan(const struct planner *p, enum planner_kind kind, int to, bool beside, const char *body)
{
    if (kind == PLANNER_PARCEL)
        return was_claimed_by(p, to) ? NULL : "a parcel for who has claimed nothing";
    if (kind == PLANNER_NEWS)
        return touches(p, to) || went_to(p, body, to) ? NULL : "news for who touches nothing";
    /* Who the peers are is found when a turn begins. */
    bool found_now = kind == PLANNER_FACES || kind == PLANNER_BID;
    bool good = found_now ? beside || touches(p, to) : is_peer(p, to);
    return good ? NULL : "a bid, or what belongs to it, for who is no peer";
}

const char *
planner_link_flaw(const struct lattice *line, int from, int to, const struct distrib *map,
                  const struct planner *p, const void *bytes, size_t n)
{
    struct planner_head h;
    const char *body = (const char *)bytes + sizeof h;
    if (n < sizeof h) return "no message of a planner";
    memcpy(&h, bytes, sizeof h);
    bool beside = lattice_distance(line, (uint32_t)from, (uint32_t)to) == 1;
    switch ((enum planner_kind)h.kind) {
    case PLANNER_CALL:
    case PLANNER_UP:
    case PLANNER_DOWN:
    case PLANNER_RIGHT:
    case PLANNER_LEFT:
    case PLANNER_LEVEL:
    case PLANNER_TOUCH:
        return beside ? NULL : "a sum, sweep or level for who is no neighbour";
    case PLANNER_PRICE:
    case PLANNER_CELLS:
        return is_near(line, from, to) ? NULL : "a price for who is no neighbour";
    case PLANNER_CLAIM:
        return owns_all(map, body, h.bytes) ? NULL : "a claim for who does not own the cells";
    case PLANNER_PARCEL:
    case PLANNER_NEWS:
    case PLANNER_FACES:
    case PLANNER_BID:
    case PLANNER_GRANT:
    case PLANNER_RESULT:
        return p ? flaw_in_plan(p, h.kind, to, beside, body) : NULL;
    case PLANNER_KINDS:
        break;
    }
    return "no message of a planner";
}
