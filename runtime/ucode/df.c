/* df.c - luna.h over value.h: each call checks the type, then does one thing.
 *
 * Messages keep the original system's words ("get_int failed for type real"): people know them. */
#include "df.h"

#include "luna.h"
#include "runtime/base/numeric.h"
#include "runtime/fault/fault.h"
#include "runtime/ucode/crash.h"
#include "runtime/data/value.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct luna_df) == 8 * LUNA_DF_WORDS, "ucenv.h makes room for this");
_Static_assert((int)LUNA_DF_VALUE == (int)LUNA_BYTES, "the numbers of the types are the same");

static const char *
type_text(const luna_df *df)
{
    static const char *const text[] = {"(unset)", "int", "real", "string", "value", "name"};
    return text[df->value.type];
}

static const char *
type_hint(const luna_df *df)
{
    if (df->flags & DF_TAKEN) return "luna_take has given its bytes to an output";
    static const char *const hint[] = {
        "an output has no value before the function sets it",
        "an int is read by luna_get_int, in C++ get_int; cast_real converts it",
        "a real is read by luna_get_real, in C++ get_real; cast_int converts it",
        "a string is read by luna_get_string, in C++ get_string; cast_int and cast_real convert it",
        "bytes are read by luna_data, in C++ by getData",
    };
    return df->value.type <= LUNA_BYTES ? hint[df->value.type] : NULL;
}

/* "x[1]: FAULT", unless the DF is one that the ucode made itself. */
static void __attribute__((noreturn))
fail_hinted(const luna_df *df, const char *hint, const char *fault)
{
    char found[300];
    const luna_df *read = df->value.type == LUNA_UNSET ? NULL : df;
    const char *name = df->name;
    if (!name && running_name_df(df, found, sizeof found)) name = found;
    if (name) running_fail(read, hint, "%s: %s", name, fault);
    running_fail(NULL, hint, "%s", fault);
}

void
luna_fail_of(const luna_df *df, const char *fault)
{
    fail_hinted(df, NULL, fault);
}

static void __attribute__((noreturn))
fail_on(const luna_df *df, const char *fault)
{
    fail_hinted(df, type_hint(df), fault);
}

static void __attribute__((noreturn))
fail_type(const luna_df *df, const char *what)
{
    char fault[64];
    snprintf(fault, sizeof fault, "%s failed for type %s", what, type_text(df));
    fail_on(df, fault);
}

static inline void
require(const luna_df *df, enum luna_type type, const char *what)
{
    if (df->value.type != (uint32_t)type) fail_type(df, what);
}

/* ---- reading ---- */

luna_df_type
luna_type(const luna_df *df)
{
    return (luna_df_type)df->value.type;
}

int
luna_get_int(const luna_df *df)
{
    require(df, LUNA_INT, "get_int");
    return (int)df->value.w.i;
}

double
luna_get_real(const luna_df *df)
{
    require(df, LUNA_REAL, "get_real");
    return df->value.w.d;
}

const char *
luna_get_string(const luna_df *df)
{
    require(df, LUNA_STRING, "get_string");
    return value_block(df->value)->data;
}

void *
luna_data(const luna_df *df)
{
    require(df, LUNA_BYTES, "get_data");
    return value_block(df->value)->data;
}

static void __attribute__((noreturn))
fail_items(const luna_df *df, size_t size, size_t item)
{
    char fault[96];
    snprintf(fault, sizeof fault, "getData failed: %zu bytes are no whole items of %zu", size,
             item);
    fail_hinted(df, "it was made of items of another size; getSize() tells how many bytes it has",
                fault);
}

void *
luna_data_of(const luna_df *df, size_t item)
{
    require(df, LUNA_BYTES, "getData");
    size_t size = value_block(df->value)->size;
    if (size % item) fail_items(df, size, item);
    return value_block(df->value)->data;
}

size_t
luna_size(const luna_df *df)
{
    size_t size;
    if (!value_bytes(&df->value, &size)) fail_on(df, "Cannot getSize(), df is unset");
    return size;
}

size_t
luna_data_size(const luna_df *df)
{
    require(df, LUNA_BYTES, "get_size");
    return value_block(df->value)->size;
}

const void *
luna_bytes(const luna_df *df)
{
    size_t size;
    const void *bytes = value_bytes(&df->value, &size);
    if (!bytes) fail_type(df, "reading bytes");
    return bytes;
}

