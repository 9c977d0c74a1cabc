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
    return a->owed && key_equal(k, a->id, a->df, a->n, a->ix);
}

static void
pay(struct loan *a, struct store *s)
{
    if (!a->owed) return;
    struct key k = name_of(a);
    store_pay(s, &k, a->owed);
    a->owed = 0;
}

/* Nearly always another one for another name. */
static inline uint64_t
mark_of(const struct key *k)
{
    uint64_t mark = k->id * 31 + k->df;
    return k->n ? mark * 31 + (uint32_t)k->ix[0] : mark;
}

static bool
borrow(struct loan *a, struct store *s, const struct key *k, luna_value *v)
{
    enum store_took how = store_borrow(s, k, LOAN_MOST, v);
    if (how == TOOK) a->refused = a->last;
    if (how != TOOK_LOAN) return how == TOOK;
    pay(a, s);
    a->id = k->id;
    a->df = k->df;
    a->n = k->n;
    for (uint32_t i = 0; i < k->n; i++) a->ix[i] = k->ix[i];
    a->owed = 1;
    a->value = *v;
    return true;
}

/* A name that comes once, as a parameter of many activations may, is taken as any other. */
bool
loans_take(struct loans *l, struct store *s, unsigned place, const struct key *k, luna_value *v)
{
    struct loan *a = &l->at[place];
    uint64_t mark = mark_of(k);
    if (mark != a->last || mark == a->refused) {
        a->last = mark;
        return store_take(s, k, v);
    }
    if (!is_of(a, k)) return k->n > LOAN_INDICES ? store_take(s, k, v) : borrow(a, s, k, v);
    *v = a->value;
    if (++a->owed == LOAN_MOST) pay(a, s);
    return true;
}

void
loans_pay(struct loans *l, struct store *s)
{
    for (unsigned i = 0; i < LOAN_PLACES; i++) pay(&l->at[i], s);
}
