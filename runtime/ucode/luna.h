/* luna.h - what a ucode in C sees of its value and name parameters.
 *
 *     // import add(value, value, name) as add;
 *     void add(const luna_df *a, const luna_df *b, luna_df *sum)
 *     {
 *         luna_set_real(sum, luna_get_real(a) + luna_get_real(b));
 *     }
 *
 * A value is unset, an int, a real, a string, or bytes. Inputs are shared with other readers: do
 * not write through them. An output must be set before the function returns. A call that does not
 * fit the value (luna_get_int of bytes) ends the run with a message that names the call.
 *
 * The first part is what ucodes in C use. The second is what the C++ class DF (ucenv.h) and the
 * Fortran module luna (luna.F90) are made of; it is for C, too, where a ucode keeps values of its
 * own. */
#ifndef LUNA_H
#define LUNA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LUNA_API __attribute__((visibility("default")))

typedef struct luna_df luna_df;

typedef enum luna_df_type {
    LUNA_DF_UNSET,
    LUNA_DF_INT,
    LUNA_DF_REAL,
    LUNA_DF_STRING,
    LUNA_DF_VALUE, /* raw bytes */
    LUNA_DF_NAME   /* unused */
} luna_df_type;

/* A list of fragments among the arguments, x[i] over i = 0..n, in order: what a parameter value x[]
 * or name y[] of the import is. */
typedef struct luna_inputs {
    const luna_df *const *df;
    size_t n;
} luna_inputs;
typedef struct luna_outputs { /* each must be set */
    luna_df *const *df;
    size_t n;
} luna_outputs;

LUNA_API luna_df_type luna_type(const luna_df *df);

/* The value; its type must be exactly this. */
LUNA_API int         luna_get_int(const luna_df *df);
LUNA_API double      luna_get_real(const luna_df *df);
LUNA_API const char *luna_get_string(const luna_df *df); /* valid while the DF is */

/* Bytes: the data of a value made with luna_create. */
LUNA_API void *luna_data(const luna_df *df);
/* Size in bytes: int 4, real 8, string its length + 1, bytes n. */
LUNA_API size_t luna_size(const luna_df *df);

LUNA_API void luna_set_int(luna_df *df, int value);
LUNA_API void luna_set_real(luna_df *df, double value);
LUNA_API void luna_set_string(luna_df *df, const char *value);
/* Drops the old value and gives n uninitialised bytes, aligned to 64. */
LUNA_API void *luna_create(luna_df *df, size_t n);
/* Shares the other's value; no byte is copied. */
LUNA_API void luna_copy(luna_df *df, const luna_df *from);
/* The bytes of an input become those of an output, to be changed in place. Its memory is taken over
 * if nobody else needs it, else copied; in either case `from` is unset from then on. */
LUNA_API void *luna_take(luna_df *df, const luna_df *from);

/* The reference as written in the program, with its indices, under `luna run -g`; else "(df)". */
LUNA_API const char *luna_name(const luna_df *df);

/* Ends the run with exit code 3, this message, and the place of the call. */
LUNA_API void luna_fail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* The same with a message of so many bytes, as it is. */
LUNA_API void luna_fail_text(const char *bytes, size_t size) __attribute__((noreturn));

/* ---- what ucenv.h and luna.F90 are made of ----
 *
 * A DF of one's own is LUNA_DF_WORDS 64-bit words of zeros (unset), ended by luna_fini. */
#define LUNA_DF_WORDS 4

/* Ends the run with "x[1]: FAULT": what was asked of this DF cannot be. */
LUNA_API void luna_fail_of(const luna_df *df, const char *fault) __attribute__((noreturn));
/* Drops the value: unset, as if just made. The name stays. */
LUNA_API void luna_release(luna_df *df);
/* luna_release, and the name goes too. */
LUNA_API void luna_fini(luna_df *df);
/* NULL: "(df)" again. The text is copied. */
LUNA_API void luna_set_name(luna_df *df, const char *name);

/* A string of `size` bytes, which may hold zeros; a zero is added. */
LUNA_API void luna_set_text(luna_df *df, const char *bytes, size_t size);
/* The bytes of a value of any type as luna_size counts them; valid until it is set again. */
LUNA_API const void *luna_bytes(const luna_df *df);
/* The size of bytes alone: fails for an int, a real, a string. */
LUNA_API size_t luna_data_size(const luna_df *df);
/* The data as items of `item` bytes: fails when they do not fill it. */
LUNA_API void *luna_data_of(const luna_df *df, size_t item);
/* luna_create for `count` items; fails when the product does not fit. */
LUNA_API void *luna_create_of(luna_df *df, size_t count, size_t item);

/* The data as an array with shape[0] x ... x shape[rank-1] items of `item` bytes. They fail when
 * it holds another number of items, or a length is negative. */
LUNA_API void *luna_data_array(const luna_df *df, size_t item, int rank, const int64_t *shape);
LUNA_API void *luna_create_array(luna_df *df, size_t item, int rank, const int64_t *shape);

/* Conversions: a real is truncated to an int, a string must be a number as a whole. */
LUNA_API int    luna_cast_int(const luna_df *df);
LUNA_API double luna_cast_real(const luna_df *df);

/* Texts as snprintf makes them: at most `room` bytes with the 0; the full length is returned. */
LUNA_API size_t luna_cast_text(const luna_df *df, char *out, size_t room); /* 5, 2.500000, hey */
LUNA_API size_t luna_describe(const luna_df *df, char *out, size_t room);  /* DF<int>(5) */

/* out = a OP b on ints and reals: an int and a real make a real; comparisons and && make 0 or 1. */
typedef enum luna_op {
    LUNA_OP_ADD, LUNA_OP_SUB, LUNA_OP_MUL, LUNA_OP_DIV, LUNA_OP_MOD, LUNA_OP_LT, LUNA_OP_LE,
    LUNA_OP_GT, LUNA_OP_GE, LUNA_OP_EQ, LUNA_OP_NE, LUNA_OP_AND
} luna_op;
LUNA_API void luna_combine(luna_df *out, luna_op op, const luna_df *a, const luna_df *b);

/* The value, not the name, as bytes for another process of the same machine type. luna_pack needs
 * luna_pack_size() bytes and returns their number; luna_unpack returns how many it has read. */
LUNA_API size_t luna_pack_size(const luna_df *df);
LUNA_API size_t luna_pack(const luna_df *df, void *out, size_t room);
LUNA_API size_t luna_unpack(luna_df *df, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
