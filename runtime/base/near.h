/* near.h - "did you mean": the nearest of the words tried, near enough to be a slip of the hand.
 *
 *     struct near n = {.word = "stpe"};
 *     for (...) near_try(&n, candidate);
 *     if (n.best) diag_hint(d, "did you mean '%s'?", n.best);
 *
 * A slip is a letter more, less or other, or two neighbours swapped. Other case alone is nearer
 * than any slip. Of equally near words that one is kept which goes on where the word ends, else the
 * first one tried. */
#ifndef LUNA_BASE_NEAR_H
#define LUNA_BASE_NEAR_H

struct near {
    const char *word, *best; /* best NULL: none is near enough */
    int distance;            /* of best, in slips */
};

void near_try(struct near *n, const char *candidate);

#endif
