/* exec_put.c - what a statement leaves behind: values, freed fragments, ended activations. */
#include "exec_parts.h"

#include "runtime/ucode/crash.h"
#include "runtime/base/pool.h"
#include "runtime/table/cells.h"
#include "runtime/exec/move.h"
#include "runtime/store/past.h"
#include "runtime/exec/reduce.h"
#include "runtime/exec/home.h"
#include "runtime/node/scope.h"
#include "runtime/node/send.h"
#include "runtime/node/tally.h"
#include "runtime/node/trace.h"
#include "runtime/exec/spread.h"

/* ---- putting values ---- */

/* Where the whole is, each takes what it wants of it. */
static void
input_came(struct worker *w, struct task *t, unsigned at, const struct key *k, luna_value v)
{
    if (w->node->program->nparts && !(k->df & KEY_PART)) v = exec_part_of(w, t, at, k, v);
    exec_input_came(w, t, at, v);
}

static void
input_link_came(struct worker *w, struct input_link *link, const struct key *k, luna_value v)
{
    struct task *t = link->call;
    unsigned at = link->at;
    pool_put(pool_class(sizeof *link), link);
    input_came(w, t, at, k, v);
}

/* Hands `v` to those that waited for it; each holds a count of it already. */
void
exec_deliver(struct worker *w, struct waiter *list, const struct key *k, luna_value v)
{
    if (w->node->nodes > 1 && list && list->next) list = spread_answers(w, list, k, v);
    for (struct waiter *x = list, *next; x; x = next) {
        struct task *t = waiter_call(x);
        next = x->next;
        switch ((enum waiter_kind)x->kind) {
        case WAITER_CALL: input_came(w, t, t->at, k, v); break;
        case WAITER_INPUT: input_link_came(w, waiter_input(x), k, v); break;
        case WAITER_ELEMENT: reduce_few_came(w, t, waiter_input(x)->at, v); break;
        case WAITER_AFAR: home_answer(w, waiter_afar(x), k, v); break;
        case WAITER_FOLLOWER: move_forward(w, waiter_follower(x), k, v); break;
        case WAITER_KINDS: assert(!"a task that waits for nothing");
        }
    }
}

/* Has this happened to the fragment before? Only runs that keep names know. */
static bool
has_happened(struct worker *w, const struct key *k, enum past_event what)
{
    if (k->df & KEY_MARKS) return false; /* a label may be met many times */
    enum err e = past_note(w->node->past, k, what);
    if (e == E_NOMEM) fault_nomem();
    return e == E_TWICE;
}

static _Noreturn void
put_twice(struct worker *w, uint32_t site, const struct task *t, const struct key *k)
{
    const struct luna_program *p = w->node->program;
    char df[NAME_MAX_TEXT], cf[NAME_MAX_TEXT] = "a call on another node";
    name_df(p, k, df, sizeof df);
    if (t) name_cf(p, t, cf, sizeof cf);
    fault_begin(F_RUN2, p->sites[site].place, "'%s' is assigned twice; the second time by %s", df,
                cf);
    fault_hint("each fragment is assigned once: give the two values different indices");
    fault_end(3);
}

void
exec_kept_twice(struct worker *w, const struct recipe_arg *arg, const struct task *t)
{
    const struct luna_program *p = w->node->program;
    luna_env e = mention_env(&p->sites[t->site], (struct task *)t);
    struct key k;
    mention_key(p, &e, t->frame, arg->row, &k);
    put_twice(w, t->site, t, &k);
}

void
exec_put_ended(struct worker *w, uint32_t site, const struct task *t, const struct key *k,
               luna_value v, enum err e, struct waiter *list)
{
    if (e == E_TWICE) put_twice(w, site, t, k);
    if (e == E_NOMEM) fault_nomem();
    if (list) exec_deliver(w, list, k, v);
}

void
exec_put_here(struct worker *w, uint32_t site, const struct task *t, const struct key *k,
              luna_value v, int32_t uses)
{
    struct waiter *list;
    if (w->node->past && has_happened(w, k, PAST_ASSIGNED)) put_twice(w, site, t, k);
    enum err e = store_put(w->node->store, k, v, uses, &list);
    exec_put_ended(w, site, t, k, v, e, list);
}

void
exec_fragment_here(struct worker *w, const struct key *k, luna_value v, int32_t uses)
{
    struct waiter *list;
    if (w->node->past) has_happened(w, k, PAST_ASSIGNED); /* it may have lived here before */
    enum err e = store_put(w->node->store, k, v, uses, &list);
    if (e == E_TWICE) put_twice(w, 0, NULL, k);
    if (e == E_NOMEM) fault_nomem();
    if (list) exec_deliver(w, list, k, v);
}

