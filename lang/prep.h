/* prep.h - the first pass: comments, directives, macros, includes; foreign blocks are cut out.
 *
 * Input: files. Output: the plain text of source.h, plus the list of foreign blocks. Where a block
 * stood, the plain text has the token  ${N}  (N = its number in the list), which the lexer knows. */
#ifndef LUNA_LANG_PREP_H
#define LUNA_LANG_PREP_H

#include "lang/diag.h"
#include "lang/source.h"
#include "runtime/base/buf.h"

/* Text between ${<STOP} and STOP, or between ${{ and $}} (then with its braces). */
struct foreign {
    const char *text;
    size_t size;
    struct place place; /* of its first byte */
};

struct prep {
    struct foreign *blocks;
    int nblocks;
};

struct prep_options {
    const char *const *defines; /* "KEY" or "KEY=text" */
    int ndefines;
    /* Reads a file: NULL text = not found. Default: the file system. */
    const char *(*read)(void *who, struct arena *a, const char *path, size_t *size);
    void *read_who;
};

/* False when the file cannot be read (`file` itself missing is the caller's business: the command line
 * checked it; then a diagnostic PP8 is made). All other faults are diagnostics. */
bool prep_run(struct arena *a, struct source *s, struct diag *d, const char *file,
              const struct prep_options *o, struct prep *out);

#endif
