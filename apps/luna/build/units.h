/* units.h - the parts of a program that a compiler turns into objects: the emitted C, the blocks of
 * foreign code, and the user's files beside the program.
 *
 * Each is compiled once for given contents: the objects are kept in the cache too, so that a change
 * in one file does not compile the others again. */
#ifndef LUNA_APPS_UNITS_H
#define LUNA_APPS_UNITS_H

#include "apps/luna/build/cache.h"
#include "apps/luna/build/cc.h"
#include "apps/luna/build/fortran.h"
#include "apps/luna/build/functions.h"
#include "apps/luna/build/messages.h"
#include "apps/luna/build/symbols.h"
#include "apps/luna/build/work.h"
#include "lang/lang.h"

struct unit {
    enum foreign_lang lang;
    const char *shown;  /* as the user calls it; NULL: made by us */
    const char *path;   /* what is compiled: the user's file, by its full name, or one of ours */
    const struct buf *text; /* of one of ours */
    bool optional;      /* C and Fortran: takes part if it defines what is needed */
    bool library;       /* beside a file of #include <...>: not the user's */
    const char *source, *object, *depends, *log; /* in the work folder */
    struct content_key subject;
    bool cached, failed, plain; /* plain: compiled without the prototypes of imports */
    bool older;                 /* as C++11, which it is written in */
    const char *newer;          /* it is not, either: what the compiler said first; else NULL */
    bool takes_part;
    struct symbols symbols;
    struct buf inputs;
    const char *said; /* by the compiler, with the prototypes; NULL: it agreed */
    const char *warnings; /* the compiler's words, where there are some among them; NULL: none */

    /* Of Fortran: */
    struct fortran fortran;
    struct words reads;  /* files that it includes, by name */
    int wave;            /* when it is compiled; 0: at once */
    bool lacks_compiler; /* none was found */
    const char *refusal; /* why it is not compiled, as a compiler would say it; NULL: it is */
    const struct unit *culprit; /* what it reads failed: that is why it did; NULL: its own fault */
    const char *prototypes;     /* in C, as the compiler prints them; NULL: nobody asked */
};

struct units {
    struct arena *arena;
    const struct options *options;
    struct toolchain *tools;
    struct cache *cache;
    struct work *work;
    const struct lang *lang;
    struct unit *at;
    int n, room;
    struct buf prototypes[2]; /* of imports, in C and C++ */
    int waves;
    bool lacks_fortran;       /* no compiler was found, and one was needed */
    struct words dirs;        /* folders that were listed */
    bool silent;              /* units_list says nothing */
    struct functions *functions; /* of units_functions; NULL: nobody asked yet */
};

/* Lists the user's files of a program; says what is wrong and gives an exit code, or 0. */
int units_list(struct units *u);
/* What the texts of the user's files define; listed and read when first asked for. */
const struct functions *units_functions(struct units *u);
/* Compiles all; what the compilers reject is in unit.failed, and reported if it cannot be left out.
 * Gives an exit code when the compilers cannot be used, or 0. */
int units_compile(struct units *u);
/* One more behind the others. */
struct unit *units_add(struct units *u, enum foreign_lang lang, const char *shown,
                       const char *path);
/* What the compiler warned of, in files that take part. */
void units_report_warnings(struct units *u);
void units_fini(struct units *u);

/* The compiler's words about a failed unit, as diagnostics. */
void unit_report(struct units *u, const struct unit *x);
struct alias unit_alias(const struct units *u, const struct unit *x);

#endif
