/* stuck_rows.c - the store's waiting lists are the diagnosis: an entry without a value that has
 * waiters is a missing fragment, and its waiters name place and indices. */
#include "stuck_parts.h"

#include "runtime/base/mem.h"
#include "runtime/base/vec.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/gather.h"
#include "runtime/exec/reduce.h"
#include "runtime/fault/fault.h"
#include "runtime/node/msg.h"
#include "runtime/run/ranks.h"

#include <stdlib.h>

const struct luna_site *
stuck_who_waits(const struct luna_program *p, const struct task *t)
{
    const struct luna_site *s = &p->sites[t->site];
    if (s->kind != LUNA_S_TERM) return s;
    s = &p->sites[s->callee];
    return s->kind == LUNA_S_LIST ? &p->sites[s->callee] : s;
}

bool
stuck_is_element(const struct luna_program *p, const struct task *t)
{
    return p->sites[t->site].kind == LUNA_S_TERM;
}

/* A call may wait for several inputs; it is counted where it waits for the first of them. */
static bool
is_first_wait(const struct luna_program *p, const struct waiter *w)
{
    const struct task *t = waiter_call(w);
    const struct luna_site *s = &p->sites[t->site];
    unsigned first = 0;
    while (first < s->nin && task_values(s, t)[first].type != LUNA_UNSET) first++;
    return task_awaited_at(w) == first;
}

static struct missing *
row_new(struct stuck *r)
{
    if (!vec_more(NULL, r->row, r->n, r->room)) fault_nomem();
    return &r->row[r->n++];
}

static void
collect(void *who, const struct store_entry *e)
{
    struct stuck *r = who;
    if (!e->waiters) return;
    struct missing *m = row_new(r);
    *m = (struct missing){.key = *e->key, .doomed = e->doomed, .spent = e->spent};
    key_plain(&m->key);
    for (struct waiter *w = e->waiters; w; w = w->next) {
        if (w->kind == WAITER_ELEMENT) reduce_few_show(r->program, waiter_input(w));
        if (!waiter_call(w)) {
            m->asked += w->kind == WAITER_AFAR;
            continue;
        }
        if (!m->first) m->first = w;
        m->waiters++;
        r->calls += !stuck_is_element(r->program, waiter_call(w)) && is_first_wait(r->program, w);
    }
    m->asked_at = r->all->node[r->number]->number;
}

int
stuck_by_key(const void *a, const void *b)
{
    const struct key *x = &((const struct missing *)a)->key, *y = &((const struct missing *)b)->key;
    if (x->df != y->df) return x->df < y->df ? -1 : 1;
    for (uint32_t i = 0; i < x->n && i < y->n; i++)
        if (x->ix[i] != y->ix[i]) return x->ix[i] < y->ix[i] ? -1 : 1;
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* One row per fragment: what its readers' nodes and its home know, together. */
static void
merge_rows(struct stuck *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct missing *m = &r->row[i], *last = kept ? &r->row[kept - 1] : NULL;
        if (!last || stuck_by_key(last, m)) {
            r->row[kept++] = *m;
            continue;
        }
        last->doomed |= m->doomed;
        last->spent |= m->spent;
        last->waiters += m->waiters;
        if (!last->first) last->first = m->first;
        else if (m->first) { /* keep all of them in one list, for mark_circular */
            struct waiter *w = m->first; /* each list is walked once */
            while (w->next) w = w->next;
            w->next = last->first->next;
            last->first->next = m->first;
        }
        if (m->asked) last->asked_at = m->asked_at;
        last->asked += m->asked;
    }
    r->n = kept;
}

/* ---- elements are no calls: many wait for one ---- */

struct element {
    const struct luna_site *of; /* a reduction, or a call */
    const struct task *task;
};

/* 0: of the same statement. Counters stand in front of all that an element sees. */
static int
by_owner(const void *a, const void *b)
{
    const struct element *x = a, *y = b;
    if (x->of != y->of) return x->of < y->of ? -1 : 1;
    uint64_t id = x->task->frame->id, other = y->task->frame->id;
    if (id != other) return id < other ? -1 : 1;
    return memcmp(x->task->word, y->task->word, x->of->nlocal * sizeof *x->task->word);
}

/* Of how many statements they are; sorts them. */
static size_t
owners_of(struct element *e, size_t n)
{
    size_t owners = n > 0;
    if (n) qsort(e, n, sizeof *e, by_owner);
    for (size_t i = 1; i < n; i++) owners += by_owner(&e[i - 1], &e[i]) != 0;
    return owners;
}

