/* reduce_walk.c - loops over elements, walked as a whole.
 *
 * An element that is here is taken at once, without a task. Neighbours come one after another:
 * those before the last one are a few parts, each larger than the next, which become fewer as a
 * binary counter does; nothing is locked meanwhile. One that has not come gets a term that waits;
 * on the only node it waits together with those behind it (reduce_few.c).
 * Elements whose cells have gone to other nodes since the start are listed; each of these nodes
 * gets its list (TERMS) and makes a fold of them, which reports here.
 *
 * Loops whose elements may be anywhere are not walked so, but like any other. */
#include "runtime/exec/reduce_parts.h"

#include "runtime/base/buf.h"
#include "runtime/base/pool.h"
#include "runtime/base/ticks.h"
#include "runtime/table/cells.h"
#include "runtime/exec/gather.h"
#include "runtime/node/send.h"
#include "runtime/node/tally.h"
#include "runtime/exec/share.h"

#include <stdlib.h>

enum {
    WALK_PARTS = 70, /* two of each level, and some */
    WALK_MOST = 512, /* elements, with many workers, before others get a turn; */
    WALK_VAIN = 64,  /* of these that are not there yet: somebody else's loop may make them */
    WALK_TICKS = 50000 /* functions that combine may take long: some 20 us */
};

struct away { /* an element whose cell another node has now */
    int32_t node;
    uint32_t element;
};

struct walk {
    struct worker *w;
    struct fold *f;
    struct frame *frame;
    struct cook *c;
    const struct luna_site *term;
    const struct recipe_ref *ref; /* of the element */
    uint64_t found;       /* elements that were here, if `few` */
    uint64_t seen, waits; /* waits: of the worker, when it began */
    uint64_t ticks;       /* when that was, if a function combines; */
    double weight;        /* in the simulator */
    uint32_t next; /* the element behind the last one that was here */
    uint32_t type; /* of the last one; */
    bool loose;    /* may such be combined in any order? */
    bool few;      /* missing ones wait without terms */
    unsigned nparts;
    struct partial part[WALK_PARTS];
    struct buf away; /* struct away[] */
};

static struct walk
walk_begin(struct worker *w, struct frame *frame, struct cook *c)
{
    const struct luna_program *p = w->node->program;
    struct walk x = {.w = w, .f = frame->fold, .frame = frame, .c = c, .waits = w->waits};
    /* One worker of one node walks on: its order is promised, and not to hang on times. */
    if ((w->many || w->deep) && reduce_operates(frame)) x.ticks = cpu_ticks();
    x.weight = w->weight;
    x.term = elements_term(p, x.f->site);
    x.few = reduce_few_waits(w, x.f->site);
    x.ref = &w->node->recipes[x.term - p->sites].in->ref;
    cook_site(c, x.term, w->draft);
    return x;
}

/* ---- elements that are here ---- */

static void
walk_flush(struct walk *x)
{
    for (unsigned i = 0; i < x->nparts; i++) fold_add(x->w, x->f, x->part[i]);
    x->nparts = 0;
}

static void
walk_add(struct walk *x, struct partial p)
{
    if (p.value.type != x->type) {
        x->type = p.value.type;
        x->loose = fold_in_any_order(x->f, x->type);
    }
    const bool loose = x->loose;
    if (x->nparts && (loose ? x->part[0].value.type != p.value.type : p.first != x->next))
        walk_flush(x);
    x->next = p.first + 1;
    if (loose && x->nparts) {
        fold_combine(x->w, x->f, &x->part[0], &p);
        return;
    }
    if (!loose) partials_raise(&p, x->f->which.total);
    for (struct partial *last; !loose && x->nparts; p = *last) {
        last = &x->part[x->nparts - 1];
        if (last->level != p.level || last->first != partials_neighbour(&p)) break;
        fold_combine(x->w, x->f, last, &p);
        last->level++;
        partials_raise(last, x->f->which.total);
        x->nparts--;
    }
    x->part[x->nparts++] = p;
}

