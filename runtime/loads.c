/* loads.c - one look at the store, and the tables of the workers. */
#include "loads.h"

#include "runtime/base/mem.h"
#include "runtime/place.h"

#include <stdlib.h>
#include <string.h>

/* ---- what calls cost: cell + 1 to cost, a table that doubles ---- */

struct cost {
    uint32_t cell; /* + 1; 0: free */
    double cost;
};

struct costs {
    struct cost *slot;
    uint32_t used, room; /* a power of two */
};

enum { COSTS_FIRST = 64 };

enum err
costs_new(struct costs **out)
{
    struct costs *c = mem_zalloc(1, sizeof *c);
    if (!c) return E_NOMEM;
    c->room = COSTS_FIRST;
    c->slot = mem_zalloc(c->room, sizeof *c->slot);
    if (!c->slot) {
        mem_free(c);
        return E_NOMEM;
    }
    *out = c;
    return OK;
}

void
costs_free(struct costs *c)
{
    if (!c) return;
    mem_free(c->slot);
    mem_free(c);
}

static struct cost *
slot_of(const struct costs *c, uint32_t cell)
{
    uint32_t at = cell * 2654435761u;
    for (;; at++) {
        struct cost *s = &c->slot[at & (c->room - 1)];
        if (!s->cell || s->cell == cell + 1) return s;
    }
}

static enum err
costs_grow(struct costs *c)
{
    struct costs more = {.used = c->used, .room = 2 * c->room};
    more.slot = mem_zalloc(more.room, sizeof *more.slot);
    if (!more.slot) return E_NOMEM;
    for (uint32_t i = 0; i < c->room; i++)
        if (c->slot[i].cell) *slot_of(&more, c->slot[i].cell - 1) = c->slot[i];
    mem_free(c->slot);
    *c = more;
    return OK;
}

enum err
costs_note(struct costs *c, uint32_t cell, double cost)
{
    struct cost *s = slot_of(c, cell);
    if (s->cell) {
        s->cost += cost;
        return OK;
    }
    *s = (struct cost){cell + 1, cost};
    c->used++;
    return c->used > c->room / 2 ? costs_grow(c) : OK;
}

/* ---- the loads of cells ---- */