/* ---- setting ---- */

static void
replace(luna_df *df, luna_value v)
{
    luna_value old = df->value;
    df->value = v;
    value_release(old);
}

void
luna_set_int(luna_df *df, int value)
{
    replace(df, luna_v_of_int(value));
}

void
luna_set_real(luna_df *df, double value)
{
    replace(df, luna_v_of_real(value));
}

void
luna_set_text(luna_df *df, const char *bytes, size_t size)
{
    luna_value v = value_of_string(bytes, size);
    if (v.type == LUNA_UNSET) fault_nomem();
    replace(df, v);
}

void
luna_set_string(luna_df *df, const char *value)
{
    if (!value) luna_fail("luna_set_string: the text is NULL");
    luna_set_text(df, value, strlen(value));
}

void *
luna_create(luna_df *df, size_t n)
{
    luna_release(df); /* first: the new one may be its block again */
    struct block *b = block_new(n);
    if (!b) running_asks_too_much(df, n);
    if (!b) fault_nomem();
    df->value = value_of_block(b, LUNA_BYTES);
    return b->data;
}

void *
luna_create_of(luna_df *df, size_t count, size_t item)
{
    size_t n;
    if (__builtin_mul_overflow(count, item, &n)) {
        running_asks_too_much(df, SIZE_MAX);
        fault_nomem();
    }
    return luna_create(df, n);
}

void
luna_copy(luna_df *df, const luna_df *from)
{
    value_retain(from->value); /* before the old one goes: they may be the same */
    replace(df, from->value);
}

static luna_value
bytes_copied(luna_df *df, luna_value v)
{
    const struct block *from = value_block(v);
    struct block *b = block_new(from->size);
    if (!b) running_asks_too_much(df, from->size);
    if (!b) fault_nomem();
    memcpy(b->data, from->data, from->size);
    return value_of_block(b, LUNA_BYTES);
}

/* What is taken or copied looks alike from outside, whoever else reads it (decision 0030): so the
 * input is unset in both cases, and keeps the count that the call will drop. */
void *
luna_take(luna_df *df, const luna_df *from)
{
    luna_df *input = (luna_df *)from;
    require(from, LUNA_BYTES, "take");
    luna_value v = from->value;
    if (df == from) return value_block(v)->data;
    if (block_is_alone(value_block(v)) && !(from->flags & DF_TWICE)) {
        block_measure_no_more(value_block(v));
        value_retain(v);
    } else {
        v = bytes_copied(df, v);
    }
    replace(df, v);
    if (from->flags & DF_LENT) input->value = value_unset();
    else luna_release(input);
    input->flags |= DF_TAKEN;
    return value_block(v)->data;
}

void
luna_release(luna_df *df)
{
    replace(df, value_unset());
}

void
luna_fini(luna_df *df)
{
    luna_release(df);
    luna_set_name(df, NULL);
}

/* ---- names ---- */

_Thread_local __attribute__((tls_model("initial-exec"))) _Bool df_named;

const char *
luna_name(const luna_df *df)
{
    return df->name ? df->name : "(df)";
}

void
luna_set_name(luna_df *df, const char *name)
{
    char *copy = name ? strdup(name) : NULL;
    if (name && !copy) fault_nomem();
    if (df->flags & DF_OWNS_NAME) free(df->name);
    df->name = copy;
    df_named |= copy != NULL;
    df->flags = copy ? df->flags | DF_OWNS_NAME : df->flags & ~(uint64_t)DF_OWNS_NAME;
}

/* ---- conversions ---- */

/* The whole string as a number; blanks in front are fine, anything behind is not. */
static double
number_of_string(const luna_df *df, const char *what)
{
    const char *text = value_block(df->value)->data;
    char *end;
    locale_t theirs = numeric_begin();
    double d = strtod(text, &end);
    numeric_end(theirs);
    if (end == text || *end) luna_fail("%s failed: '%s' is not a number", what, text);
    return d;
}

static int
int_of_string(const luna_df *df)
{
    const char *text = value_block(df->value)->data;
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (end == text || *end) luna_fail("cast_int failed: '%s' is not an integer", text);
    if (errno || n < INT_MIN || n > INT_MAX) luna_fail("cast_int failed: %s is too large", text);
    return (int)n;
}

