/* chain.c - see bill_parts.h: fragments by name, and which steps wait for which. */
#include "apps/luna/bill/bill_parts.h"

#include <string.h>

#define CHAIN_MORE(c, at, n, more, room)                                                           \
    ((c)->failed |= !vec_many(NULL, (c)->at, (c)->n, (more), (c)->room), !(c)->failed)

void
chain_free(struct chain *c)
{
    mem_free(c->steps);
    mem_free(c->reads);
    mem_free(c->fragments);
    mem_free(c->readers);
    mem_free(c->keys);
    mem_free(c->slots);
    mem_free(c->shifts);
    *c = (struct chain){0};
}

/* ---- fragments ---- */

static uint32_t
hash_of(const uint32_t *words, size_t n)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < n; i++) {
        h = (h ^ words[i]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return (uint32_t)h;
}

static void
grow(struct chain *c)
{
    size_t n = c->nslots ? 2 * c->nslots : 1024;
    uint32_t *slots = mem_zalloc(n, sizeof *slots);
    c->failed |= !slots;
    if (!slots) return;
    for (size_t i = 0; i < c->nfragments; i++) {
        size_t at = c->fragments[i].hash & (n - 1);
        while (slots[at]) at = (at + 1) & (n - 1);
        slots[at] = (uint32_t)i + 1;
    }
    mem_free(c->slots);
    c->slots = slots;
    c->nslots = n;
}

static uint32_t
fragment_new(struct chain *c, uint32_t decl, const uint32_t *words, uint32_t n, uint32_t hash)
{
    if (!CHAIN_MORE(c, fragments, nfragments, 1, fragments_room) ||
        !CHAIN_MORE(c, keys, nkeys, n, keys_room))
        return 0;
    memcpy(c->keys + c->nkeys, words, n * sizeof *words);
    c->fragments[c->nfragments] = (struct chain_fragment){.decl = decl,
                                                          .key = (uint32_t)c->nkeys,
                                                          .nkey = n,
                                                          .hash = hash,
                                                          .writer = CHAIN_NONE,
                                                          .last = CHAIN_NONE};
    c->nkeys += n;
    return (uint32_t)c->nfragments++;
}

/* Turns were left out: what comes behind them has names that are so much larger. */
static void
shift(struct chain *c, const struct unroll_name *name, uint32_t *index)
{
    for (size_t i = 0; i < c->nshifts; i++) {
        const struct unroll_shift *s = &c->shifts[i].by;
        if (s->decl != name->decl || s->id != name->id || s->index >= name->n) continue;
        int64_t v = name->index[s->index];
        if (v < s->low) continue;
        bool twice = v <= s->top; /* it stands for another one, too */
        v -= (int64_t)c->shifts[i].n * s->by;
        if (twice || v < s->low) c->missed = c->shifts[i].loop;
        index[s->index] = (uint32_t)v;
    }
}

uint32_t
chain_fragment_of(struct chain *c, const struct unroll_name *name)
{
    uint32_t words[UNROLL_INDICES_MAX + 3] = {name->decl, (uint32_t)name->id,
                                              (uint32_t)(name->id >> 32)};
    uint32_t n = 3 + name->n;
    memcpy(words + 3, name->index, name->n * sizeof *words);
    if (c->nshifts) shift(c, name, words + 3);
    if (2 * c->nfragments >= c->nslots) grow(c);
    if (c->failed) return 0;
    uint32_t hash = hash_of(words, n);
    size_t at = hash & (c->nslots - 1);
    for (; c->slots[at]; at = (at + 1) & (c->nslots - 1)) {
        const struct chain_fragment *f = &c->fragments[c->slots[at] - 1];
        if (f->hash == hash && f->nkey == n &&
            !memcmp(c->keys + f->key, words, n * sizeof *words))
            return c->slots[at] - 1;
    }
    uint32_t f = fragment_new(c, name->decl, words, n, hash);
    if (!c->failed) c->slots[at] = f + 1;
    return f;
}

bool
chain_reads_first(struct chain *c, uint32_t fragment, int node)
{
    if (c->failed) return false;
    struct chain_fragment *f = &c->fragments[fragment];
    for (uint32_t i = f->readers; i; i = c->readers[i - 1].next)
        if (c->readers[i - 1].node == node) return false;
    if (!CHAIN_MORE(c, readers, nreaders, 1, readers_room)) return false;
    c->readers[c->nreaders++] = (struct chain_reader){node, f->readers};
    f->readers = (uint32_t)c->nreaders;
    return true;
}

/* ---- steps ---- */

uint32_t
chain_step_add(struct chain *c, uint32_t around)
{
    if (!CHAIN_MORE(c, steps, nsteps, 1, steps_room)) return CHAIN_NONE;
    c->steps[c->nsteps] = (struct chain_step){
        .around = around, .read = (uint32_t)c->nreads, .first = CHAIN_NONE};
    return (uint32_t)c->nsteps++;
}

void
chain_read_add(struct chain *c, uint32_t fragment)
{
    if (c->failed || !CHAIN_MORE(c, reads, nreads, 1, reads_room)) return;
    c->reads[c->nreads++] = fragment;
    c->steps[c->nsteps - 1].nread++;
    struct chain_fragment *f = &c->fragments[fragment];
    f->last = (uint32_t)(c->nsteps - 1);
    if (f->writer != CHAIN_NONE || f->awaited) return;
    f->awaited = true;
    c->nawaited++;
}

void
chain_write(struct chain *c, uint32_t fragment, uint32_t step)
{
    if (c->failed) return;
    struct chain_fragment *f = &c->fragments[fragment];
    f->writer = step;
    c->nawaited -= f->awaited;
    f->awaited = false;
    if (f->last == CHAIN_NONE || f->last < step) f->last = step;
}

/* ---- paths ---- */

enum { FRESH, OPEN, DONE };

/* A step, and how far what it waits for was looked at. */
struct visit {
    uint32_t step, at;
};

/* The next step this one waits for, or CHAIN_NONE behind the last. */
static bool
next_of(const struct chain *c, struct visit *v, uint32_t *out)
{
    const struct chain_step *s = &c->steps[v->step];
    uint32_t inner = s->first == CHAIN_NONE ? 0 : v->step - s->first, at = v->at++;
    if (at == 0) *out = s->around;
    else if (at <= s->nread) *out = c->fragments[c->reads[s->read + at - 1]].writer;
    else if (at <= s->nread + inner) *out = s->first + (at - s->nread - 1);
    else return false;
    return true;
}

static void
close_step(struct chain *c, uint32_t step)
{
    struct visit v = {step, 0};
    struct chain_step *s = &c->steps[step];
    uint32_t before;
    while (next_of(c, &v, &before)) {
        if (before == CHAIN_NONE || c->steps[before].state != DONE) continue;
        if (c->steps[before].path > s->path) s->path = c->steps[before].path;
        if (c->steps[before].heavy > s->heavy) s->heavy = c->steps[before].heavy;
    }
    s->path += s->call;
    s->heavy += s->call ? (double)s->weight : 0;
    s->state = DONE;
    if (s->path > c->path) c->path = s->path;
    if (s->heavy > c->heavy) c->heavy = s->heavy;
}

void
chain_measure(struct chain *c)
{
    struct visit *stack = NULL;
    size_t n = 0, room = 0;
    for (; c->nmeasured < c->nsteps && !c->failed; c->nmeasured++) {
        uint32_t i = (uint32_t)c->nmeasured, next = i;
        if (c->steps[i].state == DONE) continue;
        do {
            if (next != CHAIN_NONE && c->steps[next].state == OPEN) {
                c->circle = true;
            } else if (next != CHAIN_NONE && c->steps[next].state == FRESH) {
                c->failed |= !vec_more(NULL, stack, n, room);
                if (c->failed) break;
                c->steps[next].state = OPEN;
                stack[n++] = (struct visit){next, 0};
            }
            while (n && !next_of(c, &stack[n - 1], &next)) close_step(c, stack[--n].step);
        } while (n);
    }
    mem_free(stack);
}

/* ---- turns that are alike ---- */

bool
chain_is_steady(struct chain *c, size_t first, size_t second, struct chain_growth *out)
{
    size_t n = second - first;
    if (!n || c->nsteps - second != n || c->nawaited) return false;
    chain_measure(c);
    const struct chain_step *a = c->steps + first, *b = c->steps + second;
    *out = (struct chain_growth){b->path - a->path, b->heavy - a->heavy};
    for (size_t i = 0; i < n && !c->failed; i++)
        if (b[i].path - a[i].path != out->path || b[i].heavy - a[i].heavy != out->heavy ||
            b[i].call != a[i].call)
            return false;
    return !c->failed;
}

static bool
is_moved(const struct chain *c, const struct chain_fragment *f, const struct unroll_turns *t)
{
    const uint32_t *word = c->keys + f->key;
    uint64_t id = (uint64_t)word[2] << 32 | word[1];
    for (size_t i = 0; i < t->nshifts; i++)
        if (t->shifts[i].decl == f->decl && t->shifts[i].id == id) return true;
    return false;
}

bool
chain_is_closed(const struct chain *c, size_t last, size_t from, const struct unroll_turns *t)
{
    for (size_t i = last; i < c->nsteps; i++)
        for (uint32_t k = 0; k < c->steps[i].nread; k++) {
            const struct chain_fragment *f = &c->fragments[c->reads[c->steps[i].read + k]];
            if (is_moved(c, f, t) && (f->writer == CHAIN_NONE || f->writer < from)) return false;
        }
    return true;
}

bool
chain_has_shift(const struct chain *c, const struct unroll_turns *t)
{
    for (size_t i = 0; i < c->nshifts; i++)
        for (size_t k = 0; k < t->nshifts; k++)
            if (c->shifts[i].by.decl == t->shifts[k].decl) return true;
    return false;
}

void
chain_skip(struct chain *c, size_t first, const struct chain_growth *g,
           const struct unroll_turns *t)
{
    for (size_t i = first; i < c->nsteps; i++) {
        c->steps[i].path += g->path * t->n;
        c->steps[i].heavy += g->heavy * (double)t->n;
    }
    for (size_t i = 0; i < t->nshifts; i++) {
        if (!CHAIN_MORE(c, shifts, nshifts, 1, shifts_room)) return;
        c->shifts[c->nshifts++] = (struct chain_shift){t->shifts[i], t->n, t->loop};
    }
}

/* ---- how many at once ---- */

/* Of the fragments in a list: +1 where one is made, -1 behind its last reader. */
static uint64_t
most_of(const struct chain *c, int32_t *change, const uint32_t *next, uint32_t head)
{
    int64_t now = 0, most = 0;
    for (uint32_t f = head; f; f = next[f - 1]) {
        change[c->fragments[f - 1].writer]++;
        change[c->fragments[f - 1].last + 1]--;
    }
    for (size_t i = 0; i <= c->nsteps; i++) {
        now += change[i];
        if (now > most) most = now;
        change[i] = 0;
    }
    return (uint64_t)most;
}

bool
chain_alive(const struct chain *c, struct bill_alive *by_decl, size_t ndecls)
{
    int32_t *change = mem_zalloc(c->nsteps + 2, sizeof *change);
    uint32_t *next = mem_zalloc(c->nfragments + 1, sizeof *next);
    uint32_t *head = mem_zalloc(ndecls + 1, sizeof *head);
    bool ok = change && next && head;
    for (size_t i = 0; ok && i < c->nfragments; i++) {
        const struct chain_fragment *f = &c->fragments[i];
        if (f->writer == CHAIN_NONE) continue;
        by_decl[f->decl].made++;
        next[i] = head[f->decl];
        head[f->decl] = (uint32_t)i + 1;
    }
    for (size_t i = 0; ok && i < ndecls; i++)
        if (head[i]) by_decl[i].most = most_of(c, change, next, head[i]);
    mem_free(change);
    mem_free(next);
    mem_free(head);
    return ok;
}
