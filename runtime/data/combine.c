/* combine.c - one function per operation and type, and loops over them. */
#include "combine.h"

#include <math.h>
#include <string.h>

/* ---- ints ---- */

static inline int32_t
int_of(enum luna_operation op, int32_t a, int32_t b)
{
    switch (op) {
    case LUNA_R_ADD: return (int32_t)((uint32_t)a + (uint32_t)b);
    case LUNA_R_MUL: return (int32_t)((uint32_t)a * (uint32_t)b);
    case LUNA_R_MIN: return a < b ? a : b;
    case LUNA_R_MAX: return a > b ? a : b;
    case LUNA_R_AND: return a && b;
    case LUNA_R_OR: return a || b;
    case LUNA_R_SUB: break;
    }
    return 0;
}

/* ---- reals ---- */

/* As a condition: cut to an int, then not 0. */
static inline bool
real_true(double d)
{
    return d <= -1.0 || d >= 1.0;
}

static inline double
lesser(double a, double b)
{
    if (isnan(a) || isnan(b)) return (double)NAN; /* one of all NaNs */
    if (a == b) return signbit(a) ? a : b;
    return a < b ? a : b;
}

static inline double
real_of(enum luna_operation op, double a, double b)
{
    switch (op) {
    case LUNA_R_ADD: return a + b;
    case LUNA_R_MUL: return a * b;
    case LUNA_R_MIN: return lesser(a, b);
    case LUNA_R_MAX:
        if (isnan(a) || isnan(b)) return (double)NAN;
        return -lesser(-a, -b);
    case LUNA_R_AND: return real_true(a) && real_true(b);
    case LUNA_R_OR: return real_true(a) || real_true(b);
    case LUNA_R_SUB: break;
    }
    return 0;
}

/* ---- arrays: a loop per operation, which the compiler makes wide ---- */

#define EACH(OP)                                                                                   \
    case OP:                                                                                       \
        for (size_t i = 0; i < n; i++) to[i] = of(OP, a[i], b[i]);                                 \
        break

#define ARRAYS(NAME, TYPE, OF)                                                                     \
    static void NAME(enum luna_operation op, TYPE *to, const TYPE *a, const TYPE *b, size_t n)     \
    {                                                                                              \
        switch (op) {                                                                              \
            EACH(LUNA_R_ADD);                                                                      \
            EACH(LUNA_R_MUL);                                                                      \
            EACH(LUNA_R_MIN);                                                                      \
            EACH(LUNA_R_MAX);                                                                      \
            EACH(LUNA_R_AND);                                                                      \
            EACH(LUNA_R_OR);                                                                       \
        case LUNA_R_SUB: break;                                                                    \
        }                                                                                          \
    }

#define of int_of
ARRAYS(int_arrays, int32_t, int_of)
#undef of
#define of real_of
ARRAYS(real_arrays, double, real_of)
#undef of

/* Only we hold it: nobody sees it change. */
static bool
is_ours(const struct block *b)
{
    return block_is_alone(b);
}

/* Into one of the two that nobody else holds, else into a new one. */
static enum combined
combine_blocks(enum luna_operation op, luna_value *pa, luna_value vb, bool ints)
{
    struct block *a = value_block(*pa), *b = value_block(vb);
    enum combined e = a->size == b->size ? COMBINED : COMBINE_SIZES;
    struct block *to = e ? NULL : is_ours(a) ? a : is_ours(b) ? b : block_new(a->size);
    if (!e && !to) e = COMBINE_NOMEM;
    if (!e && ints)
        int_arrays(op, (int32_t *)(void *)to->data, (int32_t *)(void *)a->data,
                   (int32_t *)(void *)b->data, a->size / sizeof(int32_t));
    else if (!e)
        real_arrays(op, (double *)(void *)to->data, (double *)(void *)a->data,
                    (double *)(void *)b->data, a->size / sizeof(double));
    if (to != b) block_release(b);
    if (e || to == a) return e;
    block_release(a);
    pa->w.p = to;
    return COMBINED;
}

/* ---- values ---- */

bool
combine_takes(luna_value v, bool ints)
{
    if (v.type == LUNA_BYTES)
        return value_block(v)->size % (ints ? sizeof(int32_t) : sizeof(double)) == 0;
    return v.type == LUNA_INT || v.type == LUNA_REAL;
}

bool
combine_in_any_order(enum luna_operation op, uint32_t type, bool ints)
{
    if (op == LUNA_R_SUB) return false;
    if (op != LUNA_R_ADD && op != LUNA_R_MUL) return true;
    return type == LUNA_INT || (type == LUNA_BYTES && ints);
}

enum combined
combine(enum luna_operation op, luna_value *a, luna_value b, bool ints)
{
    if (a->type != b.type) {
        value_release(b);
        return COMBINE_TYPES;
    }
    if (a->type == LUNA_BYTES) return combine_blocks(op, a, b, ints);
    if (a->type == LUNA_INT) a->w.i = int_of(op, (int32_t)a->w.i, (int32_t)b.w.i);
    else a->w.d = real_of(op, a->w.d, b.w.d);
    return COMBINED;
}

luna_value
combine_one(enum luna_operation op, luna_value v, bool ints)
{
    if (op != LUNA_R_AND && op != LUNA_R_OR) return v;
    if (v.type == LUNA_INT) return luna_v_of_int(v.w.i != 0);
    if (v.type == LUNA_REAL) return luna_v_of_int(real_true(v.w.d));
    value_retain(v);
    if (combine(op, &v, v, ints) == COMBINED) return v;
    value_release(v);
    return value_unset();
}

bool
combine_none(enum luna_operation op, bool reals, luna_value *v)
{
    if (op != LUNA_R_ADD && op != LUNA_R_MUL) return false;
    *v = reals ? luna_v_of_real(op == LUNA_R_MUL) : luna_v_of_int(op == LUNA_R_MUL);
    return true;
}