/* Whose elements wait is counted where all of them are known: at rank 0. */
static void
count_owners(struct stuck *r)
{
    struct element *all = NULL;
    size_t n = 0, room = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct missing *m = &r->row[i];
        size_t before = n;
        for (const struct waiter *w = m->first; w; w = w->next) {
            const struct task *t = waiter_call(w);
            if (!t || !stuck_is_element(r->program, t)) continue;
            if (!vec_more(NULL, all, n, room)) fault_nomem();
            all[n++] = (struct element){stuck_who_waits(r->program, t), t};
        }
        if (n > before) m->waiters -= n - before - owners_of(all + before, n - before);
    }
    r->calls += owners_of(all, n);
    mem_free(all);
}

/* ---- rows of other ranks ---- */

enum { SENT_BYTES = 1 << 20 }; /* of a rank: beyond, rows are only counted */

static void
write_row(struct writer *wr, const struct luna_program *p, const struct missing *m)
{
    uint32_t tasks = 0;
    for (const struct waiter *w = m->first; w; w = w->next) tasks += waiter_call(w) != NULL;
    write_key(wr, &m->key);
    write_u32(wr, m->doomed);
    write_u32(wr, m->spent);
    write_u64(wr, m->waiters);
    write_u32(wr, (uint32_t)m->asked_at);
    write_u64(wr, m->asked);
    if (wr->size > SENT_BYTES) tasks = tasks > 0;
    write_u32(wr, tasks);
    for (const struct waiter *w = m->first; w && tasks; w = w->next) {
        const struct task *t = waiter_call(w);
        if (!t) continue;
        write_frame(wr, p, t->frame);
        write_task(wr, p, t, p->sites[t->site].nin);
        tasks--;
    }
}

static void
read_row(struct reader *rd, const struct luna_program *p, struct missing *m)
{
    *m = (struct missing){.asked_at = -1};
    read_key(rd, &m->key);
    m->doomed = read_u32(rd) != 0;
    m->spent = read_u32(rd) != 0;
    m->waiters = read_u64(rd);
    m->asked_at = (int)read_u32(rd);
    m->asked = read_u64(rd);
    for (uint32_t tasks = read_u32(rd); tasks && !rd->bad; tasks--) {
        struct frame *f = read_frame(rd, p);
        struct task *t = f ? read_task(rd, p, f) : NULL;
        if (!t) return;
        t->kind = TASK_WAITS;
        t->link.next = m->first;
        m->first = &t->link;
    }
}

/* Takes the rows of one rank: how many, how many it kept, how many calls wait, then they. */
static void
read_rows(struct stuck *r, struct reader *rd)
{
    uint64_t rows = read_u64(rd);
    r->unsent += read_u64(rd);
    r->calls += read_u64(rd);
    for (; rows && !rd->bad; rows--) {
        struct missing m;
        read_row(rd, r->program, &m);
        if (!rd->bad) *row_new(r) = m;
    }
}

/* The rows of all ranks at rank 0, in place of its own. */
static void
gather_rows(struct stuck *r)
{
    struct writer rows = {0}, wr = {0};
    size_t sent = 0, total;
    for (; sent < r->n && rows.size <= SENT_BYTES; sent++)
        write_row(&rows, r->program, &r->row[sent]);
    write_u64(&wr, sent);
    write_u64(&wr, r->n - sent);
    write_u64(&wr, r->calls);
    write_bytes(&wr, writer_data(&rows), rows.size);
    if (rows.failed || wr.failed) fault_nomem();
    char *all = ranks_gather(writer_data(&wr), wr.size, &total);
    writer_fini(&rows);
    writer_fini(&wr);
    if (!all) return;
    r->n = r->calls = 0;
    struct reader rd = {.at = all, .end = all + total, .program = r->program};
    while (rd.at < rd.end && !rd.bad) read_rows(r, &rd);
    free(all);
}

/* ---- lists that wait for one element at a time ---- */

struct lists {
    const struct task **term;
    int n, room;
};

static void
note_terms(void *who, const struct store_entry *e)
{
    struct lists *all = who;
    for (struct waiter *w = e->waiters; w; w = w->next) {
        const struct task *t = w->kind == WAITER_CALL ? waiter_call(w) : NULL;
        if (!t || !t->frame || !t->frame->fold) continue;
        if (!vec_more(NULL, all->term, all->n, all->room)) fault_nomem();
        all->term[all->n++] = t;
    }
}

/* On the only node; elsewhere they have asked for all. */
static void
lists_ask(struct node *n)
{
    struct lists all = {0};
    store_each(n->store, note_terms, &all);
    for (int i = 0; i < all.n; i++) gather_asks_all(&n->workers[0], all.term[i]);
    free(all.term);
}

/* ---- all of them ---- */

void
stuck_rows(struct stuck *r)
{
    if (r->all->n == 1 && r->all->node[0]->nodes == 1) lists_ask(r->all->node[0]);
    for (; r->number < r->all->n; r->number++)
        store_each(r->all->node[r->number]->store, collect, r);
    if (ranks_on()) gather_rows(r);
    if (r->n) qsort(r->row, r->n, sizeof *r->row, stuck_by_key);
    merge_rows(r);
    count_owners(r);
}
