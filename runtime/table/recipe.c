/* recipe.c - reading the rows of a program once. */
#include "recipe.h"

#include "runtime/base/mem.h"
#include "runtime/store/loans.h"
#include "runtime/table/mention.h"

#include <string.h>

const luna_word recipe_zero;

struct recipes { /* tables as long as those of the program they are made from */
    struct recipe *site;
    struct recipe_in *in;
    struct recipe_arg *arg;
    struct recipe_int *x; /* exprs[] */
    struct slots *slots;  /* NULL: there are none */
    bool *deleted;        /* by row of dfs[]; NULL: none */
    bool *lent;           /* by row of dfs[] */
    unsigned common;      /* inputs, so far */
    unsigned args_max;
    bool ranked;
    bool proved; /* counts of readers that the compiler proved hold */
};

void
recipe_key_slow(const struct recipe_ref *r, const struct cook *c, struct key *k)
{
    if (r->use == RECIPE_NAMES) mention_name(c->p, &c->e, c->frame, r->row, k);
    else if (r->use == RECIPE_READS) mention_read(c->p, &c->e, c->frame, r->row, k);
    else mention_key(c->p, &c->e, c->frame, r->row, k);
}

/* ---- preparing ---- */

static struct recipe_int
int_prepare(const struct luna_program *p, uint32_t row)
{
    const struct luna_expr *x = &p->exprs[row];
    if (x->kind == LUNA_E_INT) return (struct recipe_int){RECIPE_CONSTANT, 0, x->k};
    if (x->kind == LUNA_E_LOCAL) return (struct recipe_int){RECIPE_LOCAL, x->a, x->k};
    if (x->kind == LUNA_E_FRAME) return (struct recipe_int){RECIPE_FRAME, x->a, x->k};
    if (x->kind == LUNA_E_IN) return (struct recipe_int){RECIPE_IN, x->a, (int32_t)row};
    if (x->kind == LUNA_E_FREAL) return (struct recipe_int){RECIPE_REAL, x->a, (int32_t)row};
    return (struct recipe_int){RECIPE_ROW, 0, (int32_t)row};
}

static struct recipe_ref
ref_prepare(const struct recipes *all, const struct luna_program *p, uint32_t row,
            enum recipe_use use)
{
    const struct luna_ref *r = &p->refs[row];
    const struct recipe_int *x = all->x + r->index;
    bool param = r->base == LUNA_B_PARAM;
    bool inside = r->inside == LUNA_INSIDE_ALWAYS || (r->inside && all->proved);
    bool shaped = use != RECIPE_NAMES && !inside && (param ? p->shaped : shape_is_given(p, r->df));
    struct recipe_ref ref = {.df = r->df, .n = r->nindices, .row = row, .all = x,
                             .shaped = shaped, .use = (uint8_t)use};
    ref.id = (struct recipe_int){.from = r->base == LUNA_B_FRAME_ID ? RECIPE_ID : RECIPE_LOCAL,
                                 .word = r->base == LUNA_B_FRAME_ID ? 0 : r->word};
    ref.quick = !param && !shaped && r->nindices <= KEY_INDICES_MAX;
    ref.param = param && !shaped && !r->nindices;
    if (ref.param) ref.id.word = r->word;
    for (unsigned i = 0; i < r->nindices; i++) {
        if (i < RECIPE_INDICES) ref.ix[i] = x[i];
        ref.quick &= x[i].from < RECIPE_WORDS;
    }
    return ref;
}

/* Of a fragment that lives in the frame where it is mentioned: its slot; else 0. */
static uint16_t
slot_prepare(const struct recipes *all, const struct luna_program *p, uint32_t row)
{
    const struct luna_ref *r = &p->refs[row];
    return all->slots && r->base != LUNA_B_PARAM ? all->slots->of[r->df].at : 0;
}

static struct recipe_arg
arg_prepare(const struct recipes *all, const struct luna_program *p, const struct luna_arg *arg,
            enum recipe_use use)
{
    struct recipe_arg a = {.row = arg->row};
    switch ((enum luna_arg_kind)arg->kind) {
    case LUNA_A_INT:
        a.way = WAY_INT;
        a.x = all->x[arg->row];
        break;
    case LUNA_A_REAL:
        a.way = WAY_REAL;
        a.x = all->x[arg->row];
        break;
    case LUNA_A_STRING: a.way = WAY_STRING; break;
    case LUNA_A_VALUE:
        a.way = p->exprs[arg->row].kind == LUNA_E_IN ? WAY_IN : WAY_VALUE;
        a.in = p->exprs[arg->row].a;
        break;
    case LUNA_A_LIST:
        a.way = WAY_LIST;
        a.in = (uint16_t)arg->row;
        break;
    case LUNA_A_NAME: {
        const struct luna_post *post = arg->post == LUNA_NONE ? NULL : &p->posts[arg->post];
        a.way = WAY_OUT;
        a.ref = ref_prepare(all, p, arg->row, use);
        a.slot = slot_prepare(all, p, arg->row);
        a.drops = post && post->kind == LUNA_P_DROP;
        bool counted = post && (post->kind == LUNA_P_COUNT ||
                                (post->kind == LUNA_P_PROVED && all->proved));
        a.x = counted
                  ? all->x[post->count]
                  : (struct recipe_int){RECIPE_CONSTANT, 0, STORE_USES_UNLIMITED};
        break;
    }
    }
    return a;
}

