/* heaviest.c - see heaviest.h. */
#include "heaviest.h"

#include "runtime/base/pool.h"
#include "runtime/fault/fault.h"
#include "runtime/run/depth.h"
#include "runtime/run/ranks.h"
#include "runtime/store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct weights {
    const struct luna_program *program;
    uint64_t *bytes; /* per declaration */
    uint64_t all;
};

static void
weigh(void *who, const struct store_entry *e)
{
    struct weights *w = who;
    size_t size;
    uint32_t df = e->key->df & ~KEY_MARKS;
    if (!e->present || df >= w->program->ndfs) return;
    value_bytes(&e->value, &size);
    w->bytes[df] += size + 64;
    w->all += size + 64;
}

enum { HEAVIEST = 5 };

static uint32_t
heaviest_of(const struct weights *w)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < w->program->ndfs; i++)
        if (w->bytes[i] > w->bytes[most]) most = i;
    return most;
}

void
heaviest_text(const struct nodes *all, bool sums, char *text, size_t size)
{
    const struct luna_program *p = all->node[0]->program;
    struct weights w = {p, calloc(p->ndfs + 1, sizeof *w.bytes), 0};
    *text = 0;
    if (!w.bytes) return;
    for (int i = 0; i < all->n; i++) store_each(all->node[i]->store, weigh, &w);
    if (sums) ranks_sum(w.bytes, p->ndfs);
    size_t n = 0;
    for (int k = 0; k < HEAVIEST; k++) {
        uint32_t most = heaviest_of(&w);
        if (!p->ndfs || !(w.bytes[most] >> 20) || n + 80 > size) break;
        n += (size_t)snprintf(text + n, size - n, "%s'%.40s' %" PRIu64 " MiB", n ? ", " : "",
                              p->dfs[most].name, w.bytes[most] >> 20);
        w.bytes[most] = 0;
    }
    free(w.bytes);
}

bool
heaviest_note(void *who)
{
    const struct nodes *all = who;
    const struct luna_program *p = all->node[0]->program;
    struct weights w = {p, calloc(p->ndfs + 1, sizeof *w.bytes), 0};
    char depth[DEPTH_TEXT];
    if (!w.bytes) return true;
    for (int i = 0; i < all->n; i++) store_each(all->node[i]->store, weigh, &w);
    bool values = w.all > pool_bytes() / 2;
    for (int k = 0; k < HEAVIEST; k++) {
        uint32_t most = heaviest_of(&w);
        if (!p->ndfs || !w.bytes[most]) break;
        fault_note(p->dfs[most].place, "'%s' holds %" PRIu64 " KiB", p->dfs[most].name,
                   w.bytes[most] >> 10);
        w.bytes[most] = 0;
    }
    free(w.bytes);
    if (!values) fault_note(LUNA_NONE, "most of it are calls, not values");
    const struct luna_sub *sub = depth_tell(all, depth);
    if (sub) fault_note(sub->place, "%s", depth);
    return values;
}
