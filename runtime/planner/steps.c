/* steps.c - which op follows which, by sums that are the same on all nodes. */
#include "parts.h"

#include <assert.h>
#include <math.h>

/* Attempts. While the load changes faster than a good plan is made, one that is ready soon serves
 * better: by cuts alone. What is only a little uneven is mended from what is, by transfers alone:
 * less moves. If that leaves borders too long, or not even, by prices. They may lead to domains
 * that cannot be mended, which happens where nodes get but a few cells each: then prices are found
 * for loads half way to even ones; and if that does not help, transfers alone have to do. */
enum { NO_TRY = -1, HURRIEDLY, GENTLY, BY_LOADS, HALF_WAY, HUMBLY };
/* The highest level up to which to be gentle, by the one that cannot be helped; the mean distance
 * of faces, in hops, above which that was not good enough. */
static const double little = 1.3, too_far = 1.09;
/* Unrest is how much the highest load, by the average, has risen since the last plan. Above `calm`
 * the plan is made in a hurry (why: docs/decisions/0021). At most `excited` of it counts, and
 * `lasting` of that remains in the next step, so that a wave of load is met by several short plans.
 * When cuts gain nothing a better plan is made only above the level `bearable`. */
static const double calm = .05, excited = .4, lasting = .75, bearable = 1.15;

/* Turns in a block; blocks for each aim, which is given up after them. */
enum { BLOCK_TURNS = 8, MENDS = 6, FLOWS = 4, SMOOTHS = 3 };
/* The mean distance of faces at which smoothing is content with what improves it. */
static const double near_enough = 1.07;
/* Steps that are left out when a plan was dropped and it is not worse since, at most. */
enum { PAUSES = 15 };

/* ---- sums: what is told ---- */

static double
highest_level(const struct planner *p)
{
    return p->load / p->me.speed;
}

static const char *
flaw_of(const struct planner *p)
{
    return p->copy ? distrib_flaw(p->copy, true) : NULL;
}

/* Cells that come from elsewhere, and their bytes. */
static void
count_moves(const struct planner *p, double *cells, double *bytes)
{
    for (uint32_t i = 0; i < p->item.n; i++) {
        if (p->item.at[i].home == p->set.node) continue;
        ++*cells;
        *bytes += p->item.at[i].bytes;
    }
}

/* Maxima first. lines.c adds the loads of own cells to those of nodes before. */
enum { SUM_LEVEL, SUM_HEAVIEST, SUM_UNKNOWN, SUM_LOAD, SUM_SPEED, SUM_SIZE };
enum { HEAVY_GRAIN, HEAVY_NEXT, HEAVY_REST, HEAVY_FULL, HEAVY_SIZE };
enum { WAVE_SENT, WAVE_HEARD, WAVE_SIZE };
enum {
    LOOK_EXCESS,
    LOOK_LEVEL,
    LOOK_FLAWS,
    LOOK_MOVES,
    LOOK_FACES,
    LOOK_FAR,
    LOOK_CELLS,
    LOOK_BYTES,
    LOOK_SENT,
    LOOK_HEARD,
    LOOK_SIZE
};

bool
planner_hurries(const struct planner *p)
{
    return p->try.which == HURRIEDLY;
}

/* If there was unrest the sums for the first cut are made at once. */
static void
tell_sum(struct planner *p)
{
    bool cuts = !p->here.rope && p->past.unrest > calm;
    planner_sum_init(p, SUM_SIZE + (cuts ? planner_cut_size(p) : 0), SUM_LOAD);
    if (cuts) planner_cut_fill(p, SUM_SIZE);
    p->sum[SUM_LEVEL] = highest_level(p);
    for (uint32_t i = 0; i < p->own.n; i++)
        p->sum[SUM_HEAVIEST] = fmax(p->sum[SUM_HEAVIEST], p->own.at[i].load);
    p->sum[SUM_UNKNOWN] = p->me.unknown;
    p->sum[SUM_LOAD] = p->load;
    p->sum[SUM_SPEED] = p->me.speed;
}

/* Cells that fill a node, by what is known so far of a share, and the others: the heaviest, and the
 * heaviest of those that fill no half of one. */
