/* lower_code.c - nodes to C. Parentheses stand where C
 * needs them or where compilers ask for them. */
#include "lang/lower/lower_node.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* How tightly C binds, loosest first. */
enum prec { P_COND, P_OR, P_AND, P_EQ, P_REL, P_ADD, P_MUL, P_UNARY, P_PRIMARY };

static void put_native(struct lower *l, const struct expr_node *n, enum prec prec);

static const char *const op_text[] = {"||", "&&", "<", "<=", "==", "!=", ">", ">=",
                                      "+",  "-",  "*", "/",  "%"};

static bool
is_logic(const struct expr_node *n)
{
    return n->kind == N_NOT || (n->kind == N_BIN && n->op <= OP_GE && !node_is_const(n));
}

static void
put_call(struct lower *l, const char *name, void (*put)(struct lower *, const struct expr_node *),
         const struct expr_node *a, const struct expr_node *b)
{
    out_printf(&l->text, "%s(e, ", name);
    put(l, a);
    if (b) out_str(&l->text, ", ");
    if (b) put(l, b);
    out_str(&l->text, ")");
}

static void
put_plain(struct lower *l, const struct expr_node *n)
{
    put_native(l, n, P_COND);
}

/* As a luna_value. */
static void
put_value(struct lower *l, const struct expr_node *n)
{
    if (n->type <= C_REAL) {
        out_printf(&l->text, "luna_v_of_%s(", n->type == C_INT ? "int" : "real");
        put_plain(l, n);
        out_str(&l->text, ")");
    } else {
        put_native(l, n, P_COND);
    }
}

/* As a truth value of C. */
static void
put_true(struct lower *l, const struct expr_node *n, enum prec prec)
{
    if (is_logic(n)) {
        put_native(l, n, prec);
    } else if (n->type != C_INT) {
        put_call(l, "luna_v_true", put_value, n, NULL);
    } else if (node_is_const(n)) {
        out_str(&l->text, node_const_true(n) ? "1" : "0");
    } else {
        if (prec > P_EQ) out_str(&l->text, "(");
        put_native(l, n, P_ADD);
        out_str(&l->text, prec > P_EQ ? " != 0)" : " != 0");
    }
}

static void
put_logic(struct lower *l, const struct expr_node *n)
{
    /* gcc wants parentheses where && stands beside ||. */
    enum prec own = n->op == OP_OR ? P_OR : P_AND;
    const struct expr_node *side[] = {n->a, n->b};
    for (int i = 0; i < 2; i++) {
        bool logic = is_logic(side[i]) && side[i]->kind == N_BIN;
        bool chain = logic && side[i]->op == n->op && i == 0;
        bool compare = !logic || side[i]->op > OP_AND;
        if (i) out_printf(&l->text, " %s ", op_text[n->op]);
        put_true(l, side[i], chain ? own : compare ? P_EQ : P_PRIMARY);
    }
}

static void
put_compared(struct lower *l, const struct expr_node *n)
{
    /* Compilers warn about a < b < c; this is what it means. */
    if (is_logic(n)) out_str(&l->text, "(");
    put_native(l, n, is_logic(n) ? P_OR : P_ADD);
    if (is_logic(n)) out_str(&l->text, " ? 1 : 0)");
}

static void
put_compare(struct lower *l, const struct expr_node *n)
{
    if (n->a->type <= C_REAL && n->b->type <= C_REAL) {
        put_compared(l, n->a);
        out_printf(&l->text, " %s ", op_text[n->op]);
        put_compared(l, n->b);
        return;
    }
    bool turned = n->op == OP_GT || n->op == OP_GE;
    const char *name = n->op == OP_LT || n->op == OP_GT   ? "luna_v_lt"
                       : n->op == OP_LE || n->op == OP_GE ? "luna_v_le"
                                                          : "luna_v_eq";
    if (n->op == OP_NE) out_str(&l->text, "!");
    put_call(l, name, put_value, turned ? n->b : n->a, turned ? n->a : n->b);
}

