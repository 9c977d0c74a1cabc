/* ends.h - values that one call of a sub reads, and nobody else.
 *
 *     next_board(board, k, next[k]);
 *     place(next[k], rows - 1, c[k]);
 *
 * How often place() reads its board only the run knows. But once all that it has made has ended,
 * nobody else can ask for it: the value is freed then, as by `delete` behind the call. */
#ifndef LUNA_LANG_PROVE_ENDS_H
#define LUNA_LANG_PROVE_ENDS_H

#include "lang/prove/question.h"

/* The call and the argument after which each value of q->t is dead; NULL: there is none. It is
 * a->out of the access. */
const struct access *ends_with(struct question *q);
/* Puts that into the plan. */
void ends_install(struct plan *p, const struct access *x);

#endif
