/* ahead.c - a few values by name. */
#include "ahead.h"

#include "runtime/base/mem.h"

#include <assert.h>

struct ahead *
ahead_new(void)
{
    return mem_zalloc(1, sizeof(struct ahead));
}

void
ahead_free(struct ahead *a)
{
    for (unsigned i = 0; a && i < a->n; i++) value_release(a->row[i].value);
    mem_free(a);
}

void
ahead_add(struct ahead *a, const struct key *k, luna_value v)
{
    assert(a->n < AHEAD_MOST);
    a->row[a->n].key = *k;
    a->row[a->n++].value = v;
}

bool
ahead_take(const struct ahead *a, const struct key *k, luna_value *v)
{
    for (unsigned i = 0; i < a->n; i++) {
        const struct key *have = &a->row[i].key;
        if (!key_equal(k, have->id, have->df, have->n, have->ix)) continue;
        *v = a->row[i].value;
        value_retain(*v);
        return true;
    }
    return false;
}
