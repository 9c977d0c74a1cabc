/* move.c - one sweep over the store takes out what goes, and the rest follows from that. */
#include "move.h"

#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/exec/exec_parts.h"
#include "runtime/exec/gone.h"
#include "runtime/node/msg.h"
#include "runtime/exec/home.h"
#include "runtime/node/send.h"
#include "runtime/node/trace.h"
#include "runtime/table/elements.h"

#include <stdlib.h>
#include <string.h>

/* Input `at` of a call that goes; asked: its value will come here, from another node. */
struct item {
    struct task *task;
    uint32_t cell, made; /* made: the age of the call */
    uint16_t at;
    bool asked, alone; /* alone: and nobody else here waits for the answer */
};

/* A call that stays waits for a fragment that goes: now it has to ask for it. */
struct orphan {
    struct waiter *waiter;
    struct key key;
};

struct moving {
    struct worker *w;
    struct cell_move *moves; /* ascending */
    uint32_t nmoves;
    struct buf items, orphans; /* arrays */
};

static int
compare_moves(const void *pa, const void *pb)
{
    const struct cell_move *a = pa, *b = pb;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

static const struct cell_move *
move_of(const struct moving *m, uint32_t cell)
{
    return bsearch(&(struct cell_move){.cell = cell}, m->moves, m->nmoves, sizeof *m->moves,
                   compare_moves);
}

static bool
leaves(const struct moving *m, uint32_t cell)
{
    return move_of(m, cell) != NULL;
}

static struct dest
after(const struct moving *m, uint32_t cell)
{
    return dest_by_cell(move_of(m, cell)->to, cell, LATTICE_NONE);
}

/* ---- the sweep ---- */

/* The cell with which a waiting call goes; LATTICE_NONE: it stays. */
static uint32_t
leaves_with(const struct moving *m, const struct task *t)
{
    if (!(t->flags & TASK_HERE)) return LATTICE_NONE; /* it waits for what tells its place */
    const struct luna_site *site = &m->w->node->program->sites[t->site];
    if (site->kind == LUNA_S_TERM) return LATTICE_NONE; /* its fold is here */
    if (t->flags & TASK_GATHERED) return LATTICE_NONE; /* so are the elements of its lists */
    uint32_t cell = dest_cell(where_of_site(m->w->node, site, t));
    return cell != LATTICE_NONE && leaves(m, cell) ? cell : LATTICE_NONE;
}

/* The waiter of a call that goes is replaced by a link that sends the value after it; or by
 * nothing, if the home can do that, or if the call can ask anew: nobody counts who waits before the
 * value is there. */
static struct waiter *
take_waiter(struct moving *m, struct waiter *x, struct task *call, uint32_t cell, bool away,
            bool follows, bool alone)
{
    assert(call->kind == TASK_WAITS);
    const struct luna_site *site = &m->w->node->program->sites[call->site];
    struct item i = {call, cell, task_age(site, call, 0), (uint16_t)task_awaited_at(x),
                     away || follows, away && alone};
    buf_add(&m->items, &i, sizeof i);
    /* Else it is the call itself, which is freed later. */
    if (x->kind == WAITER_INPUT) pool_put(pool_class(sizeof(struct input_link)), x);
    return away && !alone ? gone_follower(cell) : NULL;
}

/* What becomes of a waiter in an entry: itself, another one in its place, or NULL. */
static struct waiter *
sweep_waiter(struct moving *m, const struct key *k, struct waiter *x, bool goes, bool alone)
{
    bool away = k->df & KEY_AWAY, follows = k->df & KEY_FOLLOWS;
    struct task *call = waiter_call(x);
    uint32_t cell = call ? leaves_with(m, call) : LATTICE_NONE;
    /* protocols 9.6: for an answer */
    assert(x->kind != WAITER_FOLLOWER || k->df & (KEY_AWAY | KEY_GONE));
    if (cell != LATTICE_NONE) return take_waiter(m, x, call, cell, away, follows, alone);
    if (!goes) return x;
    if (call) {
        struct orphan o = {x, *k};
        buf_add(&m->orphans, &o, sizeof o);
    } else {
        send_request_on(m->w, after(m, k->bound - 1), k, waiter_afar(x));
    }
    return NULL;
}

static void
send_entry(struct moving *m, const struct store_entry *e)
{
    struct worker *w = m->w;
    struct dest to = after(m, e->key->bound - 1);
    if (e->doomed) {
        send_kill(w, to, 0, e->key);
    } else if (e->key->df & KEY_FOLLOWS) {
        for (int32_t i = 0; i < e->uses; i++) send_follows(w, to, e->key, e->value, TRACE_MIGRATE);
        value_release(e->value);
    } else if (e->present) {
        send_fragment(w, to, e->key, e->value, e->uses);
    }
}

static bool
sweep_entry(void *who, struct store_entry *e)
{
    struct moving *m = who;
    bool goes = e->key->bound && !(e->key->df & (KEY_AWAY | KEY_GONE)) &&
                leaves(m, e->key->bound - 1);
    struct waiter *list = e->waiters, **end = &e->waiters;
    bool alone = list && !list->next;
    *end = NULL;
    for (struct waiter *x = list, *next; x; x = next) {
        next = x->next;
        struct waiter *kept = sweep_waiter(m, e->key, x, goes, alone);
        if (!kept) continue;
        *end = kept;
        end = &kept->next;
        *end = NULL;
    }
    if (goes) send_entry(m, e);
    return goes;
}

/* ---- calls ---- */

/* The oldest call first, so that a simulated run does not depend on where things lie in memory. */
static int
compare_items(const void *pa, const void *pb)
{
    const struct item *a = pa, *b = pb;
    int32_t younger = (int32_t)(a->made - b->made);
    if (younger) return younger;
    if (a->task != b->task) return a->task < b->task ? -1 : 1; /* of two workers */
    return (a->at > b->at) - (a->at < b->at);
}

/* Sends a call, whose n missing inputs these are. */
static void
give_call(struct moving *m, const struct item *i, size_t n)
{
    struct worker *w = m->w;
    struct task *t = i->task;
    const struct luna_site *site = &w->node->program->sites[t->site];
    uint8_t *asked = mem_zalloc(site->nin, 1);
    if (!asked) fault_nomem();
    for (size_t k = 0; k < n; k++) asked[i[k].at] = i[k].asked;
    send_waiting(w, after(m, i->cell), site, t, asked);
    exec_task_left(w, site, t);
    mem_free(asked);
}

/* Homes that have been asked are told where the answer is wanted now. */
static void
tell_homes(struct moving *m)
{
    struct item *items = (struct item *)(void *)m->items.data;
    size_t n = m->items.size / sizeof *items;
    if (n) qsort(items, n, sizeof *items, compare_items);
    for (size_t i = 0; i < n; i++)
        if (items[i].alone) gone_tell(m->w, items[i].task, items[i].at, items[i].cell);
    m->w->node->sweeps++;
}

static void
give_calls(struct moving *m)
{
    struct item *items = (struct item *)(void *)m->items.data;
    size_t n = m->items.size / sizeof *items;
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && items[to].task == items[from].task; to++) continue;
        give_call(m, &items[from], to - from);
    }
}

