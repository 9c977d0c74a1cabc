/* share.c - which loops are shared, and who creates what. */
#include "share.h"

#include "runtime/base/mem.h"
#include "runtime/table/eval.h"
#include "runtime/table/cells.h"
#include "runtime/exec/exec_parts.h"
#include "runtime/node/msg.h"
#include "runtime/node/node.h"
#include "runtime/exec/where.h"
#include "runtime/exec/reduce.h"
#include "runtime/node/send.h"

/* Nodes a loop is sent to from one. Each level of the tree waits, on the way down and, for
 * reductions, up, for a node that may be in a call; to send costs less. */
enum { FAN_OUT = 64 };

/* ---- before the run ---- */

static uint32_t
locator_of(const struct luna_program *p, const struct luna_site *s)
{
    return s->rules == LUNA_NONE ? LUNA_NONE : p->rules[s->rules].node;
}

bool
share_is_sum(const struct luna_program *p, uint32_t expr)
{
    int kind = p->exprs[expr].kind;
    return kind == LUNA_E_INT || kind == LUNA_E_LOCAL || kind == LUNA_E_FRAME ||
           kind == LUNA_E_AFFINE;
}

/* Of a quotient; any other expression is its own, divided by 1. */
static uint32_t
dividend_of(const struct luna_program *p, uint32_t expr, int32_t *divisor)
{
    const struct luna_expr *x = &p->exprs[expr];
    bool quotient = x->kind == LUNA_E_QUOTIENT;
    if (divisor) *divisor = quotient ? x->k : 1;
    return quotient ? (uint32_t)x->u.terms : expr;
}

bool
share_is_control(const struct luna_site *s)
{
    if (s->nin || s->flags & LUNA_F_FRESH || s->rules != LUNA_NONE) return false;
    return s->kind == LUNA_S_FOR || s->kind == LUNA_S_IF;
}

uint32_t
share_other(const struct luna_site *s)
{
    return s->kind == LUNA_S_IF ? s->b : LUNA_NONE;
}

/* How often the body of a `for` runs, if its bounds are constants; else once, as far as we know. */
static double
times(const struct luna_program *p, const struct luna_site *s)
{
    const struct luna_expr *lo = &p->exprs[s->a], *hi = &p->exprs[s->b];
    struct range r;
    if (s->kind != LUNA_S_FOR || lo->kind != LUNA_E_INT || hi->kind != LUNA_E_INT) return 1;
    return range_over_steps(&r, lo->k, hi->k, s->step) ? (double)r.left + 1 : 0;
}

static void
join(const struct luna_program *p, struct share *all, uint32_t locator)
{
    uint32_t expr = p->locators[locator].expr;
    if (!all->worth) all->expr = expr;
    bool sum = share_is_sum(p, dividend_of(p, expr, NULL));
    all->uniform = sum && all->expr == expr && (all->uniform || !all->worth);
    all->worth = true;
}

/* It runs with a fragment that may be bound to a cell. */
static bool
follows_cells(const struct luna_program *p, const struct luna_site *s)
{
    return s->rules != LUNA_NONE && p->rules[s->rules].nnear > 0;
}

bool
share_has_body(const struct luna_site *s)
{
    return s->kind == LUNA_S_FOR || s->kind == LUNA_S_IF || s->kind == LUNA_S_WHILE ||
           s->kind == LUNA_S_TEST;
}

static struct share
either(struct share a, struct share b)
{
    struct share both = {.expr = a.worth ? a.expr : b.expr,
                         .calls = a.calls > b.calls ? a.calls : b.calls,
                         .worth = a.worth || b.worth,
                         .pure = a.pure && b.pure,
                         .located = a.located || b.located};
    both.uniform = both.worth && (a.uniform || !a.worth) && (b.uniform || !b.worth) &&
                   (!a.worth || !b.worth || a.expr == b.expr);
    return both;
}

static struct share analyse(const struct luna_program *p, uint32_t block);

/* One run of the body, or of either branch. */
static struct share
analyse_body(const struct luna_program *p, const struct luna_site *s)
{
    struct share body = analyse(p, s->body);
    return share_other(s) == LUNA_NONE ? body : either(body, analyse(p, share_other(s)));
}

