/* digest.c - a row of sums per worker, so that nobody shares a line; added up at the end. */
#include "digest.h"

#include "runtime/base/mem.h"
#include "runtime/data/value.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <inttypes.h>
#include <stdlib.h>

struct sum {
    uint64_t count, hash;
};

struct name { /* of a declaration, and its sum over all workers */
    char *text;
    struct sum sum;
};

static struct {
    const struct luna_program *program;
    struct name *names;
    struct sum *sums; /* workers x declarations */
    int workers;
} digest;

static char *
full_name(const struct luna_program *p, uint32_t df)
{
    const struct luna_decl *d = &p->dfs[df];
    const char *sub = d->sub < p->nsubs ? p->subs[d->sub].name : "?";
    size_t n = strlen(sub) + strlen(d->name) + 2;
    char *text = mem_alloc(n);
    if (text) snprintf(text, n, "%s.%s", sub, d->name);
    return text;
}

enum err
digest_open(const struct luna_program *p, int workers)
{
    digest.program = p;
    digest.workers = workers;
    digest.names = mem_zalloc(p->ndfs, sizeof *digest.names);
    digest.sums = mem_zalloc((size_t)workers * p->ndfs, sizeof *digest.sums);
    if (!digest.names || !digest.sums) return E_NOMEM;
    for (uint32_t i = 0; i < p->ndfs; i++)
        if (!(digest.names[i].text = full_name(p, i))) return E_NOMEM;
    return OK;
}

uint64_t
digest_of_value(const luna_value *v)
{
    size_t size;
    const void *bytes = value_bytes(v, &size);
    return XXH3_64bits_withSeed(bytes, size, v->type);
}

void
digest_add(int worker, const struct key *k, const luna_value *v)
{
    if (k->df & KEY_PUSHED || !digest.sums) return;
    size_t size;
    const void *bytes = value_bytes(v, &size);
    const char *name = digest.names[k->df].text;
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, name, strlen(name) + 1);
    XXH3_64bits_update(&state, &k->n, sizeof k->n);
    XXH3_64bits_update(&state, k->ix, k->n * sizeof *k->ix);
    XXH3_64bits_update(&state, &v->type, sizeof v->type);
    if (size) XXH3_64bits_update(&state, bytes, size);
    struct sum *s = &digest.sums[(size_t)worker * digest.program->ndfs + k->df];
    s->count++;
    s->hash += XXH3_64bits_digest(&state);
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

void
digest_sum(void (*sum)(uint64_t *v, size_t n))
{
    uint32_t n = digest.program->ndfs;
    for (int w = 1; w < digest.workers; w++)
        for (uint32_t i = 0; i < n; i++) {
            digest.sums[i].count += digest.sums[(size_t)w * n + i].count;
            digest.sums[i].hash += digest.sums[(size_t)w * n + i].hash;
        }
    sum(&digest.sums[0].count, (size_t)n * 2);
}

void
digest_print(FILE *out)
{
    uint32_t n = digest.program->ndfs;
    struct sum all = {0};
    for (uint32_t i = 0; i < n; i++) digest.names[i].sum = digest.sums[i];
    qsort(digest.names, n, sizeof *digest.names, by_name);
    for (uint32_t i = 0; i < n; i++) {
        struct sum s = digest.names[i].sum;
        for (; i + 1 < n && !by_name(&digest.names[i], &digest.names[i + 1]); i++) {
            s.count += digest.names[i + 1].sum.count; /* blocks of a sub may repeat a name */
            s.hash += digest.names[i + 1].sum.hash;
        }
        if (!s.count) continue;
        fprintf(out, "hash %s %" PRIu64 " %016" PRIx64 "\n", digest.names[i].text, s.count, s.hash);
        all.count += s.count;
        all.hash += s.hash;
    }
    fprintf(out, "hash * %" PRIu64 " %016" PRIx64 "\n", all.count, all.hash);
}

void
digest_close(void)
{
    for (uint32_t i = 0; digest.names && i < digest.program->ndfs; i++)
        mem_free(digest.names[i].text);
    mem_free(digest.names);
    mem_free(digest.sums);
    memset(&digest, 0, sizeof digest);
}
