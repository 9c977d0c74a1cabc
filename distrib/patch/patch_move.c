/* patch_move.c - cells of a patch change hands.
 *
 *     giver -- parcel: the cells, their epochs, who is beside them --> taker
 *     taker -- news: this cell is with me now, in this epoch --> owners of the cells beside
 *
 * The taker tells, since only from then on the cell can be asked for there. News is for a cell: a
 * node that has given it away passes the news on, one to which it is still coming keeps it. So it
 * reaches the owner wherever the cell goes, and what is stored for a side is replaced only by a
 * newer epoch. So nothing is locked and nothing acknowledged (docs/decisions/0014). */
#include "patch.h"

#include "runtime/base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* One cell of a parcel, before its sides. */
struct parcel_cell {
    uint32_t cell, epoch;
};

static size_t
record_size(const struct patch *p)
{
    return sizeof(struct parcel_cell) + (size_t)p->sides * sizeof(struct patch_side);
}

/* The side of a neighbour that shows to us: each dimension has an even and an odd one. */
static int
opposite(int side)
{
    return side ^ 1;
}

static void
learn_side(struct patch_side *s, int owner, uint32_t epoch)
{
    if (epoch > s->epoch) *s = (struct patch_side){owner, epoch};
}

/* ---- giving ---- */

/* The cell at `slot` gets a new epoch, and all own cells beside it know where it will be. */
static void
mark_given(struct distrib *d, uint32_t slot, int to)
{
    struct patch *p = patch_of(d);
    uint32_t cell = p->cell[slot], epoch = ++cellmap_find(&p->slot, cell)->epoch;
    for (int s = 0; s < p->sides; s++) {
        const struct cellmap_entry *e = cellmap_find(&p->slot, lattice_beside(&d->cells, cell, s));
        if (e) learn_side(patch_side(p, e->value, opposite(s)), to, epoch);
    }
}

/* Writes one cell into the parcel and drops it. */
static void
pack_cell(struct patch *p, uint32_t cell, int to, char *record)
{
    const struct cellmap_entry *e = cellmap_find(&p->slot, cell);
    struct parcel_cell head = {cell, e->epoch};
    memcpy(record, &head, sizeof head);
    memcpy(record + sizeof head, patch_side(p, e->value, 0), record_size(p) - sizeof head);
    cellmap_put(&p->gone, cell, (uint32_t)to, e->epoch);
    patch_drop(p, e->value);
}

enum err
patch_give(struct distrib *d, int to, const uint32_t *cells, uint32_t n, struct buf *parcel)
{
    struct patch *p = patch_of(d);
    size_t start = parcel->size, size = record_size(p);
    static const char blank[sizeof(struct parcel_cell) + PATCH_SIDES_MAX * sizeof *p->side];
    for (uint32_t i = 0; i < n; i++) buf_add(parcel, blank, size);
    if (parcel->failed || !cellmap_reserve(&p->gone, p->gone.n + n)) return E_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        assert(patch_owns(d, cells[i]));
        mark_given(d, cellmap_find(&p->slot, cells[i])->value, to);
    }
    for (uint32_t i = 0; i < n; i++) pack_cell(p, cells[i], to, parcel->data + start + i * size);
    p->boxed = false;
    return OK;
}

/* ---- telling ---- */

/* News and whom it is for. */
struct outbox {
    struct letter {
        int to;
        struct patch_news news;
    } * letter;
    struct patch_news *page; /* the news of one message */
    size_t n;
};

static void
outbox_fini(struct outbox *o)
{
    mem_free(o->letter);
    mem_free(o->page);
}

static bool
outbox_init(struct outbox *o, size_t room)
{
    *o = (struct outbox){0};
    o->letter = mem_zalloc(room + 1, sizeof *o->letter);
    o->page = mem_zalloc(room + 1, sizeof *o->page);
    if (o->letter && o->page) return true;
    outbox_fini(o);
    return false;
}

static int
compare_letters(const void *a, const void *b)
{
    int x = ((const struct letter *)a)->to, y = ((const struct letter *)b)->to;
    return (x > y) - (x < y);
}