/* The first place whose cell is not below. */
static uint32_t
place_of(const struct loads *l, uint32_t cell)
{
    uint32_t lo = 0, hi = l->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (l->cell[mid] < cell) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

static bool
is_at(const struct loads *l, uint32_t i, uint32_t cell)
{
    return i < l->n && l->cell[i] == cell;
}

bool
loads_has(const struct loads *l, uint32_t cell)
{
    return is_at(l, place_of(l, cell), cell);
}

double
loads_of(const struct loads *l, uint32_t cell)
{
    uint32_t i = place_of(l, cell);
    return is_at(l, i, cell) ? l->load[i] : 0;
}

double
loads_bytes_of(const struct loads *l, uint32_t cell)
{
    uint32_t i = place_of(l, cell);
    return is_at(l, i, cell) ? l->bytes[i] : 0;
}

static enum err
make_room(struct loads *l, uint32_t wanted)
{
    if (wanted <= l->room) return OK;
    uint32_t room = wanted > 2 * l->room ? wanted : 2 * l->room;
    uint32_t *cell = mem_realloc(l->cell, room * sizeof *cell);
    if (cell) l->cell = cell;
    double *load = mem_realloc(l->load, room * sizeof *load);
    if (load) l->load = load;
    double *bytes = mem_realloc(l->bytes, room * sizeof *bytes);
    if (bytes) l->bytes = bytes;
    if (!cell || !load || !bytes) return E_NOMEM;
    l->room = room;
    return OK;
}

enum err
loads_add(struct loads *l, uint32_t cell, double load, double bytes)
{
    if (make_room(l, l->n + 1) != OK) return E_NOMEM;
    uint32_t i = place_of(l, cell), behind = l->n - i;
    memmove(l->cell + i + 1, l->cell + i, behind * sizeof *l->cell);
    memmove(l->load + i + 1, l->load + i, behind * sizeof *l->load);
    memmove(l->bytes + i + 1, l->bytes + i, behind * sizeof *l->bytes);
    l->cell[i] = cell;
    l->load[i] = load;
    l->bytes[i] = bytes;
    l->n++;
    l->total += load;
    return OK;
}

void
loads_drop(struct loads *l, uint32_t cell)
{
    uint32_t i = place_of(l, cell);
    if (!is_at(l, i, cell)) return;
    uint32_t behind = --l->n - i;
    l->total -= l->load[i];
    memmove(l->cell + i, l->cell + i + 1, behind * sizeof *l->cell);
    memmove(l->load + i, l->load + i + 1, behind * sizeof *l->load);
    memmove(l->bytes + i, l->bytes + i + 1, behind * sizeof *l->bytes);
}

/* ---- taking them ---- */

struct taking {
    struct loads *l;
    const struct node *node;
    enum load_measure measure;
};

static void
note_cell(void *who, uint32_t cell)
{
    struct loads *l = who;
    l->cell[l->n++] = cell;
}

static void
note_value(struct taking *t, uint32_t cell, const luna_value *v, double part)
{
    uint32_t i = place_of(t->l, cell);
    if (!is_at(t->l, i, cell)) return;
    size_t bytes;
    value_bytes(v, &bytes);
    t->l->bytes[i] += part * (double)bytes;
    if (t->measure == LOAD_COUNT) t->l->load[i] += part;
    if (t->measure == LOAD_BYTES) t->l->load[i] += part * (double)bytes;
}

/* Nobody else has the value: what two share is counted where it was put. */
static bool
is_only_here(luna_value v)
{
    return v.type != LUNA_UNSET &&
           (!value_is_block(v) || atomic_load(&value_block(v)->refs) == 1);
}

/* A call that waits has taken the inputs that were there. Those that nobody else has are nowhere
 * else to be found; they go where the call goes. */
static void
note_call(struct taking *t, const struct task *call, double part)
{
    if (!(call->flags & TASK_PLACED)) return;
    const struct luna_site *site = &t->node->program->sites[call->site];
    uint32_t cell = place_of_site(t->node, site, call).cell;
    if (cell == LATTICE_NONE) return;
    const luna_value *v = task_values(site, call);
    for (unsigned k = 0; k < site->nin; k++)
        if (is_only_here(v[k])) note_value(t, cell, &v[k], part);
}

/* A call stands in the list of each input that is to come, once by itself at most, else by links:
 * in each it counts for a part. */
static void
note_waiter(struct taking *t, struct waiter *x)
{
    struct task *call = (struct task *)x;
    if (call->kind == TASK_ASKED || call->kind == TASK_MOVED) return;
    if (call->kind == TASK_INPUT) call = call->whole;
    const struct luna_site *site = &t->node->program->sites[call->site];
    unsigned lists = site->nin > 1 ? atomic_load(task_to_come(site, call)) : 1;
    note_call(t, call, lists > 1 ? 1.0 / lists : 1);
}

static void
note_entry(void *who, const struct store_entry *e)
{
    struct taking *t = who;
    if (e->present && e->key->bound && !(e->key->df & KEY_MARKS))
        note_value(t, e->key->bound - 1, &e->value, 1);
    for (struct waiter *x = e->waiters; x; x = x->next) note_waiter(t, x);
}

static void
note_ready(struct taking *t, struct worker *w)
{
    for (size_t i = w->fifo.head; i != w->fifo.tail; i++) {
        const struct task *call = w->fifo.ring[i & w->fifo.mask];
        if (call->kind == TASK_READY) note_call(t, call, 1);
    }
    if (!w->many) return;
    struct ring *r = atomic_load(&w->ready.ring);
    long end = atomic_load(&w->ready.bottom);
    for (long i = atomic_load(&w->ready.top); i < end; i++)
        note_call(t, atomic_load(&r->item[i & r->mask]), 1);
    if (w->next) note_call(t, w->next, 1);
}

static void
collect_costs(struct loads *l, struct costs *c)
{
    for (uint32_t k = 0; k < c->room; k++) {
        if (!c->slot[k].cell) continue;
        uint32_t cell = c->slot[k].cell - 1, i = place_of(l, cell);
        if (is_at(l, i, cell)) l->load[i] += c->slot[k].cost;
    }
    memset(c->slot, 0, c->room * sizeof *c->slot);
    c->used = 0;
}

static int
compare_cells(const void *pa, const void *pb)
{
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    return (a > b) - (a < b);
}

/* What was taken last becomes what was before. E_NOMEM. */
static enum err
put_aside(struct loads *l)
{
    l->nbefore = 0;
    uint32_t *cell = mem_realloc(l->cell_before, l->n * sizeof *cell + 1);
    if (cell) l->cell_before = cell;
    double *load = mem_realloc(l->load_before, l->n * sizeof *load + 1);
    if (load) l->load_before = load;
    if (!cell || !load) return E_NOMEM;
    if (l->n) memcpy(cell, l->cell, l->n * sizeof *cell);
    if (l->n) memcpy(load, l->load, l->n * sizeof *load);
    l->nbefore = l->n;
    return OK;
}

static void
smooth(struct loads *l)
{
    for (uint32_t i = 0, k = 0; i < l->n; i++) {
        while (k < l->nbefore && l->cell_before[k] < l->cell[i]) k++;
        if (k < l->nbefore && l->cell_before[k] == l->cell[i])
            l->load[i] = (l->load[i] + l->load_before[k]) / 2;
    }
}

static void
sum_up(struct loads *l)
{
    l->total = l->heaviest = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        l->total += l->load[i];
        if (l->load[i] > l->heaviest) l->heaviest = l->load[i];
    }
}

enum err
loads_take(struct loads *l, struct node *n, enum load_measure measure)
{
    struct taking t = {l, n, measure};
    if (put_aside(l) != OK) return E_NOMEM;
    l->n = 0;
    if (make_room(l, distrib_count(n->map) + 1) != OK) return E_NOMEM;
    distrib_each(n->map, note_cell, l);
    qsort(l->cell, l->n, sizeof *l->cell, compare_cells);
    memset(l->load, 0, l->n * sizeof *l->load);
    memset(l->bytes, 0, l->n * sizeof *l->bytes);
    store_each(n->store, note_entry, &t);
    for (int i = 0; i < n->nworkers; i++) note_ready(&t, &n->workers[i]);
    for (int i = 0; i < n->nworkers; i++)
        if (n->workers[i].costs) collect_costs(l, n->workers[i].costs);
    if (measure == LOAD_BYTES || measure == LOAD_COUNT) smooth(l);
    sum_up(l);
    return OK;
}

void
loads_fini(struct loads *l)
{
    mem_free(l->cell);
    mem_free(l->load);
    mem_free(l->bytes);
    mem_free(l->cell_before);
    mem_free(l->load_before);
    *l = (struct loads){0};
}
