/* reduce.c - folds: made, fed, ended. */
#include "reduce_parts.h"

#include "runtime/base/exit.h"
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/table/cells.h"
#include "runtime/data/combine.h"
#include "runtime/exec/exec_parts.h"
#include "runtime/exec/gather.h"
#include "runtime/node/msg.h"
#include "runtime/data/partials.h"
#include "runtime/node/scope.h"
#include "runtime/node/send.h"
#include "runtime/node/tally.h"
#include "runtime/node/trace.h"
#include "runtime/exec/share.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>

/* FOLDED or TERMS, read. Of TERMS the values are unset: these elements are to be found here. */
struct arrival {
    struct task head;
    uint32_t n;
    struct partial part[];
};

uint32_t
reduce_total(const struct frame *f)
{
    return f->fold->which.total;
}

bool
reduce_operates(const struct frame *f)
{
    return f->fold->site->a == LUNA_R_SUB;
}

/* ---- faults: elements by their names ---- */

/* As the program would write it; of a name that takes more than counters only its place. */
static void
name_element(struct worker *w, const struct fold *f, uint32_t element, char *text, size_t size)
{
    const struct luna_program *p = w->node->program;
    const struct luna_site *term = elements_term(p, f->site);
    luna_word word[f->nwords + f->site->b];
    memcpy(word, f->word, f->nwords * sizeof *word);
    elements_counters(&f->which, element, word);
    luna_env e = {.frame = f->task->frame->word, .local = word, .site = term};
    if (term->nin == 1) name_ref_of(p, &e, p->ins[term->in + term->a].ref, text, size);
    else snprintf(text, size, "element %" PRIu32, element);
}

static void
put_kind(const struct fold *f, luna_value v, char *text, size_t size)
{
    size_t bytes;
    value_bytes(&v, &bytes);
    if (v.type == LUNA_BYTES)
        snprintf(text, size, "an array of %zu %s", bytes / combine_item_bytes(f->items),
                 combine_items_text(f->items));
    else snprintf(text, size, "%s%s", v.type == LUNA_INT ? "an " : "a ", value_type_text(v.type));
}

static _Noreturn void
differ(struct worker *w, const struct fold *f, const struct partial *a, const struct partial *b)
{
    const struct partial *x = a->first < b->first ? a : b, *y = x == a ? b : a;
    char one[NAME_MAX_TEXT], other[NAME_MAX_TEXT], is_one[40], is_other[40];
    name_element(w, f, x->first, one, sizeof one);
    name_element(w, f, y->first, other, sizeof other);
    put_kind(f, x->value, is_one, sizeof is_one);
    put_kind(f, y->value, is_other, sizeof is_other);
    fault_begin(F_RUN14, f->site->place, "'%s' is %s, but '%s' is %s", one, is_one, other,
                is_other);
    fault_hint("elements of a reduction are of one type, and equally long");
    fault_end(EXIT_RUN);
}

static _Noreturn void
not_numbers(struct worker *w, const struct fold *f, uint32_t element, luna_value v)
{
    char name[NAME_MAX_TEXT];
    name_element(w, f, element, name, sizeof name);
    if (v.type == LUNA_BYTES) {
        fault_begin(F_RUN14, f->site->place, "'%s' has %zu bytes, which are no whole number of %s",
                    name, value_block(v)->size, combine_items_text(f->items));
        fault_hint("int(x[i]), int64, float or complex tell that arrays hold something else; a sub "
                   "(value, value, name) takes any bytes");
    } else if (f->items > COMBINE_INT) {
        fault_begin(F_RUN14, f->site->place, "'%s' is a%s %s, not an array of %s", name,
                    v.type == LUNA_INT ? "n" : "", value_type_text(v.type),
                    combine_items_text(f->items));
        fault_hint("numbers are reduced as x[i], int(x[i]) or real(x[i])");
    } else {
        fault_begin(F_RUN14, f->site->place, "'%s' is a %s: only numbers and bytes can be reduced",
                    name, value_type_text(v.type));
        fault_hint("an operation of your own, a sub (value, value, name), may take it");
    }
    fault_end(EXIT_RUN);
}

/* ---- combining ---- */

#ifndef NDEBUG
enum { FOLD_LOOK = 32 }; /* with so many parts at most each is looked at */

static uint64_t
part_end(const struct partial *p)
{
    return p->first + (UINT64_C(1) << p->level);
}