static void
tell_heavy(struct planner *p)
{
    planner_sum_init(p, HEAVY_SIZE, HEAVY_REST);
    for (uint32_t i = 0; i < p->own.n; i++) {
        double load = p->own.at[i].load;
        if (load <= p->all.most_of_cell / 2) p->sum[HEAVY_GRAIN] = fmax(p->sum[HEAVY_GRAIN], load);
        if (load <= p->all.most_of_cell) {
            p->sum[HEAVY_NEXT] = fmax(p->sum[HEAVY_NEXT], load);
            p->sum[HEAVY_REST] += load;
        } else
            p->sum[HEAVY_FULL]++;
    }
}

/* Faces of cells of others, and how far they reach. */
static void
count_faces(const struct planner *p, double *faces, double *far)
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
tell_look(struct planner *p)
{
    planner_sum_init(p, LOOK_SIZE, LOOK_FLAWS);
    p->sum[LOOK_EXCESS] = p->load - p->all.even * p->me.speed;
    for (uint32_t i = 0; i < p->item.n; i++) p->sum[LOOK_LEVEL] += p->item.at[i].load;
    p->sum[LOOK_LEVEL] /= p->me.speed;
    p->sum[LOOK_FLAWS] = p->now.op == OP_CHECK ? flaw_of(p) != NULL : p->try.flawed;
    p->sum[LOOK_MOVES] = (double)p->block.moves;
    p->sum[LOOK_SENT] = (double)p->news.sent;
    p->sum[LOOK_HEARD] = (double)p->news.heard;
    count_moves(p, &p->sum[LOOK_CELLS], &p->sum[LOOK_BYTES]);
    if (p->copy && p->now.op == OP_CHECK) count_faces(p, &p->sum[LOOK_FACES], &p->sum[LOOK_FAR]);
}

static void
tell_wave(struct planner *p)
{
    uint64_t sent, heard;
    p->set.count(p->set.who, &sent, &heard);
    planner_sum_init(p, WAVE_SIZE, 0);
    p->sum[WAVE_SENT] = (double)sent;
    p->sum[WAVE_HEARD] = (double)heard;
}

static void
tell_cut(struct planner *p)
{
    planner_sum_init(p, planner_cut_size(p), 0);
    planner_cut_fill(p, 0);
}

/* ---- which op follows which ---- */

double
planner_weight(const struct planner *p, double load)
{
    double counts = fmin(load, p->all.most_of_cell);
    if (!p->all.halved) return counts;
    return (counts + p->all.even * p->all.speeds / lattice_size(&p->set.cells)) / 2;
}

/* Sums up what counts of the cells planned here, from now on. */
static void
weigh(struct planner *p, bool halved)
{
    p->all.halved = halved;
    p->load = 0;
    for (uint32_t i = 0; i < p->item.n; i++) p->load += planner_weight(p, p->item.at[i].load);
}

double
planner_unrest_at_first(const struct planner *p)
{
    return p->set.unsteady ? excited : 0;
}

/* What comes now is up to the caller. */
static void
wait_outside(struct planner *p, enum planner_op op)
{
    p->now = (struct planner_now){.op = op};
}

void
planner_step_over(struct planner *p, const char *why)
{
    p->summary.why = why;
    wait_outside(p, OP_OVER);
    distrib_free(p->copy);
    p->copy = NULL;
    planner_items_fini(&p->item);
    cellmap_fini(&p->item_slot);
    cellmap_fini(&p->idle);
}

/* Back to what is. */
static void
start_again(struct planner *p)
{
    p->item.n = 0;
    p->try.moves = 1; /* owners have heard of another plan */
    for (uint32_t i = 0; i < p->own.n; i++) planner_items_add(p, &p->item, &p->own.at[i]);
    weigh(p, p->try.which == HALF_WAY);
    distrib_free(p->copy);
    p->copy = NULL;
    enum err e = distrib_copy(&p->copy, p->set.map);
    if (e != OK) planner_fail(p, e);
}

static void
begin_try(struct planner *p, int which)
{
    p->try = (struct planner_try){.which = which};
    p->block = (struct planner_block){0};
}

static void
attempt(struct planner *p, int which)
{
    bool first = p->try.which < 0, anew = which != GENTLY && which != HUMBLY;
    begin_try(p, which);
    if (!first || !anew) start_again(p);
    if (which != HURRIEDLY)
        planner_enter(p, anew ? OP_ROWS : OP_CHECK, 0);
    else if (p->nsum > SUM_SIZE) {
        planner_cut_done(p, SUM_SIZE);
        planner_enter(p, OP_SWEEP, 0);
    } else
        planner_enter(p, OP_CUT, 0);
}

