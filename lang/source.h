/* source.h - the text a compilation sees, and where each byte of it came from.
 *
 * The preprocessor turns files into one *plain text*: no comments, no directives, macros replaced,
 * foreign blocks cut out. All later passes speak in spans of the plain text; only a diagnostic needs
 * to know that byte 1234 was written in line 7 of "lib.fa", inside macro N, used in line 30.
 *
 *     file text --prep--> plain text      each piece of the plain text remembers its origin:
 *                                         (file, offset) and, inside a macro, the place of its use
 *
 * Everything lives in the arena of the compilation. */
#ifndef LUNA_LANG_SOURCE_H
#define LUNA_LANG_SOURCE_H

#include "runtime/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes lo..hi-1 of the plain text. */
struct span {
    uint32_t lo, hi;
};

/* A place a person can find: 1-based; columns count characters (UTF-8), end_col is one past. */
struct place {
    const char *file; /* as the user named it */
    uint32_t line, col, end_line, end_col;
    const char *line_text; /* the first line, without its newline; not 0-terminated */
    size_t      line_size;
};

struct source; /* files, plain text, origins */

struct source *source_new(struct arena *a);

/* ---- for prep ---- */
/* A file's text, kept under the name the user knows it by; gives its number. */
int source_add_file(struct source *s, const char *name, const char *text, size_t size);
/* An origin: where pieces of plain text were written. `use` >= 0: they come out of the body of macro
 * `macro`, used at origin `use`, offset `use_offset`. `included` likewise for #include. */
struct origin {
    int file;            /* where the bytes stand */
    int use;             /* origin of the macro use, or -1 */
    uint32_t use_offset; /* offset of the use in its file */
    uint32_t use_size;
    const char *macro;   /* its name, NULL outside macros */
};
int source_add_origin(struct source *s, struct origin o);
/* Appends `size` bytes to the plain text, which stand at `offset` of the origin's file. When the text
 * is not in the file byte for byte (a replaced block), `file_size` tells how long it is there. */
void source_add_text(struct source *s, int origin, uint32_t offset, uint32_t file_size,
                     const char *bytes, size_t size);
/* Tells that `file` was included by an #include at this place of an origin. */
void source_set_included(struct source *s, int file, int origin, uint32_t offset, uint32_t size);

/* ---- for all passes ---- */
const char *source_text(const struct source *s, size_t *size); /* the plain text, 0-terminated */
/* The place the user wrote. Depth 0 is the innermost (in a macro: its body), depth 1 the use of that
 * macro, then the use it stands in; after those the #include directives, innermost first. False when
 * there is no such depth. `why` (may be NULL) gets "in macro 'N'" / "included here" for depth > 0. */
bool source_place(const struct source *s, struct span span, int depth, struct place *out,
                  const char **why);
/* A place straight in a file, for errors of the preprocessor itself. */
bool source_file_place(const struct source *s, int file, uint32_t offset, uint32_t size,
                       struct place *out);
/* Files read so far: the program and its includes; the cache of compiled programs needs them. */
int         source_file_count(const struct source *s);
const char *source_file_name(const struct source *s, int file);

#endif
