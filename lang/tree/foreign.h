/* foreign.h - a block of another language, as the preprocessor cuts it out, the tree holds it. */
#ifndef LUNA_LANG_TREE_FOREIGN_H
#define LUNA_LANG_TREE_FOREIGN_H

#include "lang/report/source.h"

/* Text between ${<STOP} and STOP, or between ${{ and $}} (then with its braces). */
struct foreign {
    const char *text;
    size_t size;
    struct place place; /* of its first byte */
};

#endif
