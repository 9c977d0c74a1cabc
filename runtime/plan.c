/* plan.c - see plan.h: the planner's messages, and what is called from outside. */
#include "plan_parts.h"

#include "runtime/base/mem.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rounds of prices: so many, and more for each row of nodes, since prices spread from neighbour to
 * neighbour. Of levelling by flow: what is left after prices is mostly near. */
enum { PRICE_ROUNDS = 16, ROUNDS_PER_ROW = 4, FLOW_ROUNDS = 24, FLOWS_PER_ROW = 3 };

/* ---- messages ---- */

void
plan_fail(struct plan *p, enum err e)
{
    if (p->err == OK) p->err = e;
}

void
plan_open(struct plan *p, enum plan_kind kind)
{
    bool any_time = kind == PLAN_CALL || kind == PLAN_NEWS;
    struct plan_head h = {.step = p->step, .op = any_time ? 0 : p->op, .kind = kind};
    buf_clear(&p->out);
    buf_add(&p->out, &h, sizeof h);
}

void
plan_post(struct plan *p, int to)
{
    if (p->out.failed) {
        plan_fail(p, E_NOMEM);
        return;
    }
    struct plan_head *h = (struct plan_head *)p->out.data;
    h->bytes = (uint32_t)(p->out.size - sizeof *h);
    p->cost.messages++;
    p->cost.bytes += p->out.size;
    p->set.send(p->set.who, to, p->out.data, p->out.size);
}

bool
plan_items_add(struct plan *p, struct plan_items *v, const struct plan_item *it)
{
    if (v->n == v->room) {
        uint32_t room = v->room + v->room / 2 + 8;
        struct plan_item *at = mem_realloc(v->at, room * sizeof *at);
        if (!at) {
            plan_fail(p, E_NOMEM);
            return false;
        }
        v->at = at;
        v->room = room;
    }
    v->at[v->n++] = *it;
    return true;
}

void
plan_items_fini(struct plan_items *v)
{
    mem_free(v->at);
    *v = (struct plan_items){0};
}

void
plan_pack_items(struct plan *p, const struct plan_items *v)
{
    if (v->n) buf_add(&p->out, v->at, v->n * sizeof *v->at);
}

void
plan_unpack_items(struct plan *p, struct plan_items *v, const void *body, size_t n)
{
    struct plan_item it;
    uint32_t ncells = lattice_size(&p->set.cells);
    if (n % sizeof it) plan_fail(p, E_FORMAT);
    for (size_t i = 0; p->err == OK && i < n / sizeof it; i++) {
        memcpy(&it, (const char *)body + i * sizeof it, sizeof it);
        if (it.cell >= ncells || it.home < 0 || it.home >= p->set.nnodes || !(it.load >= 0))
            plan_fail(p, E_FORMAT);
        else
            plan_items_add(p, v, &it);
    }
}

/* ---- the inbox ---- */

static void
keep(struct plan *p, int from, const struct plan_head *h, const void *body)
{
    struct plan_letter *l = mem_alloc(sizeof *l + h->bytes);
    if (!l) {
        plan_fail(p, E_NOMEM);
        return;
    }
    *l = (struct plan_letter){.from = from, .head = *h};
    if (h->bytes) memcpy(l->body, body, h->bytes);
    *p->inbox_end = l;
    p->inbox_end = &l->next;
    p->ahead += h->step != p->step;
}

/* A message for the op under way. */
static void
handle(struct plan *p, int from, const struct plan_head *h, const void *body)
{
    switch ((enum plan_kind)h->kind) {
    case PLAN_CALL:
        break;
    case PLAN_UP:
    case PLAN_DOWN:
        plan_sum_hear(p, h->kind, from, body, h->bytes);
        break;
    case PLAN_RIGHT:
    case PLAN_LEFT:
        plan_sweep_hear(p, h->kind, body, h->bytes);
        break;
    case PLAN_PRICE:
        plan_price_hear(p, from, body, h->bytes);
        break;
    case PLAN_CELLS:
        plan_cells_hear(p, body, h->bytes);
        break;
    case PLAN_LEVEL:
        plan_flow_hear(p, from, body, h->bytes);
        break;
    case PLAN_TOUCH:
        plan_touch_hear(p, from, body, h->bytes);
        break;
    case PLAN_CLAIM:
    case PLAN_PARCEL:
        plan_spread_hear(p, h->kind, from, body, h->bytes);
        break;
    case PLAN_NEWS:
        plan_news_hear(p, body, h->bytes);
        break;
    case PLAN_FACES:
        plan_faces_hear(p, from, body, h->bytes);
        break;
    case PLAN_BID:
    case PLAN_GRANT:
    case PLAN_RESULT:
        plan_turn_hear(p, h->kind, from, body, h->bytes);
        break;
    case PLAN_KINDS:
        plan_fail(p, E_FORMAT);
        break;
    }
}

