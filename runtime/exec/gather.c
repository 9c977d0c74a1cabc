/* gather.c - see gather.h. */
#include "gather.h"

#include "reduce_parts.h"

#include "runtime/base/exit.h"
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/node/trace.h"
#include "runtime/store/digest.h"
#include "runtime/ucode/df.h"
#include "runtime/ucode/luna.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
    GATHER_MOST = 1 << 24, /* elements of a list; */
    GATHER_AT_ONCE = 256,  /* are asked for without a loop; */
    GATHER_ALONE = 4096    /* are looked for without one, on the only node */
};

struct list {
    const struct luna_site *site; /* a LIST */
    struct elements which;
    luna_word *word; /* what its terms see, with room for the counters */
    luna_value *value;  /* of a list that is read, in order */
    struct luna_df *df; /* while the call runs, */
    struct luna_df **at;
    struct luna_list seen; /* as the function sees them */
    uint64_t *digest; /* -g: of what was read */
};

/* The call lies at its end, for it has words of its own behind it. */
struct gather {
    atomic_uint left; /* lists that are still to come, and one more while it begins */
    uint32_t nlists;
    bool loops; /* over elements, which have to be walked */
    bool asks_all; /* the run is stuck */
    struct list *list;
    struct task call;
};

/* ---- the beginning ---- */

static size_t
gather_bytes(const struct luna_site *site)
{
    return offsetof(struct gather, call) + task_bytes(site);
}

struct gather *
gather_of(struct task *t)
{
    return (struct gather *)(void *)((char *)t - offsetof(struct gather, call));
}

static _Noreturn void
too_many(const struct luna_site *list)
{
    fault_begin(F_RUN14, list->place, "a list has more than %d elements, or rows of them",
                (int)GATHER_MOST);
    fault_hint("let several calls take parts of it");
    fault_end(EXIT_RUN);
}

static void *
array_of(size_t n, size_t size)
{
    void *p = mem_zalloc(n, size);
    if (!p) fault_nomem();
    return p;
}

/* A call that waits for loops over its elements has not counted as one that waits: else these would
 * pause because of it. */
static void
call_is_ready(struct worker *w, struct gather *g)
{
    g->call.kind = TASK_READY;
    if (g->loops) worker_call_waiting(w, &g->call, 1);
}

static bool
is_last(struct gather *g)
{
    return atomic_fetch_sub_explicit(&g->left, 1, memory_order_acq_rel) == 1;
}

/* Of a list that is read: ends when all its elements have come, and the frame that it hangs on has
 * no other count than ours. */
static struct frame *
fold_begin(struct worker *w, struct gather *g, struct list *x)
{
    const struct luna_program *p = w->node->program;
    struct task *t = &g->call;
    struct elements which = x->which;
    if (which.rows && !elements_look(&which, p, x->site, t->frame, x->word)) too_many(x->site);
    struct fold *f = fold_new(&which, x->word);
    f->begun_here = true;
    f->task = t;
    f->gather = g;
    f->list = (uint32_t)(x - g->list);
    struct frame *frame = frame_copy(t->frame, &p->subs[t->frame->sub]);
    if (!frame) fault_nomem();
    frame->fold = f;
    atomic_fetch_add_explicit(&g->left, 1, memory_order_relaxed);
    return frame;
}

/* On the only node a list waits for one element at a time, any of those that are missing: when it
 * has come half of the others have too, as a rule, and nobody needs to be told of each. There may
 * be many lists before there are any elements. */
static bool
waits_for_one(const struct worker *w, const struct luna_site *list, uint32_t total)
{
    return w->node->nodes == 1 && total <= GATHER_ALONE &&
           elements_term(w->node->program, list)->nin == 1;
}

static void
list_ask(struct worker *w, struct gather *g, struct list *x)
{
    const uint32_t total = x->which.total;
    const bool one = waits_for_one(w, x->site, total);
    uint32_t from = 0;
    x->value = array_of(total, sizeof *x->value);
    if (one) from = reduce_walk_present(w, g->call.frame, &x->which, x->word, x->value);
    if (from == total) return;
    struct frame *frame = fold_begin(w, g, x);
    if (one || total <= GATHER_AT_ONCE) {
        reduce_walk_all(w, frame, from, one ? from + 1 : total);
        exec_frame_drop(w, frame);
        return;
    }
    struct range *r = fold_range(x->site, x->word);
    r->head.frame = frame;
    range_over(r, elements_lo(x->site, x->word, 0), elements_hi(x->site, x->word, 0));
    worker_later(w, &r->head);
    g->loops = true;
}

static void
list_begin(struct worker *w, struct gather *g, struct list *x)
{
    const struct luna_program *p = w->node->program;
    x->word = array_of(elements_words(x->site) + x->site->b, sizeof *x->word);
    elements_eval(p, x->site, &g->call, x->word);
    if (!elements_look(&x->which, p, x->site, g->call.frame, x->word) ||
        x->which.total > GATHER_MOST)
        too_many(x->site);
    if (x->which.total && !x->site->a) list_ask(w, g, x);
}

/* Of lists that are asked for now the terms lie in a draft of their own: a loop may be in the midst
 * of its children, whose words are in the other one. */
