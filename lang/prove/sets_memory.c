/* sets_memory.c - what isl and GMP get their memory from.
 *
 * GMP ends the process if it gets none, and isl looks at what it has not got. Here the arena jumps,
 * and what isl was about is left as it is: the command ends then. */
#include "lang/prove/sets_parts.h"

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

static struct sets *asking;

static _Noreturn void
no_memory(void)
{
    asking->broken = true;
    arena_jump(asking->arena, ARENA_NO_MEMORY);
    abort(); /* it has jumped */
}

static void *
got(void *p)
{
    if (!p) no_memory();
    return p;
}

/* ---- of GMP ---- */

static void *
gmp_take(size_t size)
{
    return got(malloc(size));
}

static void *
gmp_resize(void *p, size_t old, size_t size)
{
    (void)old;
    return got(realloc(p, size));
}

static void
gmp_give(void *p, size_t size)
{
    (void)size;
    free(p);
}

/* ---- of isl: its archive is linked with these names ---- */

void *luna_isl_malloc(size_t size);
void *luna_isl_calloc(size_t n, size_t size);
void *luna_isl_realloc(void *p, size_t size);
char *luna_isl_strdup(const char *s);

void *
luna_isl_malloc(size_t size)
{
    return got(malloc(size ? size : 1));
}

void *
luna_isl_calloc(size_t n, size_t size)
{
    return got(n && size ? calloc(n, size) : calloc(1, 1));
}

void *
luna_isl_realloc(void *p, size_t size)
{
    return got(realloc(p, size ? size : 1));
}

char *
luna_isl_strdup(const char *s)
{
    return got(strdup(s));
}

void
sets_guard_memory(struct sets *s)
{
    asking = s;
    mp_set_memory_functions(gmp_take, gmp_resize, gmp_give);
}
