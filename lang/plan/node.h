/* node.h - expressions between the tree and the rows: small trees with static types, lets replaced,
 * constants folded.
 *
 * lower builds them. A row of the plan that only C can say keeps the node it was printed from, so
 * that prove can read it. */
#ifndef LUNA_LANG_PLAN_NODE_H
#define LUNA_LANG_PLAN_NODE_H

#include "lang/tree/ast.h"

#include <math.h>

enum ctype { C_INT, C_REAL, C_STRING, C_VALUE }; /* C_STRING: a luna_value that is a string */

enum node_kind {
    N_INT,
    N_REAL,
    N_STRING, /* constants */
    N_LOCAL,
    N_FRAME,
    N_IX,
    N_FREAL,
    N_FVALUE,
    N_OUT,
    N_NODES, /* how many there are */
    N_IN,
    N_NEG,
    N_NOT,
    N_BIN,
    N_COND,
    N_JOIN,
    N_OWNER, /* the node that had cell a, b, c at the start */
    N_TO_INT,
    N_TO_REAL,
    N_TO_STRING
};

enum { TERMS_MAX = 8 };
enum space { FROM_LOCAL, FROM_FRAME, FROM_IX };
struct affine {
    int32_t k;
    int n;
    struct {
        uint32_t coefficient;
        uint16_t word, space;
    } term[TERMS_MAX]; /* by space, word */
};

struct expr_node {
    enum node_kind kind;
    enum ctype type;
    enum op op;
    uint16_t word;
    double real;
    const char *string;
    const struct affine *affine; /* an int that is one; N_INT: its k */
    struct expr_node *a, *b, *c;
};

static inline bool
node_is_const(const struct expr_node *n)
{
    return n->affine && !n->affine->n;
}

/* A constant's truth: not 0 when cut. */
static inline bool
node_const_true(const struct expr_node *n)
{
    return n->kind == N_REAL ? fabs(n->real) >= 1 : n->affine->k != 0;
}

/* Whether the branch of a ?: may be an int beside a real, for all the compiler knows. */
static inline bool
node_may_widen(const struct expr_node *taken, const struct expr_node *other)
{
    return (taken->type == C_INT || taken->type == C_VALUE) &&
           (other->type == C_REAL || other->type == C_VALUE);
}

#endif
