/* planner_soup.c - see planner_soup.h. */
#include "tests/runtime/planner/planner_soup.h"

#include "runtime/base/mem.h"
#include "tests/runtime/planner/planner_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum soup_kind { TALK, PARCEL, NEWS };

struct soup_message {
    struct soup_message *next;
    enum soup_kind kind;
    uint64_t hops;
    size_t size;
    char bytes[];
};

struct soup_node {
    struct soup *s;
    int number;
    struct planner *plan;
    bool begun, moving;
    uint64_t sent, heard; /* parcels and news */
    uint64_t hops;        /* the longest chain of messages that led here */
    uint32_t due;         /* cells that are to come */
    struct buf parcel;
};

/* ---- messages ---- */

static struct soup_channel *
channel(struct soup *s, int from, int to)
{
    uint64_t key = ((uint64_t)from << 32 | (uint32_t)to) * 0x9E3779B97F4A7C15ull;
    size_t i = key >> 20 & (s->nslots - 1);
    for (; s->slot[i]; i = (i + 1) & (s->nslots - 1))
        if (s->slot[i]->from == from && s->slot[i]->to == to) return s->slot[i];
    if (2 * ++s->nchannels > s->nslots) abort();
    struct soup_channel *c = s->slot[i] = calloc(1, sizeof *c);
    c->from = from;
    c->to = to;
    c->end = &c->first;
    return c;
}

static void
push_busy(struct soup *s, struct soup_channel *c)
{
    if (s->nbusy == s->room) {
        size_t room = 2 * s->room + 1024;
        struct soup_channel **busy = malloc(room * sizeof *busy);
        for (size_t i = 0; i < s->nbusy; i++) busy[i] = s->busy[(s->first + i) % s->room];
        free(s->busy);
        s->busy = busy;
        s->room = room;
        s->first = 0;
    }
    s->busy[(s->first + s->nbusy++) % s->room] = c;
}

static void
send_message(struct soup *s, enum soup_kind kind, int from, int to, const void *bytes, size_t n)
{
    struct soup_channel *c = channel(s, from, to);
    struct soup_message *m = malloc(sizeof *m + n);
    if (from == to) s->flaw = "a node sends to itself";
    *m = (struct soup_message){.kind = kind, .hops = s->node[from].hops + 1, .size = n};
    memcpy(m->bytes, bytes, n);
    if (!c->first) push_busy(s, c);
    *c->end = m;
    c->end = &m->next;
}

/* The channel the next message comes from. */
static struct soup_channel *
next_channel(struct soup *s)
{
    if (!s->in_turn) {
        size_t k = (s->first + rng_below(&s->rng, s->nbusy)) % s->room;
        struct soup_channel *c = s->busy[k];
        s->busy[k] = s->busy[s->first];
        s->busy[s->first] = c;
    }
    struct soup_channel *c = s->busy[s->first];
    s->first = (s->first + 1) % s->room;
    s->nbusy--;
    return c;
}

/* ---- what planners and maps call ---- */

/* Nobody speaks to whom it need not know; but for who has heard nonsense. */
static void
check_link(struct soup *s, const struct soup_node *o, int to, const void *bytes, size_t n)
{
    if (s->flaw || s->damaged) return;
    s->flaw = planner_link_flaw(&s->line, o->number, to, s->w.node[to], o->plan, bytes, n);
}

static void
talk(void *who, int to, const void *bytes, size_t n)
{
    struct soup_node *o = who;
    check_link(o->s, o, to, bytes, n);
    o->s->sent++;
    send_message(o->s, TALK, o->number, to, bytes, n);
}

static void
count(void *who, uint64_t *sent, uint64_t *heard)
{
    struct soup_node *o = who;
    *sent = o->sent;
    *heard = o->heard;
}

static void
tell(void *who, int node, const void *news, size_t n)
{
    struct soup_node *o = who;
    o->sent++;
    send_message(o->s, NEWS, o->number, node, news, n);
}

/* ---- a step ---- */

struct own {
    struct soup *s;
    uint32_t *cell, n;
    double *load, *bytes;
};

static void
list_own(void *who, uint32_t cell)
{
    struct own *o = who;
    o->load[o->n] = o->s->load[cell];
    o->bytes[o->n] = o->s->bytes[cell];
    o->cell[o->n++] = cell;
}

