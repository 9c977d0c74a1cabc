/* mutate.c - words are names and numbers, runs of blanks, and any other byte. */
#include "mutate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES_MAX = 4, WORDS_MAX = 6 };

struct words { /* begin[n] is the end */
    const struct mutated *of;
    size_t *begin, n;
};

static uint64_t
dice(uint64_t *state, uint64_t sides)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % sides;
}

static int
kind_of(uint8_t c)
{
    return isalnum(c) || c == '_' ? 1 : isspace(c) ? 2 : 0;
}

static struct words
words_of(const struct mutated *t)
{
    struct words w = {t, malloc((t->size + 1) * sizeof *w.begin), 0};
    if (!w.begin) abort();
    for (size_t i = 0; i < t->size; i++)
        if (!i || !kind_of(t->bytes[i]) || kind_of(t->bytes[i]) != kind_of(t->bytes[i - 1]))
            w.begin[w.n++] = i;
    w.begin[w.n] = t->size;
    return w;
}

/* Some words in a row. */
static struct mutated
some(const struct words *w, uint64_t *state, size_t *first, size_t *last)
{
    *first = dice(state, w->n), *last = *first + 1 + dice(state, WORDS_MAX);
    if (*last > w->n) *last = w->n;
    return (struct mutated){w->of->bytes + w->begin[*first], w->begin[*last] - w->begin[*first]};
}

/* `by` in place of the bytes from lo to hi. */
static struct mutated
replaced(const struct mutated *t, size_t lo, size_t hi, struct mutated by)
{
    struct mutated r = {.size = lo + by.size + t->size - hi};
    r.bytes = malloc(r.size ? r.size : 1);
    if (!r.bytes) abort();
    memcpy(r.bytes, t->bytes, lo);
    memcpy(r.bytes + lo, by.bytes, by.size);
    memcpy(r.bytes + lo + by.size, t->bytes + hi, t->size - hi);
    return r;
}

static struct mutated
changed(const struct mutated *of, const struct mutated *with, uint64_t *state)
{
    struct words w = words_of(of), o = words_of(with);
    size_t lo, hi, at, end;
    struct mutated here = some(&w, state, &lo, &hi), r;
    switch (dice(state, 5)) {
    case 0: r = replaced(of, w.begin[lo], w.begin[hi], (struct mutated){here.bytes, 0}); break;
    case 1: r = replaced(of, w.begin[hi], w.begin[hi], here); break;
    case 2: r = replaced(of, w.begin[lo], w.begin[hi], some(&w, state, &at, &end)); break;
    case 3: r = replaced(of, w.begin[lo], w.begin[lo + 1], some(&o, state, &at, &end)); break;
    default: r = replaced(of, w.begin[lo], w.begin[lo], some(&o, state, &at, &end)); break;
    }
    free(w.begin);
    free(o.begin);
    return r;
}

struct mutated
mutate(const struct mutated *of, const struct mutated *with, uint64_t seed)
{
    uint64_t state = seed;
    struct mutated t = replaced(of, 0, 0, (struct mutated){of->bytes, 0});
    for (uint64_t n = 1 + dice(&state, CHANGES_MAX); n && t.size && with->size; n--) {
        struct mutated next = changed(&t, with, &state);
        free(t.bytes);
        t = next;
    }
    return t;
}
