/* stuck.c - the store's waiting lists are the diagnosis: an entry without a value that has waiters is a
 * missing fragment, and its waiters name place and indices. */
#include "stuck.h"

#include "runtime/base/buf.h"
#include "runtime/base/mem.h"
#include "runtime/exec.h"
#include "runtime/fault.h"
#include "runtime/name.h"
#include "runtime/runtime.h"

#include <stdlib.h>

struct missing { /* one fragment somebody waits for */
    struct key key;
    bool doomed, spent;
    struct task *first; /* one of those who wait */
    size_t waiters;
    bool circular;      /* a waiting call would write it */
};

struct report {
    const struct node *node;
    struct missing *row;
    size_t n, room, calls;
};

static void
collect(void *who, const struct store_entry *e)
{
    struct report *r = who;
    if (!e->waiters) return;
    if (r->n == r->room) {
        r->room = r->room ? r->room * 2 : 64;
        struct missing *row = mem_realloc(r->row, r->room * sizeof *row);
        if (!row) fault_nomem();
        r->row = row;
    }
    struct missing *m = &r->row[r->n++];
    *m = (struct missing){.key = *e->key, .doomed = e->doomed, .spent = e->spent,
                          .first = (struct task *)e->waiters};
    for (const struct waiter *w = e->waiters; w; w = w->next) m->waiters++;
    r->calls += m->waiters;
}

static void
any_waiter(void *who, const struct store_entry *e)
{
    if (e->waiters) *(bool *)who = true;
}

bool
stuck_any(const struct node *n)
{
    bool any = false;
    store_each(n->store, any_waiter, &any);
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

/* ---- causes ---- */

static struct missing *
find(struct report *r, const struct key *k)
{
    struct missing want = {.key = *k};
    return bsearch(&want, r->row, r->n, sizeof *r->row, by_key);
}

/* Marks what a waiting call would write: its absence is a consequence. */
static void
mark_writes_of(struct report *r, const struct task *t)
{
    const struct luna_program *p = r->node->program;
    const struct luna_site *s = &p->sites[t->site];
    if (s->kind != LUNA_S_CALL && s->kind != LUNA_S_TEST) return;
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct luna_arg *arg = &p->args[s->arg + i];
        struct key k;
        if (arg->kind != LUNA_A_NAME || !exec_ref_key(p, t, arg->row, t->at, &k)) continue;
        struct missing *m = find(r, &k);
        if (m) m->circular = true;
    }
}

static void
mark_circular(struct report *r)
{
    for (size_t i = 0; i < r->n; i++)
        for (struct waiter *w = &r->row[i].first->link; w; w = w->next)
            mark_writes_of(r, (struct task *)w);
}

struct range_of { /* which instances of a declaration exist */
    const struct key *key;
    size_t others;
    struct key lo, hi; /* component-wise */
};

static void
widen(void *who, const struct store_entry *e)
{
    struct range_of *r = who;
    if (!e->present || e->key->df != r->key->df || e->key->n != r->key->n) return;
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

/* Some statement of the program could write a DF of this declaration (through a parameter perhaps). */
static bool
anybody_writes(const struct luna_program *p, uint32_t df)
{
    for (uint32_t i = 0; i < p->nsites; i++)
        if (site_writes(p, &p->sites[i], df)) return true;
    return false;
}

static void
add_written_range(struct buf *b, const struct range_of *r)
{
    buf_str(b, "nobody writes it; written are ");
    for (uint32_t i = 0; i < r->key->n; i++)
        buf_printf(b, r->lo.ix[i] == r->hi.ix[i] ? "[%d]" : "[%d..%d]", r->lo.ix[i], r->hi.ix[i]);
}

static void
cause(const struct report *r, const struct missing *m, struct buf *b)
{
    const struct luna_program *p = r->node->program;
    enum store_gone gone = store_gone(r->node->store, &m->key);
    struct range_of range = {.key = &m->key};
    if (m->key.df & KEY_PUSHED) {
        buf_str(b, "no afterpush has sent it to this call");
    } else if (m->doomed || gone == GONE_KILLED) {
        buf_str(b, "it was deleted before this call asked");
    } else if (m->spent || gone == GONE_USED_UP) {
        buf_str(b, "its req_count was used up by earlier readers");
    } else if (m->circular) {
        buf_str(b, "its writer waits too");
    } else if (!anybody_writes(p, m->key.df)) {
        buf_str(b, "nothing in the program writes it");
    } else {
        store_each(r->node->store, widen, &range);
        if (range.others && m->key.n) add_written_range(b, &range);
        else buf_str(b, "nobody writes it");
    }
}

/* ---- the report ---- */

enum { ROWS_MAX = 12 };

static void
tell(struct report *r, const struct missing *m)
{
    const struct luna_program *p = r->node->program;
    char df[NAME_MAX_TEXT], cf[NAME_MAX_TEXT];
    struct buf why = {0};
    name_df(p, &m->key, df, sizeof df);
    name_cf(p, m->first, cf, sizeof cf);
    cause(r, m, &why);
    if (m->waiters == 1)
        fault_note(p->sites[m->first->site].place, "%s waits for '%s': %s", cf, df, why.data);
    else
        fault_note(p->sites[m->first->site].place, "%s and %zu more wait for '%s': %s", cf,
                   m->waiters - 1, df, why.data);
    buf_fini(&why);
}

static void
tell_some(struct report *r, bool circular, size_t *told)
{
    for (size_t i = 0; i < r->n && *told < ROWS_MAX; i++)
        if (r->row[i].circular == circular) {
            tell(r, &r->row[i]);
            ++*told;
        }
}

void
stuck_report(const struct node *n)
{
    struct report r = {.node = n};
    size_t told = 0;
    store_each(n->store, collect, &r);
    qsort(r.row, r.n, sizeof *r.row, by_key);
    mark_circular(&r);
    fault_begin(F_RUN10, LUNA_NONE,
                "the program cannot go on: %zu call%s wait%s for %zu fragment%s that will never come",
                r.calls, r.calls == 1 ? "" : "s", r.calls == 1 ? "s" : "", r.n, r.n == 1 ? "" : "s");
    tell_some(&r, false, &told); /* causes first, what follows from them behind */
    tell_some(&r, true, &told);
    if (told < r.n) fault_hint("%zu more missing fragments are not listed", r.n - told);
    mem_free(r.row);
    fault_end(EXIT_STUCK);
}

/* ---- out of memory ---- */

struct weights {
    const struct luna_program *program;
    size_t *bytes; /* per declaration */
};

static void
weigh(void *who, const struct store_entry *e)
{
    struct weights *w = who;
    size_t size;
    uint32_t df = e->key->df & ~KEY_PUSHED;
    if (!e->present || df >= w->program->ndfs) return;
    value_bytes(&e->value, &size);
    w->bytes[df] += size + 64;
}

void
stuck_memory(void *who)
{
    const struct node *n = who;
    const struct luna_program *p = n->program;
    struct weights w = {p, calloc(p->ndfs, sizeof *w.bytes)};
    if (!w.bytes) return;
    store_each(n->store, weigh, &w);
    for (int k = 0; k < 5; k++) {
        uint32_t most = 0;
        for (uint32_t i = 0; i < p->ndfs; i++)
            if (w.bytes[i] > w.bytes[most]) most = i;
        if (!p->ndfs || !w.bytes[most]) break;
        fault_note(p->dfs[most].place, "'%s' holds %zu KiB", p->dfs[most].name, w.bytes[most] >> 10);
        w.bytes[most] = 0;
    }
    free(w.bytes);
}
