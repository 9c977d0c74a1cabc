/* stuck.c - the store's waiting lists are the diagnosis: an entry without a value that has waiters
 * is a missing fragment, and its waiters name place and indices. */
#include "stuck.h"

#include "runtime/base/buf.h"
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/base/vec.h"
#include "runtime/exec/exec.h"
#include "runtime/fault/fault.h"
#include "runtime/table/mention.h"
#include "runtime/node/msg.h"
#include "runtime/table/name.h"
#include "runtime/run/depth.h"
#include "runtime/run/ranks.h"
#include "runtime/exec/reduce.h"
#include "runtime/run/runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct missing { /* one fragment somebody waits for */
    struct key key;
    bool doomed, spent;
    struct waiter *first; /* of those calls who wait */
    size_t waiters; /* calls; requests that other nodes have left here are the same calls again */
    bool circular;      /* a waiting call would write it */
    int asked_at;       /* node that was asked for it: its home as its readers see it */
    size_t asked;       /* requests other nodes have left there */
};

struct report {
    const struct nodes *all;
    const struct luna_program *program;
    int number;         /* of the node being looked at */
    struct missing *row;
    size_t n, room, calls;
    size_t unsent;      /* rows that ranks have kept to themselves: too many */
    size_t steps; /* of mark_below */
};

/* The statement that waits: of an element the reduction, or the call whose list has it. */
static const struct luna_site *
who_waits(const struct luna_program *p, const struct task *t)
{
    const struct luna_site *s = &p->sites[t->site];
    if (s->kind != LUNA_S_TERM) return s;
    s = &p->sites[s->callee];
    return s->kind == LUNA_S_LIST ? &p->sites[s->callee] : s;
}

static bool
is_element(const struct luna_program *p, const struct task *t)
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
row_new(struct report *r)
{
    if (!vec_more(NULL, r->row, r->n, r->room)) fault_nomem();
    return &r->row[r->n++];
}

static void
collect(void *who, const struct store_entry *e)
{
    struct report *r = who;
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
        r->calls += !is_element(r->program, waiter_call(w)) && is_first_wait(r->program, w);
    }
    m->asked_at = r->all->node[r->number]->number;
}

static void
any_waiter(void *who, const struct store_entry *e)
{
    if (e->waiters) *(bool *)who = true;
}

static bool
stuck_any(const struct nodes *all)
{
    bool any = false;
    for (int i = 0; i < all->n && !any; i++) store_each(all->node[i]->store, any_waiter, &any);
    return any;
}

static int
by_key(const void *a, const void *b)
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
merge_rows(struct report *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct missing *m = &r->row[i], *last = kept ? &r->row[kept - 1] : NULL;
        if (!last || by_key(last, m)) {
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
count_owners(struct report *r)
{
    struct element *all = NULL;
    size_t n = 0, room = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct missing *m = &r->row[i];
        size_t before = n;
        for (const struct waiter *w = m->first; w; w = w->next) {
            const struct task *t = waiter_call(w);
            if (!t || !is_element(r->program, t)) continue;
            if (!vec_more(NULL, all, n, room)) fault_nomem();
            all[n++] = (struct element){who_waits(r->program, t), t};
        }
        if (n > before) m->waiters -= n - before - owners_of(all + before, n - before);
    }
    r->calls += owners_of(all, n);
    mem_free(all);
}

/* ---- causes ---- */

enum { STEPS_MAX = 1 << 22 };

static struct missing *
find(struct report *r, const struct key *k)
{
    struct missing want = {.key = *k};
    return bsearch(&want, r->row, r->n, sizeof *r->row, by_key);
}

static void
mark_one(struct report *r, const struct key *k)
{
    struct missing *m = find(r, k);
    if (m) m->circular = true;
}

/* Whether row `m` comes before all names that begin with k. */
static bool
lies_before(const struct missing *m, const struct key *k)
{
    if (m->key.df != k->df) return m->key.df < k->df;
    for (uint32_t i = 0; i < k->n; i++) {
        if (i == m->key.n) return true;
        if (m->key.ix[i] != k->ix[i]) return m->key.ix[i] < k->ix[i];
    }
    return false;
}

static bool
begins_with(const struct missing *m, const struct key *k)
{
    return m->key.df == k->df && m->key.n >= k->n &&
           !memcmp(m->key.ix, k->ix, k->n * sizeof *k->ix);
}

/* All that a sub could write through a name it is given: whatever begins so. Not for ever: a
 * million calls may have been given the same name. */
static void
mark_below(struct report *r, const struct key *k)
{
    size_t lo = 0, hi = r->n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (lies_before(&r->row[middle], k)) lo = middle + 1;
        else hi = middle;
    }
    for (; lo < r->n && begins_with(&r->row[lo], k) && r->steps < STEPS_MAX; lo++, r->steps++)
        if (r->row[lo].key.id == k->id) r->row[lo].circular = true;
}

