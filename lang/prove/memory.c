/* memory.c - see memory.h. */
#include "lang/prove/memory.h"

#include "runtime/base/amount.h"
#include "runtime/base/vec.h"

#include <inttypes.h>
#include <string.h>

enum { UNKNOWN_AMOUNT = -1, NUMBER_BYTES = 8, INDEX_MAX = 1 << 23 };

enum reason { KNOWN, BY_ARGS, BY_VALUES, BY_CALLS, BY_SIZE, BY_RULE, BY_WRAPS, BY_FORM };

struct row {
    const char *name;
    struct span span;
    struct alive alive;
    uint32_t decl, reduced; /* what its fragments are reduced to, or PLAN_NONE */
    int64_t calls, bytes, all; /* UNKNOWN_AMOUNT */
    int nindices;
    bool ruled;                /* it has a bytes rule */
    enum reason why;
};

struct memory {
    struct arena *arena;
    const struct plan *plan;
    struct main_args *given; /* by sub */
    int64_t *calls;          /* by sub */
    bool has_args;
    double (*size_of)(const void *who, const char *name);
    const void *size_who;
    struct row *row;
    int n, room;
};

/* ---- what subs are called with, and how often ---- */

static bool
known_row(const struct plan *p, const struct main_args *in, uint32_t row, int64_t *value)
{
    const struct plan_expr *e = &p->exprs.row[row];
    *value = e->k;
    if (e->kind == PE_INT) return true;
    if (e->kind == PE_FRAME) {
        *value += in->value[e->a];
        return in->known[e->a];
    }
    if (e->kind != PE_AFFINE) return false;
    for (uint32_t i = 0; i < e->a; i++) {
        const struct plan_term *t = &p->terms.row[e->terms + i];
        if (!t->in_frame || !in->known[t->word]) return false;
        *value += t->coefficient * in->value[t->word];
    }
    return true;
}

/* What one call gives; `first`: no other was looked at yet. */
static void
give(struct memory *m, const struct plan_site *s, bool first)
{
    struct main_args *to = &m->given[s->callee];
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct plan_arg *arg = &m->plan->args.row[s->arg + i];
        bool *known = (bool *)&to->known[i];
        int64_t value = 0, *is = (int64_t *)&to->value[i];
        bool good = arg->kind == PA_INT &&
                    known_row(m->plan, &m->given[s->sub], arg->row, &value) &&
                    value == (int32_t)value;
        *known = good && (first || (*known && *is == value));
        *is = value;
    }
}

/* Subs that are called outside of loops, from the outside in: what a sub is called with is known
 * when all that call it are. In a recursion nothing is. */
static bool
settle(struct memory *m, const bool *done, uint32_t sub)
{
    const struct plan *p = m->plan;
    int64_t calls = 0;
    bool any = false;
    for (uint32_t i = 0; i < p->sites.n; i++) {
        const struct plan_site *s = &p->sites.row[i];
        if (s->kind == PS_EXPAND && s->callee == sub && !done[s->sub]) return false;
    }
    for (uint32_t i = 0; i < p->sites.n; i++) {
        const struct plan_site *s = &p->sites.row[i];
        if (s->kind != PS_EXPAND || s->callee != sub) continue;
        bool counted = m->calls[s->sub] >= 0 && calls >= 0 && !s->nlocal;
        calls = counted ? calls + m->calls[s->sub] : UNKNOWN_AMOUNT;
        give(m, s, !any);
        any = true;
    }
    if (any) m->calls[sub] = calls;
    return true;
}

static void
settle_all(struct memory *m)
{
    uint32_t n = m->plan->subs.n;
    bool *done = arena_array(m->arena, bool, n);
    for (uint32_t i = 0; i < n; i++) m->calls[i] = i == m->plan->main ? 1 : UNKNOWN_AMOUNT;
    for (uint32_t i = 0; i < m->plan->sites.n; i++) {
        const struct plan_site *s = &m->plan->sites.row[i];
        if (s->kind == PS_EXPAND && s->callee == m->plan->main)
            m->calls[s->callee] = UNKNOWN_AMOUNT;
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < n; i++)
            if (!done[i] && settle(m, done, i)) done[i] = more = true;
    }
}

struct memory *
memory_new(struct arena *a, const struct plan *p, const struct main_args *args,
           double (*size_of)(const void *who, const char *name), const void *size_who)
{
    struct memory *m = arena_new_of(a, struct memory);
    *m = (struct memory){.arena = a, .plan = p, .size_of = size_of, .size_who = size_who};
    m->given = arena_array(a, struct main_args, p->subs.n);
    m->calls = arena_array(a, int64_t, p->subs.n);
    for (uint32_t i = 0; i < p->subs.n; i++) {
        size_t words = (size_t)p->subs.row[i].nwords + 1;
        m->given[i].known = arena_array(a, bool, words);
        m->given[i].value = arena_array(a, int64_t, words);
    }
    m->has_args = args != NULL;
    if (args) m->given[p->main] = *args;
    settle_all(m);
    return m;
}

