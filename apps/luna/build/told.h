/* told.h - what a run tells although it goes on: the program will not end, or gives other values
 * than meant. It is kept with the object, so that each run tells it, also one that compiles
 * nothing. */
#ifndef LUNA_APPS_TOLD_H
#define LUNA_APPS_TOLD_H

#include "lang/lang.h"

/* Turns warnings into errors that the user wants to be, and forgets the other warnings. */
void told_choose(struct diag *d);
/* -D of names that the program does not ask for: most often they are misspelt. */
void told_vain(const struct lang *l, struct buf *out);
/* The words, behind told_choose; empty if there are none. */
void told_words(const struct lang *l, struct buf *out);
/* Shows them; they may be changed. */
void told_show(struct buf *words);

#endif
