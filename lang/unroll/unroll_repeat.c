/* unroll_repeat.c - loops whose turns are alike: those in the middle need not be walked.
 *
 * Two things must be so. By the text: no bound, condition, place or weight inside depends on the
 * counter, and indices are sums of it. And by the walk: the turn before named the same fragments
 * in the same order, but for indices that have moved, each by the same number wherever that index
 * of that DF occurs. */
#include "lang/unroll/unroll_parts.h"

#include "runtime/base/mem.h"

#include <string.h>

enum {
    LEVEL_NONE, /* it does not depend on the counter, */
    LEVEL_SUM,  /* is a sum of it and of what does not, */
    LEVEL_ANY   /* or something else */
};
enum { SITES_LOOKED_AT = 20000, SUBS_DEPTH = 40, TURNS_LEAST = 8, TURNS_WATCHED = 8 };

/* ---- by the text ---- */

struct look { /* at an activation */
    const struct plan *plan;
    const struct plan_site *site;
    uint8_t *frame, *local; /* levels of its words */
    int *sites;             /* left to look at */
    int depth;
};

static int
higher(int a, int b)
{
    return a > b ? a : b;
}

static bool is_clean_ref(const struct look *l, uint32_t ref);
static int level_of_row(const struct look *l, uint32_t row);

static int
level_of_word(const struct look *l, enum space space, unsigned word)
{
    return space == FROM_LOCAL ? l->local[word] : space == FROM_FRAME ? l->frame[word] : 0;
}

/* What a fragment holds is given for all of a name, or for one. */
static int
level_of_input(const struct look *l, unsigned number)
{
    const struct plan_ref *r = &l->plan->refs.row[l->plan->ins.row[l->site->in + number].ref];
    for (uint32_t i = 0; i < r->nindices; i++)
        if (level_of_row(l, r->index + i)) return LEVEL_ANY;
    return LEVEL_NONE;
}

static int
level_of_node(const struct look *l, const struct expr_node *n)
{
    int level = LEVEL_NONE;
    if (n->affine) {
        for (int i = 0; i < n->affine->n; i++)
            level = higher(level, level_of_word(l, (enum space)n->affine->term[i].space,
                                                n->affine->term[i].word));
        return level;
    }
    switch (n->kind) {
    case N_LOCAL: return l->local[n->word];
    case N_FRAME:
    case N_FREAL:
    case N_FVALUE: return l->frame[n->word];
    case N_IN: return level_of_input(l, n->word);
    default: break;
    }
    if (n->a) level = higher(level, level_of_node(l, n->a));
    if (n->b) level = higher(level, level_of_node(l, n->b));
    if (n->c) level = higher(level, level_of_node(l, n->c));
    return level ? LEVEL_ANY : LEVEL_NONE;
}

static int
level_of_row(const struct look *l, uint32_t row)
{
    const struct plan_expr *e = &l->plan->exprs.row[row];
    int level = LEVEL_NONE;
    switch (e->kind) {
    case PE_LOCAL: return l->local[e->a];
    case PE_FRAME:
    case PE_FREAL:
    case PE_FVALUE: return l->frame[e->a];
    case PE_IN: return level_of_input(l, e->a);
    case PE_AFFINE:
        for (uint32_t i = 0; i < e->a; i++) {
            const struct plan_term *t = &l->plan->terms.row[e->terms + i];
            level = higher(level, t->in_frame ? l->frame[t->word] : l->local[t->word]);
        }
        return level;
    case PE_MODULO:
    case PE_SCALED:
    case PE_SIDE:
    case PE_QUOTIENT: return level_of_row(l, e->terms) ? LEVEL_ANY : LEVEL_NONE;
    case PE_INT_FN:
    case PE_REAL_FN:
    case PE_VALUE_FN: return level_of_node(l, e->node);
    default: return LEVEL_NONE;
    }
}

static bool
node_sees(const struct expr_node *n, unsigned index)
{
    if (n->kind == N_IX && n->word == index) return true;
    for (int i = 0; n->affine && i < n->affine->n; i++)
        if (n->affine->term[i].space == FROM_IX && n->affine->term[i].word == index) return true;
    return (n->a && node_sees(n->a, index)) || (n->b && node_sees(n->b, index)) ||
           (n->c && node_sees(n->c, index));
}

/* Does a locator or a cell depend on this index? */
static bool
row_sees(const struct plan *p, uint32_t row, unsigned index)
{
    const struct plan_expr *e = &p->exprs.row[row];
    if (e->kind == PE_IX) return e->a == index;
    if (e->kind >= PE_QUOTIENT && e->kind <= PE_SIDE) return row_sees(p, e->terms, index);
    return (e->kind == PE_INT_FN || e->kind == PE_REAL_FN || e->kind == PE_VALUE_FN) &&
           node_sees(e->node, index);
}