static void
lists_begin(struct worker *w, struct gather *g, const struct luna_site *lists)
{
    struct task *draft = w->draft;
    w->draft = w->aside;
    for (uint32_t k = 0; k < g->nlists; k++) {
        g->list[k].site = &lists[k];
        list_begin(w, g, &g->list[k]);
    }
    w->draft = draft;
}

/* All that it reads was here, nothing has brought it: on the only node it runs now, as any call
 * does. */
static void
goes_on(struct worker *w, struct task *t)
{
    const struct node *n = w->node;
    call_is_ready(w, gather_of(t));
    if (n->nodes == 1 && !recipe_ranks(&n->recipes[t->site], t->frame))
        exec_task(w, t);
    else
        worker_ready(w, t);
}

void
gather_begin(struct worker *w, struct task *t)
{
    const struct luna_program *p = w->node->program;
    const struct luna_site *site = &p->sites[t->site];
    const struct luna_block *lists = &p->blocks[site->body];
    struct gather *g = mem_alloc(gather_bytes(site));
    if (!g) fault_nomem();
    memcpy(&g->call, t, task_bytes(site));
    g->call.kind = TASK_WAITS;
    g->call.flags |= TASK_GATHERED | TASK_HERE;
    g->call.at = site->nin;
    frame_retain(t->frame);
    task_set_age(site, &g->call, w->made++);
    atomic_init(&g->left, 1);
    g->loops = g->asks_all = false;
    g->nlists = lists->nsites;
    g->list = array_of(g->nlists, sizeof *g->list);
    lists_begin(w, g, &p->sites[lists->site]);
    if (!g->loops) worker_call_waiting(w, &g->call, 1);
    if (is_last(g)) goes_on(w, &g->call);
}

/* ---- elements come ---- */

void
gather_came(struct fold *f, uint32_t number, luna_value v)
{
    luna_value *at = &f->gather->list[f->list].value[number];
    assert(number < f->which.total && at->type == LUNA_UNSET); /* protocols 2.2: one value */
    *at = v;
}

void
gather_goes_on(struct worker *w, struct frame *frame)
{
    const struct fold *f = frame->fold;
    if (!waits_for_one(w, f->site, f->which.total) || f->gather->asks_all) return;
    struct task *draft = w->draft;
    w->draft = w->aside;
    uint32_t next = reduce_walk_present(w, frame, &f->which, f->word,
                                        f->gather->list[f->list].value);
    if (next < f->which.total) reduce_walk_all(w, frame, next, next + 1);
    w->draft = draft;
}

void
gather_asks_all(struct worker *w, const struct task *term)
{
    struct frame *frame = term->frame;
    const struct fold *f = frame->fold;
    if (!f || !f->gather || !waits_for_one(w, f->site, f->which.total)) return;
    const luna_value *value = f->gather->list[f->list].value;
    f->gather->asks_all = true; /* some may be here */
    uint32_t own = elements_number(&f->which, term->word);
    for (uint32_t i = 0; i < f->which.total; i++)
        if (i != own && value[i].type == LUNA_UNSET) reduce_walk_all(w, frame, i, i + 1);
}

void
gather_list_came(struct worker *w, struct fold *f)
{
    struct gather *g = f->gather;
    fold_free(f);
    if (!is_last(g)) return;
    call_is_ready(w, g);
    trace_ready(w, &w->node->program->sites[g->call.site], &g->call);
    worker_ready(w, &g->call);
}

/* ---- elements by their numbers ---- */

struct element { /* of a list, as its TERM sees it */
    const struct list *list;
    luna_env e;
};

static struct element
element_begin(struct worker *w, struct gather *g, const struct list *x)
{
    return (struct element){.list = x,
                            .e = {.frame = g->call.frame->word, .local = x->word,
                                  .site = elements_term(w->node->program, x->site)}};
}

static void
element_go(struct element *el, uint32_t number)
{
    elements_counters(&el->list->which, number, el->list->word);
}

static void
element_end(struct element *el)
{
    if (el->e.temps) eval_drop_temps(&el->e);
}

static void
element_name(struct worker *w, struct gather *g, struct element *el, uint32_t number,
             char *text, size_t size)
{
    const struct luna_program *p = w->node->program;
    uint32_t ref = elements_ref(p, el->list->site);
    element_go(el, number);
    if (ref == LUNA_NONE) {
        snprintf(text, size, "element %" PRIu32, number);
        return;
    }
    struct key k;
    mention_name(p, &el->e, g->call.frame, ref, &k);
    name_df(p, &k, text, size);
}

/* ---- while the call runs ---- */

static void
list_name(struct worker *w, struct gather *g, struct list *x)
{
    struct element el = element_begin(w, g, x);
    char text[NAME_MAX_TEXT];
    for (uint32_t i = 0; i < x->which.total; i++) {
        element_name(w, g, &el, i, text, sizeof text);
        luna_set_name(&x->df[i], text);
    }
    element_end(&el);
}