void
reduce_walk_add(struct worker *w, struct fold *f, const struct partial *p, uint32_t n)
{
    struct walk x;
    x.w = w;
    x.f = f;
    x.type = LUNA_UNSET;
    x.nparts = 0;
    x.next = 0;
    for (uint32_t i = 0; i < n; i++) walk_add(&x, p[i]);
    walk_flush(&x);
}

/* It is here, and taken. */
static void
walk_take(struct walk *x, uint32_t element, luna_value v)
{
    if (x->f->gather) gather_came(x->f, element, v);
    else walk_add(x, fold_element(x->w, x->f, &x->c->e, element, v));
}

/* The term of the element in the draft. */
static void
walk_term(struct walk *x)
{
    struct range unshared = {.head = {.frame = x->frame}};
    exec_spawn(x->w, (uint32_t)(x->term - x->w->node->program->sites), &unshared, x->c);
}

/* The element in the draft lives here. */
static inline bool
element_take(struct worker *w, const struct recipe_ref *ref, struct cook *c, const struct key *k,
             luna_value *v)
{
    if (__builtin_expect(k->df & KEY_BEYOND, 0)) {
        *v = shape_beyond(c->p, &c->e, ref->row, k);
        return true;
    }
    bool here = store_take(w->node->store, k, v);
    if (here) tally_reads(w->node, 1);
    return here;
}

/* The same: takes it. False: it is not here. */
static inline bool
walk_takes(struct walk *x, const struct key *k, uint32_t element)
{
    luna_value v;
    if (!element_take(x->w, x->ref, x->c, k, &v)) return false;
    walk_take(x, element, v);
    return true;
}

/* Or creates its term. */
static void
walk_one(struct walk *x, const struct key *k, uint32_t element)
{
    if (!walk_takes(x, k, element)) walk_term(x);
}

/* ---- elements that are elsewhere ---- */