static struct share
analyse(const struct luna_program *p, uint32_t block)
{
    const struct luna_block *b = &p->blocks[block];
    struct share all = {.expr = LUNA_NONE, .pure = true};
    for (uint32_t i = 0; i < b->nsites; i++) {
        const struct luna_site *s = &p->sites[b->site + i];
        all.located |= follows_cells(p, s) || locator_of(p, s) != LUNA_NONE;
        if (follows_cells(p, s)) {
            all.calls++;
            all.worth = true;
            all.uniform = false;
        } else if (s->kind == LUNA_S_CALL || s->kind == LUNA_S_TERM) {
            all.calls++;
            if (locator_of(p, s) != LUNA_NONE) join(p, &all, locator_of(p, s));
            else all.pure = false;
        } else if (!share_is_control(s)) {
            all.pure = false;
            if (share_has_body(s)) all.located |= analyse_body(p, s).located;
        } else {
            struct share inner = analyse_body(p, s);
            all.located |= inner.located;
            all.calls += inner.calls * times(p, s);
            all.pure = all.pure && inner.pure;
            if (!inner.worth) continue;
            all.uniform = inner.uniform && (!all.worth || (all.uniform && all.expr == inner.expr));
            all.expr = inner.expr;
            all.worth = true;
        }
    }
    return all;
}

struct share *
share_analyse(const struct luna_program *p)
{
    struct share *rows = mem_zalloc(p->nblocks, sizeof *rows);
    for (uint32_t i = 0; rows && i < p->nblocks; i++) rows[i] = analyse(p, i);
    return rows;
}

/* ---- who creates what ---- */

/* The coefficient of local word `word` in an affine expression. */
static int32_t
coefficient_of(const struct luna_program *p, const struct luna_expr *x, unsigned word)
{
    if (x->kind == LUNA_E_LOCAL) return x->a == word;
    int32_t sum = 0;
    if (x->kind == LUNA_E_AFFINE)
        for (unsigned i = 0; i < x->a; i++) {
            const struct luna_term *t = &p->terms[x->u.terms + i];
            if (!t->in_frame && t->word == word) sum += t->coefficient;
        }
    return sum;
}

/* Does it depend on counters of loops inside this one? */
static bool
depends_on_inner(const struct luna_program *p, const struct luna_expr *x, unsigned counter)
{
    if (x->kind == LUNA_E_LOCAL) return x->a > counter;
    if (x->kind == LUNA_E_AFFINE)
        for (unsigned i = 0; i < x->a; i++) {
            const struct luna_term *t = &p->terms[x->u.terms + i];
            if (!t->in_frame && t->word > counter) return true;
        }
    return false;
}

/* Iterations from one of a node to its next: n / gcd(c, n). */
static uint32_t
stride_of(int64_t c, int n)
{
    int a = n, b = where_modulo((int32_t)(c % n), n);
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return (uint32_t)(n / a);
}

/* Does the locator stay within int over the range? Beyond, wrapping breaks the stride. */
static bool
stays_int(int64_t first, int64_t c, const struct range *r)
{
    int64_t way;
    if (first < INT32_MIN || first > INT32_MAX) return false;
    return !__builtin_mul_overflow(c, (int64_t)r->left, &way) && way >= INT32_MIN - first &&
           way <= INT32_MAX - first;
}

/* Of a fresh range: how much more an expression is from one iteration to the next. */
static int64_t
change_of(const struct luna_program *p, const struct luna_expr *x, const struct range *r)
{
    return (int64_t)coefficient_of(p, x, r->head.at) * (int32_t)r->step;
}

/* ---- cut by the owners of cells ----
 *
 * If all calls inside a loop run with fragments whose cells, in some dimension, are given by one
 * affine index, perhaps divided, then this node's calls are those for which that index lies between
 * its own cells: the loop goes no further. Whether a call is really ours is asked one by one. */

enum side_kind { SIDE_NONE, SIDE_CONST, SIDE_EXPR, SIDE_VARIES };

struct side { /* a cell's place in one dimension: add, or add + the expression, divided */
    enum side_kind kind;
    uint32_t expr;
    int32_t add, divisor;
};

struct cut {
    const struct node *node;
    luna_env env;
    unsigned counter; /* words of the loop from here on differ between iterations */
    bool all; /* there is no call that we cannot place */
    struct side side[LATTICE_DIMS_MAX];
};

/* What the rule has captured is the same in all iterations. */
static bool
is_captured_before(const struct cut *c, const struct luna_about *rule, const struct name_ref *name)
{
    const struct luna_capture *row = &c->node->program->captures[rule->capture];
    uint32_t i = 0, n = name ? 0 : rule->ncaptures;
    while (i < n && (row[i].from != LUNA_C_LOCAL || row[i].word < c->counter)) i++;
    return i == n;
}

