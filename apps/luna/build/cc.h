/* cc.h - the compilers of C, C++ and Fortran: which, with which flags, and what tells one from
 * another.
 *
 * CC, CXX, FC, CXX_FLAGS, FFLAGS and LDFLAGS are split at blanks into words. CXX_FLAGS, and behind
 * them FFLAGS for Fortran, stand in front of ours, so that flags which decide about results
 * (-ffp-contract=off, -fwrapv) have the last word. */
#ifndef LUNA_APPS_CC_H
#define LUNA_APPS_CC_H

#include "apps/luna/build/jobs.h"
#include "apps/luna/common/files.h"
#include "apps/luna/launch/options.h"
#include "lang/tree/ast.h"

struct toolchain {
    struct arena *arena;
    struct words program[LANGS]; /* a compiler may be several words */
    struct words flags[LANGS];   /* all flags of a compilation but for the files */
    struct words link_flags;
    const char *include; /* luna.h and program.h are there */
    const char *lib;     /* luna_guard.o and luna_stub are there */
    struct buf *key;     /* all of this, and the compilers themselves, as a piece of a key */
};

/* False: our own headers were not found, which was said. */
bool toolchain_init(struct toolchain *t, const struct options *o);

/* The user's flags say which C++ it is. */
bool cc_has_standard(const struct toolchain *t);
/* Argument vectors. `standard`: a flag, or NULL for the compiler's own. `depends` gets the names of
 * the headers read, in make's form; NULL: they are not asked for. `emitted`: it is the text of the
 * compiler's passes, whose arithmetic is the language's. */
const char *const *cc_compile(struct toolchain *t, enum foreign_lang lang, bool emitted,
                              const char *standard, const char *source, const char *object,
                              const char *depends);
/* Prints C prototypes of what the file in Fortran binds to C. */
const char *const *cc_prototypes(struct toolchain *t, const char *source);
/* `has`: are there objects of this language? */
const char *const *cc_link(struct toolchain *t, const bool has[LANGS], const struct words *objects,
                           const char *out);
/* Reads the file that -MMD made; the names behind the colon. */
void cc_depends(struct arena *a, const char *path, struct words *out);
/* Static libraries that LDFLAGS name, as files: they are inputs too. */
void cc_libraries(const struct toolchain *t, struct words *out);

/* The job could not be started or was killed: says so, and what to do; gives an exit code. 0: it
 * ran. */
int cc_job_check(const struct job *j, enum foreign_lang lang);
/* Its compiler was not found: says so; gives an exit code. */
int cc_missing(const struct toolchain *t, enum foreign_lang lang);

#endif
