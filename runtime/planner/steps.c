/* steps.c - which op follows which, by sums that are the same on all nodes. */
#include "parts.h"

#include <math.h>

/* Attempts. While the load changes faster than a good plan is made, one that is ready soon serves
 * better: by cuts alone. What is only a little uneven is mended from what is, by transfers alone:
 * less moves. If that leaves borders too long, or not even, by prices. They may lead to domains
 * that cannot be mended, which happens where nodes get but a few cells each: then prices are found
 * for loads half way to even ones; and if that does not help, transfers alone have to do. */
enum { HURRIEDLY, GENTLY, BY_LOADS, HALF_WAY, HUMBLY };
static const double little = 1.3, too_far = 1.09;
/* Unrest from which on to hurry; the most that counts; what lasts of it until the next step. When
 * cuts gain nothing a better plan is made only above `bearable`. */
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
    return p->load / p->speed;
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
enum { SHARE_GRAIN, SHARE_NEXT, SHARE_REST, SHARE_FULL, SHARE_SIZE };
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
    return p->attempt == HURRIEDLY;
}

/* If there was unrest the sums for the first cut are made at once. */
static void
tell_sum(struct planner *p)
{
    bool cuts = !p->rope && p->unrest > calm;
    p->depth = 0;
    planner_sum_init(p, SUM_SIZE + (cuts ? planner_cut_size(p) : 0), SUM_LOAD);
    if (cuts) planner_cut_fill(p, SUM_SIZE);
    p->sum[SUM_LEVEL] = highest_level(p);
    for (uint32_t i = 0; i < p->own.n; i++)
        p->sum[SUM_HEAVIEST] = fmax(p->sum[SUM_HEAVIEST], p->own.at[i].load);
    p->sum[SUM_UNKNOWN] = p->unknown;
    p->sum[SUM_LOAD] = p->load;
    p->sum[SUM_SPEED] = p->speed;
}

/* Cells that fill a node, by what is known so far of a share, and the others: the heaviest, and the
 * heaviest of those that fill no half of one. */