/* Its name does not change from turn to turn of the loops around the statement. */
static bool
is_common(const struct recipe_ref *r)
{
    if (r->param) return true;
    if (!r->quick || r->n > RECIPE_INDICES || r->id.from == RECIPE_LOCAL) return false;
    for (uint32_t i = 0; i < r->n; i++)
        if (r->ix[i].from == RECIPE_LOCAL) return false;
    return true;
}

static void
inputs_prepare(struct recipes *all, const struct luna_program *p, const struct luna_site *s)
{
    uint16_t end = s->nin;
    for (unsigned i = s->nin; i-- > 0;) {
        const struct luna_in *in = &p->ins[s->in + i];
        struct recipe_ref ref = ref_prepare(all, p, in->ref, RECIPE_READS);
        uint16_t slot = slot_prepare(all, p, in->ref);
        all->in[s->in + i] =
            (struct recipe_in){.ref = ref, .kind = in->kind, .again = in->again, .end = end,
                               .slot = slot, .part = in->part, .turns = in->turns,
                               .rare = in->part || ref.shaped, .apart = slot || ref.shaped};
        struct recipe_in *q = &all->in[s->in + i];
        q->common = all->slots && (s->nlocal || ref.param) && !q->rare && !slot && is_common(&ref);
        q->apart |= q->common;
        q->place = (uint8_t)(q->common ? all->common++ % LOAN_PLACES : 0);
        bool before_node = i && (in[-1].kind == LUNA_IN_NODE) != (in->kind == LUNA_IN_NODE);
        if (i && (in[-1].round != in->round || before_node)) end = (uint16_t)i;
    }
}

/* f(x, x): both arguments are one input. */
static void
twice_prepare(struct recipe_arg *arg, unsigned nargs)
{
    for (unsigned i = 0; i < nargs; i++)
        for (unsigned k = 0; k < i && arg[i].way == WAY_IN; k++)
            if (arg[k].way == WAY_IN && arg[k].in == arg[i].in) arg[i].twice = arg[k].twice = true;
}

static bool
ref_at_hand(const struct recipe_ref *r)
{
    return r->quick || r->param;
}

static bool
args_at_hand(const struct recipe *q)
{
    for (const struct recipe_arg *arg = q->arg; arg < q->arg + q->nargs; arg++) {
        bool word = (arg->way == WAY_INT && arg->x.from < RECIPE_WORDS) ||
                    (arg->way == WAY_REAL && arg->x.from == RECIPE_REAL);
        if (!word && arg->way != WAY_IN && arg->way != WAY_OUT) return false;
    }
    return true;
}

static struct frame_shape
shape_prepare(const struct recipes *all, const struct luna_program *p, uint32_t sub)
{
    return frame_shape(&p->subs[sub], all->slots ? all->slots->sub[sub].n : 0);
}

/* The word of the frame in which it was passed on, plus one. */
static uint16_t
rank_of(const struct luna_program *p, const struct luna_site *s)
{
    const struct luna_expr *x = &p->exprs[p->rules[s->rules].priority];
    bool passed = x->kind == LUNA_E_FREAL && x->a >= strlen(p->subs[s->sub].params);
    return passed ? (uint16_t)(x->a + 1) : 0;
}

static void
site_prepare(struct recipes *all, const struct luna_program *p, uint32_t row)
{
    const struct luna_site *s = &p->sites[row];
    struct recipe *q = &all->site[row];
    bool call = s->kind == LUNA_S_CALL, ints = true;
    *q = (struct recipe){.in = all->in + s->in, .arg = all->arg + s->arg, .nargs = s->nargs,
                         .function = call ? &p->functions[s->callee] : NULL, .asks = true};
    q->makes = s->kind == LUNA_S_EXPAND || s->kind == LUNA_S_IF || s->kind == LUNA_S_FOR;
    inputs_prepare(all, p, s);
    for (unsigned i = 0; i < s->nin; i++)
        q->asks &= q->in[i].kind == LUNA_IN_REQUEST && !q->in[i].part;
    q->ranked = call && s->rules != LUNA_NONE && p->rules[s->rules].priority != LUNA_NONE;
    if (q->ranked) q->rank = rank_of(p, s);
    all->ranked |= q->ranked;
    q->asks &= !q->ranked; /* it does not run where it is met */
    q->simple = call && q->asks;
    if (s->kind == LUNA_S_FOR) {
        q->lo = all->x[s->a];
        q->hi = all->x[s->b];
    }
    if (s->kind == LUNA_S_EXPAND) q->shape = shape_prepare(all, p, s->callee);
    for (unsigned i = 0; i < s->nargs; i++) {
        all->arg[s->arg + i] = arg_prepare(all, p, &p->args[s->arg + i],
                                           s->kind == LUNA_S_EXPAND ? RECIPE_NAMES
                                                                    : RECIPE_ASSIGNS);
        if (q->arg[i].way == WAY_OUT && !q->nout++) q->out = (uint16_t)i;
        ints &= q->arg[i].way == WAY_INT && q->arg[i].x.from < RECIPE_WORDS;
    }
    twice_prepare(all->arg + s->arg, s->nargs);
    q->repeats = q->simple && ints && !s->nin && s->rules == LUNA_NONE;
    q->at_hand = args_at_hand(q);
    q->lists = call && s->body != LUNA_NONE;
    q->plain = call && !q->lists && q->nout == 1 && s->rules == LUNA_NONE &&
               !(s->flags & LUNA_F_OWN) && !q->arg[q->out].drops &&
               ref_at_hand(&q->arg[q->out].ref);
    q->pushes = s->rules != LUNA_NONE && p->rules[s->rules].npush;
    if (s->nargs > all->args_max) all->args_max = s->nargs;
}

