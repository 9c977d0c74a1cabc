/* turns.c - transfers between neighbours on the copy, in turns.
 *
 * Two transfers that are right alone can be wrong together (docs/protocols-balancing.md, "Transfers
 * side by side"): while a node gives, its witnesses and the taker must not. In a turn a node and
 * its peers, the nodes it touches and its neighbours in the lattice, exchange
 *
 *     bid      what I want to give to whom, who must hold still; a random priority
 *     grant    taker to bidder: I have room for it
 *     result   bidder to taker and witnesses: done, with the parcel; or not
 *     news     taker to owners of cells beside those that came
 *
 * A bid is carried out if the taker has room and none that it disturbs, or that disturbs it, has a
 * higher priority. Being peers is mutual, so each knows how many bids to wait for; and who must
 * wait for news hears of it from the bidder. The turn is over when all of it has come: then what a
 * node knows of the cells beside its own is right, and so is who its peers are. */
#include "parts.h"

#include "runtime/base/mem.h"

#include <string.h>

enum { WISH_BID = 1, WISH_WITNESS = 2, WISH_TAKER = 4, WISH_ANY = 8 /* has no cell */ };

struct bid_body {
    uint64_t priority;
    double load, speed, want, limit;
    uint32_t wishes;
    int32_t lacks[PLANNER_EDGES_MAX];
};

/* Then the cells, those without load beside them, and the parcel; only for the taker. */
struct result_body {
    int32_t to; /* -1: not done */
    uint32_t news, items, idle;
};

/* ---- peers ---- */

struct planner_peer *
planner_peer(struct planner *p, int node)
{
    for (int i = 0; i < p->circle.n; i++)
        if (p->circle.at[i].node == node) return &p->circle.at[i];
    return NULL;
}

static void
add_peer(struct planner *p, int node)
{
    struct planner_circle *c = &p->circle;
    if (node < 0 || node == p->set.node || planner_peer(p, node)) return;
    if (c->n == c->room) {
        int room = c->room + 16;
        struct planner_peer *at = mem_realloc(c->at, (size_t)room * sizeof *at);
        if (!at) {
            planner_fail(p, E_NOMEM);
            return;
        }
        c->at = at;
        c->room = room;
    }
    struct planner_peer *b = &c->at[c->n++];
    *b = (struct planner_peer){.node = node};
    for (int k = 0; k < PLANNER_EDGES_MAX; k++) b->lacks[k] = -1;
    for (int i = 0; i < p->last.n; i++) {
        if (p->last.at[i].node != node) continue;
        b->load = p->last.at[i].load;
        b->speed = p->last.at[i].speed;
        b->empty = p->last.at[i].empty;
        memcpy(b->lacks, p->last.at[i].lacks, sizeof b->lacks);
    }
}

/* What the others have said in the last turn stays. */
static void
find_peers(struct planner *p)
{
    struct planner_circle last = p->last;
    p->last = p->circle;
    p->circle = last;
    p->circle.n = 0;
    for (int k = 0; k < p->here.nedges; k++) add_peer(p, p->here.edge[k]);
    for (uint32_t i = 0; i < p->item.n; i++)
        for (int s = 0; s < 2 * p->set.cells.ndims; s++)
            add_peer(p, distrib_beside(p->copy, p->item.at[i].cell, s));
}

/* ---- before the first turn: which cells beside ours have no load ---- */

static bool
at_border(const struct planner *p, uint32_t cell)
{
    for (int s = 0; s < 2 * p->set.cells.ndims; s++) {
        int owner = distrib_beside(p->copy, cell, s);
        if (owner >= 0 && owner != p->set.node) return true;
    }
    return false;
}

/* Items from `had` on: they must be those that have come on the copy, each once. */
static void
index_new(struct planner *p, uint32_t had)
{
    for (uint32_t i = had; i < p->item.n; i++) {
        uint32_t cell = p->item.at[i].cell;
        if (!distrib_owns(p->copy, cell) || cellmap_find(&p->item_slot, cell)) {
            planner_fail(p, E_FORMAT);
            return;
        }
        cellmap_put(&p->item_slot, cell, i, 0);
        p->turns.last_come = cell;
        p->load += planner_weight(p, p->item.at[i].load);
    }
    if (distrib_count(p->copy) != p->item.n) planner_fail(p, E_FORMAT);
}

static void
index_items(struct planner *p)
{
    cellmap_fini(&p->item_slot);
    if (!cellmap_reserve(&p->item_slot, p->item.n)) {
        planner_fail(p, E_NOMEM);
        return;
    }
    p->load = 0;
    index_new(p, 0);
}

