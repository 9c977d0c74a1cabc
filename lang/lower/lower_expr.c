/* lower_expr.c - expressions to rows.
 *
 * An expression of the tree becomes a small tree of nodes with
 * static types: lets replaced, constants folded, int expressions
 * known as k + sum of coefficient * word where they are that. Then
 *
 *     constants, one word, sums of words, an input as it is      a row of numbers
 *     anything else                                              a row with its C text
 *
 * int arithmetic is that of 32-bit C with wrapping; what is known at run time only goes through
 * luna_v_*. In a string argument every + joins texts. */
#include "lang/lower/lower_node.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- affine forms ---- */

static struct affine *
affine_new(struct lower *l, int n)
{
    size_t unused = sizeof(((struct affine *)0)->term[0]) * (size_t)(TERMS_MAX - n);
    return arena_alloc(l->a, sizeof(struct affine) - unused);
}

static struct affine *
affine_word(struct lower *l, enum space space, unsigned word)
{
    struct affine *x = affine_new(l, 1);
    x->n = 1;
    x->term[0].coefficient = 1;
    x->term[0].word = (uint16_t)word;
    x->term[0].space = space;
    return x;
}

static const struct affine *
affine_const(struct lower *l, int32_t k)
{
    struct affine *x = affine_new(l, 0);
    x->k = k;
    return x;
}

static uint32_t
term_key(const struct affine *x, int i)
{
    return (uint32_t)x->term[i].space << 16 | x->term[i].word;
}

/* p*x + q*y; NULL when there are too many terms. Wraps like the arithmetic it stands for. */
static const struct affine *
affine_sum(struct lower *l, uint32_t p, const struct affine *x, uint32_t q, const struct affine *y)
{
    struct affine sum = {.k = (int32_t)(p * (uint32_t)x->k + q * (uint32_t)y->k)};
    for (int i = 0, j = 0; i < x->n || j < y->n;) {
        uint32_t at_x = i < x->n ? term_key(x, i) : UINT32_MAX;
        uint32_t at_y = j < y->n ? term_key(y, j) : UINT32_MAX;
        uint32_t at = at_x < at_y ? at_x : at_y, coefficient = 0;
        if (at_x == at) coefficient += p * x->term[i++].coefficient;
        if (at_y == at) coefficient += q * y->term[j++].coefficient;
        if (!coefficient) continue;
        if (sum.n == TERMS_MAX) return NULL;
        sum.term[sum.n].coefficient = coefficient;
        sum.term[sum.n].word = (uint16_t)at;
        sum.term[sum.n++].space = (uint16_t)(at >> 16);
    }
    struct affine *kept = affine_new(l, sum.n);
    memcpy(kept, &sum, sizeof sum - sizeof sum.term[0] * (size_t)(TERMS_MAX - sum.n));
    return kept;
}

static bool
affine_same(const struct affine *x, const struct affine *y)
{
    return x && y && x->k == y->k && x->n == y->n &&
           !memcmp(x->term, y->term, sizeof x->term[0] * (size_t)x->n);
}

/* ---- building nodes ---- */

static struct expr_node *
node_new(struct lower *l, enum node_kind kind, enum ctype type)
{
    struct expr_node *n = arena_new_of(l->a, struct expr_node);
    n->kind = kind;
    n->type = type;
    return n;
}

static struct expr_node *
node_int(struct lower *l, int32_t k)
{
    struct expr_node *n = node_new(l, N_INT, C_INT);
    n->affine = affine_const(l, k);
    return n;
}

static struct expr_node *
node_real(struct lower *l, double d)
{
    struct expr_node *n = node_new(l, N_REAL, C_REAL);
    n->real = d;
    return n;
}

static struct expr_node *
node_string(struct lower *l, const char *s, size_t size)
{
    struct expr_node *n = node_new(l, N_STRING, C_STRING);
    n->string = plan_text(l->p, s, size);
    return n;
}