/* A parameter may stand for any. False: out of memory. */
static bool
deleted_prepare(struct recipes *all, const struct luna_program *p)
{
    bool any = false;
    for (uint32_t i = 0; i < p->nrules; i++) any |= p->rules[i].nkill;
    if (!any) return true;
    all->deleted = mem_zalloc(p->ndfs + 1u, sizeof *all->deleted);
    for (uint32_t i = 0; all->deleted && i < p->nrules; i++)
        for (uint32_t k = 0; k < p->rules[i].nkill; k++) {
            const struct luna_ref *r = &p->refs[p->rules[i].kill + k];
            if (r->base == LUNA_B_PARAM) memset(all->deleted, true, p->ndfs);
            else all->deleted[r->df] = true;
        }
    return all->deleted;
}

/* By hand, a count may be less than the readers: the one too many is told, so each is counted. What
 * is written as a parameter may be any. */
static void
lent_not(struct recipes *all, const struct luna_program *p, uint32_t ref, uint32_t post)
{
    const struct luna_ref *r = &p->refs[ref];
    if (post == LUNA_NONE || p->posts[post].kind != LUNA_P_COUNT) return;
    if (r->base != LUNA_B_PARAM) all->lent[r->df] = false;
    else memset(all->lent, false, p->ndfs * sizeof *all->lent);
}

/* False: out of memory. */
static bool
lent_prepare(struct recipes *all, const struct luna_program *p)
{
    all->lent = mem_alloc((p->ndfs + 1u) * sizeof *all->lent);
    if (!all->lent) return false;
    for (uint32_t i = 0; i < p->ndfs; i++) all->lent[i] = !all->deleted || !all->deleted[i];
    for (uint32_t i = 0; i < p->nargs; i++)
        if (p->args[i].kind == LUNA_A_NAME) lent_not(all, p, p->args[i].row, p->args[i].post);
    for (uint32_t i = 0; i < p->nrules; i++) {
        const struct luna_rules *r = &p->rules[i];
        for (uint32_t k = 0; k < r->nset && r->set_post != LUNA_NONE; k++)
            lent_not(all, p, r->set + k, r->set_post + k);
    }
    return true;
}

struct recipes *
recipes_new(const struct luna_program *p, bool slots, bool proved)
{
    struct recipes *all = mem_zalloc(1, sizeof *all);
    if (!all) return NULL;
    all->site = mem_zalloc(p->nsites + 1u, sizeof *all->site);
    all->in = mem_zalloc(p->nins + 1u, sizeof *all->in);
    all->arg = mem_zalloc(p->nargs + 1u, sizeof *all->arg);
    all->x = mem_zalloc(p->nexprs + 1u, sizeof *all->x);
    all->proved = proved;
    if (slots) all->slots = slots_new(p);
    if (!all->site || !all->in || !all->arg || !all->x || (slots && !all->slots) ||
        !deleted_prepare(all, p) || !lent_prepare(all, p)) {
        recipes_free(all);
        return NULL;
    }
    for (uint32_t i = 0; i < p->nexprs; i++) all->x[i] = int_prepare(p, i);
    for (uint32_t i = 0; i < p->nsites; i++) site_prepare(all, p, i);
    return all;
}

void
recipes_free(struct recipes *all)
{
    if (!all) return;
    slots_free(all->slots);
    mem_free(all->deleted);
    mem_free(all->lent);
    mem_free(all->site);
    mem_free(all->in);
    mem_free(all->arg);
    mem_free(all->x);
    mem_free(all);
}

const struct recipe *
recipes_rows(const struct recipes *all)
{
    return all->site;
}

const struct slots *
recipes_slots(const struct recipes *all)
{
    return all->slots;
}

const bool *
recipes_deleted(const struct recipes *all)
{
    return all->deleted;
}

const bool *
recipes_lent(const struct recipes *all)
{
    return all->lent;
}

bool
recipes_ranked(const struct recipes *r)
{
    return r->ranked;
}

unsigned
recipes_args_max(const struct recipes *all)
{
    return all->args_max;
}
