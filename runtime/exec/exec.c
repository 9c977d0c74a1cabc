/* exec.c - the life of a statement: inputs round by round, the work, the children of ranges. */
#include "exec_range.h"

#include "runtime/base/pool.h"
#include "runtime/base/ticks.h"
#include "runtime/exec/copy.h"
#include "runtime/exec/gather.h"
#include "runtime/exec/home.h"
#include "runtime/exec/reduce.h"
#include "runtime/node/send.h"
#include "runtime/node/tally.h"
#include "runtime/exec/share.h"
#include "runtime/exec/steal.h"
#include "runtime/node/trace.h"
#include "runtime/table/elements.h"

#include <assert.h>

size_t
exec_draft_bytes(const struct luna_program *p)
{
    size_t most = 0;
    for (uint32_t i = 0; i < p->nsites; i++) {
        size_t n = task_bytes(&p->sites[i]);
        if (n > most) most = n;
    }
    return most + 2 * sizeof(luna_word);
}

/* ---- frames and tasks ---- */

#ifndef NDEBUG
bool
exec_task_is_valid(const struct node *n, struct task *t)
{
    const struct luna_program *p = n->program;
    if (t->site >= p->nsites || !t->frame || !t->frame->refs || t->kind > TASK_START) return false;
    const struct luna_site *site = &p->sites[t->site];
    if (t->flags & TASK_FEW) /* it keeps its inputs elsewhere */
        return t->kind == TASK_READY && t->at == 1;
    if (t->at > site->nin || (t->kind == TASK_READY && t->at < site->nin)) return false;
    /* protocols 5.5: it runs on the node that has been decided. */
    if (n->nodes > 1 && t->kind == TASK_READY && !(t->flags & TASK_HERE)) return false;
    for (unsigned i = 0; i < t->at; i++) /* protocols 3.4: who goes on has all */
        if (task_values(site, t)[i].type == LUNA_UNSET) return false;
    return true;
}
#endif

struct task *
exec_task_new(const struct luna_site *site, const struct task *from)
{
    size_t bytes = task_bytes(site);
    struct task *t = pool_get(pool_class(bytes));
    if (!t) return NULL;
    memcpy(t, from, bytes);
    frame_retain(t->frame);
    return t;
}

void
exec_task_free(const struct luna_site *site, struct task *t)
{
    pool_put(pool_class(task_bytes(site)), t);
}

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

/* Does the work of a statement whose inputs are all here. True: the task lives on in a queue. */
static bool
site_cook(struct worker *w, const struct luna_site *site, struct task *t, struct cook *c)
{
    const struct recipe *q = &w->node->recipes[t->site];
    if (!(t->flags & (TASK_FEW | TASK_GATHERED))) tally_run(w->node, site->nin);
    switch ((enum luna_site_kind)site->kind) {
    case LUNA_S_CALL:
        exec_call(w, q, t, c);
        if (__builtin_expect(!(t->flags & TASK_GATHERED), 1)) return false;
        gather_end(w, t);
        return true;
    case LUNA_S_EXPAND: exec_expand(w, q, t, c); return false;
    case LUNA_S_FOR: exec_for(w, q, t, c); return false;
    case LUNA_S_WHILE: exec_while(w, site, t); return false;
    case LUNA_S_TEST: return exec_test(w, site, t);
    case LUNA_S_IF: exec_if(w, t, c); return false;
    case LUNA_S_REDUCE: reduce_begin(w, site, t); return false;
    case LUNA_S_TERM: return reduce_term(w, site, t);
    case LUNA_S_LIST: break;
    }
    return false;
}

static bool
site_run(struct worker *w, const struct luna_site *site, struct task *t)
{
    struct cook c;
    cook_begin(&c, w->node->program, t);
    cook_site(&c, site, t);
    return site_cook(w, site, t, &c);
}

/* ---- inputs, a round at a time ---- */