/* Calls in queues go, too, ready or just come here: else all that a node has to do in an iteration
 * would stay behind. */
static bool
give_queued(struct moving *m, struct task *t)
{
    if (t->kind != TASK_READY && t->kind != TASK_START) return false;
    struct item i = {.task = t, .cell = leaves_with(m, t)};
    if (i.cell == LATTICE_NONE) return false;
    if (t->kind == TASK_READY) {
        give_call(m, &i, 0);
    } else {
        const struct luna_site *site = &m->w->node->program->sites[t->site];
        worker_call_waiting(m->w, t, 1); /* it was not counted yet */
        send_call(m->w, after(m, i.cell), site, t, NULL);
        exec_task_left(m->w, site, t);
    }
    return true;
}

static void
send_fifo(struct moving *m, struct worker *w, struct fifo *q)
{
    size_t kept = q->head;
    for (size_t i = q->head; i != q->tail; i++) {
        struct task *t = q->ring[i & q->mask];
        bool ready = q == &w->fifo;
        if (give_queued(m, t)) w->nready -= ready;
        else q->ring[kept++ & q->mask] = t;
    }
    q->tail = kept;
}

static void
send_queues_of_one(struct moving *m, struct worker *w)
{
    struct aged all = w->aged;
    send_fifo(m, w, &w->fifo);
    send_fifo(m, w, &w->soon);
    w->aged = (struct aged){0};
    for (size_t i = 0; i < all.n; i++)
        if (give_queued(m, all.item[i].task)) w->nready--;
        else if (!aged_put(&w->aged, all.item[i])) fault_nomem();
    aged_fini(&all);
}