static struct expr_node *
node_word(struct lower *l, enum node_kind kind, enum ctype type, unsigned word)
{
    struct expr_node *n = node_new(l, kind, type);
    n->word = (uint16_t)word;
    if (kind == N_LOCAL) n->affine = affine_word(l, FROM_LOCAL, word);
    if (kind == N_FRAME) n->affine = affine_word(l, FROM_FRAME, word);
    if (kind == N_IX) n->affine = affine_word(l, FROM_IX, word);
    return n;
}

static struct expr_node *
node_op(struct lower *l, enum node_kind kind, enum ctype type, struct expr_node *a,
        struct expr_node *b)
{
    struct expr_node *n = node_new(l, kind, type);
    n->a = a;
    n->b = b;
    return n;
}

/* A word of the frame; in what is said of a DF, the captured one. */
static struct expr_node *
frame_node(struct lower *l, enum node_kind kind, enum ctype type, unsigned word)
{
    return node_word(l, kind, type, l->captures ? lower_capture(l, true, word) : word);
}

static struct expr_node *
param_node(struct lower *l, const struct symbol *sym)
{
    unsigned word = (unsigned)sym->number;
    switch (sym->type) {
    case T_REAL: return frame_node(l, N_FREAL, C_REAL, word);
    case T_STRING: return node_word(l, N_FVALUE, C_STRING, word);
    case T_VALUE: return node_word(l, N_FVALUE, C_VALUE, word);
    default: return frame_node(l, N_FRAME, C_INT, word);
    }
}

static struct expr_node *
counter_node(struct lower *l, const struct symbol *sym, const struct ref *r)
{
    unsigned word = (unsigned)sym->slot;
    if (word < l->nlocal && l->captures)
        return node_word(l, N_FRAME, C_INT, lower_capture(l, false, word));
    if (word < l->nlocal) return node_word(l, N_LOCAL, C_INT, word);
    diag(l->diag, SEV_ERROR, D_SYN9, r->span,
         "'%s' counts inside this loop and is not known outside", sym->name.text);
    return node_int(l, 0);
}

static struct expr_node *
ref_node(struct lower *l, const struct ref *r)
{
    struct dfref df;
    int own;
    if (l->counts && lower_flatten(l, r, &df) && (own = lower_own(l, &df)) >= 0) {
        l->reads_own = true;
        return node_word(l, N_OUT, C_VALUE, (unsigned)own);
    }
    if (lower_flatten(l, r, &df)) return node_word(l, N_IN, C_VALUE, need_position(l, &df));
    if (!r->sym) return node_int(l, strcmp(r->name.text, "all") ? 0 : -1);
    switch (r->sym->kind) {
    case SYM_FOR:
    case SYM_WHILE: return counter_node(l, r->sym, r);
    case SYM_PARAM: return param_node(l, r->sym);
    case SYM_NFPARAM:
        return frame_node(l, N_FRAME, C_INT, (unsigned)(r->sym->sub->nparams + r->sym->number));
    case SYM_INDEX: return node_word(l, N_IX, C_INT, (unsigned)r->sym->number);
    default: return node_int(l, 0); /* a label: reported by resolve */
    }
}

/* ---- operators ---- */

static double
const_real(const struct expr_node *n)
{
    return n->kind == N_REAL ? n->real : n->affine->k;
}

static bool
is_number(const struct expr_node *n)
{
    return n->kind == N_REAL || node_is_const(n);
}

/* A condition decided before the run. NaN is told when it is reached. */
static bool
is_truth(const struct expr_node *n)
{
    return is_number(n) && !(n->kind == N_REAL && isnan(n->real));
}

static struct expr_node *
fold_compare(struct lower *l, enum op op, const struct expr_node *a, const struct expr_node *b)
{
    double x = const_real(a), y = const_real(b);
    switch (op) {
    case OP_LT: return node_int(l, x < y);
    case OP_LE: return node_int(l, x <= y);
    case OP_EQ: return node_int(l, x == y);
    case OP_NE: return node_int(l, x != y);
    case OP_GT: return node_int(l, x > y);
    default: return node_int(l, x >= y);
    }
}