/* protocols 5.2: no element is in two parts; protocols 5.3: each has its place in the tree, and no
 * two there are left that could be one. What may be combined in any order is one value. */
static bool
fold_is_valid(const struct fold *f)
{
    struct partial part[FOLD_LOOK], p;
    uint32_t at = 0, n = 0;
    if (!f->which.total || f->parts.n > f->which.total) return false;
    uint32_t loose = f->loose.value.type;
    if (loose != LUNA_UNSET && !fold_in_any_order(f, loose)) return false;
    if (f->parts.n > FOLD_LOOK) return true;
    while (partials_next(&f->parts, &at, &p)) {
        if (n == f->parts.n || !partials_fits(&p, f->which.total)) return false;
        part[n++] = p;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++) {
            const struct partial *a = &part[i], *b = &part[k];
            if (a->first < part_end(b) && b->first < part_end(a)) return false;
            if (a->level == b->level && partials_neighbour(a) == b->first) return false;
        }
    return n == f->parts.n;
}
#endif

static void
lock(struct fold *f)
{
    for (unsigned n = 0; atomic_flag_test_and_set_explicit(&f->busy, memory_order_acquire); n++)
        if (n > 100) sched_yield();
}

static void
unlock(struct fold *f)
{
    assert(fold_is_valid(f));
    atomic_flag_clear_explicit(&f->busy, memory_order_release);
}

static bool
alike(luna_value a, luna_value b)
{
    return a.type == b.type &&
           (a.type != LUNA_BYTES || value_block(a)->size == value_block(b)->size);
}

void
fold_combine(struct worker *w, struct fold *f, struct partial *a, const struct partial *b)
{
    enum luna_operation op = (enum luna_operation)f->site->a;
    if (op == LUNA_R_SUB) {
        a->value = exec_operate(w, f->site, f->task, a->value, b->value);
        return;
    }
    if (TRACED(w)) a->value.chain = chain_longer(a->value.chain, b->value.chain);
    if (combine_sum(op, &a->value, b->value)) return;
    if (!alike(a->value, b->value)) differ(w, f, a, b);
    if (combine(op, &a->value, b->value, f->items) != COMBINED) fault_nomem();
}

/* Another value that may be combined with p; else p is kept. */
static bool
take_loose(struct fold *f, const struct partial *p, struct partial *other)
{
    lock(f);
    *other = f->loose;
    f->loose = other->value.type == LUNA_UNSET ? *p : (struct partial){0};
    unlock(f);
    return other->value.type != LUNA_UNSET;
}

static void
add_loose(struct worker *w, struct fold *f, struct partial p)
{
    struct partial other;
    while (take_loose(f, &p, &other)) fold_combine(w, f, &p, &other);
}

static bool
take_neighbour(struct fold *f, const struct partial *p, struct partial *other)
{
    enum err e = OK;
    lock(f);
    bool found = p->level < partials_top(f->which.total) &&
                 partials_take(&f->parts, partials_neighbour(p), p->level, other);
    if (!found) e = partials_put(&f->parts, p);
    unlock(f);
    if (e != OK) fault_nomem();
    return found;
}

void
fold_add(struct worker *w, struct fold *f, struct partial p)
{
    if (fold_in_any_order(f, p.value.type)) {
        add_loose(w, f, p);
        return;
    }
    struct partial other;
    partials_raise(&p, f->which.total);
    while (take_neighbour(f, &p, &other)) {
        struct partial *left = p.first < other.first ? &p : &other;
        fold_combine(w, f, left, left == &p ? &other : &p);
        p = *left;
        p.level++;
        partials_raise(&p, f->which.total);
    }
}

/* ---- elements ---- */

static luna_value
as_number(const struct fold *f, const luna_env *e, luna_value v)
{
    luna_value x = v;
    if (f->items == COMBINE_INT && v.type == LUNA_REAL) x = luna_v_of_int(luna_r_int(e, v.w.d));
    else if (f->site->flags & LUNA_F_REALS && v.type == LUNA_INT)
        x = luna_v_of_real((double)(int32_t)v.w.i);
    else return v;
    x.chain = v.chain;
    return x;
}

