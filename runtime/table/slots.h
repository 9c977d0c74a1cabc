/* slots.h - which fragments live in the frame of their activation (slot.h), found once, before the
 * run: those without indices, declared in a sub and not in a loop, that only statements of that sub
 * name, by itself: calls, reductions and conditions, but no call of a structured sub and no rule.
 *
 * It must not know what a frame is made of before its slots. */
#ifndef LUNA_RUNTIME_SLOTS_H
#define LUNA_RUNTIME_SLOTS_H

#include "runtime/program.h"

#include <stdint.h>

struct slots {
    struct slot_of {
        uint16_t at;   /* bytes from the frame; 0: it has none */
        uint32_t next; /* of the same sub, and counted by the program, too; LUNA_NONE: no more */
    } *of;             /* by row of dfs[] */
    struct slots_sub {
        uint32_t first; /* counted by the program: row of dfs[]; LUNA_NONE: none */
        uint16_t n;     /* all */
    } *sub;             /* by row of subs[] */
};

struct slots *slots_new(const struct luna_program *p); /* NULL: out of memory */
void          slots_free(struct slots *s);

#endif