static struct expr_node *
compare_node(struct lower *l, enum op op, struct expr_node *a, struct expr_node *b)
{
    if (is_number(a) && is_number(b)) return fold_compare(l, op, a, b);
    if (affine_same(a->affine, b->affine))
        return node_int(l, op == OP_LE || op == OP_EQ || op == OP_GE);
    struct expr_node *n = node_op(l, N_BIN, C_INT, a, b);
    n->op = op;
    return n;
}

static struct expr_node *
logic_node(struct lower *l, enum op op, struct expr_node *a, struct expr_node *b)
{
    /* What decides by itself, on the left: C does not look at the other side either. */
    if (is_truth(a) && node_const_true(a) == (op == OP_OR)) return node_int(l, op == OP_OR);
    if (is_truth(a) && is_truth(b)) return node_int(l, node_const_true(b));
    struct expr_node *n = node_op(l, N_BIN, C_INT, a, b);
    n->op = op;
    return n;
}

static struct expr_node *
fold_real(struct lower *l, enum op op, double x, double y)
{
    switch (op) {
    case OP_ADD: return node_real(l, x + y);
    case OP_SUB: return node_real(l, x - y);
    case OP_MUL: return node_real(l, x * y);
    default: return node_real(l, x / y);
    }
}

static const struct affine *
int_affine(struct lower *l, enum op op, const struct expr_node *a, const struct expr_node *b)
{
    if (!a->affine || !b->affine) return NULL;
    const struct affine *x = a->affine, *y = b->affine;
    switch (op) {
    case OP_ADD: return affine_sum(l, 1, x, 1, y);
    case OP_SUB: return affine_sum(l, 1, x, (uint32_t)-1, y);
    case OP_MUL:
        if (!x->n) return affine_sum(l, (uint32_t)x->k, y, 0, x);
        return y->n ? NULL : affine_sum(l, (uint32_t)y->k, x, 0, y);
    case OP_DIV:
    case OP_MOD:
        if (x->n || y->n || !y->k) return NULL;
        if (y->k == -1) return affine_const(l, op == OP_DIV ? (int32_t)(0u - (uint32_t)x->k) : 0);
        return affine_const(l, op == OP_DIV ? x->k / y->k : x->k % y->k);
    default: return NULL;
    }
}

/* For all that is known: then the run computes it, and tells. */
static bool
may_wrap(enum op op, const struct expr_node *a, const struct expr_node *b)
{
    int32_t c;
    if (op > OP_MUL) return false;
    if (!node_is_const(a) || !node_is_const(b)) return true;
    int32_t x = a->affine->k, y = b->affine->k;
    return op == OP_ADD   ? __builtin_add_overflow(x, y, &c)
           : op == OP_SUB ? __builtin_sub_overflow(x, y, &c)
                          : __builtin_mul_overflow(x, y, &c);
}

static struct expr_node *
arith_node(struct lower *l, enum op op, struct expr_node *a, struct expr_node *b)
{
    bool ints = a->type == C_INT && b->type == C_INT;
    bool numbers = a->type <= C_REAL && b->type <= C_REAL;
    if (op == OP_ADD && (a->type == C_STRING || b->type == C_STRING))
        return node_op(l, N_JOIN, C_STRING, a, b);
    if (!ints && is_number(a) && is_number(b) && op != OP_MOD)
        return fold_real(l, op, const_real(a), const_real(b));
    enum ctype type = ints ? C_INT : numbers && op != OP_MOD ? C_REAL : C_VALUE;
    struct expr_node *n = node_op(l, N_BIN, type, a, b);
    n->op = op;
    if (ints && !(l->tree->tells_wraps && may_wrap(op, a, b))) n->affine = int_affine(l, op, a, b);
    return n;
}