void
planner_step_init(struct planner *p)
{
    p->step++;
    p->nops = 0;
    p->mail.ahead = 0;
    p->summary = (struct planner_summary){.step = p->step, .before = 1, .after = 1};
    p->rng = rng_of((uint64_t)p->step << 32 | (uint32_t)p->set.node);
    p->me = (struct planner_own){0};
    p->all = (struct planner_whole){.most_of_cell = INFINITY};
    p->news = (struct planner_news){.wave_heard = -1};
    begin_try(p, NO_TRY);
}

/* A highest level, by the average as reports have it, by the highest that must be. */
static double
beyond(const struct planner *p, double level)
{
    return level * p->summary.even / p->all.goal;
}

/* At leisure: by how uneven the load is. */
static void
attempt_well(struct planner *p)
{
    attempt(p, beyond(p, p->summary.before) <= little ? GENTLY : BY_LOADS);
}

/* Only what has come since the last plan is unrest, not what that has left. */
static void
note_unrest(struct planner *p)
{
    double risen = p->past.reached > 0 ? fmax(0, p->summary.before - p->past.reached) : 0;
    p->past.unrest = fmax(fmin(risen, excited), p->past.unrest * lasting);
}

/* The level of a node of mean speed with this load. */
static double
level_of(const struct planner *p, double load)
{
    return load * p->set.nnodes / p->all.speeds;
}

/* What counts is known: whether to plan, and how. */
static void
judge(struct planner *p)
{
    struct planner_summary *r = &p->summary;
    double most = r->before * r->even, cell = level_of(p, p->all.grain);
    weigh(p, false);
    r->needed = balance_needed(most, p->all.goal, cell, p->set.threshold);
    if (r->needed && p->past.pause && r->before <= p->past.reached + p->set.threshold) {
        p->past.pause--;
        r->needed = false;
        planner_step_over(p, "the last plan found nothing better");
    } else if (!r->needed) {
        p->past.reached = r->before;
        planner_step_over(p, most <= (1 + p->set.threshold) * r->even
                                 ? "the load is even"
                                 : "a cell is heavier than what is uneven");
    } else if (p->here.rope)
        planner_enter(p, OP_SWEEP, 0);
    else if (p->past.unrest > calm)
        attempt(p, HURRIEDLY);
    else
        attempt_well(p);
}

static void
after_sum(struct planner *p)
{
    p->all.total = p->sum[SUM_LOAD];
    p->all.speeds = p->sum[SUM_SPEED];
    p->all.heaviest = p->all.grain = p->sum[SUM_HEAVIEST];
    p->all.even = p->all.total / p->all.speeds;
    p->all.goal = p->here.rope ? p->all.even : fmax(p->all.even, level_of(p, p->all.heaviest));
    double most = p->sum[SUM_LEVEL];
    struct planner_summary *r = &p->summary;
    r->total = p->all.total;
    r->heaviest = p->all.heaviest;
    r->even = p->all.even;
    r->before = r->after = p->all.even > 0 ? most / p->all.even : 1;
    if (p->sum[SUM_UNKNOWN] > 0) {
        planner_step_over(p, "a node has hardly begun to work");
        return;
    }
    note_unrest(p);
    double share = p->all.total / p->set.nnodes;
    bool uneven = most > (1 + p->set.threshold) * p->all.goal;
    if (!p->here.rope && p->all.heaviest > share / 2 && uneven) {
        p->all.grain = fmin(p->all.heaviest, share);
        p->all.most_of_cell = share;
        planner_enter(p, OP_HEAVY, 0);
    } else
        judge(p);
}

/* The cells that fill no node share the other nodes: that is less for each, and more cells may be
 * as much as that. Where all cells are heavy they are what there is to share out. Why a heavy cell
 * counts as a share and no more: docs/decisions/0026. */
static void
after_heavy(struct planner *p)
{
    bool light = p->sum[HEAVY_GRAIN] > 0;
    if (light) {
        p->all.grain = p->sum[HEAVY_GRAIN];
        p->all.most_of_cell = p->sum[HEAVY_REST] / (p->set.nnodes - p->sum[HEAVY_FULL]);
        p->all.even = level_of(p, p->all.most_of_cell);
    }
    if (light && p->sum[HEAVY_NEXT] > p->all.most_of_cell)
        planner_enter(p, OP_HEAVY, 0);
    else
        judge(p);
}