/* Of an element that waits: what its reduction, or the call of its list, would write. The words of
 * a term begin with theirs; not so the inputs. */
static void
mark_writes_above(struct report *r, const struct task *t)
{
    const struct luna_program *p = r->program;
    const struct luna_site *s = who_waits(p, t);
    struct key k;
    for (unsigned i = 0; i < s->nargs && !s->nin; i++) {
        const struct luna_arg *arg = &p->args[s->arg + i];
        if (arg->kind == LUNA_A_NAME && mention_task_key(p, t, arg->row, &k)) mark_one(r, &k);
    }
}

/* Marks what a waiting call would write: its absence is a consequence. */
static void
mark_writes_of(struct report *r, const struct task *t)
{
    const struct luna_program *p = r->program;
    const struct luna_site *s = &p->sites[t->site];
    const struct luna_rules *rules = s->rules == LUNA_NONE ? NULL : &p->rules[s->rules];
    struct key k;
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct luna_arg *arg = &p->args[s->arg + i];
        if (arg->kind != LUNA_A_NAME || !mention_task_key(p, t, arg->row, &k)) continue;
        if (s->kind == LUNA_S_EXPAND) mark_below(r, &k);
        else mark_one(r, &k);
    }
    if (is_element(p, t)) mark_writes_above(r, t);
    for (uint32_t i = 0; rules && i < rules->nset; i++)
        if (mention_task_key(p, t, rules->set + i, &k)) mark_one(r, &k);
}

static void
mark_circular(struct report *r)
{
    for (size_t i = 0; i < r->n; i++)
        for (const struct waiter *w = r->row[i].first; w; w = w->next)
            if (waiter_call(w)) mark_writes_of(r, waiter_call(w));
}

struct range_of { /* which instances of a declaration are there, of one activation */
    const struct key *key;
    size_t others;
    struct key lo, hi; /* component-wise */
};

static void
widen(void *who, const struct store_entry *e)
{
    struct range_of *r = who;
    if (!e->present || e->key->df != r->key->df || e->key->n != r->key->n) return;
    if (e->key->id != r->key->id) return;
    if (!r->others++) {
        r->lo = r->hi = *e->key;
        return;
    }
    for (uint32_t i = 0; i < e->key->n; i++) {
        if (e->key->ix[i] < r->lo.ix[i]) r->lo.ix[i] = e->key->ix[i];
        if (e->key->ix[i] > r->hi.ix[i]) r->hi.ix[i] = e->key->ix[i];
    }
}

static bool
site_writes(const struct luna_program *p, const struct luna_site *s, uint32_t df)
{
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct luna_arg *arg = &p->args[s->arg + i];
        if (arg->kind == LUNA_A_NAME &&
            (p->refs[arg->row].df == df || p->refs[arg->row].base == LUNA_B_PARAM))
            return true;
    }
    const struct luna_rules *r = s->rules == LUNA_NONE ? NULL : &p->rules[s->rules];
    for (uint32_t i = 0; r && i < r->nset; i++)
        if (p->refs[r->set + i].df == df || p->refs[r->set + i].base == LUNA_B_PARAM) return true;
    return false;
}

/* Some statement of the program could write a DF of this declaration (through a parameter perhaps).
 */
static bool
anybody_writes(const struct luna_program *p, uint32_t df)
{
    for (uint32_t i = 0; i < p->nsites; i++)
        if (site_writes(p, &p->sites[i], df)) return true;
    return false;
}

/* The box of what is there; with their number if there are holes in it. */
static void
add_range(struct buf *b, const struct range_of *r)
{
    double box = 1;
    for (uint32_t i = 0; i < r->key->n; i++) box *= (double)r->hi.ix[i] - r->lo.ix[i] + 1;
    if ((double)r->others < box) buf_printf(b, "%zu of ", r->others);
    for (uint32_t i = 0; i < r->key->n; i++)
        buf_printf(b, r->lo.ix[i] == r->hi.ix[i] ? "[%d]" : "[%d..%d]", r->lo.ix[i], r->hi.ix[i]);
}