static void
begin(struct soup_node *o)
{
    struct distrib *d = o->s->w.node[o->number];
    uint32_t n = distrib_count(d);
    struct own own = {o->s, malloc(n * sizeof *own.cell + 1), 0, malloc(n * sizeof *own.load + 1),
                      malloc(n * sizeof *own.bytes + 1)};
    distrib_each(d, list_own, &own);
    o->begun = true;
    o->moving = false;
    bool unknown = o->number == o->s->unknown;
    enum err e =
        planner_begin(o->plan, own.cell, own.load, own.bytes, n, o->s->speed[o->number], unknown);
    if (e != OK && !o->s->flaw) {
        o->s->flaw = "a step did not begin";
        o->s->err = e;
    }
    free(own.cell);
    free(own.load);
    free(own.bytes);
}

/* Moves by where they go: one parcel for each. */
struct moves {
    struct soup_node *from;
    uint32_t *cell, n;
    int *to, target;
};

static void
list_move(void *who, uint32_t cell, int to)
{
    struct moves *m = who;
    m->cell[m->n] = cell;
    m->to[m->n++] = to;
}

static void
move_cells_of(struct soup_node *o)
{
    struct distrib *d = o->s->w.node[o->number];
    uint32_t n = distrib_count(d), *group = malloc(n * sizeof *group + 1);
    struct moves m = {o, malloc(n * sizeof *m.cell + 1), 0, malloc(n * sizeof *m.to + 1), 0};
    planner_each_move(o->plan, list_move, &m);
    o->s->moved += m.n;
    for (uint32_t i = 0; i < m.n; i++) {
        uint32_t k = 0;
        int to = m.to[i];
        for (uint32_t j = i; to >= 0 && j < m.n; j++) {
            if (m.to[j] != to) continue;
            group[k++] = m.cell[j];
            m.to[j] = -1;
        }
        if (!k) continue;
        buf_clear(&o->parcel);
        if (distrib_give(d, to, group, k, &o->parcel) != OK) o->s->flaw = "not given";
        o->sent++;
        send_message(o->s, PARCEL, o->number, to, o->parcel.data, o->parcel.size);
    }
    free(m.cell);
    free(m.to);
    free(group);
}

/* A border slides for the neighbour who then has what it wants, as far as there is something. */
static bool
slide(struct soup *s, const int32_t *dest, int from, int to)
{
    struct distrib *d = s->w.node[from];
    struct own own = {s, malloc(distrib_count(d) * 4 + 4), 0, NULL, NULL};
    own.load = malloc(distrib_count(d) * sizeof *own.load + 1);
    own.bytes = malloc(distrib_count(d) * sizeof *own.bytes + 1);
    distrib_each(d, list_own, &own);
    uint32_t n = 0;
    for (uint32_t i = 0; i < own.n; i++)
        if (to > from ? dest[own.cell[i]] > from : dest[own.cell[i]] < from)
            own.cell[n++] = own.cell[i];
    struct buf parcel = {0};
    if (n && distrib_give(d, to, own.cell, n, &parcel) != OK) s->flaw = "an end was not given";
    if (n) world_take(&s->w, to, from, &parcel);
    buf_fini(&parcel);
    free(own.cell);
    free(own.load);
    free(own.bytes);
    return n;
}

struct dests {
    int32_t *dest;
    uint32_t n;
};

static void
note_dest(void *who, uint32_t cell, int to)
{
    struct dests *d = who;
    d->dest[cell] = to;
    d->n++;
}

/* On a rope all borders slide at once, when all nodes have their plan. */
static void
move_rope(struct soup *s)
{
    struct dests d = {malloc(lattice_size(&s->w.cells) * sizeof *d.dest), 0};
    int64_t *crossing = calloc((size_t)s->w.n + 1, sizeof *crossing);
    soup_owners(s, d.dest);
    for (int i = 0; i < s->w.n; i++) {
        planner_each_move(s->node[i].plan, note_dest, &d);
        if (planner_crossing(s->node[i].plan, 0) != -crossing[i]) s->flaw = "two sides of a border";
        crossing[i + 1] = planner_crossing(s->node[i].plan, 1);
    }
    s->moved += d.n;
    for (bool moved = true; moved && !s->flaw;) {
        moved = false;
        for (int i = 0; i < s->w.n; i++)
            for (int to = i - 1; to <= i + 1; to += 2)
                if (to >= 0 && to < s->w.n) moved |= slide(s, d.dest, i, to);
    }
    for (uint32_t c = 0; c < lattice_size(&s->w.cells); c++)
        if (!distrib_owns(s->w.node[d.dest[c]], c)) s->flaw = "a cell is not where it was planned";
    free(crossing);
    free(d.dest);
    for (int i = 0; i < s->w.n; i++) planner_moved(s->node[i].plan);
}