const struct main_args *
memory_given(const struct memory *m)
{
    return m->given;
}

/* ---- bytes ---- */

/* The words of a rule: those of the block, as far as they are parameters, and indices. */
struct sizing {
    struct walk *w;
    const struct touched *t;
    const struct plan_about *about;
    struct interval index[UINT8_MAX];
    bool open[UINT8_MAX]; /* indices of which the ends are not known */
};

static const struct sums *
captured_word(void *who, unsigned word)
{
    struct sizing *z = who;
    if (word >= z->about->ncaptures) return NULL;
    const struct plan_capture *c = &z->w->plan->captures.row[z->about->capture + word];
    const struct sums *f = c->from == PF_FRAME ? access_word(z->w, c->word) : NULL;
    return f && f->lo == f->hi ? f : NULL;
}

static const struct sums *
index_word(void *who, unsigned word)
{
    struct sizing *z = who;
    if (word >= z->about->nindices || z->open[word]) return NULL;
    return form_of_column(&z->w->forms, SETS_FROM, (int)word);
}

/* Between which its indices are, as far as the ends of words show. */
static void
bound_indices(struct sizing *z)
{
    unsigned hidden = (unsigned)z->t->hidden;
    for (unsigned i = 0; i < z->about->nindices; i++) {
        struct interval r = {INT64_MAX, INT64_MIN};
        for (const struct access *x = z->t->writes; x; x = x->next) {
            const struct sums *f = x->index[hidden + i];
            z->open[i] |= !f || f->lo < -INDEX_MAX || f->hi > INDEX_MAX;
            if (f && f->lo < r.lo) r.lo = f->lo;
            if (f && f->hi > r.hi) r.hi = f->hi;
        }
        z->index[i] = r;
    }
}

static int64_t
bytes_by_rule(struct walk *w, const struct touched *t, const struct plan_about *about)
{
    struct sizing z = {.w = w, .t = t, .about = about};
    struct former was = w->forms;
    bool fits = about->nindices == (uint32_t)(t->n - t->hidden) && about->nindices < UINT8_MAX;
    if (!fits) return UNKNOWN_AMOUNT;
    bound_indices(&z);
    w->forms.counters = z.index;
    form_know_nothing(&w->forms);
    w->forms.frame = captured_word;
    w->forms.index = index_word;
    w->forms.who = &z;
    const struct sums *f = form_of_row(&w->forms, w->plan, about->bytes);
    w->forms = was;
    return f && f->hi < INT32_MAX && f->hi >= 0 ? f->hi : UNKNOWN_AMOUNT;
}

static bool
names_input(const struct expr_node *n, unsigned in)
{
    return n && ((n->kind == N_IN && n->word == in) || names_input(n->a, in) ||
                 names_input(n->b, in) || names_input(n->c, in));
}

/* As a value, whatever it is. */
static bool
is_taken_whole(const struct plan *p, const struct access *x)
{
    const struct plan_site *s = x->site;
    if (s->kind != PS_CALL && s->kind != PS_EXPAND) return s->kind == PS_TERM;
    for (unsigned i = 0; i < s->nin; i++) {
        if (p->ins.row[s->in + i].ref != x->ref) continue;
        if (p->ins.row[s->in + i].part != PLAN_NONE) return true; /* it has bytes */
        for (unsigned k = 0; k < s->nargs; k++) {
            const struct plan_arg *arg = &p->args.row[s->arg + k];
            const struct plan_expr *e = &p->exprs.row[arg->row];
            if ((arg->kind == PA_VALUE || arg->kind == PA_STRING) &&
                ((e->kind == PE_IN && e->a == i) || names_input(e->node, i)))
                return true;
        }
    }
    return false;
}

/* All that is made, or all that is read, are numbers. */
static bool
is_number(const struct plan *p, const struct touched *t)
{
    bool made = t->writes, read = t->reads;
    for (const struct access *x = t->reads; x; x = x->next)
        read &= !x->through && !is_taken_whole(p, x);
    for (const struct access *x = t->writes; x; x = x->next)
        made &= x->site->kind == PS_TEST || x->out < 0;
    return made || read;
}