/* The expression sees nothing but what is captured, or indices that come with the name. */
static bool
is_constant(const struct cut *c, uint32_t expr, const struct luna_about *rule,
            const struct name_ref *name)
{
    const struct luna_expr *x = &c->node->program->exprs[expr];
    while (x->kind >= LUNA_E_QUOTIENT && x->kind <= LUNA_E_SIDE)
        x = &c->node->program->exprs[x->u.terms];
    if (x->kind == LUNA_E_IX) {
        if (x->a >= (name ? name->n : 0)) return false;
    } else if (x->kind != LUNA_E_INT && x->kind != LUNA_E_FRAME && x->kind != LUNA_E_AFFINE) {
        return false;
    }
    return is_captured_before(c, rule, name);
}

static int32_t
constant_of(const struct cut *c, uint32_t ref, uint32_t expr, const struct luna_about *rule,
            const struct name_ref *name)
{
    const struct luna_program *p = c->node->program;
    luna_word words[ABOUT_CAPTURES_MAX];
    luna_env e = {.frame = cells_captured(p, &c->env, ref, rule, words),
                  .ix = name ? name_ref_ix(name) : NULL,
                  .site = c->env.site};
    return eval_int(p, &e, expr);
}

/* The cell of `ref` in dimension d, by the expression of its rule. */
static struct side
side_of(const struct cut *c, uint32_t ref, const struct luna_about *rule, int d)
{
    const struct luna_program *p = c->node->program;
    const struct luna_ref *r = &p->refs[ref];
    int32_t divisor;
    uint32_t expr = rule->cell + (uint32_t)d;
    const struct luna_expr *x = &p->exprs[dividend_of(p, expr, &divisor)];
    const struct name_ref *name = r->base == LUNA_B_PARAM ? c->env.frame[r->word].p : NULL;
    uint32_t brought = name ? name->n : 0;
    if (is_constant(c, expr, rule, name))
        return (struct side){SIDE_CONST, 0, constant_of(c, ref, expr, rule, name), 1};
    if (x->kind != LUNA_E_IX || x->a < brought) return (struct side){.kind = SIDE_VARIES};
    uint32_t index = r->index + x->a - brought;
    if (!share_is_sum(p, index)) return (struct side){.kind = SIDE_VARIES};
    return (struct side){SIDE_EXPR, index, x->k, divisor};
}

static void
side_join(const struct luna_program *p, struct side *all, struct side one)
{
    if (all->kind == SIDE_NONE) *all = one;
    else if (all->kind != one.kind || all->add != one.add || all->divisor != one.divisor ||
             (one.kind == SIDE_EXPR && memcmp(&p->exprs[all->expr], &p->exprs[one.expr],
                                              sizeof(struct luna_expr))))
        all->kind = SIDE_VARIES;
}

static void
cut_call(struct cut *c, const struct luna_site *s)
{
    const struct luna_program *p = c->node->program;
    const struct luna_rules *r = s->rules == LUNA_NONE ? NULL : &p->rules[s->rules];
    bool asks_first = s->nin && p->ins[s->in].kind == LUNA_IN_NODE;
    for (uint32_t i = 0; r && !asks_first && i < r->nnear; i++) {
        const struct luna_about *rule = cells_rule(p, mention_df(p, &c->env, r->near + i));
        if (!rule || mention_depth(p, &c->env, r->near + i) != rule->nindices) continue;
        for (int d = 0; d < c->node->cells->ndims; d++)
            side_join(p, &c->side[d], side_of(c, r->near + i, rule, d));
        return;
    }
    c->all = false;
}

static void
cut_block(struct cut *c, uint32_t block)
{
    const struct luna_program *p = c->node->program;
    const struct luna_block *b = &p->blocks[block];
    for (uint32_t i = 0; i < b->nsites && c->all; i++) {
        const struct luna_site *s = &p->sites[b->site + i];
        if (!share_is_control(s)) cut_call(c, s);
        else cut_block(c, s->body);
        if (share_is_control(s) && share_other(s) != LUNA_NONE) cut_block(c, share_other(s));
    }
}

static int64_t
floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

/* Keeps the iterations in which first + c * their number lies in [lo, hi]. False: there are
 * none. */