/* Who has nothing to do may steal meanwhile, so this is a theft too. What stays is put back where
 * only we put things: it is ours then. */
static void
send_deque(struct moving *m, struct deque *from, struct deque *own)
{
    struct buf stay = {0};
    for (struct task *t; (t = deque_steal(from));)
        if (!give_queued(m, t)) buf_add(&stay, &t, sizeof t);
    bool ok = !stay.failed;
    for (size_t i = 0; i < stay.size && ok; i += sizeof(struct task *)) {
        struct task *t;
        memcpy(&t, stay.data + i, sizeof t);
        ok = deque_push(own, t);
    }
    if (!ok) fault_nomem();
    buf_fini(&stay);
}

static void
send_ranked(struct moving *m, struct worker *w)
{
    struct buf stay = {0};
    for (struct task *t; (t = ranked_pop(&w->node->ranked, RANKED_ANY));)
        if (!give_queued(m, t)) buf_add(&stay, &t, sizeof t);
    if (stay.failed) fault_nomem();
    for (size_t i = 0; i < stay.size; i += sizeof(struct task *)) {
        struct task *t;
        memcpy(&t, stay.data + i, sizeof t);
        worker_ready(w, t);
    }
    buf_fini(&stay);
}

static void
send_queues_of_many(struct moving *m, struct worker *w)
{
    if (w->next && give_queued(m, w->next)) w->next = NULL;
    send_ranked(m, w);
    for (int i = 0; i < w->node->nworkers; i++) {
        send_deque(m, &w->node->workers[i].ready, &w->ready);
        send_deque(m, &w->node->workers[i].cold, &w->cold);
        send_deque(m, &w->node->workers[i].came, &w->came);
        send_deque(m, &w->node->workers[i].ranges, &w->ranges);
    }
}

/* For what a call that stays asks. */
static enum wants
wants_of(const struct luna_program *p, struct waiter *x)
{
    return elements_reduced(p, &p->sites[waiter_call(x)->site]) ? WANTS_TERM : WANTS_VALUE;
}

/* Of a fragment that was here whole each took its part; now it is asked for that. */
static void
add_part(struct moving *m, struct waiter *x, struct key *k)
{
    const struct task *t = waiter_call(x);
    const struct recipe_in *in = &m->w->node->recipes[t->site].in[task_awaited_at(x)];
    const struct luna_program *p = m->w->node->program;
    if (!in->part) return;
    luna_env e = mention_env(&p->sites[t->site], (struct task *)t);
    key_add_part(k, part_wanted(p, &e, in->part));
    if (e.temps) eval_drop_temps(&e);
}

static struct waiter *
same_waiter(void *who)
{
    return who;
}

static void
ask_for_orphans(struct moving *m)
{
    struct orphan *o = (struct orphan *)(void *)m->orphans.data;
    size_t n = m->orphans.size / sizeof *o;
    luna_value none;
    for (size_t i = 0; i < n; i++) {
        struct key k = o[i].key;
        const struct task *t = waiter_call(o[i].waiter);
        uint32_t place = m->w->node->program->sites[t->site].place;
        add_part(m, o[i].waiter, &k);
        k.df |= KEY_AWAY;
        enum store_want got = store_want(m->w->node->store, &k, &none, same_waiter, o[i].waiter);
        assert(got == WANT_FIRST || got == WANT_WAIT || got == WANT_NOMEM);
        if (got == WANT_NOMEM) fault_nomem();
        if (got != WANT_FIRST && home_hears_late(m->w->node, &k)) continue;
        k.df &= ~KEY_AWAY;
        send_request(m->w, after(m, k.bound - 1), &k,
                     got == WANT_FIRST ? wants_of(m->w->node->program, o[i].waiter)
                                       : WANTS_NOTHING,
                     place, 0);
    }
}