static int64_t
bytes_of(const struct memory *m, struct walk *w, const struct touched *t, bool *ruled)
{
    uint32_t about = m->plan->dfs.row[t->decl].about;
    *ruled = about != PLAN_NONE && m->plan->abouts.row[about].bytes != PLAN_NONE;
    if (*ruled) return bytes_by_rule(w, t, &m->plan->abouts.row[about]);
    if (is_number(m->plan, t)) return NUMBER_BYTES;
    double mean = m->size_who ? m->size_of(m->size_who, m->plan->dfs.row[t->decl].name) : -1;
    return mean < 0 ? UNKNOWN_AMOUNT : (int64_t)(mean + 0.5);
}

/* ---- rows ---- */

static enum reason
reason_for(enum lack lack)
{
    switch (lack) {
    case LACK_VALUE: return BY_VALUES;
    case LACK_WRAPS: return BY_WRAPS;
    case LACK_SUM:
    case LACK_NUMBER: return BY_FORM;
    }
    return KNOWN;
}

/* Why an index, or an end of a loop around it, is not known; KNOWN: it is. */
static enum reason
lack_of(const struct access *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!x->index[i]) return reason_for(x->lack);
    for (const struct nesting *s = x->at; s; s = s->up)
        if (s->kind == STEP_LOOP && (!s->lo || !s->hi) && s->lack) return reason_for(s->lack);
    return KNOWN;
}

/* What its number depends on. */
static enum reason
reason_of(const struct walk *w, const struct touched *t)
{
    bool *used = arena_array(w->forms.arena, bool, (size_t)w->nfixed + 1);
    enum reason lack = KNOWN, why = BY_VALUES;
    for (const struct access *x = t->writes; x; x = x->next) {
        enum reason here = lack_of(x, t->n);
        if (here == BY_VALUES) return here;
        if (here) lack = here;
        access_mark(w, x, t->n, used);
    }
    for (int i = 0; i < w->nfixed; i++)
        if (used[i]) {
            if (w->fixed[i].kind > FIXED_PARAM) return BY_VALUES;
            why = w->fixed[i].kind == FIXED_MAIN ? BY_ARGS : BY_CALLS;
        }
    return lack ? lack : why;
}

static uint32_t
reduced_to(const struct plan *p, const struct touched *t)
{
    for (const struct access *x = t->reads; x; x = x->next)
        for (const struct nesting *s = x->at; s; s = s->up)
            if (s->kind == STEP_LOOP && s->site->kind == PS_REDUCE) {
                const struct plan_ref *r = &p->refs.row[p->args.row[s->site->arg].row];
                return r->base == PB_PARAM ? PLAN_NONE : r->df;
            }
    return PLAN_NONE;
}

/* More than there is room for is the most there is. */
static int64_t
times(int64_t a, int64_t b)
{
    int64_t c;
    if (a < 0 || b < 0) return UNKNOWN_AMOUNT;
    return __builtin_mul_overflow(a, b, &c) ? INT64_MAX : c;
}

void
memory_add(struct memory *m, struct walk *w, const struct touched *t, const struct alive *alive,
           const char *name)
{
    struct row r = {.name = name,
                    .span = m->plan->dfs.row[t->decl].sym->name.span,
                    .alive = *alive,
                    .decl = t->decl,
                    .reduced = reduced_to(m->plan, t),
                    .calls = m->calls[w->sub],
                    .nindices = t->n - t->hidden};
    if (!t->writes) return;
    r.bytes = bytes_of(m, w, t, &r.ruled);
    if (!alive->known) r.why = reason_of(w, t);
    else if (r.calls < 0) r.why = BY_CALLS;
    vec_need(m->arena, m->row, m->n, m->room);
    m->row[m->n++] = r;
}

/* ---- telling ---- */

static void
put_amount(struct buf *b, int64_t bytes)
{
    buf_str(b, bytes < 0 ? "?" : amount_bytes((double)bytes).text);
}

/* 2 x 16 x 32.00 KiB */
static const char *
product(struct arena *a, const struct row *r)
{
    struct buf b = {0};
    if (r->calls > 1) buf_printf(&b, "%" PRId64 " x ", r->calls);
    if (r->alive.levels) buf_printf(&b, "%d x ", r->alive.levels);
    if (r->alive.known) buf_printf(&b, "%" PRId64 " x ", r->alive.lines);
    else buf_str(&b, "? x ");
    put_amount(&b, r->bytes);
    const char *text = arena_text(a, &b);
    return text ? text : "";
}

