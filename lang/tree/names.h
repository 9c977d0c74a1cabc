/* names.h - the words of a program: each text is kept once, with one pointer beside it.
 *
 * The parser interns names, so that equal names are equal pointers; resolve keeps the innermost
 * meaning of a name beside it. All in the arena. */
#ifndef LUNA_LANG_TREE_NAMES_H
#define LUNA_LANG_TREE_NAMES_H

#include "runtime/base/arena.h"

#include <stddef.h>

struct names;

struct names *names_new(struct arena *a);
/* The one copy of this text, 0-terminated. */
const char *names_intern(struct names *n, const char *text, size_t size);
/* The pointer beside a text, which is added (NULL) when it is new. Stays valid. */
void **names_slot(struct names *n, const char *text);

#endif
