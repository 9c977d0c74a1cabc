/* fold.c - folds, made and freed, and the loop over their elements. */
#include "reduce_parts.h"

#include "runtime/base/pool.h"

static size_t
fold_bytes(uint32_t nwords)
{
    return sizeof(struct fold) + nwords * sizeof(luna_word);
}

static enum combine_items
items_of(const struct luna_site *reduce)
{
    switch (reduce->flags & LUNA_F_COMPLEX) {
    case LUNA_F_INT64: return COMBINE_INT64;
    case LUNA_F_FLOAT: return COMBINE_FLOAT;
    case LUNA_F_COMPLEX: return COMBINE_COMPLEX;
    }
    return reduce->flags & LUNA_F_INTS ? COMBINE_INT : COMBINE_REAL;
}

static uint8_t
as_they_are(const struct luna_site *reduce, enum combine_items items)
{
    if (reduce->a >= LUNA_R_AND || items > COMBINE_INT) return 0;
    if (items == COMBINE_INT) return 1 << LUNA_INT;
    return reduce->flags & LUNA_F_REALS ? 1 << LUNA_REAL : 1 << LUNA_REAL | 1 << LUNA_INT;
}

void
fold_init(struct fold *f, const struct elements *which, const luna_word *word)
{
    uint32_t n = elements_words(which->owner);
    enum combine_items items = items_of(which->owner);
    *f = (struct fold){.site = which->owner, .which = *which, .nwords = n, .items = items,
                       .as_they_are = as_they_are(which->owner, items), .busy = ATOMIC_FLAG_INIT};
    memcpy(f->word, word, n * sizeof *word);
}

struct fold *
fold_new(const struct elements *which, const luna_word *word)
{
    struct fold *f = pool_get(pool_class(fold_bytes(elements_words(which->owner))));
    if (!f) fault_nomem();
    fold_init(f, which, word);
    return f;
}

void
fold_free(struct fold *f)
{
    partials_fini(&f->parts);
    elements_forget(&f->which);
    value_release(f->loose.value);
    pool_put(pool_class(fold_bytes(f->nwords)), f);
}

struct range *
fold_range(const struct luna_site *site, const luna_word *word)
{
    unsigned n = elements_words(site);
    struct range *r = pool_get(pool_class(range_bytes(n)));
    if (!r) fault_nomem();
    *r = (struct range){.head = {.site = site->body, .at = (uint16_t)n, .kind = TASK_RANGE,
                                 .flags = RANGE_COUNTER | RANGE_FOLD},
                        .step = 1};
    memcpy(r->local, word, n * sizeof *word);
    return r;
}
