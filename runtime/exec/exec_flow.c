/* exec_flow.c - structured subs, for, while, if: statements that make statements. */
#include "exec_parts.h"

#include "runtime/base/exit.h"
#include "runtime/base/pool.h"
#include "runtime/exec/settle.h"
#include "runtime/exec/share.h"
#include "runtime/node/tally.h"
#include "runtime/node/trace.h"
#include "runtime/table/cells.h"
#include "runtime/table/require.h"

/* What a statement makes runs at once where its maker said so, else it waits for its turn. */
static inline void
child_later(struct worker *w, struct range *r)
{
    if (w->nests && !w->child) w->child = r;
    else worker_later(w, &r->head);
}

/* ---- calls of structured subs ---- */

/* A short name. False: it is long, or has captured words. */
static inline bool
name_fill(struct name_ref *to, const struct recipe_arg *arg, const struct cook *c)
{
    if (arg->ref.param) {
        const struct name_ref *from = c->from[RECIPE_FRAME][arg->ref.id.word].p;
        if (name_ref_is_short(from)) memcpy(to, from, FRAME_NAME_BYTES);
        return name_ref_is_short(from);
    }
    if (!arg->ref.quick || arg->ref.n > FRAME_NAME_INDICES || cells_about(c->p, arg->ref.df))
        return false;
    struct key k;
    recipe_key(&arg->ref, c, &k);
    name_ref_short(to, &k);
    return true;
}

static __attribute__((noinline)) void *
name_word(const struct recipe_arg *arg, const struct cook *c)
{
    luna_word captured[ABOUT_CAPTURES_MAX];
    struct key k;
    recipe_key(&arg->ref, c, &k);
    void *name = name_ref_new(&k, captured, cells_capture(c->p, &c->e, arg->row, &k, captured));
    if (!name) fault_nomem();
    return name;
}

/* A string or a value, in a box. */
static __attribute__((noinline)) void *
value_word(const struct recipe_arg *arg, const struct cook *c)
{
    luna_value v = arg->way == WAY_STRING ? eval_string(c->p, &c->e, arg->row)
                                          : eval_value(c->p, &c->e, arg->row);
    value_retain(v);
    void *box = frame_box(v);
    if (!box) fault_nomem();
    return box;
}

/* The parameters of a new activation. */
static inline void
words_fill(struct frame *f, const struct luna_sub *sub, const struct recipe *q, struct cook *c)
{
    struct name_ref *room = frame_names(f, sub);
    const struct recipe_arg *arg = q->arg, *end = arg + q->nargs;
    luna_word *word = f->word;
    f->plain = true;
    for (; arg < end; arg++, word++) {
        c->e.arg++;
        switch ((enum recipe_way)arg->way) {
        case WAY_INT: word->i = recipe_int(&arg->x, c); break;
        case WAY_REAL: word->d = recipe_real(arg, c); break;
        case WAY_OUT:
            word->p = room;
            if (!name_fill(room, arg, c)) {
                word->p = name_word(arg, c);
                f->plain = false;
            }
            room = frame_names_next(room);
            break;
        case WAY_LIST: break; /* functions alone have them */
        case WAY_STRING:
        case WAY_IN:
        case WAY_VALUE:
            word->p = value_word(arg, c);
            f->plain = false;
            break;
        }
    }
    c->e.arg = 0;
    for (luna_word *last = f->word + sub->nwords; word < last; word++) word->i = 0;
}

static void
nfparams_fill(struct frame *f, const struct luna_rules *r, const struct cook *c)
{
    for (uint32_t i = 0; i < r->nnfparam; i++) {
        const struct luna_nfarg *nf = &c->p->nfargs[r->nfparam + i];
        if (nf->real) f->word[nf->word].d = exec_number(eval_real(c->p, &c->e, nf->expr));
        else f->word[nf->word].i = eval_int(c->p, &c->e, nf->expr);
    }
}

static __attribute__((noinline)) void
look_at_requirements(const struct luna_sub *sub, const struct frame *f, const struct cook *c)
{
    char call[REQUIRE_CALL];
    uint32_t place = c->e.site->place;
    const struct luna_require *broken = require_broken(c->p, sub, f, place);
    if (!broken) return;
    fault_begin(F_RUN15, place, "'%s' does not fulfil what the sub requires: %s",
                require_call(sub, f, call), broken->text);
    fault_note(broken->place, "required here");
    fault_end(EXIT_RUN);
}

/* A recursion that never ends is told by its depth. */
static inline void
nest(struct worker *w, struct frame *f, const struct frame *around)
{
    f->depth = (uint16_t)(around->depth + (around->depth < UINT16_MAX));
    if (f->depth > atomic_load_explicit(&w->deepest, memory_order_relaxed) >> 32)
        atomic_store_explicit(&w->deepest, (uint64_t)f->depth << 32 | f->sub, memory_order_relaxed);
}

/* The task stays (its inputs with it) to fire >> and --> when the activation has ended. */
static inline bool
expand_keeps_task(const struct luna_rules *r)
{
    return r && (r->nset || r->nkill);
}

void
exec_expand(struct worker *w, const struct recipe *q, struct task *t, struct cook *c)
{
    const struct luna_site *site = c->e.site;
    const struct luna_sub *sub = &c->p->subs[site->callee];
    const struct luna_rules *r = mention_rules(c->p, site);
    struct frame *f = frame_begin(q->shape, site->callee, worker_new_id(w));
    if (!f) fault_nomem();
    f->alone = !w->many;
    nest(w, f, t->frame);
    words_fill(f, sub, q, c);
    if (r) nfparams_fill(f, r, c);
    if (sub->nrequire) look_at_requirements(sub, f, c);
    f->scope = t->frame->done ? t->frame : t->frame->scope;
    if (f->scope) frame_retain_around(f->scope);
    if (c->e.temps) eval_drop_temps(&c->e);
    if (expand_keeps_task(r)) {
        f->done = exec_task_new(site, t);
        if (!f->done) fault_nomem();
    } else {
        mention_release(site, &c->e);
    }
    struct range *body = exec_body_range(f, sub->body);
    if (settle_is_due(w->node, site->callee) && !settle_begin(w, body, site->place)) return;
    child_later(w, body);
}