/* Moving whole cells could not make it more even, or it is even as far as anybody has asked. */
static bool
even_enough(const struct planner *p)
{
    double slack = 1e-9 * p->all.even;
    return p->sum[LOOK_EXCESS] <= p->all.grain / 2 + slack ||
           p->sum[LOOK_LEVEL] <= (1 + p->set.threshold / 2) * p->all.goal + slack;
}

static void conclude(struct planner *p);

/* A plan that gains nothing is dropped, since the next step is not far; what is flawed is mended by
 * transfers, as after prices. */
static void
after_cuts(struct planner *p)
{
    bool gains = p->summary.before - p->sum[LOOK_LEVEL] / p->summary.even > p->set.threshold;
    if (gains && p->sum[LOOK_FLAWS] > 0)
        planner_enter(p, OP_OWNERS, 0);
    else if (gains || beyond(p, p->summary.before) <= bearable)
        conclude(p);
    else
        attempt_well(p);
}

static void
after_look(struct planner *p)
{
    if (planner_hurries(p))
        after_cuts(p);
    else
        planner_enter(p, even_enough(p) ? OP_OWNERS : OP_PRICE, 0);
}

/* What the next transfers are for. They also do what comes before it: mend what can be mended, and
 * give away what flows have found to be too much. */
enum aim { MEND, LEVEL, SMOOTH, GIVE_UP, DONE };

/* Whether faces reach no farther than this, in the mean. */
static bool
is_near(const struct planner *p, double distance)
{
    return p->sum[LOOK_FAR] <= distance * p->sum[LOOK_FACES];
}

static enum aim
aim_of(const struct planner *p, bool better)
{
    const struct planner_try *t = &p->try;
    bool flawed = p->sum[LOOK_FLAWS] > 0, idle = p->sum[LOOK_MOVES] == 0;
    bool hopeful = better || t->flows < 2 || t->excess > p->all.grain;
    if (flawed && t->mends < MENDS && !(idle && t->mends)) return MEND;
    if (!even_enough(p) && t->flows < FLOWS && hopeful) return LEVEL;
    if (t->smooths < SMOOTHS && (flawed || !t->smooths || !idle)) return SMOOTH;
    bool bad = flawed || (t->which == GENTLY && !(even_enough(p) && is_near(p, too_far)));
    return bad && t->which < HUMBLY ? GIVE_UP : DONE;
}

/* The sums of the last check say whether it is worth it. */
static const char *
why_drop(const struct planner *p)
{
    const struct planner_summary *r = &p->summary;
    if (p->sum[LOOK_FLAWS] > 0) return "no plan with domains as they must be was found";
    bool gains = r->before - r->after > p->set.threshold;
    if ((planner_hurries(p) || beyond(p, r->after) > 1 + p->set.threshold) && !gains)
        return "no plan is much more even";
    if ((r->before - r->after) * r->even <= (double)r->bytes * p->set.byte_cost)
        return "moving would cost more than it gains";
    return NULL;
}

static void
conclude(struct planner *p)
{
    struct planner_summary *r = &p->summary;
    struct planner_past *past = &p->past;
    r->after = p->sum[LOOK_LEVEL] / r->even;
    r->cells = (uint64_t)p->sum[LOOK_CELLS];
    r->bytes = (uint64_t)p->sum[LOOK_BYTES];
    const char *why = why_drop(p);
    r->taken = !why;
    /* protocols 9.2 to 9.5: of a plan by cuts the copy knows nothing until it is mended. */
    assert(why || !p->copy || planner_hurries(p) || !distrib_flaw(p->copy, true));
    past->reached = why ? r->before : r->after;
    if (!why || planner_hurries(p)) past->pauses = 0;
    else if (past->pauses < PAUSES) past->pauses = 2 * past->pauses + 1;
    past->pause = past->pauses;
    if (why)
        planner_step_over(p, why);
    else if (p->try.moves || p->here.rope || planner_hurries(p))
        planner_enter(p, OP_CLAIM, 0);
    else
        wait_outside(p, OP_MOVE); /* owners have heard of just this plan */
}