struct asker {
    struct worker *w;
    const struct luna_site *site;
    const struct recipe *q;
    struct task *t;
    bool draft;        /* t lies in the worker's draft: it moves to the heap when it must wait */
    unsigned at;       /* the input that is asked for */
    unsigned linked;   /* how many of this round were missing */
    /* Of a call that has moved here: which inputs of its round it had asked for, and its cell. */
    const uint8_t *asked;
    uint32_t cell;
    bool some; /* a call of another node: some inputs of the round have come with it */
};

/* The task leaves the draft, for its input a->at and all behind it have no value yet. */
static bool
asker_leaves_draft(struct asker *a)
{
    struct task *t = exec_task_new(a->site, a->t);
    if (!t) return false;
    task_unset(a->site, t, a->at);
    task_set_age(a->site, t, a->w->made++);
    a->t = t;
    a->draft = false;
    worker_call_waiting(a->w, t, 1);
    a->w->waits++;
    return true;
}

/* What stands in the store's list for input a->at. */
static struct waiter *
asker_waits(void *who)
{
    struct asker *a = who;
    if (a->linked) {
        struct input_link *link = pool_get(pool_class(sizeof *link));
        if (!link) return NULL;
        *link = (struct input_link){.kind = WAITER_INPUT, .at = (uint16_t)a->at, .call = a->t};
        a->linked++;
        return &link->link;
    }
    if (a->draft && !asker_leaves_draft(a)) return NULL;
    unsigned left = a->q->in[a->at].end - a->at; /* of the round, this one included */
    a->t->kind = TASK_WAITS;
    a->t->at = (uint16_t)a->at;
    a->linked = 1;
    /* One more for us: the task cannot go on before all have been asked for. */
    if (a->site->nin > 1)
        atomic_store_explicit(task_to_come(a->site, a->t), left > 1 ? left + 1 : 1,
                              memory_order_relaxed);
    return &a->t->link;
}

/* It lives in the frame, unless it is no number, or somebody had to wait. */
static bool
input_kept(struct asker *a, const struct recipe_in *in, struct cook *c)
{
    struct slot *s = frame_slot(a->t->frame, in->slot);
    struct key k;
    if (slot_ask(s, &task_values(a->site, a->t)[a->at], !a->w->many)) {
        tally_found(a->w->node);
        return true;
    }
    if (slot_state(s) != SLOT_GONE) return false;
    recipe_key(&in->ref, c, &k);
    store_note_gone(a->w->node->store, &k, GONE_USED_UP);
    return false;
}

static __attribute__((noinline)) struct key_part
input_part(const struct recipe_in *in, struct cook *c, const struct key *k)
{
    if (!key_part_fits(k))
        fault(F_RUN8, c->e.site->place, "the name of a part has more than %d indices",
              KEY_INDICES_MAX);
    return part_wanted(c->p, &c->e, in->part);
}

/* How many readers of a fragment of which a part is wanted are to be expected on this node, in the
 * loops around the statement; 0: who knows. */
static uint32_t
input_readers(const struct node *n, const struct recipe_in *in, struct cook *c)
{
    if (!in->turns) return 0;
    int32_t turns = eval_int(c->p, &c->e, in->turns - 1);
    if (turns < 0) return 0;
    return (uint32_t)(in->again == LUNA_AGAIN_SPREAD ? turns / n->nodes : turns);
}

/* Asks for input a->at where it lives. True: the value is here. Twice in the program, `rare` or
 * not. */
