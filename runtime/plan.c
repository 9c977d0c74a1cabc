/* plan.c - see plan.h: the planner's inbox, and which op follows which. */
#include "plan_parts.h"

#include "runtime/base/mem.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rounds of prices: so many, and more for each row of nodes, since prices spread from neighbour to
 * neighbour. */
enum { PRICE_ROUNDS = 16, ROUNDS_PER_ROW = 4 };
/* Turns in a block; blocks for each aim, which is given up after them. */
enum { BLOCK_TURNS = 8, MENDS = 6, FLOWS = 4, SMOOTHS = 3 };
/* Steps that are left out when a plan was dropped and it is not worse since, at most. */
enum { PAUSES = 15 };
/* The mean distance of faces at which smoothing is content with what improves it. */
static const double near_enough = 1.07;
/* Of levelling by flow: what is left after prices is mostly near. */
enum { FLOW_ROUNDS = 24 };

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
        plan_sum_hear(p, h->kind, body, h->bytes);
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

/* ---- sums: what is told, and what follows ---- */

static double
highest_level(const struct plan *p)
{
    return p->load / p->speed;
}

static const char *
flaw_of(const struct plan *p)
{
    return p->copy ? distrib_flaw(p->copy, true) : NULL;
}

/* Own cells that go elsewhere, and their bytes. */
static void
count_moves(const struct plan *p, double *cells, double *bytes)
{
    for (uint32_t i = 0; i < p->own.n; i++) {
        if (p->dest[i] == p->set.node) continue;
        ++*cells;
        *bytes += p->own.at[i].bytes;
    }
}

/* Maxima first. plan_lines.c adds the loads of own cells to those of nodes before. */
enum { SUM_LEVEL, SUM_HEAVIEST, SUM_LOAD, SUM_SPEED, SUM_SIZE };
enum { LOOK_EXCESS, LOOK_LEVEL, LOOK_FLAWS, LOOK_MOVES, LOOK_FACES, LOOK_FAR, LOOK_SIZE };
enum { FINAL_LEVEL, FINAL_CELLS, FINAL_BYTES, FINAL_FLAWS, FINAL_SIZE };
enum { NEWS_SENT, NEWS_HEARD, NEWS_SIZE };

static void
tell_sum(struct plan *p)
{
    plan_sum_init(p, SUM_SIZE, SUM_LOAD);
    p->sum[SUM_LEVEL] = highest_level(p);
    for (uint32_t i = 0; i < p->own.n; i++)
        p->sum[SUM_HEAVIEST] = fmax(p->sum[SUM_HEAVIEST], p->own.at[i].load);
    p->sum[SUM_LOAD] = p->load;
    p->sum[SUM_SPEED] = p->speed;
}

/* Faces of cells of others, and how far they reach. */
static void
count_faces(const struct plan *p, double *faces, double *far)
{
    for (uint32_t i = 0; i < p->item.n; i++)
        for (int s = 0; s < 2 * p->set.cells.ndims; s++) {
            int owner = distrib_beside(p->copy, p->item.at[i].cell, s);
            if (owner < 0 || owner == p->set.node || p->item.at[i].load == 0) continue;
            ++*faces;
            *far += distrib_distance(p->copy, owner, p->set.node);
        }
}

static void
tell_look(struct plan *p)
{
    plan_sum_init(p, LOOK_SIZE, LOOK_FLAWS);
    p->sum[LOOK_EXCESS] = p->load - p->even * p->speed;
    p->sum[LOOK_LEVEL] = highest_level(p);
    p->sum[LOOK_FLAWS] = flaw_of(p) != NULL;
    p->sum[LOOK_MOVES] = (double)p->moves;
    if (p->now == OP_CHECK) count_faces(p, &p->sum[LOOK_FACES], &p->sum[LOOK_FAR]);
    p->moves = 0;
}

