/* check_effect.c - what subs do to their name parameters, carried
 * from callee to caller until nothing changes; and which subs run at
 * all. Recursion needs no care: sets only grow, lists are bounded. */
#include "lang/check/check_facts.h"

#include <string.h>

#define EFFECTS_MAX 8  /* per parameter; more are forgotten */
#define SUFFIX_MAX 200 /* recursion may add indices for ever */

struct work { /* parameters whose effects changed and whose callers must hear of it */
    int *rows;
    int n;
    bool *queued;
};

static void
enqueue(struct work *w, int row)
{
    if (w->queued[row]) return;
    w->queued[row] = true;
    w->rows[w->n++] = row;
}

/* Bit k becomes bit k + depth; what leaves the word stays in bit 31. */
static uint32_t
shift(uint32_t bits, int depth)
{
    if (depth > 31) depth = 31;
    uint64_t wide = (uint64_t)bits << depth;
    return (uint32_t)wide | (wide >> 31 ? 0x80000000u : 0);
}

static enum value_kind
join(enum value_kind a, enum value_kind b)
{
    if (a == VALUE_NOTHING || a == b) return b;
    return b == VALUE_NOTHING ? a : VALUE_UNKNOWN;
}

static bool
add_effect(struct facts *f, struct df_row *d, struct effect m)
{
    if (d->neffects >= EFFECTS_MAX || strlen(m.suffix) > SUFFIX_MAX) return false;
    for (struct effect *have = d->effects; have; have = have->next) {
        if (have->write == m.write && !strcmp(have->suffix, m.suffix)) return false;
    }
    struct effect *own = arena_new_of(f->arena, struct effect);
    m.next = d->effects;
    *own = m;
    d->effects = own;
    d->neffects++;
    return true;
}

/* ---- what a statement does by itself ---- */

static bool
surely(const struct facts *f, const struct use *u)
{
    return !u->soft && u->site != NONE && f->sites[u->site].certain && u->target.constant;
}

static void
direct_effect(struct facts *f, const struct use *u)
{
    struct df_row *d = &f->dfs[u->df];
    uint32_t bit = shift(u->broken ? UINT32_MAX : 1, u->target.depth);
    bool write = false, read = false;
    switch (u->kind) {
    case USE_WAIT: d->waits |= bit; /* fall through */
    case USE_READ:
    case USE_REQUEST: read = true; break;
    case USE_WRITE:
    case USE_SET:
    case USE_OUT: write = true; break;
    case USE_DROP: d->writes |= bit; break; /* may still come by afterpush */
    case USE_KILL: d->kills |= bit; break;
    case USE_PUSH: d->pushes |= bit; break;
    case USE_PASS:
    case USE_COUNT: break;
    }
    if (read) d->reads |= bit;
    if (write) {
        d->writes |= bit;
        d->held = join(d->held, u->held);
    }
    if ((write && (u->soft || !u->target.constant)) || u->kind == USE_DROP) d->vague |= bit;
    if ((read || write) && d->sym->kind == SYM_PARAM && surely(f, u)) {
        add_effect(f, d, (struct effect){.write = write, .guarded = u->guarded,
                                         .depth = u->target.depth, .suffix = u->target.suffix,
                                         .span = u->span});
    }
}

/* ---- what it does through the sub it calls ---- */

static bool
grow(uint32_t *bits, uint32_t more)
{
    bool changed = more & ~*bits;
    *bits |= more;
    return changed;
}

static bool
pass_effects(struct facts *f, const struct use *u, struct df_row *d, const struct df_row *p)
{
    bool changed = false;
    if (d->sym->kind != SYM_PARAM || !surely(f, u)) return false;
    for (const struct effect *m = p->effects; m; m = m->next) {
        struct effect own = *m;
        own.depth += u->target.depth;
        own.suffix = arena_printf(f->arena, "%s%s", u->target.suffix, m->suffix);
        changed |= add_effect(f, d, own);
    }
    return changed;
}

/* The callee's parameter `p` changed: so does what the caller hands to it. */
static bool
pass_effect(struct facts *f, const struct use *u)
{
    struct df_row *d = &f->dfs[u->df];
    const struct df_row *p = &f->dfs[u->pass];
    int depth = u->target.depth;
    bool changed = grow(&d->reads, shift(p->reads, depth));
    changed |= grow(&d->writes, shift(p->writes, depth));
    changed |= grow(&d->kills, shift(p->kills, depth));
    changed |= grow(&d->waits, shift(p->waits, depth));
    changed |= grow(&d->pushes, shift(p->pushes, depth));
    changed |= grow(&d->vague, shift(u->target.constant ? p->vague : p->writes, depth));
    /* Constant indices written inside are seen by the caller only if they are sure to be. */
    if (p->writes & ~1u) changed |= grow(&d->vague, shift(p->writes & ~1u, depth));
    enum value_kind held = join(d->held, p->held);
    changed |= held != d->held;
    d->held = held;
    return pass_effects(f, u, d, p) || changed;
}

static void
propagate(struct facts *f)
{
    size_t n = (size_t)f->ndfs + 1;
    struct work w = {.rows = arena_array(f->arena, int, n),
                     .queued = arena_array(f->arena, bool, n)};
    for (int i = 0; i < f->ndfs; i++) {
        if (f->dfs[i].first_pass != NONE) enqueue(&w, i);
    }
    while (w.n) {
        int row = w.rows[--w.n];
        w.queued[row] = false;
        for (int u = f->dfs[row].first_pass; u != NONE; u = f->uses[u].next_pass) {
            int to = f->uses[u].df;
            if (pass_effect(f, &f->uses[u]) && f->dfs[to].first_pass != NONE) enqueue(&w, to);
        }
    }
    for (int i = 0; i < f->ndfs; i++) /* or a number */
        if (f->dfs[i].sym->outside) f->dfs[i].held = VALUE_UNKNOWN;
}

/* ---- what runs ---- */

static void
reach(struct facts *f, struct sub *main)
{
    int *stack = arena_array(f->arena, int, (size_t)f->nsubs * 2 + 1), n = 0;
    facts_sub(f, main)->reached = facts_sub(f, main)->reachable = true;
    stack[n++] = main->fact - 1;
    while (n) { /* a sub enters at most twice: when reachable, when reached */
        const struct sub_row *s = &f->subs[stack[--n]];
        for (int i = s->first_site; i < s->last_site; i++) {
            struct sub *callee = f->sites[i].stmt->kind == S_CALL ? f->sites[i].stmt->sub : NULL;
            if (!callee) continue;
            struct sub_row *c = facts_sub(f, callee);
            bool sure = s->reached && f->sites[i].certain;
            if (c->reachable && (c->reached || !sure)) continue;
            c->reachable = true;
            c->reached |= sure;
            stack[n++] = callee->fact - 1;
        }
    }
}

void
facts_effects(struct facts *f)
{
    for (int i = 0; i < f->nuses; i++) direct_effect(f, &f->uses[i]);
    propagate(f);
    if (f->tree->main) reach(f, f->tree->main);
}