const struct luna_list *
gather_list(struct worker *w, struct gather *g, unsigned k)
{
    struct list *x = &g->list[k];
    x->df = array_of(x->which.total, sizeof *x->df);
    x->at = array_of(x->which.total, sizeof *x->at);
    for (uint32_t i = 0; i < x->which.total; i++) {
        x->at[i] = &x->df[i];
        if (!x->value) continue;
        x->df[i].value = x->value[i];
        x->df[i].flags = DF_LENT;
    }
    if (w->node->debug) list_name(w, g, x);
    x->seen = (struct luna_list){x->at, x->which.total};
    return &x->seen;
}

static _Noreturn void
element_unset(struct worker *w, struct gather *g, struct element *el, uint32_t number)
{
    const struct luna_program *p = w->node->program;
    char df[NAME_MAX_TEXT], cf[NAME_MAX_TEXT];
    element_name(w, g, el, number, df, sizeof df);
    name_cf(p, &g->call, cf, sizeof cf);
    fault_begin(F_RUN3, el->list->site->place, "%s returned without setting '%s'", cf, df);
    fault_hint("a function sets each of its name parameters before it returns, and each element of "
               "its lists");
    fault_end(EXIT_RUN);
}

static void
list_put(struct worker *w, struct gather *g, struct list *x)
{
    const struct luna_program *p = w->node->program;
    const struct luna_site *call = &p->sites[g->call.site];
    struct element el = element_begin(w, g, x);
    const struct luna_arg *arg = &p->args[el.e.site->arg];
    const bool drops = w->node->recipes[el.e.site - p->sites].arg->drops;
    for (uint32_t i = 0; i < x->which.total; i++) {
        luna_value v = x->df[i].value;
        struct key k;
        element_go(&el, i);
        if (v.type == LUNA_UNSET) element_unset(w, g, &el, i);
        mention_key(p, &el.e, g->call.frame, arg->row, &k);
        if (w->node->measures) exec_measure(w, call, &el.e, arg->row, &k, v);
        if (drops) exec_drop(w, &k, v);
        else
            exec_put(w, call, &g->call, &el.e, arg->row, &k, v,
                     exec_uses(w, &el.e, arg->post));
    }
    element_end(&el);
}

void
gather_put(struct worker *w, struct gather *g)
{
    for (uint32_t k = 0; k < g->nlists; k++)
        if (g->list[k].site->a) list_put(w, g, &g->list[k]);
}

/* ---- a trace ---- */

uint32_t
gather_chain(const struct gather *g)
{
    uint32_t longest = 0;
    for (uint32_t k = 0; k < g->nlists; k++) {
        const struct list *x = &g->list[k];
        for (uint32_t i = 0; x->value && i < x->which.total; i++)
            longest = chain_longer(longest, x->value[i].chain);
    }
    return longest;
}

void
gather_set_chain(struct gather *g, uint32_t chain)
{
    for (uint32_t k = 0; k < g->nlists; k++)
        for (uint32_t i = 0; g->list[k].site->a && i < g->list[k].which.total; i++)
            g->list[k].df[i].value.chain = chain;
}

/* ---- -g ---- */

void
gather_guard_inputs(struct gather *g)
{
    for (uint32_t k = 0; k < g->nlists; k++) {
        struct list *x = &g->list[k];
        x->digest = array_of(x->which.total, sizeof *x->digest);
        for (uint32_t i = 0; i < x->which.total && !x->site->a; i++)
            x->digest[i] = digest_of_value(&x->df[i].value);
    }
}

static void
list_guard(struct worker *w, struct gather *g, struct list *x)
{
    struct element el = element_begin(w, g, x);
    char text[NAME_MAX_TEXT];
    for (uint32_t i = 0; i < x->which.total; i++) {
        const struct luna_df *df = &x->df[i];
        bool read = !x->site->a && !(df->flags & DF_TAKEN);
        bool written = read && digest_of_value(&df->value) != x->digest[i];
        bool harmed = x->site->a && exec_guard_harms(df->value);
        if (!written && !harmed) continue;
        element_name(w, g, &el, i, text, sizeof text);
        if (written) exec_guard_wrote(w, &g->call, text);
        else exec_guard_harmed(w, &g->call, text, df->value);
    }
    element_end(&el);
}

void
gather_guard_look(struct worker *w, struct gather *g)
{
    for (uint32_t k = 0; k < g->nlists; k++) list_guard(w, g, &g->list[k]);
}

/* ---- the end ---- */

static void
list_end(struct list *x)
{
    for (uint32_t i = 0; i < x->which.total; i++) {
        if (x->value) value_release(x->value[i]);
        if (x->df && x->df[i].flags & DF_OWNS_NAME) luna_set_name(&x->df[i], NULL);
    }
    elements_forget(&x->which);
    mem_free(x->word);
    mem_free(x->value);
    mem_free(x->df);
    mem_free(x->at);
    mem_free(x->digest);
}

void
gather_end(struct worker *w, struct task *t)
{
    struct gather *g = gather_of(t);
    struct frame *frame = t->frame;
    for (uint32_t k = 0; k < g->nlists; k++) list_end(&g->list[k]);
    mem_free(g->list);
    mem_free(g);
    exec_frame_drop(w, frame);
}
