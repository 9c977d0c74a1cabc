/* meant.h - what a call means when there is no such sub: most often a function not imported. */
#ifndef LUNA_APPS_MEANT_H
#define LUNA_APPS_MEANT_H

#include "apps/luna/build/units.h"

/* Asked about a sub for the first time, it reads the user's files. */
struct ast_outside meant_outside(struct units *u);

#endif
