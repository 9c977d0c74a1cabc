/* io_npy.c - the header of a .npy file: a magic word, its length, and a dictionary of Python's.
 *
 *     \x93NUMPY 1 0 length {'descr': '<f8', 'fortran_order': False, 'shape': (5, 7), }    \n array
 *
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include "io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 128, START = 10, HEAD_MAX = 1 << 16 };

int
luna_io_npy_create(int fd, struct luna_io_file *f)
{
    char head[HEAD], shape[64] = "";
    for (int k = 0, at = 0; k < f->dims; k++)
        at += snprintf(shape + at, sizeof shape - (size_t)at, "%lld, ",
                       (long long)f->n[3 - f->dims + k]);
    if (f->dims > 1) shape[strlen(shape) - 2] = 0; /* the comma is needed by one number alone */
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\1\0", 8);
    head[8] = HEAD - START;
    head[9] = 0;
    int n = snprintf(head + START, sizeof head - START,
                     "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                     luna_io_types[f->type].numpy, shape);
    head[START + n] = ' ';
    head[HEAD - 1] = '\n';
    f->offset = HEAD;
    ssize_t done = pwrite(fd, head, sizeof head, 0);
    return done == (ssize_t)sizeof head ? 0 : done < 0 ? errno : ENOSPC;
}

/* ---- reading ---- */

/* The text behind 'key': in the dictionary; NULL: it is not there. */
static const char *
value_of(const char *dict, const char *key)
{
    const char *at = strstr(dict, key);
    if (!at) return NULL;
    at += strlen(key);
    return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

static const char *
read_type(const char *dict, struct luna_io_file *f, char *words, size_t room)
{
    const char *value = value_of(dict, "'descr'");
    if (!value || *value != '\'') return "has values of a kind that io does not read";
    size_t n = strcspn(++value, "'");
    for (f->type = 0; f->type < LUNA_IO_TYPES; f->type++) {
        const char *numpy = luna_io_types[f->type].numpy;
        if (strlen(numpy) == n && !strncmp(numpy, value, n)) return NULL;
    }
    snprintf(words, room, "has values of the type '%.*s', which io does not read", (int)n, value);
    return words;
}

static const char *
read_shape(const char *dict, struct luna_io_file *f)
{
    const char *at = value_of(dict, "'shape'");
    int64_t n[3];
    f->dims = 0;
    if (!at || *at++ != '(') return "has no shape";
    while (*at != ')') {
        char *end;
        if (f->dims == 3) return "has more than three dimensions";
        n[f->dims++] = strtoll(at, &end, 10);
        if (end == at || n[f->dims - 1] < 1 || n[f->dims - 1] > INT_MAX) return "has no points";
        at = end + strspn(end, ", ");
    }
    if (!f->dims) return "has no dimension";
    for (int k = 0; k < 3; k++) f->n[k] = k < 3 - f->dims ? 1 : n[k - 3 + f->dims];
    return NULL;
}

static const char *
read_dict(const char *dict, struct luna_io_file *f, char *words, size_t room)
{
    const char *order = value_of(dict, "'fortran_order'");
    const char *wrong = read_type(dict, f, words, room);
    if (wrong) return wrong;
    if (!order || strncmp(order, "False", 5))
        return "has its first index fastest; numpy.ascontiguousarray gives one that has its last";
    return read_shape(dict, f);
}

const char *
luna_io_npy_open(int fd, struct luna_io_file *f, char *words, size_t room)
{
    unsigned char start[12] = {0};
    if (pread(fd, start, sizeof start, 0) < START || memcmp(start, "\x93NUMPY", 6))
        return "is no .npy file";
    bool old = start[6] == 1;
    int64_t at = old ? START : START + 2, size = start[8] | start[9] << 8;
    if (!old) size |= (int64_t)start[10] << 16 | (int64_t)start[11] << 24;
    char *dict = size < HEAD_MAX ? calloc(1, (size_t)size + 1) : NULL;
    if (!dict || pread(fd, dict, (size_t)size, at) != size) {
        free(dict);
        return "is no .npy file";
    }
    const char *wrong = read_dict(dict, f, words, room);
    free(dict);
    f->offset = at + size;
    return wrong;
}
