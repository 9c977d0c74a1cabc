/* luna.h - what a ucode in C sees of its value and name parameters.
 *
 *     void add(const luna_df *a, const luna_df *b, luna_df *sum)   // import add(value, value, name)
 *     {
 *         luna_set_real(sum, luna_get_real(a) + luna_get_real(b));
 *     }
 *
 * A value is unset, an int, a real, a string, or bytes. Inputs are shared with other readers: do not
 * write through them. An output must be set before the function returns. A call that does not fit the
 * value (luna_get_int of bytes) ends the run with a message that names the call. */
#ifndef LUNA_H
#define LUNA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct luna_df luna_df;

typedef enum luna_df_type {
    LUNA_DF_UNSET,
    LUNA_DF_INT,
    LUNA_DF_REAL,
    LUNA_DF_STRING,
    LUNA_DF_VALUE, /* raw bytes */
    LUNA_DF_NAME   /* unused */
} luna_df_type;

luna_df_type luna_type(const luna_df *df);

/* The value; its type must be exactly this. */
int         luna_get_int(const luna_df *df);
double      luna_get_real(const luna_df *df);
const char *luna_get_string(const luna_df *df); /* valid while the DF is */

/* Bytes: the data of a value made with luna_create. */
void  *luna_data(const luna_df *df);
/* Size in bytes: int 4, real 8, string its length + 1, bytes n. */
size_t luna_size(const luna_df *df);

void luna_set_int(luna_df *df, int value);
void luna_set_real(luna_df *df, double value);
void luna_set_string(luna_df *df, const char *value);
/* Drops the old value and gives n uninitialised bytes, aligned to 64. */
void *luna_create(luna_df *df, size_t n);
/* Shares the other's value; no byte is copied. */
void luna_copy(luna_df *df, const luna_df *from);

/* The reference as written in the program, with its indices, under `luna run -g`; else "(df)". */
const char *luna_name(const luna_df *df);

/* Ends the run with exit code 3, this message, and the place of the call. */
void luna_fail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif

#endif
