/* remote.c - sending, and a table of handlers. */
#include "remote.h"

#include "runtime/base/exit.h"
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/done.h"
#include "runtime/exec_parts.h"
#include "runtime/fault/fault.h"
#include "runtime/move.h"
#include "runtime/msg.h"
#include "runtime/partials.h"
#include "runtime/place.h"
#include "runtime/rebalance.h"
#include "runtime/reduce.h"
#include "runtime/share.h"
#include "runtime/spread.h"
#include "runtime/steal.h"
#include "runtime/trace.h"

static void
send(struct worker *w, int to, struct writer *wr, uint32_t kind)
{
    struct packet *p = writer_packet(wr, kind);
    if (!p) fault_nomem();
    node_send(w->node, to, p);
}

static void
count_send(struct worker *w, int to, const luna_value *v)
{
    size_t bytes;
    value_bytes(v, &bytes);
    w->values_sent++;
    w->bytes_sent += bytes;
    w->hops_sent += (uint64_t)node_distance(w->node, to);
}

/* Collectives have a row of their own in a trace, and do not count. */
static void
note_send(struct worker *w, int to, const struct key *k, const luna_value *v, enum trace_why why)
{
    if (why != TRACE_COLLECTIVE) count_send(w, to, v);
    trace_send(w, to, k, v, why);
}

/* ---- messages for the owner of a cell ----
 *
 * They end in a few words that say where to. A node that gets one and does not own the cell passes
 * the packet on as it is; the owner tells the sender who he is, if the way was not straight. */

struct route {
    uint32_t cell, at;
    int32_t from;  /* who sent it first */
    uint32_t hops; /* since then, but the first */
};

static void
send_for(struct worker *w, const struct dest *to, struct writer *wr, enum msg_kind kind, int from)
{
    struct route r = {to->cell, to->at, from, 0};
    buf_add(&wr->buf, &r, sizeof r);
    send(w, to->node, wr, kind | MSG_ROUTED);
}

static void
send_to(struct worker *w, const struct dest *to, struct writer *wr, enum msg_kind kind)
{
    if (to->cell == LATTICE_NONE) {
        send(w, to->node, wr, kind);
        return;
    }
    send_for(w, to, wr, kind, w->node->number);
}

static void
tell_owner(struct worker *w, const struct route *r)
{
    struct writer wr = {0};
    write_u32(&wr, r->cell);
    write_u32(&wr, distrib_epoch(w->node->map, r->cell));
    send(w, r->from, &wr, MSG_OWNER);
}

static bool
on_owner(struct worker *w, struct reader *r)
{
    const struct node *n = w->node;
    uint32_t cell = read_u32(r), epoch = read_u32(r);
    if (!reader_done(r) || !n->map || cell >= lattice_size(n->cells)) return false;
    distrib_learn(n->map, cell, r->packet->from, epoch);
    return true;
}

enum arrival { ARRIVED, PASSED_ON, MALFORMED };

static enum arrival
route(struct worker *w, struct packet *p, struct reader *rd)
{
    const struct node *n = w->node;
    struct route r;
    if (!n->map || p->size < sizeof r) return MALFORMED;
    rd->end -= sizeof r;
    char *words = p->body + (p->size - sizeof r);
    memcpy(&r, words, sizeof r);
    if (r.cell >= lattice_size(n->cells) || r.from < 0 || r.from >= n->nodes) return MALFORMED;
    int next = distrib_onward(n->map, r.cell, &r.at);
    if (next == DISTRIB_WAIT) {
        move_park(w->node, p);
        return PASSED_ON;
    }
    if (next != n->number) {
        r.hops++;
        memcpy(words, &r, sizeof r);
        node_send(w->node, next, p);
        return PASSED_ON;
    }
    p->kind &= ~MSG_ROUTED;
    p->from = r.from;
    rd->bound = r.cell + 1;
    w->walks++;
    w->walked += r.hops + 1;
    if (w->farthest < r.hops + 1) w->farthest = r.hops + 1;
    if (r.hops && r.from != n->number) tell_owner(w, &r);
    return ARRIVED;
}

/* ---- statements that go ---- */

/* The handle of the activation that must hear of the end of what we send away, by ENDED; 0: nobody
 * waits for that. */
static void
write_scope(struct worker *w, struct writer *wr, struct frame *f, int to)
{
    struct frame *scope = f->done || f->fold ? f : f->scope;
    uint64_t handle = scope ? scope_lend(&w->node->scopes, scope, to) : 0;
    if (scope && !handle) fault_nomem();
    write_u64(wr, handle);
}