static void
tell_final(struct plan *p)
{
    plan_sum_init(p, FINAL_SIZE, FINAL_CELLS);
    p->sum[FINAL_LEVEL] = highest_level(p);
    p->sum[FINAL_FLAWS] = flaw_of(p) != NULL;
    count_moves(p, &p->sum[FINAL_CELLS], &p->sum[FINAL_BYTES]);
}

static void
tell_news(struct plan *p, uint64_t sent, uint64_t heard)
{
    plan_sum_init(p, NEWS_SIZE, 0);
    p->sum[NEWS_SENT] = (double)sent;
    p->sum[NEWS_HEARD] = (double)heard;
}

bool
plan_sums_up(enum plan_op op)
{
    return op == OP_SUM || op == OP_ROWS || op == OP_LOOK || op == OP_NEWS || op == OP_CHECK ||
           op == OP_FINAL || op == OP_SETTLE;
}

static void
tell(struct plan *p)
{
    uint64_t sent = p->news_sent, heard = p->news_heard;
    if (p->now == OP_SUM) tell_sum(p);
    if (p->now == OP_ROWS) plan_rows_fill(p);
    if (p->now == OP_LOOK || p->now == OP_CHECK) tell_look(p);
    if (p->now == OP_FINAL) tell_final(p);
    if (p->now == OP_SETTLE) p->set.count(p->set.who, &sent, &heard);
    if (p->now == OP_NEWS || p->now == OP_SETTLE) tell_news(p, sent, heard);
}

/* ---- which op follows which ---- */

/* Attempts. What is only a little uneven is mended from what is, by transfers alone: less moves. If
 * that leaves borders too long, or not even, by prices. They may lead to domains that cannot be
 * mended, which happens where nodes get but a few cells each: then prices are found for loads half
 * way to even ones; and if that does not help, transfers alone have to do. */
enum { GENTLY, BY_LOADS, HALF_WAY, HUMBLY };
static const double little = 1.5, too_far = 1.09;

double
plan_weight(const struct plan *p, double load)
{
    return p->attempt == HALF_WAY ? load / 2 + p->total / lattice_size(&p->set.cells) / 2 : load;
}

/* The loads as they are, for what follows prices. */
static void
true_loads(struct plan *p)
{
    if (p->attempt != HALF_WAY) return;
    p->load = 0;
    for (uint32_t i = 0; i < p->item.n; i++) p->load += p->item.at[i].load = p->item.at[i].middle;
}

static void
enter(struct plan *p, enum plan_op op, int dim)
{
    p->now = op;
    p->op++;
    p->dim = dim;
    p->left_in = 0;
    if (plan_sums_up(op)) {
        if (!dim) tell(p);
        plan_sum_start(p);
    }
    if (op == OP_SWEEP) plan_sweep_start(p);
    if (op == OP_PRICE) plan_price_start(p);
    if (op == OP_CELLS) plan_cells_start(p);
    if (op == OP_SPREAD) true_loads(p);
    if (op == OP_SPREAD || op == OP_CLAIM) plan_spread_start(p);
    if (op == OP_FACES) plan_faces_start(p);
    if (op == OP_FLOW) plan_flow_start(p);
    if (op == OP_TURN) plan_turn_start(p);
}

static void
step_over(struct plan *p, const char *why)
{
    p->report.why = why;
    p->now = OP_OVER;
    distrib_free(p->copy);
    p->copy = NULL;
    plan_items_fini(&p->item);
    cellmap_fini(&p->item_slot);
    cellmap_fini(&p->idle);
}

/* Back to what is. */
static void
start_again(struct plan *p)
{
    p->item.n = 0;
    p->load = 0;
    p->block = p->mends = p->flows = p->smooths = p->round = 0;
    p->moves_all = 1; /* owners have heard of another plan */
    for (uint32_t i = 0; i < p->own.n; i++) {
        struct plan_item it = p->own.at[i];
        it.load = plan_weight(p, it.load);
        it.middle = p->own.at[i].load;
        plan_items_add(p, &p->item, &it);
        p->load += it.load;
    }
    distrib_free(p->copy);
    p->copy = NULL;
    enum err e = distrib_copy(&p->copy, p->set.map);
    if (e != OK) plan_fail(p, e);
}

