/* exec_range.c - the children of a range: a statement is made, and runs at once, waits, or is
 * kept; in order, on the stack, or some and then others (exec_wide.c: the loops that are begun
 * whole).
 *
 * It must not know how inputs are asked for, nor what a statement does. */
#include "exec_range.h"

#include "runtime/base/pool.h"
#include "runtime/base/ticks.h"
#include "runtime/exec/reduce.h"
#include "runtime/exec/share.h"
#include "runtime/exec/steal.h"
#include "runtime/node/tally.h"
#include "runtime/node/trace.h"

#include <assert.h>

/* ---- ranges come and go ---- */

struct range *
exec_body_range(struct frame *f, uint32_t block)
{
    static_assert(sizeof(struct range) <= FRAME_BODY_BYTES, "a body has no words");
    struct range *r = (struct range *)(void *)((char *)f + f->body);
    *r = (struct range){.head = {.site = block, .kind = TASK_RANGE, .flags = RANGE_INSIDE,
                                 .frame = f},
                        .step = 1};
    return r;
}

struct range *
exec_range_new(const struct task *from, unsigned nlocal, uint32_t block)
{
    struct range *r = pool_get(pool_class(range_bytes(nlocal)));
    if (!r) fault_nomem();
    *r = (struct range){.head = {.site = block, .at = (uint16_t)nlocal, .kind = TASK_RANGE,
                                 .frame = from->frame},
                         .step = 1};
    if (nlocal) memcpy(r->local, from->word, nlocal * sizeof(luna_word));
    frame_retain(from->frame);
    return r;
}

void
exec_range_drop(struct worker *w, struct range *r)
{
    struct frame *f = r->head.frame;
    if (!(r->head.flags & RANGE_INSIDE)) pool_put(pool_class(range_bytes(r->head.at)), r);
    exec_frame_drop(w, f);
}

/* ---- a child ---- */

/* One that all turns read. */
static inline bool
input_take_common(struct worker *w, const struct recipe_in *in, const struct key *k, luna_value *v)
{
    struct node *n = w->node;
    bool lent = w->many && !(k->df & KEY_MARKS) && n->lent[k->df];
    return lent ? loans_take(&w->loans, n->store, in->place, k, v) : store_take(n->store, k, v);
}

/* One that is common, has a slot, or may be beyond its shape. */
static inline bool
input_take_apart(struct worker *w, const struct recipe_in *in, struct task *d, struct cook *c,
                 luna_value *v)
{
    struct key k;
    bool here = true;
    if (in->slot) {
        here = slot_take(frame_slot(d->frame, in->slot), v, exec_is_alone(w, d->frame));
    } else {
        recipe_key(&in->ref, c, &k);
        if (in->common) return input_take_common(w, in, &k, v);
        if (!(k.df & KEY_BEYOND)) return store_take(w->node->store, &k, v);
        *v = shape_beyond(c->p, &c->e, in->ref.row, &k);
    }
    if (here) tally_found(w->node);
    return here;
}

static inline __attribute__((always_inline)) bool
input_take(struct worker *w, const struct recipe_in *in, struct task *d, struct cook *c,
           luna_value *v)
{
    struct key k;
    if (in->apart) return input_take_apart(w, in, d, c, v);
    recipe_key(&in->ref, c, &k);
    return store_take(w->node->store, &k, v);
}

/* The inputs of a statement that lies in the draft and runs on the only node, as far as they are
 * here. True: all are. */
static inline __attribute__((always_inline)) bool
inputs_take(struct worker *w, const struct recipe *q, struct task *d, struct cook *c)
{
    luna_value *v = (luna_value *)c->e.in;
    const struct recipe_in *in = q->in, *end = in + c->e.site->nin;
    for (; in < end; in++, v++) {
        if (__builtin_expect(!input_take(w, in, d, c, v), 0)) {
            d->at = (uint16_t)(in - q->in);
            if (c->e.temps) eval_drop_temps(&c->e);
            return false;
        }
    }
    return true;
}

/* A call that could run now goes to the heap: creation comes first, or others may want it. */
static void
keep(struct worker *w, const struct luna_site *site, struct task *d)
{
    struct task *t = exec_task_new(site, d);
    if (!t) fault_nomem();
    task_set_age(site, t, w->made++);
    worker_call_waiting(w, t, 1);
    worker_ready(w, t);
}