/* Of a real, and of each real or float in an array. */
static void
need_truth(const luna_env *e, luna_value v, enum combine_items items)
{
    if (v.type == LUNA_REAL) luna_v_true(e, v);
    if (v.type != LUNA_BYTES || (items != COMBINE_REAL && items != COMBINE_FLOAT)) return;
    const void *data = value_block(v)->data;
    const double *d = data;
    const float *x = data;
    for (size_t i = 0; i < value_block(v)->size / combine_item_bytes(items); i++) {
        double item = items == COMBINE_REAL ? d[i] : (double)x[i];
        if (isnan(item)) luna_v_true(e, luna_v_of_real(item));
    }
}

luna_value
fold_value(struct worker *w, const struct fold *f, const luna_env *e, uint32_t first, luna_value v)
{
    enum luna_operation op = (enum luna_operation)f->site->a;
    if (op == LUNA_R_SUB) return v;
    v = as_number(f, e, v);
    if (!combine_takes(v, f->items)) not_numbers(w, f, first, v);
    if (op == LUNA_R_AND || op == LUNA_R_OR) {
        uint32_t chain = v.chain;
        need_truth(e, v, f->items);
        v = combine_one(op, v, f->items);
        if (v.type == LUNA_UNSET) fault_nomem();
        v.chain = chain;
    }
    return v;
}

bool
reduce_term(struct worker *w, const struct luna_site *site, struct task *t)
{
    if (t->flags & TASK_FEW) {
        reduce_few_ready(w, t);
        return true;
    }
    struct fold *f = t->frame->fold;
    assert(f); /* protocols 5.4: terms never leave the node of their fold */
    luna_value *v = task_values(site, t);
    luna_env e = mention_env(site, t);
    uint32_t first = elements_number(&f->which, t->word);
    for (unsigned i = 0; i < site->nin; i++)
        if (i != site->a) value_release(v[i]);
    if (TRACED(w)) v[site->a].chain = task_chain(site, t);
    if (f->gather) {
        gather_came(f, first, v[site->a]);
        gather_goes_on(w, t->frame);
        return false;
    }
    fold_add(w, f, fold_element(w, f, &e, first, v[site->a]));
    return false;
}

/* ---- the end ---- */

static void
result_put(struct worker *w, const struct luna_site *site, struct task *t, luna_env *e,
           luna_value v)
{
    const struct luna_program *p = w->node->program;
    const struct luna_arg *out = &p->args[site->arg];
    const struct recipe_arg *arg = w->node->recipes[t->site].arg;
    int32_t uses = arg->drops ? 0 : exec_uses(w, e, out->post);
    struct key k;
    if (arg->slot && !arg->drops && exec_keep(w, arg, t, v, uses)) return;
    mention_key(p, e, t->frame, out->row, &k);
    if (site->rules != LUNA_NONE) exec_push(w, site, t, e, &k, v);
    if (arg->drops) exec_drop(w, &k, v);
    else exec_put(w, site, t, e, out->row, &k, v, uses);
}

void
fold_assign(struct worker *w, const struct luna_site *site, struct task *t, luna_value v)
{
    luna_env e = mention_env(site, t);
    if (TRACED(w)) trace_front(w)->chain = v.chain = chain_longer(v.chain, task_chain(site, t));
    result_put(w, site, t, &e, v);
    if (site->rules != LUNA_NONE) exec_after(w, site, t, &e);
    if (e.temps) eval_drop_temps(&e);
    mention_release(site, &e);
}

/* Takes fold and value. */
static void
finish(struct worker *w, struct fold *f, luna_value v)
{
    struct frame *frame = f->task->frame;
    fold_assign(w, f->site, f->task, v);
    exec_task_free(f->site, f->task);
    fold_free(f);
    exec_frame_drop(w, frame);
}

static _Noreturn void
not_whole(const struct fold *f)
{
    fault_begin(F_RUN12, f->site->place, "parts of a reduction are missing, or here twice");
    fault_hint("all nodes must run the same version of luna and of the program");
    fault_end(EXIT_SYSTEM);
}

/* All of it: one part, or the loose one. */
luna_value
fold_take_whole(struct worker *w, struct fold *f)
{
    struct partial p = f->loose, part;
    uint32_t at = 0;
    if (partials_next(&f->parts, &at, &part)) {
        /* Ints may be added in any order, reals not: some of both. */
        if (p.value.type != LUNA_UNSET) differ(w, f, &p, &part);
        partials_take(&f->parts, part.first, part.level, &p);
        if (p.level != partials_top(f->which.total) || f->parts.n) not_whole(f);
    }
    if (p.value.type == LUNA_UNSET) not_whole(f);
    f->loose = (struct partial){0};
    return p.value;
}

