/* params.h - what subs do with their name parameters, so that a call need not be followed: a
 * recursion cannot be.
 *
 * `sub tree(int n, name r)` that assigns r under one condition, and under the opposite one calls
 * itself for two DFs of its own and then assigns r, assigns r once, however deep it is: if the
 * calls inside assign once what they are handed, so does this one.
 *
 * `sub cycle(int level, name u, name v)` that calls itself for two DFs of its own hands on neither
 * u nor v: such a call can be followed for what it is handed, and that ends. */
#ifndef LUNA_LANG_PROVE_PARAMS_H
#define LUNA_LANG_PROVE_PARAMS_H

#include "lang/prove/access.h"

/* By sub and parameter: plain, read and ends, as far as texts show; once: of nobody yet. */
struct param_facts **params_new(struct arena *a, const struct plan *p);

#endif