static bool
clamp(struct range *r, int64_t first, int64_t c, int64_t lo, int64_t hi)
{
    if (!c) return first >= lo && first <= hi;
    if (c < 0) {
        int64_t low = lo;
        c = -c, first = -first, lo = -hi, hi = -low;
    }
    int64_t from = -floor_div(first - lo, c), to = floor_div(hi - first, c);
    if (from < 0) from = 0;
    if (to > r->left) to = r->left;
    if (from > to) return false;
    range_go(r, (uint32_t)from);
    r->left = (uint32_t)(to - from);
    return true;
}

/* From ints to those that they are when they are divided, and cut towards 0. */
static void
multiply(int64_t *lo, int64_t *hi, int32_t divisor)
{
    *lo = *lo > 0 ? *lo * divisor : *lo * divisor - (divisor - 1);
    *hi = *hi < 0 ? *hi * divisor : *hi * divisor + (divisor - 1);
}

/* Of where calls run, cells beyond the ends of the lattice are taken for the last ones. */
static struct lattice_box
own_box(const struct node *n)
{
    struct lattice_box own = distrib_bounds(n->map);
    for (int d = 0; d < n->cells->ndims; d++) {
        if (own.hi.at[d] < own.lo.at[d]) break;
        if (!own.lo.at[d]) own.lo.at[d] = INT32_MIN;
        if (own.hi.at[d] >= n->cells->side[d] - 1) own.hi.at[d] = INT32_MAX;
    }
    return own;
}

static struct cut
cut_of(const struct node *n, const struct range *r)
{
    const struct luna_program *p = n->program;
    struct cut c = {.node = n, .all = true, .counter = r->head.at};
    c.env = (luna_env){.frame = r->head.frame->word, .local = r->local,
                       .site = &p->sites[p->blocks[r->head.site].site]};
    cut_block(&c, r->head.site);
    return c;
}

/* False: nothing in this loop is this node's. */
static bool
cut_range(const struct node *n, struct range *r)
{
    const struct luna_program *p = n->program;
    unsigned counter = r->head.at;
    struct lattice_box own = own_box(n);
    struct cut c = cut_of(n, r);
    for (int d = 0; c.all && d < n->cells->ndims; d++) {
        const struct side *s = &c.side[d];
        int64_t from = own.lo.at[d], to = own.hi.at[d];
        multiply(&from, &to, s->divisor);
        if (s->kind == SIDE_CONST && !clamp(r, s->add, 0, from, to)) return false;
        if (s->kind != SIDE_EXPR) continue;
        const struct luna_expr *x = &p->exprs[s->expr];
        if (depends_on_inner(p, x, counter)) continue;
        r->local[counter].i = r->i; /* there is room for the counter */
        int64_t first = (int64_t)eval_int(p, &c.env, s->expr) + s->add;
        int64_t c = change_of(p, x, r);
        if (stays_int(first, c, r) && !clamp(r, first, c, from, to)) return false;
    }
    return true;
}

/* The iterations for which first + c * their number, divided, is this node modulo nodes: from the
 * first to the last of them. False: there are none. */
static bool
cut_blocks(const struct node *n, struct range *r, int64_t first, int64_t c, int32_t divisor)
{
    int64_t last = first + c * r->left;
    int64_t lo = (first < last ? first : last) / divisor;
    int64_t hi = (first < last ? last : first) / divisor;
    lo += where_modulo((int32_t)(n->number - lo % n->nodes), n->nodes);
    hi -= where_modulo((int32_t)(hi % n->nodes - n->number), n->nodes);
    if (lo > hi) return false;
    if (lo == hi) r->head.flags |= RANGE_MINE;
    multiply(&lo, &hi, divisor);
    return clamp(r, first, c, lo, hi);
}

/* At most N iterations until the first one of ours; from there every N / gcd(c, N). */
static bool
stride_over(const struct node *n, struct range *r, int64_t first, int64_t c)
{
    uint32_t round = stride_of(c, n->nodes);
    for (int64_t i = 0; i <= r->left && i < n->nodes; i++, first += c)
        if (where_modulo((int32_t)first, n->nodes) == n->number) {
            range_go(r, (uint32_t)i);
            r->left /= round;
            r->step *= round;
            r->head.flags |= RANGE_MINE;
            return true;
        }
    return false;
}

/* The locator of all calls of a fresh range: `*c` more from one iteration to the next, from *at on.
 * False: there is no such, or it does not decide. */
