/* planner.c - see planner.h: the planner's messages, and what is called from outside. */
#include "parts.h"

#include "runtime/base/mem.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rounds of prices: so many, and more for each row of nodes, since prices spread from neighbour to
 * neighbour. Of levelling by flow: what is left after prices is mostly near. */
enum { PRICE_ROUNDS = 16, ROUNDS_PER_ROW = 4, FLOW_ROUNDS = 24, FLOWS_PER_ROW = 3 };

/* ---- messages ---- */

void
planner_fail(struct planner *p, enum err e)
{
    if (p->err == OK) p->err = e;
}

void
planner_open(struct planner *p, enum planner_kind kind)
{
    uint32_t op = planner_any_time(kind) ? 0 : p->nops;
    struct planner_head h = {.step = p->step, .op = op, .kind = kind};
    buf_clear(&p->mail.out);
    buf_add(&p->mail.out, &h, sizeof h);
}

void
planner_post(struct planner *p, int to)
{
    if (p->mail.out.failed) {
        planner_fail(p, E_NOMEM);
        return;
    }
    struct planner_head *h = (struct planner_head *)p->mail.out.data;
    h->bytes = (uint32_t)(p->mail.out.size - sizeof *h);
    p->mail.cost.messages++;
    p->mail.cost.bytes += p->mail.out.size;
    p->set.send(p->set.who, to, p->mail.out.data, p->mail.out.size);
}

bool
planner_items_add(struct planner *p, struct planner_items *v, const struct planner_item *it)
{
    if (v->n == v->room) {
        uint32_t room = v->room + v->room / 2 + 8;
        struct planner_item *at = mem_realloc(v->at, room * sizeof *at);
        if (!at) {
            planner_fail(p, E_NOMEM);
            return false;
        }
        v->at = at;
        v->room = room;
    }
    v->at[v->n++] = *it;
    return true;
}

void
planner_items_fini(struct planner_items *v)
{
    mem_free(v->at);
    *v = (struct planner_items){0};
}

void
planner_pack_items(struct planner *p, const struct planner_items *v)
{
    if (v->n) buf_add(&p->mail.out, v->at, v->n * sizeof *v->at);
}

void
planner_unpack_items(struct planner *p, struct planner_items *v, const void *body, size_t n)
{
    struct planner_item it;
    uint32_t ncells = lattice_size(&p->set.cells);
    if (n % sizeof it) planner_fail(p, E_FORMAT);
    for (size_t i = 0; p->err == OK && i < n / sizeof it; i++) {
        memcpy(&it, (const char *)body + i * sizeof it, sizeof it);
        if (it.cell >= ncells || it.home < 0 || it.home >= p->set.nnodes || !(it.load >= 0))
            planner_fail(p, E_FORMAT);
        else
            planner_items_add(p, v, &it);
    }
}

/* ---- the inbox ---- */

static void
keep(struct planner *p, int from, const struct planner_head *h, const void *body)
{
    struct planner_letter *l = mem_alloc(sizeof *l + h->bytes);
    if (!l) {
        planner_fail(p, E_NOMEM);
        return;
    }
    *l = (struct planner_letter){.from = from, .head = *h};
    if (h->bytes) memcpy(l->body, body, h->bytes);
    *p->mail.inbox_end = l;
    p->mail.inbox_end = &l->next;
    p->mail.ahead += h->step != p->step;
}

static void
hear_call(struct planner *p, const struct planner_heard *h)
{
    (void)p; /* that it has come, for a step that has not begun, is all it says */
    (void)h;
}

/* What a message does. To which ops each kind belongs is in the table of ops. */
static void (*const hear[PLANNER_KINDS])(struct planner *p, const struct planner_heard *h) = {
    [PLANNER_CALL] = hear_call,
    [PLANNER_UP] = planner_sum_hear,
    [PLANNER_DOWN] = planner_sum_hear,
    [PLANNER_RIGHT] = planner_sweep_hear,
    [PLANNER_LEFT] = planner_sweep_hear,
    [PLANNER_PRICE] = planner_price_hear,
    [PLANNER_CELLS] = planner_cells_hear,
    [PLANNER_LEVEL] = planner_flow_hear,
    [PLANNER_TOUCH] = planner_touch_hear,
    [PLANNER_CLAIM] = planner_claim_hear,
    [PLANNER_PARCEL] = planner_parcel_hear,
    [PLANNER_NEWS] = planner_news_hear,
    [PLANNER_FACES] = planner_faces_hear,
    [PLANNER_BID] = planner_bid_hear,
    [PLANNER_GRANT] = planner_grant_hear,
    [PLANNER_RESULT] = planner_result_hear,
};

/* A message for the op under way. */
static void
handle(struct planner *p, int from, const struct planner_head *head, const void *body)
{
    struct planner_heard h = {head->kind, from, body, head->bytes};
    if (planner_expects(p, h.kind)) hear[h.kind](p, &h);
    else planner_fail(p, E_PROTOCOL);
}