/* This call has read what another run has read, and assigns something else. */
static __attribute__((noinline)) void
began_here(struct worker *w, const struct key *k)
{
    const struct luna_program *p = w->node->program;
    const struct luna_site *site = running.task ? &p->sites[running.task->site] : NULL;
    const struct luna_place *at = site ? &p->places[site->place] : NULL;
    char df[NAME_MAX_TEXT], cf[NAME_MAX_TEXT], text[2 * NAME_MAX_TEXT + 600];
    if (!site) return;
    name_df(p, k, df, sizeof df);
    name_cf(p, running.task, cf, sizeof cf);
    snprintf(text, sizeof text, "%s:%u: %s read the same values and assigned another to %s",
             p->files[at->file], at->line, cf, df);
    values_began(w->node->digest_row + w->number, text);
}

/* Somebody has asked for what is assigned. */
static __attribute__((noinline)) void
value_told(struct worker *w, const struct key *k, const luna_value *v)
{
    int row = w->node->digest_row + w->number;
    digest_add(row, k, v);
    if (values_note(row, k, v) && w->judged) began_here(w, k);
}

/* Assigns at the home, or homes, that `ref` has as seen from here. */
void
exec_put(struct worker *w, const struct luna_site *site, const struct task *t, luna_env *e,
        uint32_t ref, struct key *k, luna_value v, int32_t uses)
{
    struct node *n = w->node;
    uint32_t row = (uint32_t)(site - n->program->sites);
    if (n->hash) value_told(w, k, &v);
    trace_made(w, k, v, uses != 0);
    if (n->nodes == 1) {
        if (n->cells) cells_of(n->program, n->cells, e, ref, k); /* it must have one here, too */
        exec_put_here(w, row, t, k, v, uses);
    } else where_put(w, row, t, e, ref, k, v, uses);
}

void
exec_drop(struct worker *w, const struct key *k, luna_value v)
{
    const struct node *n = w->node;
    if (n->hash) value_told(w, k, &v);
    trace_made(w, k, v, false);
    store_note_gone(n->store, k, GONE_DROPPED);
    value_release(v);
}

int32_t
exec_uses_checked(const luna_env *e, int32_t n)
{
    if (__builtin_expect(n < STORE_USES_UNLIMITED, 0))
        fault(F_RUN8, e->site->place, "req_count is %d; it must be -1 (no limit), 0 or more", n);
    return n;
}

int32_t
exec_uses(const struct worker *w, const luna_env *e, uint32_t post)
{
    const struct luna_program *p = w->node->program;
    if (post == LUNA_NONE) return STORE_USES_UNLIMITED;
    const struct luna_post *po = &p->posts[post];
    if (po->kind != LUNA_P_COUNT && !(po->kind == LUNA_P_PROVED && w->node->proved))
        return STORE_USES_UNLIMITED;
    return exec_uses_checked(e, eval_int(p, e, po->count));
}

/* ---- what follows the work: >>, afterpush, delete and --> ---- */

static void
kill_fault(struct worker *w, const struct luna_site *site, enum store_kill how, const struct key *k)
{
    char df[NAME_MAX_TEXT];
    name_df(w->node->program, k, df, sizeof df);
    if (how == KILL_NOMEM) fault_nomem();
    if (how == KILL_AGAIN)
        fault_begin(F_RUN9, site->place, "'%s' is deleted twice", df);
    else if (how == KILL_COUNTED)
        fault_begin(F_RUN9, site->place,
                    "'%s' is deleted, but requests promised by its req_count are left", df);
    else
        fault_begin(F_RUN9, site->place, "'%s' is deleted while calls wait for it", df);
    fault_hint(how == KILL_COUNTED ? "its last promised reader frees it: no delete is needed"
               : how == KILL_AGAIN ? "delete it once"
                                   : "delete it behind a call that runs after its last reader");
    fault_end(3);
}

static void
warn_deleted_twice(struct worker *w, const struct luna_site *site, const struct key *k)
{
    char df[NAME_MAX_TEXT];
    name_df(w->node->program, k, df, sizeof df);
    fault_warn(F_RUN9, site->place, "'%s' is deleted here for the second time", df);
}

void
exec_kill_here(struct worker *w, uint32_t site, const struct key *k)
{
    const struct luna_site *s = &w->node->program->sites[site];
    /* It does no harm, and the original goes on: no fault. */
    if (w->node->debug && has_happened(w, k, PAST_DELETED)) warn_deleted_twice(w, s, k);
    enum store_kill how = store_kill(w->node->store, k);
    if (how != KILL_DONE && how != KILL_LATER)
        kill_fault(w, s, how, k);
}

static void
kill_ref(struct worker *w, const struct luna_site *site, luna_env *e, uint32_t ref,
         struct key *k)
{
    uint32_t row = (uint32_t)(site - w->node->program->sites);
    if (w->node->nodes == 1) exec_kill_here(w, row, k);
    else where_kill(w, row, e, ref, k);
}