/* A child of which d->at inputs are here. */
static __attribute__((noinline)) void
spawn_slowly(struct worker *w, const struct luna_site *site, const struct recipe *q,
             struct task *d, const struct range *r)
{
    if (r->head.flags & RANGE_SHARED) {
        if (share_is_control(site)) d->flags = TASK_HERE | TASK_SHARED;
        else if (r->head.flags & RANGE_MINE) d->flags = TASK_HERE;
        else if (!share_is_mine(w, site, d)) return; /* another node creates it */
        if (!(d->flags & TASK_SHARED)) tally_call(w->node, d);
    }
    tally_made(w->node);
    /* Loops and terms belong to the fold of the node that walks them. */
    if (d->frame->fold) d->flags |= TASK_HERE;
    struct asker a = {.w = w, .site = site, .q = q, .t = d, .draft = true};
    if ((site->nin || w->node->nodes > 1) && !exec_ask(&a)) return;
    if (!a.draft) { /* it had to wait, but all has come while it was asking */
        a.t->kind = TASK_READY;
        trace_ready(w, site, a.t);
        worker_ready(w, a.t);
        return;
    }
    if (recipe_ranks(q, d->frame) ||
        (w->node->nodes > 1 && (worker_expects_long(w, d) || steal_wants(w, site)))) {
        keep(w, site, d);
        return;
    }
    /* Statements that put themselves back into a queue never come here: a TEST is always on the
     * heap. */
    exec_site_run(w, site, d);
}

/* A call that could run now, on the only node; it may be rather for another worker. */
static inline void
spawn_call(struct worker *w, const struct luna_site *site, const struct recipe *q,
           struct task *d, struct cook *c)
{
    if (w->many && worker_is_cold(w, d)) {
        d->at = site->nin;
        keep(w, site, d);
        return;
    }
    tally_run(w->node, site->nin);
    exec_call(w, q, d, c);
}

/* A condition that is gone on with at once (w->nests): what it has taken, if it is one call, loop
 * or condition, is a child of the same range, in the same draft. LUNA_NONE: nothing is, or it is
 * made later: what others do must come before the rest of the range, and so is on top of it. */
static inline uint32_t
branch_nests(struct worker *w, const struct luna_site *site, struct task *d, struct cook *c)
{
    tally_run(w->node, site->nin);
    uint32_t block = exec_if_takes(w, d, c);
    if (block != LUNA_NONE && c->p->blocks[block].nsites == 1) {
        uint32_t row = c->p->blocks[block].site;
        const struct recipe *q = &w->node->recipes[row];
        if (q->function || q->makes) return row;
    }
    exec_branch(w, d, c, block);
    return LUNA_NONE;
}

static inline __attribute__((always_inline)) void
spawn(struct worker *w, uint32_t row, const struct recipe *q, const struct range *r,
      struct cook *c)
{
    struct task *d = w->draft;
    d->frame = r->head.frame;
    for (;; q = &w->node->recipes[row]) {
        const struct luna_site *site = &c->p->sites[row];
        d->site = row;
        d->at = 0;
        d->kind = TASK_READY;
        d->flags = 0;
        if (!q->asks || w->node->nodes > 1) {
            spawn_slowly(w, site, q, d, r);
            return;
        }
        cook_site(c, site, d);
        if (!inputs_take(w, q, d, c)) {
            spawn_slowly(w, site, q, d, r);
            return;
        }
        tally_made(w->node);
        if (q->function) {
            spawn_call(w, site, q, d, c);
            return;
        }
        d->at = site->nin;
        if (site->kind != LUNA_S_IF || !w->nests) {
            exec_cook(w, site, d, c); /* in a queue, and so on the heap, only a TEST lives on */
            return;
        }
        row = branch_nests(w, site, d, c);
        if (row == LUNA_NONE) return;
    }
}

void
exec_spawn(struct worker *w, uint32_t row, const struct range *r, struct cook *c)
{
    spawn(w, row, &w->node->recipes[row], r, c);
}

/* ---- children ---- */

/* A loop over one call that takes nothing but ints, on the only node, unless somebody watches. */
static inline bool
range_repeats(const struct worker *w, const struct range *r, const struct luna_block *b)
{
    const struct node *n = w->node;
    return b->nsites == 1 && n->recipes[b->site].repeats && n->nodes == 1 && !n->debug &&
           !n->weighs && !TRACED(w) &&
           (r->head.flags & (RANGE_COUNTER | RANGE_FRESH)) == RANGE_COUNTER;
}

