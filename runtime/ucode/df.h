/* df.h - the inside of luna_df, for the runtime; ucodes see an opaque pointer or the class DF. */
#ifndef LUNA_RUNTIME_UCODE_DF_H
#define LUNA_RUNTIME_UCODE_DF_H

#include "runtime/program.h"

/* The C++ class DF derives from this and adds nothing: same size, standard layout. A DF made by a
 * ucode itself is zeroed: unset. `name` is lent by the runtime under -g; owned (malloc) after
 * setName, so whoever made the DF ends it with luna_fini (or reads `value` first, and then clears
 * its type). */
struct luna_df {
    luna_value value;
    char *name;
    uint64_t flags; /* DF_... */
};

enum {
    DF_OWNS_NAME = 1,
    DF_LENT = 2,  /* an input: its count belongs to the call */
    DF_TWICE = 4, /* it is another input of the call, too */
    DF_TAKEN = 8
};

/* Some DF was given a name on this thread: the runtime then looks for its own and takes it off. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) _Bool df_named;

#endif