void
exec_after(struct worker *w, const struct luna_site *site, struct task *t, luna_env *e)
{
    const struct luna_program *p = w->node->program;
    const struct luna_rules *r = mention_rules(p, site);
    struct key k;
    if (!r) return;
    luna_value one = luna_v_of_int(1);
    if (site->kind != LUNA_S_EXPAND) one.chain = trace_chain(w); /* many calls have ended there */
    for (uint32_t i = 0; i < r->nset; i++) {
        uint32_t post = r->set_post == LUNA_NONE ? LUNA_NONE : r->set_post + i;
        mention_key(p, e, t->frame, r->set + i, &k);
        if (r->npush) exec_push(w, site, t, e, &k, one);
        if (post != LUNA_NONE && p->posts[post].kind == LUNA_P_DROP)
            exec_drop(w, &k, one);
        else
            exec_put(w, site, t, e, r->set + i, &k, one, exec_uses(w, e, post));
    }
    for (uint32_t i = 0; i < r->nkill; i++) {
        mention_key(p, e, t->frame, r->kill + i, &k);
        kill_ref(w, site, e, r->kill + i, &k);
    }
}

/* Sends outputs of a call to the calls labelled in its afterpush rules. */
void
exec_push(struct worker *w, const struct luna_site *site, struct task *t, luna_env *e,
             const struct key *key, luna_value v)
{
    const struct luna_program *p = w->node->program;
    const struct luna_rules *r = mention_rules(p, site);
    for (uint32_t i = 0; r && i < r->npush; i++) {
        const struct luna_push *push = &p->pushes[r->push + i];
        struct key k;
        mention_key(p, e, t->frame, push->ref, &k);
        if (!key_equal(key, k.id, k.df, k.n, k.ix)) continue;
        mention_push_to(p, e, push->label, &k);
        value_retain(v);
        uint32_t row = (uint32_t)(site - p->sites);
        if (w->node->nodes == 1) exec_put_here(w, row, t, &k, v, 1);
        else where_push(w, row, t, e, push->label, &k, v);
    }
}

/* Values in the frame that the program has promised to more readers than there were: the end of the
 * run tells of them. While the frame still knows its identity. */
static __attribute__((noinline)) void
slots_leave(struct worker *w, const struct slots *s, struct frame *f)
{
    for (uint32_t i = s->sub[f->sub].first; i != LUNA_NONE; i = s->of[i].next) {
        struct slot *slot = frame_slot(f, s->of[i].at);
        int32_t left = slot_state(slot);
        if (left <= 0) continue;
        struct key k = {.id = f->id, .df = i};
        struct waiter *none;
        luna_value v = {.w = slot->w, .type = slot->type};
        if (store_put(w->node->store, &k, v, left, &none) != OK) fault_nomem();
    }
}

/* The last count of an activation is gone: all its descendants have finished. */
static void
frame_end(struct worker *w, struct frame *f)
{
    const struct luna_program *p = w->node->program;
    struct frame *scope = f->scope;
    struct task *done = f->done;
    assert(!scope_is_lent(w->node->scopes, f)); /* protocols 5.4, 5.6: who is lent has a count */
    if (f->sub == FRAME_PROXY) {
        tally_proxies(w->node, -1);
        send_ended(w, f);
        return;
    }
    if (f->fold) {
        reduce_ended(w, f);
        return;
    }
    frame_free(f, &p->subs[f->sub]);
    if (done) {
        const struct luna_site *site = &p->sites[done->site];
        luna_env e = mention_env(site, done);
        exec_after(w, site, done, &e);
        eval_drop_temps(&e);
        for (unsigned i = 0; i < site->nin; i++) value_release(e.in[i]);
        struct frame *maker = done->frame;
        exec_task_free(site, done);
        exec_frame_drop(w, maker);
    }
    if (scope) exec_frame_drop(w, scope);
}

/* Nobody is to be told of its end. */
static inline bool
ends_alone(const struct frame *f)
{
    return !f->scope && !f->done && !f->fold && f->sub != FRAME_PROXY;
}

/* One end may end the activations around it, as deep as a recursion went: a list, not the C stack.
 */
void
exec_frame_drop(struct worker *w, struct frame *f)
{
    const struct slots *s = w->node->slots;
    if (!frame_release(f)) return;
    if (s && !f->fold && s->sub[f->sub].first != LUNA_NONE) slots_leave(w, s, f); /* copies: none */
    if (ends_alone(f)) {
        frame_free(f, &w->node->program->subs[f->sub]);
        return;
    }
    f->next_ended = w->ended;
    w->ended = f;
    if (w->ending) return;
    w->ending = true;
    while ((f = w->ended)) {
        w->ended = f->next_ended;
        frame_end(w, f);
    }
    w->ending = false;
}
