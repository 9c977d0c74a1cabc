/* path.c - see path.h. */
#include "apps/luna/common/path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool
path_has_suffix(const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);
    return n > m && !strcmp(path + n - m, suffix);
}

const char *
path_dir(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return ".";
    return slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
}

const char *
path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *
path_join(struct arena *a, const char *dir, const char *name)
{
    if (name[0] == '/' || !strcmp(dir, ".")) return arena_strdup(a, name);
    bool ends = path_has_suffix(dir, "/") || !strcmp(dir, "/");
    return arena_printf(a, ends ? "%s%s" : "%s/%s", dir, name);
}

const char *
path_real(struct arena *a, const char *path)
{
    char full[PATH_MAX];
    return arena_strdup(a, realpath(path, full) ? full : path);
}