void
planner_faces_start(struct planner *p)
{
    p->turns = (struct planner_turns){.last_come = LATTICE_NONE};
    p->circle.n = 0;
    index_items(p);
    if (p->err != OK) return;
    find_peers(p);
    planner_open(p, PLANNER_FACES);
    double tell[2] = {p->load, p->me.speed};
    buf_add(&p->mail.out, tell, sizeof tell);
    for (uint32_t i = 0; i < p->item.n; i++) {
        const struct planner_item *it = &p->item.at[i];
        if (it->load > 0 || !at_border(p, it->cell)) continue;
        buf_add(&p->mail.out, &it->cell, sizeof it->cell);
    }
    p->now.left_in = p->circle.n;
    for (int i = 0; i < p->circle.n; i++) planner_post(p, p->circle.at[i].node);
}

static void
learn_idle(struct planner *p, const char *cells, size_t n)
{
    if (!cellmap_reserve(&p->idle, p->idle.n + (uint32_t)n)) {
        planner_fail(p, E_NOMEM);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t cell;
        memcpy(&cell, cells + i * sizeof cell, sizeof cell);
        if (cell != LATTICE_NONE) cellmap_put(&p->idle, cell, 0, 0);
    }
}

void
planner_faces_hear(struct planner *p, const struct planner_heard *h)
{
    struct planner_peer *peer = planner_peer(p, h->from);
    double tell[2];
    if (!peer || h->n < sizeof tell) {
        planner_fail(p, E_PROTOCOL);
        return;
    }
    memcpy(tell, h->body, sizeof tell);
    peer->load = tell[0];
    peer->speed = tell[1];
    learn_idle(p, (const char *)h->body + sizeof tell, (h->n - sizeof tell) / sizeof(uint32_t));
    p->now.left_in--;
}

/* ---- how much has to cross each edge ---- */

void
planner_flow_start(struct planner *p)
{
    struct flow *f = &p->block.flow;
    if (!p->block.flow_round) *f = (struct flow){.load = p->load, .speed = p->me.speed};
    double tell[2] = {flow_level(f), p->me.speed};
    p->now.left_in = p->here.nedges;
    for (int k = 0; k < p->here.nedges; k++) {
        planner_open(p, PLANNER_LEVEL);
        buf_add(&p->mail.out, tell, sizeof tell);
        planner_post(p, p->here.edge[k]);
    }
}

void
planner_flow_hear(struct planner *p, const struct planner_heard *h)
{
    struct planner_block *b = &p->block;
    double tell[2];
    int k = 0;
    while (k < p->here.nedges && p->here.edge[k] != h->from) k++;
    if (k == p->here.nedges || h->n != sizeof tell) {
        planner_fail(p, E_PROTOCOL);
        return;
    }
    memcpy(tell, h->body, sizeof tell);
    b->level[k] = tell[0];
    b->edge_speed[k] = tell[1];
    if (!--p->now.left_in)
        flow_round(&b->flow, &p->here.pace, b->level, b->edge_speed, p->here.nedges, b->flow_round);
}

void
planner_flow_done(struct planner *p)
{
    for (int k = 0; k < p->here.nedges; k++) p->turns.quota[k] = p->block.flow.sum[k];
}

/* ---- bids ---- */

static bool
is_witness(const struct planner *p, int node)
{
    for (int i = 0; i < p->bid.nwitness; i++)
        if (p->bid.witness[i] == node) return true;
    return false;
}

/* Neighbours in the lattice that we should touch and do not. */
static void
list_lacks(struct planner *p, int32_t *lacks)
{
    const int *edge = p->here.edge, n = p->here.nedges;
    for (int k = 0; k < PLANNER_EDGES_MAX; k++) lacks[k] = k < n ? edge[k] : -1;
    for (uint32_t i = 0; i < p->item.n; i++)
        for (int s = 0; s < 2 * p->set.cells.ndims; s++) {
            int owner = distrib_beside(p->copy, p->item.at[i].cell, s);
            for (int k = 0; k < n; k++)
                if (lacks[k] == owner) lacks[k] = -1;
        }
}

/* Where nothing has changed since the last turn, the same bid is made again, or none. */
static void
look_around(struct planner *p)
{
    p->turns.stale = false;
    find_peers(p);
    if (p->err == OK) planner_bid_choose(p);
    list_lacks(p, p->turns.lacks);
}