/* What the stores of this process know of a fragment; those of other ranks add to it. */
struct facts {
    int32_t holder; /* the node that has it although another was asked for it; -1: none */
    int32_t gone;   /* enum store_gone */
    int32_t let_go; /* others of its declaration have been freed, perhaps */
    struct range_of range;
};

static void
find_facts(const struct nodes *all, const struct key *k, struct facts *f)
{
    *f = (struct facts){.holder = -1, .gone = GONE_NOT, .range = {.key = k}};
    for (int i = 0; i < all->n; i++) {
        struct store *store = all->node[i]->store;
        if (f->holder < 0 && store_has(store, k)) f->holder = all->node[i]->number;
        int32_t gone = (int32_t)store_gone(store, k);
        if (f->gone < gone) f->gone = gone;
        f->let_go |= store_let_go(store, k->df);
        store_each(store, widen, &f->range);
    }
}

static void
add_facts(struct facts *f, const struct facts *more)
{
    if (f->holder < 0) f->holder = more->holder;
    if (f->gone < more->gone) f->gone = more->gone;
    f->let_go |= more->let_go;
    if (!more->range.others) return;
    if (!f->range.others) {
        f->range.lo = more->range.lo;
        f->range.hi = more->range.hi;
    }
    for (uint32_t i = 0; i < f->range.lo.n; i++) {
        if (more->range.lo.ix[i] < f->range.lo.ix[i]) f->range.lo.ix[i] = more->range.lo.ix[i];
        if (more->range.hi.ix[i] > f->range.hi.ix[i]) f->range.hi.ix[i] = more->range.hi.ix[i];
    }
    f->range.others += more->range.others;
}

/* Its readers were more than promised: the first ones had the value. */
static bool
is_used_up(const struct missing *m, const struct facts *f)
{
    if (f->holder >= 0 || m->key.df & KEY_PUSHED || m->doomed || f->gone == GONE_KILLED)
        return false;
    return m->spent || f->gone == GONE_USED_UP;
}

/* What is there is all that was written, unless some of it has been freed. */
static void
add_absence(struct buf *b, const struct missing *m, const struct facts *f)
{
    buf_str(b, "nobody writes it");
    if (f->gone == GONE_PERHAPS) buf_str(b, ", or it has been freed already");
    if (!f->range.others || !m->key.n) return;
    buf_str(b, f->let_go ? "; still held are " : "; written are ");
    add_range(b, &f->range);
}