/* One message for each node, in the order of nodes. */
static void
outbox_post(struct outbox *o, distrib_tell_fn *tell, void *who)
{
    qsort(o->letter, o->n, sizeof *o->letter, compare_letters);
    for (size_t i = 0; i < o->n;) {
        int to = o->letter[i].to;
        size_t k = 0;
        while (i < o->n && o->letter[i].to == to) o->page[k++] = o->letter[i++].news;
        tell(who, to, o->page, k * sizeof *o->page);
    }
}

/* ---- taking ---- */

static void
apply_early(struct patch *p, uint32_t cell, uint32_t slot)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->nearly; i++) {
        const struct patch_news *e = &p->early[i];
        if (e->cell == cell)
            learn_side(patch_side(p, slot, (int)e->side), e->owner, e->epoch);
        else
            p->early[kept++] = *e;
    }
    p->nearly = kept;
}

/* What we know ourselves of the cells beside a new one, and they of it. */
static void
join_sides(struct distrib *d, uint32_t slot)
{
    struct patch *p = patch_of(d);
    uint32_t epoch = cellmap_find(&p->slot, p->cell[slot])->epoch;
    for (int s = 0; s < p->sides; s++) {
        uint32_t beside = lattice_beside(&d->cells, p->cell[slot], s);
        const struct cellmap_entry *own = cellmap_find(&p->slot, beside);
        const struct cellmap_entry *gone = own ? NULL : cellmap_find(&p->gone, beside);
        if (gone) learn_side(patch_side(p, slot, s), (int)gone->value, gone->epoch);
        if (!own) continue;
        *patch_side(p, slot, s) = (struct patch_side){d->node, own->epoch};
        *patch_side(p, own->value, opposite(s)) = (struct patch_side){d->node, epoch};
    }
}

/* A record must be a cell that is not here, with owners that exist where the lattice goes on. */
static bool
is_record(const struct distrib *d, const char *record)
{
    struct patch *p = patch_of(d);
    struct parcel_cell head;
    memcpy(&head, record, sizeof head);
    if (head.cell >= d->ncells || patch_owns(d, head.cell)) return false;
    for (int s = 0; s < p->sides; s++) {
        struct patch_side side;
        memcpy(&side, record + sizeof head + (size_t)s * sizeof side, sizeof side);
        bool outside = lattice_beside(&d->cells, head.cell, s) == LATTICE_NONE;
        if (side.owner < PATCH_OUTSIDE || side.owner >= d->nnodes) return false;
        if (outside != (side.owner == PATCH_OUTSIDE)) return false;
    }
    return true;
}

/* Nothing is taken of a parcel that is not right as a whole; no cell may be in it twice. */
static enum err
check_parcel(const struct distrib *d, const char *parcel, size_t bytes)
{
    size_t size = record_size(patch_of(d)), n = bytes / size;
    if (bytes % size || n > d->ncells) return E_FORMAT;
    struct cellmap met = {0};
    enum err e = cellmap_reserve(&met, (uint32_t)n) ? OK : E_NOMEM;
    for (size_t i = 0; e == OK && i < n; i++) {
        struct parcel_cell head;
        memcpy(&head, parcel + i * size, sizeof head);
        if (!is_record(d, parcel + i * size) || cellmap_find(&met, head.cell))
            e = E_FORMAT;
        else
            cellmap_put(&met, head.cell, 0, 0);
    }
    cellmap_fini(&met);
    return e;
}

static void
unpack_cell(struct distrib *d, const char *record)
{
    struct patch *p = patch_of(d);
    struct parcel_cell head;
    memcpy(&head, record, sizeof head);
    uint32_t slot = patch_add(p, head.cell, head.epoch);
    memcpy(patch_side(p, slot, 0), record + sizeof head, record_size(p) - sizeof head);
    cellmap_remove(&p->gone, head.cell);
    apply_early(p, head.cell, slot);
}