static void
write_asked(struct writer *wr, const uint8_t *asked, unsigned n)
{
    bool any = false;
    for (unsigned i = 0; asked && i < n; i++) any |= asked[i];
    write_u32(wr, any);
    if (any) buf_add(&wr->buf, asked, n);
}

static void
send_call(struct worker *w, struct dest to, const struct luna_site *site, struct task *t,
          bool draft, const uint8_t *asked, enum msg_kind kind)
{
    const struct luna_program *p = w->node->program;
    struct writer wr = {0};
    write_scope(w, &wr, t->frame, to.cell == LATTICE_NONE ? to.node : SCOPE_ANYWHERE);
    write_frame(&wr, p, t->frame);
    luna_value *v = task_values(site, t);
    unsigned have = site->nin;
    while (have && v[have - 1].type == LUNA_UNSET) have--;
    t->flags |= TASK_PLACED;
    for (unsigned i = 0; i < have; i++)
        if (v[i].type != LUNA_UNSET) count_send(w, to.node, &v[i]);
    trace_call(w, to.node, t, have);
    write_task(&wr, p, t, have);
    write_asked(&wr, asked, site->nin);
    send_to(w, &to, &wr, kind);
    for (unsigned i = 0; i < have; i++) value_release(v[i]);
    if (draft) return;
    struct frame *f = t->frame;
    worker_call_waiting(w, t, -1);
    exec_task_free(site, t);
    exec_frame_drop(w, f);
}

void
remote_call(struct worker *w, struct dest to, const struct luna_site *site, struct task *t,
            bool draft, const uint8_t *asked)
{
    send_call(w, to, site, t, draft, asked, MSG_CALL);
}

void
remote_give(struct worker *w, int to, const struct luna_site *site, struct task *t)
{
    send_call(w, dest_node(to), site, t, false, NULL, MSG_STOLEN);
}

static bool
read_scope(struct reader *r, int from, struct frame **scope)
{
    uint64_t handle = read_u64(r);
    *scope = NULL;
    if (r->bad || !handle) return !r->bad;
    *scope = frame_proxy_new(from, handle);
    if (!*scope) fault_nomem();
    return true;
}

/* A byte for each of n inputs, to be freed; NULL: for none of them was asked, or *r is bad. */
static uint8_t *
read_asked(struct reader *r, unsigned n)
{
    uint32_t any = read_u32(r);
    if (any > 1) r->bad = true;
    if (!any || r->bad) return NULL;
    uint8_t *asked = mem_zalloc(n + 1u, 1);
    if (!asked) fault_nomem();
    for (unsigned i = 0; i < n; i++) asked[i] = read_u8(r);
    return asked;
}

bool
on_call(struct worker *w, struct reader *r)
{
    const struct luna_program *p = w->node->program;
    struct frame *scope;
    if (!read_scope(r, r->packet->from, &scope)) return false;
    struct frame *f = read_frame(r, p);
    struct task *t = f ? read_task(r, p, f) : NULL;
    uint8_t *asked = t ? read_asked(r, p->sites[t->site].nin) : NULL;
    if (!t || !reader_done(r) || p->sites[t->site].kind == LUNA_S_TERM) {
        mem_free(asked);
        return false;
    }
    f->scope = scope;
    t->flags |= TASK_GUEST;
    task_set_age(&p->sites[t->site], t, w->made++);
    move_measure_call(w->node, t, r->bound);
    if (asked) exec_adopt(w, t, asked, r->bound ? r->bound - 1 : LATTICE_NONE);
    else worker_later(w, t);
    mem_free(asked);
    return true;
}

static void
write_ahead(struct worker *w, struct writer *wr, const struct ahead *a, int to)
{
    write_u32(wr, a ? a->n : 0);
    for (unsigned i = 0; a && i < a->n; i++) {
        write_key(wr, &a->row[i].key);
        write_value(wr, a->row[i].value, false);
        note_send(w, to, &a->row[i].key, &a->row[i].value, TRACE_COLLECTIVE);
    }
}

struct ahead *
remote_read_ahead(struct reader *rd)
{
    uint32_t n = read_u32(rd);
    if (n > AHEAD_MOST) rd->bad = true;
    if (!n || rd->bad) return NULL;
    struct ahead *a = ahead_new();
    if (!a) fault_nomem();
    for (uint32_t i = 0; i < n && !rd->bad; i++) {
        struct key k;
        read_key(rd, &k);
        luna_value v = read_value(rd);
        if (v.type == LUNA_UNSET) rd->bad = true;
        else ahead_add(a, &k, v);
    }
    return a;
}

