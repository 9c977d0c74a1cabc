/* replay.c - see replay.h. Knows rows and nodes, and nothing of forms and sets. */
#include "lang/prove/replay.h"

/* Where an expression stands, and what is known. */
struct scene {
    const struct walk *w;
    const int64_t *fixed, *counters;
    const struct env *env;
    const struct nesting *at;
    const struct plan_site *site;
};

static bool row_int(const struct scene *s, uint32_t row, int32_t *out);

static int32_t
cut(int64_t x)
{
    return (int32_t)(uint32_t)(uint64_t)x;
}

static const struct plan_arg *
arg_of(const struct scene *s, const struct plan_site *site, unsigned n)
{
    return &s->w->plan->args.row[site->arg + n];
}

/* ---- words ---- */

/* The statement of a step, as what is inside sees it. */
static struct scene
around(const struct scene *s, const struct nesting *step)
{
    return (struct scene){s->w, s->fixed, s->counters, step->env, step->up, step->site};
}

static bool
has_elements(const struct plan_site *s)
{
    return s->kind == PS_REDUCE || s->kind == PS_LIST;
}

/* A counter, or an int of a reduction or a list. */
static bool
local_int(const struct scene *s, unsigned word, int32_t *out)
{
    for (const struct nesting *t = s->at; t && t->env == s->env; t = t->up) {
        const struct plan_site *site = t->site;
        if (t->kind != STEP_LOOP) continue;
        if (t->word == word) {
            *out = cut(s->counters[t->loops - 1]);
            return true;
        }
        if (!has_elements(site) || word < site->nlocal ||
            word >= site->nlocal + site->nargs - 1u)
            continue;
        struct scene outside = around(s, t);
        return row_int(&outside, arg_of(s, site, 1 + word - site->nlocal)->row, out);
    }
    return false;
}

static bool
frame_int(const struct scene *s, unsigned word, int32_t *out)
{
    const struct walk *w = s->w;
    if (s->env->outer) {
        const struct nesting *call = s->env->call;
        struct scene outside = around(s, call);
        return word < call->site->nargs && arg_of(s, call->site, word)->kind == PA_INT &&
               row_int(&outside, arg_of(s, call->site, word)->row, out);
    }
    if (w->sub == w->plan->main && w->o.args && w->o.args->known[word]) {
        *out = (int32_t)w->o.args->value[word];
        return true;
    }
    for (int i = 0; i < w->nfixed; i++) {
        if (w->fixed[i].kind > FIXED_PARAM || w->fixed[i].word != word) continue;
        *out = cut(s->fixed[i]);
        return true;
    }
    return false;
}

/* Is there a counter behind a local word, or the identity of an iteration? */
static bool
is_counter(const struct scene *s, unsigned word)
{
    int32_t v;
    return local_int(s, word, &v);
}

/* The words of the fragment; -1: not known. */
static int
vector_of(const struct scene *s, uint32_t ref, int64_t *out, int room, struct lone_fragment *of)
{
    const struct plan_ref *r = &s->w->plan->refs.row[ref];
    int n = 0;
    int32_t v;
    if (r->base == PB_PARAM && !s->env->outer) {
        of->decl = access_param(s->w->plan, r->word);
        of->env = s->env;
    } else if (r->base == PB_PARAM) {
        struct scene outside = around(s, s->env->call);
        n = vector_of(&outside, arg_of(s, s->env->call->site, r->word)->row, out, room, of);
    } else {
        of->decl = r->df;
        of->env = s->env;
        for (unsigned i = 0; r->base == PB_LOCAL_ID && i < r->word && n < room; i++) {
            if (!is_counter(s, i) || !local_int(s, i, &v)) continue;
            out[n++] = v;
        }
    }
    if (n < 0 || n + (int)r->nindices > room) return -1;
    for (uint32_t i = 0; i < r->nindices; i++) {
        if (!row_int(s, r->index + i, &v)) return -1;
        out[n++] = v;
    }
    return n;
}

