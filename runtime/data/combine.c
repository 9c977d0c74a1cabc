/* combine.c - one function per operation and type, and loops over them. */
#include "combine.h"

#include <math.h>
#include <string.h>

/* ---- ints ---- */

#define INTS(NAME, TYPE, UNSIGNED)                                                                 \
    static inline TYPE NAME(enum luna_operation op, TYPE a, TYPE b)                                \
    {                                                                                              \
        switch (op) {                                                                              \
        case LUNA_R_ADD: return (TYPE)((UNSIGNED)a + (UNSIGNED)b);                                 \
        case LUNA_R_MUL: return (TYPE)((UNSIGNED)a * (UNSIGNED)b);                                 \
        case LUNA_R_MIN: return a < b ? a : b;                                                     \
        case LUNA_R_MAX: return a > b ? a : b;                                                     \
        case LUNA_R_AND: return a && b;                                                            \
        case LUNA_R_OR: return a || b;                                                             \
        case LUNA_R_SUB: break;                                                                    \
        }                                                                                          \
        return 0;                                                                                  \
    }
INTS(int_of, int32_t, uint32_t)
INTS(int64_of, int64_t, uint64_t)

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

/* ---- what there are no single numbers of ---- */

/* A double holds the sum and the product of two floats so well that it is rounded once. */
static inline float
float_of(enum luna_operation op, float a, float b)
{
    return (float)real_of(op, (double)a, (double)b);
}

struct complex_item {
    double re, im;
};

/* As it is written in books: what C does besides for infinities costs more than the product. */
static inline struct complex_item
complex_of(enum luna_operation op, struct complex_item a, struct complex_item b)
{
    if (op == LUNA_R_MUL)
        return (struct complex_item){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return (struct complex_item){a.re + b.re, a.im + b.im};
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
#define of int64_of
ARRAYS(int64_arrays, int64_t, int64_of)
#undef of
#define of float_of
ARRAYS(float_arrays, float, float_of)
#undef of
#define of complex_of
ARRAYS(complex_arrays, struct complex_item, complex_of)
#undef of

size_t
combine_item_bytes(enum combine_items items)
{
    static const size_t bytes[COMBINE_ITEMS] = {8, 4, 8, 4, 16};
    return bytes[items];
}

const char *
combine_items_text(enum combine_items items)
{
    static const char *const text[COMBINE_ITEMS] = {"doubles", "32-bit ints", "64-bit ints",
                                                    "floats", "complex doubles"};
    return text[items];
}

static void
combine_arrays(enum luna_operation op, enum combine_items items, void *to, const void *a,
               const void *b, size_t bytes)
{
    size_t n = bytes / combine_item_bytes(items);
    switch (items) {
    case COMBINE_REAL: real_arrays(op, to, a, b, n); break;
    case COMBINE_INT: int_arrays(op, to, a, b, n); break;
    case COMBINE_INT64: int64_arrays(op, to, a, b, n); break;
    case COMBINE_FLOAT: float_arrays(op, to, a, b, n); break;
    case COMBINE_COMPLEX: complex_arrays(op, to, a, b, n); break;
    case COMBINE_ITEMS: break;
    }
}

/* Only we hold it: nobody sees it change. */
static bool
is_ours(const struct block *b)
{
    return block_is_alone(b);
}

/* Into one of the two that nobody else holds, else into a new one. Apart, or numbers would be
 * combined with registers saved that only blocks need. */
static __attribute__((noinline)) enum combined
combine_blocks(enum luna_operation op, luna_value *pa, luna_value vb, enum combine_items items)
{
    struct block *a = value_block(*pa), *b = value_block(vb);
    enum combined e = a->size == b->size ? COMBINED : COMBINE_SIZES;
    struct block *to = e ? NULL : is_ours(a) ? a : is_ours(b) ? b : block_new(a->size);
    if (!e && !to) e = COMBINE_NOMEM;
    if (!e) combine_arrays(op, items, to->data, a->data, b->data, a->size);
    if (to != b) block_release(b);
    if (e || to == a) return e;
    block_release(a);
    pa->w.p = to;
    return COMBINED;
}

/* ---- values ---- */

bool
combine_takes(luna_value v, enum combine_items items)
{
    if (v.type == LUNA_BYTES) return value_block(v)->size % combine_item_bytes(items) == 0;
    return items <= COMBINE_INT && (v.type == LUNA_INT || v.type == LUNA_REAL);
}

bool
combine_in_any_order(enum luna_operation op, uint32_t type, enum combine_items items)
{
    if (op == LUNA_R_SUB) return false;
    if (op != LUNA_R_ADD && op != LUNA_R_MUL) return true;
    return type == LUNA_INT ||
           (type == LUNA_BYTES && (items == COMBINE_INT || items == COMBINE_INT64));
}

enum combined
combine(enum luna_operation op, luna_value *a, luna_value b, enum combine_items items)
{
    if (a->type != b.type) {
        value_release(b);
        return COMBINE_TYPES;
    }
    if (a->type == LUNA_BYTES) return combine_blocks(op, a, b, items);
    if (a->type == LUNA_INT) a->w.i = int_of(op, (int32_t)a->w.i, (int32_t)b.w.i);
    else a->w.d = real_of(op, a->w.d, b.w.d);
    return COMBINED;
}

luna_value
combine_one(enum luna_operation op, luna_value v, enum combine_items items)
{
    if (op != LUNA_R_AND && op != LUNA_R_OR) return v;
    if (v.type == LUNA_INT) return luna_v_of_int(v.w.i != 0);
    if (v.type == LUNA_REAL) return luna_v_of_int(real_true(v.w.d));
    value_retain(v);
    if (combine(op, &v, v, items) == COMBINED) return v;
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
