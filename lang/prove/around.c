/* around.c - see around.h.
 *
 * The least value of a sum: each counter is put at an end of its loop, from the inside out, until
 * only symbols are left. That is at least 0 if it is so for all symbols, or by one thing that is
 * known of them: that a loop has a turn, or what is required.
 *
 *     for p = 0 .. n - 1      2*n - 1 - (p + 1) >= 2*n - 1 - n = n - 1 >= 0, for 0 <= n - 1 */
#include "lang/prove/around.h"

enum { TIMES_MAX = 3, FACTOR_MAX = 1 << 20 };

static int64_t
factor_of(const struct sum *s, int counter)
{
    for (int i = 0; i < s->n; i++)
        if (s->terms[i].space == SETS_FROM && s->terms[i].number == counter)
            return s->terms[i].factor;
    return 0;
}

/* NULL: none that is one sum, or it is not meant to say anything. */
static const struct sum *
end_of(const struct nesting *s, bool first)
{
    const struct sums *end = first ? s->lo : s->hi;
    bool settled = s->site->stmt && s->site->stmt->settled;
    return end && end->n == 1 && !settled ? &end->pieces[0].sum : NULL;
}

/* Of what is at least 0: what is so, too, of ints. 2*n - 1: n - 1. */
static struct sum
tightened(struct arena *arena, const struct sum *s)
{
    struct sets_term *terms = arena_array(arena, struct sets_term, (size_t)s->n + 1);
    int64_t by = 0;
    for (int i = 0; i < s->n; i++) {
        int64_t a = s->terms[i].factor, rest;
        for (a = a < 0 ? -a : a; a; a = rest) rest = by % a, by = a;
        terms[i] = s->terms[i];
    }
    if (!by) return *s;
    for (int i = 0; i < s->n; i++) terms[i].factor /= by;
    int64_t k = s->k / by;
    return (struct sum){k - (k * by > s->k), s->n, terms};
}

/* Whoever is around: `sum` is at least this. */
static struct sum
least(const struct walk *w, const struct nesting *around, struct sum sum)
{
    for (const struct nesting *s = around; s; s = s->up) {
        if (s->kind != STEP_LOOP) continue;
        int counter = s->loops - 1;
        int64_t factor = factor_of(&sum, counter);
        const struct sum *end = factor ? end_of(s, factor > 0) : NULL;
        if (!end || factor > FACTOR_MAX || factor < -FACTOR_MAX) continue;
        struct sets_term term = {SETS_FROM, counter, 1};
        struct sum column = {0, 1, &term};
        sum = sum_of(w->forms.arena, 1, &sum, -factor, &column, 0);
        sum = sum_of(w->forms.arena, 1, &sum, factor, end, 0);
    }
    return sum;
}

/* `known` is at least 0. */
static bool
follows(const struct walk *w, const struct sum *sum, const struct sum *known)
{
    for (int times = 1; times <= TIMES_MAX; times++) {
        struct sum rest = sum_of(w->forms.arena, 1, sum, -times, known, 0);
        if (sum_range(&w->forms, &rest).lo >= 0) return true;
    }
    return false;
}

/* The loop has a turn. */
static bool
follows_from_loop(const struct walk *w, const struct sum *sum, const struct nesting *s)
{
    const struct sum *lo = end_of(s, true), *hi = end_of(s, false);
    if (s->kind != STEP_LOOP || !lo || !hi) return false;
    /* As that is so for one turn of those around, it is so for the most that lo - hi can be. */
    struct sum below = least(w, s->up, sum_of(w->forms.arena, 1, lo, -1, hi, 0));
    struct sum most = sum_of(w->forms.arena, -1, &below, 0, &below, 0);
    struct sum known = tightened(w->forms.arena, &most);
    return follows(w, sum, &known);
}

static bool
follows_from_required(const struct walk *w, const struct sum *sum, const struct where *required)
{
    if (required->n != 1) return false;
    for (const struct condition *c = required->any[0]; c; c = c->next)
        if (follows(w, sum, &c->sum)) return true;
    return false;
}

bool
around_holds(const struct walk *w, const struct sum *sum)
{
    struct sum least_sum = least(w, w->at, *sum);
    if (sum_range(&w->forms, &least_sum).lo >= 0) return true;
    for (const struct nesting *s = w->at; s; s = s->up)
        if (follows_from_loop(w, &least_sum, s)) return true;
    for (uint32_t i = 0; i < w->nrequired; i++)
        if (follows_from_required(w, &least_sum, w->required[i])) return true;
    return false;
}