void
remote_range(struct worker *w, const struct range *r, const struct ahead *ahead, int origin,
             int me, int n)
{
    struct writer wr = {0};
    int to = (origin + me) % w->node->nodes;
    write_u32(&wr, (uint32_t)origin);
    write_u32(&wr, (uint32_t)me);
    write_u32(&wr, (uint32_t)n);
    write_ahead(w, &wr, ahead, to);
    write_scope(w, &wr, r->head.frame, to);
    write_frame(&wr, w->node->program, r->head.frame);
    write_range(&wr, r);
    send(w, to, &wr, MSG_RANGE);
}

struct range *
remote_read_range(struct worker *w, struct reader *rd)
{
    const struct luna_program *p = w->node->program;
    struct frame *scope;
    if (!read_scope(rd, rd->packet->from, &scope)) return NULL;
    struct frame *f = read_frame(rd, p);
    struct range *r = f ? read_range(rd, p, f) : NULL;
    if (!r || !reader_done(rd)) return NULL;
    f->scope = scope;
    return r;
}

void
remote_ended(struct worker *w, struct frame *proxy)
{
    struct writer wr = {0};
    write_u64(&wr, (uint64_t)proxy->word[1].i);
    send(w, (int)proxy->word[0].i, &wr, MSG_ENDED);
    frame_proxy_free(proxy);
}

/* ---- parts of reductions ---- */

void
remote_folded_begin(struct folded *m, uint32_t n)
{
    m->wr = (struct writer){0};
    write_u64(&m->wr, (uint64_t)m->proxy->word[1].i);
    write_u32(&m->wr, n);
}

void
remote_folded_part(struct folded *m, const struct partial *p)
{
    struct key k = {.df = m->df};
    int to = (int)m->proxy->word[0].i;
    write_u32(&m->wr, p->first);
    write_u32(&m->wr, p->level);
    write_value(&m->wr, p->value, true);
    note_send(m->w, to, &k, &p->value, TRACE_COLLECTIVE);
}

void
remote_folded_end(struct folded *m)
{
    send(m->w, (int)m->proxy->word[0].i, &m->wr, MSG_FOLDED);
}

void
remote_terms_begin(struct terms *m, uint32_t n)
{
    m->wr = (struct writer){0};
    write_u32(&m->wr, n);
}

void
remote_terms_end(struct terms *m, const struct range *whole)
{
    write_scope(m->w, &m->wr, whole->head.frame, m->to);
    write_frame(&m->wr, m->w->node->program, whole->head.frame);
    write_range(&m->wr, whole);
    send(m->w, m->to, &m->wr, MSG_TERMS);
}

static bool
on_ended(struct worker *w, struct reader *r)
{
    uint64_t handle = read_u64(r);
    if (!reader_done(r)) return false;
    struct frame *scope = scope_take(&w->node->scopes, handle, r->packet->from);
    if (!scope) return false;
    exec_frame_drop(w, scope);
    return true;
}

/* ---- what goes with its cell ---- */

void
remote_bytes(struct worker *w, int to, enum msg_kind kind, const void *bytes, size_t n)
{
    struct writer wr = {0};
    buf_add(&wr.buf, bytes, n);
    send(w, to, &wr, kind);
}

void
remote_fragment(struct worker *w, struct dest to, const struct key *k, luna_value v, int32_t uses)
{
    struct writer wr = {0};
    write_u32(&wr, (uint32_t)uses);
    write_key(&wr, k);
    write_value(&wr, v, true);
    note_send(w, to.node, k, &v, TRACE_MIGRATE);
    w->node->carried_sent++;
    send_to(w, &to, &wr, MSG_FRAGMENT);
    value_release(v);
}

void
remote_carry(struct worker *w, struct dest to, const struct key *k, luna_value v,
             enum trace_why why)
{
    struct writer wr = {0};
    struct key plain = *k;
    if (plain.df & KEY_CARRIED) plain.n--;
    plain.df &= ~(KEY_CARRIED | KEY_AWAY);
    write_key(&wr, &plain);
    write_value(&wr, v, true);
    note_send(w, to.node, &plain, &v, why);
    send_to(w, &to, &wr, MSG_CARRIED);
}