static bool
is_clean_ref(const struct look *l, uint32_t ref)
{
    const struct plan *p = l->plan;
    const struct plan_ref *r = &p->refs.row[ref];
    uint32_t home = r->home == PLAN_NONE ? PLAN_NONE : p->locators.row[r->home].expr;
    uint32_t about = r->base == PB_PARAM ? PLAN_NONE : p->dfs.row[r->df].about;
    if (home != PLAN_NONE && level_of_row(l, home)) return false;
    for (uint32_t i = 0; i < r->nindices; i++) {
        int level = level_of_row(l, r->index + i);
        if (level == LEVEL_ANY || (level && home != PLAN_NONE && row_sees(p, home, i)))
            return false;
    }
    for (uint32_t i = 0; about != PLAN_NONE && i < p->abouts.row[about].ncaptures; i++) {
        const struct plan_capture *c = &p->captures.row[p->abouts.row[about].capture + i];
        if (c->from == PF_LOCAL ? l->local[c->word] : l->frame[c->word]) return false;
    }
    return true;
}

static bool
is_clean_refs(const struct look *l, uint32_t first, uint32_t n)
{
    bool clean = true;
    for (uint32_t i = 0; i < n; i++) clean &= is_clean_ref(l, first + i);
    return clean;
}

static bool
is_clean_rules(const struct look *l, const struct plan_rules *r)
{
    return !r->npush && (r->node == PLAN_NONE ||
                         !level_of_row(l, l->plan->locators.row[r->node].expr)) &&
           (r->weight == PLAN_NONE || !level_of_row(l, r->weight)) &&
           (r->priority == PLAN_NONE || !level_of_row(l, r->priority)) &&
           is_clean_refs(l, r->near, r->nnear) && is_clean_refs(l, r->set, r->nset);
}

static bool is_clean_block(const struct look *l, uint32_t block);

/* Of its indices. */
static int
level_of_name(const struct look *l, uint32_t ref)
{
    const struct plan_ref *r = &l->plan->refs.row[ref];
    int level = r->base == PB_PARAM ? l->frame[r->word] : LEVEL_NONE;
    for (uint32_t i = 0; i < r->nindices; i++)
        level = higher(level, level_of_row(l, r->index + i));
    return level;
}

static bool
is_clean_sub(const struct look *l)
{
    const struct plan *p = l->plan;
    const struct plan_site *s = l->site;
    const struct plan_sub *sub = &p->subs.row[s->callee];
    struct look inside = {.plan = p, .sites = l->sites, .depth = l->depth + 1};
    if (inside.depth == SUBS_DEPTH) return false;
    inside.frame = mem_zalloc((size_t)sub->nwords + sub->nlocal_max + 4, 1);
    if (!inside.frame) return false;
    inside.local = inside.frame + sub->nwords;
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct plan_arg *a = &p->args.row[s->arg + i];
        int level = a->kind == PA_NAME ? level_of_name(l, a->row) : level_of_row(l, a->row);
        inside.frame[i] = (uint8_t)level;
        if (a->kind != PA_NAME && a->kind != PA_INT && inside.frame[i])
            inside.frame[i] = LEVEL_ANY;
    }
    const struct plan_rules *r = s->rules == PLAN_NONE ? NULL : &p->rules.row[s->rules];
    for (uint32_t i = 0; r && i < r->nnfparam; i++) {
        const struct plan_nfarg *nf = &p->nfargs.row[r->nfparam + i];
        inside.frame[nf->word] = (uint8_t)level_of_row(l, nf->expr);
    }
    bool clean = is_clean_block(&inside, sub->body);
    mem_free(inside.frame);
    return clean;
}

/* Words of loops inside are none of the counter's. */
static bool
is_clean_loop(const struct look *l, unsigned word, uint32_t block)
{
    l->local[word] = l->local[word + 1] = LEVEL_NONE;
    return is_clean_block(l, block);
}

static bool
is_clean_elements(const struct look *l)
{
    const struct plan_site *s = l->site;
    for (unsigned i = 1; i < s->nargs; i++) {
        int level = level_of_row(l, l->plan->args.row[s->arg + i].row);
        if (level && i < 1 + 2 * s->b) return false;
        l->local[s->nlocal + i - 1] = (uint8_t)level;
    }
    return is_clean_loop(l, s->nlocal + s->nargs - 1u, s->body);
}

