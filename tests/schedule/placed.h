/* placed.h - what the text alone says of places, as docs/language.md 9 defines it.
 *
 * A sub has a *seat* if a call of it has a locator, or if it is called in a sub that has one: what
 * says nothing else runs there. A loop or condition stays where it was made if a statement in it
 * has a place of its own. */
#ifndef LUNA_TESTS_SCHEDULE_PLACED_H
#define LUNA_TESTS_SCHEDULE_PLACED_H

#include "text.h"

const struct text_sub *placed_sub(const struct text_sub *subs, const char *name);

/* Sets text_sub.seated and text_stmt.stays of all. */
void placed_find(struct text_sub *subs);

#endif