void
remote_waiting(struct worker *w, struct dest to, const struct luna_site *site, struct task *t,
               const uint8_t *asked)
{
    const struct luna_program *p = w->node->program;
    struct writer wr = {0};
    struct frame *f = t->frame;
    luna_value *v = task_values(site, t);
    write_scope(w, &wr, f, SCOPE_ANYWHERE);
    write_frame(&wr, p, f);
    write_task(&wr, p, t, site->nin);
    buf_add(&wr.buf, asked, site->nin);
    for (unsigned i = 0; i < site->nin; i++) {
        struct key k;
        if (v[i].type == LUNA_UNSET) continue;
        exec_input_key(p, t, i, &k);
        note_send(w, to.node, &k, &v[i], TRACE_MIGRATE);
        value_release(v[i]);
    }
    w->node->carried_sent++;
    send_to(w, &to, &wr, MSG_WAITING);
    worker_call_waiting(w, t, -1);
    pool_put(pool_class(task_bytes(site)), t);
    exec_frame_drop(w, f);
}

struct task *
remote_read_waiting(struct worker *w, struct reader *r, uint8_t **asked)
{
    const struct luna_program *p = w->node->program;
    struct frame *scope;
    if (!r->bound || !read_scope(r, r->packet->from, &scope)) return NULL;
    struct frame *f = read_frame(r, p);
    struct task *t = f ? read_task(r, p, f) : NULL;
    if (!t || p->sites[t->site].kind == LUNA_S_TERM) return NULL;
    f->scope = scope;
    task_set_age(&p->sites[t->site], t, w->made++);
    unsigned nin = p->sites[t->site].nin;
    *asked = mem_zalloc(nin, 1);
    if (!*asked) fault_nomem();
    for (unsigned i = 0; i < nin; i++) (*asked)[i] = read_u8(r);
    return reader_done(r) ? t : NULL;
}

/* ---- requests and values ---- */

void
remote_request(struct worker *w, struct dest home, const struct key *k, enum wants wants)
{
    struct writer wr = {0};
    write_key(&wr, k);
    write_u32(&wr, wants);
    write_u32(&wr, LATTICE_NONE);
    send_to(w, &home, &wr, MSG_REQUEST);
}

void
remote_request_on(struct worker *w, struct dest home, const struct key *k, struct task *asked)
{
    struct writer wr = {0};
    write_key(&wr, k);
    write_u32(&wr, asked->flags);
    write_u32(&wr, asked->cell);
    send_for(w, &home, &wr, MSG_REQUEST, (int)asked->site);
    pool_put(pool_class(sizeof *asked), asked);
    worker_guest_waiting(w, -1);
}

/* Values that were awaited from another node. */
void
remote_value_here(struct worker *w, struct key *k, luna_value v)
{
    k->df |= KEY_AWAY;
    struct waiter *list = store_take_waiters(w->node->store, k);
    k->df &= ~KEY_AWAY;
    move_measure_value(w->node, list, v);
    for (struct waiter *x = list; x; x = x->next) value_retain(v);
    exec_deliver(w, list, k, v);
}

/* Who asks, and how: a node, for itself or for a call that was sent to it, or to a cell. */
struct asking {
    struct worker *w;
    int from;
    enum wants wants;
    uint32_t cell;
};

static void
send_carried(const struct asking *a, const struct key *k, luna_value v)
{
    struct worker *w = a->w;
    struct dest to = dest_node(a->from);
    if (a->cell != LATTICE_NONE) to = place_of_cell(w->node, a->cell);
    if (to.node == w->node->number) move_carried_here(w, k, a->cell, v);
    else remote_carry(w, to, k, v, TRACE_REPLY);
}

static void
send_value(const struct asking *a, const struct key *k, luna_value v)
{
    struct key same = *k;
    if (a->wants == WANTS_NOTHING) return;
    if (a->wants == WANTS_CARRIED) {
        send_carried(a, k, v);
        return;
    }
    if (a->from == a->w->node->number) { /* it asked a node whose cell has come here since */
        remote_value_here(a->w, &same, v);
        return;
    }
    struct writer wr = {0};
    write_key(&wr, k);
    write_value(&wr, v, true);
    note_send(a->w, a->from, k, &v, a->wants == WANTS_TERM ? TRACE_COLLECTIVE : TRACE_REPLY);
    send(a->w, a->from, &wr, MSG_VALUE);
}

void
remote_answer(struct worker *w, struct task *asked, const struct key *k, luna_value v)
{
    struct asking a = {w, (int)asked->site, (enum wants)asked->flags, asked->cell};
    pool_put(pool_class(sizeof *asked), asked);
    worker_guest_waiting(w, -1);
    send_value(&a, k, v);
    value_release(v);
}

static struct waiter *
asking_waits(void *who)
{
    struct asking *a = who;
    struct task *t = pool_get(pool_class(sizeof *t));
    if (!t) return NULL;
    *t = (struct task){.site = (uint32_t)a->from, .kind = TASK_ASKED, .flags = (uint8_t)a->wants,
                       .cell = a->cell};
    worker_guest_waiting(a->w, 1);
    return &t->link;
}