static void
pursue(struct planner *p, enum aim aim)
{
    p->try.mends += aim == MEND;
    p->try.flows += aim == LEVEL;
    p->try.smooths += aim == SMOOTH;
    double far = p->try.which == GENTLY ? too_far : near_enough;
    bool wandering = p->try.smooths < SMOOTHS && (!is_near(p, far) || p->sum[LOOK_FLAWS] > 0);
    p->block = (struct planner_block){.smoothing = aim == SMOOTH, .wandering = wandering};
    if (aim == GIVE_UP)
        attempt(p, p->try.which + 1);
    else if (aim == DONE)
        conclude(p);
    else
        planner_enter(p, aim == LEVEL ? OP_FLOW : OP_TURN, 0);
}

/* Nothing is under way when all that has been sent by now was heard before the sum of what was
 * sent began to be made: in the wave before. */
static bool
all_heard(struct planner *p, double sent, double heard)
{
    bool quiet = sent == p->news.wave_heard || sent == 0;
    p->news.wave_heard = quiet ? -1 : heard;
    return quiet;
}

static void
after_check(struct planner *p)
{
    if (p->news.loose && !all_heard(p, p->sum[LOOK_SENT], p->sum[LOOK_HEARD])) {
        planner_enter(p, OP_CHECK, 0);
        return;
    }
    bool better = p->sum[LOOK_EXCESS] < p->try.excess - p->all.grain / 8;
    bool good = !p->sum[LOOK_FLAWS] && even_enough(p) && !p->try.price_round;
    p->news.loose = false; /* in turns nodes know which news to wait for */
    p->try.moves += (uint64_t)p->sum[LOOK_MOVES];
    p->try.excess = p->sum[LOOK_EXCESS];
    if (p->here.rope || (!p->try.blocks && good && !p->try.moves))
        conclude(p);
    else if (p->try.blocks++)
        pursue(p, aim_of(p, better));
    else
        planner_enter(p, OP_FACES, 0);
}

static void
after_rows(struct planner *p)
{
    planner_rows_done(p);
    planner_enter(p, OP_SWEEP, 0);
}

static void
after_cut(struct planner *p)
{
    planner_cut_done(p, 0);
    planner_enter(p, OP_SWEEP, p->try.depth);
}

static void
after_sweep(struct planner *p)
{
    int next = p->try.depth = p->now.dim + 1;
    if (next < p->here.line.ndims)
        planner_enter(p, planner_hurries(p) ? OP_CUT : OP_SWEEP, next);
    else
        planner_enter(p, p->here.rope ? OP_CHECK : planner_hurries(p) ? OP_TOUCH : OP_LOOK, 0);
}

static void
after_touch(struct planner *p)
{
    planner_enter(p, OP_LOOK, 0);
}

static void
after_price(struct planner *p)
{
    planner_enter(p, OP_CELLS, 0);
}

static void
after_cells(struct planner *p)
{
    bool more = ++p->try.price_round < p->here.field.rounds;
    planner_enter(p, more ? OP_PRICE : OP_OWNERS, 0);
}

/* All that is planned counts again as it is; and from now on news is under way. */
static void
start_owners(struct planner *p)
{
    weigh(p, false);
    p->news.loose = true;
    planner_owners_start(p);
}

static void
after_owners(struct planner *p)
{
    planner_enter(p, OP_CHECK, 0);
}

static void
after_faces(struct planner *p)
{
    pursue(p, aim_of(p, false));
}

static void
after_flow(struct planner *p)
{
    bool more = ++p->block.flow_round < p->here.pace.rounds;
    if (!more) planner_flow_done(p);
    planner_enter(p, more ? OP_FLOW : OP_TURN, 0);
}

static void
after_turn(struct planner *p)
{
    planner_enter(p, ++p->block.turn < BLOCK_TURNS ? OP_TURN : OP_CHECK, 0);
}

/* All owners of cells planned here know. */
static void
after_claim(struct planner *p)
{
    wait_outside(p, OP_MOVE);
}

static void
after_settle(struct planner *p)
{
    if (!all_heard(p, p->sum[WAVE_SENT], p->sum[WAVE_HEARD])) {
        planner_enter(p, OP_SETTLE, 0);
        return;
    }
    /* Cells are where they were planned, and all news is heard: protocols 9.2 to 9.5. */
    assert(!distrib_flaw(p->set.map, true));
    planner_step_over(p, NULL);
}

/* ---- all ops ---- */

static bool
all_in(const struct planner *p)
{
    return !p->now.left_in;
}

#define KIND(name) (1u << PLANNER_##name)