static void
tell_share(struct planner *p)
{
    planner_sum_init(p, SHARE_SIZE, SHARE_REST);
    for (uint32_t i = 0; i < p->own.n; i++) {
        double load = p->own.at[i].load;
        if (load <= p->most_of_cell / 2) p->sum[SHARE_GRAIN] = fmax(p->sum[SHARE_GRAIN], load);
        if (load <= p->most_of_cell) {
            p->sum[SHARE_NEXT] = fmax(p->sum[SHARE_NEXT], load);
            p->sum[SHARE_REST] += load;
        } else
            p->sum[SHARE_FULL]++;
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
    p->sum[LOOK_EXCESS] = p->load - p->even * p->speed;
    for (uint32_t i = 0; i < p->item.n; i++) p->sum[LOOK_LEVEL] += p->item.at[i].load;
    p->sum[LOOK_LEVEL] /= p->speed;
    p->sum[LOOK_FLAWS] = p->now == OP_CHECK ? flaw_of(p) != NULL : p->flawed;
    p->sum[LOOK_MOVES] = (double)p->moves;
    p->sum[LOOK_SENT] = (double)p->news_sent;
    p->sum[LOOK_HEARD] = (double)p->news_heard;
    count_moves(p, &p->sum[LOOK_CELLS], &p->sum[LOOK_BYTES]);
    if (p->copy && p->now == OP_CHECK) count_faces(p, &p->sum[LOOK_FACES], &p->sum[LOOK_FAR]);
    p->moves = 0;
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

bool
planner_sums_up(enum planner_op op)
{
    return op == OP_SUM || op == OP_SHARE || op == OP_ROWS || op == OP_CUT || op == OP_LOOK ||
           op == OP_CHECK || op == OP_SETTLE;
}

/* The dimension that such an op begins with. */
static int
first_dim(const struct planner *p, enum planner_op op)
{
    return op == OP_CUT ? p->depth : 0;
}

static void
tell_cut(struct planner *p)
{
    planner_sum_init(p, planner_cut_size(p), 0);
    planner_cut_fill(p, 0);
}

static void
tell(struct planner *p)
{
    if (p->now == OP_SUM) tell_sum(p);
    if (p->now == OP_SHARE) tell_share(p);
    if (p->now == OP_ROWS) planner_rows_fill(p);
    if (p->now == OP_CUT) tell_cut(p);
    if (p->now == OP_LOOK || p->now == OP_CHECK) tell_look(p);
    if (p->now == OP_SETTLE) tell_wave(p);
}

/* ---- which op follows which ---- */

double
planner_weight(const struct planner *p, double load)
{
    double counts = fmin(load, p->most_of_cell);
    if (!p->halved) return counts;
    return (counts + p->even * p->speeds / lattice_size(&p->set.cells)) / 2;
}

/* Sums up what counts of the cells planned here, from now on. */
static void
weigh(struct planner *p, bool halved)
{
    p->halved = halved;
    p->load = 0;
    for (uint32_t i = 0; i < p->item.n; i++) p->load += planner_weight(p, p->item.at[i].load);
}

double
planner_unrest_at_first(const struct planner *p)
{
    return p->set.unsteady ? excited : 0;
}

void
planner_enter(struct planner *p, enum planner_op op, int dim)
{
    p->now = op;
    p->op++;
    p->dim = dim;
    p->left_in = 0;
    if (planner_sums_up(op)) {
        if (dim == first_dim(p, op)) tell(p);
        planner_sum_start(p);
    }
    if (op == OP_SWEEP) planner_sweep_start(p);
    if (op == OP_TOUCH) planner_touch_start(p);
    if (op == OP_PRICE) planner_price_start(p);
    if (op == OP_CELLS) planner_cells_start(p);
    if (op == OP_SPREAD) weigh(p, false);
    if (op == OP_SPREAD) p->spread = true;
    if (op == OP_SPREAD || op == OP_CLAIM) planner_spread_start(p);
    if (op == OP_FACES) planner_faces_start(p);
    if (op == OP_FLOW) planner_flow_start(p);
    if (op == OP_TURN) planner_turn_start(p);
}

void
planner_step_over(struct planner *p, const char *why)
{
    p->report.why = why;
    p->now = OP_OVER;
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
    p->block = p->mends = p->flows = p->smooths = p->round = 0;
    p->moves_all = 1; /* owners have heard of another plan */
    for (uint32_t i = 0; i < p->own.n; i++) planner_items_add(p, &p->item, &p->own.at[i]);
    weigh(p, p->attempt == HALF_WAY);
    distrib_free(p->copy);
    p->copy = NULL;
    enum err e = distrib_copy(&p->copy, p->set.map);
    if (e != OK) planner_fail(p, e);
}

static void
attempt(struct planner *p, int which)
{
    bool first = p->attempt < 0, anew = which != GENTLY && which != HUMBLY;
    p->attempt = which;
    p->flawed = false;
    if (!first || !anew) start_again(p);
    if (which != HURRIEDLY)
        planner_enter(p, anew ? OP_ROWS : OP_CHECK, 0);
    else if (p->nsum > SUM_SIZE) {
        planner_cut_done(p, SUM_SIZE);
        planner_enter(p, OP_SWEEP, 0);
    } else
        planner_enter(p, OP_CUT, 0);
}

/* A highest level, by the average as reports have it, by the highest that must be. */
static double
beyond(const struct planner *p, double level)
{
    return level * p->report.even / p->goal;
}

/* At leisure: by how uneven the load is. */
static void
attempt_well(struct planner *p)
{
    attempt(p, beyond(p, p->report.before) <= little ? GENTLY : BY_LOADS);
}

/* Only what has come since the last plan is unrest, not what that has left. */
static void
note_unrest(struct planner *p)
{
    double risen = p->reached > 0 ? fmax(0, p->report.before - p->reached) : 0;
    p->unrest = fmax(fmin(risen, excited), p->unrest * lasting);
}

/* The level of a node of mean speed with this load. */
static double
level_of(const struct planner *p, double load)
{
    return load * p->set.nnodes / p->speeds;
}

/* What counts is known: whether to plan, and how. */
static void
judge(struct planner *p)
{
    struct planner_report *r = &p->report;
    double most = r->before * r->even, cell = level_of(p, p->grain);
    weigh(p, false);
    r->needed = balance_needed(most, p->goal, cell, p->set.threshold);
    if (r->needed && p->pause && r->before <= p->reached + p->set.threshold) {
        p->pause--;
        r->needed = false;
        planner_step_over(p, "the last plan found nothing better");
    } else if (!r->needed) {
        p->reached = r->before;
        planner_step_over(p, most <= (1 + p->set.threshold) * r->even
                                 ? "the load is even"
                                 : "a cell is heavier than what is uneven");
    } else if (p->rope)
        planner_enter(p, OP_SWEEP, 0);
    else if (p->unrest > calm)
        attempt(p, HURRIEDLY);
    else
        attempt_well(p);
}

static void
after_sum(struct planner *p)
{
    p->total = p->sum[SUM_LOAD];
    p->speeds = p->sum[SUM_SPEED];
    p->heaviest = p->grain = p->sum[SUM_HEAVIEST];
    p->even = p->total / p->speeds;
    p->goal = p->rope ? p->even : fmax(p->even, level_of(p, p->heaviest));
    double most = p->sum[SUM_LEVEL];
    struct planner_report *r = &p->report;
    r->total = p->total;
    r->heaviest = p->heaviest;
    r->even = p->even;
    r->before = r->after = p->even > 0 ? most / p->even : 1;
    if (p->sum[SUM_UNKNOWN] > 0) {
        planner_step_over(p, "a node has hardly begun to work");
        return;
    }
    note_unrest(p);
    double share = p->total / p->set.nnodes;
    if (!p->rope && p->heaviest > share / 2 && most > (1 + p->set.threshold) * p->goal) {
        p->grain = fmin(p->heaviest, share);
        p->most_of_cell = share;
        planner_enter(p, OP_SHARE, 0);
    } else
        judge(p);
}

/* The cells that fill no node share the other nodes: that is less for each, and more cells may be
 * as much as that. Where all cells are heavy they are what there is to share out. */
static void
after_share(struct planner *p)
{
    bool light = p->sum[SHARE_GRAIN] > 0;
    if (light) {
        p->grain = p->sum[SHARE_GRAIN];
        p->most_of_cell = p->sum[SHARE_REST] / (p->set.nnodes - p->sum[SHARE_FULL]);
        p->even = level_of(p, p->most_of_cell);
    }
    if (light && p->sum[SHARE_NEXT] > p->most_of_cell)
        planner_enter(p, OP_SHARE, 0);
    else
        judge(p);
}

/* Loads cannot be told from even ones by whole cells, or need not be; or it would not help. */
static bool
even_enough(const struct planner *p)
{
    double slack = 1e-9 * p->even;
    return p->sum[LOOK_EXCESS] <= p->grain / 2 + slack ||
           p->sum[LOOK_LEVEL] <= (1 + p->set.threshold / 2) * p->goal + slack;
}

static void conclude(struct planner *p);

/* A plan that gains nothing is dropped, since the next step is not far; what is flawed is mended by
 * transfers, as after prices. */
static void
after_cuts(struct planner *p)
{
    bool gains = p->report.before - p->sum[LOOK_LEVEL] / p->report.even > p->set.threshold;
    if (gains && p->sum[LOOK_FLAWS] > 0)
        planner_enter(p, OP_SPREAD, 0);
    else if (gains || beyond(p, p->report.before) <= bearable)
        conclude(p);
    else
        attempt_well(p);
}

static void
after_look(struct planner *p)
{
    p->round = 0;
    if (planner_hurries(p))
        after_cuts(p);
    else
        planner_enter(p, even_enough(p) ? OP_SPREAD : OP_PRICE, 0);
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
    bool flawed = p->sum[LOOK_FLAWS] > 0, idle = p->sum[LOOK_MOVES] == 0;
    if (flawed && p->mends < MENDS && !(idle && p->mends)) return MEND;
    if (!even_enough(p) && p->flows < FLOWS && (better || p->flows < 2 || p->excess > p->grain))
        return LEVEL;
    if (p->smooths < SMOOTHS && (flawed || !p->smooths || !idle)) return SMOOTH;
    bool bad = flawed || (p->attempt == GENTLY && !(even_enough(p) && is_near(p, too_far)));
    return bad && p->attempt < HUMBLY ? GIVE_UP : DONE;
}

/* The sums of the last check say whether it is worth it. */
static const char *
why_drop(const struct planner *p)
{
    const struct planner_report *r = &p->report;
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
    struct planner_report *r = &p->report;
    r->after = p->sum[LOOK_LEVEL] / r->even;
    r->cells = (uint64_t)p->sum[LOOK_CELLS];
    r->bytes = (uint64_t)p->sum[LOOK_BYTES];
    const char *why = why_drop(p);
    r->taken = !why;
    p->reached = why ? r->before : r->after;
    p->pauses = !why || planner_hurries(p) ? 0 : p->pauses < PAUSES ? 2 * p->pauses + 1 : p->pauses;
    p->pause = p->pauses;
    if (why)
        planner_step_over(p, why);
    else if (p->moves_all || p->rope || planner_hurries(p))
        planner_enter(p, OP_CLAIM, 0);
    else
        p->now = OP_CARRY; /* owners have heard of just this plan */
}

static void
pursue(struct planner *p, enum aim aim)
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
        conclude(p);
    else
        planner_enter(p, aim == LEVEL ? OP_FLOW : OP_TURN, 0);
}

/* Nothing is under way when all that has been sent by now was heard before the sum of what was
 * sent began to be made: in the wave before. */
static bool
all_heard(struct planner *p, double sent, double heard)
{
    bool quiet = sent == p->wave_heard || sent == 0;
    p->wave_heard = quiet ? -1 : heard;
    return quiet;
}

static void
after_check(struct planner *p)
{
    if (p->spread && !all_heard(p, p->sum[LOOK_SENT], p->sum[LOOK_HEARD])) {
        planner_enter(p, OP_CHECK, 0);
        return;
    }
    bool better = p->sum[LOOK_EXCESS] < p->excess - p->grain / 8;
    bool good = !p->sum[LOOK_FLAWS] && even_enough(p) && !p->round;
    p->spread = false; /* in turns nodes know which news to wait for */
    p->moves_all += (uint64_t)p->sum[LOOK_MOVES];
    p->excess = p->sum[LOOK_EXCESS];
    if (p->rope || (!p->block && good && !p->moves_all))
        conclude(p);
    else if (p->block++)
        pursue(p, aim_of(p, better));
    else
        planner_enter(p, OP_FACES, 0);
}

static void
after_turn(struct planner *p)
{
    if (++p->turn < BLOCK_TURNS)
        planner_enter(p, OP_TURN, 0);
    else
        planner_enter(p, OP_CHECK, 0);
}

static void
after_sums(struct planner *p)
{
    if (p->now == OP_SUM)
        after_sum(p);
    else if (p->now == OP_SHARE)
        after_share(p);
    else if (p->now == OP_ROWS) {
        planner_rows_done(p);
        planner_enter(p, OP_SWEEP, 0);
    } else if (p->now == OP_CUT) {
        planner_cut_done(p, 0);
        planner_enter(p, OP_SWEEP, p->depth);
    } else if (p->now == OP_LOOK)
        after_look(p);
    else if (p->now == OP_CHECK)
        after_check(p);
    else if (all_heard(p, p->sum[WAVE_SENT], p->sum[WAVE_HEARD]))
        planner_step_over(p, NULL);
    else
        planner_enter(p, OP_SETTLE, 0);
}

static void
after_sweep(struct planner *p)
{
    bool more = p->dim + 1 < p->line.ndims;
    p->depth = p->dim + 1;
    if (more)
        planner_enter(p, planner_hurries(p) ? OP_CUT : OP_SWEEP, p->dim + 1);
    else
        planner_enter(p, p->rope ? OP_CHECK : planner_hurries(p) ? OP_TOUCH : OP_LOOK, 0);
}

/* The op is done here: the next one. */
void
planner_follow(struct planner *p)
{
    if (planner_sums_up(p->now)) {
        if (p->dim + 1 < p->line.ndims)
            planner_enter(p, p->now, p->dim + 1);
        else
            after_sums(p);
        return;
    }
    switch (p->now) {
    case OP_SWEEP:
        after_sweep(p);
        break;
    case OP_TOUCH:
        planner_enter(p, OP_LOOK, 0);
        break;
    case OP_PRICE:
        planner_enter(p, OP_CELLS, 0);
        break;
    case OP_CELLS:
        planner_enter(p, ++p->round < p->field.rounds ? OP_PRICE : OP_SPREAD, 0);
        break;
    case OP_SPREAD:
        planner_enter(p, OP_CHECK, 0);
        break;
    case OP_FACES:
        pursue(p, aim_of(p, false));
        break;
    case OP_FLOW:
        if (++p->round == p->pace.rounds) planner_flow_done(p);
        planner_enter(p, p->round < p->pace.rounds ? OP_FLOW : OP_TURN, 0);
        break;
    case OP_TURN:
        after_turn(p);
        break;
    default:
        p->now = OP_CARRY; /* all owners of cells planned here know */
    }
}

bool
planner_is_done(const struct planner *p)
{
    if (p->err != OK || p->now == OP_CARRY || p->now == OP_OVER || p->left_in) return false;
    if (p->now == OP_TURN) return planner_turn_over(p);
    return (p->now != OP_SPREAD && p->now != OP_CLAIM) || p->told == p->own.n;
}
