/* distrib.c - what is common to all kinds: learnt owners, first guesses; and all a kind leaves out
 * because it follows from its formula. No kind is known here by name. */
#include "kind.h"

#include "runtime/base/mem.h"

#include <assert.h>
#include <stdlib.h>

/* ---- kinds ---- */

const char *
distrib_kind_name(const struct distrib_kind *kind)
{
    return kind->name;
}

bool
distrib_kind_moves(const struct distrib_kind *kind)
{
    return kind->give;
}

bool
distrib_kind_on_lattice(const struct distrib_kind *kind)
{
    return kind->on_lattice;
}

bool
distrib_kind_in_blocks(const struct distrib_kind *kind)
{
    return kind->in_blocks;
}

/* ---- begin and end ---- */

static void
note_founded(void *who, uint32_t cell)
{
    struct distrib *d = who;
    lattice_around(&d->bounds, lattice_point(&d->cells, cell));
    d->nfounded++;
}

static enum err
init_kind(struct distrib *d, const struct distrib_setup *s, const char **why)
{
    if (d->kind->init) return d->kind->init(d, s, why);
    if (!s->owner) return OK;
    *why = "this distributor follows a formula: its cells cannot be placed by a file";
    return E_USER;
}

enum err
distrib_new(struct distrib **out, const struct distrib_setup *s, const char **why)
{
    assert(s->kind && s->node >= 0);
    struct distrib *d = mem_zalloc(1, sizeof *d);
    if (!d) return E_NOMEM;
    d->kind = s->kind;
    d->cells = s->cells;
    d->nodes = s->nodes;
    for (int i = 0; i < LATTICE_DIMS_MAX; i++) d->block[i] = s->block[i] ? s->block[i] : 1;
    d->node = s->node;
    d->nnodes = (int)lattice_size(&s->nodes);
    d->ncells = lattice_size(&s->cells);
    d->even = !s->owner;
    d->bounds = LATTICE_BOX_EMPTY;
    enum err e = init_kind(d, s, why);
    if (e != OK) {
        distrib_free(d);
        return e;
    }
    distrib_each(d, note_founded, d);
    assert(distrib_is_valid(d));
    *out = d;
    return OK;
}

enum err
distrib_copy(struct distrib **out, const struct distrib *d)
{
    struct distrib *to = mem_alloc(sizeof *to);
    if (!to) return E_NOMEM;
    *to = *d;
    to->mine = NULL;
    to->learnt = (struct learnt){NULL};
    enum err e = d->kind->copy ? d->kind->copy(to, d) : OK;
    if (e != OK) {
        distrib_free(to);
        return e;
    }
    assert(distrib_is_valid(to) && distrib_count(to) == distrib_count(d));
    *out = to;
    return OK;
}

void
distrib_free(struct distrib *d)
{
    if (!d) return;
    if (d->kind->fini) d->kind->fini(d);
    learnt_fini(&d->learnt);
    mem_free(d);
}

/* ---- who owns what ---- */

bool
distrib_owns(const struct distrib *d, uint32_t cell)
{
    return d->kind->owns ? d->kind->owns(d, cell) : d->kind->owner(d, cell) == d->node;
}

bool
distrib_founded(const struct distrib *d, uint32_t cell)
{
    if (d->node >= d->nnodes) return false;
    if (d->kind->founded && !d->even) return d->kind->founded(d, cell);
    return d->kind->owner(d, cell) == d->node;
}

int
distrib_founder(const struct distrib *d, uint32_t cell)
{
    assert(d->even);
    return d->kind->owner(d, cell);
}

int
distrib_nodes(const struct distrib *d)
{
    return d->nnodes;
}

struct lattice
distrib_line(const struct distrib *d)
{
    struct lattice line = d->nodes;
    if (!d->kind->on_lattice) lattice_init(&line, 1, (int32_t[]){d->nnodes});
    return line;
}

struct lattice_box
distrib_bounds(const struct distrib *d)
{
    return d->bounds;
}

/* The newest we know of a cell that is not ours; -1: nothing. */
static int
believed_owner(const struct distrib *d, uint32_t cell)
{
    struct learnt_fact learnt = learnt_get(&d->learnt, cell), went = {-1, 0};
    if (d->kind->went) went = d->kind->went(d, cell);
    if (went.owner >= 0 && (learnt.owner < 0 || went.epoch >= learnt.epoch)) return went.owner;
    if (learnt.owner >= 0) return learnt.owner;
    return d->even ? d->kind->owner(d, cell) : -1;
}

int
distrib_first(const struct distrib *d, uint32_t cell, uint32_t *at)
{
    *at = LATTICE_NONE;
    if (distrib_owns(d, cell)) return d->node;
    int to = believed_owner(d, cell);
    if (to >= 0 && to != d->node) return to;
    if (d->node >= d->nnodes) return 0; /* knows nobody */
    return distrib_onward(d, cell, at);
}

