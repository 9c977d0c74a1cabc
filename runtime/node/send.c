/* send.c - what one node tells another, written as it will be read. */
#include "send.h"

#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/fault/fault.h"
#include "runtime/table/mention.h"
#include "runtime/data/partials.h"
#include "runtime/node/scope.h"
#include "runtime/node/tally.h"
#include "runtime/node/trace.h"

static void
send(struct worker *w, int to, struct writer *wr, uint32_t kind)
{
    struct packet *p = writer_packet(wr, kind);
    if (!p) fault_nomem();
    trace_leaves(w, p);
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
    trace_send(w, to, k, v, why, true);
}

static void
send_for(struct worker *w, struct dest to, struct writer *wr, enum msg_kind kind, int from)
{
    struct route r = {dest_cell(to), dest_walk(to), from, 0};
    write_bytes(wr, &r, sizeof r);
    send(w, to.node, wr, kind | MSG_ROUTED);
}

static void
send_to(struct worker *w, struct dest to, struct writer *wr, enum msg_kind kind)
{
    if (dest_cell(to) == LATTICE_NONE) {
        send(w, to.node, wr, kind);
        return;
    }
    send_for(w, to, wr, kind, w->node->number);
}

/* ---- statements that go ---- */

/* The handle of the activation that must hear of the end of what we send away, by ENDED; 0: nobody
 * waits for that. */
static void
write_scope(struct worker *w, struct writer *wr, struct frame *f, int to)
{
    struct frame *scope = f->done || f->fold ? f : f->scope;
    uint64_t handle = scope ? scope_lend(w->node->scopes, scope, to) : 0;
    if (scope && !handle) fault_nomem();
    write_u64(wr, handle);
}

static void
write_asked(struct writer *wr, const uint8_t *asked, unsigned n)
{
    bool any = false;
    for (unsigned i = 0; asked && i < n; i++) any |= asked[i];
    write_u32(wr, any);
    if (any) write_bytes(wr, asked, n);
}

static void
send_task(struct worker *w, struct dest to, const struct luna_site *site, struct task *t,
          const uint8_t *asked, enum msg_kind kind)
{
    const struct luna_program *p = w->node->program;
    struct writer wr = {0};
    write_scope(w, &wr, t->frame, dest_cell(to) == LATTICE_NONE ? to.node : SCOPE_ANYWHERE);
    write_frame(&wr, p, t->frame);
    luna_value *v = task_values(site, t);
    unsigned have = site->nin;
    while (have && v[have - 1].type == LUNA_UNSET) have--;
    t->flags |= TASK_HERE;
    for (unsigned i = 0; i < have; i++)
        if (v[i].type != LUNA_UNSET) count_send(w, to.node, &v[i]);
    trace_call(w, to.node, t, have);
    write_task(&wr, p, t, have);
    write_asked(&wr, asked, site->nin);
    send_to(w, to, &wr, kind);
    for (unsigned i = 0; i < have; i++) value_release(v[i]);
}

void
send_call(struct worker *w, struct dest to, const struct luna_site *site, struct task *t,
          const uint8_t *asked)
{
    if (t->flags & TASK_MARKED) lead_goes(w, t);
    else if (!(t->flags & TASK_GUEST)) lead_sends(&w->node->lead, t);
    send_task(w, to, site, t, asked, MSG_CALL);
}