static const char *
remark(const struct row *r)
{
    switch (r->why) {
    case BY_ARGS: return "depends on main's arguments: luna check --memory FILE ARGS";
    case BY_VALUES: return "unbounded: how many there are follows from values";
    case BY_CALLS: return "depends on the calls of its sub";
    case BY_WRAPS: return "not known: an index, or the end of a loop, may wrap around";
    case BY_FORM:
        return "not known: an index, or the end of a loop, is no sum of counters and ints";
    case BY_RULE: return "its bytes rule gives no number that holds for all of them";
    case BY_SIZE: return "how large they are is not known: say it with a bytes rule";
    default: return r->alive.levels ? "whatever the order" : "all of them";
    }
}

/* x[i][j] */
static const char *
form_of_name(struct arena *a, const char *name, int n)
{
    for (int i = 0; i < n; i++) name = arena_printf(a, "%s[%c]", name, "ijklmn"[i % 6]);
    return name;
}

static void
judge(const struct memory *m, const struct row *r, uint64_t limit, struct diag *d)
{
    const char *name = m->plan->dfs.row[r->decl].name;
    if (r->why == KNOWN || (r->why != BY_VALUES && !limit)) return;
    diag(d, limit && r->why == BY_VALUES ? SEV_ERROR : SEV_WARNING, D_MEM1, r->span,
         r->why == BY_SIZE ? "how large the values of '%s' are is not known"
         : r->why == BY_VALUES ? "nothing limits how many values of '%s' are alive"
                               : "how much of '%s' is alive is not known",
         name);
    if (r->why == BY_VALUES)
        diag_hint(d, "a worker makes no new calls while 65536 of its own wait for values and some "
                     "can run: that is the limit in practice");
    if (r->why == BY_SIZE)
        diag_hint(d, "say it behind the block that declares it: @ { bytes %s => 8 * N; }",
                  form_of_name(m->arena, name, r->nindices));
    if (r->why == BY_ARGS) diag_hint(d, "give main's arguments: luna check --memory FILE ARGS");
}

/* A number is made of numbers, and makes them. */
static void
size_reduced(struct memory *m)
{
    for (int i = 0; i < m->n; i++)
        for (int k = 0; k < m->n; k++)
            if (m->row[i].bytes < 0 && m->row[k].decl == m->row[i].reduced &&
                m->row[k].bytes == NUMBER_BYTES)
                m->row[i].bytes = NUMBER_BYTES;
}

static void
sum_up(const struct memory *m, struct row *r)
{
    bool asks = m->plan->subs.row[m->plan->main].sub->nparams && !m->has_args;
    int64_t lines = r->alive.known ? r->alive.lines : UNKNOWN_AMOUNT;
    r->all = times(times(r->calls, times(lines, r->alive.levels ? r->alive.levels : 1)), r->bytes);
    if (asks && (r->why == BY_WRAPS || r->why == BY_FORM)) r->why = BY_ARGS;
    if (r->why == KNOWN && r->bytes < 0) r->why = !r->ruled ? BY_SIZE : asks ? BY_ARGS : BY_RULE;
}

static int
wider(int least, const char *text)
{
    int n = (int)strlen(text);
    return n > least ? n : least;
}

void
memory_tell(struct memory *m, uint64_t limit, struct diag *d, struct buf *out)
{
    int names = 0, products = 0;
    uint64_t sum = 0;
    bool all = true, any = !m->n;
    size_reduced(m);
    for (int i = 0; i < m->n; i++) {
        sum_up(m, &m->row[i]);
        names = wider(names, m->row[i].name);
        products = wider(products, product(m->arena, &m->row[i]));
    }
    for (int i = 0; i < m->n; i++) {
        const struct row *r = &m->row[i];
        all &= r->all >= 0;
        any |= r->all >= 0;
        if (r->all >= 0 && __builtin_add_overflow(sum, (uint64_t)r->all, &sum)) sum = UINT64_MAX;
        buf_printf(out, "%-*s  %-*s  %11s  %s\n", names, r->name, products, product(m->arena, r),
                   r->all < 0 ? "?" : amount_bytes((double)r->all).text, remark(r));
        judge(m, r, limit, d);
    }
    if (any)
        buf_printf(out, "all nodes together at most %s%s, without copies on other nodes\n",
                   amount_bytes((double)sum).text, all ? "" : ", and what is not known");
    else buf_str(out, "how much all nodes hold together is not known\n");
    if (!limit || sum <= limit) return;
    const struct row *r = m->row;
    for (int i = 1; i < m->n; i++)
        if (m->row[i].all > r->all) r = &m->row[i];
    diag(d, SEV_ERROR, D_MEM1, r->span, "up to %s are alive at once, and %s are allowed",
         amount_bytes((double)sum).text, amount_bytes((double)limit).text);
    diag_note(d, r->span, "'%s' takes most: %s", m->plan->dfs.row[r->decl].name,
              product(m->arena, r));
}