/* What has waited for this op, in the order it came. */
static void
drain(struct plan *p)
{
    struct plan_letter **at = &p->inbox;
    while (*at && p->err == OK) {
        struct plan_letter *l = *at;
        if (l->head.step != p->step || (l->head.op && l->head.op != p->op)) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        if (!*at) p->inbox_end = at;
        handle(p, l->from, &l->head, l->body);
        mem_free(l);
    }
}

/* ---- the machine ---- */

static uint64_t
memory_of(const struct plan *p)
{
    uint64_t items = p->own.room + p->item.room + p->right.room + p->left.room;
    uint64_t n = sizeof *p + items * sizeof(struct plan_item) + p->out.room;
    for (int d = 0; d < LATTICE_DIMS_MAX; d++)
        n += (uint64_t)p->line.side[d] * (2 * sizeof(double) + sizeof *p->begin);
    for (const struct plan_letter *l = p->inbox; l; l = l->next) n += sizeof *l + l->head.bytes;
    n += cellmap_bytes(&p->item_slot) + cellmap_bytes(&p->own_slot) + cellmap_bytes(&p->idle);
    n += p->sum_room * (2 * sizeof *p->sum + sizeof *p->row);
    return n + (p->copy ? distrib_bytes(p->copy) : 0);
}

static enum err
run(struct plan *p)
{
    while (plan_is_done(p)) {
        uint64_t memory = memory_of(p);
        if (memory > p->cost.memory_max) p->cost.memory_max = memory;
        plan_follow(p);
        drain(p);
    }
    return p->err;
}

/* ---- from outside ---- */