static struct expr_node *
neg_node(struct lower *l, struct expr_node *a)
{
    if (a->kind == N_REAL) return node_real(l, -a->real);
    struct expr_node *n = node_op(l, N_NEG, a->type == C_STRING ? C_VALUE : a->type, a, NULL);
    if (a->affine) n->affine = affine_sum(l, (uint32_t)-1, a->affine, 0, a->affine);
    return n;
}

static struct expr_node *
not_node(struct lower *l, struct expr_node *a)
{
    if (is_truth(a)) return node_int(l, !node_const_true(a));
    return node_op(l, N_NOT, C_INT, a, NULL);
}

static bool
fits_int(double d)
{
    return d > -2147483649.0 && d < 2147483648.0;
}

static struct expr_node *
to_int_node(struct lower *l, struct expr_node *a)
{
    if (a->type == C_INT) return a;
    if (a->kind == N_REAL && fits_int(a->real)) return node_int(l, (int32_t)a->real);
    return node_op(l, N_TO_INT, C_INT, a, NULL);
}

static struct expr_node *
to_real_node(struct lower *l, struct expr_node *a)
{
    if (a->type == C_REAL) return a;
    if (node_is_const(a)) return node_real(l, a->affine->k);
    return node_op(l, N_TO_REAL, C_REAL, a, NULL);
}

/* An int and a real branch make a real, whichever is taken; so they do when the compiler knows
 * which. Of values whose type is known at run time only, the C text asks (lower_code.c). */
static struct expr_node *
cond_node(struct lower *l, struct expr_node *c, struct expr_node *yes, struct expr_node *no)
{
    bool numbers = yes->type <= C_REAL && no->type <= C_REAL;
    bool mixed = yes->type != no->type && numbers;
    if (is_truth(c)) {
        struct expr_node *taken = node_const_true(c) ? yes : no,
                         *other = node_const_true(c) ? no : yes;
        if (mixed) return to_real_node(l, taken);
        if (!node_may_widen(taken, other)) return taken;
    }
    enum ctype type = yes->type == no->type ? yes->type : mixed ? C_REAL : C_VALUE;
    struct expr_node *n = node_op(l, N_COND, type, c, yes);
    n->c = no;
    return n;
}

static struct expr_node *
to_string_node(struct lower *l, struct expr_node *a)
{
    char text[16];
    if (a->type == C_STRING) return a;
    if (!node_is_const(a)) return node_op(l, N_TO_STRING, C_STRING, a, NULL);
    int n = snprintf(text, sizeof text, "%d", a->affine->k);
    return node_string(l, text, (size_t)n);
}

/* Two texts, one behind the other. */
static struct expr_node *
join_node(struct lower *l, struct expr_node *a, struct expr_node *b)
{
    if (node_is_const(a)) a = to_string_node(l, a);
    if (node_is_const(b)) b = to_string_node(l, b);
    if (a->kind != N_STRING || b->kind != N_STRING) return node_op(l, N_JOIN, C_STRING, a, b);
    size_t n = strlen(a->string), m = strlen(b->string);
    char *both = arena_alloc(l->a, n + m + 1);
    memcpy(both, a->string, n);
    memcpy(both + n, b->string, m);
    return node_string(l, both, n + m);
}

/* ---- the tree to nodes ---- */

static struct expr_node *build(struct lower *l, const struct expr *e);

static struct expr_node *
build_cast(struct lower *l, const struct expr *e)
{
    struct expr_node *a = build(l, e->a);
    if (e->cast == T_INT) return to_int_node(l, a);
    if (e->cast == T_REAL) return to_real_node(l, a);
    return to_string_node(l, a);
}

/* Who owned a cell: an expression for each dimension. */
static struct expr_node *
build_owner(struct lower *l, const struct expr *e)
{
    struct expr_node *n = node_new(l, N_OWNER, C_INT);
    if (e->a) n->a = to_int_node(l, build(l, e->a));
    if (e->b) n->b = to_int_node(l, build(l, e->b));
    if (e->c) n->c = to_int_node(l, build(l, e->c));
    l->p->asks_owners = true;
    return n;
}

