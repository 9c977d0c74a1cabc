/* interpret_eval.c - see interpret.h: rows and nodes. */
#include "calculate.h"
#include "interpret_parts.h"

#include <stdlib.h>

static struct interpret_value
of_int(int64_t i)
{
    return (struct interpret_value){.i = (int32_t)(uint32_t)(uint64_t)i};
}

static struct interpret_value
of_real(double d)
{
    return (struct interpret_value){.real = true, .d = d};
}

static double
as_real(struct interpret_value v)
{
    return v.real ? v.d : v.i;
}

bool
interpret_true(struct interpret_value v)
{
    return v.real ? fabs(v.d) >= 1 : v.i != 0;
}

int32_t
interpret_as_int(const struct seen *e, struct interpret_value v)
{
    if (!v.real) return v.i;
    if (v.d > -2147483649.0 && v.d < 2147483648.0) return (int32_t)v.d;
    interpret_over(e->run, FAULT, "a real that is no int");
}

static struct interpret_value
frame_word(const struct seen *e, unsigned word)
{
    return e->frame->word[word].v;
}

/* ---- nodes ---- */

static struct interpret_value
sum_of(const struct seen *e, const struct affine *a)
{
    uint32_t sum = (uint32_t)a->k;
    for (int i = 0; i < a->n; i++) {
        unsigned word = a->term[i].word;
        if (a->term[i].space == FROM_IX) interpret_over(e->run, FAULT, "indices of a mention");
        uint32_t v = a->term[i].space == FROM_LOCAL ? (uint32_t)e->local[word]
                                                    : (uint32_t)frame_word(e, word).i;
        sum += a->term[i].coefficient * v;
    }
    return of_int((int32_t)sum);
}

static struct interpret_value
of_ints(const struct seen *e, enum op op, int64_t a, int64_t b)
{
    switch (op) {
    case OP_LT: return of_int(a < b);
    case OP_LE: return of_int(a <= b);
    case OP_EQ: return of_int(a == b);
    case OP_NE: return of_int(a != b);
    case OP_GT: return of_int(a > b);
    case OP_GE: return of_int(a >= b);
    case OP_ADD: return of_int(a + b);
    case OP_SUB: return of_int(a - b);
    case OP_MUL: return of_int(a * b);
    case OP_DIV:
    case OP_MOD:
        if (!b) interpret_over(e->run, FAULT, "a division by 0");
        return of_int(op == OP_DIV ? a / b : a % b);
    case OP_AND:
    case OP_OR: break;
    }
    abort();
}

static struct interpret_value
of_reals(enum op op, double a, double b)
{
    switch (op) {
    case OP_LT: return of_int(a < b);
    case OP_LE: return of_int(a <= b);
    case OP_EQ: return of_int(a == b);
    case OP_NE: return of_int(a != b);
    case OP_GT: return of_int(a > b);
    case OP_GE: return of_int(a >= b);
    case OP_ADD: return of_real(a + b);
    case OP_SUB: return of_real(a - b);
    case OP_MUL: return of_real(a * b);
    case OP_DIV: return of_real(a / b);
    case OP_MOD: return of_real(fmod(a, b));
    case OP_AND:
    case OP_OR: break;
    }
    abort();
}

static struct interpret_value node_of(const struct seen *e, const struct expr_node *n);

static struct interpret_value
operation(const struct seen *e, const struct expr_node *n)
{
    struct interpret_value a = node_of(e, n->a), b;
    if (n->op == OP_OR || n->op == OP_AND) {
        bool yes = interpret_true(a);
        if (yes == (n->op == OP_OR)) return of_int(yes);
        return of_int(interpret_true(node_of(e, n->b)));
    }
    b = node_of(e, n->b);
    return a.real || b.real ? of_reals(n->op, as_real(a), as_real(b)) : of_ints(e, n->op, a.i, b.i);
}

static struct interpret_value
node_of(const struct seen *e, const struct expr_node *n)
{
    struct interpret_value v;
    if (n->affine) return sum_of(e, n->affine);
    switch (n->kind) {
    case N_REAL: return of_real(n->real);
    case N_LOCAL: return of_int(e->local[n->word]);
    case N_FRAME:
    case N_FREAL:
    case N_FVALUE: return frame_word(e, n->word);
    case N_IN: return e->in[n->word];
    case N_OUT: return e->out[n->word];
    case N_BIN: return operation(e, n);
    case N_NEG:
        v = node_of(e, n->a);
        return v.real ? of_real(-v.d) : of_int(-(int64_t)v.i);
    case N_NOT: return of_int(!interpret_true(node_of(e, n->a)));
    case N_COND:
        v = node_of(e, interpret_true(node_of(e, n->a)) ? n->b : n->c);
        return n->type == C_REAL ? of_real(as_real(v)) : v;
    case N_TO_INT: return of_int(interpret_as_int(e, node_of(e, n->a)));
    case N_TO_REAL: return of_real(as_real(node_of(e, n->a)));
    case N_INT:
    case N_IX:
    case N_STRING:
    case N_NODES:
    case N_OWNER:
    case N_JOIN:
    case N_TO_STRING: break;
    }
    interpret_over(e->run, FAULT, "an expression that only the runtime computes");
}

/* ---- rows ---- */