/* Who must hear that the cells from slot `first` are here now. */
static void
address(const struct distrib *d, uint32_t first, int from, struct outbox *o)
{
    const struct patch *p = patch_of(d);
    for (uint32_t slot = first; slot < p->n; slot++)
        for (int s = 0; s < p->sides; s++) {
            int owner = patch_side(p, slot, s)->owner;
            /* The giver knew it first, and what it has given since took the knowledge along. */
            if (owner == PATCH_OUTSIDE || owner == d->node || owner == from) continue;
            uint32_t cell = p->cell[slot];
            struct patch_news news = {.cell = lattice_beside(&d->cells, cell, s),
                                      .side = (uint32_t)opposite(s),
                                      .owner = d->node,
                                      .epoch = cellmap_find(&p->slot, cell)->epoch};
            o->letter[o->n++] = (struct letter){owner, news};
        }
}

enum err
patch_take(struct distrib *d, int from, const void *parcel, size_t bytes, distrib_tell_fn *tell,
           void *who)
{
    struct patch *p = patch_of(d);
    struct outbox o;
    uint32_t first = p->n, n = (uint32_t)(bytes / record_size(p));
    enum err e = check_parcel(d, parcel, bytes);
    if (e != OK) return e;
    if (!outbox_init(&o, (size_t)n * (size_t)p->sides)) return E_NOMEM;
    if (patch_reserve(p, p->n + n)) {
        for (uint32_t i = 0; i < n; i++) unpack_cell(d, (const char *)parcel + i * record_size(p));
        for (uint32_t slot = first; slot < p->n; slot++) join_sides(d, slot);
        p->boxed = false;
        address(d, first, from, &o);
        outbox_post(&o, tell, who);
    } else
        e = E_NOMEM;
    outbox_fini(&o);
    return e;
}

/* ---- hearing ---- */

static bool
is_news(const struct distrib *d, const struct patch_news *n)
{
    return n->cell < d->ncells && n->side < (uint32_t)patch_of(d)->sides && n->owner >= 0 &&
           n->owner < d->nnodes && lattice_beside(&d->cells, n->cell, (int)n->side) != LATTICE_NONE;
}

static bool
reserve_early(struct patch *p, size_t more)
{
    if (p->nearly + more <= p->early_room) return true;
    uint32_t room = (uint32_t)(p->nearly + more) + 8;
    struct patch_news *early = mem_realloc(p->early, room * sizeof *early);
    if (!early) return false;
    p->early = early;
    p->early_room = room;
    return true;
}

static void
hear_one(struct distrib *d, const struct patch_news *n, struct outbox *o)
{
    struct patch *p = patch_of(d);
    const struct cellmap_entry *own = cellmap_find(&p->slot, n->cell);
    const struct cellmap_entry *gone = own ? NULL : cellmap_find(&p->gone, n->cell);
    if (own)
        learn_side(patch_side(p, own->value, (int)n->side), n->owner, n->epoch);
    else if (gone)
        o->letter[o->n++] = (struct letter){(int)gone->value, *n};
    else
        p->early[p->nearly++] = *n;
}

enum err
patch_hear(struct distrib *d, const void *news, size_t bytes, distrib_tell_fn *tell, void *who)
{
    struct patch *p = patch_of(d);
    struct patch_news one;
    struct outbox o;
    size_t n = bytes / sizeof one;
    if (bytes % sizeof one) return E_FORMAT;
    for (size_t i = 0; i < n; i++) {
        memcpy(&one, (const char *)news + i * sizeof one, sizeof one);
        if (!is_news(d, &one)) return E_FORMAT;
    }
    if (!reserve_early(p, n) || !outbox_init(&o, n)) return E_NOMEM;
    for (size_t i = 0; i < n; i++) {
        memcpy(&one, (const char *)news + i * sizeof one, sizeof one);
        hear_one(d, &one, &o);
    }
    outbox_post(&o, tell, who);
    outbox_fini(&o);
    return OK;
}

struct learnt_fact
patch_went(const struct distrib *d, uint32_t cell)
{
    const struct cellmap_entry *e = cellmap_find(&patch_of(d)->gone, cell);
    return e ? (struct learnt_fact){(int)e->value, e->epoch} : (struct learnt_fact){-1, 0};
}

void
patch_forget(struct distrib *d)
{
    struct patch *p = patch_of(d);
    if (p->n) cellmap_fini(&p->gone); /* without cells it is all we have to go on from */
}
