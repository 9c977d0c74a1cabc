/* modules.h - files of Fortran and what they read of each other: in which order they are
 * compiled, when a kept object is stale, and luna's own module.
 *
 * A module becomes a file for the compiler, grid.mod, that whoever uses the module reads. All
 * stand in the work folder, where the compiler is started, as it looks there first: one that
 * another compiler has left beside the program is not read. They are kept in the cache beside
 * the objects. */
#ifndef LUNA_APPS_MODULES_H
#define LUNA_APPS_MODULES_H

#include "apps/luna/build/units.h"

/* Reads the files of Fortran, and adds luna's where one uses it. */
void modules_read(struct units *u);
/* Gives each unit its wave: what it reads is made in earlier ones. Those that cannot be compiled
 * are refused. */
void modules_order(struct units *u);
/* Those that read what a unit failed to make have failed, too. */
void modules_fail(struct units *u);

/* Which file makes what this one reads, as a piece of its subject. */
void modules_add_subject(const struct units *u, const struct unit *x, struct buf *key);
/* All that was read to compile this one. */
void modules_add_inputs(const struct units *u, struct unit *x);
/* Puts what others read of it in its place, from the cache; false: it is not all there. */
bool modules_take(struct units *u, struct unit *x);
void modules_keep(struct units *u, struct unit *x);

#endif