/* ---- the giver ---- */

void
move_owners(struct worker *w, int to, const uint32_t *cells, uint32_t n)
{
    struct buf parcel = {0};
    assert(atomic_load(&w->node->settled)); /* protocols 9.9 */
    node_still(w);
    if (distrib_give(w->node->map, to, cells, n, &parcel) != OK) fault_nomem();
    node_go(w);
    assert(!distrib_flaw(w->node->map, false)); /* protocols 9.1 */
    atomic_store(&w->node->cells_owned, distrib_count(w->node->map));
    send_bytes(w, to, MSG_PARCEL, parcel.data, parcel.size);
    w->node->moving_sent++;
    buf_fini(&parcel);
}

void
move_contents(struct worker *w, const struct cell_move *moves, uint32_t n)
{
    struct moving m = {.w = w, .moves = mem_alloc((n + 1) * sizeof *moves), .nmoves = n};
    if (!m.moves) fault_nomem();
    if (n) memcpy(m.moves, moves, n * sizeof *moves);
    qsort(m.moves, n, sizeof *moves, compare_moves);
    node_still(w);
    store_sweep(w->node->store, sweep_entry, &m);
    if (m.items.failed || m.orphans.failed) fault_nomem();
    tell_homes(&m);
    ask_for_orphans(&m);
    give_calls(&m);
    if (w->many) send_queues_of_many(&m, w);
    else send_queues_of_one(&m, w);
    node_go(w);
    buf_fini(&m.items);
    buf_fini(&m.orphans);
    mem_free(m.moves);
}

void
move_traced(struct worker *w, int to, const uint32_t *cells, uint32_t n)
{
    w->node->moves++;
    for (uint32_t i = 0; i < n && TRACED(w); i++) trace_move_line(w, to, cells[i]);
}

void
move_cells(struct worker *w, int to, const uint32_t *cells, uint32_t n)
{
    struct cell_move *moves = mem_alloc((n + 1) * sizeof *moves);
    if (!moves) fault_nomem();
    for (uint32_t i = 0; i < n; i++) moves[i] = (struct cell_move){cells[i], to};
    move_traced(w, to, cells, n);
    move_owners(w, to, cells, n);
    move_contents(w, moves, n);
    mem_free(moves);
}

void
move_forward(struct worker *w, struct follower *f, const struct key *k, luna_value v)
{
    struct dest to = where_of_cell(w->node, f->cell);
    pool_put(pool_class(sizeof *f), f);
    if (to.node == w->node->number) move_follows_here(w, k, dest_cell(to), v);
    else send_follows(w, to, k, v, TRACE_MIGRATE);
    value_release(v);
}

/* ---- the taker ---- */

struct teller {
    struct worker *w;
    unsigned told;
};

static void
tell_news(void *who, int node, const void *news, size_t bytes)
{
    struct teller *t = who;
    t->told++;
    t->w->node->moving_sent++;
    send_bytes(t->w, node, MSG_NEWS, news, bytes);
}

void
move_park(struct node *n, struct packet *p)
{
    struct packet **end = &n->parked;
    while (*end) end = &(*end)->next;
    p->next = NULL;
    *end = p;
    atomic_fetch_sub(&n->received, 1); /* it is still under way: the run has not ended */
}

bool
move_take(struct worker *w, struct reader *r, struct taken *taken)
{
    struct node *n = w->node;
    if (!n->map) return false;
    struct teller t = {w, 0};
    int from = r->packet->from;
    uint32_t before = distrib_count(n->map);
    node_still(w);
    enum err e = distrib_take(n->map, from, r->at, (size_t)(r->end - r->at), tell_news, &t);
    node_go(w);
    if (e == E_NOMEM) fault_nomem();
    if (e != OK) return false;
    assert(!distrib_flaw(n->map, false)); /* protocols 9.1 */
    uint32_t now = distrib_count(n->map);
    atomic_store(&n->cells_owned, now);
    n->moving_heard++;
    *taken = (struct taken){now - before, t.told, n->parked};
    n->parked = NULL;
    return true;
}

