/* fortran.h - a Fortran file, read from its text alone: the modules in it, those it uses, what
 * it includes, and its procedures.
 *
 * Modules decide in which order files are compiled and when a kept object is stale, so they are
 * read before a compiler runs. It must not know compilers, nor where files lie. */
#ifndef LUNA_APPS_FORTRAN_H
#define LUNA_APPS_FORTRAN_H

#include "apps/luna/build/functions.h"
#include "apps/luna/common/files.h"

struct fortran {
    struct words makes;    /* files for the compiler: grid.mod; of submodules: grid@inner.smod */
    struct words reads;    /* such files that others may make */
    struct words includes; /* as they are written */
};

/* By the ending of its name: */
bool fortran_is_source(const char *path);
bool fortran_is_fixed(const char *path);        /* .f .F: columns count */
bool fortran_is_preprocessed(const char *path); /* .F90 .F */

/* Adds to `out`. */
void fortran_read(struct arena *a, const char *text, bool fixed, struct fortran *out);
/* Adds the procedures, those without bind(c) as mangled. Their parameters are told by the compiler
 * alone. */
void fortran_functions(struct arena *a, const char *text, const char *path, const char *shown,
                       struct functions *f);
/* Is this parameter of the function declared so that a descriptor is passed, and not the plain
 * bytes? The compiler's prototypes do not tell. */
bool fortran_is_described(struct arena *a, const char *text, bool fixed, const char *function,
                          const char *param);
/* Where a statement assigns the variable, or a part of it. False: nowhere, or several are called
 * so. */
bool fortran_find_change(struct arena *a, const char *text, bool fixed, const char *name,
                         uint32_t *line, uint32_t *col);
/* Where a declaration has the word, else where the text has it first, comments apart. False:
 * nowhere. */
bool fortran_find(struct arena *a, const char *text, bool fixed, const char *word, uint32_t *line,
                  uint32_t *col);

#endif
