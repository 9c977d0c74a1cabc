/* symbols.h - what an object file defines and needs, read from its ELF symbol table. */
#ifndef LUNA_APPS_SYMBOLS_H
#define LUNA_APPS_SYMBOLS_H

#include "runtime/base/arena.h"

#include <stdbool.h>

struct symbol_info {
    const char *name;
    bool defined;   /* else needed */
    bool global;    /* seen by other objects */
    bool weak;      /* may be defined twice, or be missing */
    bool function;
    bool writable;  /* data that can change: .data, .bss, common */
};

struct symbols {
    struct symbol_info *at;
    int n;
};

/* False: no object file of this machine. Names live in the arena. */
bool symbols_read(struct arena *a, const char *path, struct symbols *out);
/* The defined, global one. */
const struct symbol_info *symbols_find(const struct symbols *s, const char *name);

/* The name that stands in the source: "ns::f" of _ZN2ns1fEi, without parameters; "calls" of a
 * static variable calls.0 or _ZZ1fvE5calls, and of __grid_MOD_calls of a Fortran module. NULL
 * when it is as it stands, or of a rarer form. */
const char *symbol_plain_name(struct arena *a, const char *name);

#endif
