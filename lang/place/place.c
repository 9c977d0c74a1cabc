/* place.c - tries grids, and takes the best. */
#include "lang/place/place.h"

#include "lang/place/beside.h"
#include "lang/place/cost.h"
#include "lang/place/rules.h"
#include "lang/place/strides.h"
#include "lang/place/words.h"

#include <stdlib.h>

enum { SPACES_MAX = 6, STOPS_MAX = 20000 };
#define WORTH_A_DIMENSION .95 /* of the cost */

struct placer {
    struct arena *arena;
    struct place_graph graph;
    struct directions directions;
    struct carry carry;
    int spaces[SPACES_MAX], nspaces;
    struct grid grid[2]; /* the best one, and one to try */
    int which;
    struct grid_cost cost;
    bool found;
};

static bool
is_placed_by_user(const struct plan *p)
{
    if (p->nextents || p->locators.n || p->labels.n || p->pushes.n) return true;
    for (uint32_t i = 0; i < p->abouts.n; i++)
        if (p->abouts.row[i].cell != PLAN_NONE) return true;
    return false;
}

/* ---- spaces ---- */

static bool
is_space(const struct placer *p, int number)
{
    const struct direction *x = &p->directions.all[number];
    return x->has_index && x->turns > 1 && !carry_is_time(&p->carry, &p->directions, x);
}

/* The heaviest ones; of equal ones the first in the text. */
static void
choose_spaces(struct placer *p)
{
    for (int i = 0; i < p->directions.n; i++) {
        double weight = p->directions.all[i].weight;
        if (weight <= 0 || !is_space(p, i)) continue;
        int at = p->nspaces;
        while (at > 0 && p->directions.all[p->spaces[at - 1]].weight < weight) at--;
        if (at == SPACES_MAX) continue;
        if (p->nspaces < SPACES_MAX) p->nspaces++;
        for (int k = p->nspaces - 1; k > at; k--) p->spaces[k] = p->spaces[k - 1];
        p->spaces[at] = i;
    }
}

/* ---- grids ---- */

/* Along all loops of a wavefront there is one call after the other. */
static bool
has_whole_wave(const struct placer *p, const int *direction, int n)
{
    int wave[GRID_DIMS];
    for (int i = 0; i < n; i++) {
        int same = 1;
        wave[i] = carry_wave(&p->carry, &p->directions, &p->directions.all[direction[i]]);
        for (int k = 0; k < i; k++) same += wave[k] == wave[i];
        if (wave[i] >= 0 && same >= p->carry.waves[wave[i]]) return true;
    }
    return false;
}

static void
try_grid(struct placer *p, const int *direction, int n)
{
    struct grid *best = &p->grid[p->which], *grid = &p->grid[!p->which];
    struct grid_cost cost;
    if (has_whole_wave(p, direction, n)) return;
    grid_make(grid, &p->directions, &p->carry, direction, n);
    cost_of(&cost, &p->directions, grid);
    double more = n > best->ndims ? WORTH_A_DIMENSION : 1 - 1e-9;
    if (p->found && cost.all > p->cost.all * more) return;
    p->which = !p->which;
    p->cost = cost;
    p->found = true;
}

/* With `n` of the spaces from `from` on behind those chosen so far. */
static void
try_grids(struct placer *p, int *chosen, int so_far, int from, int n)
{
    if (!n) {
        try_grid(p, chosen, so_far);
        return;
    }
    for (int i = from; i + n <= p->nspaces; i++) {
        chosen[so_far] = p->spaces[i];
        try_grids(p, chosen, so_far + 1, i + 1, n - 1);
    }
}

static const char *
refusal(const struct placer *p, const struct source *s)
{
    if (p->carry.unclear) return "none: there are too many ways from writes to reads";
    if (!p->found) return words_no_space(p->arena, &p->graph, &p->carry, s);
    if (p->cost.busiest * 3 > 2) return words_busy(p->arena, &p->graph, &p->cost, s);
    return NULL;
}

void
place_run(struct arena *a, struct plan *plan, const struct source *s, struct diag *d,
          struct buf *told)
{
    struct placer p = {.arena = a};
    int chosen[GRID_DIMS];
    bool structured = plan->subs.row[plan->main].sub->kind == SUB_STRUCT;
    if (!structured || is_placed_by_user(plan)) {
        if (told && !structured) buf_str(told, "placement    none: main is one call\n");
        else if (told) buf_str(told, "placement    as the program says\n");
        if (structured) beside_run(a, plan, d, told);
        return;
    }
    graph_make(&p.graph, a, plan);
    if (p.graph.nstops > STOPS_MAX) {
        if (told) buf_printf(told, "placement    none: there are more than %d calls\n", STOPS_MAX);
        return;
    }
    strides_find(&p.graph);
    directions_find(&p.directions, a, &p.graph);
    carry_find(&p.carry, a, &p.directions);
    choose_spaces(&p);
    grid_begin(&p.grid[0], a, plan);
    grid_begin(&p.grid[1], a, plan);
    for (int n = 1; n <= GRID_DIMS && !p.carry.unclear; n++) try_grids(&p, chosen, 0, 0, n);
    const char *why = refusal(&p, s);
    if (why) {
        if (told) buf_printf(told, "placement    %s\n", why);
        return;
    }
    rules_install(plan, &p.graph, &p.grid[p.which]);
    if (told) words_print(&p.directions, &p.carry, &p.grid[p.which], &p.cost, s, told);
}
