/* exec.c - the life of a statement: inputs one by one, the work, the children of ranges. */
#include "exec_parts.h"

#include "runtime/base/pool.h"
#include "runtime/remote.h"

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
    struct range *r = pool_get(pool_class(range_bytes(0)));
    if (!r) return NULL;
    *r = (struct range){.head = {.site = block, .kind = TASK_BODY, .frame = f}, .step = 1};
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
    memcpy(r->local, from->word, nlocal * sizeof(luna_word));
    frame_retain(from->frame);
    return r;
}

void
exec_range_drop(struct worker *w, struct range *r)
{
    struct frame *f = r->head.frame;
    pool_put(pool_class(range_bytes(r->head.at)), r);
    exec_frame_drop(w, f);
}

/* Does the work of a statement whose inputs are all here. True: the task lives on in a queue. */
static bool
site_run(struct worker *w, const struct luna_site *site, struct task *t)
{
    switch ((enum luna_site_kind)site->kind) {
    case LUNA_S_CALL: exec_call(w, site, t); return false;
    case LUNA_S_EXPAND: exec_expand(w, site, t); return false;
    case LUNA_S_FOR: exec_for(w, site, t); return false;
    case LUNA_S_WHILE: exec_while(w, site, t); return false;
    case LUNA_S_TEST: return exec_test(w, site, t);
    case LUNA_S_IF: exec_if(w, site, t); return false;
    }
    return false;
}

static void
input_key(const struct luna_program *p, const struct luna_site *site, luna_env *e,
          const struct frame *f, unsigned at, struct key *k)
{
    const struct luna_in *in = &p->ins[site->in + at];
    key_of(p, e, f, in->ref, k);
    if (in->kind == LUNA_IN_WAIT) {
        const struct luna_rules *r = rules_of(p, site);
        key_push_to(p, e, r ? r->label : LUNA_NONE, k);
    }
}

/* ---- inputs, one at a time ---- */

struct asker {
    struct worker *w;
    const struct luna_site *site;
    struct task *t;
    bool draft; /* t lies in the worker's draft: it moves to the heap when it must wait */
};

static struct waiter *
asker_waits(void *who)
{
    struct asker *a = who;
    if (a->draft) {
        a->t = exec_task_new(a->site, a->t);
        if (!a->t) return NULL;
        a->draft = false;
        worker_waiting(a->w, 1);
        a->w->waits++;
    }
    return &a->t->link;
}

/* Asks for input t->at where it lives. True: the value is here. */
static inline bool
input_ask(struct asker *a, const struct luna_in *in, luna_env *e, struct key *k)
{
    struct node *n = a->w->node;
    luna_value v;
    unsigned at = a->t->at;
    int home = n->nodes == 1 || in->kind == LUNA_IN_WAIT ? n->number : place_home(n, e, in->ref, k);
    if (home != n->number) k->df |= KEY_AWAY;
    enum store_want got = store_want(n->store, k, &v, asker_waits, a);
    if (got == WANT_HERE) {
        task_values(a->site, a->t)[at] = v;
        a->t->at++;
        return true;
    }
    if (got == WANT_NOMEM) fault_nomem();
    /* The task may be running elsewhere by now: only the key is touched from here on. */
    if (home == n->number) return false;
    k->df &= ~KEY_AWAY;
    remote_request(a->w, home, k, got == WANT_FIRST);
    return false;
}

/* Asks for inputs from t->at on. True: all are here, and here is where the statement runs. False:
 * it waits or has left for another node, and is no longer ours. */
static inline bool
inputs_ask(struct asker *a)
{
    const struct luna_program *p = a->w->node->program;
    const struct luna_site *site = a->site;
    for (;;) {
        struct task *t = a->t;
        const struct luna_in *in = t->at < site->nin ? &p->ins[site->in + t->at] : NULL;
        if (a->w->node->nodes > 1 && !(t->flags & TASK_PLACED) &&
            (!in || in->kind != LUNA_IN_NODE) && !place_task(a->w, site, t, a->draft))
            return false;
        if (!in) return true;
        luna_env e = env_of(site, t);
        struct key k;
        input_key(p, site, &e, t->frame, t->at, &k);
        if (e.temps) eval_drop_temps(&e);
        if (!input_ask(a, in, &e, &k)) return false;
    }
}

