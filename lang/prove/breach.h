/* breach.h - SEM14: calls that do not fulfil what their sub requires. */
#ifndef LUNA_LANG_PROVE_BREACH_H
#define LUNA_LANG_PROVE_BREACH_H

#include "lang/prove/judge.h"

void breach_find(struct walk *w, struct sets *s, const struct breach *b, struct finding *best);

#endif