static bool
is_clean_site(const struct look *l)
{
    const struct plan *p = l->plan;
    const struct plan_site *s = l->site;
    if (!(*l->sites)--) return false;
    for (unsigned i = 0; i < s->nin; i++)
        if (!is_clean_ref(l, p->ins.row[s->in + i].ref)) return false;
    for (unsigned i = 0; i < s->nargs; i++)
        if (p->args.row[s->arg + i].kind == PA_NAME &&
            !is_clean_ref(l, p->args.row[s->arg + i].row))
            return false;
    if (s->rules != PLAN_NONE && !is_clean_rules(l, &p->rules.row[s->rules])) return false;
    switch (s->kind) {
    case PS_TERM: return true;
    case PS_CALL: return s->body == PLAN_NONE || is_clean_block(l, s->body);
    case PS_EXPAND: return is_clean_sub(l);
    case PS_FOR:
        return !level_of_row(l, s->a) && !level_of_row(l, s->b) &&
               is_clean_loop(l, s->nlocal, s->body);
    case PS_WHILE: return !level_of_row(l, s->a) && is_clean_loop(l, s->nlocal, s->body);
    case PS_TEST: return !level_of_row(l, s->a) && is_clean_block(l, s->body);
    case PS_IF:
        return !level_of_row(l, s->a) && is_clean_block(l, s->body) &&
               (s->b == PLAN_NONE || is_clean_block(l, s->b));
    case PS_REDUCE:
    case PS_LIST: return is_clean_elements(l);
    }
    return false;
}

static bool
is_clean_block(const struct look *l, uint32_t block)
{
    const struct plan_block *b = &l->plan->blocks.row[block];
    struct look here = *l;
    for (uint32_t i = 0; i < b->nsites; i++) {
        here.site = &l->plan->sites.row[b->site + i];
        if (!is_clean_site(&here)) return false;
    }
    return true;
}

/* ---- by the walk ---- */

struct named { /* words: declaration, number of indices, identity, indices, how far each may go */
    uint32_t *word;
    size_t n, room;
};

struct unroll_repeat {
    struct named now, before;
    struct unroll_shift *shifts;
    size_t nshifts, shifts_room;
    uint64_t ids_now, ids_before, ids_start; /* identities made until then */
    const struct plan_site *loop;
    int turns;
    bool failed;
};

static bool
may_leave_out(const struct unroll *u, const struct plan_site *loop, int64_t turns)
{
    const bool *whole = u->setup->whole;
    return !u->loops && !u->setup->every_turn && u->visitor->turn && turns >= TURNS_LEAST &&
           !(whole && whole[loop - u->plan->sites.row]);
}

void
unroll_repeat_begin(struct unroll *u, const struct plan_site *loop, const struct plan_site *test,
                    int64_t turns)
{
    if (!may_leave_out(u, loop, turns)) return;
    const struct plan_sub *sub = &u->plan->subs.row[u->frame->sub];
    int sites = SITES_LOOKED_AT;
    uint8_t *levels = mem_zalloc((size_t)sub->nwords + sub->nlocal_max + 4, 1);
    struct unroll_repeat *r = mem_zalloc(1, sizeof *r);
    struct look l = {u->plan, test, levels, levels + sub->nwords, &sites, 0};
    bool clean = levels && r;
    if (clean) l.local[loop->nlocal] = LEVEL_SUM;
    for (unsigned i = 0; clean && test && i < test->nin; i++)
        clean &= is_clean_ref(&l, u->plan->ins.row[test->in + i].ref);
    if (clean && test && test->rules != PLAN_NONE)
        clean &= is_clean_rules(&l, &u->plan->rules.row[test->rules]);
    clean = clean && is_clean_block(&l, test ? test->body : loop->body);
    mem_free(levels);
    if (!clean) {
        mem_free(r);
        return;
    }
    r->loop = loop;
    r->ids_start = u->ids;
    u->repeat = r;
}

void
unroll_repeat_end(struct unroll *u)
{
    struct unroll_repeat *r = u->repeat;
    if (!r) return;
    mem_free(r->now.word);
    mem_free(r->before.word);
    mem_free(r->shifts);
    mem_free(r);
    u->repeat = NULL;
}

/* How far an index may go so that nothing changes: it is within the shape, or beyond it by now. */
static int32_t
end_of(const struct unroll_shape *s, const struct unroll_name *name, uint32_t i)
{
    bool inside = s->lo[i] <= name->index[i] && name->index[i] <= s->hi[i];
    return inside ? (int32_t)s->hi[i] : name->index[i];
}

void
unroll_repeat_note(const struct unroll_instance *x, const struct unroll_name *name)
{
    struct unroll_repeat *r = x->u->repeat;
    struct unroll_shape shape;
    uint32_t n = 4 + 2 * name->n;
    bool open = unroll_open(x, name, &shape);
    uint64_t id = name->id > r->ids_now ? name->id - r->ids_now + r->ids_start : name->id;
    if (!vec_many(NULL, r->now.word, r->now.n, n, r->now.room)) {
        r->failed = true;
        return;
    }
    uint32_t *word = r->now.word + r->now.n;
    word[0] = name->decl;
    word[1] = name->n;
    word[2] = (uint32_t)id;
    word[3] = (uint32_t)(id >> 32);
    memcpy(word + 4, name->index, name->n * sizeof *word);
    for (uint32_t i = 0; i < name->n; i++)
        word[4 + name->n + i] = (uint32_t)(open ? end_of(&shape, name, i) : INT32_MAX);
    r->now.n += n;
}

