/* prep_macro.c - a hash table in the arena, and one walk over a body. */
#include "lang/prep/prep_macro.h"

#include "lang/report/diag.h"
#include "runtime/base/near.h"

#include <string.h>

void
macros_init(struct macros *m, struct arena *a)
{
    *m = (struct macros){.arena = a, .nbuckets = 64};
    m->buckets = arena_array(a, struct macro *, m->nbuckets);
    m->youngest = &m->oldest;
}

/* FNV-1a; the shift brings high bits into the few low ones that choose a bucket. */
static uint32_t
name_hash(const char *name, uint32_t size)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < size; i++) h = (h ^ (unsigned char)name[i]) * 16777619u;
    return h ^ h >> 15;
}

static struct macro *
bucket_find(struct macro *chain, uint32_t hash, const char *name, uint32_t size)
{
    for (; chain; chain = chain->next)
        if (chain->hash == hash && chain->name_size == size && !memcmp(chain->name, name, size))
            return chain;
    return NULL;
}

struct macro *
macros_find(const struct macros *m, const char *name, uint32_t size)
{
    uint32_t hash = name_hash(name, size);
    return bucket_find(m->buckets[hash & (m->nbuckets - 1)], hash, name, size);
}

/* By age, so that a bucket has its newest name first, as after insertion one by one. */
static void
macros_grow(struct macros *m)
{
    m->nbuckets *= 2;
    m->buckets = arena_array(m->arena, struct macro *, m->nbuckets);
    for (struct macro *k = m->oldest; k; k = k->next_by_age) {
        struct macro **bucket = &m->buckets[k->hash & (m->nbuckets - 1)];
        k->next = *bucket;
        *bucket = k;
    }
}

struct macro *
macros_get(struct macros *m, const char *name, uint32_t size)
{
    struct macro *k = macros_find(m, name, size);
    if (k) return k;
    if (m->n++ >= m->nbuckets) macros_grow(m);
    k = arena_new_of(m->arena, struct macro);
    k->name = arena_strndup(m->arena, name, size);
    k->name_size = size;
    k->hash = name_hash(name, size);
    struct macro **bucket = &m->buckets[k->hash & (m->nbuckets - 1)];
    k->next = *bucket;
    *bucket = k;
    *m->youngest = k;
    m->youngest = &k->next_by_age;
    return k;
}

const char *
macros_nearest(const struct macros *m, const char *name)
{
    struct near near = {.word = name};
    for (const struct macro *k = m->oldest; k; k = k->next_by_age)
        if (k->defined) near_try(&near, k->name);
    return near.best;
}

/* The parameter meant by the name at `name`; its size, or 0 if none is. The longest that the name
 * begins with: `$row_$i_end` is glued from $row_, $i. But a macro that has the whole name wins over
 * a parameter that is only its beginning. */
static uint32_t
param_at(const struct macros *all, const struct macro *m, const char *name, uint32_t size,
         int *index)
{
    uint32_t best = 0;
    for (int i = 0; i < m->nparams; i++) {
        uint32_t n = strlen(m->params[i]);
        if (n <= best || n > size || memcmp(m->params[i], name, n)) continue;
        best = n;
        *index = i;
    }
    if (!best || best == size) return best;
    const struct macro *whole = macros_find(all, name, size);
    return whole && whole->defined ? 0 : best;
}

/* An argument keeps the places of its own text. One that is missing was reported where the macro is
 * used; 0 is what disturbs the parser least, at the place of the parameter. */
static void
add_arg(struct ptext_build *out, const struct macro_args *args, int i, struct ptext_spot use)
{
    if (i < args->n)
        ptext_add_part(out, args->text, args->arg[i].lo, args->arg[i].hi, PTEXT_OWN);
    else
        ptext_add(out, "0", 1, use);
}

/* One walk over the body: bytes done..at are copied as they are when the next parameter, or the
 * end, is met. What is in strings and foreign blocks is nobody's parameter. */
bool
macro_substitute(const struct macros *all, const struct macro *m, const struct macro_args *args,
                 size_t max, struct ptext_build *out)
{
    const char *s = m->body.data;
    uint32_t size = m->body.size, at = 0, done = 0, end;
    while (at < size) {
        if (s[at] == '"') {
            end = text_string_end(s, size, at, false);
            at = end == TEXT_OPEN ? size : end;
        } else if (s[at] != '$' || at + 1 == size) {
            at++;
        } else if (s[at + 1] == '{') {
            end = text_block(s, size, at).end;
            at = end == TEXT_OPEN ? at + 2 : end;
        } else {
            int index = 0;
            end = text_name_end(s, size, at + 1);
            uint32_t n = end == at + 1 ? 0 : param_at(all, m, s + at + 1, end - at - 1, &index);
            if (n) {
                ptext_add_part(out, &m->body, done, at, PTEXT_OWN);
                add_arg(out, args, index, ptext_spot(&m->body, at));
                /* Now and not at the end: two arguments of a gigabyte each must not be made. */
                if (ptext_cost(&out->t) > max) return false;
                done = at + 1 + n;
            }
            at = n ? done : end == at + 1 ? at + 1 : end;
        }
    }
    ptext_add_part(out, &m->body, done, size, PTEXT_OWN);
    return ptext_cost(&out->t) <= max;
}
