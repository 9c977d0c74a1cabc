/* reduce_few.c - reductions of a few elements on the only node, as the nodes of trees have them.
 *
 * No loop, no terms, no fold that is fed: one object with a place for each element, which holds
 * what stands in the store's list and then the value. Who brings the last one makes it ready; then
 * all are combined, by the same tree over their numbers as ever (partials.h).
 *
 *     begun --its turn in the queue: asks for all--> [v][link][v][link] --the last comes--> ready
 *
 * Arrays are combined as they come: they are large, and combining them takes time. */
#include "runtime/exec/reduce_parts.h"

#include "runtime/base/pool.h"
#include "runtime/node/tally.h"

struct few_place { /* of one element */
    union {
        struct input_link link; /* a WAITER_ELEMENT */
        luna_value value;
    };
};

struct few {
    struct task head; /* of the term's site; it counts on its frame by fold.task */
    atomic_uint left; /* elements that have not come, and one more while it asks */
    atomic_bool arrays; /* some are in the fold already */
    struct fold fold;   /* behind its words: a place for each element */
};

static inline size_t
few_bytes(uint32_t nwords, uint32_t total)
{
    return sizeof(struct few) + nwords * sizeof(luna_word) + total * sizeof(struct few_place);
}

static inline struct few_place *
few_places(struct few *f)
{
    return (struct few_place *)(void *)&f->fold.word[f->fold.nwords];
}

bool
reduce_few_takes(const struct worker *w, const struct luna_site *reduce, uint32_t total)
{
    const struct node *n = w->node;
    return n->nodes == 1 && total <= REDUCE_FEW && reduce->a != LUNA_R_SUB &&
           n->recipes[elements_term(n->program, reduce) - n->program->sites].asks &&
           elements_term(n->program, reduce)->nin == 1;
}

void
reduce_few_begin(struct worker *w, struct task *t, const luna_word *word,
                 const struct elements *which)
{
    const struct luna_program *p = w->node->program;
    const struct luna_site *reduce = which->owner;
    const uint32_t total = which->total;
    uint32_t nwords = elements_words(reduce);
    struct few *f = pool_get(pool_class(few_bytes(nwords, total)));
    if (!f) fault_nomem();
    f->head = (struct task){.site = (uint32_t)(elements_term(p, reduce) - p->sites),
                            .kind = TASK_FEW_ASKS, .flags = TASK_FEW, .frame = t->frame};
    atomic_init(&f->left, total + 1);
    atomic_init(&f->arrays, false);
    fold_init(&f->fold, which, word);
    f->fold.task = exec_task_new(reduce, t);
    if (!f->fold.task) fault_nomem();
    worker_later(w, &f->head);
}

/* ---- the end ---- */

static __attribute__((noinline)) struct partial
element_slowly(struct worker *w, struct few *f, uint32_t number, luna_value v)
{
    const struct fold *fold = &f->fold;
    luna_word word[fold->nwords + fold->site->b]; /* for the name in a message */
    luna_env e = {.frame = f->head.frame->word, .local = word,
                  .site = &w->node->program->sites[f->head.site]};
    if (v.type == LUNA_REAL && fold->items == COMBINE_INT) {
        memcpy(word, fold->word, fold->nwords * sizeof *word);
        elements_counters(&fold->which, number, word);
    }
    return fold_element(w, fold, &e, number, v);
}

static inline struct partial
element_of(struct worker *w, struct few *f, uint32_t number, luna_value v)
{
    if (fold_takes_as_it_is(&f->fold, v)) return (struct partial){number, 0, v};
    return element_slowly(w, f, number, v);
}

/* Neighbours, then pairs of them, and so on. */
static luna_value
combined(struct worker *w, struct few *f)
{
    struct few_place *place = few_places(f);
    struct partial part[REDUCE_FEW];
    uint32_t n = f->fold.which.total;
    for (uint32_t i = 0; i < n; i++) part[i] = element_of(w, f, i, place[i].value);
    for (uint32_t step = 1; step < n; step *= 2)
        for (uint32_t i = 0; i + step < n; i += 2 * step)
            fold_combine(w, &f->fold, &part[i], &part[i + step]);
    return part[0].value;
}

/* Of arrays: what is no array will not fit. */
static luna_value
combined_arrays(struct worker *w, struct few *f)
{
    struct few_place *place = few_places(f);
    for (uint32_t i = 0; i < f->fold.which.total; i++)
        if (place[i].value.type != LUNA_UNSET)
            fold_add(w, &f->fold, element_of(w, f, i, place[i].value));
    return fold_take_whole(w, &f->fold);
}

