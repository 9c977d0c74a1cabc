/* cgroup.c - see cgroup.h. Both versions of Linux's groups, where they are mounted as usual. */
#include "cgroup.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 4096 };
#define NO_LIMIT ((size_t)INT64_MAX >> 20 << 20) /* or more: as version 1 says it */

struct version {
    const char *name; /* what /proc/self/cgroup says of it, behind a number */
    const char *mount, *limit, *used;
    const char *cache[2]; /* part of what is used, and given back when it is needed */
};

static const struct version versions[] = {
    {"", "", "memory.max", "memory.current", {"inactive_file", "active_file"}},
    {"memory", "/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     {"total_inactive_file", "total_active_file"}},
};

static FILE *
open_in(const char *folder, const char *file)
{
    char path[PATH + 64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return fopen(path, "re");
}

/* The number in a file; `otherwise` if there is none, as in "max". */
static size_t
number_in(const char *folder, const char *file, size_t otherwise)
{
    FILE *f = open_in(folder, file);
    unsigned long long n;
    if (!f) return otherwise;
    if (fscanf(f, "%llu", &n) == 1) otherwise = (size_t)n;
    fclose(f);
    return otherwise;
}

static size_t
cache_in(const char *folder, const struct version *v)
{
    char line[200], name[64];
    unsigned long long n;
    size_t sum = 0;
    FILE *f = open_in(folder, "memory.stat");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%63s %llu", name, &n) == 2 &&
            (!strcmp(name, v->cache[0]) || !strcmp(name, v->cache[1])))
            sum += (size_t)n;
    if (f) fclose(f);
    return sum;
}

static void
take_group(struct cgroup_memory *m, const char *folder, const struct version *v)
{
    size_t limit = number_in(folder, v->limit, SIZE_MAX), used, cache;
    if (limit >= NO_LIMIT) return;
    used = number_in(folder, v->used, 0);
    cache = cache_in(folder, v);
    used -= cache < used ? cache : used;
    size_t free = used < limit ? limit - used : 0;
    if (limit < m->limit) m->limit = limit;
    if (free < m->free) m->free = free;
}

/* The group at `path` and those in which it lies. A container may be told where it is outside, and
 * see its own group as the outermost: what is not there is passed over. */
static void
take_groups(struct cgroup_memory *m, const char *root, const struct version *v, char *path)
{
    char folder[PATH];
    for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
        *end = 0;
        snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s%s", root, v->mount, path);
        take_group(m, folder, v);
    }
}

/* Lines are NUMBER:NAMES:PATH; names stand between commas, and version 2 has none. */
static const struct version *
version_of(char *names)
{
    if (!*names) return &versions[0];
    char *rest;
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        if (!strcmp(name, versions[1].name)) return &versions[1];
    return NULL;
}

struct cgroup_memory
cgroup_memory(const char *root)
{
    struct cgroup_memory m = {SIZE_MAX, SIZE_MAX};
    char path[PATH], line[PATH];
    snprintf(path, sizeof path, "%s/proc/self", root);
    FILE *f = open_in(path, "cgroup");
    while (f && fgets(line, sizeof line, f)) {
        char *names = strchr(line, ':'), *at = names ? strchr(names + 1, ':') : NULL;
        if (!at) continue;
        *at++ = 0;
        at[strcspn(at, "\n")] = 0;
        if (!strcmp(at, "/")) *at = 0;
        const struct version *v = version_of(names + 1);
        if (v) take_groups(&m, root, v, at);
    }
    if (f) fclose(f);
    return m;
}