static void
attempt(struct plan *p, int which)
{
    bool first = p->attempt < 0, prices = which == BY_LOADS || which == HALF_WAY;
    p->attempt = which;
    if (!first || !prices) start_again(p);
    enter(p, prices ? OP_ROWS : OP_CHECK, 0);
}

static void
after_sum(struct plan *p)
{
    p->total = p->sum[SUM_LOAD];
    p->speeds = p->sum[SUM_SPEED];
    p->heaviest = p->sum[SUM_HEAVIEST];
    p->even = p->total / p->speeds;
    double most = p->sum[SUM_LEVEL], cell = p->heaviest * p->set.nnodes / p->speeds;
    struct plan_report *r = &p->report;
    r->total = p->total;
    r->heaviest = p->heaviest;
    r->before = r->after = p->even > 0 ? most / p->even : 1;
    r->needed = p->even > 0 && balance_needed(most, p->even, cell, p->set.threshold);
    if (r->needed && p->pause && r->before <= p->reached + p->set.threshold) {
        p->pause--;
        r->needed = false;
        step_over(p, "the last plan found nothing better");
    } else if (!r->needed)
        step_over(p, most <= (1 + p->set.threshold) * p->even
                         ? "the load is even"
                         : "a cell is heavier than what is uneven");
    else if (p->rope)
        enter(p, OP_SWEEP, 0);
    else
        attempt(p, r->before <= little ? GENTLY : BY_LOADS);
}

/* Loads cannot be told from even ones by whole cells, or need not be. */
static bool
even_enough(const struct plan *p)
{
    double slack = 1e-9 * p->even;
    return p->sum[LOOK_EXCESS] <= p->heaviest / 2 + slack ||
           p->sum[LOOK_LEVEL] <= (1 + p->set.threshold / 2) * p->even + slack;
}

static void
after_look(struct plan *p)
{
    p->round = 0;
    if (even_enough(p) || !p->field.rounds)
        enter(p, OP_SPREAD, 0);
    else
        enter(p, OP_PRICE, 0);
}

/* What the next transfers are for. They also do what comes before it: mend what can be mended, and
 * give away what flows have found to be too much. */
enum aim { MEND, LEVEL, SMOOTH, GIVE_UP, DONE };

/* Whether faces reach no farther than this, in the mean. */
static bool
is_near(const struct plan *p, double distance)
{
    return p->sum[LOOK_FAR] <= distance * p->sum[LOOK_FACES];
}

static enum aim
aim_of(const struct plan *p, bool better)
{
    bool flawed = p->sum[LOOK_FLAWS] > 0, idle = p->sum[LOOK_MOVES] == 0;
    if (flawed && p->mends < MENDS && !(idle && p->mends)) return MEND;
    if (!even_enough(p) && p->flows < FLOWS && (better || p->flows < 2 || p->excess > p->heaviest))
        return LEVEL;
    if (p->smooths < SMOOTHS && (flawed || !p->smooths || !idle)) return SMOOTH;
    bool bad = flawed || (p->attempt == GENTLY && !(even_enough(p) && is_near(p, too_far)));
    return bad && p->attempt < HUMBLY ? GIVE_UP : DONE;
}

static void
pursue(struct plan *p, enum aim aim)
{
    p->turn = p->round = 0;
    p->mends += aim == MEND;
    p->flows += aim == LEVEL;
    p->smooths += aim == SMOOTH;
    p->smoothing = aim == SMOOTH;
    p->wandering =
        p->smooths < SMOOTHS &&
        (!is_near(p, p->attempt == GENTLY ? too_far : near_enough) || p->sum[LOOK_FLAWS] > 0);
    if (aim == GIVE_UP)
        attempt(p, p->attempt + 1);
    else if (aim == DONE)
        enter(p, p->moves_all ? OP_CLAIM : OP_FINAL, 0);
    else
        enter(p, aim == LEVEL ? OP_FLOW : OP_TURN, 0);
}

