/* whole.h - ints as users write them: 1e6 and 2.0 are ints, too, as in a program. */
#ifndef LUNA_RUNTIME_WHOLE_H
#define LUNA_RUNTIME_WHOLE_H

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A number without a fraction, of any size. */
static inline bool
whole_number(const char *word, double *v)
{
    char *end;
    *v = strtod(word, &end);
    return end != word && !*end && !word[strspn(word, "+-0123456789.eE")] && *v == floor(*v);
}

static inline bool
whole_int(const char *word, int64_t *out)
{
    double v;
    if (!whole_number(word, &v) || v < INT_MIN || v > INT_MAX) return false;
    *out = (int64_t)v;
    return true;
}

#endif
