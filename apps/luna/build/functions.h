/* functions.h - the functions that C and C++ files define, read from their text alone.
 *
 * A hint may need them before a compiler has run, and of files that do not compile. Macros are left
 * as they stand, so a function that one makes is not seen: good for hints, not for decisions. */
#ifndef LUNA_APPS_FUNCTIONS_H
#define LUNA_APPS_FUNCTIONS_H

#include "lang/report/source.h"

#include <stdbool.h>
#include <stdint.h>

struct function {
    const char *name;
    const char *params; /* "int k, luna_df *out)": behind the opening parenthesis, on one line;
                           NULL: not known, of Fortran */
    const char *path, *shown; /* its file, and what the user calls it */
    uint32_t line, col; /* of the name */
    bool hidden;  /* static */
    bool mangled; /* of C++, without extern "C"; of Fortran, without bind(c) */
};

struct functions {
    struct function *at;
    int n, room;
    bool ends; /* a text has a word that ends a process without a fault */
};

/* Adds those of a text. `path` and `shown` are lent for good. */
void functions_add(struct arena *a, struct functions *f, const char *text, bool cpp,
                   const char *path, const char *shown);
/* Whether a text of C, C++ or Fortran has such a word. */
bool functions_end(const char *text);
/* The one of this name, better one that others see; NULL: none. */
const struct function *functions_find(const struct functions *f, const char *name);
struct place function_place(struct arena *a, const struct function *f);

#endif