/* A division of ints that can fail, or what wraps around: the runtime reports it. */
static bool
is_checked(const struct lower *l, const struct expr_node *n)
{
    if (n->type == C_INT && n->op >= OP_ADD && n->op <= OP_MUL) return l->tree->tells_wraps;
    return n->type == C_INT && (n->op == OP_DIV || n->op == OP_MOD) &&
           !(node_is_const(n->b) && n->b->affine->k != 0 && n->b->affine->k != -1);
}

static void
put_arith(struct lower *l, const struct expr_node *n)
{
    static const char *const value_fn[] = {"luna_v_add", "luna_v_sub", "luna_v_mul", "luna_v_div",
                                           "luna_v_mod"};
    if (n->type == C_VALUE) {
        put_call(l, value_fn[n->op - OP_ADD], put_value, n->a, n->b);
    } else if (is_checked(l, n)) {
        static const char *const int_fn[] = {"luna_i_add", "luna_i_sub", "luna_i_mul", "luna_q_div",
                                             "luna_q_mod"};
        put_call(l, int_fn[n->op - OP_ADD], put_plain, n->a, n->b);
    } else {
        enum prec own = n->op <= OP_SUB ? P_ADD : P_MUL;
        put_native(l, n->a, own);
        out_printf(&l->text, " %s ", op_text[n->op]);
        put_native(l, n->b, own + 1);
    }
}

static void
put_neg(struct lower *l, const struct expr_node *n)
{
    if (n->type == C_VALUE) {
        put_call(l, "luna_v_neg", put_value, n->a, NULL);
    } else {
        out_str(&l->text, "-");
        put_native(l, n->a, P_PRIMARY);
    }
}

static void
put_not(struct lower *l, const struct expr_node *n)
{
    out_str(&l->text, "!");
    put_true(l, n->a, P_UNARY);
}

static void
put_leaf(struct lower *l, const struct expr_node *n)
{
    static const char *const macro[] = {[N_LOCAL] = "L",  [N_FRAME] = "F",   [N_IX] = "IX",
                                        [N_FREAL] = "FR", [N_FVALUE] = "FV", [N_OUT] = "OUT",
                                        [N_IN] = "IN"};
    if (node_is_const(n)) {
        out_int(&l->text, n->affine->k);
    } else if (n->kind == N_REAL) {
        out_real(&l->text, n->real);
    } else if (n->kind == N_STRING) {
        out_str(&l->text, "luna_v_of_string(e, ");
        out_literal(&l->text, n->string, strlen(n->string));
        out_str(&l->text, ")");
    } else if (n->kind == N_NODES) {
        out_str(&l->text, "luna_nodes(e)");
    } else {
        out_printf(&l->text, "%s(%d)", macro[n->kind], n->word);
    }
}

/* The type of what is not computed. */
static void
put_type(struct lower *l, const struct expr_node *n)
{
    static const char *const name[] = {"LUNA_INT", "LUNA_REAL", "LUNA_STRING"};
    bool cond = n->kind == N_COND;
    if (n->type < C_VALUE) {
        out_str(&l->text, name[n->type]);
    } else if (n->kind == N_BIN && n->op == OP_MOD) {
        out_str(&l->text, name[C_INT]);
    } else if (n->kind == N_BIN || cond) {
        out_str(&l->text, !cond && n->op == OP_ADD ? "luna_t_add(" : "luna_t_either(");
        put_type(l, cond ? n->b : n->a);
        out_str(&l->text, ", ");
        put_type(l, cond ? n->c : n->b);
        out_str(&l->text, ")");
    } else if (n->kind == N_NEG) {
        put_type(l, n->a);
    } else {
        put_leaf(l, n);
        out_str(&l->text, ".type");
    }
}

/* A branch of ?: as a luna_value; the other one may make a real of it. */
static void
put_branch(struct lower *l, const struct expr_node *taken, const struct expr_node *other)
{
    bool widens = node_may_widen(taken, other);
    if (widens) out_str(&l->text, "luna_v_beside(");
    put_value(l, taken);
    if (!widens) return;
    out_str(&l->text, ", ");
    put_type(l, other);
    out_str(&l->text, ")");
}

