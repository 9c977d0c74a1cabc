/* source.h - the text a compilation sees, and where each byte of it came from.
 *
 * The preprocessor turns files into one *plain text*: no comments, no directives, macros replaced,
 * foreign blocks cut out. All later passes speak in spans of the plain text; only a diagnostic
 * needs to know that byte 1234 was written in line 7 of "lib.fa", inside macro N, used in line 30.
 *
 *     file text --prep--> plain text      each piece of the plain text remembers its offset in an
 *                                         origin: a file as it was included, or one use of a macro
 *
 * Origins form a tree whose root, origin 0, is the program's file: a use stands in another origin.
 * Everything lives in the arena of the compilation. */
#ifndef LUNA_LANG_REPORT_SOURCE_H
#define LUNA_LANG_REPORT_SOURCE_H

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
    const char *file; /* as the user named it; equal pointers for equal files */
    uint32_t line, col, end_line, end_col;
    const char *line_text; /* the first line, without its newline; not 0-terminated */
    size_t      line_size;
};

struct source; /* files, plain text, origins */

struct source *source_new(struct arena *a);

/* ---- for prep ---- */
/* A file's text (lent), kept under the name the user knows it by; gives its number. A text that is
 * no file, such as the definitions of the command line, is added likewise but is not `on_disk`. */
int source_add_file(struct source *s, const char *name, const char *text, size_t size,
                    bool on_disk);
struct origin {
    int file;            /* where the bytes stand: the file included, or with the macro's body */
    int use;             /* origin in which the macro use or the #include stands; -1: the root */
    uint32_t use_offset; /* of the use, in the file of that origin */
    uint32_t use_size;
    const char *macro;   /* its name; NULL: a file */
};
int source_add_origin(struct source *s, struct origin o); /* the root first */
/* Appends `size` bytes to the plain text, which stand at `offset` of the origin's file. When the
 * text is not in the file byte for byte (a replaced block), `file_size` tells how long it is there;
 * 0 is "as long as here". */
void source_add_text(struct source *s, int origin, uint32_t offset, uint32_t file_size,
                     const char *bytes, size_t size);

/* ---- for all passes ---- */
const char *source_text(const struct source *s, size_t *size); /* the plain text, 0-terminated */
/* The place the user wrote. Depth 0 is the innermost that holds all of the span (in a macro: its
 * body; an argument of a macro counts where it was written), depth 1 the use of that macro, then
 * the use it stands in; after those the #include directives, innermost first. False when there is
 * no such depth. `why` (may be NULL) gets "in macro 'N', used here" / "included from here" for
 * depth > 0. */
bool source_place(const struct source *s, struct span span, int depth, struct place *out,
                  const char **why);
/* The same for bytes of an origin's file, for errors of the preprocessor itself. */
bool source_origin_place(const struct source *s, int origin, uint32_t offset, uint32_t size,
                         int depth, struct place *out, const char **why);

/* Files read so far: the program and its includes; the cache of compiled programs needs those that
 * are on disk. */
int         source_file_count(const struct source *s);
const char *source_file_name(const struct source *s, int file);
const char *source_file_text(const struct source *s, int file, size_t *size);
bool        source_file_on_disk(const struct source *s, int file);

#endif