bool
move_hear(struct worker *w, struct reader *r, unsigned *told)
{
    if (!w->node->map) return false;
    struct teller t = {w, 0};
    node_still(w);
    enum err e = distrib_hear(w->node->map, r->at, (size_t)(r->end - r->at), tell_news, &t);
    node_go(w);
    if (e == E_NOMEM) fault_nomem();
    if (e != OK) return false;
    w->node->moving_heard++;
    *told = t.told;
    return true;
}

bool
on_fragment(struct worker *w, struct reader *r)
{
    struct key k;
    int32_t uses = (int32_t)read_u32(r);
    read_key(r, &k);
    k.bound = r->bound;
    luna_value v = read_value(r);
    if (!reader_done(r) || !k.bound || uses < STORE_USES_UNLIMITED || v.type == LUNA_UNSET)
        return false;
    w->node->moving_heard++;
    store_measure_moved(w->node->store, v, k.df, k.bound);
    exec_fragment_here(w, &k, v, uses);
    return true;
}

/* What has come for a cell and nobody else has lives here now, and with that cell. */
static void
measure_come(const struct node *n, luna_value v, uint32_t df, uint32_t bound)
{
    if (value_is_block(v) && atomic_load(&value_block(v)->refs) == 1)
        store_measure_moved(n->store, v, df, bound);
}

void
move_measure_call(const struct node *n, const struct task *t, uint32_t bound)
{
    const struct luna_site *site = &n->program->sites[t->site];
    const luna_value *v = task_values(site, t);
    for (unsigned i = 0; n->lives && i < site->nin; i++) {
        struct key k = {.df = LUNA_NONE};
        if (TRACED(n) && v[i].type != LUNA_UNSET) mention_input(n->program, t, i, &k);
        measure_come(n, v[i], k.df, bound);
    }
}

/* The cell + 1 of a call that waits; 0: it has none, or nobody asks. */
static uint32_t
bound_of(const struct node *n, struct waiter *x)
{
    struct task *t = waiter_call(x);
    if (!n->balance || !t || !(t->flags & TASK_HERE)) return 0;
    uint32_t cell = dest_cell(where_of_site(n, &n->program->sites[t->site], t));
    return cell == LATTICE_NONE ? 0 : cell + 1;
}

/* One that is borrowed still counts where it lies. */
void
move_measure_value(const struct node *n, struct waiter *list, const struct key *k, luna_value v)
{
    uint32_t bound = 0;
    if (!n->lives || !list || !value_is_block(v) || !block_is_alone(value_block(v))) return;
    for (struct waiter *x = list; x && !bound; x = x->next) bound = bound_of(n, x);
    store_measure_moved(n->store, v, k->df, bound);
}

bool
on_waiting(struct worker *w, struct reader *r)
{
    uint8_t *asked;
    struct task *t = send_read_waiting(w, r, &asked);
    if (!t) return false;
    w->node->moving_heard++;
    move_measure_call(w->node, t, r->bound);
    exec_adopt(w, t, asked, r->bound - 1);
    mem_free(asked);
    return true;
}

void
move_follows_here(struct worker *w, const struct key *of, uint32_t cell, luna_value v)
{
    struct key k = *of;
    struct waiter *x;
    mention_follow(&k, cell);
    value_retain(v);
    if (store_pair(w->node->store, &k, v, &x) != OK) fault_nomem();
    if (!x) return;
    x->next = NULL;
    exec_deliver(w, x, of, v);
}

bool
on_follows(struct worker *w, struct reader *r)
{
    struct key k;
    read_key(r, &k);
    luna_value v = read_value(r);
    if (!reader_done(r) || k.n >= KEY_INDICES_MAX || v.type == LUNA_UNSET) return false;
    if (r->bound) measure_come(w->node, v, k.df, r->bound);
    move_follows_here(w, &k, r->bound ? r->bound - 1 : LATTICE_NONE, v);
    value_release(v);
    return true;
}
