/* words.h - what place found, or why it found nothing, for `luna check --proof`. */
#ifndef LUNA_LANG_PLACE_WORDS_H
#define LUNA_LANG_PLACE_WORDS_H

#include "lang/place/cost.h"
#include "lang/report/source.h"
#include "runtime/base/buf.h"

/* The grid as rules that can be pasted, each group headed by where it belongs. */
void words_print(const struct directions *d, const struct carry *c, const struct grid *grid,
                 const struct grid_cost *cost, const struct source *s, struct buf *out);

/* Why there is no grid. */
const char *words_no_space(struct arena *a, const struct place_graph *g, const struct carry *c,
                           const struct source *s);
const char *words_busy(struct arena *a, const struct place_graph *g, const struct grid_cost *cost,
                       const struct source *s);

#endif