static void
cause(const struct report *r, const struct missing *m, const struct facts *f, struct buf *b)
{
    if (f->holder >= 0) {
        buf_printf(b,
                   "its writer put it on node %d, its reader asked node %d: their locators differ",
                   f->holder, m->asked_at);
    } else if (m->key.df & KEY_PUSHED) {
        buf_str(b, "no afterpush has sent it to this call");
    } else if (m->doomed || f->gone == GONE_KILLED) {
        buf_str(b, "it was deleted before this call asked");
    } else if (is_used_up(m, f)) {
        buf_str(b, "its req_count promises fewer readers");
    } else if (f->gone == GONE_DROPPED) {
        buf_str(b, "it was written, but kept for no reader that asks: by drop, or by afterpush "
                   "without req_count");
    } else if (m->circular) {
        buf_str(b, "its writer waits too");
    } else if (!anybody_writes(r->program, m->key.df)) {
        buf_str(b, "nothing in the program writes it");
    } else {
        add_absence(b, m, f);
    }
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
read_rows(struct report *r, struct reader *rd)
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
gather_rows(struct report *r)
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

/* ---- the report ---- */

enum { ROWS_MAX = 12 };

struct told { /* what the report will name, and what is known of it */
    size_t n;
    struct key key[ROWS_MAX];
    struct facts facts[ROWS_MAX];
};

/* All ranks: adds what their stores know at rank 0. */
static void
gather_facts(const struct nodes *all, struct told *t)
{
    ranks_bcast(&t->n, sizeof t->n);
    ranks_bcast(t->key, sizeof t->key);
    for (size_t i = 0; i < t->n; i++) find_facts(all, &t->key[i], &t->facts[i]);
    if (!ranks_on()) return;
    size_t bytes = t->n * sizeof *t->facts, total;
    char *theirs = ranks_gather(t->facts, bytes, &total);
    for (size_t at = bytes; theirs && at + bytes <= total; at += bytes)
        for (size_t i = 0; i < t->n; i++) {
            struct facts f;
            memcpy(&f, theirs + at + i * sizeof f, sizeof f);
            add_facts(&t->facts[i], &f);
        }
    free(theirs);
}

/* Calls that waited together on another node were all served by one answer. */
static void
tell_asked(const struct luna_program *p, const struct missing *m, const char *df)
{
    fault_note(p->dfs[m->key.df & ~KEY_MARKS].place,
               "'%s' was asked for %zu time%s more than promised by its req_count", df, m->asked,
               m->asked == 1 ? "" : "s");
}

static void
tell(struct report *r, const struct missing *m, const struct facts *f)
{
    const struct luna_program *p = r->program;
    char df[NAME_MAX_TEXT], cf[NAME_MAX_TEXT];
    struct buf why = {0};
    name_df(p, &m->key, df, sizeof df);
    if (!m->first) {
        tell_asked(p, m, df);
        return;
    }
    const struct task *first = waiter_call(m->first);
    const luna_env e = {
        .frame = first->frame->word, .local = first->word, .site = who_waits(p, first)};
    name_site(p, &e, cf, sizeof cf);
    cause(r, m, f, &why);
    if (m->waiters == 1)
        fault_note(p->sites[first->site].place, "%s waits for '%s': %s", cf, df, why.data);
    else
        fault_note(p->sites[first->site].place, "%s and %zu more wait for '%s': %s", cf,
                   m->waiters - 1, df, why.data);
    buf_fini(&why);
}

/* ---- who else reads what was used up ---- */

enum { READERS_TOLD = 4 };

static bool
is_mention(const struct luna_program *p, uint32_t row, uint32_t df)
{
    return p->refs[row].base != LUNA_B_PARAM && p->refs[row].df == df;
}

static bool
site_reads(const struct luna_program *p, const struct luna_site *s, uint32_t df)
{
    for (unsigned i = 0; i < s->nin; i++)
        if (is_mention(p, p->ins[s->in + i].ref, df)) return true;
    return false;
}

/* It may be read there. */
static bool
site_hands_on(const struct luna_program *p, const struct luna_site *s, uint32_t df)
{
    for (unsigned i = 0; s->kind == LUNA_S_EXPAND && i < s->nargs; i++) {
        const struct luna_arg *arg = &p->args[s->arg + i];
        if (arg->kind == LUNA_A_NAME && is_mention(p, arg->row, df)) return true;
    }
    return false;
}

static bool
same_line(const struct luna_program *p, uint32_t a, uint32_t b)
{
    return a == b || (a < p->nplaces && b < p->nplaces && p->places[a].file == p->places[b].file &&
                      p->places[a].line == p->places[b].line);
}

/* Besides the call that waits. Which of them had the value nobody has written down; which there are
 * says the text. */
static void
tell_readers(const struct report *r, const struct missing *m)
{
    const struct luna_program *p = r->program;
    uint32_t df = m->key.df & ~KEY_MARKS;
    uint32_t waits = p->sites[waiter_call(m->first)->site].place, last = waits;
    int told = 0;
    for (uint32_t i = 0; i < p->nsites && told < READERS_TOLD; i++) {
        const struct luna_site *s = &p->sites[i];
        bool reads = site_reads(p, s, df);
        if (!reads && !site_hands_on(p, s, df)) continue;
        if (same_line(p, s->place, waits) || same_line(p, s->place, last)) continue;
        fault_note(s->place, reads ? "'%s' is read here, too" : "'%s' is handed to a sub here",
                   p->dfs[df].name);
        last = s->place;
        told++;
    }
}

/* Once for each declaration. */
static void
tell_all_readers(const struct report *r, const struct told *t, const struct missing *const *row)
{
    for (size_t i = 0; i < t->n; i++) {
        bool first = row[i]->first && is_used_up(row[i], &t->facts[i]);
        for (size_t k = 0; k < i; k++) first &= row[k]->key.df != row[i]->key.df;
        if (first) tell_readers(r, row[i]);
    }
}

static void
choose(const struct report *r, bool circular, struct told *t, const struct missing **row)
{
    for (size_t i = 0; i < r->n && t->n < ROWS_MAX; i++)
        if (r->row[i].circular == circular) {
            row[t->n] = &r->row[i];
            t->key[t->n++] = r->row[i].key;
        }
}

static void
begin_report(const struct report *r)
{
    size_t n = r->n + r->unsent;
    if (r->calls)
        fault_begin(
            F_RUN10, LUNA_NONE,
            "the program cannot go on: %zu call%s wait%s for %zu fragment%s that will never "
            "come",
            r->calls, r->calls == 1 ? "" : "s", r->calls == 1 ? "s" : "", n, n == 1 ? "" : "s");
    else
        fault_begin(F_RUN10, LUNA_NONE, "%zu fragment%s asked for more often than promised", n,
                    n == 1 ? " was" : "s were");
}

/* Of all ranks; rank 0 prints. */
static void
report(const struct nodes *all)
{
    struct report r = {.all = all, .program = all->node[0]->program};
    struct told *t = mem_zalloc(1, sizeof *t);
    const struct missing *row[ROWS_MAX];
    if (!t) fault_nomem();
    for (; r.number < all->n; r.number++) store_each(all->node[r.number]->store, collect, &r);
    if (ranks_on()) gather_rows(&r);
    if (r.n) qsort(r.row, r.n, sizeof *r.row, by_key);
    merge_rows(&r);
    count_owners(&r);
    mark_circular(&r);
    choose(&r, false, t, row); /* causes first, what follows from them behind */
    choose(&r, true, t, row);
    gather_facts(all, t);
    if (ranks_number()) fault_leave(EXIT_STUCK);
    begin_report(&r);
    for (size_t i = 0; i < t->n; i++) tell(&r, row[i], &t->facts[i]);
    tell_all_readers(&r, t, row);
    if (t->n < r.n + r.unsent)
        fault_hint("%zu more missing fragments are not listed", r.n + r.unsent - t->n);
    mem_free(r.row);
    mem_free(t);
    fault_end(EXIT_STUCK);
}

void
stuck_end(const struct nodes *all)
{
    uint64_t any = stuck_any(all);
    ranks_sum(&any, 1);
    ranks_bcast(&any, sizeof any);
    if (any) report(all);
}

/* ---- out of memory ---- */

struct weights {
    const struct luna_program *program;
    uint64_t *bytes; /* per declaration */
    uint64_t all;
};

static void
weigh(void *who, const struct store_entry *e)
{
    struct weights *w = who;
    size_t size;
    uint32_t df = e->key->df & ~KEY_MARKS;
    if (!e->present || df >= w->program->ndfs) return;
    value_bytes(&e->value, &size);
    w->bytes[df] += size + 64;
    w->all += size + 64;
}

enum { HEAVIEST = 5 };

static uint32_t
heaviest(const struct weights *w)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < w->program->ndfs; i++)
        if (w->bytes[i] > w->bytes[most]) most = i;
    return most;
}

