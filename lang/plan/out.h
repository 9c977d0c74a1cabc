/* out.h - a text that grows in an arena: no failure to check, nothing to free. */
#ifndef LUNA_LANG_PLAN_OUT_H
#define LUNA_LANG_PLAN_OUT_H

#include "runtime/base/arena.h"

#include <stddef.h>

struct out {
    struct arena *arena;
    char *text; /* not 0-terminated */
    size_t size, room;
};

void out_add(struct out *o, const char *bytes, size_t n);
void out_str(struct out *o, const char *s);
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A C literal of these bytes, with its quotes. */
void out_literal(struct out *o, const char *bytes, size_t n);
/* A C expression with exactly this value; negative ones begin with '-'. */
void out_int(struct out *o, int value);
void out_real(struct out *o, double value);

#endif