int
luna_cast_int(const luna_df *df)
{
    switch (df->value.type) {
    case LUNA_INT: return (int)df->value.w.i;
    case LUNA_STRING: return int_of_string(df);
    case LUNA_REAL: break;
    default: fail_type(df, "cast_int");
    }
    double d = df->value.w.d;
    if (!(d > INT_MIN - 1.0 && d < INT_MAX + 1.0)) luna_fail("cast_int failed: %g is no int", d);
    return (int)d;
}

double
luna_cast_real(const luna_df *df)
{
    switch (df->value.type) {
    case LUNA_INT: return (double)df->value.w.i;
    case LUNA_REAL: return df->value.w.d;
    case LUNA_STRING: return number_of_string(df, "cast_real");
    default: fail_type(df, "cast_real");
    }
}

static __attribute__((format(printf, 3, 4))) size_t
real_text(char *out, size_t room, const char *fmt, ...)
{
    va_list ap;
    locale_t theirs = numeric_begin();
    va_start(ap, fmt);
    int n = vsnprintf(out, room, fmt, ap);
    va_end(ap);
    numeric_end(theirs);
    return (size_t)n;
}

size_t
luna_cast_text(const luna_df *df, char *out, size_t room)
{
    const struct block *b = value_is_block(df->value) ? value_block(df->value) : NULL;
    switch (df->value.type) {
    case LUNA_INT: return (size_t)snprintf(out, room, "%d", (int)df->value.w.i);
    case LUNA_REAL: return real_text(out, room, "%f", df->value.w.d);
    case LUNA_STRING: break;
    default: fail_type(df, "cast_string");
    }
    if (room) {
        size_t n = b->size < room ? b->size : room;
        memcpy(out, b->data, n);
        out[n - 1] = 0;
    }
    return b->size - 1;
}

/* DF<size=24>(00, 1f, ...): the first ten bytes. */
static size_t
describe_bytes(const struct block *b, char *out, size_t room)
{
    enum { SHOWN = 10 };
    char text[4 * SHOWN + 4];
    size_t n = 0;
    for (size_t i = 0; i < b->size && i < SHOWN; i++)
        n += (size_t)sprintf(text + n, "%s%02x", i ? ", " : "", (unsigned char)b->data[i]);
    strcpy(text + n, b->size > SHOWN ? ", ..." : "");
    return (size_t)snprintf(out, room, "DF<size=%zu>(%s)", b->size, text);
}

size_t
luna_describe(const luna_df *df, char *out, size_t room)
{
    const luna_value v = df->value;
    switch (v.type) {
    case LUNA_INT: return (size_t)snprintf(out, room, "DF<int>(%d)", (int)v.w.i);
    case LUNA_REAL: return real_text(out, room, "DF<real>(%f)", v.w.d);
    case LUNA_STRING: return (size_t)snprintf(out, room, "DF<string>(%s)", value_block(v)->data);
    case LUNA_BYTES: return describe_bytes(value_block(v), out, room);
    default: return (size_t)snprintf(out, room, "DF<unset>");
    }
}

/* ---- operators ---- */

static int
is_number(luna_value v)
{
    return v.type == LUNA_INT || v.type == LUNA_REAL;
}

static luna_value
combine_ints(luna_op op, int a, int b)
{
    unsigned ua = (unsigned)a, ub = (unsigned)b; /* these wrap around, as 32-bit ints do in LuNA */
    if (op == LUNA_OP_DIV || op == LUNA_OP_MOD) {
        if (!b) luna_fail("Division by zero");
        if (b == -1) return luna_v_of_int(op == LUNA_OP_DIV ? (int)(0u - ua) : 0);
    }
    switch (op) {
    case LUNA_OP_ADD: return luna_v_of_int((int)(ua + ub));
    case LUNA_OP_SUB: return luna_v_of_int((int)(ua - ub));
    case LUNA_OP_MUL: return luna_v_of_int((int)(ua * ub));
    case LUNA_OP_DIV: return luna_v_of_int(a / b);
    case LUNA_OP_MOD: return luna_v_of_int(a % b);
    case LUNA_OP_LT: return luna_v_of_int(a < b);
    case LUNA_OP_LE: return luna_v_of_int(a <= b);
    case LUNA_OP_GT: return luna_v_of_int(a > b);
    case LUNA_OP_GE: return luna_v_of_int(a >= b);
    case LUNA_OP_EQ: return luna_v_of_int(a == b);
    case LUNA_OP_NE: return luna_v_of_int(a != b);
    case LUNA_OP_AND: return luna_v_of_int(a && b);
    }
    return value_unset();
}

