/* loads.c - one look at the counters of cells, and at the tables of the workers. */
#include "loads.h"

#include "runtime/base/mem.h"
#include "runtime/node/costs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the loads of cells ---- */

/* The first index whose cell is not below. */
static uint32_t
index_of(const struct loads *l, uint32_t cell)
{
    uint32_t lo = 0, hi = l->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (l->at[mid].cell < cell) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

static struct cell_load *
find(const struct loads *l, uint32_t cell)
{
    uint32_t i = index_of(l, cell);
    return i < l->n && l->at[i].cell == cell ? &l->at[i] : NULL;
}

bool
loads_is_valid(const struct loads *l)
{
    if (l->n > l->room) return false;
    for (uint32_t i = 1; i < l->n; i++)
        if (l->at[i - 1].cell >= l->at[i].cell) return false;
    return true;
}

bool
loads_has(const struct loads *l, uint32_t cell)
{
    return find(l, cell) != NULL;
}

double
loads_of(const struct loads *l, uint32_t cell)
{
    const struct cell_load *c = find(l, cell);
    return c ? c->load : 0;
}

double
loads_bytes_of(const struct loads *l, uint32_t cell)
{
    const struct cell_load *c = find(l, cell);
    return c ? c->bytes : 0;
}

static enum err
make_room(struct loads *l, uint32_t wanted)
{
    if (wanted <= l->room) return OK;
    uint32_t room = wanted > 2 * l->room ? wanted : 2 * l->room;
    struct cell_load *at = mem_realloc(l->at, room * sizeof *at);
    if (!at) return E_NOMEM;
    l->at = at;
    l->room = room;
    return OK;
}

enum err
loads_add(struct loads *l, const struct cell_load *c)
{
    struct cell_load *has = find(l, c->cell);
    if (has && !has->ns) {
        has->calls = c->calls;
        has->ns = c->ns;
        has->mean = c->mean;
        has->ever = c->ever;
    }
    if (has) return OK;
    if (make_room(l, l->n + 1) != OK) return E_NOMEM;
    uint32_t i = index_of(l, c->cell);
    memmove(l->at + i + 1, l->at + i, (l->n++ - i) * sizeof *l->at);
    l->at[i] = *c;
    l->total += c->load;
    assert(loads_is_valid(l));
    return OK;
}

void
loads_scale(struct cell_load *c, double slower)
{
    c->load *= slower;
    c->mean *= slower;
    c->last = c->rise = 0;
}

const struct cell_load *
loads_find(const struct loads *l, uint32_t cell)
{
    return find(l, cell);
}

void
loads_drop(struct loads *l, uint32_t cell)
{
    struct cell_load *c = find(l, cell);
    if (!c) return;
    l->total -= c->load;
    memmove(c, c + 1, (size_t)(l->at + --l->n - c) * sizeof *c);
    assert(loads_is_valid(l));
}

/* ---- taking them ---- */

static const double FORGET = 15. / 16;
/* Calls from which on it is known how often a cell has some. The first one may be of another kind
 * than the rest: it makes the values that they work on. */
static const double KNOWN = 8, FIRST = 1;

static void
note_cell(void *who, uint32_t cell)
{
    struct loads *l = who;
    l->at[l->n++] = (struct cell_load){.cell = cell};
}

/* What lives for each cell. Counters may be below 0 while what has moved is counted anew. */
static void
note_values(struct loads *l, const struct node *n, enum load_measure measure)
{
    for (uint32_t i = 0; n->lives && i < l->n; i++) {
        struct cell_load *c = &l->at[i];
        const struct live *live = lives_find(n->lives, c->cell);
        if (!live) continue;
        long bytes = atomic_load(&live->bytes), count = atomic_load(&live->count);
        c->bytes = bytes > 0 ? (double)bytes : 0;
        if (measure == LOAD_BYTES) c->load = c->bytes;
        if (measure == LOAD_COUNT) c->load = count > 0 ? (double)count : 0;
    }
}

static void
collect_costs(struct loads *l, struct costs *c)
{
    for (uint32_t k = 0; k < c->room; k++) {
        const struct cost *s = &c->slot[k];
        struct cell_load *to = s->cell ? find(l, s->cell - 1) : NULL;
        if (!to) continue;
        to->load += s->cost;
        to->calls += s->calls;
    }
    memset(c->slot, 0, c->room * sizeof *c->slot);
    c->used = 0;
}

static int
compare_cells(const void *pa, const void *pb)
{
    uint32_t a = ((const struct cell_load *)pa)->cell, b = ((const struct cell_load *)pb)->cell;
    return (a > b) - (a < b);
}

/* What was taken last becomes what was before. */
static void
put_aside(struct loads *l)
{
    struct cell_load *at = l->before;
    uint32_t room = l->room_before;
    l->before = l->at;
    l->nbefore = l->n;
    l->room_before = l->room;
    l->at = at;
    l->room = room;
    l->n = 0;
}

/* Values come and go: half of what was before still counts. */
static void
smooth_values(struct cell_load *c, const struct cell_load *before)
{
    if (before) c->load = (c->load + before->load) / 2;
}

static void
smooth_calls(struct cell_load *c, const struct cell_load *before, double ns)
{
    c->last = before && before->ever >= KNOWN ? before->mean : 0;
    c->rise = c->calls > 0 && before && before->last > 0 ? c->load / c->calls / before->last : 0;
    c->mean = c->calls > 0 ? c->load / c->calls : before ? before->mean : 0;
    c->ns = ns;
    c->ever = c->calls + (before ? before->ever : 0);
    if (before) c->calls += FORGET * before->calls;
    if (before) c->ns += FORGET * before->ns;
}

/* A cell that has values but has run no call since its first one is assumed to cost the average. */
static void
guess_new(struct loads *l)
{
    double sum = 0, n = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->at[i].load <= 0) continue;
        sum += l->at[i].mean;
        n++;
    }
    for (uint32_t i = 0; n > 0 && i < l->n; i++) {
        struct cell_load *c = &l->at[i];
        if (c->load <= 0 && c->bytes > 0 && c->ever <= FIRST) c->mean = sum / n;
    }
}