int
distrib_onward(const struct distrib *d, uint32_t cell, uint32_t *at)
{
    if (distrib_owns(d, cell)) return d->node;
    return d->kind->onward ? d->kind->onward(d, cell, at) : d->kind->owner(d, cell);
}

void
distrib_learn(struct distrib *d, uint32_t cell, int owner, uint32_t epoch)
{
    if (!d->kind->onward || owner == d->node) return;
    /* What is believed anyway, mostly because the formula says so, needs no memory. */
    if (believed_owner(d, cell) == owner && learnt_get(&d->learnt, cell).owner < 0) return;
    learnt_put(&d->learnt, cell, owner, epoch);
}

uint32_t
distrib_epoch(const struct distrib *d, uint32_t cell)
{
    return d->kind->epoch ? d->kind->epoch(d, cell) : 0;
}

int
distrib_distance(const struct distrib *d, int a, int b)
{
    return d->kind->on_lattice ? lattice_distance(&d->nodes, (uint32_t)a, (uint32_t)b) : abs(a - b);
}

void
distrib_each(const struct distrib *d, void (*fn)(void *who, uint32_t cell), void *who)
{
    if (d->node >= d->nnodes) return;
    if (d->kind->each)
        d->kind->each(d, fn, who);
    else
        for (uint32_t c = 0; c < d->ncells; c++)
            if (distrib_owns(d, c)) fn(who, c);
}

uint32_t
distrib_count(const struct distrib *d)
{
    return d->kind->count ? d->kind->count(d) : d->nfounded;
}

/* ---- cells change hands ---- */

bool
distrib_moves(const struct distrib *d)
{
    return distrib_kind_moves(d->kind);
}

bool
distrib_slides(const struct distrib *d)
{
    return d->kind->slides;
}

enum err
distrib_give(struct distrib *d, int to, const uint32_t *cells, uint32_t n, struct buf *parcel)
{
    assert(d->kind->give && to >= 0 && to < d->nnodes && to != d->node);
    enum err e = d->kind->give(d, to, cells, n, parcel);
    assert(distrib_is_valid(d)); /* protocols 9.1 */
    return e;
}

enum err
distrib_take(struct distrib *d, int from, const void *parcel, size_t bytes, distrib_tell_fn *tell,
             void *who)
{
    if (!d->kind->take) return E_PROTOCOL;
    enum err e = d->kind->take(d, from, parcel, bytes, tell, who);
    assert(distrib_is_valid(d)); /* protocols 9.1 */
    return e;
}

enum err
distrib_hear(struct distrib *d, const void *news, size_t bytes, distrib_tell_fn *tell, void *who)
{
    if (!d->kind->hear) return E_PROTOCOL;
    enum err e = d->kind->hear(d, news, bytes, tell, who);
    assert(distrib_is_valid(d));
    return e;
}

enum err
distrib_choose(const struct distrib *d, int to, double want, distrib_load_fn *load, void *who,
               uint32_t *cells, uint32_t *n)
{
    *n = 0;
    if (!d->kind->choose || distrib_distance(d, d->node, to) != 1) return OK;
    return d->kind->choose(d, to, want, load, who, cells, n);
}

enum err
distrib_best(const struct distrib *d, int to, const struct distrib_wish *wish, uint32_t *cell,
             double *rise)
{
    *cell = LATTICE_NONE;
    *rise = 0;
    return d->kind->best ? d->kind->best(d, to, wish, cell, rise) : OK;
}

enum err
distrib_witnesses(const struct distrib *d, int to, const uint32_t *cells, uint32_t n,
                  void (*fn)(void *who, int node), void *who)
{
    return d->kind->witnesses ? d->kind->witnesses(d, to, cells, n, fn, who) : OK;
}

bool
distrib_may_give(const struct distrib *d, uint32_t cell, int to)
{
    return d->kind->may_give && d->kind->may_give(d, cell, to);
}

int
distrib_beside(const struct distrib *d, uint32_t cell, int side)
{
    return d->kind->beside ? d->kind->beside(d, cell, side) : -1;
}

enum err
distrib_strays(const struct distrib *d, void (*fn)(void *who, uint32_t cell, int to), void *who)
{
    return d->kind->strays ? d->kind->strays(d, fn, who) : OK;
}

void
distrib_forget(struct distrib *d)
{
    if (d->kind->forget) d->kind->forget(d);
    assert(distrib_is_valid(d));
}

uint64_t
distrib_bytes(const struct distrib *d)
{
    uint64_t mine = d->kind->bytes ? d->kind->bytes(d) : 0;
    return sizeof *d + learnt_bytes(&d->learnt) + mine;
}