/* What the node has goes to the fold that sent the loop here. */
static void
report(struct worker *w, struct frame *frame, struct fold *f)
{
    const struct luna_program *p = w->node->program;
    const struct luna_site *term = elements_term(p, f->site);
    luna_env e = {.frame = frame->word, .site = term};
    uint32_t df = mention_df(p, &e, p->ins[term->in + term->a].ref);
    uint32_t n = f->parts.n + (f->loose.value.type != LUNA_UNSET), at = 0;
    struct partial part;
    struct folded m = {.w = w, .proxy = frame->scope, .df = df};
    send_folded_begin(&m, n);
    if (f->loose.value.type != LUNA_UNSET) send_folded_part(&m, &f->loose);
    while (partials_next(&f->parts, &at, &part)) send_folded_part(&m, &part);
    send_folded_end(&m);
    pool_put(pool_class(task_bytes(f->site)), f->task);
    fold_free(f);
}

void
reduce_ended(struct worker *w, struct frame *frame)
{
    struct fold *f = frame->fold;
    const struct luna_sub *sub = &w->node->program->subs[frame->sub];
    assert(fold_is_valid(f));
    if (!f->begun_here) {
        tally_proxies(w->node, -1);
        report(w, frame, f);
        frame_proxy_free(frame->scope);
        frame_free(frame, sub);
        return;
    }
    frame_free(frame, sub);
    if (f->gather) {
        gather_list_came(w, f);
        return;
    }
    luna_value v = fold_take_whole(w, f);
    finish(w, f, v);
}

/* ---- the beginning ---- */

static luna_value
of_nothing(const struct luna_site *site)
{
    luna_value v;
    enum luna_operation op = (enum luna_operation)site->a;
    if (!combine_none(op, site->flags & LUNA_F_REALS, &v)) {
        fault_begin(F_RUN14, site->place, "there are no elements to reduce");
        fault_hint("of nothing there is a sum, 0, and a product, 1, but nothing else");
        fault_end(EXIT_RUN);
    }
    return v;
}

static _Noreturn void
too_many(const struct luna_site *site)
{
    fault_begin(F_RUN14, site->place, "a reduction has more than %" PRIu32
                " elements, or too many rows of them", UINT32_MAX);
    fault_hint("reduce parts of them, then the results");
    fault_end(EXIT_RUN);
}

/* The loop over many elements, and a fold for what it gives. */
static void
begin_loop(struct worker *w, const struct luna_site *site, struct task *t, const luna_word *word,
           const struct elements *which)
{
    struct range *r = fold_range(site, word);
    struct fold *f = fold_new(which, word);
    f->begun_here = true;
    f->task = exec_task_new(site, t);
    if (!f->task) fault_nomem();
    r->head.frame = frame_copy(t->frame, &w->node->program->subs[t->frame->sub]);
    if (!r->head.frame) fault_nomem();
    r->head.frame->fold = f;
    range_over(r, elements_lo(site, r->local, 0), elements_hi(site, r->local, 0));
    if (w->node->nodes > 1) share_offer(w, r);
    if (r->head.flags & RANGE_SHARED && !share_stride(w, r)) exec_range_drop(w, r);
    else worker_later(w, &r->head);
}

void
reduce_begin(struct worker *w, const struct luna_site *site, struct task *t)
{
    luna_word word[elements_words(site)];
    elements_eval(w->node->program, site, t, word);
    struct elements which;
    if (!elements_look(&which, w->node->program, site, t->frame, word)) too_many(site);
    if (!which.total) {
        elements_forget(&which);
        fold_assign(w, site, t, of_nothing(site));
    } else if (which.total <= REDUCE_FEW && reduce_few_waits(w, site)) {
        reduce_few_begin(w, t, word, &which);
    } else {
        begin_loop(w, site, t, word, &which);
    }
}

/* The statement, as far as this node knows it. */
static struct task *
statement_here(const struct luna_program *p, const struct luna_site *reduce, struct frame *f,
               const luna_word *word)
{
    struct task *t = pool_get(pool_class(task_bytes(reduce)));
    if (!t) fault_nomem();
    *t = (struct task){.site = (uint32_t)(reduce - p->sites), .kind = TASK_START, .frame = f};
    memcpy(t->word, word, reduce->nlocal * sizeof *word);
    task_unset(reduce, t, 0);
    return t;
}