static bool
on_request(struct worker *w, struct reader *r)
{
    struct key k;
    struct asking a = {.w = w, .from = r->packet->from};
    luna_value v;
    read_key(r, &k);
    a.wants = (enum wants)read_u32(r);
    a.cell = read_u32(r);
    k.bound = r->bound;
    if (!reader_done(r) || a.wants > WANTS_CARRIED) return false;
    if (a.cell != LATTICE_NONE && (!w->node->map || a.cell >= lattice_size(w->node->cells)))
        return false;
    switch (store_want(w->node->store, &k, &v, asking_waits, &a)) {
    case WANT_HERE:
        send_value(&a, &k, v);
        value_release(v);
        break;
    case WANT_FIRST:
    case WANT_WAIT:
    case WANT_NOT: break;
    case WANT_NOMEM: fault_nomem();
    }
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
    for (; first && n < ALONG_LOOK; first = first->next, n++) {
        const struct task *t = (const struct task *)first;
        if (t->kind == TASK_ASKED && t->site == (uint32_t)a->from) return false;
    }
    return !first;
}

enum store_want
remote_ask_for(struct worker *w, struct dest to, const struct key *k, luna_value *v)
{
    struct asking a = {w, to.node, WANTS_CARRIED, to.cell};
    enum store_want got =
        k->n < KEY_INDICES_MAX
            ? store_want_for(w->node->store, k, ALONG_BYTES, v, may_ask_for, asking_waits, &a)
            : WANT_NOT; /* no room for the name under which it would be carried */
    if (got == WANT_NOMEM) fault_nomem();
    return got;
}

static bool
on_value(struct worker *w, struct reader *r)
{
    struct key k;
    read_key(r, &k);
    luna_value v = read_value(r);
    if (!reader_done(r) || v.type == LUNA_UNSET) return false;
    remote_value_here(w, &k, v);
    value_release(v);
    return true;
}

/* ---- puts and kills ---- */

void
remote_put(struct worker *w, struct dest home, uint32_t site, const struct key *k, luna_value v,
           int32_t uses)
{
    struct writer wr = {0};
    write_u32(&wr, site);
    write_u32(&wr, (uint32_t)uses);
    write_key(&wr, k);
    write_value(&wr, v, true);
    note_send(w, home.node, k, &v, TRACE_PUSH);
    send_to(w, &home, &wr, MSG_PUT);
    value_release(v);
}

static bool
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

void
remote_kill(struct worker *w, struct dest home, uint32_t site, const struct key *k)
{
    struct writer wr = {0};
    write_u32(&wr, site);
    write_key(&wr, k);
    send_to(w, &home, &wr, MSG_KILL);
}

static bool
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

/* ---- the table ---- */

typedef bool handler(struct worker *w, struct reader *r); /* false: malformed */

static handler *const handlers[MSG_KINDS] = {
    [MSG_CALL] = on_call,   [MSG_RANGE] = on_range, [MSG_REQUEST] = on_request,
    [MSG_VALUE] = on_value, [MSG_PUT] = on_put,     [MSG_KILL] = on_kill,
    [MSG_ENDED] = on_ended, [MSG_PROBE] = on_probe, [MSG_REPORT] = on_report,
    [MSG_STOP] = on_stop,   [MSG_GO_ON] = on_go_on,
    [MSG_OWNER] = on_owner, [MSG_PARCEL] = on_parcel,
    [MSG_NEWS] = on_news,   [MSG_FRAGMENT] = on_fragment, [MSG_WAITING] = on_waiting,
    [MSG_CARRIED] = on_carried, [MSG_STOLEN] = on_stolen, [MSG_HUNGRY] = on_hungry,
    [MSG_FOLDED] = on_folded, [MSG_TERMS] = on_terms,
    [MSG_BALANCE] = on_balance, [MSG_SPREAD] = on_spread,
};

void
remote_handle(struct worker *w, struct packet *p)
{
    struct reader r = reader_of(p, w->node->program);
    enum arrival a = p->kind & MSG_ROUTED ? route(w, p, &r) : ARRIVED;
    if (a == PASSED_ON) return;
    handler *h = a == ARRIVED && p->kind < MSG_KINDS ? handlers[p->kind] : NULL;
    if (!h || !h(w, &r)) {
        fault_begin(F_RUN12, LUNA_NONE, "node %d sent a malformed message of kind %u to node %d",
                    p->from, p->kind, w->node->number);
        fault_hint("all nodes must run the same version of luna and of the program");
        fault_end(EXIT_SYSTEM);
    }
    packet_free(p);
}