static bool
input_int(const struct scene *s, unsigned number, int32_t *out)
{
    enum { WORDS_MAX = 16 };
    const struct walk *w = s->w;
    int64_t words[WORDS_MAX];
    struct lone_fragment of = {.index = words};
    const struct plan_in *in = &w->plan->ins.row[s->site->in + number];
    if (in->part != PLAN_NONE) return false;
    of.n = vector_of(s, in->ref, words, WORDS_MAX, &of);
    for (int i = 0; of.n >= 0 && i < w->nfixed; i++) {
        const struct fixed *x = &w->fixed[i];
        if (x->kind < FIXED_VALUE || !access_lone_same(&x->of, &of)) continue;
        *out = cut(s->fixed[i]);
        return true;
    }
    return false;
}

/* ---- nodes ---- */

static bool node_int(const struct scene *s, const struct expr_node *n, int32_t *out);

static bool
word_int(const struct scene *s, enum space space, unsigned word, int32_t *out)
{
    return space == FROM_LOCAL   ? local_int(s, word, out)
           : space == FROM_FRAME ? frame_int(s, word, out)
                                 : false;
}

static bool
affine_int(const struct scene *s, const struct affine *x, int32_t *out)
{
    uint32_t sum = (uint32_t)x->k;
    for (int i = 0; i < x->n; i++) {
        int32_t v;
        if (!word_int(s, (enum space)x->term[i].space, x->term[i].word, &v)) return false;
        sum += x->term[i].coefficient * (uint32_t)v;
    }
    *out = (int32_t)sum;
    return true;
}

static bool
bin_int(enum op op, int32_t a, int32_t b, int32_t *out)
{
    if ((op == OP_DIV || op == OP_MOD) && !b) return false;
    switch (op) {
    case OP_OR:
        *out = a || b;
        break;
    case OP_AND:
        *out = a && b;
        break;
    case OP_LT:
        *out = a < b;
        break;
    case OP_LE:
        *out = a <= b;
        break;
    case OP_EQ:
        *out = a == b;
        break;
    case OP_NE:
        *out = a != b;
        break;
    case OP_GT:
        *out = a > b;
        break;
    case OP_GE:
        *out = a >= b;
        break;
    case OP_ADD:
        *out = cut((int64_t)a + b);
        break;
    case OP_SUB:
        *out = cut((int64_t)a - b);
        break;
    case OP_MUL:
        *out = cut((int64_t)a * b);
        break;
    case OP_DIV:
        *out = cut((int64_t)a / b);
        break;
    case OP_MOD:
        *out = cut((int64_t)a % b);
        break;
    }
    return true;
}

/* What is left of && and || decides without a look at the other side. */
static bool
operation_int(const struct scene *s, const struct expr_node *n, int32_t *out)
{
    int32_t a, b;
    if (!node_int(s, n->a, &a)) return false;
    if (n->op <= OP_AND && (a != 0) == (n->op == OP_OR)) {
        *out = a != 0;
        return true;
    }
    return node_int(s, n->b, &b) && bin_int(n->op, a, b, out);
}

static bool
node_int(const struct scene *s, const struct expr_node *n, int32_t *out)
{
    int32_t a;
    if (n->kind == N_TO_INT && n->a->kind == N_IN) n = n->a;
    if (n->kind == N_IN) return input_int(s, n->word, out);
    if (n->type != C_INT) return false;
    if (n->affine) return affine_int(s, n->affine, out);
    switch (n->kind) {
    case N_NEG:
        if (!node_int(s, n->a, &a)) return false;
        *out = cut(-(int64_t)a);
        return true;
    case N_NOT:
        if (!node_int(s, n->a, &a)) return false;
        *out = !a;
        return true;
    case N_BIN:
        return operation_int(s, n, out);
    case N_COND:
        return node_int(s, n->a, &a) && node_int(s, a ? n->b : n->c, out);
    default:
        return false;
    }
}

