/* name.h - fragments and calls as people read them: x[2][7], step[3][1]. */
#ifndef LUNA_RUNTIME_NAME_H
#define LUNA_RUNTIME_NAME_H

#include "runtime/key.h"
#include "runtime/program.h"
#include "runtime/task.h"

enum { NAME_MAX_TEXT = 256 };

/* The declared name with the full index vector; longer ones end in "...". */
void name_df(const struct luna_program *p, const struct key *k, char *text, size_t size);
/* The label with its indices; else the sub's name with the counters of the loops around it, outermost
 * first; for, while and if by their word. */
void name_cf(const struct luna_program *p, const struct task *t, char *text, size_t size);

#endif