void
send_give(struct worker *w, int to, const struct luna_site *site, struct task *t)
{
    if (t->flags & TASK_MARKED) lead_goes(w, t);
    send_task(w, dest_node(to), site, t, NULL, MSG_STOLEN);
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

void
send_range(struct worker *w, const struct range *r, const struct ahead *ahead, int origin, int me,
           int n)
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

void
send_ended(struct worker *w, struct frame *proxy)
{
    struct writer wr = {0};
    write_u64(&wr, (uint64_t)proxy->word[1].i);
    send(w, (int)proxy->word[0].i, &wr, MSG_ENDED);
    frame_proxy_free(proxy);
}

/* ---- parts of reductions ---- */

void
send_folded_begin(struct folded *m, uint32_t n)
{
    m->wr = (struct writer){0};
    write_u64(&m->wr, (uint64_t)m->proxy->word[1].i);
    write_u32(&m->wr, n);
}

void
send_folded_part(struct folded *m, const struct partial *p)
{
    struct key k = {.df = m->df};
    int to = (int)m->proxy->word[0].i;
    write_u32(&m->wr, p->first);
    write_u32(&m->wr, p->level);
    write_value(&m->wr, p->value, true);
    note_send(m->w, to, &k, &p->value, TRACE_COLLECTIVE);
}

void
send_folded_end(struct folded *m)
{
    send(m->w, (int)m->proxy->word[0].i, &m->wr, MSG_FOLDED);
}

void
send_terms_begin(struct terms *m, uint32_t n)
{
    m->wr = (struct writer){0};
    write_u32(&m->wr, n);
}

void
send_terms_end(struct terms *m, const struct range *whole)
{
    write_scope(m->w, &m->wr, whole->head.frame, m->to);
    write_frame(&m->wr, m->w->node->program, whole->head.frame);
    write_range(&m->wr, whole);
    send(m->w, m->to, &m->wr, MSG_TERMS);
}

/* ---- what goes with its cell ---- */

void
send_bytes(struct worker *w, int to, enum msg_kind kind, const void *bytes, size_t n)
{
    struct writer wr = {0};
    write_bytes(&wr, bytes, n);
    send(w, to, &wr, kind);
}

void
send_fragment(struct worker *w, struct dest to, const struct key *k, luna_value v, int32_t uses)
{
    struct writer wr = {0};
    write_u32(&wr, (uint32_t)uses);
    write_key(&wr, k);
    write_value(&wr, v, true);
    note_send(w, to.node, k, &v, TRACE_MIGRATE);
    w->node->moving_sent++;
    send_to(w, to, &wr, MSG_FRAGMENT);
    value_release(v);
}

void
send_follows(struct worker *w, struct dest to, const struct key *k, luna_value v,
             enum trace_why why)
{
    struct writer wr = {0};
    struct key plain = *k;
    if (plain.df & KEY_FOLLOWS) plain.n--;
    plain.df &= ~(KEY_FOLLOWS | KEY_AWAY);
    write_key(&wr, &plain);
    write_value(&wr, v, true);
    note_send(w, to.node, &plain, &v, why);
    send_to(w, to, &wr, MSG_FOLLOWS);
}

void
send_waiting(struct worker *w, struct dest to, const struct luna_site *site, struct task *t,
             const uint8_t *asked)
{
    const struct luna_program *p = w->node->program;
    struct writer wr = {0};
    struct frame *f = t->frame;
    luna_value *v = task_values(site, t);
    if (t->flags & TASK_MARKED) lead_goes(w, t);
    write_scope(w, &wr, f, SCOPE_ANYWHERE);
    write_frame(&wr, p, f);
    write_task(&wr, p, t, site->nin);
    write_bytes(&wr, asked, site->nin);
    for (unsigned i = 0; i < site->nin; i++) {
        struct key k;
        if (v[i].type == LUNA_UNSET) continue;
        mention_wanted(p, t, i, &k);
        if (!(k.df & KEY_BEYOND)) note_send(w, to.node, &k, &v[i], TRACE_MIGRATE);
        value_release(v[i]);
    }
    w->node->moving_sent++;
    send_to(w, to, &wr, MSG_WAITING);
}

/* ---- fragments ---- */

static void
write_request(struct writer *wr, const struct key *k, uint32_t wants, uint32_t cell,
              uint32_t sweeps, uint32_t place, uint32_t readers)
{
    write_key(wr, k);
    write_u32(wr, wants);
    write_u32(wr, cell);
    write_u32(wr, sweeps);
    if (!(k->df & KEY_PART)) return;
    write_u32(wr, place);
    write_u32(wr, readers);
}

void
send_request(struct worker *w, struct dest home, const struct key *k, enum wants wants,
             uint32_t place, uint32_t readers)
{
    struct writer wr = {0};
    write_request(&wr, k, wants, LATTICE_NONE, w->node->sweeps, place, readers);
    send_to(w, home, &wr, MSG_REQUEST);
}

void
send_request_on(struct worker *w, struct dest home, const struct key *k, struct asker_afar *asked)
{
    struct writer wr = {0};
    struct key of = *k;
    if (asked->part.count != PART_WHOLE) key_add_part(&of, asked->part);
    write_request(&wr, &of, asked->wants, asked->cell, asked->sweeps, asked->place,
                  asked->readers);
    send_for(w, home, &wr, MSG_REQUEST, asked->node);
    pool_put(pool_class(sizeof *asked), asked);
    worker_guest_waiting(w, -1);
}

void
send_value(struct worker *w, int to, const struct key *k, luna_value v, enum trace_why why)
{
    struct writer wr = {0};
    write_key(&wr, k);
    write_value(&wr, v, true);
    note_send(w, to, k, &v, why);
    send(w, to, &wr, MSG_VALUE);
}

void
send_copy(struct worker *w, int to, const struct key *k, uint32_t bound, bool counts,
          uint32_t place, luna_value v)
{
    struct writer wr = {0};
    struct key x = *k;
    key_take_part(&x);
    write_key(&wr, k);
    write_u32(&wr, bound);
    write_u32(&wr, counts);
    write_u32(&wr, place);
    write_value(&wr, v, true);
    note_send(w, to, &x, &v, TRACE_REPLY);
    send(w, to, &wr, MSG_COPY);
}

void
send_counts(struct worker *w, struct dest home, const struct key *k, uint32_t n)
{
    struct writer wr = {0};
    write_key(&wr, k);
    write_u32(&wr, n);
    send_to(w, home, &wr, MSG_COUNTS);
}

void
send_drop(struct worker *w, int to, const struct key *k)
{
    struct writer wr = {0};
    write_key(&wr, k);
    send(w, to, &wr, MSG_DROP);
}

void
send_left(struct worker *w, struct dest home, const struct key *k, uint32_t cell)
{
    struct writer wr = {0};
    write_key(&wr, k);
    write_u32(&wr, cell);
    write_u32(&wr, w->node->sweeps);
    send_to(w, home, &wr, MSG_LEFT);
}

void
send_ran(struct worker *w, int to)
{
    struct writer wr = {0};
    send(w, to, &wr, MSG_RAN);
}

void
send_turned(struct worker *w, int to, const struct key *k)
{
    struct writer wr = {0};
    write_key(&wr, k);
    send(w, to, &wr, MSG_TURNED);
}

void
send_put(struct worker *w, struct dest home, uint32_t site, const struct key *k, luna_value v,
         int32_t uses)
{
    struct writer wr = {0};
    write_u32(&wr, site);
    write_u32(&wr, (uint32_t)uses);
    write_key(&wr, k);
    write_value(&wr, v, true);
    note_send(w, home.node, k, &v, TRACE_PUSH);
    send_to(w, home, &wr, MSG_PUT);
    value_release(v);
}

void
send_kill(struct worker *w, struct dest home, uint32_t site, const struct key *k)
{
    struct writer wr = {0};
    write_u32(&wr, site);
    write_key(&wr, k);
    send_to(w, home, &wr, MSG_KILL);
}

void
send_owner(struct worker *w, int to, uint32_t cell)
{
    struct writer wr = {0};
    write_u32(&wr, cell);
    write_u32(&wr, distrib_epoch(w->node->map, cell));
    send(w, to, &wr, MSG_OWNER);
}

/* ---- read as they were written ---- */

static bool
read_scope(struct worker *w, struct reader *r, int from, struct frame **scope)
{
    uint64_t handle = read_u64(r);
    *scope = NULL;
    if (r->bad || !handle) return !r->bad;
    *scope = frame_proxy_new(from, handle);
    if (!*scope) fault_nomem();
    tally_proxies(w->node, 1);
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

struct ahead *
send_read_ahead(struct reader *rd)
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

struct range *
send_read_range(struct worker *w, struct reader *rd)
{
    const struct luna_program *p = w->node->program;
    struct frame *scope;
    if (!read_scope(w, rd, rd->packet->from, &scope)) return NULL;
    struct frame *f = read_frame(rd, p);
    struct range *r = f ? read_range(rd, p, f) : NULL;
    if (!r || !reader_done(rd)) return NULL;
    f->scope = scope;
    return r;
}

/* Terms, and loops over terms, never leave the node of their fold. */
static bool
belongs_to_fold(const struct luna_program *p, const struct luna_site *s)
{
    while (s->kind == LUNA_S_FOR && p->blocks[s->body].nsites)
        s = &p->sites[p->blocks[s->body].site];
    return s->kind == LUNA_S_TERM;
}

struct task *
send_read_waiting(struct worker *w, struct reader *r, uint8_t **asked)
{
    const struct luna_program *p = w->node->program;
    struct frame *scope;
    if (!r->bound || !read_scope(w, r, r->packet->from, &scope)) return NULL;
    struct frame *f = read_frame(r, p);
    struct task *t = f ? read_task(r, p, f) : NULL;
    if (!t || belongs_to_fold(p, &p->sites[t->site])) return NULL;
    f->scope = scope;
    task_set_age(&p->sites[t->site], t, w->made++);
    unsigned nin = p->sites[t->site].nin;
    *asked = mem_zalloc(nin, 1);
    if (!*asked) fault_nomem();
    for (unsigned i = 0; i < nin; i++) (*asked)[i] = read_u8(r);
    return reader_done(r) ? t : NULL;
}

struct task *
send_read_call(struct worker *w, struct reader *r, uint8_t **asked)
{
    const struct luna_program *p = w->node->program;
    struct frame *scope;
    if (!read_scope(w, r, r->packet->from, &scope)) return NULL;
    struct frame *f = read_frame(r, p);
    struct task *t = f ? read_task(r, p, f) : NULL;
    *asked = t ? read_asked(r, p->sites[t->site].nin) : NULL;
    if (!t || !reader_done(r) || belongs_to_fold(p, &p->sites[t->site])) {
        mem_free(*asked);
        return NULL;
    }
    f->scope = scope;
    return t;
}
