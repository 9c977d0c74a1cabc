/* emit.h - plan to C. Cannot fail but for memory: every fault of the user was found before. */
#ifndef LUNA_LANG_EMIT_EMIT_H
#define LUNA_LANG_EMIT_EMIT_H

#include "lang/plan/plan.h"
#include "runtime/base/buf.h"

/* The program: includes "program.h" alone, defines
 * `luna_program`. `hash` is of all source bytes. */
void emit_program(const struct plan *p, uint64_t hash, const char *version, struct buf *out);
/* The foreign blocks of one language, heads first, with
 * #line. Nothing is added when there are none. */
void emit_blocks(const struct plan *p, const struct ast *t, enum foreign_lang lang,
                 struct buf *out);

#endif