/* The reduction over whose elements a block goes; NULL: it is about other things. */
static const struct luna_site *
reduction_of(const struct luna_program *p, uint32_t block)
{
    const struct luna_site *s = &p->sites[p->blocks[block].site];
    while (s->kind == LUNA_S_FOR) s = &p->sites[p->blocks[s->body].site];
    return s->kind == LUNA_S_TERM ? &p->sites[s->callee] : NULL;
}

/* A shared range over the elements of a reduction has come from another node: here, too, is a fold
 * for the parts of this node, and its statement sends them (decision 0018). False: it is none. */
bool
reduce_join(struct worker *w, struct range *r)
{
    const struct luna_program *p = w->node->program;
    const struct luna_site *reduce = reduction_of(p, r->head.site);
    bool fold = r->head.flags & RANGE_FOLD;
    if (fold != (reduce != NULL)) return false;
    if (!fold) return true;
    if (reduce->body != r->head.site || r->head.at != elements_words(reduce) ||
        !r->head.frame->scope)
        return false;
    struct elements which;
    bool fits = elements_look(&which, p, reduce, r->head.frame, r->local);
    if (!fits || !which.total) {
        elements_forget(&which);
        return false;
    }
    struct fold *f = fold_new(&which, r->local);
    f->task = statement_here(p, reduce, r->head.frame, r->local);
    r->head.frame->fold = f;
    return true;
}

/* ---- parts of other nodes ---- */

static size_t
arrival_bytes(uint32_t n)
{
    return sizeof(struct arrival) + n * sizeof(struct partial);
}

static bool
read_parts(struct reader *r, struct arrival *a, const struct fold *f)
{
    bool fit = true;
    for (uint32_t i = 0; i < a->n; i++) {
        struct partial *p = &a->part[i];
        p->first = read_u32(r);
        p->level = read_u32(r);
        p->value = read_value(r);
        fit &= p->value.type != LUNA_UNSET && partials_fits(p, f->which.total);
    }
    return reader_done(r) && fit;
}

static struct arrival *
arrival_new(uint32_t n)
{
    struct arrival *a = mem_alloc(arrival_bytes(n));
    if (!a) fault_nomem();
    a->n = n;
    return a;
}

/* What has come does its work as an entry of the queues: combining may call functions of the
 * program, and take time, which is not for handlers. */
static void
arrival_later(struct worker *w, struct arrival *a, struct frame *frame)
{
    a->head = (struct task){.site = frame->fold->task->site, .kind = TASK_ARRIVAL, .frame = frame};
    worker_later(w, &a->head);
}

bool
on_folded(struct worker *w, struct reader *r)
{
    uint64_t handle = read_u64(r);
    uint32_t n = read_u32(r);
    if (r->bad || n > (size_t)(r->end - r->at)) return false;
    struct frame *frame = scope_take(w->node->scopes, handle, r->packet->from);
    if (!frame || !frame->fold) return false;
    struct arrival *a = arrival_new(n);
    if (!read_parts(r, a, frame->fold)) return false;
    arrival_later(w, a, frame);
    return true;
}

bool
on_terms(struct worker *w, struct reader *rd)
{
    uint32_t n = read_u32(rd);
    if (rd->bad || n > (size_t)(rd->end - rd->at) / sizeof(uint32_t)) return false;
    struct arrival *a = arrival_new(n);
    for (uint32_t i = 0; i < n; i++) a->part[i] = (struct partial){.first = read_u32(rd)};
    struct range *r = send_read_range(w, rd);
    if (!r || !(r->head.flags & RANGE_FOLD) || !reduce_join(w, r)) return false;
    struct frame *frame = r->head.frame;
    pool_put(pool_class(range_bytes(r->head.at)), r);
    for (uint32_t i = 0; i < n; i++)
        if (a->part[i].first >= frame->fold->which.total) return false;
    arrival_later(w, a, frame);
    return true;
}

void
reduce_arrived(struct worker *w, struct task *t)
{
    struct arrival *a = (struct arrival *)(void *)t;
    struct frame *frame = t->frame;
    uint32_t n = 0;
    for (; n < a->n && a->part[n].value.type != LUNA_UNSET; n++)
        fold_add(w, frame->fold, a->part[n]);
    if (n < a->n) reduce_walk_elements(w, frame, a->part + n, a->n - n);
    mem_free(a);
    exec_frame_drop(w, frame);
}