/* The draft is that of the range's call; true: the range is done. */
static bool
range_repeat(struct worker *w, const struct luna_block *b, struct range *r)
{
    struct task *d = w->draft;
    d->site = b->site;
    return exec_repeat(w, &w->node->recipes[b->site], &w->node->program->sites[b->site], r);
}

enum {
    RANGE_SPLIT_MIN = 8,
    REDUCTION_SPLIT_MIN = 256,
    TURN_TICKS = 10000 /* some microseconds */
};

/* The second half of what is left; NULL: no memory, it stays whole. */
static struct range *
range_halve(struct range *r)
{
    struct range *half = pool_get(pool_class(range_bytes(r->head.at)));
    if (!half) return NULL;
    memcpy(half, r, range_bytes(r->head.at));
    r->left /= 2;
    range_go(half, r->left + 1);
    frame_retain(half->head.frame);
    return half;
}

/* A half of it is worth a look, beside the others of this worker. */
static bool
reduction_parts(struct worker *w, const struct range *r)
{
    const struct luna_program *p = w->node->program;
    bool rows = p->sites[p->blocks[r->head.site].site].kind != LUNA_S_TERM;
    return r->left >= (rows ? 1 : REDUCTION_SPLIT_MIN) &&
           harvest_loops(&w->harvest) < HARVEST_PARTS;
}

/* Elements are still to come. */
static void
reduction_later(struct worker *w, struct range *r)
{
    struct harvest *h = &w->harvest;
    bool halve = h->looks && !h->found && reduction_parts(w, r);
    struct range *half = halve ? range_halve(r) : NULL;
    reduce_put_aside(w, r, h->looks && h->found <= HARVEST_FEW);
    if (half) reduce_put_aside(w, half, true);
}

static __attribute__((noinline)) bool
reduction_run(struct worker *w, struct range *r, struct cook *c)
{
    switch (reduce_walk(w, r, c)) {
    case WALKED_NOT: return false;
    case WALKED: exec_range_drop(w, r); break;
    case WALKED_SOME: worker_later(w, &r->head); break;
    case WALKED_IN_VAIN: reduction_later(w, r); break;
    }
    return true;
}

/* The elements of a reduction. False: it is another loop. Else the range is taken, or put back. */
static inline bool
range_reduces(struct worker *w, struct range *r, struct cook *c)
{
    return __builtin_expect(r->head.frame->fold != NULL, 0) && reduction_run(w, r, c);
}

void
exec_range_look(struct worker *w, struct range *r)
{
    struct cook c;
    trace_other(w);
    range_begin(w, r, &c);
    reduction_run(w, r, &c);
}

/* On one of several nodes a turn is bounded: others may wait for what has come here, or for what
 * calls have made. In the simulator it ends with a call that takes time. */
struct turn {
    uint64_t calls, ticks;
    double weight;
};

static inline void
turn_begin(struct turn *t, const struct worker *w)
{
    const struct node *n = w->node;
    if (n->nodes > 1) *t = (struct turn){w->calls, n->weighs ? 0 : cpu_ticks(), w->weight};
}

static inline bool
turn_was_long(const struct worker *w, const struct turn *t)
{
    if (w->node->nodes == 1 || w->calls == t->calls) return false;
    if (w->node->weighs) return w->weight - t->weight >= 1;
    return cpu_ticks() - t->ticks > TURN_TICKS;
}

/* A loop that goes on, and of which a turn makes more entries of the queue than calls. */
static bool
range_grows(const struct luna_program *p, const struct luna_block *b, const struct range *r)
{
    if (!r->left) return false;
    for (uint32_t k = 0; k < b->nsites; k++)
        if (p->sites[b->site + k].kind != LUNA_S_CALL) return true;
    return false;
}

/* Taken from a queue that is long: all turns but the next stand at its tail, unless it makes no
 * entries, or is within a reduction, which has no order. */
static void
range_steps_aside(struct worker *w, struct range *r)
{
    const struct luna_program *p = w->node->program;
    if (!range_grows(p, &p->blocks[r->head.site], r) || r->head.frame->fold) return;
    struct range *rest = pool_get(pool_class(range_bytes(r->head.at)));
    if (!rest) fault_nomem();
    memcpy(rest, r, range_bytes(r->head.at));
    frame_retain(rest->head.frame);
    range_go(rest, 1);
    rest->next_site = rest->made = 0;
    r->left = 0;
    if (!fifo_push(&w->fifo, &rest->head)) fault_nomem();
}

/* It makes one range, or none. */
/* On the stack what a loop, a branch or a call of a sub makes comes next: it need not go there.
 * What is left of its maker, if anything, lies below. Gives it, or NULL if something else comes
 * first. */
