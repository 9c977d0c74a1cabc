/* kinds.c - the list of all kinds. It stands above them: nothing else of distrib/ knows it. */
#include "kind.h"

#include <string.h>

/* In the order in which they are listed to users. */
#define KINDS(X) X(cyclic) X(block) X(rope) X(patch)

#define DECLARED(name) extern const struct distrib_kind distrib_##name;
KINDS(DECLARED)

#define KIND(name) &distrib_##name,
static const struct distrib_kind *const kinds[] = {KINDS(KIND)};

#define NAME(name) #name,
static const char *const names[] = {KINDS(NAME) NULL};

const char *const *
distrib_kinds(void)
{
    return names;
}

const struct distrib_kind *
distrib_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i]->name, name)) return kinds[i];
    return NULL;
}