/* A waiting task has got one more input. */
void
exec_go_on(struct worker *w, struct task *t)
{
    struct asker a = {w, &w->node->program->sites[t->site], t, false};
    assert(t->at <= a.site->nin);
    if (!inputs_ask(&a)) return;
    t->kind = TASK_READY;
    worker_ready(w, t);
}

void
exec_task(struct worker *w, struct task *t)
{
    const struct luna_site *site = &w->node->program->sites[t->site];
    assert(t->kind == TASK_START || (t->kind == TASK_READY && t->at == site->nin));
    if (t->kind == TASK_START) {
        struct asker a = {w, site, t, false};
        worker_waiting(w, 1); /* a task on the heap counts as waiting until it runs */
        if (!inputs_ask(&a)) return;
    }
    worker_waiting(w, -1);
    struct frame *f = t->frame;
    if (site_run(w, site, t)) return;
    exec_task_free(site, t);
    exec_frame_drop(w, f);
}

/* ---- ranges ---- */

static void
spawn(struct worker *w, uint32_t row, const struct luna_site *site, struct range *r)
{
    struct task *d = w->draft;
    d->site = row;
    d->at = 0;
    d->kind = TASK_READY;
    d->flags = 0;
    d->frame = r->head.frame;
    if (r->head.flags & RANGE_SHARED) {
        if (share_is_control(site)) d->flags = TASK_PLACED | TASK_SHARED;
        else if (!share_is_mine(w, site, d)) return; /* another node creates it */
    }
    if (site->nin || w->node->nodes > 1) {
        struct asker a = {w, site, d, true};
        if (!inputs_ask(&a)) return;
    }
    /* Statements that put themselves back into a queue never come here: a TEST is always on the
     * heap. */
    site_run(w, site, d);
}

static void
range_locals(struct worker *w, struct range *r)
{
    luna_word *local = w->draft->word;
    unsigned n = r->head.at;
    if (!(r->head.flags & RANGE_COUNTER)) return;
    local[n].i = r->i;
    if (!(r->head.flags & RANGE_FRESH)) return;
    if (!r->made) {
        r->local[n].i = (int64_t)worker_new_id(w);
        r->made = 1;
    }
    local[n + 1] = r->local[n];
}

/* True when the next child was the last. */
static inline bool
range_step(struct range *r, uint32_t nsites)
{
    if (++r->next_site < nsites) return false;
    r->next_site = 0;
    r->made = 0;
    if ((int64_t)r->i + r->step > r->hi) return true;
    r->i += (int32_t)r->step;
    return false;
}

/* One worker: all children in order. Ready ones run from the draft. */
static void
range_run_all(struct worker *w, struct range *r)
{
    const struct luna_program *p = w->node->program;
    const struct luna_block *b = &p->blocks[r->head.site];
    bool last = false;
    memcpy(w->draft->word, r->local, r->head.at * sizeof(luna_word));
    while (!last) {
        range_locals(w, r);
        uint32_t row = b->site + r->next_site;
        last = range_step(r, b->nsites);
        spawn(w, row, &p->sites[row], r);
        if (!last && r->next_site == 0 && worker_should_pause(w)) {
            worker_later(w, &r->head); /* too many wait: others first */
            return;
        }
    }
    exec_range_drop(w, r);
}

enum {
    RANGE_CHUNK = 32,
    RANGE_SPLIT_MIN = 8,
    TICKS_LONG = 10000 /* of cpu_ticks: some microseconds */
};