static bool
find_place(struct plan *p)
{
    const struct plan_setup *s = &p->set;
    p->rope = !strcmp(s->kind, "rope");
    p->line = s->nodes;
    if (p->rope && !lattice_init(&p->line, 1, (int32_t[]){s->nnodes})) return false;
    p->place = lattice_point(&p->line, (uint32_t)s->node);
    int32_t rows = 0, longest = 1, sums = 8;
    for (int d = 0; d < PRICE_DIMS; d++) {
        sums += p->field.cells[d] = s->cells.side[d];
        rows += p->field.nodes[d] = p->line.side[d];
        if (p->line.side[d] > longest) longest = p->line.side[d];
    }
    p->field.rounds = PRICE_ROUNDS + ROUNDS_PER_ROW * longest;
    p->row_price = mem_zalloc((size_t)rows, sizeof *p->row_price);
    p->pace = flow_pace(p->line.side);
    int flows = FLOWS_PER_ROW * longest;
    p->pace.rounds = flows < FLOW_ROUNDS ? flows : FLOW_ROUNDS;
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
find_neighbours(struct plan *p)
{
    uint32_t node = (uint32_t)p->set.node;
    for (int s = 0; s < 2 * p->line.ndims; s++) {
        uint32_t b = lattice_beside(&p->line, node, s);
        if (b != LATTICE_NONE) p->edge[p->nedges++] = (int)b;
    }
    memcpy(p->site[0].place, p->place.at, sizeof p->place.at);
    for (int k = 0; k < 27; k++) {
        const int32_t *at = p->place.at;
        struct lattice_point q = {{at[0] + k / 9 - 1, at[1] + k / 3 % 3 - 1, at[2] + k % 3 - 1}};
        bool inside = k != 13;
        for (int d = 0; d < 3; d++) inside &= q.at[d] >= 0 && q.at[d] < p->line.side[d];
        if (!inside) continue;
        memcpy(p->site[p->nnear + 1].place, q.at, sizeof q.at);
        p->near[p->nnear++] = (int)lattice_number(&p->line, q.at);
    }
}

enum err
plan_new(struct plan **out, const struct plan_setup *s)
{
    struct plan *p = mem_zalloc(1, sizeof *p);
    if (!p) return E_NOMEM;
    assert(s->node >= 0 && s->node < s->nnodes);
    p->set = *s;
    p->inbox_end = &p->inbox;
    p->now = OP_OVER;
    p->unrest = plan_unrest_at_first(p);
    if (!find_place(p)) {
        plan_free(p);
        return E_NOMEM;
    }
    find_neighbours(p);
    *out = p;
    return OK;
}

void
plan_free(struct plan *p)
{
    if (!p) return;
    plan_step_over(p, NULL);
    while (p->inbox) {
        struct plan_letter *l = p->inbox;
        p->inbox = l->next;
        mem_free(l);
    }
    plan_items_fini(&p->own);
    plan_items_fini(&p->left);
    plan_items_fini(&p->right);
    cellmap_fini(&p->own_slot);
    buf_fini(&p->out);
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

enum plan_state
plan_state(const struct plan *p)
{
    if (p->now == OP_OVER) return PLAN_IDLE;
    if (p->now == OP_CARRY) return PLAN_CARRY;
    return p->now == OP_SETTLE ? PLAN_SETTLING : PLAN_BUSY;
}

/* Own cells become the plan's first state. */
static enum err
start_items(struct plan *p, const uint32_t *cell, const double *load, const double *bytes,
            uint32_t n)
{
    mem_free(p->dest);
    p->dest = mem_alloc(n * sizeof *p->dest + 1);
    if (!p->dest || !cellmap_reserve(&p->own_slot, n)) return E_NOMEM;
    p->load = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct plan_item it = {
            .cell = cell[i], .home = p->set.node, .load = load[i], .bytes = bytes[i]};
        plan_items_add(p, &p->own, &it);
        plan_items_add(p, &p->item, &it);
        cellmap_put(&p->own_slot, cell[i], i, 0);
        p->dest[i] = -1;
        p->load += load[i];
    }
    return p->err;
}

static void
start_afresh(struct plan *p)
{
    p->step++;
    p->op = 0;
    p->ahead = 0;
    p->report = (struct plan_report){.step = p->step, .before = 1, .after = 1};
    p->rng = rng_of((uint64_t)p->step << 32 | (uint32_t)p->set.node);
    p->own.n = p->item.n = p->left.n = p->right.n = 0;
    p->told = 0;
    p->price = (struct price){0};
    p->news_sent = p->news_heard = 0;
    p->wave_heard = -1;
    p->spread = false;
    p->moves = p->moves_all = 0;
    p->attempt = -1;
    p->most_of_cell = INFINITY;
    p->halved = false;
    p->block = p->mends = p->flows = p->smooths = p->round = 0;
    p->news_due = 0;
    p->last_come = LATTICE_NONE;
    p->circle.n = 0;
    p->crossing[0] = p->crossing[1] = 0;
    for (int k = 0; k < PLAN_EDGES_MAX; k++) p->quota[k] = 0;
    cellmap_fini(&p->own_slot);
}

enum err
plan_begin(struct plan *p, const uint32_t *cell, const double *load, const double *bytes,
           uint32_t n, double speed, bool unknown)
{
    assert(plan_state(p) == PLAN_IDLE && speed > 0);
    start_afresh(p);
    p->speed = speed;
    p->unknown = unknown;
    enum err e = start_items(p, cell, load, bytes, n);
    if (e == OK && !p->rope) e = distrib_copy(&p->copy, p->set.map);
    if (e != OK) return e;
    plan_call_others(p);
    plan_enter(p, OP_SUM, 0);
    drain(p);
    return run(p);
}

bool
plan_called(const struct plan *p)
{
    return p->ahead > 0;
}

enum err
plan_hear(struct plan *p, int from, const void *bytes, size_t n)
{
    struct plan_head h;
    if (p->err != OK) return p->err;
    if (from < 0 || from >= p->set.nnodes || n < sizeof h) return E_FORMAT;
    memcpy(&h, bytes, sizeof h);
    if (h.bytes != n - sizeof h || h.kind >= PLAN_KINDS) return E_FORMAT;
    bool now = h.step == p->step && p->now != OP_OVER, next = h.step == p->step + 1;
    if ((!now && !next) || (now && h.op && h.op < p->op)) return E_PROTOCOL;
    if (now && (!h.op || (h.op == p->op && p->now != OP_CARRY)))
        handle(p, from, &h, (const char *)bytes + sizeof h);
    else
        keep(p, from, &h, (const char *)bytes + sizeof h);
    return run(p);
}

void
plan_each_move(const struct plan *p, void (*fn)(void *who, uint32_t cell, int to), void *who)
{
    for (uint32_t i = 0; i < p->own.n; i++)
        if (p->dest[i] != p->set.node) fn(who, p->own.at[i].cell, p->dest[i]);
}

uint32_t
plan_expected(const struct plan *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->item.n; i++) n += p->item.at[i].home != p->set.node;
    return n;
}

int64_t
plan_crossing(const struct plan *p, int side)
{
    return p->crossing[side];
}

enum err
plan_carried(struct plan *p)
{
    assert(p->now == OP_CARRY);
    p->wave_heard = -1;
    plan_enter(p, OP_SETTLE, 0);
    drain(p);
    return run(p);
}

struct plan_report
plan_report(const struct plan *p)
{
    return p->report;
}

struct plan_cost
plan_cost(const struct plan *p)
{
    return p->cost;
}
