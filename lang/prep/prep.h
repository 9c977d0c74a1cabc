/* prep.h - the first pass: comments, directives, macros, includes; foreign blocks are cut out.
 *
 * Input: files. Output: the plain text of source.h, plus the list of foreign blocks. Where a block
 * stood, the plain text has the token  ${N}  (N = its number in the list), which the lexer knows.
 *
 *     #define N 8                               .
 *     C sub hello(int i) ${{ puts("hi"); $}}    C sub hello(int i) ${0}
 *     sub main() for i=1..$N hello(i); // go    sub main() for i=1..8 hello(i);
 *
 * Newlines of comments, directives and blocks stay, so that a dump reads like the file. After a
 * fault the plain text is made so that the parser stumbles as little as possible: an unknown macro
 * $X leaves its name X, an absent argument 0. */
#ifndef LUNA_LANG_PREP_PREP_H
#define LUNA_LANG_PREP_PREP_H

#include "lang/report/diag.h"
#include "lang/report/source.h"
#include "lang/tree/foreign.h"
#include "lang/tree/given.h"
#include "runtime/base/buf.h"

struct prep {
    struct foreign *blocks;
    int nblocks;
    struct foreign_link *links;
    int nlinks;
    const char **macros; /* names of those defined at the end, NULL behind the last: for hints */
    const char **params; /* the same of their parameters */
    struct given *given; /* by -D, in order */
    int ngiven;
    const char **vain;   /* of -D, which nothing in the program asks for; NULL: there are none */
    const char **folders; /* of files that #include <...> names; each once */
    int nfolders;
};

/* Everything has a limit: a file, inclusions inside each other, macros inside each other, and all
 * text that macros expand to, or that is included. */
enum {
    PREP_FILE_BYTES_MAX = 16 << 20,
    PREP_INCLUDES_MAX = 64,
    PREP_MACROS_MAX = 512,
    PREP_TEXT_BYTES_MAX = 64 << 20,
};

struct prep_options {
    const char *const *defines; /* "KEY" or "KEY=text"; of equal keys the last counts */
    int ndefines;
    /* Reads a file: NULL text = not there, errno says why. Default: the file system. */
    const char *(*read)(void *who, struct arena *a, const char *path, size_t *size);
    void *read_who;
    const char *library; /* where #include <...> looks; NULL: there is no such place */
    size_t text_bytes_max; /* 0: PREP_TEXT_BYTES_MAX */
};

/* False when `file` cannot be read (usually the command line checked it; a diagnostic PP8 is made).
 * All other faults are diagnostics. */
bool prep_run(struct arena *a, struct source *s, struct diag *d, const char *file,
              const struct prep_options *o, struct prep *out);
/* A const has this name: -D of it is not in vain. */
void prep_asked(struct prep *p, const char *name);
/* The plain text, then each block under its number and place. */
void prep_dump(const struct source *s, const struct prep *p, struct buf *out);

#endif