static void
note_op(struct soup *s, const char *op)
{
    size_t n = strlen(s->ops);
    const char *last = strrchr(s->ops, ' '), *before = last;
    while (before && before > s->ops && before[-1] != ' ') before--;
    if (strstr(before ? before : s->ops, op)) return;
    snprintf(s->ops + n, sizeof s->ops - n, "%s%s", n ? " " : "", op);
}

/* What a node does after each message. */
static void
look_after(struct soup_node *o)
{
    if (!o->begun && planner_called(o->plan)) begin(o);
    if (!o->number && o->begun) note_op(o->s, planner_doing(o->plan));
    if (planner_state(o->plan) != PLANNER_MOVE || !strcmp(o->s->w.kind, "rope")) return;
    if (!o->moving) {
        o->moving = true;
        o->due += planner_expected(o->plan);
        move_cells_of(o);
    }
    if (!o->due) planner_moved(o->plan);
}

/* A message of a planner arrives otherwise than it was sent. */
static void
damage(struct soup *s, struct soup_message *m)
{
    size_t at = (size_t)rng_below(&s->rng, m->size);
    s->damaged = true;
    if (rng_below(&s->rng, 4))
        m->bytes[at] = (char)(m->bytes[at] ^ 1 << rng_below(&s->rng, 8));
    else
        m->size = at;
}

static void
deliver(struct soup *s)
{
    struct soup_channel *c = next_channel(s);
    struct soup_message *m = c->first;
    struct soup_node *o = &s->node[c->to];
    enum err e = OK;
    c->first = m->next;
    if (c->first)
        push_busy(s, c);
    else
        c->end = &c->first;
    if (o->hops < m->hops) o->hops = m->hops;
    if (s->hops < m->hops) s->hops = m->hops;
    if (m->kind == TALK && s->damage && !--s->damage) damage(s, m);
    if (m->kind == TALK)
        e = planner_hear(o->plan, c->from, m->bytes, m->size);
    else {
        struct distrib *d = s->w.node[o->number];
        uint32_t had = distrib_count(d);
        o->heard++;
        e = m->kind == PARCEL ? distrib_take(d, c->from, m->bytes, m->size, tell, o)
                              : distrib_hear(d, m->bytes, m->size, tell, o);
        o->due -= distrib_count(d) - had;
    }
    if (e != OK && !s->flaw) {
        s->flaw = "a message was refused";
        s->err = e;
    }
    free(m);
    look_after(o);
}

/* All have a plan to move by, and nothing is said any more. */
static bool
all_wait(const struct soup *s)
{
    for (int i = 0; i < s->w.n; i++)
        if (planner_state(s->node[i].plan) != PLANNER_MOVE) return false;
    return true;
}

static void
check_end(struct soup *s)
{
    struct planner_summary r = planner_summary(s->node[0].plan);
    for (int i = 0; i < s->w.n && !s->flaw; i++) {
        struct planner_summary o = planner_summary(s->node[i].plan);
        if (planner_state(s->node[i].plan) != PLANNER_IDLE) s->flaw = "a step did not end";
        if (!s->node[i].begun) s->flaw = "a node was not called";
        if (r.before != o.before || r.after != o.after || r.total != o.total ||
            r.cells != o.cells || r.bytes != o.bytes || r.taken != o.taken || r.step != o.step)
            s->flaw = "nodes report differently";
        if (o.taken && r.after != r.after) s->flaw = "not a number";
        if (!s->flaw) s->flaw = distrib_flaw(s->w.node[i], true);
        distrib_forget(s->w.node[i]);
    }
    if (!s->flaw && s->w.n <= 1024) s->flaw = distrib_flaw_among(s->w.node, s->w.n, true);
    if (!s->flaw && r.taken && r.cells != s->moved) s->flaw = "other cells moved than reported";
}

