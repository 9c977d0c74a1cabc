/* slots.c - reads all mentions of all fragments. */
#include "slots.h"

#include "runtime/base/mem.h"
#include "runtime/data/frame.h"

enum { MENTION_PUTS = 1, MENTION_ASKS = 2, MENTION_OTHER = 4, MENTION_COUNTS = 8 };

struct scan {
    const struct luna_program *p;
    uint8_t *how; /* by row of dfs[]: how it is mentioned */
    bool *seen;   /* by row of refs[] */
    bool *inside; /* by row of sites[]: in a loop over elements of a reduction */
};

static void
mention(struct scan *s, const struct luna_site *site, uint32_t row, unsigned how)
{
    const struct luna_ref *r = &s->p->refs[row];
    s->seen[row] = true;
    if (r->base == LUNA_B_PARAM) return;
    bool plain = r->base == LUNA_B_FRAME_ID && !r->nindices && s->p->dfs[r->df].sub == site->sub;
    s->how[r->df] |= (uint8_t)(plain ? how : MENTION_OTHER);
}

static void
mentions(struct scan *s, uint32_t row)
{
    const struct luna_program *p = s->p;
    const struct luna_site *site = &p->sites[row];
    bool puts = site->kind == LUNA_S_CALL || site->kind == LUNA_S_REDUCE;
    for (unsigned i = 0; i < site->nin; i++) {
        const struct luna_in *in = &p->ins[site->in + i];
        bool asks = in->kind == LUNA_IN_REQUEST && !in->part && !s->inside[row];
        mention(s, site, in->ref, asks ? MENTION_ASKS : MENTION_OTHER);
    }
    for (unsigned i = 0; i < site->nargs; i++) {
        const struct luna_arg *arg = &p->args[site->arg + i];
        if (arg->kind != LUNA_A_NAME) continue;
        bool counts = arg->post != LUNA_NONE && p->posts[arg->post].kind == LUNA_P_COUNT;
        mention(s, site, arg->row, (puts ? MENTION_PUTS : MENTION_OTHER) |
                                       (counts ? MENTION_COUNTS : 0));
    }
}

/* The statements of a loop over elements, and of loops in it: their frames are copies. */
static void
elements(struct scan *s, uint32_t block)
{
    const struct luna_block *b = &s->p->blocks[block];
    for (uint32_t i = b->site; i < b->site + b->nsites; i++) {
        s->inside[i] = true;
        if (s->p->sites[i].kind == LUNA_S_FOR) elements(s, s->p->sites[i].body);
    }
}

static void
refs_other(struct scan *s, uint32_t row, uint32_t n)
{
    for (uint32_t i = row; i < row + n; i++)
        if (s->p->refs[i].base != LUNA_B_PARAM) s->how[s->p->refs[i].df] |= MENTION_OTHER;
}

static void
rule_is_seen(struct scan *s, uint32_t row, uint32_t n)
{
    for (uint32_t i = row; i < row + n; i++) s->seen[i] = true;
}

/* The rules of the statements: those that are in force. What the compiler has found for runs on
 * several nodes is in none of them here (placed.h), and names nothing. Equal rows are one, so what
 * a rule names may be what a call names, too. */
static void
scan_rules(struct scan *s)
{
    const struct luna_program *p = s->p;
    for (uint32_t i = 0; i < p->nrules; i++) {
        const struct luna_rules *r = &p->rules[i];
        rule_is_seen(s, r->set, r->nset);
        rule_is_seen(s, r->kill, r->nkill);
        rule_is_seen(s, r->near, r->nnear);
        for (uint32_t k = 0; k < r->npush; k++) rule_is_seen(s, p->pushes[r->push + k].ref, 1);
    }
    for (uint32_t i = 0; i < p->nsites; i++) {
        if (p->sites[i].rules == LUNA_NONE) continue;
        const struct luna_rules *r = &p->rules[p->sites[i].rules];
        refs_other(s, r->set, r->nset);
        refs_other(s, r->kill, r->nkill);
        refs_other(s, r->near, r->nnear);
        for (uint32_t k = 0; k < r->npush; k++) refs_other(s, p->pushes[r->push + k].ref, 1);
    }
}

/* Whoever else may name one is no statement. */
static void
scan_program(struct scan *s)
{
    const struct luna_program *p = s->p;
    for (uint32_t i = 0; i < p->nsites; i++)
        if (p->sites[i].kind == LUNA_S_REDUCE || p->sites[i].kind == LUNA_S_LIST)
            elements(s, p->sites[i].body);
    for (uint32_t i = 0; i < p->nsites; i++) mentions(s, i);
    scan_rules(s);
    for (uint32_t i = 0; i < p->nrefs; i++)
        if (!s->seen[i]) refs_other(s, i, 1);
}

static void
deal_out(struct slots *all, const struct scan *s)
{
    const struct luna_program *p = s->p;
    for (uint32_t i = 0; i < p->nsubs; i++) all->sub[i] = (struct slots_sub){LUNA_NONE, 0};
    for (uint32_t i = 0; i < p->ndfs; i++) {
        all->of[i] = (struct slot_of){0, LUNA_NONE};
        unsigned how = s->how[i] & ~(unsigned)MENTION_COUNTS;
        /* The frame of main is made before the run. */
        if (how != (MENTION_PUTS | MENTION_ASKS) || p->dfs[i].sub == p->main) continue;
        struct slots_sub *sub = &all->sub[p->dfs[i].sub];
        size_t at = frame_shape(&p->subs[p->dfs[i].sub], sub->n).body;
        if (at > UINT16_MAX) continue;
        all->of[i] = (struct slot_of){(uint16_t)at, sub->first};
        if (s->how[i] & MENTION_COUNTS) sub->first = i;
        sub->n++;
    }
}

struct slots *
slots_new(const struct luna_program *p)
{
    struct slots *all = mem_zalloc(1, sizeof *all);
    struct scan s = {p, mem_zalloc(p->ndfs + 1u, sizeof *s.how),
                     mem_zalloc(p->nrefs + 1u, sizeof *s.seen),
                     mem_zalloc(p->nsites + 1u, sizeof *s.inside)};
    if (all) all->of = mem_zalloc(p->ndfs + 1u, sizeof *all->of);
    if (all) all->sub = mem_zalloc(p->nsubs + 1u, sizeof *all->sub);
    bool ok = all && all->of && all->sub && s.how && s.seen && s.inside;
    if (ok) {
        scan_program(&s);
        deal_out(all, &s);
    }
    mem_free(s.how);
    mem_free(s.seen);
    mem_free(s.inside);
    if (ok) return all;
    slots_free(all);
    return NULL;
}

void
slots_free(struct slots *all)
{
    if (!all) return;
    mem_free(all->of);
    mem_free(all->sub);
    mem_free(all);
}