static struct range *
stack_next(struct worker *w, struct range *rest)
{
    struct range *child = w->child;
    w->child = NULL;
    if (rest) worker_later(w, &rest->head);
    w->order = ORDER_STACK;
    if (!child || !(w->nfirst || worker_should_pause(w))) return child;
    worker_later(w, &child->head);
    return NULL;
}

/* In order, on the stack: what a child makes, and what becomes ready by it, comes before the next
 * child. Gives the range to go on with, or NULL. */
static __attribute__((noinline)) struct range *
range_run_stacked(struct worker *w, struct range *r)
{
    const struct luna_program *p = w->node->program;
    const struct luna_block *b = &p->blocks[r->head.site];
    struct cook c;
    if (w->order == ORDER_TURN) range_steps_aside(w, r);
    range_begin(w, r, &c);
    if (range_reduces(w, r, &c)) return NULL;
    bool last = range_repeats(w, r, b) && range_repeat(w, b, r);
    while (!last) {
        range_locals(w, r);
        uint32_t row = b->site + r->next_site;
        last = range_step(r, b->nsites);
        const struct recipe *q = &w->node->recipes[row];
        const bool on_top = !last && !q->function && !q->makes;
        if (on_top) worker_later(w, &r->head);
        w->nests = !on_top;
        spawn(w, row, q, r, &c);
        if (on_top) return NULL;
        w->nests = false;
        if (!last && (w->child || w->nfirst || worker_should_pause(w))) return stack_next(w, r);
    }
    exec_range_drop(w, r);
    return stack_next(w, NULL);
}

/* In order: all children. Ready ones run from the draft. */
static void
range_run_all(struct worker *w, struct range *r)
{
    const struct luna_program *p = w->node->program;
    const struct luna_block *b = &p->blocks[r->head.site];
    struct cook c;
    range_begin(w, r, &c);
    if (range_reduces(w, r, &c)) return;
    bool last = range_repeats(w, r, b) && range_repeat(w, b, r);
    const bool grows = range_grows(p, b, r);
    while (!last) {
        range_locals(w, r);
        uint32_t row = b->site + r->next_site;
        last = range_step(r, b->nsites);
        spawn(w, row, &w->node->recipes[row], r, &c);
        node_lets_look(w->node);
        if (!last && r->next_site == 0 &&
            (worker_should_pause(w) || (grows && worker_queue_is_long(w)))) {
            worker_later(w, &r->head); /* too many wait, or stand in the queue: others first */
            return;
        }
    }
    exec_range_drop(w, r);
}

/* Gives thieves half of what is left, when they have nothing else to take here. */
static void
range_split(struct worker *w, struct range *r, uint32_t least)
{
    if (w->deep || (r->head.flags & (RANGE_COUNTER | RANGE_CARRIED)) != RANGE_COUNTER ||
        r->next_site || r->left < least || w->nkept || !deque_empty(&w->ranges))
        return;
    struct range *half = range_halve(r);
    if (half) worker_later(w, &half->head);
}

/* The same of a reduction: what a function combines may take long, and nobody else gives work. */
static __attribute__((noinline)) void
fold_split(struct worker *w, struct range *r)
{
    bool idle = w->many && atomic_load_explicit(&w->node->idle, memory_order_relaxed);
    if (idle) worker_shows(w);
    if (reduce_is_harvested(w, r->head.frame)) {
        struct range *half = idle && reduction_parts(w, r) ? range_halve(r) : NULL;
        if (half) reduce_put_aside(w, half, true);
        return;
    }
    range_split(w, r, reduce_operates(r->head.frame) ? 1 : RANGE_SPLIT_MIN);
}

/* A statement that makes others, in a loop or body that goes on: what it spawns goes on top of the
 * rest. The rest may be stolen and end before: its frame is kept alive for the spawn. */
static void
spawn_on_top(struct worker *w, uint32_t row, struct range *rest, struct cook *c)
{
    struct frame *f = rest->head.frame;
    struct range hold = {.head = {.frame = f, .flags = rest->head.flags}};
    frame_retain(f);
    worker_later(w, &rest->head);
    exec_spawn(w, row, &hold, c);
    exec_frame_drop(w, f);
}

static inline void
run_successors(struct worker *w)
{
    while (w->next && (w->node->nodes == 1 || !worker_expects_long(w, w->next))) {
        struct task *t = w->next;
        w->next = NULL;
        exec_task(w, t);
    }
}

