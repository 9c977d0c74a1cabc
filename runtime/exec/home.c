/* home.c - see home.h: values, puts and kills, statements. */
#include "home.h"

#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/exec/exec_parts.h"
#include "runtime/fault/fault.h"
#include "runtime/exec/copy.h"
#include "runtime/exec/gone.h"
#include "runtime/exec/move.h"
#include "runtime/node/scope.h"
#include "runtime/node/send.h"
#include "runtime/node/tally.h"
#include "runtime/node/trace.h"

enum { COUNTS_MOST = 1 << 16 }; /* in one message, which may be damaged */

/* ---- values ---- */

/* Values that were awaited from another node. Who waits gets it; nothing stays but copies (copy.h):
 * a later reader is a request of its own (decision 0006). The home hears of all others before they
 * go on: so on the way there it comes before what they do. */
void
home_value_came(struct worker *w, int home, const struct key *k, luna_value v)
{
    struct key x = *k;
    x.df |= KEY_AWAY;
    struct waiter *list = store_take_waiters(w->node->store, &x);
    x.df &= ~KEY_AWAY;
    if (!list) list = gone_take(w, k);
    tally_answer(w->node, list);
    move_measure_value(w->node, list, k, v);
    uint32_t n = 0;
    for (const struct waiter *y = list; y; y = y->next, n++) value_retain(v);
    key_take_part(&x);
    if (n > 1 && home_hears_late(w->node, &x)) home_tell(w, home, &x, n - 1);
    exec_deliver(w, list, k, v);
}

/* Who asks, and how: a node, for itself or for a call that was sent to it, or to a cell. */
struct asking {
    struct worker *w;
    int from;
    enum wants wants;
    uint32_t cell;
    struct key_part part; /* what of it */
    uint32_t place;       /* of who wants a part, */
    uint32_t readers;     /* and how many follow; 0: who knows */
    uint32_t sweeps;      /* of the node that asked (gone.h) */
};

static void
follow(const struct asking *a, const struct key *k, luna_value v)
{
    struct worker *w = a->w;
    struct dest to = dest_node(a->from);
    if (a->cell != LATTICE_NONE) to = where_of_cell(w->node, a->cell);
    if (to.node == w->node->number) move_follows_here(w, k, a->cell, v);
    else send_follows(w, to, k, v, TRACE_REPLY);
}

static void
answer_with(const struct asking *a, const struct key *k, luna_value v)
{
    if (a->wants == WANTS_FOLLOWS) {
        follow(a, k, v);
        return;
    }
    if (a->from == a->w->node->number) { /* it asked a node whose cell has come here since */
        home_value_came(a->w, a->from, k, v);
        return;
    }
    send_value(a->w, a->from, k, v, a->wants == WANTS_TERM ? TRACE_COLLECTIVE : TRACE_REPLY);
}

static bool
gets_copy(const struct asking *a, const struct key *k, luna_value v)
{
    size_t bytes;
    if (!value_is_block(v) || (a->wants != WANTS_VALUE && a->wants != WANTS_COPY)) return false;
    if (a->from == a->w->node->number) return false;
    value_bytes(&v, &bytes);
    if (a->part.count != PART_WHOLE) bytes = (size_t)part_bytes(a->part);
    uint32_t readers = a->wants == WANTS_COPY ? UINT32_MAX : a->readers;
    return copy_is_due(a->w, k, a->from, v, bytes, readers);
}

static void
answer_part(const struct asking *a, const struct key *k, luna_value v)
{
    struct key of = *k;
    key_add_part(&of, a->part);
    if (gets_copy(a, k, v)) {
        copy_give(a->w, a->from, k, &of, a->place, v);
        return;
    }
    value_retain(v);
    luna_value part = part_take(k, a->part, a->place, v);
    answer_with(a, &of, part);
    value_release(part);
}

static void
answer(const struct asking *a, const struct key *k, luna_value v)
{
    if (a->wants == WANTS_NOTHING) return;
    if (a->part.count != PART_WHOLE) answer_part(a, k, v);
    else if (gets_copy(a, k, v)) copy_give(a->w, a->from, k, k, a->place, v);
    else answer_with(a, k, v);
}

void
home_answer(struct worker *w, struct asker_afar *asked, const struct key *k, luna_value v)
{
    struct asking a = {w, asked->node, (enum wants)asked->wants, asked->cell, asked->part,
                       asked->place, asked->readers, asked->sweeps};
    pool_put(pool_class(sizeof *asked), asked);
    worker_guest_waiting(w, -1);
    answer(&a, k, v);
    value_release(v);
}

static struct waiter *
asking_waits(void *who)
{
    struct asking *a = who;
    struct asker_afar *x = pool_get(pool_class(sizeof *x));
    if (!x) return NULL;
    *x = (struct asker_afar){.kind = WAITER_AFAR, .wants = (uint8_t)a->wants, .node = a->from,
                             .cell = a->cell, .part = a->part, .place = a->place,
                             .readers = a->readers, .sweeps = a->sweeps};
    worker_guest_waiting(a->w, 1);
    a->w->asked = true;
    return &x->link;
}

