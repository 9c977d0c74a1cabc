/* reduce_few.c - elements that are waited for on the only node: those of a reduction of a few, as
 * the nodes of trees have them, and neighbours of a longer one that were missing when it was
 * walked (reduce_walk.c).
 *
 * No term for each, which would be a call of its own: one object with a place for each element,
 * which holds what stands in the store's list and then the value. Who brings the last one makes it
 * ready; then all are combined, by the same tree over their numbers as ever (partials.h).
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
    struct task head; /* of the term's site. Own fold: it counts on its frame by fold.task */
    struct fold *fold;  /* behind its places if it is its own; else that of its frame */
    atomic_uint left;   /* elements that have not come, and one more while it asks */
    atomic_bool arrays; /* some are in the fold already */
    bool own;           /* the statement waits; else each missing element does, as a call would */
    uint32_t first, n;  /* of the fold's elements */
    struct few_place place[];
};

static inline struct fold *
few_own(struct few *f)
{
    return (struct fold *)(void *)&f->place[f->n];
}

static inline size_t
few_bytes(uint32_t n)
{
    return sizeof(struct few) + n * sizeof(struct few_place);
}

static inline size_t
few_bytes_own(uint32_t nwords, uint32_t n)
{
    return few_bytes(n) + sizeof(struct fold) + nwords * sizeof(luna_word);
}

static inline void
few_init(struct few *f, const struct luna_program *p, const struct luna_site *reduce,
         struct frame *frame, uint32_t first, uint32_t n)
{
    f->head = (struct task){.site = (uint32_t)(elements_term(p, reduce) - p->sites),
                            .kind = TASK_FEW_ASKS, .flags = TASK_FEW, .frame = frame};
    atomic_init(&f->left, n + 1);
    atomic_init(&f->arrays, false);
    f->first = first;
    f->n = n;
}

bool
reduce_few_waits(const struct worker *w, const struct luna_site *reduce)
{
    const struct node *n = w->node;
    const struct luna_site *term = elements_term(n->program, reduce);
    return n->nodes == 1 && reduce->kind == LUNA_S_REDUCE && reduce->a != LUNA_R_SUB &&
           n->recipes[term - n->program->sites].asks && term->nin == 1;
}

void
reduce_few_begin(struct worker *w, struct task *t, const luna_word *word,
                 const struct elements *which)
{
    const struct luna_site *reduce = which->owner;
    struct few *f = pool_get(pool_class(few_bytes_own(elements_words(reduce), which->total)));
    if (!f) fault_nomem();
    few_init(f, w->node->program, reduce, t->frame, 0, which->total);
    f->own = true;
    f->fold = few_own(f);
    fold_init(f->fold, which, word);
    f->fold->task = exec_task_new(reduce, t);
    if (!f->fold->task) fault_nomem();
    worker_later(w, &f->head);
}

/* ---- the end ---- */

/* Neighbours, then pairs of them, and so on. */
static luna_value
combined(struct worker *w, struct few *f)
{
    struct partial part[REDUCE_FEW];
    const uint32_t n = f->n;
    for (uint32_t i = 0; i < n; i++) part[i] = (struct partial){i, 0, f->place[i].value};
    for (uint32_t step = 1; step < n; step *= 2)
        for (uint32_t i = 0; i + step < n; i += 2 * step)
            fold_combine(w, f->fold, &part[i], &part[i + step]);
    return part[0].value;
}

/* Those that are not in the fold: all but arrays. */
static uint32_t
numbers(const struct few *f, struct partial *part)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        luna_value v = f->place[i].value;
        if (v.type != LUNA_UNSET) part[n++] = (struct partial){f->first + i, 0, v};
    }
    return n;
}

/* Of arrays: what is no array will not fit. */
static luna_value
combined_arrays(struct worker *w, struct few *f)
{
    struct partial part[REDUCE_FEW];
    uint32_t n = numbers(f, part);
    for (uint32_t i = 0; i < n; i++) fold_add(w, f->fold, part[i]);
    return fold_take_whole(w, f->fold);
}

static void
own_end(struct worker *w, struct few *f)
{
    struct fold *fold = f->fold;
    const struct luna_site *reduce = fold->site;
    struct task *t = fold->task;
    struct frame *frame = t->frame;
    bool arrays = atomic_load_explicit(&f->arrays, memory_order_relaxed);
    luna_value v = arrays ? combined_arrays(w, f) : combined(w, f);
    if (arrays) partials_fini(&fold->parts);
    elements_forget(&fold->which);
    pool_put(pool_class(few_bytes_own(fold->nwords, f->n)), f);
    fold_assign(w, reduce, t, v);
    exec_task_free(reduce, t);
    exec_frame_drop(w, frame);
}

