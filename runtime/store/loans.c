/* loans.c - see loans.h. */
#include "runtime/store/loans.h"

static struct key
name_of(const struct loan *a)
{
    struct key k = {.id = a->id, .df = a->df, .n = a->n};
    for (uint32_t i = 0; i < a->n; i++) k.ix[i] = a->ix[i];
    return k;
}

static bool
is_of(const struct loan *a, const struct key *k)
{
    if (!a->owed || a->id != k->id || a->df != k->df || a->n != k->n) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->ix[i] != k->ix[i]) return false;
    return true;
}

static void
pay(struct loan *a, struct store *s)
{
    if (!a->owed) return;
    struct key k = name_of(a);
    store_pay(s, &k, a->owed);
    a->owed = 0;
}

static bool
borrow(struct loan *a, struct store *s, const struct key *k, luna_value *v)
{
    enum store_took how = store_borrow(s, k, LOAN_MOST, v);
    if (how != TOOK_LOAN) return how == TOOK;
    pay(a, s);
    *a = (struct loan){.id = k->id, .df = k->df, .n = k->n, .owed = 1, .value = *v};
    for (uint32_t i = 0; i < k->n; i++) a->ix[i] = k->ix[i];
    return true;
}

bool
loans_take(struct loans *l, struct store *s, unsigned place, const struct key *k, luna_value *v)
{
    struct loan *a = &l->at[place];
    if (__builtin_expect(!is_of(a, k), 0))
        return k->n > LOAN_INDICES ? store_take(s, k, v) : borrow(a, s, k, v);
    *v = a->value;
    if (++a->owed == LOAN_MOST) pay(a, s);
    return true;
}

void
loans_pay(struct loans *l, struct store *s)
{
    for (unsigned i = 0; i < LOAN_PLACES; i++) pay(&l->at[i], s);
}
