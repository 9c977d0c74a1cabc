/* foreign.h - what a program has of other languages: blocks, as the preprocessor cuts them out and
 * the tree holds them, and libraries. */
#ifndef LUNA_LANG_TREE_FOREIGN_H
#define LUNA_LANG_TREE_FOREIGN_H

#include "lang/report/source.h"

#include <stdbool.h>
#include <string.h>

/* Text between ${<STOP} and STOP, or between ${{ and $}} (then with its braces). */
struct foreign {
    const char *text;
    size_t size;
    struct place place; /* of its first byte */
};

/* #link "name", #link "name" in "folder", #link pkg-config "name". */
struct foreign_link {
    const char *name;
    const char *dir; /* from the working directory, or absolute; NULL: where the linker looks */
    bool package;
    struct place place;
};

/* A word that can name a library, and can be nothing else to a linker. */
static inline bool
foreign_is_library(const char *name)
{
    static const char chars[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+.-";
    return *name && !strchr("+.-", *name) && !name[strspn(name, chars)];
}

#endif