/* A child, and what it makes ready at once. `rest`: NULL after the last child. False: the rest has
 * been offered to others, with a count of the frame for us; it is not ours any more. */
static inline bool
spawn_with_rest(struct worker *w, uint32_t row, const struct recipe *q, struct range *r,
                struct range *rest, struct cook *c, bool nests)
{
    struct frame *f = r->head.frame;
    w->hand = rest;
    w->nests = nests;
    spawn(w, row, q, r, c);
    w->nests = false;
    if (!w->child) run_successors(w);
    if (!rest || w->hand) {
        w->hand = NULL;
        return true;
    }
    exec_frame_drop(w, f);
    return false;
}

/* The range that a child has made comes before the rest. Gives it if it is gone on with at once. */
static struct range *
range_nests(struct worker *w, struct range *r, bool last, int made)
{
    struct range *child = w->child;
    w->child = NULL;
    if (last) exec_range_drop(w, r);
    else worker_later(w, &r->head);
    if (!w->next && made < RANGE_CHUNK) return child;
    worker_later(w, &child->head);
    return NULL;
}

/* Depth first: children until one yields a range of its own (that one first, the rest of this
 * later), calls have become ready, or the rest was offered before a call that may be long. Gives
 * the range to go on with, or NULL; *n: how many children this turn has made. */
static inline __attribute__((always_inline)) struct range *
range_run_some(struct worker *w, struct range *r, int *n, struct turn *turn)
{
    const struct luna_program *p = w->node->program;
    const struct luna_block *b = &p->blocks[r->head.site];
    struct cook c;
    turn_begin(turn, w);
    range_begin(w, r, &c);
    if (__builtin_expect(r->head.frame->fold != NULL, 0)) {
        fold_split(w, r);
        if (reduction_run(w, r, &c)) return NULL;
    }
    if (range_repeats(w, r, b) && exec_knows_short(w, b->site)) {
        range_split(w, r, RANGE_SPLIT_MIN);
        if (range_repeat(w, b, r)) exec_range_drop(w, r);
        else worker_later(w, &r->head);
        return NULL;
    }
    for (;; ++*n) {
        if (!r->next_site && r->head.flags & RANGE_COUNTER) range_split(w, r, RANGE_SPLIT_MIN);
        range_locals(w, r);
        uint32_t row = b->site + r->next_site;
        bool last = range_step(r, b->nsites);
        const struct recipe *q = &w->node->recipes[row];
        /* With many workers the body of a sub, loop or condition is gone on with at once. */
        const bool nests = q->makes && w->many;
        if (!last && !q->function && !nests) {
            spawn_on_top(w, row, r, &c);
            return NULL;
        }
        if (!spawn_with_rest(w, row, q, r, last ? NULL : r, &c, nests)) return NULL;
        if (w->child) return range_nests(w, r, last, *n);
        if (last) {
            exec_range_drop(w, r);
            return NULL;
        }
        if ((w->many && worker_has_calls(w)) || *n >= RANGE_CHUNK || turn_was_long(w, turn)) {
            worker_later(w, &r->head);
            return NULL;
        }
    }
}

/* Depth first, for a turn. */
static __attribute__((noinline)) void
range_run_deep(struct worker *w, struct range *r)
{
    int n = 0;
    struct turn turn = {0};
    w->went_on = 0;
    do {
        r = range_run_some(w, r, &n, &turn);
        if (!r && w->many) r = worker_goes_on(w, n);
    } while (r);
}

/* In order: what is next, if it is a range on the stack. In the simulator it takes a turn. */
static struct range *
stack_pop(struct worker *w)
{
    struct task *t = w->nfirst || w->node->weighs ? NULL : fifo_ahead(&w->ranges_of[0], 0);
    if (!t || !task_is_range(t) || worker_should_pause(w)) return NULL;
    w->order = ORDER_STACK;
    return (struct range *)fifo_pop(&w->ranges_of[0]);
}

void
exec_range(struct worker *w, struct range *r)
{
    assert((r->head.flags & RANGE_COUNTER || !r->left) &&
           r->head.site < w->node->program->nblocks);
    w->timed = true;
    trace_other(w);
    if (!w->many && w->deep && exec_is_wide(w, r))
        exec_wide_run(w, r);
    else if (w->many || w->deep) range_run_deep(w, r);
    else if (w->order == ORDER_QUEUE) range_run_all(w, r);
    else
        while ((r = range_run_stacked(w, r)) || (r = stack_pop(w))) continue;
}