static inline __attribute__((always_inline)) bool
ask_for(struct asker *a, struct cook *c, bool rare)
{
    struct node *n = a->w->node;
    const struct recipe_in *in = &a->q->in[a->at];
    const bool of_part = rare && in->part;
    struct key_part part = {0, PART_WHOLE};
    uint32_t readers = 0;
    struct key k;
    luna_value v;
    if (in->slot && input_kept(a, in, c)) return true;
    recipe_key(&in->ref, c, &k);
    if (of_part) part = input_part(in, c, &k);
    if (rare && k.df & KEY_BEYOND) {
        if (of_part) part_beyond(&k, part, a->site->place);
        v = shape_beyond(c->p, &c->e, in->ref.row, &k);
        tally_found(n);
        task_values(a->site, a->t)[a->at] = v;
        return true;
    }
    if (__builtin_expect(in->kind == LUNA_IN_WAIT, 0)) {
        const struct luna_rules *r = mention_rules(c->p, a->site);
        mention_push_to(c->p, &c->e, r ? r->label : LUNA_NONE, &k);
    }
    struct dest home = n->nodes == 1 || in->kind == LUNA_IN_WAIT
                           ? dest_node(n->number)
                           : where_home(n, &c->e, in->ref.row, &k);
    if (home.node != n->number) {
        const struct ahead *ahead = frame_ahead(a->t->frame);
        if (ahead && ahead_take(ahead, &k, &v)) {
            if (of_part) v = part_take(&k, part, a->site->place, v);
            task_values(a->site, a->t)[a->at] = v;
            tally_found(n);
            return true;
        }
        if (copy_found(a->w, &k, &v)) {
            if (of_part) v = part_take(&k, part, a->site->place, v);
            task_values(a->site, a->t)[a->at] = v;
            return true;
        }
        if (of_part) readers = input_readers(n, in, c);
        if (of_part) key_add_part(&k, part);
        k.df |= KEY_AWAY;
    }
    enum store_want got = store_want(n->store, &k, &v, asker_waits, a);
    if (got == WANT_HERE) {
        if (of_part && home.node == n->number) v = part_take(&k, part, a->site->place, v);
        task_values(a->site, a->t)[a->at] = v;
        return true;
    }
    if (got == WANT_NOMEM) fault_nomem();
    /* If this was the last of the round the task may be running elsewhere by now. */
    if (home.node == n->number) return false;
    /* Who waits behind others is told to the home all the same, mostly when the answer has come:
     * counts of requests mean the same for any number of nodes (decision 0006). */
    if (got != WANT_FIRST && home_hears_late(n, &k)) return false;
    k.df &= ~KEY_AWAY;
    send_request(a->w, home, &k,
                 got != WANT_FIRST                 ? WANTS_NOTHING
                 : elements_reduced(c->p, a->site) ? WANTS_TERM
                 : in->again && !of_part           ? WANTS_COPY
                                                   : WANTS_VALUE,
                 a->site->place, readers);
    return false;
}

static __attribute__((noinline)) bool
rare_ask(struct asker *a, struct cook *c)
{
    return ask_for(a, c, true);
}

static inline bool
input_ask(struct asker *a, struct cook *c)
{
    if (__builtin_expect(a->q->in[a->at].rare, 0)) return rare_ask(a, c);
    return ask_for(a, c, false);
}

/* The same for a call that has moved here: some inputs it has brought along, others are on their
 * way after it. */
static bool
input_adopt(struct asker *a, struct cook *c)
{
    struct key k;
    luna_value *have = &task_values(a->site, a->t)[a->at];
    if (have->type != LUNA_UNSET) return true;
    if (!a->asked[a->at]) return input_ask(a, c);
    const struct recipe_in *in = &a->q->in[a->at];
    recipe_key(&in->ref, c, &k);
    if (in->part) key_add_part(&k, input_part(in, c, &k));
    mention_follow(&k, a->cell);
    enum store_want got = store_want(a->w->node->store, &k, have, asker_waits, a);
    if (got == WANT_NOMEM) fault_nomem();
    return got == WANT_HERE;
}

static inline bool
input_is_here(struct asker *a, struct cook *c)
{
    if (a->some && task_values(a->site, a->t)[a->at].type != LUNA_UNSET) return true;
    return a->asked ? input_adopt(a, c) : input_ask(a, c);
}

/* Inputs that have come, or our own part in asking. True: nothing of the round is left to come. */
static inline bool
task_arrived(const struct worker *w, const struct luna_site *site, struct task *t, unsigned n)
{
    atomic_uint *left = task_to_come(site, t);
    unsigned had = atomic_load_explicit(left, memory_order_acquire);
    assert(had >= n); /* protocols 3.4: links that stand in lists, and one while it asks */
    if (had == n) return true;
    if (w->many) return atomic_fetch_sub_explicit(left, n, memory_order_acq_rel) == n;
    atomic_store_explicit(left, had - n, memory_order_relaxed);
    return false;
}

