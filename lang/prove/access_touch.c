/* access_touch.c - what a statement touches, gathered by DF, with what is around it. Knows outputs,
 * inputs and rules, not how a run comes to the statement. */
#include "lang/prove/access_parts.h"

#include "lang/prove/shape.h"

enum { ACCESSES_MAX = 200 };

static struct touched *
target_of(struct walk *w, const struct bound *b)
{
    struct touched **at = &w->targets[b->decl];
    while (*at && (*at)->n != b->n) at = &(*at)->next;
    if (*at) return *at;
    struct touched *t = arena_new_of(w->forms.arena, struct touched);
    *t = (struct touched){.decl = b->decl, .n = b->n, .hidden = b->hidden};
    t->last_write = &t->writes;
    t->last_read = &t->reads;
    *w->last = t;
    w->last = &t->later;
    return *at = t;
}

bool
access_apart(const struct access *a, const struct access *b, int n)
{
    for (int i = 0; i < n; i++) {
        const struct sums *x = a->index[i], *y = b->index[i];
        if (x && y && (x->hi < y->lo || y->hi < x->lo)) return true;
    }
    return false;
}

int
access_loops(const struct access *x)
{
    return nesting_loops(x->at);
}

bool
access_many(const struct touched *t)
{
    int n = 0;
    for (const struct access *x = t->writes; x && n <= ACCESSES_MAX; x = x->next) n++;
    for (const struct access *x = t->reads; x && n <= ACCESSES_MAX; x = x->next) n++;
    return n > ACCESSES_MAX;
}

struct nesting *
access_new_step(struct walk *w, const struct nesting *up, enum step_kind kind)
{
    struct nesting *s = arena_new_of(w->forms.arena, struct nesting);
    *s = (struct nesting){.up = up,
                          .kind = kind,
                          .site = w->site,
                          .env = w->env,
                          .visit = w->visit,
                          .loops = nesting_loops(up),
                          .sure = !up || up->sure};
    return s;
}

/* Of a read that has a value of its own beyond the shape. */
static const struct nesting *
within_step(struct walk *w, const struct nesting *at, const struct where *inside)
{
    struct nesting *s = access_new_step(w, at, STEP_WITHIN);
    s->where = inside;
    s->sure &= inside->exact;
    return s;
}

struct access *
access_add(struct walk *w, const struct nesting *at, uint32_t ref, struct span span, bool write)
{
    struct bound b;
    struct within shape;
    if (!access_resolve(w, ref, &b)) return NULL;
    bool shaped = shape_look(w, &b, &shape), open = shaped && shape.open && !write;
    if (open) at = within_step(w, at, shape.inside);
    struct access *x = arena_new_of(w->forms.arena, struct access);
    *x = (struct access){.at = at,
                         .env = w->env,
                         .site = w->site,
                         .visit = w->visit,
                         .span = span,
                         .ref = ref,
                         .index = b.index,
                         .lack = b.lack,
                         .beyond = shaped ? shape.beyond : NULL,
                         .open = open,
                         .sure = !at || at->sure};
    for (int i = 0; i < b.n; i++) x->sure &= b.index[i] != NULL;
    struct touched *t = target_of(w, &b);
    struct access ***last = write ? &t->last_write : &t->last_read;
    **last = x;
    *last = &x->next;
    return x;
}

static void
add_flag(struct walk *w, uint32_t ref, unsigned flag)
{
    struct bound b;
    if (access_resolve(w, ref, &b)) w->flags[b.decl] |= (uint8_t)flag;
}

void
access_add_write(struct walk *w, const struct nesting *at, uint32_t ref, uint32_t post,
                 struct span span, int out)
{
    struct access *x = access_add(w, at, ref, span, true);
    if (!x) return;
    x->out = out;
    uint32_t home = w->plan->refs.row[ref].home;
    if (home != PLAN_NONE && w->plan->locators.row[home].kind != PL_CYCLIC)
        add_flag(w, ref, DECL_COPIED);
    enum plan_post_kind kind = post == PLAN_NONE ? PP_UNSAID : w->plan->posts.row[post].kind;
    x->said = kind != PP_UNSAID;
    x->ruled = kind > PP_KEEP;
    if (kind == PP_COUNT)
        x->promise = form_of_row(&w->forms, w->plan, w->plan->posts.row[post].count);
    if (kind == PP_DROP) add_flag(w, ref, DECL_DROPPED);
}

void
access_add_inputs(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    for (uint16_t i = 0; i < s->nin; i++) {
        const struct plan_in *in = &w->plan->ins.row[s->in + i];
        if (in->kind == PI_WAIT)
            add_flag(w, in->ref, DECL_SENT);
        else
            access_add(w, at, in->ref, s->spans[i], false);
    }
}

void
access_add_rules(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    if (s->rules == PLAN_NONE) return;
    const struct plan_rules *r = &w->plan->rules.row[s->rules];
    const struct expr *e = s->stmt->sets;
    for (uint32_t i = 0; i < r->nset; i++, e = e ? e->next : e)
        access_add_write(w, at, r->set + i, r->set_post == PLAN_NONE ? PLAN_NONE : r->set_post + i,
                         e ? e->span : s->stmt->span, -1);
    for (uint32_t i = 0; i < r->nkill; i++) add_flag(w, r->kill + i, DECL_KILLED);
    for (uint32_t i = 0; i < r->npush; i++)
        add_flag(w, w->plan->pushes.row[r->push + i].ref, DECL_SENT);
}