static void
after_check(struct plan *p)
{
    bool better = p->sum[LOOK_EXCESS] < p->excess - p->heaviest / 8;
    bool good = !p->sum[LOOK_FLAWS] && even_enough(p) && !p->round;
    p->moves_all += (uint64_t)p->sum[LOOK_MOVES];
    p->excess = p->sum[LOOK_EXCESS];
    if (p->block++)
        pursue(p, aim_of(p, better));
    else
        enter(p, good && !p->moves_all ? OP_FINAL : OP_FACES, 0); /* at first */
}

static void
after_turn(struct plan *p)
{
    if (++p->turn < BLOCK_TURNS)
        enter(p, OP_TURN, 0);
    else
        enter(p, OP_CHECK, 0);
}

static const char *
why_drop(const struct plan *p)
{
    const struct plan_report *r = &p->report;
    if (p->sum[FINAL_FLAWS] > 0) return "no plan with domains as they must be was found";
    if (r->after > 1 + p->set.threshold && r->before - r->after <= p->set.threshold)
        return "no plan is much more even";
    if ((r->before - r->after) * p->even <= (double)r->bytes * p->set.byte_cost)
        return "moving would cost more than it gains";
    return NULL;
}

static void
after_final(struct plan *p)
{
    struct plan_report *r = &p->report;
    r->after = p->sum[FINAL_LEVEL] / p->even;
    r->cells = (uint64_t)p->sum[FINAL_CELLS];
    r->bytes = (uint64_t)p->sum[FINAL_BYTES];
    const char *why = why_drop(p);
    r->taken = !why;
    p->reached = why ? r->before : r->after;
    p->pauses = !why ? 0 : p->pauses < PAUSES ? 2 * p->pauses + 1 : p->pauses;
    p->pause = p->pauses;
    if (why)
        step_over(p, why);
    else
        p->now = OP_CARRY;
}

/* Nothing is under way when all that has been sent by now was heard before the sum of what was
 * sent began to be made: in the wave before. */
static bool
all_heard(struct plan *p)
{
    bool quiet = p->sum[NEWS_SENT] == p->wave_heard || p->sum[NEWS_SENT] == 0;
    p->wave_heard = quiet ? -1 : p->sum[NEWS_HEARD];
    return quiet;
}

static void
after_sums(struct plan *p)
{
    if (p->now == OP_SUM)
        after_sum(p);
    else if (p->now == OP_ROWS) {
        plan_rows_done(p);
        enter(p, OP_SWEEP, 0);
    } else if (p->now == OP_LOOK)
        after_look(p);
    else if (p->now == OP_NEWS)
        enter(p, all_heard(p) ? OP_CHECK : OP_NEWS, 0);
    else if (p->now == OP_CHECK)
        after_check(p);
    else if (p->now == OP_FINAL)
        after_final(p);
    else if (all_heard(p))
        step_over(p, NULL);
    else
        enter(p, OP_SETTLE, 0);
}