static struct interpret_value
terms_of(const struct seen *e, const struct plan_expr *x)
{
    uint32_t sum = (uint32_t)x->k;
    for (uint32_t i = 0; i < x->a; i++) {
        const struct plan_term *t = &e->run->plan->terms.row[x->terms + i];
        uint32_t v = t->in_frame ? (uint32_t)frame_word(e, t->word).i : (uint32_t)e->local[t->word];
        sum += (uint32_t)t->coefficient * v;
    }
    return of_int((int32_t)sum);
}

static int32_t
local_of_text(const void *who, int64_t word)
{
    const struct seen *e = who;
    return (int32_t)e->local[word];
}

static int32_t
frame_of_text(const void *who, int64_t word)
{
    return frame_word(who, (unsigned)word).i;
}

static int32_t
df_of_text(const void *who, int64_t word)
{
    const struct seen *e = who;
    return (int32_t)e->frame->word[word].name->decl;
}

/* The C that prove prints has no nodes. */
static struct interpret_value
text_of_c(const struct seen *e, const char *text)
{
    struct calculate_words words = {local_of_text, frame_of_text, df_of_text, e};
    return of_int(calculate(text, &words));
}

struct interpret_value
interpret_row(const struct seen *e, uint32_t row)
{
    const struct plan_expr *x = &e->run->plan->exprs.row[row];
    struct interpret_value v;
    switch (x->kind) {
    case PE_INT: return of_int(x->k);
    case PE_REAL: return of_real(x->real);
    case PE_LOCAL: return of_int(e->local[x->a] + x->k);
    case PE_FRAME: return of_int((int64_t)frame_word(e, x->a).i + x->k);
    case PE_IN: return e->in[x->a];
    case PE_FREAL:
    case PE_FVALUE: return frame_word(e, x->a);
    case PE_AFFINE: return terms_of(e, x);
    case PE_QUOTIENT: return of_int(interpret_row(e, x->terms).i / x->k);
    case PE_INT_FN:
        if (!x->node) return text_of_c(e, x->code);
        v = node_of(e, x->node);
        return of_int(x->truth ? interpret_true(v) : interpret_as_int(e, v));
    case PE_REAL_FN: return of_real(as_real(node_of(e, x->node)));
    case PE_VALUE_FN: return node_of(e, x->node);
    case PE_STRING:
    case PE_IX:
    case PE_MODULO:
    case PE_SCALED:
    case PE_SIDE: break;
    }
    interpret_over(e->run, FAULT, "a row that only the runtime computes");
}

int32_t
interpret_int(const struct seen *e, uint32_t row)
{
    return interpret_as_int(e, interpret_row(e, row));
}

static const struct word *
captured(const struct seen *e, uint32_t decl)
{
    const struct plan *p = e->run->plan;
    uint32_t row = p->dfs.row[decl].about;
    if (row == PLAN_NONE) return NULL;
    const struct plan_about *c = &p->abouts.row[row];
    struct word *w = arena_array(e->run->arena, struct word, c->ncaptures + 1);
    for (uint32_t i = 0; i < c->ncaptures; i++) {
        const struct plan_capture *from = &p->captures.row[c->capture + i];
        if (from->from == PF_FRAME) w[i] = e->frame->word[from->word];
        else w[i].v.i = (int32_t)e->local[from->word];
    }
    return w;
}

void
interpret_name(const struct seen *e, uint32_t ref, struct full_name *out)
{
    const struct plan_ref *r = &e->run->plan->refs.row[ref];
    if (r->base == PB_PARAM) *out = *e->frame->word[r->word].name;
    else
        *out = (struct full_name){.id = r->base == PB_LOCAL_ID ? (uint64_t)e->local[r->word]
                                                          : e->frame->id,
                             .decl = r->df, .captured = captured(e, r->df)};
    if (out->n + r->nindices > INTERPRET_INDICES)
        interpret_over(e->run, FAULT, "more indices than names have room for");
    for (uint32_t i = 0; i < r->nindices; i++) out->ix[out->n++] = interpret_int(e, r->index + i);
}

/* ---- shapes ---- */

bool
interpret_beyond(const struct seen *e, const struct full_name *name, struct interpret_value *v)
{
    const struct plan *p = e->run->plan;
    uint32_t row = p->dfs.row[name->decl].about;
    const struct plan_about *c = row == PLAN_NONE ? NULL : &p->abouts.row[row];
    struct frame *f = NULL;
    bool beyond = false;
    if (!c || c->shape == PLAN_NONE) return false;
    if (c->nindices != name->n) interpret_over(e->run, FAULT, "more or less indices than its shape");
    f = arena_alloc(e->run->arena, sizeof *f + c->ncaptures * sizeof *f->word);
    for (uint32_t i = 0; i < c->ncaptures; i++) f->word[i] = name->captured[i];
    struct seen inside = {.run = e->run, .frame = f};
    for (uint32_t i = 0; i < name->n; i++)
        beyond |= name->ix[i] < interpret_int(&inside, c->shape + 2 * i) ||
                  name->ix[i] > (int64_t)interpret_int(&inside, c->shape + 2 * i + 1) -
                                    (c->counted >> i & 1);
    if (beyond && (!v || c->outside == PLAN_NONE))
        interpret_over(e->run, FAULT, "outside a shape");
    if (beyond) *v = interpret_row(&inside, c->outside);
    return beyond;
}