bool
on_request(struct worker *w, struct reader *r)
{
    struct key k;
    struct asking a = {.w = w, .from = r->packet->from};
    luna_value v;
    read_key(r, &k);
    a.wants = (enum wants)read_u32(r);
    a.cell = read_u32(r);
    a.sweeps = read_u32(r);
    a.place = k.df & KEY_PART ? read_u32(r) : LUNA_NONE;
    a.readers = k.df & KEY_PART ? read_u32(r) : 0;
    k.bound = r->bound;
    if (!reader_done(r) || a.wants > WANTS_FOLLOWS) return false;
    if (a.place != LUNA_NONE && a.place >= w->node->program->nplaces) return false;
    a.part = key_take_part(&k);
    if (a.cell != LATTICE_NONE && (!w->node->map || a.cell >= lattice_size(w->node->cells)))
        return false;
    switch (store_want(w->node->store, &k, &v, asking_waits, &a)) {
    case WANT_HERE:
        answer(&a, &k, v);
        value_release(v);
        break;
    case WANT_FIRST:
    case WANT_WAIT:
    case WANT_NOT: break;
    case WANT_NOMEM: fault_nomem();
    }
    return true;
}

bool
on_value(struct worker *w, struct reader *r)
{
    struct key k;
    read_key(r, &k);
    luna_value v = read_value(r);
    if (!reader_done(r) || v.type == LUNA_UNSET) return false;
    home_value_came(w, r->packet->from, &k, v);
    value_release(v);
    return true;
}

/* ---- how many have read ---- */

/* `from` has n readers of a fragment that lives here. */
static void
count_here(struct worker *w, int from, const struct key *k, uint32_t n)
{
    struct asking a = {w, from, WANTS_NOTHING, LATTICE_NONE, {0, PART_WHOLE}, LUNA_NONE, 0, 0};
    luna_value v;
    for (; n; n--) {
        enum store_want got = store_want(w->node->store, k, &v, asking_waits, &a);
        if (got == WANT_HERE) value_release(v);
        if (got == WANT_NOMEM) fault_nomem();
    }
}

void
home_tell(struct worker *w, int node, const struct key *k, uint32_t n)
{
    struct dest home = k->bound ? where_of_cell(w->node, k->bound - 1) : dest_node(node);
    for (uint32_t some; n; n -= some) {
        some = n < COUNTS_MOST ? n : COUNTS_MOST;
        if (home.node == w->node->number) count_here(w, home.node, k, some);
        else send_counts(w, home, k, some);
    }
}

bool
on_counts(struct worker *w, struct reader *r)
{
    struct key k;
    read_key(r, &k);
    uint32_t n = read_u32(r);
    k.bound = r->bound;
    if (!reader_done(r) || n > COUNTS_MOST) return false;
    count_here(w, r->packet->from, &k, n);
    return true;
}

/* ---- asking for a call that is sent away ---- */

enum {
    ALONG_BYTES = 256, /* the largest block that goes along with a call */
    ALONG_LOOK = 8     /* who waits already, of these is looked */
};

/* Many calls on one node may want the same: of the first one's asking all can be served at once. */
static bool
may_ask_for(void *who, const struct waiter *first)
{
    const struct asking *a = who;
    int n = 0;
    for (; first && n < ALONG_LOOK; first = first->next, n++)
        if (first->kind == WAITER_AFAR && waiter_afar(first)->node == a->from) return false;
    return !first;
}

enum store_want
home_ask_for(struct worker *w, struct dest to, const struct key *k, struct key_part part,
             uint32_t place, luna_value *v)
{
    struct asking a = {w, to.node, WANTS_FOLLOWS, dest_cell(to), part, place, 0, 0};
    bool whole = part.count == PART_WHOLE;
    size_t most = whole ? ALONG_BYTES : part.count <= ALONG_BYTES ? SIZE_MAX : 0;
    enum store_want got =
        key_part_fits(k) /* there is room for the name under which it would follow */
            ? store_want_for(w->node->store, k, most, v, may_ask_for, asking_waits, &a)
            : WANT_NOT;
    if (got == WANT_NOMEM) fault_nomem();
    if (got == WANT_HERE && !whole) *v = part_take(k, part, place, *v);
    return got;
}

/* ---- puts and kills ---- */

bool
on_put(struct worker *w, struct reader *r)
{
    struct key k;
    uint32_t site = read_u32(r);
    int32_t uses = (int32_t)read_u32(r);
    read_key(r, &k);
    k.bound = r->bound;
    luna_value v = read_value(r);
    if (!reader_done(r) || site >= w->node->program->nsites || v.type == LUNA_UNSET ||
        uses < STORE_USES_UNLIMITED)
        return false;
    exec_put_here(w, site, NULL, &k, v, uses);
    return true;
}

bool
on_kill(struct worker *w, struct reader *r)
{
    struct key k;
    uint32_t site = read_u32(r);
    read_key(r, &k);
    k.bound = r->bound;
    if (!reader_done(r) || site >= w->node->program->nsites) return false;
    exec_kill_here(w, site, &k);
    return true;
}

/* ---- statements ---- */

bool
on_call(struct worker *w, struct reader *r)
{
    uint8_t *asked;
    struct task *t = send_read_call(w, r, &asked);
    if (!t) return false;
    t->flags |= TASK_GUEST;
    if (t->flags & TASK_MARKED) lead_comes(w, t, r->packet->from);
    task_set_age(&w->node->program->sites[t->site], t, w->made++);
    move_measure_call(w->node, t, r->bound);
    trace_ready(w, &w->node->program->sites[t->site], t);
    if (asked) exec_adopt(w, t, asked, r->bound ? r->bound - 1 : LATTICE_NONE);
    else worker_later(w, t);
    mem_free(asked);
    return true;
}

bool
on_ended(struct worker *w, struct reader *r)
{
    uint64_t handle = read_u64(r);
    if (!reader_done(r)) return false;
    struct frame *scope = scope_take(w->node->scopes, handle, r->packet->from);
    if (!scope) return false;
    exec_frame_drop(w, scope);
    return true;
}