struct planner_summary
soup_step(struct soup *s)
{
    s->moved = s->hops = 0;
    s->ops[0] = 0;
    for (int i = 0; i < s->w.n; i++) {
        s->node[i].begun = false;
        s->node[i].hops = 0;
    }
    /* One begins; some of the others by themselves, and the rest when they are called. */
    begin(&s->node[s->alone ? 0 : rng_below(&s->rng, (uint64_t)s->w.n)]);
    look_after(&s->node[0]);
    while (s->nbusy && !s->flaw) {
        struct soup_node *o = &s->node[rng_below(&s->rng, (uint64_t)s->w.n)];
        if (!o->begun && !s->alone && !rng_below(&s->rng, 4)) {
            begin(o);
            look_after(o);
        }
        deliver(s);
        if (!s->nbusy && !strcmp(s->w.kind, "rope") && all_wait(s)) move_rope(s);
    }
    mem_fail_after(-1); /* what a test has set was for the planners */
    check_end(s);
    return planner_summary(s->node[0].plan);
}

/* ---- the rest ---- */

struct soup *
soup_new(struct world w, uint64_t seed, double threshold, double byte_cost)
{
    struct soup *s = malloc(sizeof *s);
    size_t n = (size_t)w.n, cells = lattice_size(&w.cells);
    *s = (struct soup){.w = w, .rng = rng_of(seed), .nslots = 4096, .unknown = -1};
    s->line = distrib_line(w.node[0]);
    while (s->nslots < 128 * n) s->nslots *= 2;
    s->slot = calloc(s->nslots, sizeof *s->slot);
    s->node = calloc(n, sizeof *s->node);
    s->load = malloc(cells * sizeof *s->load);
    s->bytes = malloc(cells * sizeof *s->bytes);
    s->speed = malloc(n * sizeof *s->speed);
    for (size_t c = 0; c < cells; c++) s->load[c] = s->bytes[c] = 1;
    for (int i = 0; i < w.n; i++) {
        struct soup_node *o = &s->node[i];
        o->s = s;
        o->number = i;
        s->speed[i] = 1;
        struct planner_setup set = {.map = w.node[i],
                                    .cells = w.cells,
                                    .node = i,
                                    .nnodes = w.n,
                                    .threshold = threshold,
                                    .byte_cost = byte_cost,
                                    .send = talk,
                                    .count = count,
                                    .who = o};
        if (planner_new(&o->plan, &set) != OK) abort();
    }
    return s;
}

void
soup_free(struct soup *s)
{
    for (size_t i = 0; i < s->nslots; i++) {
        struct soup_channel *c = s->slot[i];
        while (c && c->first) {
            struct soup_message *m = c->first;
            c->first = m->next;
            free(m);
        }
        free(c);
    }
    for (int i = 0; i < s->w.n; i++) {
        planner_free(s->node[i].plan);
        buf_fini(&s->node[i].parcel);
    }
    free(s->node);
    free(s->slot);
    free(s->busy);
    free(s->load);
    free(s->bytes);
    free(s->speed);
    world_free(&s->w);
    free(s);
}

struct adding {
    const struct soup *s;
    double sum;
    int32_t *owner, node;
};

static void
add_load(void *who, uint32_t cell)
{
    struct adding *a = who;
    a->sum += a->s->load[cell];
}

double
soup_node_load(const struct soup *s, int node)
{
    struct adding a = {.s = s};
    distrib_each(s->w.node[node], add_load, &a);
    return a.sum;
}

double
soup_imbalance(const struct soup *s)
{
    double most = 0, sum = 0, speeds = 0;
    for (int i = 0; i < s->w.n; i++) {
        double load = soup_node_load(s, i);
        if (load / s->speed[i] > most) most = load / s->speed[i];
        sum += load;
        speeds += s->speed[i];
    }
    return most / (sum / speeds);
}

static void
note_owner(void *who, uint32_t cell)
{
    struct adding *a = who;
    a->owner[cell] = a->node;
}

void
soup_owners(const struct soup *s, int32_t *owner)
{
    struct adding a = {.s = s, .owner = owner};
    for (a.node = 0; a.node < s->w.n; a.node++) distrib_each(s->w.node[a.node], note_owner, &a);
}

struct planner_cost
soup_cost(const struct soup *s)
{
    struct planner_cost most = {0};
    for (int i = 0; i < s->w.n; i++) {
        struct planner_cost c = planner_cost(s->node[i].plan);
        if (c.messages > most.messages) most.messages = c.messages;
        if (c.bytes > most.bytes) most.bytes = c.bytes;
        if (c.memory_max > most.memory_max) most.memory_max = c.memory_max;
    }
    return most;
}