/* Of a cell by that of the others here, and of this node by that of all if they are far apart. */
static void
weigh_calls(struct loads *l)
{
    l->often = l->active = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct cell_load *c = &l->at[i];
        if (c->ever < KNOWN || c->ns <= 0) continue;
        l->often += c->calls / c->ns;
        l->active++;
    }
    double here = l->active ? l->often / l->active : 1, all = l->often_elsewhere;
    bool alike = !(all > 0) || !l->active || (here < 2 * all && all < 2 * here);
    double by = alike ? here : all;
    for (uint32_t i = 0; i < l->n; i++) {
        struct cell_load *c = &l->at[i];
        bool known = c->ever >= KNOWN && c->ns > 0;
        c->load = c->mean * (known ? c->calls / c->ns / by : here / by);
    }
}

static void
look_back(struct loads *l, bool calls, double ns)
{
    for (uint32_t i = 0, k = 0; i < l->n; i++) {
        struct cell_load *c = &l->at[i];
        while (k < l->nbefore && l->before[k].cell < c->cell) k++;
        bool has = k < l->nbefore && l->before[k].cell == c->cell;
        const struct cell_load *before = has ? &l->before[k] : NULL;
        if (calls) smooth_calls(c, before, ns);
        else smooth_values(c, before);
    }
    if (calls) guess_new(l);
    if (calls) weigh_calls(l);
}

/* ---- the speed of the node ---- */

/* So many cells must tell, half of all at least, and all but a tenth at either end the same. */
enum { TELLING = 8 };
static const double SAME = 1.25;

static int
compare_rises(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;
    return (a > b) - (a < b);
}

/* By how much more all cells cost than two looks ago; 1 if some do and others do not. In the look
 * between the node may have changed: it tells of some what they cost before, of others after. */
static enum err
find_rise(const struct loads *l, double *by)
{
    double *rise = mem_alloc((l->n + 1) * sizeof *rise);
    if (!rise) return E_NOMEM;
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n; i++)
        if (l->at[i].rise > 0) rise[n++] = l->at[i].rise;
    if (n) qsort(rise, n, sizeof *rise, compare_rises);
    bool same = n >= TELLING && 2 * n >= l->n && rise[n - 1 - n / 10] <= SAME * rise[n / 10];
    *by = same ? rise[n / 2] : 1;
    mem_free(rise);
    return OK;
}

static enum err
learn_speed(struct loads *l)
{
    double by;
    if (find_rise(l, &by) != OK) return E_NOMEM;
    if (by < SAME && by > 1 / SAME) return OK;
    l->speed /= by;
    for (uint32_t i = 0; i < l->n; i++) l->at[i].last = l->at[i].mean; /* not told twice */
    return OK;
}

static void
sum_up(struct loads *l)
{
    l->total = l->heaviest = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        l->total += l->at[i].load;
        if (l->at[i].load > l->heaviest) l->heaviest = l->at[i].load;
    }
}

enum err
loads_take(struct loads *l, struct node *n, enum load_measure measure, uint64_t now_ns)
{
    put_aside(l);
    if (make_room(l, distrib_count(n->map) + 1) != OK) return E_NOMEM;
    distrib_each(n->map, note_cell, l);
    qsort(l->at, l->n, sizeof *l->at, compare_cells);
    note_values(l, n, measure);
    for (int i = 0; i < n->nworkers; i++)
        if (n->workers[i].costs) collect_costs(l, n->workers[i].costs);
    look_back(l, measure == LOAD_TIME || measure == LOAD_WEIGHT, (double)(now_ns - l->taken_ns));
    if (measure == LOAD_TIME && learn_speed(l) != OK) return E_NOMEM;
    l->taken_ns = now_ns;
    sum_up(l);
    assert(loads_is_valid(l) && l->n == distrib_count(n->map));
    return OK;
}

void
loads_fini(struct loads *l)
{
    mem_free(l->at);
    mem_free(l->before);
    *l = (struct loads){0};
}
