/* given.h - what -D says on the command line: a macro for the preprocessor, and the value of a
 * const of that name. */
#ifndef LUNA_LANG_TREE_GIVEN_H
#define LUNA_LANG_TREE_GIVEN_H

#include <stddef.h>
#include <stdint.h>

struct given {
    const char *name;
    const char *text; /* behind the '='; NULL: there is none */
    int origin;       /* of source.h, in which KEY=text stands: `size` bytes from `at` on */
    uint32_t at, size;
};

#endif