/* ---- rows ---- */

static bool
terms_int(const struct scene *s, const struct plan_expr *x, int32_t *out)
{
    uint32_t sum = (uint32_t)x->k;
    for (uint32_t i = 0; i < x->a; i++) {
        const struct plan_term *t = &s->w->plan->terms.row[x->terms + i];
        int32_t v;
        if (!word_int(s, t->in_frame ? FROM_FRAME : FROM_LOCAL, t->word, &v)) return false;
        sum += (uint32_t)t->coefficient * (uint32_t)v;
    }
    *out = (int32_t)sum;
    return true;
}

static bool
row_int(const struct scene *s, uint32_t row, int32_t *out)
{
    const struct plan_expr *x = &s->w->plan->exprs.row[row];
    int32_t v;
    switch (x->kind) {
    case PE_INT:
        *out = x->k;
        return true;
    case PE_LOCAL:
    case PE_FRAME:
        if (!word_int(s, x->kind == PE_FRAME ? FROM_FRAME : FROM_LOCAL, x->a, &v)) return false;
        *out = cut((int64_t)v + x->k);
        return true;
    case PE_AFFINE:
        return terms_int(s, x, out);
    case PE_QUOTIENT:
        if (!row_int(s, x->terms, &v)) return false;
        *out = v / x->k;
        return true;
    case PE_IN:
        return input_int(s, x->a, out);
    case PE_INT_FN:
        if (!node_int(s, x->node, out)) return false;
        if (x->truth) *out = *out != 0;
        return true;
    default:
        return false;
    }
}

/* ---- accesses ---- */

/* Whether a turn of the loop has this counter. Of a while it is known where it begins. */
static bool
turn_exists(const struct scene *s, const struct nesting *t)
{
    struct scene outside = around(s, t);
    const struct plan_site *site = t->site;
    int64_t counter = s->counters[t->loops - 1];
    bool reduce = has_elements(site);
    int32_t lo, hi = INT32_MAX;
    if (!row_int(&outside, reduce ? arg_of(s, site, 1)->row : site->a, &lo)) return false;
    if (site->kind != PS_WHILE &&
        !row_int(&outside, reduce ? arg_of(s, site, 2)->row : site->b, &hi))
        return false;
    if (site->kind != PS_FOR) return lo <= counter && counter <= hi;
    int64_t turn = (counter - lo) / site->step;
    return lo + turn * site->step == counter && turn >= 0 && turn < plan_turns(site, lo, hi);
}

static bool
is_reached(const struct scene *s, const struct nesting *t)
{
    for (; t; t = t->up) {
        struct scene outside = around(s, t);
        int32_t v;
        if (t->kind == STEP_LOOP && !turn_exists(s, t)) return false;
        if (t->kind == STEP_IF && (!row_int(&outside, t->site->a, &v) || !v != t->other))
            return false;
    }
    return true;
}

bool
replay_access(const struct walk *w, const struct access *a, const int64_t *fixed,
              const int64_t *counters, const int64_t *vector, int n)
{
    struct scene s = {w, fixed, counters, a->env, a->at, a->site};
    int64_t *words = arena_array(w->forms.arena, int64_t, (size_t)n + 1);
    struct lone_fragment of;
    if (!is_reached(&s, a->at) || vector_of(&s, a->ref, words, n, &of) != n) return false;
    for (int i = 0; i < n; i++)
        if (words[i] != vector[i]) return false;
    return true;
}

bool
replay_breach(const struct walk *w, const struct breach *b, const int64_t *fixed,
              const int64_t *counters)
{
    struct scene s = {w, fixed, counters, w->env, b->at, b->site}, inside = s;
    int32_t v;
    s.env = b->inside->outer;
    inside.env = b->inside;
    inside.at = b->inside->call;
    return is_reached(&s, b->at) &&
           row_int(&inside, w->plan->requires.row[b->require].expr, &v) && !v;
}
