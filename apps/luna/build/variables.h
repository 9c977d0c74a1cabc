/* variables.h - where a variable is declared and changed, of which an object's symbols give the
 * name alone: a guess by the text of the file, and of the headers it includes by "name". */
#ifndef LUNA_APPS_VARIABLES_H
#define LUNA_APPS_VARIABLES_H

#include "apps/luna/build/messages.h"

/* `local`: other files do not see it. False: it is declared by a macro, or in other headers. */
bool variable_place(struct arena *a, const struct alias *file, const char *name, bool local,
                    struct place *out);
/* Where a function changes it (changes.h). */
bool variable_change(struct arena *a, const struct alias *file, const char *name,
                     struct place *out);

#endif