/* What an op is. A sum is made along the lines of each dimension, and followed after the last one;
 * the others are followed when they are over. */
static const struct op {
    const char *name;
    void (*tell)(struct planner *p); /* a sum: sets what this node adds */
    void (*start)(struct planner *p);
    bool (*over)(const struct planner *p); /* here; NULL: the caller says so */
    void (*follow)(struct planner *p);
    uint32_t kinds; /* of messages, as bits */
} ops[] = {
    [OP_SUM] = {"sum", tell_sum, planner_sum_start, all_in, after_sum, KIND(UP) | KIND(DOWN)},
    [OP_HEAVY] = {"heavy", tell_heavy, planner_sum_start, all_in, after_heavy,
                  KIND(UP) | KIND(DOWN)},
    [OP_ROWS] = {"rows", planner_rows_fill, planner_sum_start, all_in, after_rows,
                 KIND(UP) | KIND(DOWN)},
    [OP_CUT] = {"cut", tell_cut, planner_sum_start, all_in, after_cut, KIND(UP) | KIND(DOWN)},
    [OP_SWEEP] = {"sweep", NULL, planner_sweep_start, all_in, after_sweep,
                  KIND(RIGHT) | KIND(LEFT)},
    [OP_TOUCH] = {"touch", NULL, planner_touch_start, all_in, after_touch, KIND(TOUCH)},
    [OP_LOOK] = {"look", tell_look, planner_sum_start, all_in, after_look, KIND(UP) | KIND(DOWN)},
    [OP_PRICE] = {"price", NULL, planner_price_start, all_in, after_price, KIND(PRICE)},
    [OP_CELLS] = {"cells", NULL, planner_cells_start, all_in, after_cells, KIND(CELLS)},
    [OP_OWNERS] = {"owners", NULL, start_owners, planner_owners_over, after_owners,
                   KIND(CLAIM) | KIND(PARCEL)},
    [OP_FACES] = {"faces", NULL, planner_faces_start, all_in, after_faces, KIND(FACES)},
    [OP_CHECK] = {"check", tell_look, planner_sum_start, all_in, after_check,
                  KIND(UP) | KIND(DOWN)},
    [OP_FLOW] = {"flow", NULL, planner_flow_start, all_in, after_flow, KIND(LEVEL)},
    [OP_TURN] = {"turn", NULL, planner_turn_start, planner_turn_over, after_turn,
                 KIND(BID) | KIND(GRANT) | KIND(RESULT)},
    [OP_CLAIM] = {"claim", NULL, planner_owners_start, planner_owners_over, after_claim,
                  KIND(CLAIM)},
    [OP_MOVE] = {"move", NULL, NULL, NULL, NULL, 0},
    [OP_SETTLE] = {"settle", tell_wave, planner_sum_start, all_in, after_settle,
                   KIND(UP) | KIND(DOWN)},
    [OP_OVER] = {"over", NULL, NULL, NULL, NULL, 0},
};

/* Heard at any time: somebody has begun the next step; a cell of the copy has moved. */
static const uint32_t any_time = KIND(CALL) | KIND(NEWS);

const char *
planner_doing(const struct planner *p)
{
    return ops[p->now.op].name;
}

bool
planner_any_time(enum planner_kind kind)
{
    return any_time >> kind & 1;
}

bool
planner_expects(const struct planner *p, enum planner_kind kind)
{
    return (ops[p->now.op].kinds | any_time) >> kind & 1;
}

/* The dimension that a sum begins with. */
static int
first_dim(const struct planner *p, enum planner_op op)
{
    return op == OP_CUT ? p->try.depth : 0;
}

void
planner_enter(struct planner *p, enum planner_op op, int dim)
{
    p->now = (struct planner_now){.op = op, .dim = dim};
    p->nops++;
    if (ops[op].tell && dim == first_dim(p, op)) ops[op].tell(p);
    ops[op].start(p);
}

bool
planner_is_done(const struct planner *p)
{
    const struct op *o = &ops[p->now.op];
    return p->err == OK && o->over && o->over(p);
}

/* The op is done here: the next dimension of a sum, or the next one. */
void
planner_follow(struct planner *p)
{
    const struct op *o = &ops[p->now.op];
    if (o->tell && p->now.dim + 1 < p->here.line.ndims)
        planner_enter(p, p->now.op, p->now.dim + 1);
    else
        o->follow(p);
}