/* A condition is converted to int first, so 0.5 is false: LuNA's rule. */
static int
real_is_true(double d)
{
    if (d != d) luna_fail("nan is neither true nor false");
    return d >= 1 || d <= -1;
}

static luna_value
combine_reals(luna_op op, double a, double b)
{
    switch (op) {
    case LUNA_OP_ADD: return luna_v_of_real(a + b);
    case LUNA_OP_SUB: return luna_v_of_real(a - b);
    case LUNA_OP_MUL: return luna_v_of_real(a * b);
    case LUNA_OP_DIV: return luna_v_of_real(a / b);
    case LUNA_OP_MOD: break;
    case LUNA_OP_LT: return luna_v_of_int(a < b);
    case LUNA_OP_LE: return luna_v_of_int(a <= b);
    case LUNA_OP_GT: return luna_v_of_int(a > b);
    case LUNA_OP_GE: return luna_v_of_int(a >= b);
    case LUNA_OP_EQ: return luna_v_of_int(a == b);
    case LUNA_OP_NE: return luna_v_of_int(a != b);
    case LUNA_OP_AND: return luna_v_of_int(real_is_true(a) && real_is_true(b));
    }
    return value_unset();
}

void
luna_combine(luna_df *out, luna_op op, const luna_df *a, const luna_df *b)
{
    luna_value v = value_unset();
    if (is_number(a->value) && is_number(b->value)) {
        if (a->value.type == LUNA_INT && b->value.type == LUNA_INT)
            v = combine_ints(op, (int)a->value.w.i, (int)b->value.w.i);
        else
            v = combine_reals(op, luna_cast_real(a), luna_cast_real(b));
    }
    if (v.type == LUNA_UNSET)
        luna_fail("Unsupported operand types: %s and %s", type_text(a), type_text(b));
    replace(out, v);
}

/* ---- as bytes ---- */

struct packed { /* in front of the value's bytes */
    uint32_t type, spare;
    uint64_t size;
};

size_t
luna_pack_size(const luna_df *df)
{
    size_t size;
    value_bytes(&df->value, &size);
    return sizeof(struct packed) + size;
}

size_t
luna_pack(const luna_df *df, void *out, size_t room)
{
    size_t size;
    const void *bytes = value_bytes(&df->value, &size);
    if (room < sizeof(struct packed) + size) luna_fail("serialize: %zu bytes are too few", room);
    memcpy(out, &(struct packed){df->value.type, 0, size}, sizeof(struct packed));
    if (size) memcpy((char *)out + sizeof(struct packed), bytes, size);
    return sizeof(struct packed) + size;
}

/* Whether the head tells of a value that can be: `room` bytes follow it. */
static int
packed_is_sound(const struct packed *p, const char *bytes, size_t room)
{
    if (p->size > room) return 0;
    switch (p->type) {
    case LUNA_UNSET: return p->size == 0;
    case LUNA_INT: return p->size == sizeof(int);
    case LUNA_REAL: return p->size == sizeof(double);
    case LUNA_STRING: return p->size > 0 && !bytes[p->size - 1];
    default: return p->type == LUNA_BYTES;
    }
}

size_t
luna_unpack(luna_df *df, const void *bytes, size_t size)
{
    struct packed p = {.type = LUNA_NAME};
    const char *data = (const char *)bytes + sizeof p;
    if (size >= sizeof p) memcpy(&p, bytes, sizeof p);
    if (size < sizeof p || !packed_is_sound(&p, data, size - sizeof p))
        luna_fail("deserialize: these bytes are no value");
    int i;
    double d;
    switch (p.type) {
    case LUNA_UNSET: luna_release(df); break;
    case LUNA_INT: luna_set_int(df, (memcpy(&i, data, sizeof i), i)); break;
    case LUNA_REAL: luna_set_real(df, (memcpy(&d, data, sizeof d), d)); break;
    case LUNA_STRING: luna_set_text(df, data, p.size - 1); break;
    default: memcpy(luna_create(df, p.size), data, p.size); break;
    }
    return sizeof p + p.size;
}

/* ---- for expressions ---- */

luna_value
luna_v_out(const luna_env *e, uint32_t arg)
{
    return e->out[arg].value;
}