/* Asks for all that is left of the round of input t->at, not for one after the other: each would
 * cost a way to another node and back (decision 0005). True: all of it is here. False: it waits,
 * and is no longer ours. */
static bool
round_ask(struct asker *a)
{
    const unsigned end = a->q->in[a->t->at].end;
    /* The first missing input, and how many behind it are here. */
    unsigned first = end, here = 0;
    struct cook c;
    cook_begin(&c, a->w->node->program, a->t);
    cook_site(&c, a->site, a->t);
    a->linked = 0;
    for (a->at = a->t->at; a->at < end; a->at++)
        if (input_is_here(a, &c)) here += first < end;
        else if (a->at < first) first = a->at;
    /* protocols 3.4: who waits has a link for each input that is missing, and only who waits. */
    assert(a->linked == end - first - here);
    a->asked = NULL;
    a->some = false;
    if (c.e.temps) eval_drop_temps(&c.e);
    if (first + 1 == end ||
        (first < end && !task_arrived(a->w, a->site, a->t, here + 1)))
        return false;
    a->t->at = (uint16_t)end;
    return true;
}

/* Asks for inputs from t->at on. True: all are here, and here is where the statement runs. False:
 * it waits or has left for another node, and is no longer ours. */
static bool
inputs_ask(struct asker *a)
{
    const struct luna_site *site = a->site;
    for (;;) {
        struct task *t = a->t;
        const struct recipe_in *in = t->at < site->nin ? &a->q->in[t->at] : NULL;
        if (a->w->node->nodes > 1 && !(t->flags & TASK_HERE) && (!in || in->kind != LUNA_IN_NODE) &&
            !where_task(a->w, site, t, a->draft))
            return false;
        if (!in) return true;
        if (round_ask(a)) continue;
        a->w->asked |= exec_decides(site);
        return false;
    }
}

/* One with a slot, or that may be beyond its shape. */
static inline bool
input_take_apart(struct worker *w, const struct recipe_in *in, struct task *d, struct cook *c,
                 luna_value *v)
{
    struct key k;
    bool here = true;
    if (in->slot) {
        here = slot_take(frame_slot(d->frame, in->slot), v, !w->many);
    } else {
        recipe_key(&in->ref, c, &k);
        if (!(k.df & KEY_BEYOND)) return store_take(w->node->store, &k, v);
        *v = shape_beyond(c->p, &c->e, in->ref.row, &k);
    }
    if (here) tally_found(w->node);
    return here;
}

static inline bool
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
static inline bool
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

luna_value
exec_part_of(struct worker *w, struct task *t, unsigned at, const struct key *k, luna_value v)
{
    const struct luna_site *site = &w->node->program->sites[t->site];
    const struct recipe_in *in = &w->node->recipes[t->site].in[at];
    struct cook c;
    if (!in->part) return v;
    cook_begin(&c, w->node->program, t);
    cook_site(&c, site, t);
    v = part_take(k, part_wanted(c.p, &c.e, in->part), site->place, v);
    if (c.e.temps) eval_drop_temps(&c.e);
    return v;
}

void
exec_input_came(struct worker *w, struct task *t, unsigned at, luna_value v)
{
    const struct luna_site *site = &w->node->program->sites[t->site];
    const struct recipe *q = &w->node->recipes[t->site];
    assert(at < site->nin && t->kind == TASK_WAITS);
    assert(task_values(site, t)[at].type == LUNA_UNSET); /* protocols 2.2: one value */
    task_values(site, t)[at] = v;
    if (site->nin > 1 && !task_arrived(w, site, t, 1)) return;
    t->at = q->in[t->at].end;
    if (t->at < site->nin || (w->node->nodes > 1 && !(t->flags & TASK_HERE))) {
        struct asker a = {.w = w, .site = site, .q = q, .t = t};
        if (!inputs_ask(&a)) return;
    }
    t->kind = TASK_READY;
    trace_ready(w, site, t);
    worker_ready(w, t);
}

