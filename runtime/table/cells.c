/* cells.c - evaluating cell rules. */
#include "cells.h"

#include "runtime/base/exit.h"
#include "runtime/table/eval.h"
#include "runtime/fault/fault.h"
#include "runtime/table/name.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* Sides that main's arguments tell are wrong usage, as luna plan says too. */
static int
code_of(const struct luna_program *p)
{
    return cells_come_later(p) ? EXIT_RUN : EXIT_USAGE;
}

/* Before any memory is asked for: distributors keep some bytes of each cell. */
static _Noreturn void
too_many(const struct luna_program *p, uint32_t place)
{
    fault_begin(F_RUN13, place, "the lattice has more than %u cells", LATTICE_POINTS_MAX);
    fault_hint("let a cell stand for a larger piece of the data: cell x[i] => i / 1000;");
    fault_end(code_of(p));
}

struct lattice
cells_extent(const struct luna_program *p, const struct frame *f, uint32_t place)
{
    struct lattice l;
    int32_t side[LATTICE_DIMS_MAX] = {1, 1, 1};
    const struct luna_block *body = &p->blocks[p->subs[p->lattice_sub].body];
    const struct luna_site here = {.place = place};
    luna_env e = {.frame = f->word, .site = body->nsites ? &p->sites[body->site] : &here};
    assert(p->nextents && p->nextents <= LATTICE_DIMS_MAX);
    for (uint32_t i = 0; i < p->nextents; i++) side[i] = eval_int(p, &e, p->extent + i);
    eval_drop_temps(&e);
    for (uint32_t i = 0; i < p->nextents; i++)
        if (side[i] < 1) {
            fault_begin(F_RUN13, place, "side %" PRIu32 " of the lattice of cells is %" PRId32
                        ": it must be at least 1", i + 1, side[i]);
            fault_end(code_of(p));
        }
    if (!lattice_init(&l, (int)p->nextents, side)) too_many(p, place);
    return l;
}

/* ---- captured words ---- */

static int32_t
index_of_name(const struct name_ref *name, unsigned index)
{
    return index < name->n ? name_ref_ix(name)[index] : 0;
}

const luna_word *
cells_captured(const struct luna_program *p, const luna_env *e, uint32_t ref,
               const struct luna_about *c, luna_word *words)
{
    const struct luna_ref *r = &p->refs[ref];
    if (r->base == LUNA_B_PARAM) return ((const struct name_ref *)e->frame[r->word].p)->word;
    for (uint32_t i = 0; i < c->ncaptures; i++) {
        const struct luna_capture *from = &p->captures[c->capture + i];
        switch ((enum luna_capture_from)from->from) {
        case LUNA_C_LOCAL: words[i] = e->local[from->word]; break;
        case LUNA_C_FRAME: words[i] = e->frame[from->word]; break;
        case LUNA_C_INDEX: words[i].i = index_of_name(e->frame[from->word].p, from->index); break;
        }
    }
    return words;
}

luna_env
cells_env(const struct luna_program *p, const luna_env *e, uint32_t ref, const struct luna_about *c,
          const struct key *k, enum luna_about_part part, luna_word *words)
{
    return (luna_env){.frame = cells_captured(p, e, ref, c, words),
                      .ix = k->ix,
                      .site = e->site,
                      .about = LUNA_ABOUT(k->df & ~KEY_MARKS, part)};
}

uint32_t
cells_capture(const struct luna_program *p, const luna_env *e, uint32_t ref, const struct key *k,
              luna_word *words)
{
    const struct luna_about *c = cells_about(p, k->df);
    if (!c) return 0;
    const luna_word *from = cells_captured(p, e, ref, c, words);
    if (from != words) memcpy(words, from, c->ncaptures * sizeof *words);
    return c->ncaptures;
}

/* ---- cells ---- */

/* Beyond a wall: the fragment of the cell beside it will do. */
static void
hint_outside(const struct lattice *l, const int32_t *at)
{
    int d = 0;
    while (d + 1 < l->ndims && at[d] >= 0 && at[d] < l->side[d]) d++;
    int32_t last = l->side[d] - 1;
    if (at[d] < 0)
        fault_hint("give what lies before the first cells to these: i < 0 ? 0 : i");
    else
        fault_hint("make the lattice as large as the indices run, or give what lies behind the "
                   "last cells to these: i > %" PRId32 " ? %" PRId32 " : i", last, last);
}

