/* stuck_cause.c - why a fragment never comes: its writer waits too; it was freed, deleted or kept
 * for nobody; it lies elsewhere; nobody writes it. */
#include "stuck_parts.h"

#include "runtime/fault/fault.h"
#include "runtime/table/mention.h"

#include <stdlib.h>

/* ---- causes ---- */

enum { STEPS_MAX = 1 << 22 };

static struct missing *
find(struct stuck *r, const struct key *k)
{
    struct missing want = {.key = *k};
    return bsearch(&want, r->row, r->n, sizeof *r->row, stuck_by_key);
}

static void
mark_one(struct stuck *r, const struct key *k)
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

/* What a `while` that waits may yet make: its turns from this one on. */
struct turns {
    uint32_t word; /* of the counter; LUNA_NONE: there is none */
    int32_t from;
    const struct luna_ref *ref; /* that the body names */
};

/* A turn before named it, or none will: its body names x[t] and x[t+1], but not x[0] any more. */
static bool
is_behind(const struct luna_program *p, const struct turns *of, const struct missing *m,
          uint32_t given)
{
    if (!of || of->word == LUNA_NONE) return false;
    for (uint32_t i = 0; i < of->ref->nindices && given + i < m->key.n; i++) {
        const struct luna_expr *x = &p->exprs[of->ref->index + i];
        if (x->kind == LUNA_E_LOCAL && x->a == of->word &&
            (int64_t)m->key.ix[given + i] < (int64_t)of->from + x->k)
            return true;
    }
    return false;
}

/* All that a sub could write through a name it is given: whatever begins so. Not for ever: a
 * million calls may have been given the same name. `cause`: NULL, or it may write them, but for
 * that one. */
static void
mark_below(struct stuck *r, const struct key *k, const struct missing *cause,
           const struct turns *of)
{
    size_t lo = 0, hi = r->n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (lies_before(&r->row[middle], k)) lo = middle + 1;
        else hi = middle;
    }
    for (; lo < r->n && begins_with(&r->row[lo], k) && r->steps < STEPS_MAX; lo++, r->steps++) {
        struct missing *m = &r->row[lo];
        if (m->key.id != k->id || m->circular || m == cause) continue;
        if (is_behind(r->program, of, m, k->n)) continue;
        m->circular = true;
        m->perhaps = cause != NULL;
    }
}

/* Its name follows from counters and parameters alone. */
static bool
is_of_counters(const struct luna_program *p, const struct luna_ref *ref)
{
    for (uint32_t i = 0; i < ref->nindices; i++) {
        const struct luna_expr *x = &p->exprs[ref->index + i];
        if (x->kind == LUNA_E_IN || (x->kind >= LUNA_E_INT_FN && !x->blind)) return false;
    }
    return true;
}

/* Of an element that waits: what its reduction, or the call of its list, would write. The words of
 * a term begin with theirs; not so the inputs. */
static void
mark_writes_above(struct stuck *r, const struct task *t)
{
    const struct luna_program *p = r->program;
    const struct luna_site *s = stuck_who_waits(p, t);
    struct key k;
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct luna_arg *arg = &p->args[s->arg + i];
        if (arg->kind == LUNA_A_NAME && is_of_counters(p, &p->refs[arg->row]) &&
            mention_task_key(p, t, arg->row, &k))
            mark_one(r, &k);
    }
}

/* What a statement in a block of t's would write, if that came to be; not `cause`, for which t
 * waits. */
static void
mark_perhaps(struct stuck *r, const struct luna_ref *ref, const struct task *t,
             const struct missing *cause, struct turns of)
{
    struct key k;
    const struct luna_site *site = &r->program->sites[t->site];
    luna_env e = mention_env(site, (struct task *)t);
    if (ref->base == LUNA_B_LOCAL_ID && ref->word >= site->nlocal) return; /* has not begun */
    mention_begin(&e, t->frame, ref, &k);
    of.ref = ref;
    mark_below(r, &k, cause, &of);
}

/* What a loop or a condition that waits has in its body. */
static void
mark_within(struct stuck *r, uint32_t block, const struct task *t, const struct missing *cause,
            struct turns of)
{
    const struct luna_program *p = r->program;
    if (block == LUNA_NONE) return;
    const struct luna_block *b = &p->blocks[block];
    for (const struct luna_site *s = p->sites + b->site; s < p->sites + b->site + b->nsites; s++) {
        const struct luna_rules *rules = s->rules == LUNA_NONE ? NULL : &p->rules[s->rules];
        for (unsigned i = 0; i < s->nargs; i++)
            if (p->args[s->arg + i].kind == LUNA_A_NAME)
                mark_perhaps(r, &p->refs[p->args[s->arg + i].row], t, cause, of);
        for (uint32_t i = 0; rules && i < rules->nset; i++)
            mark_perhaps(r, &p->refs[rules->set + i], t, cause, of);
        if (s->kind == LUNA_S_CALL || s->kind == LUNA_S_EXPAND) continue;
        mark_within(r, s->body, t, cause, of);
        if (s->kind == LUNA_S_IF) mark_within(r, s->b, t, cause, of);
    }
}