void
planner_turn_start(struct planner *p)
{
    struct bid_body b = {.load = p->load, .speed = p->me.speed};
    if (!p->block.turn || p->turns.stale) look_around(p);
    b.priority = rng_next(&p->rng);
    p->turn = (struct planner_turn){.priority = b.priority, .decided = p->bid.to < 0};
    b.want = p->bid.load;
    b.limit = p->bid.limit;
    memcpy(b.lacks, p->turns.lacks, sizeof b.lacks);
    if (p->err != OK) return;
    for (int i = 0; i < p->circle.n; i++) {
        int node = p->circle.at[i].node;
        p->circle.at[i].wishes = 0;
        p->circle.at[i].granted = false;
        b.wishes = (p->bid.to < 0 ? 0 : WISH_BID) | (p->item.n ? 0 : WISH_ANY);
        if (p->bid.to == node) b.wishes |= WISH_TAKER;
        if (p->bid.to >= 0 && is_witness(p, node)) b.wishes |= WISH_WITNESS;
        planner_open(p, PLANNER_BID);
        buf_add(&p->mail.out, &b, sizeof b);
        planner_post(p, node);
    }
}

/* ---- grants ---- */

/* The one that wants to give to us and has the highest priority of those not yet answered. */
static struct planner_peer *
next_giver(struct planner *p)
{
    struct planner_peer *best = NULL;
    for (int i = 0; i < p->circle.n; i++) {
        struct planner_peer *b = &p->circle.at[i];
        if (!(b->wishes & WISH_TAKER) || b->granted) continue;
        if (!best || b->priority > best->priority) best = b;
    }
    return best;
}

static void
grant(struct planner *p)
{
    double load = p->load;
    bool empty = !p->item.n; /* a first cell, and more only beside it */
    uint32_t taken = 0;
    for (struct planner_peer *b; (b = next_giver(p));) {
        uint32_t yes = load + b->want <= b->room && !(empty && taken);
        if (yes) load += b->want;
        taken += yes;
        b->granted = true;
        planner_open(p, PLANNER_GRANT);
        buf_add(&p->mail.out, &yes, sizeof yes);
        planner_post(p, b->node);
    }
}

/* ---- results ---- */

static bool
is_beaten(const struct planner *p)
{
    for (int i = 0; i < p->circle.n; i++) {
        const struct planner_peer *b = &p->circle.at[i];
        bool disturbs = (b->wishes & (WISH_WITNESS | WISH_TAKER)) || b->node == p->bid.to ||
                        is_witness(p, b->node);
        if (!(b->wishes & WISH_BID) || !disturbs) continue;
        uint64_t ours = p->turn.priority;
        if (b->priority > ours || (b->priority == ours && b->node > p->set.node)) return true;
    }
    return false;
}

/* Drops an item; the last one takes its place. */
static void
drop_item(struct planner *p, uint32_t cell)
{
    uint32_t i = cellmap_find(&p->item_slot, cell)->value, last = --p->item.n;
    p->load -= planner_weight(p, p->item.at[i].load);
    cellmap_remove(&p->item_slot, cell);
    if (i == last) return;
    p->item.at[i] = p->item.at[last];
    cellmap_find(&p->item_slot, p->item.at[i].cell)->value = i;
}

/* The bid's cells, then those without load beside them. */
static struct result_body
pack_result(struct planner *p)
{
    struct result_body r = {.to = p->bid.to, .items = p->bid.n};
    size_t start = p->mail.out.size;
    buf_add(&p->mail.out, &r, sizeof r);
    for (uint32_t i = 0; i < p->bid.n; i++) {
        uint32_t slot = cellmap_find(&p->item_slot, p->bid.cell[i])->value;
        buf_add(&p->mail.out, &p->item.at[slot], sizeof *p->item.at);
    }
    for (uint32_t i = 0; i < p->bid.n; i++)
        for (int s = 0; s < 2 * p->set.cells.ndims; s++) {
            uint32_t e = lattice_beside(&p->set.cells, p->bid.cell[i], s);
            if (e == LATTICE_NONE || planner_load_of(p, e) > 0) continue;
            buf_add(&p->mail.out, &e, sizeof e);
            r.idle++;
        }
    if (!p->mail.out.failed) memcpy(p->mail.out.data + start, &r, sizeof r);
    return r;
}

/* Whether the taker will tell this node where the cells are. */
static bool
gets_news(const struct planner *p, int node)
{
    for (uint32_t i = 0; i < p->bid.n; i++)
        for (int s = 0; s < 2 * p->set.cells.ndims; s++)
            if (distrib_beside(p->copy, p->bid.cell[i], s) == node) return true;
    return false;
}

static void
tell_witness(struct planner *p, int node, bool done)
{
    struct result_body r = {.to = done ? p->bid.to : -1, .news = done && gets_news(p, node)};
    planner_open(p, PLANNER_RESULT);
    buf_add(&p->mail.out, &r, sizeof r);
    planner_post(p, node);
}