/* ---- control ---- */

/* The inputs of a loop or condition have been looked at. */
static inline void
control_ends(struct worker *w, struct task *t, struct cook *c)
{
    if (c->e.site->rules != LUNA_NONE) exec_after(w, c->e.site, t, &c->e);
    if (c->e.temps) eval_drop_temps(&c->e);
    mention_release(c->e.site, &c->e);
}

uint32_t
exec_if_takes(struct worker *w, struct task *t, struct cook *c)
{
    const struct luna_site *site = c->e.site;
    uint32_t block = eval_true(c->p, &c->e, site->a) ? site->body : site->b;
    control_ends(w, t, c);
    return block;
}

void
exec_branch(struct worker *w, struct task *t, struct cook *c, uint32_t block)
{
    if (block == LUNA_NONE) return;
    struct range *r = exec_range_new(t, c->e.site->nlocal, block);
    r->head.flags |= RANGE_TURN | (t->flags & TASK_SHARED ? RANGE_SHARED : 0);
    child_later(w, r);
}

void
exec_for(struct worker *w, const struct recipe *q, struct task *t, struct cook *c)
{
    const struct luna_site *site = c->e.site;
    int32_t lo = recipe_int(&q->lo, c), hi = recipe_int(&q->hi, c);
    control_ends(w, t, c);
    struct range its;
    if (!range_over_steps(&its, lo, hi, site->step)) return;
    struct range *r = exec_range_new(t, site->nlocal, site->body);
    r->head.flags = RANGE_COUNTER | (site->flags & LUNA_F_FRESH ? RANGE_FRESH : 0) |
                    (site->flags & LUNA_F_CARRIED ? RANGE_CARRIED : 0);
    r->i = its.i;
    r->left = its.left;
    r->step = its.step;
    if (t->flags & TASK_SHARED) r->head.flags |= RANGE_SHARED;
    else if (w->node->nodes > 1 && share_is_control(site)) share_offer(w, r);
    if (r->head.flags & RANGE_SHARED && !share_stride(w, r)) exec_range_drop(w, r);
    else child_later(w, r);
}

void
exec_while(struct worker *w, const struct luna_site *site, struct task *t)
{
    const struct luna_program *p = w->node->program;
    uint32_t row = p->blocks[site->body].site;
    const struct luna_site *test = &p->sites[row];
    luna_env e = mention_env(site, t);
    int32_t start = eval_int(p, &e, site->a);
    eval_drop_temps(&e);
    mention_release(site, &e);
    struct task *n = pool_get(pool_class(task_bytes(test)));
    if (!n) fault_nomem();
    *n = (struct task){.site = row, .kind = TASK_START, .frame = t->frame};
    memcpy(n->word, t->word, site->nlocal * sizeof(luna_word));
    n->word[site->nlocal].i = start;
    frame_retain(t->frame);
    tally_made(w->node);
    exec_task(w, n);
}

/* The counter's place among the locals of a TEST: its last. */
static inline unsigned
test_counter(const struct luna_site *site)
{
    return site->nlocal - 1u;
}

/* True when the loop goes on: `t` is then the next iteration's test. Takes the inputs, not the
 * task. */
bool
exec_test(struct worker *w, const struct luna_site *site, struct task *t)
{
    const struct luna_program *p = w->node->program;
    unsigned c = test_counter(site);
    luna_env e = mention_env(site, t);
    bool yes = eval_true(p, &e, site->a);
    if (yes) {
        struct range *r = exec_range_new(t, c, site->body);
        r->head.flags = RANGE_COUNTER | (site->flags & LUNA_F_FRESH ? RANGE_FRESH : 0) |
                        (site->nin ? RANGE_TURN : 0);
        r->i = (int32_t)t->word[c].i;
        eval_drop_temps(&e);
        mention_release(site, &e);
        if (t->word[c].i == INT32_MAX)
            fault(F_RUN4, site->place, "the counter of this while goes beyond int");
        t->word[c].i++;
        tally_made(w->node);
        t->at = 0;
        t->flags = 0;
        t->kind = TASK_START;
        /* Depth first takes the newest: the test lies below the body it has spawned. */
        bool newest = w->many || w->deep || w->order == ORDER_STACK;
        if (newest) worker_later(w, t);
        worker_later(w, &r->head);
        if (!newest) worker_later(w, t);
        return true;
    }
    struct key k;
    const struct luna_arg *out = &p->args[site->arg];
    mention_key(p, &e, t->frame, out->row, &k);
    luna_value turns = luna_v_of_int((int32_t)t->word[c].i);
    if (TRACED(w)) trace_front(w)->chain = turns.chain = task_chain(site, t);
    if (site->rules != LUNA_NONE) exec_push(w, site, t, &e, &k, turns);
    if (out->post != LUNA_NONE && p->posts[out->post].kind == LUNA_P_DROP)
        exec_drop(w, &k, turns);
    else
        exec_put(w, site, t, &e, out->row, &k, turns, exec_uses(w, &e, out->post));
    exec_after(w, site, t, &e);
    eval_drop_temps(&e);
    mention_release(site, &e);
    return false;
}