void
exec_adopt(struct worker *w, struct task *t, const uint8_t *asked, uint32_t cell)
{
    const struct luna_site *site = &w->node->program->sites[t->site];
    struct asker a = {.w = w, .site = site, .q = &w->node->recipes[t->site], .t = t,
                      .asked = asked, .cell = cell};
    t->flags |= TASK_GUEST;
    worker_call_waiting(w, t, 1);
    if (!inputs_ask(&a)) return;
    t->kind = TASK_READY;
    trace_ready(w, site, t);
    worker_ready(w, t);
}

void
exec_task(struct worker *w, struct task *t)
{
    const struct luna_site *site = &w->node->program->sites[t->site];
    if (t->kind >= TASK_ARRIVAL) {
        trace_other(w);
        if (t->kind == TASK_ARRIVAL) reduce_arrived(w, t);
        else reduce_few_ask(w, t);
        return;
    }
    assert(t->kind != TASK_WAITS && exec_task_is_valid(w->node, t));
    if (t->kind == TASK_START) {
        bool guest = t->flags & TASK_GUEST;
        struct asker a = {.w = w, .site = site, .q = &w->node->recipes[t->site], .t = t,
                          .some = guest};
        if (!guest) task_unset(site, t, t->at);
        worker_call_waiting(w, t, 1); /* a task on the heap counts as waiting until it runs */
        if (!inputs_ask(&a)) return;
        if (recipe_ranks(a.q, t->frame) || (w->node->nodes > 1 && worker_expects_long(w, t))) {
            t->kind = TASK_READY;
            worker_ready(w, t);
            return;
        }
    }
    worker_call_waiting(w, t, -1);
    trace_task(w, site, t);
    struct frame *f = t->frame;
    w->hosts = w->deep && t->flags & TASK_GUEST;
    bool lives = site_run(w, site, t);
    w->hosts = false;
    if (lives) return;
    exec_task_free(site, t);
    exec_frame_drop(w, f);
}

/* ---- ranges ---- */

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
    if ((site->nin || w->node->nodes > 1) && !inputs_ask(&a)) return;
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
    site_run(w, site, d);
}

static inline void
spawn(struct worker *w, uint32_t row, const struct range *r, struct cook *c)
{
    const struct luna_site *site = &c->p->sites[row];
    const struct recipe *q = &w->node->recipes[row];
    struct task *d = w->draft;
    d->site = row;
    d->at = 0;
    d->kind = TASK_READY;
    d->flags = 0;
    d->frame = r->head.frame;
    if (q->asks && w->node->nodes == 1) {
        cook_site(c, site, d);
        if (inputs_take(w, q, d, c)) {
            tally_made(w->node);
            if (q->function) {
                tally_run(w->node, site->nin);
                exec_call(w, q, d, c);
                return;
            }
            d->at = site->nin;
            site_cook(w, site, d, c); /* in a queue, and so on the heap, only a TEST lives on */
            return;
        }
    }
    spawn_slowly(w, site, q, d, r);
}

void
exec_spawn(struct worker *w, uint32_t row, const struct range *r, struct cook *c)
{
    spawn(w, row, r, c);
}

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

/* The elements of a reduction. False: it is another loop. Else the range is taken, or put back. */
static bool
range_reduces(struct worker *w, struct range *r, struct cook *c)
{
    bool done = false;
    if (__builtin_expect(!r->head.frame->fold, 1) || !reduce_walk(w, r, c, &done)) return false;
    if (done) exec_range_drop(w, r);
    else worker_later(w, &r->head);
    return true;
}

enum {
    RANGE_SPLIT_MIN = 8,
    TURN_TICKS = 10000 /* some microseconds */
};

/* On one of several nodes a turn is bounded: others may wait for what has come here, or for what
 * calls have made. In the simulator it ends with a call that takes time. */
struct turn {
    uint64_t calls, ticks;
    double weight;
};