/* Gives thieves half of what is left, when they have nothing else to take here. */
static void
range_split(struct worker *w, struct range *r)
{
    if ((r->head.flags & (RANGE_COUNTER | RANGE_CARRIED)) != RANGE_COUNTER || r->next_site ||
        ((int64_t)r->hi - r->i) / r->step < RANGE_SPLIT_MIN || !deque_empty(&w->ranges))
        return;
    struct range *half = pool_get(pool_class(range_bytes(r->head.at)));
    if (!half) return;
    memcpy(half, r, range_bytes(r->head.at));
    int64_t steps = ((int64_t)r->hi - r->i) / r->step; /* beyond the first */
    half->i = (int32_t)(r->i + (steps / 2 + 1) * r->step);
    r->hi = half->i - 1;
    frame_retain(half->head.frame);
    worker_later(w, &half->head);
}

/* Others have nothing to do, and calls last long enough to be worth a theft. */
static inline bool
should_offer_rest(struct worker *w)
{
    return w->call_ticks > TICKS_LONG && deque_empty(&w->ranges) &&
           atomic_load_explicit(&w->node->idle, memory_order_relaxed) > 0;
}

/* Many workers: children until one yields a range of its own (that one first, the rest of this
 * later) or calls have become ready. */
static void
range_run_some(struct worker *w, struct range *r)
{
    const struct luna_program *p = w->node->program;
    const struct luna_block *b = &p->blocks[r->head.site];
    memcpy(w->draft->word, r->local, r->head.at * sizeof(luna_word));
    for (int n = 0;; n++) {
        if (!r->next_site) range_split(w, r);
        range_locals(w, r);
        uint32_t row = b->site + r->next_site;
        const struct luna_site *site = &p->sites[row];
        bool last = range_step(r, b->nsites);
        if (!last && (site->kind != LUNA_S_CALL || should_offer_rest(w))) {
            /* Whatever it spawns goes on top of the rest; before a long call the rest is offered.
             * The rest may be stolen and end before: keep the frame alive for the spawn. */
            struct frame *f = r->head.frame;
            struct range hold = {.head = {.frame = f, .flags = r->head.flags}};
            frame_retain(f);
            worker_later(w, &r->head);
            spawn(w, row, site, &hold);
            exec_frame_drop(w, f);
            return;
        }
        spawn(w, row, site, r);
        while (w->next) {
            struct task *t = w->next;
            w->next = NULL;
            exec_task(w, t);
        }
        if (last) {
            exec_range_drop(w, r);
            return;
        }
        if (!deque_empty(&w->ready) || n >= RANGE_CHUNK) {
            worker_later(w, &r->head);
            return;
        }
    }
}

void
exec_range(struct worker *w, struct range *r)
{
    assert(r->i <= r->hi && r->step > 0 && r->head.site < w->node->program->nblocks);
    if (w->many) range_run_some(w, r);
    else range_run_all(w, r);
}

/* ---- for reports ---- */

static bool
ref_is_known(const struct luna_program *p, const struct luna_ref *r, unsigned have)
{
    for (uint32_t i = 0; i < r->nindices; i++) {
        const struct luna_expr *x = &p->exprs[r->index + i];
        if (x->kind == LUNA_E_IN && x->a >= have) return false;
        if (x->kind >= LUNA_E_INT_FN && have < UINT16_MAX) return false; /* may read any input */
    }
    return true;
}

bool
exec_ref_key(const struct luna_program *p, const struct task *t, uint32_t ref, unsigned have,
             struct key *k)
{
    const struct luna_site *site = &p->sites[t->site];
    if (have >= site->nin) have = UINT16_MAX;
    if (!ref_is_known(p, &p->refs[ref], have)) return false;
    luna_env e = env_of(site, (struct task *)t);
    key_of(p, &e, t->frame, ref, k);
    eval_drop_temps(&e);
    return true;
}

void
exec_input_key(const struct luna_program *p, const struct task *t, unsigned at, struct key *k)
{
    const struct luna_site *site = &p->sites[t->site];
    luna_env e = env_of(site, (struct task *)t);
    input_key(p, site, &e, t->frame, at, k);
    eval_drop_temps(&e);
}

void
exec_drop_task(const struct luna_program *p, struct task *t)
{
    const struct luna_site *site = &p->sites[t->site];
    for (unsigned i = 0; i < t->at; i++) value_release(task_values(site, t)[i]);
    exec_task_free(site, t);
}