/* What has waited for this op, in the order it came. */
static void
drain(struct planner *p)
{
    struct planner_letter **at = &p->mail.inbox;
    while (*at && p->err == OK) {
        struct planner_letter *l = *at;
        if (l->head.step != p->step || (l->head.op && l->head.op != p->nops)) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        if (!*at) p->mail.inbox_end = at;
        handle(p, l->from, &l->head, l->body);
        mem_free(l);
    }
}

/* ---- the machine ---- */

static uint64_t
memory_of(const struct planner *p)
{
    uint64_t items = p->own.room + p->item.room + p->right.room + p->left.room;
    uint64_t n = sizeof *p + items * sizeof(struct planner_item) + p->mail.out.room;
    for (int d = 0; d < LATTICE_DIMS_MAX; d++)
        n += (uint64_t)p->here.line.side[d] * (2 * sizeof(double) + sizeof *p->begin);
    for (const struct planner_letter *l = p->mail.inbox; l; l = l->next)
        n += sizeof *l + l->head.bytes;
    n += cellmap_bytes(&p->item_slot) + cellmap_bytes(&p->own_slot) + cellmap_bytes(&p->idle);
    n += p->sum_room * (2 * sizeof *p->sum + sizeof *p->row);
    return n + (p->copy ? distrib_bytes(p->copy) : 0);
}

static enum err
run(struct planner *p)
{
    while (planner_is_done(p)) {
        uint64_t memory = memory_of(p);
        if (memory > p->mail.cost.memory_max) p->mail.cost.memory_max = memory;
        planner_follow(p);
        drain(p);
        assert(planner_is_valid(p));
    }
    assert(planner_is_valid(p));
    return p->err;
}

/* ---- from outside ---- */

static bool
take_bearings(struct planner *p)
{
    const struct planner_setup *s = &p->set;
    p->here.rope = distrib_slides(s->map);
    p->here.line = distrib_line(s->map);
    p->here.point = lattice_point(&p->here.line, (uint32_t)s->node);
    int32_t rows = 0, longest = 1, sums = 8;
    for (int d = 0; d < PRICE_DIMS; d++) {
        sums += p->here.field.cells[d] = s->cells.side[d];
        rows += p->here.field.nodes[d] = p->here.line.side[d];
        if (p->here.line.side[d] > longest) longest = p->here.line.side[d];
    }
    p->here.field.rounds = PRICE_ROUNDS + ROUNDS_PER_ROW * longest;
    p->row_price = mem_zalloc((size_t)rows, sizeof *p->row_price);
    p->here.pace = flow_pace(p->here.line.side);
    int flows = FLOWS_PER_ROW * longest;
    p->here.pace.rounds = flows < FLOW_ROUNDS ? flows : FLOW_ROUNDS;
    p->begin = mem_zalloc((size_t)rows, sizeof *p->begin);
    p->cut = mem_zalloc((size_t)longest + 1, sizeof *p->cut);
    p->sum_room = (uint32_t)(sums + rows);
    p->sum = mem_zalloc(p->sum_room, sizeof *p->sum);
    p->row = mem_zalloc(p->sum_room, sizeof *p->row);
    p->right_sum = mem_zalloc(p->sum_room, sizeof *p->sum);
    return p->row_price && p->sum && p->right_sum && p->row && p->begin && p->cut;
}

/* Neighbours along edges, then all around. */
static void
find_neighbours(struct planner *p)
{
    uint32_t node = (uint32_t)p->set.node;
    for (int s = 0; s < 2 * p->here.line.ndims; s++) {
        uint32_t b = lattice_beside(&p->here.line, node, s);
        if (b != LATTICE_NONE) p->here.edge[p->here.nedges++] = (int)b;
    }
    memcpy(p->site[0].place, p->here.point.at, sizeof p->here.point.at);
    for (int k = 0; k < 27; k++) {
        const int32_t *at = p->here.point.at;
        struct lattice_point q = {{at[0] + k / 9 - 1, at[1] + k / 3 % 3 - 1, at[2] + k % 3 - 1}};
        bool inside = k != 13;
        for (int d = 0; d < 3; d++) inside &= q.at[d] >= 0 && q.at[d] < p->here.line.side[d];
        if (!inside) continue;
        memcpy(p->site[p->here.nnear + 1].place, q.at, sizeof q.at);
        p->here.near[p->here.nnear++] = (int)lattice_number(&p->here.line, q.at);
    }
}

enum err
planner_new(struct planner **out, const struct planner_setup *s)
{
    struct planner *p = mem_zalloc(1, sizeof *p);
    if (!p) return E_NOMEM;
    assert(s->node >= 0 && s->node < s->nnodes);
    p->set = *s;
    p->mail.inbox_end = &p->mail.inbox;
    p->now.op = OP_OVER;
    p->past.unrest = planner_unrest_at_first(p);
    if (!take_bearings(p)) {
        planner_free(p);
        return E_NOMEM;
    }
    find_neighbours(p);
    *out = p;
    return OK;
}