static inline struct turn
turn_begin(const struct worker *w)
{
    return (struct turn){w->calls, w->node->nodes == 1 ? 0 : cpu_ticks(), w->weight};
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
        if (!last && p->sites[row].kind != LUNA_S_CALL && !range_is_made(&p->sites[row])) {
            worker_later(w, &r->head);
            exec_spawn(w, row, r, &c);
            return NULL;
        }
        w->nests = true;
        exec_spawn(w, row, r, &c);
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
        spawn(w, row, r, &c);
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
range_split(struct worker *w, struct range *r)
{
    if (w->deep || (r->head.flags & (RANGE_COUNTER | RANGE_CARRIED)) != RANGE_COUNTER ||
        r->next_site || r->left < RANGE_SPLIT_MIN || w->nkept || !deque_empty(&w->ranges))
        return;
    struct range *half = pool_get(pool_class(range_bytes(r->head.at)));
    if (!half) return;
    memcpy(half, r, range_bytes(r->head.at));
    r->left /= 2;
    range_go(half, r->left + 1);
    frame_retain(half->head.frame);
    worker_later(w, &half->head);
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
    spawn(w, row, &hold, c);
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

/* With many workers the body of a sub, loop or condition is gone on with at once. */
static inline bool
makes_child(const struct worker *w, const struct luna_site *site)
{
    return w->many && range_is_made(site);
}

/* A child, and what it makes ready at once. `rest`: NULL after the last child. False: the rest has
 * been offered to others, with a count of the frame for us; it is not ours any more. */
static inline bool
spawn_with_rest(struct worker *w, uint32_t row, struct range *r, struct range *rest,
                struct cook *c, bool nests)
{
    struct frame *f = r->head.frame;
    w->hand = rest;
    w->nests = nests;
    spawn(w, row, r, c);
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
static struct range *
range_run_some(struct worker *w, struct range *r, int *n)
{
    const struct luna_program *p = w->node->program;
    const struct luna_block *b = &p->blocks[r->head.site];
    struct cook c;
    struct turn turn = turn_begin(w);
    range_begin(w, r, &c);
    if (r->head.frame->fold) range_split(w, r);
    if (range_reduces(w, r, &c)) return NULL;
    if (range_repeats(w, r, b) && exec_knows_short(w, b->site)) {
        range_split(w, r);
        if (range_repeat(w, b, r)) exec_range_drop(w, r);
        else worker_later(w, &r->head);
        return NULL;
    }
    for (;; ++*n) {
        if (!r->next_site && r->head.flags & RANGE_COUNTER) range_split(w, r);
        range_locals(w, r);
        uint32_t row = b->site + r->next_site;
        bool last = range_step(r, b->nsites);
        const struct luna_site *site = &p->sites[row];
        bool nests = makes_child(w, site);
        if (!last && site->kind != LUNA_S_CALL && !nests) {
            spawn_on_top(w, row, r, &c);
            return NULL;
        }
        if (!spawn_with_rest(w, row, r, last ? NULL : r, &c, nests)) return NULL;
        if (w->child) return range_nests(w, r, last, *n);
        if (last) {
            exec_range_drop(w, r);
            return NULL;
        }
        if ((w->many && !deque_empty(&w->ready)) || *n >= RANGE_CHUNK || turn_was_long(w, &turn)) {
            worker_later(w, &r->head);
            return NULL;
        }
    }
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
    int n = 0;
    trace_other(w);
    if (w->many)
        while ((r = range_run_some(w, r, &n)) || (r = worker_goes_on(w, n))) continue;
    else if (w->deep && exec_is_wide(w, r))
        exec_wide_run(w, r);
    else if (w->deep)
        while ((r = range_run_some(w, r, &n))) continue;
    else if (w->order == ORDER_QUEUE) range_run_all(w, r);
    else
        while ((r = range_run_stacked(w, r)) || (r = stack_pop(w))) continue;
}

/* ---- leaving ---- */

void
exec_task_left(struct worker *w, const struct luna_site *site, struct task *t)
{
    struct frame *f = t->frame;
    worker_call_waiting(w, t, -1);
    exec_task_free(site, t);
    exec_frame_drop(w, f);
}