static bool
affine_locator(const struct node *n, struct range *r, int64_t *at, int64_t *c, int32_t *divisor)
{
    const struct luna_program *p = n->program;
    const struct share *s = &n->shares[r->head.site];
    unsigned counter = r->head.at;
    /* Statements that are left to their one node are met by walking all: only pure blocks are
     * strided. */
    if (!s->uniform || !s->pure) return false;
    uint32_t expr = dividend_of(p, s->expr, divisor);
    if (depends_on_inner(p, &p->exprs[expr], counter)) return false;
    *c = change_of(p, &p->exprs[expr], r);
    r->local[counter].i = r->i; /* there is room for the counter */
    luna_env e = {.frame = r->head.frame->word, .local = r->local,
                  .site = &p->sites[p->blocks[r->head.site].site]};
    *at = eval_int(p, &e, expr);
    return stays_int(*at, *c, r);
}

/* Whether a node has any iterations of a fresh range, as far as can be told from here. */
static bool
reaches(const struct node *n, struct range *r, int node)
{
    int64_t at, c;
    int32_t divisor;
    if (!affine_locator(n, r, &at, &c, &divisor) || divisor != 1) return true;
    int64_t round = stride_of(c, n->nodes);
    for (int64_t i = 0; i <= r->left && i < round; i++)
        if (where_modulo((int32_t)(at + c * i), n->nodes) == node) return true;
    return false;
}

bool
share_stride(struct worker *w, struct range *r)
{
    const struct node *n = w->node;
    int64_t at, c;
    int32_t divisor;
    if (n->map && !cut_range(n, r)) return false;
    if (!affine_locator(n, r, &at, &c, &divisor)) return true;
    return divisor == 1 ? stride_over(n, r, at, c) : cut_blocks(n, r, at, c, divisor);
}

bool
share_is_mine(struct worker *w, const struct luna_site *site, struct task *draft)
{
    const struct node *n = w->node;
    /* A place that depends on fragments is found out by node 0, which then sends the call on. */
    if (site->nin && n->recipes[draft->site].in->kind == LUNA_IN_NODE) return n->number == 0;
    struct dest to = where_of_site(n, site, draft);
    if (to.node == n->number) draft->flags |= TASK_HERE; /* so it is not asked again */
    uint32_t cell = dest_cell(to);
    return cell == LATTICE_NONE ? to.node == n->number : distrib_founded(n->map, cell);
}

/* ---- down the tree ---- */

/* Nodes are numbered from the one that met the loop; this one has [me, me + n) to serve. */
static void
send_on(struct worker *w, struct range *r, const struct ahead *ahead, int origin, int me,
        int n)
{
    int rest = n - 1, next = me + 1;
    for (int left = FAN_OUT, part; left && rest; left--, next += part, rest -= part) {
        part = (rest + left - 1) / left;
        if (part > 1 || reaches(w->node, r, (origin + next) % w->node->nodes))
            send_range(w, r, ahead, origin, next, part);
    }
}

/* ---- what goes along: values that all iterations read, and that are here ---- */

struct gathering {
    const struct node *node;
    luna_env env;
    unsigned counter;     /* words of the loop from here on differ between iterations */
    struct ahead *ahead;  /* NULL: none yet */
};

static bool
is_the_same(const struct gathering *g, uint32_t expr)
{
    const struct luna_program *p = g->node->program;
    const struct luna_expr *x = &p->exprs[expr];
    if (x->kind == LUNA_E_INT || x->kind == LUNA_E_FRAME) return true;
    if (x->kind == LUNA_E_LOCAL) return x->a < g->counter;
    if (x->kind != LUNA_E_AFFINE) return false;
    for (unsigned i = 0; i < x->a; i++) {
        const struct luna_term *t = &p->terms[x->u.terms + i];
        if (!t->in_frame && t->word >= g->counter) return false;
    }
    return true;
}

static bool
names_one(const struct gathering *g, uint32_t ref)
{
    const struct luna_ref *r = &g->node->program->refs[ref];
    if (r->base == LUNA_B_LOCAL_ID && r->word >= g->counter) return false;
    for (uint32_t i = 0; i < r->nindices; i++)
        if (!is_the_same(g, r->index + i)) return false;
    return true;
}

static void
gather_input(struct gathering *g, const struct frame *f, uint32_t ref)
{
    const struct node *n = g->node;
    struct key k;
    luna_value v;
    if (!names_one(g, ref) || (g->ahead && g->ahead->n == AHEAD_MOST)) return;
    mention_place(n->program, &g->env, f, ref, &k);
    if (k.df & KEY_BEYOND || !where_is_home(n, &g->env, ref, &k)) return;
    if (g->ahead && ahead_take(g->ahead, &k, &v)) {
        value_release(v);
        return;
    }
    if (!store_copy(n->store, &k, AHEAD_BYTES, &v)) return;
    if (!g->ahead && !(g->ahead = ahead_new())) fault_nomem();
    ahead_add(g->ahead, &k, v);
}

