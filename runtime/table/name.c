/* name.c - printing names into a bounded text. */
#include "name.h"

#include "runtime/table/eval.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct out {
    char *text;
    size_t size, used;
};

static __attribute__((format(printf, 2, 3))) void
add(struct out *o, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(o->text + o->used, o->size - o->used, fmt, ap);
    va_end(ap);
    o->used += (size_t)n;
    if (o->used < o->size) return;
    snprintf(o->text + o->size - 4, 4, "...");
    o->used = o->size - 1;
}

/* Indices of the fragment itself: behind them a pushed value's key has those of the label it was
 * sent to, and a word that ends in their number; that of one that follows a call has a cell. */
static uint32_t
own_indices(const struct key *k)
{
    uint32_t behind = (k->df & KEY_FOLLOWS ? 1 : 0) + (k->df & KEY_PART ? 2 : 0);
    if (behind) return k->n - behind;
    if (!(k->df & KEY_PUSHED)) return k->n;
    return k->n - 1 - (uint32_t)k->ix[k->n - 1] % KEY_INDICES_MAX;
}

void
name_df(const struct luna_program *p, const struct key *k, char *text, size_t size)
{
    static const char *const kind[] = {"int", "real", "int64", "float"}; /* enum luna_part_kind */
    struct out o = {text, size, 0};
    uint32_t df = k->df & ~KEY_MARKS, n = own_indices(k);
    const int32_t *part = k->df & KEY_PART ? k->ix + n : NULL;
    if (part) add(&o, "%s(", part[1] < 0 ? kind[-1 - part[1]] : "value");
    add(&o, "%s", df < p->ndfs ? p->dfs[df].name : "?");
    for (uint32_t i = 0; i < n; i++) add(&o, "[%d]", k->ix[i]);
    if (part) add(&o, part[1] < 0 ? ", %d)" : ", %d, %d)", part[0], part[1]);
}

void
name_parts_df(const struct luna_program *p, const struct key *k, struct name_parts *out)
{
    uint32_t df = k->df & ~KEY_MARKS;
    out->base = df < p->ndfs ? p->dfs[df].name : "?";
    out->n = own_indices(k);
    memcpy(out->ix, k->ix, out->n * sizeof *out->ix);
}

void
name_ref_of(const struct luna_program *p, const luna_env *e, uint32_t ref, char *text, size_t size)
{
    const struct luna_ref *r = &p->refs[ref];
    struct key k = {.df = r->df};
    if (r->base == LUNA_B_PARAM) {
        const struct name_ref *n = e->frame[r->word].p;
        k.df = n->df;
        k.n = n->n;
        for (uint32_t j = 0; j < n->n; j++) k.ix[j] = name_ref_ix(n)[j];
    }
    for (uint32_t j = 0; j < r->nindices && k.n < KEY_INDICES_MAX; j++)
        k.ix[k.n++] = eval_int(p, e, r->index + j);
    name_df(p, &k, text, size);
}

int
name_input(const struct luna_program *p, const luna_env *e, luna_value v, char *text, size_t size)
{
    unsigned i = 0;
    while (i < e->site->nin && e->in && (e->in[i].type != v.type || e->in[i].w.p != v.w.p)) i++;
    if (!e->in || i == e->site->nin) return -1;
    name_ref_of(p, e, p->ins[e->site->in + i].ref, text, size);
    return (int)i;
}

static bool
label_is_known(const struct luna_program *p, const struct luna_label *l)
{
    for (uint32_t i = 0; i < l->nindices; i++) {
        int kind = p->exprs[l->index + i].kind;
        if (kind == LUNA_E_IN || kind >= LUNA_E_INT_FN) return false;
    }
    return true;
}

/* The counters of loops around the reduction, and its own; between them stand its bounds. */
static void
term_parts(const struct luna_program *p, const luna_env *e, struct name_parts *out)
{
    const struct luna_site *reduce = &p->sites[e->site->callee];
    bool list = reduce->kind == LUNA_S_LIST;
    out->base = list ? p->functions[p->sites[reduce->callee].callee].name : "reduce";
    name_add_counters(out, e->local, 0, reduce->nlocal);
    name_add_counters(out, e->local, e->site->nlocal - reduce->b, e->site->nlocal);
}

static const char *
base_of(const struct luna_program *p, const struct luna_site *s)
{
    switch ((enum luna_site_kind)s->kind) {
    case LUNA_S_CALL: return p->functions[s->callee].name;
    case LUNA_S_EXPAND: return p->subs[s->callee].name;
    case LUNA_S_FOR: return "for";
    case LUNA_S_WHILE:
    case LUNA_S_TEST: return "while";
    case LUNA_S_IF: return "if";
    case LUNA_S_REDUCE: return "reduce";
    case LUNA_S_TERM:
    case LUNA_S_LIST: break;
    }
    return "";
}

static void
site_parts(const struct luna_program *p, const luna_env *e, struct name_parts *out)
{
    const struct luna_site *s = e->site;
    const struct luna_rules *r = s->rules == LUNA_NONE ? NULL : &p->rules[s->rules];
    out->n = 0;
    if (r && r->label != LUNA_NONE && label_is_known(p, &p->labels[r->label])) {
        const struct luna_label *l = &p->labels[r->label];
        out->base = p->dfs[l->name].name;
        while (out->n < l->nindices && out->n < KEY_INDICES_MAX) {
            out->ix[out->n] = eval_int(p, e, l->index + out->n);
            out->n++;
        }
        return;
    }
    if (s->kind == LUNA_S_TERM) {
        term_parts(p, e, out);
        return;
    }
    out->base = base_of(p, s);
    name_add_counters(out, e->local, 0, s->nlocal);
}

void
name_parts_site(const struct luna_program *p, const struct task *t, struct name_parts *out)
{
    luna_env e = {.frame = t->frame->word, .local = t->word, .site = &p->sites[t->site]};
    site_parts(p, &e, out);
}

void
name_site(const struct luna_program *p, const luna_env *e, char *text, size_t size)
{
    struct out o = {text, size, 0};
    struct name_parts parts;
    site_parts(p, e, &parts);
    add(&o, "%s", parts.base);
    for (uint32_t i = 0; i < parts.n; i++) add(&o, "[%d]", parts.ix[i]);
}

void
name_cf(const struct luna_program *p, const struct task *t, char *text, size_t size)
{
    luna_env e = {.frame = t->frame->word, .local = t->word, .site = &p->sites[t->site]};
    name_site(p, &e, text, size);
}