/* What came as an input. */
static struct expr_node *
build_part(struct lower *l, const struct expr *e)
{
    struct dfref df;
    if (!lower_part(l, e, &df)) return node_int(l, 0);
    return node_word(l, N_IN, C_VALUE, need_position(l, &df));
}

static struct expr_node *
build_bin(struct lower *l, const struct expr *e)
{
    struct expr_node *a = build(l, e->a), *b = build(l, e->b);
    if (e->op <= OP_AND) return logic_node(l, e->op, a, b);
    if (e->op <= OP_GE) return compare_node(l, e->op, a, b);
    return arith_node(l, e->op, a, b);
}

static struct expr_node *
build(struct lower *l, const struct expr *e)
{
    e = lower_see(l, e);
    switch (e->kind) {
    case E_INT: return node_int(l, (int32_t)(uint32_t)(uint64_t)e->ival);
    case E_REALNUM: return node_real(l, e->rval);
    case E_STR: return node_string(l, e->str, e->str_size);
    case E_REF: return ref_node(l, e->ref);
    case E_CAST: return build_cast(l, e);
    case E_NEG: return neg_node(l, build(l, e->a));
    case E_NOT: return not_node(l, build(l, e->a));
    case E_BIN: return build_bin(l, e);
    case E_COND: return cond_node(l, build(l, e->a), build(l, e->b), build(l, e->c));
    case E_NODES: return node_new(l, N_NODES, C_INT);
    case E_NODE: return build_owner(l, e);
    case E_PART: return build_part(l, e);
    }
    return node_int(l, 0);
}

/* An argument for a string parameter: + joins, also in parentheses, branches and lets. */
static struct expr_node *
build_text(struct lower *l, const struct expr *e)
{
    e = lower_see(l, e);
    if (e->kind == E_BIN && e->op == OP_ADD)
        return join_node(l, build_text(l, e->a), build_text(l, e->b));
    if (e->kind == E_COND)
        return cond_node(l, build(l, e->a), build_text(l, e->b), build_text(l, e->c));
    return build(l, e);
}

/* ---- nodes to rows ---- */

/* The affine form as a row; false when only C can say it. */
static bool
affine_row(struct lower *l, const struct affine *x, struct plan_expr *row)
{
    static const enum plan_expr_kind of_word[] = {PE_LOCAL, PE_FRAME, PE_IX};
    struct plan_term terms[TERMS_MAX];
    row->k = x->k;
    row->kind = PE_INT;
    if (!x->n) return true;
    row->kind = of_word[x->term[0].space];
    row->a = x->term[0].word;
    if (x->n == 1 && x->term[0].coefficient == 1) return true;
    for (int i = 0; i < x->n; i++) {
        if (x->term[i].space == FROM_IX) return false;
        terms[i] = (struct plan_term){(int32_t)x->term[i].coefficient, x->term[i].word,
                                      x->term[i].space == FROM_FRAME};
    }
    row->kind = PE_AFFINE;
    row->a = (uint16_t)x->n;
    row->terms = plan_intern(l->p, terms, terms, (uint32_t)x->n);
    return true;
}

/* Blocks of neighbours: i / 10. The runtime can tell where they end. */
static bool
quotient_row(struct lower *l, const struct expr_node *n, struct plan_expr *row)
{
    struct plan_expr inner = {0};
    if (n->kind != N_BIN || n->op != OP_DIV || n->type != C_INT || !n->a->affine ||
        !node_is_const(n->b) || n->b->affine->k < 2 || !affine_row(l, n->a->affine, &inner))
        return false;
    row->kind = PE_QUOTIENT;
    row->k = n->b->affine->k;
    row->terms = plan_expr(l->p, &inner);
    return true;
}

