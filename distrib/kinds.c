/* kinds.c - the list of all kinds. It stands above them: nothing else of distrib/ knows it. */
#include "kind.h"

#include <string.h>

/* In the order in which they are listed to users. */
#define KINDS(X)                                                                                   \
    X(cyclic, "cyclic") X(block, "block") X(block_cyclic, "block-cyclic") X(rope, "rope")          \
    X(patch, "patch")

#define DECLARED(kind, name) extern const struct distrib_kind distrib_##kind;
KINDS(DECLARED)

#define KIND(kind, name) &distrib_##kind,
static const struct distrib_kind *const kinds[] = {KINDS(KIND)};

#define NAME(kind, name) name,
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
