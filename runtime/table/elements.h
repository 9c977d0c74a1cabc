/* elements.h - the elements of a reduction or a list, by their numbers: x[i][j] over i = a..b,
 * j = c..d, in the order of the counters, the last one fastest.
 *
 * The owner is a LUNA_S_REDUCE or a LUNA_S_LIST. What its terms see besides their counters are its
 * words: its own locals, and behind them its ints, the bounds first (program.h). The counters lie
 * behind these.
 *
 * Bounds that follow outer counters (j = 0..i) make rows of unequal length: tables say with which
 * number each row begins. */
#ifndef LUNA_RUNTIME_ELEMENTS_H
#define LUNA_RUNTIME_ELEMENTS_H

#include "runtime/table/task.h"

struct rows;

struct elements { /* that there are */
    const struct luna_program *p;
    const struct luna_site *owner;
    const luna_word *frame;
    uint32_t total;
    struct rows *rows; /* by level; NULL: a box */
};

static inline unsigned
elements_words(const struct luna_site *owner)
{
    return owner->nlocal + owner->nargs - 1u;
}

/* Computes the words, as statement t sees them: of a list its call. */
void elements_eval(const struct luna_program *p, const struct luna_site *owner, struct task *t,
                   luna_word *word);

/* The bounds of counter k, of the first one or in a box. */
static inline int32_t
elements_lo(const struct luna_site *owner, const luna_word *word, uint32_t k)
{
    return (int32_t)word[owner->nlocal + 2 * k].i;
}

static inline int32_t
elements_hi(const struct luna_site *owner, const luna_word *word, uint32_t k)
{
    return (int32_t)word[owner->nlocal + 2 * k + 1].i;
}

/* False: there are more than UINT32_MAX, or too many rows. */
bool elements_look(struct elements *e, const struct luna_program *p,
                   const struct luna_site *owner, const struct frame *f, const luna_word *word);
void elements_forget(struct elements *e);

/* Of rows, for those below. */
uint32_t elements_number_in_rows(const struct elements *e, const luna_word *word);
void     elements_counters_in_rows(const struct elements *e, uint32_t number, luna_word *word);

/* The number of the element whose counters stand behind the words. */
static inline uint32_t
elements_number(const struct elements *e, const luna_word *word)
{
    const luna_word *counter = word + elements_words(e->owner);
    uint32_t at = 0;
    if (__builtin_expect(e->rows != NULL, 0)) return elements_number_in_rows(e, word);
    for (uint32_t k = 0; k < e->owner->b; k++) {
        uint32_t lo = (uint32_t)elements_lo(e->owner, word, k);
        at = at * ((uint32_t)elements_hi(e->owner, word, k) - lo + 1) + (uint32_t)counter[k].i - lo;
    }
    return at;
}

/* And the counters of a number. */
static inline void
elements_counters(const struct elements *e, uint32_t number, luna_word *word)
{
    luna_word *counter = word + elements_words(e->owner);
    if (__builtin_expect(e->rows != NULL, 0)) {
        elements_counters_in_rows(e, number, word);
        return;
    }
    for (uint32_t k = e->owner->b; k-- > 0;) {
        int32_t lo = elements_lo(e->owner, word, k);
        uint32_t n = (uint32_t)elements_hi(e->owner, word, k) - (uint32_t)lo + 1;
        counter[k].i = lo + (int32_t)(n ? number % n : number);
        number = n ? number / n : 0;
    }
}

/* Is it an element of a reduction, not of a list? */
static inline bool
elements_reduced(const struct luna_program *p, const struct luna_site *site)
{
    return site->kind == LUNA_S_TERM && p->sites[site->callee].kind == LUNA_S_REDUCE;
}

/* The only site of the innermost loop. */
const struct luna_site *elements_term(const struct luna_program *p, const struct luna_site *owner);
/* The reference of an element of a list; LUNA_NONE: it takes values, which only its term has, to
 * name one. */
uint32_t elements_ref(const struct luna_program *p, const struct luna_site *list);

#endif
