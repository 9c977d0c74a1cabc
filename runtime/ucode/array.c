/* array.c - the data of a value as an array of several dimensions, as Fortran has them: is it as
 * large as the shape says? It knows no order of the items. */
#include "luna.h"

#include "runtime/ucode/crash.h"

#include <stdio.h>

static const char *
name_of(const luna_df *df, char *text, size_t size)
{
    return running_name_df(df, text, size) ? text : luna_name(df);
}

/* "3 x 5" */
static const char *
shape_text(char *text, size_t size, int rank, const int64_t *shape)
{
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? " x " : "",
                                 (long long)shape[i]);
    return text;
}

/* The number of items, or so many that nobody has them. */
static size_t
count_of(const luna_df *df, int rank, const int64_t *shape)
{
    size_t n = 1;
    char name[300], text[200];
    for (int i = 0; i < rank; i++)
        if (shape[i] < 0)
            luna_fail("%s: there is no array of %s items", name_of(df, name, sizeof name),
                      shape_text(text, sizeof text, rank, shape));
    for (int i = 0; i < rank; i++)
        if (__builtin_mul_overflow(n, (size_t)shape[i], &n)) return SIZE_MAX;
    return n;
}

void *
luna_data_array(const luna_df *df, size_t item, int rank, const int64_t *shape)
{
    void *data = luna_data_of(df, item);
    size_t there = luna_size(df) / item;
    char name[300], text[200];
    if (count_of(df, rank, shape) == there) return data;
    luna_fail("%s holds %zu items, not %s", name_of(df, name, sizeof name), there,
              shape_text(text, sizeof text, rank, shape));
}

void *
luna_create_array(luna_df *df, size_t item, int rank, const int64_t *shape)
{
    return luna_create_of(df, count_of(df, rank, shape), item);
}