void
stuck_heaviest(const struct nodes *all, bool sums, char *text, size_t size)
{
    const struct luna_program *p = all->node[0]->program;
    struct weights w = {p, calloc(p->ndfs + 1, sizeof *w.bytes), 0};
    *text = 0;
    if (!w.bytes) return;
    for (int i = 0; i < all->n; i++) store_each(all->node[i]->store, weigh, &w);
    if (sums) ranks_sum(w.bytes, p->ndfs);
    size_t n = 0;
    for (int k = 0; k < HEAVIEST; k++) {
        uint32_t most = heaviest(&w);
        if (!p->ndfs || !(w.bytes[most] >> 20) || n + 80 > size) break;
        n += (size_t)snprintf(text + n, size - n, "%s'%.40s' %" PRIu64 " MiB", n ? ", " : "",
                              p->dfs[most].name, w.bytes[most] >> 20);
        w.bytes[most] = 0;
    }
    free(w.bytes);
}

bool
stuck_memory(void *who)
{
    const struct nodes *all = who;
    const struct luna_program *p = all->node[0]->program;
    struct weights w = {p, calloc(p->ndfs + 1, sizeof *w.bytes), 0};
    char depth[DEPTH_TEXT];
    if (!w.bytes) return true;
    for (int i = 0; i < all->n; i++) store_each(all->node[i]->store, weigh, &w);
    bool values = w.all > pool_bytes() / 2;
    for (int k = 0; k < HEAVIEST; k++) {
        uint32_t most = heaviest(&w);
        if (!p->ndfs || !w.bytes[most]) break;
        fault_note(p->dfs[most].place, "'%s' holds %" PRIu64 " KiB", p->dfs[most].name,
                   w.bytes[most] >> 10);
        w.bytes[most] = 0;
    }
    free(w.bytes);
    if (!values) fault_note(LUNA_NONE, "most of it are calls, not values");
    const struct luna_sub *sub = depth_tell(all, depth);
    if (sub) fault_note(sub->place, "%s", depth);
    return values;
}