static int
compare_away(const void *pa, const void *pb)
{
    const struct away *a = pa, *b = pb;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

/* The whole loop, as it was begun: what a node needs to make a fold. */
static struct range *
whole_loop(const struct walk *x)
{
    const struct fold *f = x->f;
    struct range *r = pool_get(pool_class(range_bytes(f->nwords)));
    if (!r) fault_nomem();
    *r = (struct range){.head = {.site = f->site->body, .at = (uint16_t)f->nwords,
                                 .kind = TASK_RANGE, .flags = RANGE_COUNTER | RANGE_FOLD,
                                 .frame = x->frame}};
    range_over(r, elements_lo(f->site, f->word, 0), elements_hi(f->site, f->word, 0));
    memcpy(r->local, f->word, f->nwords * sizeof *f->word);
    return r;
}

static void
send_away(struct walk *x)
{
    struct away *a = (struct away *)(void *)x->away.data;
    size_t n = x->away.size / sizeof *a;
    if (x->away.failed) fault_nomem();
    struct range *whole = whole_loop(x);
    qsort(a, n, sizeof *a, compare_away);
    for (size_t from = 0, to; from < n; from = to) {
        struct terms m = {.w = x->w, .to = a[from].node};
        for (to = from; to < n && a[to].node == a[from].node;) to++;
        send_terms_begin(&m, (uint32_t)(to - from));
        for (size_t i = from; i < to; i++) write_u32(&m.wr, a[i].element);
        send_terms_end(&m, whole);
    }
    pool_put(pool_class(range_bytes(whole->head.at)), whole);
}

static void
walk_end(struct walk *x)
{
    walk_flush(x);
    if (x->away.size) send_away(x);
    buf_fini(&x->away);
    if (x->c->e.temps) eval_drop_temps(&x->c->e);
}

/* ---- whose elements are walked ---- */

/* How a loop tells which terms are this node's; of these the elements are here, too. */
enum ours { OURS_ALL, OURS_BY_NODE, OURS_BY_CELL, OURS_UNKNOWN };

static enum ours
ours_of(const struct node *n, const struct range *r, const struct luna_site *term)
{
    const struct luna_program *p = n->program;
    const struct luna_rules *rules = mention_rules(p, term);
    luna_env e = {.frame = r->head.frame->word};
    if (n->nodes == 1 || r->head.flags & RANGE_MINE) return OURS_ALL;
    if (!(r->head.flags & RANGE_SHARED) || !rules) return OURS_UNKNOWN;
    /* The element's home and the term's node are by one locator. */
    if (rules->node != LUNA_NONE) return OURS_BY_NODE;
    const struct luna_about *rule = n->map ? cells_rule(p, mention_df(p, &e, rules->near)) : NULL;
    return rule && mention_depth(p, &e, rules->near) == rule->nindices ? OURS_BY_CELL
                                                                       : OURS_UNKNOWN;
}

/* The element in the draft, with this key. */
static void
walk_element(struct walk *x, enum ours ours, const struct key *k, uint32_t element)
{
    const struct node *n = x->w->node;
    struct away away = {.element = element};
    uint32_t cell, at;
    if (ours == OURS_BY_NODE && where_of_site(n, x->term, x->w->draft).node != n->number) return;
    if (ours == OURS_BY_CELL) {
        cell = cells_of(n->program, n->cells, &x->c->e, x->ref->row, k);
        if (!distrib_founded(n->map, cell)) return;
        away.node = distrib_first(n->map, cell, &at);
        if (away.node != n->number) {
            buf_add(&x->away, &away, sizeof away);
            return;
        }
    }
    walk_one(x, k, element);
}

/* ---- names: if all indices are sums, a constant step from one to the next ---- */

struct names {
    struct key key;
    bool sums;
    uint32_t from; /* the first index that the mention writes */
    uint32_t step[KEY_INDICES_MAX];
};

static void
name_at(struct walk *x, unsigned counter, int64_t i, struct key *k)
{
    x->w->draft->word[counter].i = (int32_t)i;
    recipe_key(x->ref, x->c, k);
}

static void
names_begin(struct names *s, struct walk *x, const struct range *r)
{
    const struct luna_program *p = x->c->p;
    const struct luna_ref *row = &p->refs[x->ref->row];
    struct key next = {0};
    s->sums = !x->ref->shaped;
    for (uint32_t i = 0; i < row->nindices; i++) s->sums &= share_is_sum(p, row->index + i);
    if (s->sums) name_at(x, r->head.at, r->i + (int64_t)r->step, &next);
    name_at(x, r->head.at, r->i, &s->key);
    s->from = s->key.n - row->nindices;
    for (uint32_t i = s->from; i < s->key.n; i++)
        s->step[i] = (uint32_t)next.ix[i] - (uint32_t)s->key.ix[i];
}

static void
names_next(struct names *s, struct walk *x)
{
    if (!s->sums) recipe_key(x->ref, x->c, &s->key);
    else
        for (uint32_t i = s->from; i < s->key.n; i++)
            s->key.ix[i] = (int32_t)((uint32_t)s->key.ix[i] + s->step[i]);
}

/* ---- on the only node: those that are missing ---- */

struct missing {
    struct walk *x;
    struct range *r;
    struct names *names;
};

static void
walk_next(struct walk *x, struct range *r, struct names *names)
{
    range_go(r, 1);
    x->w->draft->word[r->head.at].i = r->i;
    names_next(names, x);
}

static const struct key *
missing_name(void *who, bool further)
{
    struct missing *m = who;
    if (further) walk_next(m->x, m->r, m->names);
    return &m->names->key;
}

/* The element `at`, at which the loop stands, is not here: waits for it and those behind it, up to
 * the end of a part that has one place in the tree. Gives the last one. */
static uint32_t
walk_few(struct walk *x, struct range *r, struct names *names, uint32_t at)
{
    struct missing m = {x, r, names};
    uint32_t n = REDUCE_FEW - at % REDUCE_FEW;
    if (n > r->left) n = r->left + 1;
    reduce_few_neighbours(x->w, x->frame, at, n, missing_name, &m, x->c);
    x->seen += n - 1;
    return at + n - 1;
}

/* ---- the loops ---- */

static bool
walk_was_long(const struct walk *x)
{
    if (!x->ticks) return false;
    if (x->w->node->weighs) return x->w->weight - x->weight >= 1;
    return cpu_ticks() - x->ticks > WALK_TICKS;
}

/* Others should get a turn. */
static bool
walk_pauses(const struct walk *x)
{
    const struct worker *w = x->w;
    if (walk_was_long(x)) return true;
    if (w->harvest.looks) return x->found >= HARVEST_MOST;
    if (w->many) return x->seen >= WALK_MOST || w->waits - x->waits >= WALK_VAIN;
    return worker_should_pause(w);
}

/* True: to the end of the loop; else it paused, unless it is `inner`, or it is a look and stands at
 * what is missing. */
static bool
walk_terms(struct walk *x, struct range *r, bool inner)
{
    enum ours ours = ours_of(x->w->node, r, x->term);
    luna_word *word = x->w->draft->word;
    struct names names;
    names_begin(&names, x, r);
    for (uint32_t at = elements_number(&x->f->which, word);; at += r->step) {
        if (!x->few) walk_element(x, ours, &names.key, at);
        else if (walk_takes(x, &names.key, at)) x->found++;
        else if (x->w->harvest.looks && (inner || r->left >= WALK_VAIN)) return false;
        else at = walk_few(x, r, &names, at);
        x->seen++;
        if (!r->left) return true;
        walk_next(x, r, &names);
        if (!inner && walk_pauses(x)) return false;
    }
}

static bool walk_loops(struct walk *x, struct range *r, bool inner);

enum row {
    ROW_WALKED,
    ROW_BEGUN, /* a look found a part; the rest stands by itself now */
    ROW_MISSING /* and nothing here */
};

/* The loop inside, of the iteration in the draft. */
static enum row
walk_inner(struct walk *x, const struct luna_site *loop, const struct range *outer)
{
    struct task *d = x->w->draft;
    int32_t lo = eval_int(x->c->p, &x->c->e, loop->a), hi = eval_int(x->c->p, &x->c->e, loop->b);
    if (lo > hi) return ROW_WALKED;
    uint64_t found = x->found;
    struct range *r = pool_get(pool_class(range_bytes(loop->nlocal)));
    if (!r) fault_nomem();
    *r = (struct range){.head = {.site = loop->body, .at = loop->nlocal, .kind = TASK_RANGE,
                                 .flags = outer->head.flags & (uint8_t)~RANGE_MINE,
                                 .frame = x->frame}};
    range_over(r, lo, hi);
    memcpy(r->local, d->word, loop->nlocal * sizeof *d->word);
    bool none = r->head.flags & RANGE_SHARED && !share_stride(x->w, r);
    bool whole = none || walk_loops(x, r, true);
    if (!whole && x->found > found) {
        frame_retain(x->frame);
        reduce_put_aside(x->w, r, false);
        return ROW_BEGUN;
    }
    pool_put(pool_class(range_bytes(loop->nlocal)), r);
    return whole ? ROW_WALKED : ROW_MISSING;
}

static bool
walk_loops(struct walk *x, struct range *r, bool inner)
{
    const struct luna_program *p = x->c->p;
    const struct luna_site *site = &p->sites[p->blocks[r->head.site].site];
    if (site->kind == LUNA_S_TERM) return walk_terms(x, r, inner);
    for (;;) {
        x->w->draft->word[r->head.at].i = r->i;
        enum row row = walk_inner(x, site, r);
        if (row == ROW_MISSING) return false;
        if (!r->left) return true;
        range_go(r, 1);
        if (row == ROW_BEGUN || (!inner && walk_pauses(x))) return false;
    }
}

bool
reduce_is_harvested(const struct worker *w, const struct frame *frame)
{
    return w->many && reduce_few_waits(w, frame->fold->site);
}

/* A loop that has paused. */
static bool
walk_was_in_vain(const struct walk *x)
{
    if (!x->few || !x->w->many) return false;
    return x->w->harvest.looks || x->w->waits - x->waits >= WALK_VAIN;
}

void
reduce_put_aside(struct worker *w, struct range *r, bool last)
{
    if (!harvest_push(&w->harvest, &r->head, last)) fault_nomem();
    if (!w->harvest.looks) node_wake_one(w->node); /* nothing new for who sleeps */
}

enum reduce_walked
reduce_walk(struct worker *w, struct range *r, struct cook *c)
{
    const struct luna_site *term = elements_term(w->node->program, r->head.frame->fold->site);
    if (term->nin != 1 || ours_of(w->node, r, term) == OURS_UNKNOWN) return WALKED_NOT;
    struct walk x = walk_begin(w, r->head.frame, c);
    bool done = walk_loops(&x, r, false), vain = !done && walk_was_in_vain(&x);
    w->harvest.found = x.found;
    walk_end(&x);
    return done ? WALKED : vain ? WALKED_IN_VAIN : WALKED_SOME;
}

/* For terms that come one by one. */
static struct walk
walk_singly(struct worker *w, struct frame *frame, struct cook *c)
{
    const struct fold *f = frame->fold;
    struct task *d = w->draft;
    d->frame = frame;
    memcpy(d->word, f->word, f->nwords * sizeof *f->word);
    cook_begin(c, w->node->program, d);
    return walk_begin(w, frame, c);
}

void
reduce_walk_elements(struct worker *w, struct frame *frame, const struct partial *p, uint32_t n)
{
    struct cook c;
    struct walk x = walk_singly(w, frame, &c);
    for (uint32_t i = 0; i < n; i++) {
        struct key k;
        elements_counters(&x.f->which, p[i].first, w->draft->word);
        recipe_key(x.ref, &c, &k);
        walk_one(&x, &k, p[i].first);
    }
    walk_end(&x);
}

void
reduce_walk_all(struct worker *w, struct frame *frame, uint32_t from, uint32_t to)
{
    struct cook c;
    struct walk x = walk_singly(w, frame, &c);
    for (uint32_t i = from; i < to; i++) {
        elements_counters(&x.f->which, i, w->draft->word);
        walk_term(&x);
    }
    walk_end(&x);
}

/* One of the missing, each as likely as the others, whatever the order in which they come. */
static uint32_t
pick(uint32_t picked, uint32_t i, uint32_t missing)
{
    uint32_t chance = (uint32_t)((i + UINT64_C(1)) * missing * UINT64_C(0x9E3779B97F4A7C15) >> 40);
    return chance % missing ? picked : i;
}

uint32_t
reduce_walk_present(struct worker *w, struct frame *frame, const struct elements *which,
                    const luna_word *word, luna_value *to)
{
    const struct luna_program *p = w->node->program;
    const struct luna_site *term = elements_term(p, which->owner);
    const struct recipe_ref *ref = &w->node->recipes[term - p->sites].in->ref;
    struct task *d = w->draft;
    uint32_t missing = 0, picked = which->total;
    struct cook c;
    d->frame = frame;
    memcpy(d->word, word, elements_words(which->owner) * sizeof *word);
    cook_begin(&c, p, d);
    cook_site(&c, term, d);
    for (uint32_t i = 0; i < which->total; i++) {
        struct key k;
        if (to[i].type != LUNA_UNSET) continue;
        elements_counters(which, i, d->word);
        recipe_key(ref, &c, &k);
        if (!element_take(w, ref, &c, &k, &to[i])) picked = pick(picked, i, ++missing);
    }
    if (c.e.temps) eval_drop_temps(&c.e);
    return picked;
}
