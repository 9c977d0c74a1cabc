/* exec_flow.c - structured subs, for, while, if: statements that make statements. */
#include "exec_parts.h"

#include "runtime/base/pool.h"
#include "runtime/cells.h"

/* ---- calls of structured subs ---- */

static luna_word
arg_word(const struct luna_program *p, const luna_env *e, const struct task *t,
         const struct luna_arg *arg)
{
    luna_word word = {.i = 0};
    luna_value v;
    struct key k;
    luna_word captured[CELL_CAPTURES_MAX];
    switch ((enum luna_arg_kind)arg->kind) {
    case LUNA_A_INT: word.i = eval_int(p, e, arg->row); return word;
    case LUNA_A_REAL: word.d = eval_real(p, e, arg->row); return word;
    case LUNA_A_NAME:
        key_of(p, e, t->frame, arg->row, &k);
        word.p = name_ref_new(&k, captured, cells_capture(p, e, arg->row, &k, captured));
        break;
    case LUNA_A_STRING:
    case LUNA_A_VALUE:
        v = arg->kind == LUNA_A_STRING ? eval_string(p, e, arg->row) : eval_value(p, e, arg->row);
        value_retain(v);
        word.p = boxed_new(v);
        break;
    }
    if (!word.p) fault_nomem();
    return word;
}

/* The task stays (its inputs with it) to fire >> and --> when the activation has ended. */
static bool
expand_keeps_task(const struct luna_program *p, const struct luna_site *site)
{
    const struct luna_rules *r = rules_of(p, site);
    return r && (r->nset || r->nkill);
}

void
exec_expand(struct worker *w, const struct luna_site *site, struct task *t)
{
    const struct luna_program *p = w->node->program;
    const struct luna_sub *sub = &p->subs[site->callee];
    const struct luna_rules *r = rules_of(p, site);
    luna_env e = env_of(site, t);
    struct frame *f = frame_new(sub, site->callee, worker_new_id(w));
    if (!f) fault_nomem();
    for (unsigned i = 0; i < site->nargs; i++) {
        e.arg = i + 1;
        f->word[i] = arg_word(p, &e, t, &p->args[site->arg + i]);
    }
    e.arg = 0;
    for (uint32_t i = 0; r && i < r->nnfparam; i++) {
        const struct luna_nfarg *nf = &p->nfargs[r->nfparam + i];
        f->word[nf->word].i = eval_int(p, &e, nf->expr);
    }
    f->scope = t->frame->done ? t->frame : t->frame->scope;
    if (f->scope) frame_retain(f->scope);
    eval_drop_temps(&e);
    if (expand_keeps_task(p, site)) {
        f->done = exec_task_new(site, t);
        if (!f->done) fault_nomem();
    } else {
        values_release(site, &e);
    }
    struct range *body = exec_body_range(f, sub->body);
    if (!body) fault_nomem();
    worker_later(w, &body->head);
}

/* ---- control ---- */

void
exec_if(struct worker *w, const struct luna_site *site, struct task *t)
{
    luna_env e = env_of(site, t);
    int yes = eval_true(w->node->program, &e, site->a);
    exec_after(w, site, t, &e);
    eval_drop_temps(&e);
    values_release(site, &e);
    if (!yes) return;
    struct range *r = exec_range_new(t, site->nlocal, site->body);
    if (t->flags & TASK_SHARED) r->head.flags |= RANGE_SHARED;
    worker_later(w, &r->head);
}

void
exec_for(struct worker *w, const struct luna_site *site, struct task *t)
{
    const struct luna_program *p = w->node->program;
    luna_env e = env_of(site, t);
    int32_t lo = eval_int(p, &e, site->a), hi = eval_int(p, &e, site->b);
    exec_after(w, site, t, &e);
    eval_drop_temps(&e);
    values_release(site, &e);
    if (lo > hi) return;
    struct range *r = exec_range_new(t, site->nlocal, site->body);
    r->head.flags = RANGE_COUNTER | (site->flags & LUNA_F_FRESH ? RANGE_FRESH : 0) |
                    (site->flags & LUNA_F_CARRIED ? RANGE_CARRIED : 0);
    r->i = lo;
    r->hi = hi;
    if (t->flags & TASK_SHARED) r->head.flags |= RANGE_SHARED;
    else if (w->node->nodes > 1 && share_is_control(site)) share_offer(w, r);
    if (r->head.flags & RANGE_SHARED && !share_stride(w, r)) exec_range_drop(w, r);
    else worker_later(w, &r->head);
}

void
exec_while(struct worker *w, const struct luna_site *site, struct task *t)
{
    const struct luna_program *p = w->node->program;
    uint32_t row = p->blocks[site->body].site;
    const struct luna_site *test = &p->sites[row];
    luna_env e = env_of(site, t);
    int32_t start = eval_int(p, &e, site->a);
    eval_drop_temps(&e);
    values_release(site, &e);
    struct task *n = pool_get(pool_class(task_bytes(test)));
    if (!n) fault_nomem();
    *n = (struct task){.site = row, .kind = TASK_START, .frame = t->frame};
    memcpy(n->word, t->word, site->nlocal * sizeof(luna_word));
    n->word[site->nlocal].i = start;
    frame_retain(t->frame);
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
    luna_env e = env_of(site, t);
    bool yes = eval_true(p, &e, site->a);
    if (yes) {
        struct range *r = exec_range_new(t, c, site->body);
        r->head.flags = RANGE_COUNTER | (site->flags & LUNA_F_FRESH ? RANGE_FRESH : 0);
        r->i = r->hi = (int32_t)t->word[c].i;
        eval_drop_temps(&e);
        values_release(site, &e);
        if (t->word[c].i == INT32_MAX)
            fault(F_RUN4, site->place, "the counter of this while goes beyond int");
        t->word[c].i++;
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
    key_of(p, &e, t->frame, out->row, &k);
    if (out->post != LUNA_NONE && p->posts[out->post].kind == LUNA_P_DROP)
        exec_drop(w, &k, luna_v_of_int((int32_t)t->word[c].i));
    else
        exec_put(w, site, t, &e, out->row, &k, luna_v_of_int((int32_t)t->word[c].i),
                exec_uses(p, &e, out->post));
    exec_after(w, site, t, &e);
    eval_drop_temps(&e);
    values_release(site, &e);
    return false;
}
