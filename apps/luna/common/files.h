/* files.h - whole files, folders, and lists of words. Strings live in the arena. */
#ifndef LUNA_APPS_FILES_H
#define LUNA_APPS_FILES_H

#include "runtime/base/arena.h"
#include "runtime/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads all of a file behind what is in `out`. 0, or an errno (ENOMEM: out->failed). Only regular
 * files have an end: others are EINVAL. */
int file_read(const char *path, struct buf *out);
/* The same, but when the system is at fault (io_is_systems) it says so and jumps (arena_jump): what
 * cannot be read now is not to be taken for a file that is empty or absent. */
int file_take(struct arena *a, const char *path, struct buf *out);
/* All of it in the arena, as file_take reads it; "" when it cannot be read. */
const char *file_text(struct arena *a, const char *path);
int file_read_fd(int fd, struct buf *out);
/* Makes the file anew, aside and renamed. 0 or an errno; then what was there before stays. */
int file_write(const char *path, const void *bytes, size_t size, unsigned mode);
/* 0, or the errno with which it could not be written; what is there stays as it is. */
int file_try(const char *path);

bool file_is_there(const char *path);
/* What the user would miss if an output took its name: "a program's text"; NULL: nothing. */
const char *file_missed(const char *path);

/* Makes a folder and those above it, 0700 each. 0 or an errno; a folder already there is fine. */
int file_make_dir(const char *path);

struct words {
    const char **at;
    int n, room;
};
void words_add(struct arena *a, struct words *w, const char *word);
bool words_have(const struct words *w, const char *word);
/* Splits at `stops`; empty pieces are left out. */
void words_split(struct arena *a, struct words *w, const char *text, const char *stops);
/* Names in a folder that end as sources of C, C++ and Fortran do, sorted. 0 or an errno. */
int file_sources(struct arena *a, const char *dir, struct words *out);

#endif
