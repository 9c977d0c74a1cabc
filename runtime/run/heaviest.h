/* heaviest.h - which declarations hold most bytes. */
#ifndef LUNA_RUNTIME_HEAVIEST_H
#define LUNA_RUNTIME_HEAVIEST_H

#include "runtime/run/stuck.h"

/* For out of memory: adds notes that name the DFs which hold most bytes, and gives whether DFs hold
 * most of it. `who` is a struct nodes. */
bool heaviest_note(void *who);

enum { HEAVIEST_TEXT = 400 };
/* Which DFs hold most bytes now, the five heaviest: "'u' 12 MiB, 'v' 3 MiB"; "" if none holds a
 * MiB. `sums`: of all ranks, who all call it. */
void heaviest_text(const struct nodes *all, bool sums, char *text, size_t size);

#endif
