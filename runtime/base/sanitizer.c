/* sanitizer.c - its symbols are looked up, for luna is linked without it. */
#include "sanitizer.h"

#include "pool.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef void region_fn(const volatile void *p, size_t n);

static region_fn *forbid, *allow;

/* dlsym gives data; a function is what it points to. */
static void
find(const char *name, region_fn **fn)
{
    void *p = dlsym(RTLD_DEFAULT, name);
    memcpy(fn, &p, sizeof p);
}

bool
sanitizer_here(void)
{
#ifdef POOL_PLAIN
    return false; /* luna itself is compiled for it: no functions of a program alone */
#endif
    find("__asan_poison_memory_region", &forbid);
    find("__asan_unpoison_memory_region", &allow);
    return forbid || dlsym(RTLD_DEFAULT, "__ubsan_handle_type_mismatch_v1");
}

/* Each library of a sanitizer has a list of its own of whom to call. */
static void
on_death_of(const char *library, void (*fn)(void))
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    void *p = handle ? dlsym(handle, "__sanitizer_set_death_callback") : NULL;
    void (*set)(void (*)(void));
    memcpy(&set, &p, sizeof p);
    if (p) set(fn);
}

void
sanitizer_on_death(void (*fn)(void))
{
    const char *preload = getenv("LD_PRELOAD");
    char *words = preload ? strdup(preload) : NULL, *rest = NULL;
    for (char *w = words ? strtok_r(words, ": ", &rest) : NULL; w; w = strtok_r(NULL, ": ", &rest))
        on_death_of(w, fn);
    free(words);
}

void
sanitizer_forbid(const void *p, size_t n)
{
    if (forbid) forbid(p, n);
}

void
sanitizer_allow(const void *p, size_t n)
{
    if (allow) allow(p, n);
}