void
planner_free(struct planner *p)
{
    if (!p) return;
    planner_step_over(p, NULL);
    while (p->mail.inbox) {
        struct planner_letter *l = p->mail.inbox;
        p->mail.inbox = l->next;
        mem_free(l);
    }
    planner_items_fini(&p->own);
    planner_items_fini(&p->left);
    planner_items_fini(&p->right);
    cellmap_fini(&p->own_slot);
    buf_fini(&p->mail.out);
    mem_free(p->dest);
    mem_free(p->sum);
    mem_free(p->right_sum);
    mem_free(p->row_price);
    mem_free(p->row);
    mem_free(p->begin);
    mem_free(p->cut);
    mem_free(p->circle.at);
    mem_free(p->last.at);
    mem_free(p->bid.cell);
    mem_free(p->bid.witness);
    mem_free(p);
}

enum planner_state
planner_state(const struct planner *p)
{
    if (p->now.op == OP_OVER) return PLANNER_IDLE;
    if (p->now.op == OP_MOVE) return PLANNER_MOVE;
    return p->now.op == OP_SETTLE ? PLANNER_SETTLING : PLANNER_BUSY;
}

/* Own cells become the plan's first state. */
static enum err
start_items(struct planner *p, const uint32_t *cell, const double *load, const double *bytes,
            uint32_t n)
{
    mem_free(p->dest);
    cellmap_fini(&p->own_slot);
    p->dest = mem_alloc(n * sizeof *p->dest + 1);
    if (!p->dest || !cellmap_reserve(&p->own_slot, n)) return E_NOMEM;
    p->load = 0;
    p->own.n = p->item.n = p->left.n = p->right.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct planner_item it = {
            .cell = cell[i], .home = p->set.node, .load = load[i], .bytes = bytes[i]};
        planner_items_add(p, &p->own, &it);
        planner_items_add(p, &p->item, &it);
        cellmap_put(&p->own_slot, cell[i], i, 0);
        p->dest[i] = -1;
        p->load += load[i];
    }
    return p->err;
}

enum err
planner_begin(struct planner *p, const uint32_t *cell, const double *load, const double *bytes,
              uint32_t n, double speed, bool unknown)
{
    assert(planner_state(p) == PLANNER_IDLE && speed > 0);
    planner_step_init(p);
    p->me.speed = speed;
    p->me.unknown = unknown;
    enum err e = start_items(p, cell, load, bytes, n);
    if (e == OK && !p->here.rope) e = distrib_copy(&p->copy, p->set.map);
    if (e != OK) return e;
    planner_call_others(p);
    planner_enter(p, OP_SUM, 0);
    drain(p);
    return run(p);
}

bool
planner_called(const struct planner *p)
{
    return p->mail.ahead > 0;
}

enum err
planner_hear(struct planner *p, int from, const void *bytes, size_t n)
{
    struct planner_head h;
    if (p->err != OK) return p->err;
    if (from < 0 || from >= p->set.nnodes || n < sizeof h) return E_FORMAT;
    memcpy(&h, bytes, sizeof h);
    if (h.bytes != n - sizeof h || h.kind >= PLANNER_KINDS) return E_FORMAT;
    bool now = h.step == p->step && p->now.op != OP_OVER, next = h.step == p->step + 1;
    if ((!now && !next) || (now && h.op && h.op < p->nops)) return E_PROTOCOL;
    if (now && (!h.op || (h.op == p->nops && p->now.op != OP_MOVE)))
        handle(p, from, &h, (const char *)bytes + sizeof h);
    else
        keep(p, from, &h, (const char *)bytes + sizeof h);
    return run(p);
}

void
planner_each_move(const struct planner *p, void (*fn)(void *who, uint32_t cell, int to), void *who)
{
    for (uint32_t i = 0; i < p->own.n; i++)
        if (p->dest[i] != p->set.node) fn(who, p->own.at[i].cell, p->dest[i]);
}

uint32_t
planner_expected(const struct planner *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->item.n; i++) n += p->item.at[i].home != p->set.node;
    return n;
}

int64_t
planner_crossing(const struct planner *p, int side)
{
    return p->me.crossing[side];
}

enum err
planner_moved(struct planner *p)
{
    assert(p->now.op == OP_MOVE && p->news.wave_heard == -1);
    planner_enter(p, OP_SETTLE, 0);
    drain(p);
    return run(p);
}

struct planner_summary
planner_summary(const struct planner *p)
{
    return p->summary;
}

struct planner_cost
planner_cost(const struct planner *p)
{
    return p->mail.cost;
}
