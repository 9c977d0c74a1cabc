/* unroll_shape.c - fragments that may be read beyond their shape, where they are none. */
#include "lang/unroll/unroll_parts.h"

static const struct plan_about *
open_rule(const struct unroll_instance *x, uint32_t decl, uint32_t nindices)
{
    const struct plan *p = x->u->plan;
    uint32_t row = p->dfs.row[decl].about;
    const struct plan_about *c = row == PLAN_NONE ? NULL : &p->abouts.row[row];
    return c && c->outside != PLAN_NONE && c->nindices == nindices ? c : NULL;
}

bool
unroll_open(const struct unroll_instance *x, const struct unroll_name *name,
            struct unroll_shape *shape)
{
    const struct plan_about *c = open_rule(x, name->decl, name->n);
    if (!c) return false;
    struct unroll_frame frame = unroll_captured(x, name);
    struct unroll_instance inner = {x->u, x->site, &frame, NULL, false};
    for (uint32_t i = 0; i < 2 * c->nindices; i++) {
        unroll_forget(x->u);
        struct unroll_value v = unroll_eval(&inner, c->shape + i, name->index);
        (i % 2 ? shape->hi : shape->lo)[i / 2] = unroll_known(x, v, "the end of a shape");
    }
    for (uint32_t i = 0; i < c->nindices; i++) shape->hi[i] -= c->counted >> i & 1;
    return true;
}

bool
unroll_is_beyond(const struct unroll_instance *x, const struct unroll_name *name)
{
    struct unroll_shape s;
    if (!unroll_open(x, name, &s)) return false;
    for (uint32_t i = 0; i < name->n; i++)
        if (name->index[i] < s.lo[i] || name->index[i] > s.hi[i]) return true;
    return false;
}

bool
unroll_value_beyond(const struct unroll_instance *x, const struct plan_in *in,
                    struct unroll_value *v)
{
    struct unroll_name name;
    uint32_t n, decl = unroll_decl_of(x, in->ref, &n);
    const struct plan_about *c = in->part == PLAN_NONE ? open_rule(x, decl, n) : NULL;
    if (!c) return false;
    unroll_name_of(x, in->ref, &name);
    if (!unroll_is_beyond(x, &name)) return false;
    struct unroll_frame frame = unroll_captured(x, &name);
    struct unroll_instance inner = {x->u, x->site, &frame, NULL, false};
    char text[200];
    bool before = x->u->by_zero;
    x->u->by_zero = false;
    *v = unroll_eval(&inner, c->outside, name.index);
    if (x->u->by_zero)
        unroll_fail(x, NULL, "the outside rule of '%s' divides by 0",
                    unroll_text(x->u->plan, &name, text, sizeof text));
    x->u->by_zero = before;
    return true;
}