/* Neighbours of a longer reduction go to its fold. */
static void
neighbours_end(struct worker *w, struct few *f)
{
    struct partial part[REDUCE_FEW];
    struct frame *frame = f->head.frame;
    reduce_walk_add(w, f->fold, part, numbers(f, part));
    pool_put(pool_class(few_bytes(f->n)), f);
    exec_frame_drop(w, frame);
}

static void
few_end(struct worker *w, struct few *f)
{
    tally_reads(w->node, f->n);
    (f->own ? own_end : neighbours_end)(w, f);
}

/* ---- elements come ---- */

static __attribute__((noinline)) struct partial
element_slowly(struct worker *w, const struct fold *fold, uint32_t number, luna_value v)
{
    luna_word word[fold->nwords + fold->site->b]; /* for the name in a message */
    luna_env e = {.frame = fold->task->frame->word, .local = word,
                  .site = elements_term(w->node->program, fold->site)};
    memcpy(word, fold->word, fold->nwords * sizeof *word);
    elements_counters(&fold->which, number, word);
    return fold_element(w, fold, &e, number, v);
}

static inline struct partial
element_of(struct worker *w, const struct few *f, uint32_t at, luna_value v)
{
    if (fold_takes_as_it_is(f->fold, v)) return (struct partial){f->first + at, 0, v};
    return element_slowly(w, f->fold, f->first + at, v);
}

static void
few_keep(struct worker *w, struct few *f, unsigned at, luna_value v)
{
    struct partial p = element_of(w, f, at, v);
    f->place[at].value = value_is_block(p.value) ? value_unset() : p.value;
    if (!value_is_block(p.value)) return;
    fold_add(w, f->fold, p);
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
    const bool own = f->own;
    few_keep(w, f, at, v);
    if (!few_arrived(w, f, 1)) {
        if (!own) worker_waiting(w, -1);
        return;
    }
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
    struct input_link *link = &a->f->place[a->at].link;
    *link = (struct input_link){.kind = WAITER_ELEMENT, .at = (uint16_t)a->at,
                                .call = &a->f->head};
    if (!a->missing++ || !a->f->own) worker_waiting(a->w, 1);
    a->w->waits++;
    return &link->link;
}

/* Asks for the next one, by its name. */
static inline void
few_wants(struct asking *a, struct cook *c, const struct recipe_ref *ref, const struct key *k)
{
    luna_value v;
    if (k->df & KEY_BEYOND) {
        v = shape_beyond(c->p, &c->e, ref->row, k);
        tally_found(a->w->node);
    } else if (!store_take(a->w->node->store, k, &v)) { /* most are here: the short way first */
        enum store_want got = store_want(a->w->node->store, k, &v, few_waits, a);
        if (got == WANT_NOMEM) fault_nomem();
        if (got != WANT_HERE) return;
    }
    few_keep(a->w, a->f, a->at, v);
}

static void
few_asked(struct asking *a)
{
    if (!few_arrived(a->w, a->f, a->f->n - a->missing + 1)) return;
    if (a->missing && a->f->own) worker_waiting(a->w, -1);
    few_end(a->w, a->f);
}

void
reduce_few_ask(struct worker *w, struct task *t)
{
    struct asking a = {.w = w, .f = (struct few *)(void *)t};
    const struct fold *fold = a.f->fold;
    const struct recipe_ref *ref = &w->node->recipes[t->site].in->ref;
    struct task *d = w->draft;
    struct cook c;
    d->site = t->site;
    d->frame = t->frame;
    memcpy(d->word, fold->word, fold->nwords * sizeof *d->word);
    cook_begin(&c, w->node->program, d);
    cook_site(&c, &w->node->program->sites[t->site], d);
    for (; a.at < a.f->n; a.at++) {
        struct key k;
        elements_counters(&fold->which, a.at, d->word);
        recipe_key(ref, &c, &k);
        few_wants(&a, &c, ref, &k);
    }
    if (c.e.temps) eval_drop_temps(&c.e);
    few_asked(&a);
}

void
reduce_few_neighbours(struct worker *w, struct frame *frame, uint32_t first, uint32_t n,
                      reduce_name_fn *next, void *names, struct cook *c)
{
    struct fold *fold = frame->fold;
    struct asking a = {.w = w, .f = pool_get(pool_class(few_bytes(n)))};
    if (!a.f) fault_nomem();
    few_init(a.f, w->node->program, fold->site, frame, first, n);
    a.f->own = false;
    a.f->fold = fold;
    frame_retain(frame);
    const struct recipe_ref *ref = &w->node->recipes[a.f->head.site].in->ref;
    for (;;) {
        few_wants(&a, c, ref, next(names, a.at > 0));
        if (++a.at == n) break;
    }
    few_asked(&a);
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
    memcpy(t->word, f->fold->word, f->fold->nwords * sizeof *t->word);
    elements_counters(&f->fold->which, f->first + link->at, t->word);
    task_unset(term, t, 0);
    *link = (struct input_link){.next = link->next, .kind = WAITER_INPUT, .call = t};
}
