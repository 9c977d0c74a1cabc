/* compile.h - from FILE to an object that can be loaded.
 *
 *     cache --found--> object
 *        \--not--> lang_compile -> C texts -> compilers (units.h) -> linker (link.h) -> object
 *
 * Diagnostics are printed here, once, when all that can be known is known. */
#ifndef LUNA_APPS_COMPILE_H
#define LUNA_APPS_COMPILE_H

#include "apps/luna/build/units.h"

struct compile {
    struct arena *arena;
    const struct options *options;
    struct toolchain tools;
    struct cache cache;
    struct work work;
    struct lang lang;
    struct units units;
    struct buf inputs;  /* of the program, for the cache */
    struct content_key subject;
    const char *object; /* path of the linked object, while the work folder exists */
    int fd;             /* the object, open; -1: none */
    bool has_lang;
    bool with_args; /* of main: what is made is for them alone */
};

/* Makes or finds the object: `fd` can be loaded. Gives an exit code, or 0. */
int compile_program(struct compile *c, const struct options *o);
/* The bytes of the object. 0 or an errno. */
int compile_read(const struct compile *c, struct buf *object);
/* Prints what is wrong with the program for the arguments of main there are; false: nothing. */
bool compile_refused(struct compile *c, const struct options *o);
/* All diagnostics, of the program and of its ucodes; prints them. Gives an exit code, or 0. */
int compile_check(struct compile *c, const struct options *o);
void compile_end(struct compile *c);

/* The options of the compiler proper. */
struct lang_options compile_lang_options(const struct options *o);

#endif