/* The op is done here: the next one. */
static void
follow(struct plan *p)
{
    if (plan_sums_up(p->now)) {
        if (p->dim + 1 < p->line.ndims)
            enter(p, p->now, p->dim + 1);
        else
            after_sums(p);
        return;
    }
    switch (p->now) {
    case OP_SWEEP:
        if (p->dim + 1 < p->line.ndims)
            enter(p, OP_SWEEP, p->dim + 1);
        else
            enter(p, p->rope ? OP_CLAIM : OP_LOOK, 0);
        break;
    case OP_PRICE:
        enter(p, OP_CELLS, 0);
        break;
    case OP_CELLS:
        enter(p, ++p->round < p->field.rounds ? OP_PRICE : OP_SPREAD, 0);
        break;
    case OP_SPREAD:
        enter(p, OP_NEWS, 0);
        break;
    case OP_FACES:
        pursue(p, aim_of(p, false));
        break;
    case OP_FLOW:
        if (++p->round == p->pace.rounds) plan_flow_done(p);
        enter(p, p->round < p->pace.rounds ? OP_FLOW : OP_TURN, 0);
        break;
    case OP_TURN:
        after_turn(p);
        break;
    default:
        enter(p, OP_FINAL, 0); /* claims */
    }
}

static bool
is_done(const struct plan *p)
{
    if (p->err != OK || p->now == OP_CARRY || p->now == OP_OVER || p->left_in) return false;
    if (p->now == OP_TURN) return plan_turn_over(p);
    return (p->now != OP_SPREAD && p->now != OP_CLAIM) || p->told == p->own.n;
}

static uint64_t
memory_of(const struct plan *p)
{
    uint64_t items = p->own.room + p->item.room + p->right.room + p->left.room;
    uint64_t n = sizeof *p + items * sizeof(struct plan_item) + p->out.room;
    for (int d = 0; d < LATTICE_DIMS_MAX; d++) n += (uint64_t)p->line.side[d] * sizeof(double);
    for (const struct plan_letter *l = p->inbox; l; l = l->next) n += sizeof *l + l->head.bytes;
    n += cellmap_bytes(&p->item_slot) + cellmap_bytes(&p->own_slot) + cellmap_bytes(&p->idle);
    n += p->sum_room * (sizeof *p->sum + sizeof *p->row);
    return n + (p->copy ? distrib_bytes(p->copy) : 0);
}

static enum err
run(struct plan *p)
{
    while (is_done(p)) {
        uint64_t memory = memory_of(p);
        if (memory > p->cost.memory_max) p->cost.memory_max = memory;
        follow(p);
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
    if (p->pace.rounds > FLOW_ROUNDS) p->pace.rounds = FLOW_ROUNDS;
    p->sum_room = (uint32_t)(sums + rows);
    p->sum = mem_zalloc(p->sum_room, sizeof *p->sum);
    p->row = mem_zalloc(p->sum_room, sizeof *p->row);
    return p->row_price && p->sum && p->row;
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
    step_over(p, NULL);
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
    mem_free(p->row_price);
    mem_free(p->row);
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
    p->moves = p->moves_all = 0;
    p->attempt = -1;
    p->block = p->mends = p->flows = p->smooths = p->round = 0;
    p->news_due = 0;
    p->last_come = LATTICE_NONE;
    p->circle.n = 0;
    p->crossing[0] = p->crossing[1] = 0;
    for (int k = 0; k < PLAN_EDGES_MAX; k++) p->quota[k] = 0;
    cellmap_fini(&p->own_slot);
}

/* The call goes against the order in which sums are made; who is called calls on. */
static void
call_others(struct plan *p)
{
    for (p->dim = 0; p->dim < p->line.ndims; p->dim++) {
        int before = plan_beside(p, 0);
        if (before < 0) continue;
        plan_open(p, PLAN_CALL);
        plan_post(p, before);
        return;
    }
}

enum err
plan_begin(struct plan *p, const uint32_t *cell, const double *load, const double *bytes,
           uint32_t n, double speed)
{
    assert(plan_state(p) == PLAN_IDLE && speed > 0);
    start_afresh(p);
    p->speed = speed;
    enum err e = start_items(p, cell, load, bytes, n);
    if (e == OK && !p->rope) e = distrib_copy(&p->copy, p->set.map);
    if (e != OK) return e;
    call_others(p);
    enter(p, OP_SUM, 0);
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
    enter(p, OP_SETTLE, 0);
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
