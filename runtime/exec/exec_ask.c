/* exec_ask.c - a statement asks for its inputs round by round, waits, and hears what has come.
 *
 *     exec_ask          which inputs of a round are here; for the others the task leaves the draft
 *                       and stands in the store's lists, and their homes hear of it
 *     exec_input_came   one has come: behind the last of its round the next is asked for
 *
 * What a statement does when it has all, and who makes it, is not known here. */
#include "exec_parts.h"

#include "runtime/base/pool.h"
#include "runtime/exec/copy.h"
#include "runtime/exec/home.h"
#include "runtime/node/send.h"
#include "runtime/node/tally.h"
#include "runtime/node/trace.h"
#include "runtime/table/elements.h"

#include <assert.h>

/* ---- waiting ---- */

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

/* ---- one input ---- */

/* It lives in the frame, unless it is no number, or somebody had to wait. */
static bool
input_kept(struct asker *a, const struct recipe_in *in, struct cook *c)
{
    struct slot *s = frame_slot(a->t->frame, in->slot);
    struct key k;
    if (slot_ask(s, &task_values(a->site, a->t)[a->at], exec_is_alone(a->w, a->t->frame))) {
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

/* The same for a call that has moved here: some inputs it has brought along, others are on their
 * way after it. */
static __attribute__((noinline)) bool
input_adopt(struct asker *a, struct cook *c)
{
    struct key k;
    luna_value *have = &task_values(a->site, a->t)[a->at];
    if (have->type != LUNA_UNSET) return true;
    if (!a->asked[a->at]) return rare_ask(a, c);
    const struct recipe_in *in = &a->q->in[a->at];
    recipe_key(&in->ref, c, &k);
    if (in->part) key_add_part(&k, input_part(in, c, &k));
    mention_follow(&k, a->cell);
    enum store_want got = store_want(a->w->node->store, &k, have, asker_waits, a);
    if (got == WANT_NOMEM) fault_nomem();
    return got == WANT_HERE;
}

static inline __attribute__((always_inline)) bool
input_is_here(struct asker *a, struct cook *c)
{
    if (a->some && task_values(a->site, a->t)[a->at].type != LUNA_UNSET) return true;
    if (__builtin_expect(a->asked != NULL, 0)) return input_adopt(a, c);
    if (__builtin_expect(a->q->in[a->at].rare, 0)) return rare_ask(a, c);
    return ask_for(a, c, false);
}

/* ---- rounds ---- */

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

bool
exec_ask(struct asker *a)
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

/* ---- what has come ---- */

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
        if (!exec_ask(&a)) return;
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
    if (!exec_ask(&a)) return;
    t->kind = TASK_READY;
    trace_ready(w, site, t);
    worker_ready(w, t);
}