static void
gather_block(struct gathering *g, const struct frame *f, uint32_t block)
{
    const struct luna_program *p = g->node->program;
    const struct luna_block *b = &p->blocks[block];
    for (uint32_t i = 0; i < b->nsites; i++) {
        const struct luna_site *s = &p->sites[b->site + i];
        g->env.site = s;
        if (share_is_control(s)) gather_block(g, f, s->body);
        if (share_is_control(s) && share_other(s) != LUNA_NONE) gather_block(g, f, share_other(s));
        for (uint32_t k = 0; s->kind == LUNA_S_CALL && k < s->nin; k++)
            if (p->ins[s->in + k].kind == LUNA_IN_REQUEST)
                gather_input(g, f, p->ins[s->in + k].ref);
    }
}

static struct gathering
gather(const struct worker *w, struct range *r)
{
    struct gathering g = {.node = w->node, .counter = r->head.at};
    g.env = (luna_env){.frame = r->head.frame->word, .local = r->local};
    gather_block(&g, r->head.frame, r->head.site);
    return g;
}

/* Who has founded the one cell of a fresh range's calls; negative: there may be several. */
static int
only_founder(const struct node *n, const struct range *r)
{
    struct cut c = cut_of(n, r);
    int32_t at[LATTICE_DIMS_MAX];
    for (int d = 0; d < n->cells->ndims; d++) {
        if (!c.all || c.side[d].kind != SIDE_CONST) return -1;
        at[d] = c.side[d].add;
    }
    if (n->program->is_placed || n->program->shaped) lattice_clamp(n->cells, at);
    uint32_t cell = lattice_number(n->cells, at);
    return cell == LATTICE_NONE ? -1 : distrib_founder(n->map, cell);
}

/* All iterations of a fresh range run on one node; negative: or on several. */
static int
only_node(const struct node *n, struct range *r)
{
    int64_t at, c;
    int32_t divisor;
    int by_cell = n->map ? only_founder(n, r) : -1;
    if (by_cell >= 0) return by_cell;
    return affine_locator(n, r, &at, &c, &divisor) && !c
               ? where_modulo((int32_t)at / divisor, n->nodes)
               : -1;
}

/* Worth it is a loop with more calls than there are nodes, some of which may run elsewhere, unless
 * its iterations have identities of their own, which only one node can give. */
void
share_offer(struct worker *w, struct range *r)
{
    const struct node *n = w->node;
    const struct share *s = &n->shares[r->head.site];
    bool fold = r->head.flags & RANGE_FOLD;
    double calls = fold ? reduce_total(r->head.frame) : s->calls * ((double)r->left + 1);
    /* A message to a node costs as much as sending it one call, or asking it for one element. */
    if (!s->worth || r->head.flags & RANGE_FRESH || calls <= n->nodes ||
        (r->head.frame->fold && !fold)) return;
    r->head.flags |= RANGE_SHARED;
    int only = only_node(n, r);
    if (only == n->number) return;
    struct gathering g = gather(w, r);
    if (only < 0) send_on(w, r, g.ahead, n->number, 0, n->nodes);
    else send_range(w, r, g.ahead, n->number, where_modulo(only - n->number, n->nodes), 1);
    ahead_free(g.ahead);
}

bool
on_range(struct worker *w, struct reader *rd)
{
    const struct node *n = w->node;
    int origin = (int)read_u32(rd), me = (int)read_u32(rd), count = (int)read_u32(rd);
    if (rd->bad || origin < 0 || origin >= n->nodes || me < 0 || count < 1 || count > n->nodes - me)
        return false;
    struct ahead *ahead = send_read_ahead(rd);
    struct range *r = send_read_range(w, rd);
    if (!r || !reduce_join(w, r)) {
        ahead_free(ahead);
        return false;
    }
    r->head.flags &= (uint8_t)~RANGE_MINE; /* of the sender it was */
    frame_lead(r->head.frame, ahead);
    send_on(w, r, ahead, origin, me, count);
    r->head.flags |= RANGE_SHARED;
    if (share_stride(w, r)) worker_from_afar(w, &r->head);
    else exec_range_drop(w, r);
    return true;
}