/* Marks what a waiting call would write: its absence is a consequence. */
static void
mark_writes_of(struct stuck *r, const struct task *t)
{
    const struct luna_program *p = r->program;
    const struct luna_site *s = &p->sites[t->site];
    const struct luna_rules *rules = s->rules == LUNA_NONE ? NULL : &p->rules[s->rules];
    struct key k;
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct luna_arg *arg = &p->args[s->arg + i];
        if (arg->kind != LUNA_A_NAME || !mention_task_key(p, t, arg->row, &k)) continue;
        if (s->kind == LUNA_S_EXPAND) mark_below(r, &k, NULL, NULL);
        else mark_one(r, &k);
    }
    if (stuck_is_element(p, t)) mark_writes_above(r, t);
    for (uint32_t i = 0; rules && i < rules->nset; i++)
        if (mention_task_key(p, t, rules->set + i, &k)) mark_one(r, &k);
}

/* The same of a statement that would make others. */
static void
mark_made_by(struct stuck *r, const struct task *t, const struct missing *cause)
{
    const struct luna_site *s = &r->program->sites[t->site];
    bool makes = s->kind == LUNA_S_FOR || s->kind == LUNA_S_IF || s->kind == LUNA_S_WHILE ||
                 s->kind == LUNA_S_TEST;
    struct turns of = {.word = LUNA_NONE};
    if (s->kind == LUNA_S_TEST && s->nlocal)
        of = (struct turns){s->nlocal - 1u, (int32_t)t->word[s->nlocal - 1].i, NULL};
    if (makes) mark_within(r, s->body, t, cause, of);
    if (s->kind == LUNA_S_IF) mark_within(r, s->b, t, cause, of);
}

void
stuck_mark_circular(struct stuck *r)
{
    for (size_t i = 0; i < r->n; i++)
        for (const struct waiter *w = r->row[i].first; w; w = w->next)
            if (waiter_call(w)) mark_writes_of(r, waiter_call(w));
    for (size_t i = 0; i < r->n; i++) /* what is sure goes first */
        for (const struct waiter *w = r->row[i].first; w; w = w->next)
            if (waiter_call(w)) mark_made_by(r, waiter_call(w), &r->row[i]);
}

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

void
stuck_find_facts(const struct nodes *all, const struct key *k, struct stuck_facts *f)
{
    *f = (struct stuck_facts){.holder = -1, .gone = GONE_NOT, .range = {.key = k}};
    for (int i = 0; i < all->n; i++) {
        struct store *store = all->node[i]->store;
        if (f->holder < 0 && store_has(store, k)) f->holder = all->node[i]->number;
        int32_t gone = (int32_t)store_gone(store, k);
        if (f->gone < gone) f->gone = gone;
        f->let_go |= store_let_go(store, k->df);
        store_each(store, widen, &f->range);
    }
}

void
stuck_add_facts(struct stuck_facts *f, const struct stuck_facts *more)
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

bool
stuck_is_used_up(const struct missing *m, const struct stuck_facts *f)
{
    if (f->holder >= 0 || m->key.df & KEY_PUSHED || m->doomed || f->gone == GONE_KILLED)
        return false;
    return m->spent || f->gone == GONE_USED_UP;
}

/* What is there is all that was written, unless some of it has been freed. */
static void
add_absence(struct buf *b, const struct missing *m, const struct stuck_facts *f)
{
    buf_str(b, "nobody writes it");
    if (f->gone == GONE_PERHAPS) buf_str(b, ", or it has been freed already");
    if (!f->range.others || !m->key.n) return;
    buf_str(b, f->let_go ? "; still held are " : "; written are ");
    add_range(b, &f->range);
}

void
stuck_cause(const struct stuck *r, const struct missing *m, const struct stuck_facts *f,
            struct buf *b)
{
    if (f->holder >= 0) {
        buf_printf(b,
                   "its writer put it on node %d, its reader asked node %d: their locators differ",
                   f->holder, m->asked_at);
    } else if (m->key.df & KEY_PUSHED) {
        buf_str(b, "no afterpush has sent it to this call");
    } else if (m->doomed || f->gone == GONE_KILLED) {
        buf_str(b, "it was deleted before this call asked");
    } else if (stuck_is_used_up(m, f)) {
        buf_str(b, "its req_count promises fewer readers");
    } else if (f->gone == GONE_DROPPED) {
        buf_str(b, "it was written, but kept for no reader that asks: by drop, or by afterpush "
                   "without req_count");
    } else if (m->circular) {
        buf_str(b, m->perhaps ? "a statement that may write it waits too" : "its writer waits too");
    } else if (!anybody_writes(r->program, m->key.df)) {
        buf_str(b, "nothing in the program writes it");
    } else {
        add_absence(b, m, f);
    }
}