/* Kinds of rows that hold the value itself, whatever its type. */
static bool
plain_row(struct lower *l, const struct expr_node *n, struct plan_expr *row)
{
    if (n->affine) return affine_row(l, n->affine, row);
    if (quotient_row(l, n, row)) return true;
    row->a = n->word;
    switch (n->kind) {
    case N_REAL:
        row->kind = PE_REAL;
        row->real = n->real;
        return true;
    case N_STRING:
        row->kind = PE_STRING;
        row->string = n->string;
        return true;
    case N_FREAL: row->kind = PE_FREAL; return true;
    case N_FVALUE: row->kind = PE_FVALUE; return true;
    case N_IN: row->kind = PE_IN; return true;
    default: return false;
    }
}

static uint32_t
row_of_code(struct lower *l, enum plan_expr_kind kind, const struct expr_node *n, bool truth,
            const struct expr *e)
{
    struct plan_expr row = {.kind = kind, .node = n, .truth = truth};
    uint32_t known = l->p->exprs.n;
    row.code = plan_text(l->p, l->text.text, l->text.size);
    uint32_t at = plan_expr(l->p, &row);
    if (l->p->exprs.n > known) {
        l->p->exprs.row[at].text = ast_expr_text(l->a, e);
        l->p->exprs.row[at].place = lower_place(l, e->span);
    }
    return at;
}

static uint32_t
row_of(struct lower *l, const struct expr_node *n, const struct expr *e)
{
    static const enum plan_expr_kind of_type[] = {PE_INT_FN, PE_REAL_FN, PE_VALUE_FN, PE_VALUE_FN};
    struct plan_expr row = {0};
    if (plain_row(l, n, &row)) return plan_expr(l->p, &row);
    l->text.size = 0;
    node_put(l, n);
    return row_of_code(l, of_type[n->type], n, false, e);
}

uint32_t
lower_int(struct lower *l, const struct expr *e)
{
    struct expr_node *n = to_int_node(l, build(l, e));
    /* Who reads the row converts an input by itself. */
    if (n->kind == N_TO_INT && n->a->kind == N_IN) n = n->a;
    return row_of(l, n, e);
}

/* What a fragment or a parameter holds, and what is left to C (a division). */
bool
lower_int_may_fail(const struct plan_expr *row)
{
    switch (row->kind) {
    case PE_IN: case PE_FREAL: case PE_FVALUE: case PE_INT_FN: case PE_REAL_FN: case PE_VALUE_FN:
        return true;
    default: return false;
    }
}

uint32_t
lower_true(struct lower *l, const struct expr *e)
{
    struct expr_node *n = build(l, e);
    if (is_truth(n)) n = node_int(l, node_const_true(n));
    if (n->affine || n->kind == N_IN) return row_of(l, n, e);
    l->text.size = 0;
    node_put_true(l, n);
    return row_of_code(l, PE_INT_FN, n, true, e);
}

uint32_t
lower_real(struct lower *l, const struct expr *e)
{
    struct expr_node *n = build(l, e);
    if (node_is_const(n)) n = to_real_node(l, n);
    if (n->type >= C_STRING && n->kind != N_IN) n = to_real_node(l, n);
    return row_of(l, n, e);
}

uint32_t
lower_string(struct lower *l, const struct expr *e)
{
    struct expr_node *n = build_text(l, e);
    return row_of(l, node_is_const(n) ? to_string_node(l, n) : n, e);
}

uint32_t
lower_value(struct lower *l, const struct expr *e)
{
    return row_of(l, build(l, e), e);
}

uint32_t
lower_ints(struct lower *l, const struct expr *const *e, int n)
{
    uint32_t few[8], *rows = n <= 8 ? few : arena_array(l->a, uint32_t, (size_t)n);
    for (int i = 0; i < n; i++) rows[i] = lower_int(l, e[i]);
    return plan_expr_run(l->p, rows, (uint32_t)n);
}
