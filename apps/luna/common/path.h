/* path.h - names of files, as texts: but for path_real nothing is looked up. Strings live in the
 * arena. */
#ifndef LUNA_APPS_PATH_H
#define LUNA_APPS_PATH_H

#include "runtime/base/arena.h"

#include <stdbool.h>

bool path_has_suffix(const char *path, const char *suffix);

const char *path_dir(struct arena *a, const char *path); /* "." when it has none */
const char *path_base(const char *path);                 /* behind the last slash; lends */
const char *path_join(struct arena *a, const char *dir, const char *name); /* "./x" becomes "x" */
/* As realpath, or as it is when that fails. */
const char *path_real(struct arena *a, const char *path);

#endif