static void
few_end(struct worker *w, struct few *f)
{
    struct fold *fold = &f->fold;
    const struct luna_site *reduce = fold->site;
    struct task *t = fold->task;
    struct frame *frame = t->frame;
    bool arrays = atomic_load_explicit(&f->arrays, memory_order_relaxed);
    tally_reads(w->node, fold->which.total);
    luna_value v = arrays ? combined_arrays(w, f) : combined(w, f);
    if (arrays) partials_fini(&fold->parts);
    elements_forget(&fold->which);
    pool_put(pool_class(few_bytes(fold->nwords, fold->which.total)), f);
    fold_assign(w, reduce, t, v);
    exec_task_free(reduce, t);
    exec_frame_drop(w, frame);
}

/* ---- elements come ---- */

static void
few_keep(struct worker *w, struct few *f, unsigned at, luna_value v)
{
    struct few_place *place = &few_places(f)[at];
    place->value = value_is_block(v) ? value_unset() : v;
    if (!value_is_block(v)) return;
    fold_add(w, &f->fold, element_of(w, f, at, v));
    atomic_store_explicit(&f->arrays, true, memory_order_relaxed);
}

/* n have come. True: none is left to come. */
static inline bool
few_arrived(struct worker *w, struct few *f, unsigned n)
{
    if (w->many) return atomic_fetch_sub_explicit(&f->left, n, memory_order_acq_rel) == n;
    unsigned left = atomic_load_explicit(&f->left, memory_order_relaxed) - n;
    atomic_store_explicit(&f->left, left, memory_order_relaxed);
    return !left;
}

void
reduce_few_came(struct worker *w, struct task *t, unsigned at, luna_value v)
{
    struct few *f = (struct few *)(void *)t;
    few_keep(w, f, at, v);
    if (!few_arrived(w, f, 1)) return;
    t->kind = TASK_READY;
    t->at = 1;
    worker_ready(w, t);
}

void
reduce_few_ready(struct worker *w, struct task *t)
{
    few_end(w, (struct few *)(void *)t);
}

struct asking {
    struct worker *w;
    struct few *f;
    unsigned at, missing;
};

static struct waiter *
few_waits(void *who)
{
    struct asking *a = who;
    struct input_link *link = &few_places(a->f)[a->at].link;
    *link = (struct input_link){.kind = WAITER_ELEMENT, .at = (uint16_t)a->at,
                                .call = &a->f->head};
    if (!a->missing++) worker_waiting(a->w, 1);
    a->w->waits++;
    return &link->link;
}

void
reduce_few_ask(struct worker *w, struct task *t)
{
    struct asking a = {.w = w, .f = (struct few *)(void *)t};
    const struct fold *fold = &a.f->fold;
    const struct luna_site *term = &w->node->program->sites[t->site];
    const struct recipe_ref *ref = &w->node->recipes[t->site].in->ref;
    const uint32_t nwords = fold->nwords, total = fold->which.total;
    struct task *d = w->draft;
    struct cook c;
    d->site = t->site;
    d->frame = t->frame;
    memcpy(d->word, fold->word, nwords * sizeof *d->word);
    cook_begin(&c, w->node->program, d);
    cook_site(&c, term, d);
    for (; a.at < total; a.at++) {
        struct key k;
        luna_value v;
        elements_counters(&fold->which, a.at, d->word);
        recipe_key(ref, &c, &k);
        if (k.df & KEY_BEYOND) {
            few_keep(w, a.f, a.at, shape_beyond(c.p, &c.e, ref->row, &k));
            tally_found(w->node);
            continue;
        }
        enum store_want got = store_want(w->node->store, &k, &v, few_waits, &a);
        if (got == WANT_NOMEM) fault_nomem();
        if (got == WANT_HERE) few_keep(w, a.f, a.at, v);
    }
    if (c.e.temps) eval_drop_temps(&c.e);
    if (!few_arrived(w, a.f, total - a.missing + 1)) return;
    if (a.missing) worker_waiting(w, -1);
    few_end(w, a.f);
}

/* ---- for reports ---- */

void
reduce_few_show(const struct luna_program *p, struct input_link *link)
{
    const struct few *f = (const struct few *)(void *)link->call;
    const struct luna_site *term = &p->sites[f->head.site];
    struct task *t = pool_get(pool_class(task_bytes(term)));
    if (!t) fault_nomem();
    *t = (struct task){.site = f->head.site, .frame = f->head.frame};
    memcpy(t->word, f->fold.word, f->fold.nwords * sizeof *t->word);
    elements_counters(&f->fold.which, link->at, t->word);
    task_unset(term, t, 0);
    *link = (struct input_link){.next = link->next, .kind = WAITER_INPUT, .call = t};
}
