/* io.h - what the files of the library io share: the description of a file, and its parts.
 *
 * An array of up to three dimensions lies in one piece of a file, the last index fastest. Whoever
 * knows where that piece begins can write and read any box of it, without the library that made the
 * file. This is what travels between nodes:
 *
 *     io_create -- struct io_file --> io_write, on any node: pwrite into PATH.part
 *                                \--> io_close: PATH.part becomes PATH
 *
 * Behind the array PATH.part has a mark, of which io_close makes an end. Nothing here differs from
 * run to run, so that hashes of fragments do not either.
 *
 * Knows luna.h alone. Names begin with luna_io, as all this becomes a part of users' programs. */
#ifndef LUNA_IO_H
#define LUNA_IO_H

#include <luna.h>

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LUNA_IO_TYPES = 4, LUNA_IO_MARK = 16 };

struct luna_io_type {
    const char *name, *numpy, *hdf5;
    int bytes;
};
extern const struct luna_io_type luna_io_types[LUNA_IO_TYPES];

/* Sizes are right-aligned: an array of 5 x 7 has n = {1, 5, 7}. So n[2] is always the fastest. A
 * fragment ends behind the last byte of the path. */
struct luna_io_file {
    char magic[8];
    int32_t writing; /* by io_create; 0: by io_open */
    int32_t type, dims;
    int32_t unused; /* 0: no byte of a fragment is left to chance */
    int64_t n[3];
    int64_t offset;     /* of the array in the file */
    int64_t bytes;      /* of the array */
    int64_t file_bytes; /* of the whole file, without the mark */
    char path[PATH_MAX];
};

static inline size_t
luna_io_file_bytes(const struct luna_io_file *f)
{
    return offsetof(struct luna_io_file, path) + strlen(f->path) + 1;
}

/* A place in the file's array, right-aligned like its sizes. */
struct luna_io_box {
    int64_t at[3], n[3];
};

enum luna_io_format { LUNA_IO_NPY, LUNA_IO_HDF5, LUNA_IO_VTKHDF, LUNA_IO_FORMATS };

/* Words for people: "5 x 7". Gives `text`. */
const char *luna_io_shape(int dims, const int64_t *n, char text[static 64]);

/* ---- io_npy.c ---- */
/* Writes the header into a new file, and says where the array begins. 0 or an errno. */
int luna_io_npy_create(int fd, struct luna_io_file *f);
/* Reads it; NULL, or what is wrong, in words that follow the name of the file. */
const char *luna_io_npy_open(int fd, struct luna_io_file *f, char *words, size_t room);

/* ---- io_hdf5.c ---- */
/* The same for the data set `name` of an HDF5 file at `path`. NULL, or what is wrong. */
const char *luna_io_hdf5_create(const char *path, const char *name, enum luna_io_format format,
                                struct luna_io_file *f, char *words, size_t room);
const char *luna_io_hdf5_open(const char *path, const char *name, enum luna_io_format format,
                              struct luna_io_file *f, char *words, size_t room);

/* ---- io_fd.c ---- */
/* Lends a descriptor of what the path names now. 0 or an errno. */
struct luna_io_fd {
    int fd, slot;
};
int luna_io_fd_take(const char *path, bool writing, struct luna_io_fd *out);
void luna_io_fd_back(struct luna_io_fd *f);
/* Takes over an open descriptor, so that it stays open as long as others are not needed more. */
void luna_io_fd_keep(const char *path, int fd);
/* The path names nothing any more. */
void luna_io_fd_drop(const char *path);

/* ---- io_made.c ---- */
/* io_create makes a file for the array `name`, again perhaps. False: this process has made it for
 * another one, `before`. */
bool luna_io_made(const char *path, const char *name, char *before, size_t room);
/* io_close has given it its name. */
void luna_io_made_whole(const char *path);

/* ---- io_series.c ---- */
/* `path` is whole: if a series of its name was begun, lists it there. 0 or an errno. */
int luna_io_series_add(const char *path);

#endif
