/* trace_df.c - what a run has made of each declaration, and how long its values lived: counted
 * where they are assigned and where they lie (block.h), told in a line each when the run ends. */
#include "trace_parts.h"

#include "runtime/base/mem.h"
#include "runtime/fault/fault.h"
#include "runtime/store/lives.h"

#include <inttypes.h>
#include <stdio.h>

enum { INT_BYTES = 4, REAL_BYTES = 8 };

struct kept { /* of one declaration: in the store when the run ends */
    uint64_t count, bytes;
};

static uint64_t
here_now(void)
{
    return trace_here ? trace_now(trace_here) : 0;
}

bool
trace_df_begin(struct trace_node *tn)
{
    block_clock(here_now);
    return lives_by_kind(tn->node->lives, tn->node->program->ndfs) == OK;
}

void
trace_df_close(void)
{
    block_clock(NULL);
}

/* ---- while it runs ---- */

/* The rarer ways are apart, so that the usual one needs no registers. */
static __attribute__((noinline)) void
made_begins(struct worker *w, const struct key *k, luna_value v, bool kept)
{
    struct trace_front *f = trace_front(w);
    f->made = mem_zalloc(w->node->program->ndfs, sizeof *f->made);
    if (!f->made) fault_nomem();
    trace_count_made(w, k, v, kept);
}

static __attribute__((noinline)) void
made_bytes(struct trace_made *made, luna_value v)
{
    size_t bytes = value_size(v);
    trace_add(&made->count, 1);
    trace_add(&made->bytes, bytes);
    if (bytes > atomic_load_explicit(&made->biggest, memory_order_relaxed))
        atomic_store_explicit(&made->biggest, bytes, memory_order_relaxed);
}

void
trace_count_made(struct worker *w, const struct key *k, luna_value v, bool kept)
{
    struct trace_made *made = trace_front(w)->made;
    if (__builtin_expect(!made, 0)) {
        made_begins(w, k, v, kept);
        return;
    }
    made += k->df & ~KEY_MARKS;
    if (!kept) trace_add(&made->dropped, 1);
    if (v.type == LUNA_INT || v.type == LUNA_REAL)
        trace_add(&made->numbers[v.type == LUNA_REAL], 1);
    else made_bytes(made, v);
}

/* ---- the end ---- */

struct ending {
    const struct luna_program *program;
    struct kept *kept;
    uint64_t now;
};

/* A value that is still there: does any of its kind live longer? */
static void
note_age(void *who, const struct store_entry *e)
{
    const struct ending *end = who;
    struct block *b = e->present && value_is_block(e->value) ? value_block(e->value) : NULL;
    struct life *life = b ? b->life : NULL;
    if (!life || end->now < b->born) return;
    if (end->now - b->born > atomic_load(&life->longest))
        atomic_store(&life->longest, end->now - b->born);
}

void
trace_df_ends(struct trace_node *nodes, uint64_t now)
{
    struct ending end = {.now = now};
    bool any = false; /* it may lie in the store of another node than where it is counted */
    for (struct trace_node *tn = nodes; tn; tn = tn->next)
        any |= atomic_load(&tn->live->count) != 0;
    for (struct trace_node *tn = nodes; tn && any; tn = tn->next)
        store_each(tn->node->store, note_age, &end);
}

static void
note_kept(void *who, const struct store_entry *e)
{
    const struct ending *end = who;
    size_t bytes;
    if (!e->present || e->key->df & KEY_MARKS) return;
    struct kept *kept = &end->kept[e->key->df];
    value_bytes(&e->value, &bytes);
    kept->count++;
    kept->bytes += bytes;
}

static struct trace_made
made_sum(const struct trace_node *tn, uint32_t df)
{
    struct trace_made sum = {0};
    for (int i = 0; i < tn->node->nworkers; i++) {
        const struct trace_made *made = tn->workers[i].front.made;
        if (!made) continue;
        made += df;
        uint64_t ints = atomic_load(&made->numbers[0]), reals = atomic_load(&made->numbers[1]);
        uint64_t biggest = reals ? REAL_BYTES : ints ? INT_BYTES : 0;
        if (atomic_load(&made->biggest) > biggest) biggest = atomic_load(&made->biggest);
        trace_add(&sum.count, atomic_load(&made->count) + ints + reals);
        trace_add(&sum.bytes,
                  atomic_load(&made->bytes) + ints * INT_BYTES + reals * REAL_BYTES);
        trace_add(&sum.dropped, atomic_load(&made->dropped));
        if (biggest > atomic_load(&sum.biggest)) atomic_store(&sum.biggest, biggest);
    }
    return sum;
}

static void
df_line(struct trace_node *tn, uint32_t df, const struct ending *end)
{
    static const struct life none;
    const struct luna_program *p = end->program;
    const struct luna_decl *d = &p->dfs[df];
    const struct life *its = lives_kind_found(tn->node->lives, df), *life = its ? its : &none;
    const struct kept *kept = &end->kept[df];
    struct trace_made made = made_sum(tn, df);
    uint32_t at = d->place < p->nplaces ? p->places[d->place].line : 0;
    char line[TRACE_LINE_ROOM];
    size_t n = TRACE_BLOCK_HEAD;
    if (!made.count && !kept->count && !life->blocks) return;
    /* Those that are still there have lived until now. */
    uint64_t ns = life->ns + life->here * end->now - life->born;
    n += (size_t)snprintf(line + n, sizeof line - n,
                     "{\"ev\":\"df\",\"df\":\"%.*s\",\"line\":%u,\"made\":%" PRIu64
                     ",\"bytes\":%" PRIu64 ",\"biggest\":%" PRIu64 ",\"peak\":%" PRIu64
                     ",\"values\":%" PRIu64 ",\"life\":%" PRIu64 ",\"longest\":%" PRIu64
                     ",\"unread\":%" PRIu64 ",\"left\":%" PRIu64 "}\n",
                     TRACE_NAME_ROOM - 512, d->name, at, (uint64_t)made.count, (uint64_t)made.bytes,
                     (uint64_t)made.biggest, (uint64_t)life->peak, (uint64_t)life->blocks, ns,
                     (uint64_t)life->longest, kept->count + made.dropped, kept->bytes);
    trace_node_append(tn, line, n);
}

void
trace_df_lines(struct trace_node *tn, uint64_t now)
{
    const struct luna_program *p = tn->node->program;
    struct ending end = {.program = p, .now = now,
                         .kept = mem_zalloc((size_t)p->ndfs + 1, sizeof *end.kept)};
    if (!end.kept) return;
    store_each(tn->node->store, note_kept, &end);
    for (uint32_t i = 0; i < p->ndfs; i++) df_line(tn, i, &end);
    mem_free(end.kept);
}