void
cells_text(const struct lattice *l, const int32_t *at, char *text)
{
    int n = 0;
    for (int d = 0; d < l->ndims; d++)
        n += snprintf(text + n, CELLS_TEXT - (size_t)n, "%s%" PRId32, d ? ", " : "", at[d]);
}

void
cells_tell_outside(const struct luna_program *p, const struct lattice *l, const int32_t *at)
{
    char ends[CELLS_TEXT];
    int n = 0;
    for (int d = 0; d < l->ndims; d++)
        n += snprintf(ends + n, sizeof ends - (size_t)n, "%s0..%" PRId32, d ? ", " : "",
                      l->side[d] - 1);
    fault_note(p->subs[p->lattice_sub].place, "the cells are %s", ends);
    hint_outside(l, at);
}

static _Noreturn void
outside(const struct luna_program *p, const struct lattice *l, const luna_env *e,
        const struct key *k, const int32_t *at)
{
    char df[NAME_MAX_TEXT], text[CELLS_TEXT];
    name_df(p, k, df, sizeof df);
    cells_text(l, at, text);
    fault_begin(F_RUN13, e->site->place, "'%s' is on cell %s, outside the lattice", df, text);
    fault_note(p->dfs[k->df & ~KEY_MARKS].place, "its cell rule gives %s", text);
    cells_tell_outside(p, l, at);
    fault_end(EXIT_RUN);
}

/* Most rules are an index, more or less a constant, and perhaps divided by one. */
static inline int32_t
rule_value(const struct luna_program *p, const luna_env *e, uint32_t expr)
{
    const struct luna_expr *x = &p->exprs[expr];
    const struct luna_expr *of = x->kind == LUNA_E_QUOTIENT ? &p->exprs[x->u.terms] : x;
    if (of->kind != LUNA_E_IX) return eval_int(p, e, expr);
    int32_t v = (int32_t)((uint32_t)e->ix[of->a] + (uint32_t)of->k);
    return x == of ? v : v / x->k;
}

static inline void
place(const struct luna_program *p, const struct lattice *l, const luna_env *e, uint32_t ref,
      const struct key *k, int32_t *at)
{
    const struct luna_about *c = cells_rule(p, k->df);
    luna_word words[ABOUT_CAPTURES_MAX];
    luna_env inner = cells_env(p, e, ref, c, k, LUNA_ABOUT_CELL, words);
    for (int d = 0; d < l->ndims; d++) at[d] = rule_value(p, &inner, c->cell + (uint32_t)d);
    /* What such rules do not foresee only costs balance; what is beyond its shape has a place, for
     * calls that read it, but is nowhere. */
    if (p->is_placed || k->df & KEY_BEYOND) lattice_clamp(l, at);
}

uint32_t
cells_of(const struct luna_program *p, const struct lattice *l, const luna_env *e, uint32_t ref,
         const struct key *k)
{
    const struct luna_about *c = cells_rule(p, k->df);
    if (!c) return LATTICE_NONE;
    if (k->n != c->nindices) {
        char df[NAME_MAX_TEXT];
        name_df(p, k, df, sizeof df);
        fault_begin(F_RUN13, e->site->place, "'%s' has %u %s, but %u in its cell rule", df, k->n,
                    k->n == 1 ? "index" : "indices", c->nindices);
        fault_note(p->dfs[k->df & ~KEY_MARKS].place, "the rule of this declaration");
        fault_end(EXIT_RUN);
    }
    int32_t at[LATTICE_DIMS_MAX];
    place(p, l, e, ref, k, at);
    uint32_t cell = lattice_number(l, at);
    if (cell == LATTICE_NONE) outside(p, l, e, k, at);
    return cell;
}

uint32_t
cells_nearest(const struct luna_program *p, const struct lattice *l, const luna_env *e,
              uint32_t ref, const struct key *k)
{
    int32_t at[LATTICE_DIMS_MAX];
    place(p, l, e, ref, k, at);
    lattice_clamp(l, at);
    return lattice_number(l, at);
}

bool
cells_bytes(const struct luna_program *p, const luna_env *e, uint32_t ref, const struct key *k,
            int32_t *bytes)
{
    const struct luna_about *c = k->df & KEY_MARKS ? NULL : cells_about(p, k->df);
    if (!c || c->bytes == LUNA_NONE || c->nindices != k->n) return false;
    luna_word words[ABOUT_CAPTURES_MAX];
    luna_env inner = cells_env(p, e, ref, c, k, LUNA_ABOUT_BYTES, words);
    return eval_int_try(p, &inner, c->bytes, bytes);
}