static void
put_cond(struct lower *l, const struct expr_node *n)
{
    bool plain = n->type <= C_REAL;
    put_true(l, n->a, P_OR);
    out_str(&l->text, " ? ");
    plain ? put_plain(l, n->b) : put_branch(l, n->b, n->c);
    out_str(&l->text, " : ");
    plain ? put_plain(l, n->c) : put_branch(l, n->c, n->b);
}

static void
put_cast(struct lower *l, const struct expr_node *n)
{
    if (n->kind == N_TO_INT && n->a->type == C_REAL) {
        put_call(l, "luna_r_int", put_plain, n->a, NULL);
    } else if (n->kind == N_TO_REAL && n->a->type == C_INT) {
        out_str(&l->text, "(double)");
        put_native(l, n->a, P_PRIMARY);
    } else {
        const char *name = n->kind == N_TO_INT    ? "luna_v_int"
                           : n->kind == N_TO_REAL ? "luna_v_real"
                                                  : "luna_v_string";
        put_call(l, name, put_value, n->a, NULL);
    }
}

/* Dimensions that the lattice does not have are 0. */
static void
put_owner(struct lower *l, const struct expr_node *n)
{
    const struct expr_node *at[] = {n->a, n->b, n->c};
    out_str(&l->text, "luna_node_of(e");
    for (int i = 0; i < 3; i++) {
        out_str(&l->text, ", ");
        if (at[i]) put_plain(l, at[i]);
        else out_str(&l->text, "0");
    }
    out_str(&l->text, ")");
}

/* The operator on top of what put_native prints for it. */
static enum prec
native_prec(const struct lower *l, const struct expr_node *n)
{
    if (node_is_const(n))
        return n->affine->k == INT_MIN ? P_ADD : n->affine->k < 0 ? P_UNARY : P_PRIMARY;
    if (n->kind == N_REAL) return signbit(n->real) ? P_UNARY : P_PRIMARY;
    if (n->kind == N_COND) return P_COND;
    if (n->kind == N_NEG) return n->type == C_VALUE ? P_PRIMARY : P_UNARY;
    if (n->kind == N_NOT) return P_UNARY;
    if (n->kind == N_TO_REAL) return n->a->type == C_INT ? P_UNARY : P_PRIMARY;
    if (n->kind != N_BIN) return P_PRIMARY;
    if (n->op <= OP_AND) return n->op == OP_OR ? P_OR : P_AND;
    if (n->op <= OP_GE) {
        if (n->a->type <= C_REAL && n->b->type <= C_REAL)
            return n->op == OP_EQ || n->op == OP_NE ? P_EQ : P_REL;
        return n->op == OP_NE ? P_UNARY : P_PRIMARY;
    }
    if (n->type == C_VALUE || is_checked(l, n)) return P_PRIMARY;
    return n->op <= OP_SUB ? P_ADD : P_MUL;
}

/* In the C type of the node: int32_t, double, luna_value. */
static void
put_native(struct lower *l, const struct expr_node *n, enum prec prec)
{
    bool parens = native_prec(l, n) < prec;
    if (parens) out_str(&l->text, "(");
    if (node_is_const(n) || n->kind <= N_IN) put_leaf(l, n);
    else if (n->kind == N_NEG) put_neg(l, n);
    else if (n->kind == N_NOT) put_not(l, n);
    else if (n->kind == N_COND) put_cond(l, n);
    else if (n->kind == N_JOIN) put_call(l, "luna_v_cat", put_value, n->a, n->b);
    else if (n->kind == N_OWNER) put_owner(l, n);
    else if (n->kind >= N_TO_INT) put_cast(l, n);
    else if (n->op <= OP_AND) put_logic(l, n);
    else if (n->op <= OP_GE) put_compare(l, n);
    else put_arith(l, n);
    if (parens) out_str(&l->text, ")");
}

void
node_put(struct lower *l, const struct expr_node *n)
{
    put_native(l, n, P_COND);
}

void
node_put_true(struct lower *l, const struct expr_node *n)
{
    put_true(l, n, P_COND);
}