void
unroll_repeat_turn(struct unroll *u)
{
    struct unroll_repeat *r = u->repeat;
    struct named named = r->before;
    r->before = r->now;
    r->now = named;
    r->now.n = 0;
    r->ids_now = u->ids;
}

/* How far this index of the DF moves; false: not always as far. */
static bool
shift_joins(struct unroll_repeat *r, const uint32_t *word, unsigned index, int32_t was)
{
    uint64_t id = (uint64_t)word[3] << 32 | word[2];
    int32_t is = (int32_t)word[4 + index], by = (int32_t)((uint32_t)is - (uint32_t)was);
    int32_t high = (int32_t)word[4 + word[1] + index];
    struct unroll_shift *s = r->shifts, *end = s + r->nshifts;
    while (s && s < end && (s->decl != word[0] || s->id != id || s->index != index)) s++;
    if (s && s < end) {
        if (s->by != by) return false;
        if (was < s->low) s->low = was;
        if (is > s->top) s->top = is;
        if (high < s->high) s->high = high;
        return true;
    }
    if (!vec_more(NULL, r->shifts, r->nshifts, r->shifts_room)) return false;
    r->shifts[r->nshifts++] = (struct unroll_shift){word[0], index, id, by, was, is,
                                                          high};
    return true;
}

static bool
are_alike(struct unroll_repeat *r)
{
    const uint32_t *x = r->now.word, *y = r->before.word, *end = x + r->now.n;
    r->nshifts = 0;
    if (r->failed || !r->now.n || r->now.n != r->before.n) return false;
    while (x < end) {
        if (memcmp(x, y, 4 * sizeof *x) != 0) return false;
        for (unsigned i = 0; i < x[1]; i++)
            if (!shift_joins(r, x, i, (int32_t)y[4 + i])) return false;
        y += 4 + 2 * x[1];
        x += 4 + 2 * x[1];
    }
    return true;
}

/* Those that move; false: where a fragment lives would change, or it moves back, or belongs to one
 * turn only. */
static bool
keep_moving(const struct unroll *u, struct unroll_repeat *r)
{
    const struct plan *p = u->plan;
    size_t n = 0;
    for (size_t i = 0; i < r->nshifts; i++) {
        struct unroll_shift s = r->shifts[i];
        uint32_t about = plan_bound_of(p, s.decl);
        if (!s.by) continue;
        if (s.by < 0 || s.id > r->ids_start) return false;
        for (uint32_t d = 0; about != PLAN_NONE && d < p->nextents; d++)
            if (row_sees(p, p->abouts.row[about].cell + d, s.index)) return false;
        r->shifts[n++] = s;
    }
    r->nshifts = n;
    return true;
}

/* Those in between must be so many that nothing of one end is named at the other, and to the last
 * turn, two later, all are within their shapes. */
static bool
are_apart(const struct unroll_repeat *r, int64_t turns)
{
    for (size_t i = 0; i < r->nshifts; i++) {
        const struct unroll_shift *s = &r->shifts[i];
        if (turns * s->by + s->low <= s->top || (turns + 2) * s->by + s->top > s->high)
            return false;
    }
    return true;
}

/* The indices of two turns reach so far. */
static int64_t
lag_of(const struct unroll_repeat *r)
{
    int64_t lag = 1;
    for (size_t i = 0; i < r->nshifts; i++) {
        const struct unroll_shift *s = &r->shifts[i];
        int64_t turns = ((int64_t)s->top - s->low + s->by - 1) / s->by - 1;
        if (turns > lag) lag = turns;
    }
    return lag;
}

int64_t
unroll_repeat_ended(struct unroll *u, int64_t left)
{
    struct unroll_repeat *r = u->repeat;
    int64_t skip = left - 2;
    bool alike = skip > 0 && r->turns && are_alike(r) && keep_moving(u, r) && are_apart(r, skip);
    const struct unroll_turns t = {r->loop, (uint64_t)(alike ? skip : 0), alike ? lag_of(r) : 0,
                                   r->shifts, r->nshifts};
    bool taken = u->visitor->turn(u->visitor->who, &t) && alike;
    if (taken || ++r->turns == TURNS_WATCHED || skip <= 0) unroll_repeat_end(u);
    return taken ? skip : 0;
}
