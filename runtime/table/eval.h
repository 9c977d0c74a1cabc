/* eval.h - expressions of the tables, and the arithmetic of values whose type is known at run time.
 *
 * Values made on the way (strings) hang on env->temps until eval_drop_temps(). A fault (wrong type,
 * division by zero) ends the run with the place of env->site.
 *
 * It looks nothing up: what it reads stands in the frame, the loops and the inputs. */
#ifndef LUNA_RUNTIME_EVAL_H
#define LUNA_RUNTIME_EVAL_H

#include "runtime/program.h"
#include "runtime/data/value.h"

int32_t eval_int_slow(const struct luna_program *p, const luna_env *e, const struct luna_expr *x);
double eval_real_slow(const struct luna_program *p, const luna_env *e, const struct luna_expr *x);
/* Lends: the value belongs to the inputs, the frame or the temps. */
luna_value eval_value(const struct luna_program *p, const luna_env *e, uint32_t expr);
luna_value eval_string(const struct luna_program *p, const luna_env *e, uint32_t expr);
int eval_true_slow(const struct luna_program *p, const luna_env *e, const struct luna_expr *x);
/* Of a bytes rule, that is of its cells_env(): false, and a warning, where it would be a fault. */
bool eval_int_try(const struct luna_program *p, const luna_env *e, uint32_t expr, int32_t *value);
/* Until eval_tried(): what would be a fault of this thread is 0, and nobody is told. */
void eval_try(void);
/* False: something was a fault. */
bool eval_tried(void);
void eval_drop_temps(luna_env *e);
/* Under -g: an int that wraps around in + - * is told. Before anything runs. */
void eval_tell_wraps(bool tells);

static inline int32_t
eval_int(const struct luna_program *p, const luna_env *e, uint32_t expr)
{
    const struct luna_expr *x = &p->exprs[expr];
    if (x->kind == LUNA_E_LOCAL) return (int32_t)((uint32_t)e->local[x->a].i + (uint32_t)x->k);
    if (x->kind == LUNA_E_INT) return x->k;
    if (x->kind == LUNA_E_INT_FN) return x->u.int_fn(e);
    return eval_int_slow(p, e, x);
}

static inline double
eval_real(const struct luna_program *p, const luna_env *e, uint32_t expr)
{
    const struct luna_expr *x = &p->exprs[expr];
    if (x->kind == LUNA_E_FREAL) return e->frame[x->a].d;
    if (x->kind == LUNA_E_REAL_FN) return x->u.real_fn(e);
    return eval_real_slow(p, e, x);
}

static inline int
eval_true(const struct luna_program *p, const luna_env *e, uint32_t expr)
{
    const struct luna_expr *x = &p->exprs[expr];
    if (x->kind == LUNA_E_INT_FN) return x->u.int_fn(e) != 0;
    if (x->kind == LUNA_E_IN && e->in[x->a].type == LUNA_INT) return e->in[x->a].w.i != 0;
    return eval_true_slow(p, e, x);
}

#endif