static void
give(struct planner *p)
{
    const struct planner_bid *b = &p->bid;
    planner_open(p, PLANNER_RESULT);
    pack_result(p);
    enum err e = distrib_give(p->copy, b->to, b->cell, b->n, &p->mail.out);
    if (e != OK) {
        planner_fail(p, e);
        return;
    }
    planner_post(p, b->to);
    for (uint32_t i = 0; i < b->n; i++) {
        if (planner_load_of(p, b->cell[i]) == 0) learn_idle(p, (const char *)&b->cell[i], 1);
        drop_item(p, b->cell[i]);
    }
    p->block.moves += b->n;
    p->turns.stale = true;
    if (b->edge >= 0) p->turns.quota[b->edge] -= b->load;
}

static void
decide(struct planner *p)
{
    bool done = p->turn.granted && !is_beaten(p);
    p->turn.decided = true;
    for (int i = 0; i < p->bid.nwitness; i++) tell_witness(p, p->bid.witness[i], done);
    if (done)
        give(p);
    else
        tell_witness(p, p->bid.to, false);
}

static void
hear_bid(struct planner *p, struct planner_peer *peer, const void *body, size_t n)
{
    struct bid_body b;
    if (n != sizeof b) {
        planner_fail(p, E_FORMAT);
        return;
    }
    memcpy(&b, body, n);
    p->turns.stale |= peer->load != b.load || peer->speed != b.speed ||
                memcmp(peer->lacks, b.lacks, sizeof b.lacks) != 0 ||
                peer->empty != !!(b.wishes & WISH_ANY);
    peer->priority = b.priority;
    peer->load = b.load;
    peer->speed = b.speed;
    peer->want = b.want;
    peer->room = b.limit;
    peer->wishes = b.wishes;
    peer->empty = b.wishes & WISH_ANY;
    memcpy(peer->lacks, b.lacks, sizeof peer->lacks);
    if (b.wishes & (WISH_WITNESS | WISH_TAKER)) p->now.left_in++; /* its result */
    if (++p->turn.bids_in == p->circle.n) grant(p);
}

/* Cells come: with their loads, and what is known of those beside them. */
static void
take(struct planner *p, int from, const struct result_body *r, const char *body, size_t n)
{
    size_t items = r->items * sizeof(struct planner_item), idle = r->idle * sizeof(uint32_t);
    uint32_t had = p->item.n;
    if (n < items || n - items < idle) {
        planner_fail(p, E_FORMAT);
        return;
    }
    planner_unpack_items(p, &p->item, body, items);
    if (!cellmap_reserve(&p->item_slot, p->item.n)) planner_fail(p, E_NOMEM);
    learn_idle(p, body + items, r->idle);
    enum err e = p->err;
    if (e == OK)
        e = distrib_take(p->copy, from, body + items + idle, n - items - idle, planner_tell_news,
                         p);
    if (e == OK)
        index_new(p, had);
    else
        planner_fail(p, e);
    p->turns.stale = true;
}

static void
hear_result(struct planner *p, int from, const void *body, size_t n)
{
    struct result_body r;
    if (n < sizeof r) {
        planner_fail(p, E_FORMAT);
        return;
    }
    memcpy(&r, body, sizeof r);
    p->now.left_in--;
    p->turns.news_due += r.news;
    if (r.to == p->set.node) take(p, from, &r, (const char *)body + sizeof r, n - sizeof r);
}

/* Once, when all bids and the grant are here. */
static void
decide_if_ready(struct planner *p)
{
    const struct planner_turn *t = &p->turn;
    if (t->answered && !t->decided && t->bids_in == p->circle.n && p->err == OK) decide(p);
}

void
planner_bid_hear(struct planner *p, const struct planner_heard *h)
{
    struct planner_peer *peer = planner_peer(p, h->from);
    if (!peer) planner_fail(p, E_PROTOCOL);
    else hear_bid(p, peer, h->body, h->n);
    decide_if_ready(p);
}

void
planner_grant_hear(struct planner *p, const struct planner_heard *h)
{
    uint32_t yes;
    if (!planner_peer(p, h->from) || h->n != sizeof yes) {
        planner_fail(p, E_PROTOCOL);
        return;
    }
    memcpy(&yes, h->body, h->n);
    p->turn.granted = yes;
    p->turn.answered = true;
    decide_if_ready(p);
}

void
planner_result_hear(struct planner *p, const struct planner_heard *h)
{
    if (!planner_peer(p, h->from)) planner_fail(p, E_PROTOCOL);
    else hear_result(p, h->from, h->body, h->n);
}

bool
planner_turn_over(const struct planner *p)
{
    const struct planner_turn *t = &p->turn;
    bool all_in = t->bids_in == p->circle.n && !p->now.left_in && !p->turns.news_due;
    return t->decided && all_in;
}
