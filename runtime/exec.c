/* exec.c - the life of a statement: inputs one by one, the work, what follows from it. */
#include "exec.h"

#include "runtime/base/pool.h"
#include "runtime/digest.h"
#include "runtime/eval.h"
#include "runtime/fault.h"
#include "runtime/name.h"
#include "runtime/place.h"
#include "runtime/remote.h"
#include "runtime/ucode/df.h"

#include <alloca.h>
#include <assert.h>
#include <stdlib.h>

/* ---- names ---- */

static inline void
key_begin(const luna_env *e, const struct frame *f, const struct luna_ref *r, struct key *k)
{
    k->df = r->df;
    k->n = 0;
    if (r->base == LUNA_B_FRAME_ID) {
        k->id = f->id;
    } else if (r->base == LUNA_B_LOCAL_ID) {
        k->id = (uint64_t)e->local[r->word].i;
    } else {
        const struct name_ref *n = e->frame[r->word].p;
        k->id = n->id;
        k->df = n->df;
        k->n = n->n;
        for (uint32_t i = 0; i < n->n; i++) k->ix[i] = n->ix[i];
    }
}

static inline void
key_of(const struct luna_program *p, const luna_env *e, const struct frame *f, uint32_t ref,
       struct key *k)
{
    const struct luna_ref *r = &p->refs[ref];
    key_begin(e, f, r, k);
    if (k->n + r->nindices > KEY_INDICES_MAX)
        fault(F_RUN8, e->site->place, "a reference has more than %d indices", KEY_INDICES_MAX);
    for (uint32_t i = 0; i < r->nindices; i++) k->ix[k->n++] = eval_int(p, e, r->index + i);
}

/* A value that afterpush sends to one label has a name of its own: the fragment's and the label's. */
static void
key_push_to(const struct luna_program *p, const luna_env *e, uint32_t label, struct key *k)
{
    const struct luna_label *l = &p->labels[label];
    if (k->n + l->nindices + 1 > KEY_INDICES_MAX)
        fault(F_RUN8, e->site->place, "a label has too many indices");
    k->df |= KEY_PUSHED;
    for (uint32_t i = 0; i < l->nindices; i++) k->ix[k->n++] = eval_int(p, e, l->index + i);
    k->ix[k->n++] = (int32_t)l->name;
}

static inline const struct luna_rules *
rules_of(const struct luna_program *p, const struct luna_site *s)
{
    return s->rules == LUNA_NONE ? NULL : &p->rules[s->rules];
}

static inline luna_env
env_of(const struct luna_site *site, struct task *t)
{
    return (luna_env){.frame = t->frame->word,
                      .local = t->word,
                      .in = task_values(site, t),
                      .site = site};
}

static void
input_key(const struct luna_program *p, const struct luna_site *site, luna_env *e,
          const struct frame *f, unsigned at, struct key *k)
{
    const struct luna_in *in = &p->ins[site->in + at];
    key_of(p, e, f, in->ref, k);
    if (in->kind == LUNA_IN_WAIT) key_push_to(p, e, rules_of(p, site)->label, k);
}

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

static void frame_drop(struct worker *w, struct frame *f);
static void task_go_on(struct worker *w, struct task *t);

static struct task *
task_new(struct worker *w, const struct luna_site *site, const struct task *from)
{
    size_t bytes = task_bytes(site);
    struct task *t = pool_get(pool_class(bytes));
    if (!t) return NULL;
    memcpy(t, from, bytes);
    frame_retain(t->frame);
    (void)w;
    return t;
}

static void
task_free(const struct luna_site *site, struct task *t)
{
    pool_put(pool_class(task_bytes(site)), t);
}

static void after(struct worker *w, const struct luna_site *site, struct task *t, luna_env *e);

/* The last count of an activation is gone: all its descendants have finished. */
static void
frame_end(struct worker *w, struct frame *f)
{
    const struct luna_program *p = w->node->program;
    struct frame *scope = f->scope;
    struct task *done = f->done;
    if (f->sub == FRAME_PROXY) {
        remote_ended(w, f);
        return;
    }
    frame_free(f, &p->subs[f->sub]);
    if (done) {
        const struct luna_site *site = &p->sites[done->site];
        luna_env e = env_of(site, done);
        after(w, site, done, &e);
        eval_drop_temps(&e);
        for (unsigned i = 0; i < site->nin; i++) value_release(e.in[i]);
        struct frame *maker = done->frame;
        task_free(site, done);
        frame_drop(w, maker);
    }
    if (scope) frame_drop(w, scope);
}

/* One end may end the activations around it, as deep as a recursion went: a list, not the C stack. */
static void
frame_drop(struct worker *w, struct frame *f)
{
    if (!frame_release(f)) return;
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

void
exec_frame_drop(struct worker *w, struct frame *f)
{
    frame_drop(w, f);
}

struct range *
exec_body_range(struct frame *f, uint32_t block)
{
    struct range *r = pool_get(pool_class(range_bytes(0)));
    if (!r) return NULL;
    *r = (struct range){.head = {.site = block, .kind = TASK_BODY, .frame = f}};
    return r;
}

static struct range *
range_new(struct worker *w, const struct task *from, unsigned nlocal, uint32_t block)
{
    struct range *r = pool_get(pool_class(range_bytes(nlocal)));
    if (!r) fault_nomem();
    *r = (struct range){.head = {.site = block, .at = (uint16_t)nlocal, .kind = TASK_RANGE,
                                 .frame = from->frame}};
    memcpy(r->local, from->word, nlocal * sizeof(luna_word));
    frame_retain(from->frame);
    (void)w;
    return r;
}

static void
range_free(struct worker *w, struct range *r)
{
    struct frame *f = r->head.frame;
    pool_put(pool_class(range_bytes(r->head.at)), r);
    frame_drop(w, f);
}

/* ---- putting values ---- */

/* Hands `v` to those that waited for it; each holds a count of it already. */
void
exec_deliver(struct worker *w, struct waiter *list, const struct key *k, luna_value v)
{
    const struct luna_program *p = w->node->program;
    while (list) {
        struct task *t = (struct task *)list;
        list = list->next;
        if (t->kind == TASK_ASKED) {
            remote_answer(w, t, k, v);
            continue;
        }
        task_values(&p->sites[t->site], t)[t->at] = v;
        t->at++;
        task_go_on(w, t);
    }
}

static void
put_twice(struct worker *w, uint32_t site, const struct task *t, const struct key *k)
{
    const struct luna_program *p = w->node->program;
    char df[NAME_MAX_TEXT], cf[NAME_MAX_TEXT] = "a call on another node";
    name_df(p, k, df, sizeof df);
    if (t) name_cf(p, t, cf, sizeof cf);
    fault_begin(F_RUN2, p->sites[site].place, "'%s' is assigned twice; the second time by %s", df, cf);
    fault_hint("each fragment is assigned once: give the two values different indices");
    fault_end(3);
}

void
exec_put_here(struct worker *w, uint32_t site, const struct task *t, const struct key *k,
              luna_value v, int32_t uses)
{
    struct waiter *list;
    enum err e = store_put(w->node->store, k, v, uses, &list);
    if (e == E_TWICE) put_twice(w, site, t, k);
    if (e == E_NOMEM) fault_nomem();
    if (list) exec_deliver(w, list, k, v);
}

/* Assigns at the home, or homes, that `ref` has as seen from here. */
static inline void
put_ref(struct worker *w, const struct luna_site *site, const struct task *t, luna_env *e,
        uint32_t ref, const struct key *k, luna_value v, int32_t uses)
{
    struct node *n = w->node;
    uint32_t row = (uint32_t)(site - n->program->sites);
    if (n->hash) digest_add(n->digest_row + w->number, k, &v);
    if (n->nodes == 1) exec_put_here(w, row, t, k, v, uses);
    else place_put(w, row, t, e, ref, k, v, uses);
}

static int32_t
uses_of(const struct luna_program *p, const luna_env *e, uint32_t post)
{
    if (post == LUNA_NONE) return STORE_USES_UNLIMITED;
    const struct luna_post *po = &p->posts[post];
    if (po->kind != LUNA_P_COUNT) return STORE_USES_UNLIMITED;
    int32_t n = eval_int(p, e, po->count);
    if (n < STORE_USES_UNLIMITED)
        fault(F_RUN8, e->site->place, "req_count is %d; it must be -1 (no limit), 0 or more", n);
    return n;
}

/* ---- what follows the work: >>, afterpush, delete and --> ---- */

static void
kill_fault(struct worker *w, const struct luna_site *site, enum store_kill how, const struct key *k)
{
    char df[NAME_MAX_TEXT];
    name_df(w->node->program, k, df, sizeof df);
    if (how == KILL_NOMEM) fault_nomem();
    if (how == KILL_AGAIN) fault(F_RUN9, site->place, "'%s' is deleted twice", df);
    if (how == KILL_COUNTED)
        fault(F_RUN9, site->place, "'%s' is deleted, but requests promised by its req_count are left", df);
    fault_begin(F_RUN9, site->place, "'%s' is deleted while calls wait for it", df);
    fault_hint("delete it behind a call that runs after its last reader");
    fault_end(3);
}

void
exec_kill_here(struct worker *w, uint32_t site, const struct key *k)
{
    enum store_kill how = store_kill(w->node->store, k);
    if (how != KILL_DONE && how != KILL_LATER) kill_fault(w, &w->node->program->sites[site], how, k);
}

static void
kill_ref(struct worker *w, const struct luna_site *site, luna_env *e, uint32_t ref, const struct key *k)
{
    uint32_t row = (uint32_t)(site - w->node->program->sites);
    if (w->node->nodes == 1) exec_kill_here(w, row, k);
    else place_kill(w, row, e, ref, k);
}

static void
after(struct worker *w, const struct luna_site *site, struct task *t, luna_env *e)
{
    const struct luna_program *p = w->node->program;
    const struct luna_rules *r = rules_of(p, site);
    struct key k;
    if (!r) return;
    for (uint32_t i = 0; i < r->nset; i++) {
        uint32_t post = r->set_post == LUNA_NONE ? LUNA_NONE : r->set_post + i;
        if (post != LUNA_NONE && p->posts[post].kind == LUNA_P_DROP) continue;
        key_of(p, e, t->frame, r->set + i, &k);
        put_ref(w, site, t, e, r->set + i, &k, luna_v_of_int(1), uses_of(p, e, post));
    }
    for (uint32_t i = 0; i < r->nkill; i++) {
        key_of(p, e, t->frame, r->kill + i, &k);
        kill_ref(w, site, e, r->kill + i, &k);
    }
}

/* Sends outputs of a call to the calls labelled in its afterpush rules. */
static void
push_outputs(struct worker *w, const struct luna_site *site, struct task *t, luna_env *e,
             const struct key *key, luna_value v)
{
    const struct luna_program *p = w->node->program;
    const struct luna_rules *r = rules_of(p, site);
    for (uint32_t i = 0; r && i < r->npush; i++) {
        const struct luna_push *push = &p->pushes[r->push + i];
        struct key k;
        key_of(p, e, t->frame, push->ref, &k);
        if (!key_equal(key, k.id, k.df, k.n, k.ix)) continue;
        key_push_to(p, e, push->label, &k);
        value_retain(v);
        uint32_t row = (uint32_t)(site - p->sites);
        if (w->node->nodes == 1) exec_put_here(w, row, t, &k, v, 1);
        else place_push(w, row, t, e, push->label, &k, v);
    }
}

/* ---- calls of atomic functions ---- */

struct guarded {
    const struct luna_function *fn;
    const luna_actual *actual;
};

static void
guarded_call(void *who)
{
    const struct guarded *g = who;
    g->fn->call(g->actual);
}

static __attribute__((noinline)) void
function_call_guarded(const struct luna_program *p, const struct luna_site *site,
                      const struct luna_function *fn, const struct task *t, const luna_actual *a)
{
    char text[512], cf[NAME_MAX_TEXT];
    struct guarded g = {fn, a};
    if (!p->guard(guarded_call, &g, text, sizeof text)) return;
    name_cf(p, t, cf, sizeof cf);
    fault(F_RUN5, site->place, "an exception left '%s', called as %s: %s", fn->name, cf, text);
}

static inline void
function_call(const struct luna_program *p, const struct luna_site *site, struct task *t,
              const luna_actual *a)
{
    const struct luna_function *fn = &p->functions[site->callee];
    running.function = fn->name;
    running.task = t;
    running.site = site;
    if (p->guard) function_call_guarded(p, site, fn, t, a);
    else fn->call(a);
    running.site = NULL;
}

/* Fills one actual; true: it is an output. */
static inline bool
arg_in(const struct luna_program *p, const luna_env *e, const struct luna_arg *arg,
       luna_actual *a, struct luna_df *df)
{
    switch ((enum luna_arg_kind)arg->kind) {
    case LUNA_A_INT: a->i = eval_int(p, e, arg->row); return false;
    case LUNA_A_REAL: a->d = eval_real(p, e, arg->row); return false;
    case LUNA_A_STRING: a->s = value_block(eval_string(p, e, arg->row))->data; return false;
    case LUNA_A_VALUE: {
        const struct luna_expr *x = &p->exprs[arg->row];
        luna_value v = x->kind == LUNA_E_IN ? e->in[x->a] : eval_value(p, e, arg->row);
        *df = (struct luna_df){.value = v};
        a->in = df;
        return false;
    }
    case LUNA_A_NAME:
        *df = (struct luna_df){.value = value_unset()};
        a->out = df;
        return true;
    }
    return false;
}

/* Under -g a DF knows its reference text. */
static void
args_name(struct worker *w, const struct luna_site *site, const struct task *t, luna_env *e,
          struct luna_df *df)
{
    const struct luna_program *p = w->node->program;
    for (unsigned i = 0; i < site->nargs; i++) {
        const struct luna_arg *arg = &p->args[site->arg + i];
        uint32_t ref = LUNA_NONE;
        if (arg->kind == LUNA_A_NAME) ref = arg->row;
        if (arg->kind == LUNA_A_VALUE && p->exprs[arg->row].kind == LUNA_E_IN)
            ref = p->ins[site->in + p->exprs[arg->row].a].ref;
        if (ref == LUNA_NONE) continue;
        struct key k;
        char text[NAME_MAX_TEXT];
        key_of(p, e, t->frame, ref, &k);
        name_df(p, &k, text, sizeof text);
        df[i].name = strdup(text);
        df[i].flags |= DF_OWNS_NAME;
    }
}

static void
output_unset(struct worker *w, const struct luna_site *site, const struct task *t,
             const struct key *k)
{
    char df[NAME_MAX_TEXT], cf[NAME_MAX_TEXT];
    name_df(w->node->program, k, df, sizeof df);
    name_cf(w->node->program, t, cf, sizeof cf);
    fault_begin(F_RUN3, site->place, "%s returned without setting '%s'", cf, df);
    fault_hint("a ucode sets each of its name parameters before it returns");
    fault_end(3);
}

static void
outputs_put(struct worker *w, const struct luna_site *site, struct task *t, luna_env *e,
            struct luna_df *df)
{
    const struct luna_program *p = w->node->program;
    const struct luna_arg *arg = &p->args[site->arg];
    bool pushes = site->rules != LUNA_NONE && p->rules[site->rules].npush;
    struct key k;
    for (unsigned i = 0; i < site->nargs; i++) {
        if (arg[i].kind != LUNA_A_NAME) continue;
        key_of(p, e, t->frame, arg[i].row, &k);
        if (df[i].value.type == LUNA_UNSET) output_unset(w, site, t, &k);
        if (pushes) push_outputs(w, site, t, e, &k, df[i].value);
        if (arg[i].post != LUNA_NONE && p->posts[arg[i].post].kind == LUNA_P_DROP)
            value_release(df[i].value);
        else
            put_ref(w, site, t, e, arg[i].row, &k, df[i].value, uses_of(p, e, arg[i].post));
    }
}

static void
values_release(const struct luna_site *site, const luna_env *e)
{
    for (unsigned i = 0; i < site->nin; i++) value_release(e->in[i]);
}

static void
call_run(struct worker *w, const struct luna_site *site, struct task *t)
{
    const struct luna_program *p = w->node->program;
    unsigned n = site->nargs;
    luna_actual *a = alloca(n * sizeof *a + sizeof *a);
    struct luna_df *df = alloca(n * sizeof *df + sizeof *df);
    luna_env e = env_of(site, t);
    bool outputs = false;
    for (unsigned i = 0; i < n; i++)
        outputs |= arg_in(p, &e, &p->args[site->arg + i], &a[i], &df[i]);
    if (w->node->debug) args_name(w, site, t, &e, df);
    function_call(p, site, t, a);
    w->calls++;
    if (outputs) outputs_put(w, site, t, &e, df);
    if (site->rules != LUNA_NONE) after(w, site, t, &e);
    for (unsigned i = 0; i < n; i++) /* -g named them, or the ucode itself did */
        if (p->args[site->arg + i].kind >= LUNA_A_VALUE && df[i].flags & DF_OWNS_NAME)
            free(df[i].name);
    if (e.temps) eval_drop_temps(&e);
    values_release(site, &e);
}

/* ---- calls of structured subs ---- */

static luna_word
arg_word(const struct luna_program *p, const luna_env *e, const struct task *t,
         const struct luna_arg *arg)
{
    luna_word word = {.i = 0};
    luna_value v;
    struct key k;
    switch ((enum luna_arg_kind)arg->kind) {
    case LUNA_A_INT: word.i = eval_int(p, e, arg->row); return word;
    case LUNA_A_REAL: word.d = eval_real(p, e, arg->row); return word;
    case LUNA_A_NAME:
        key_of(p, e, t->frame, arg->row, &k);
        word.p = name_ref_new(&k);
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

static void
expand_run(struct worker *w, const struct luna_site *site, struct task *t)
{
    const struct luna_program *p = w->node->program;
    const struct luna_sub *sub = &p->subs[site->callee];
    const struct luna_rules *r = rules_of(p, site);
    luna_env e = env_of(site, t);
    struct frame *f = frame_new(sub, site->callee, worker_new_id(w));
    if (!f) fault_nomem();
    for (unsigned i = 0; i < site->nargs; i++)
        f->word[i] = arg_word(p, &e, t, &p->args[site->arg + i]);
    for (uint32_t i = 0; r && i < r->nnfparam; i++) {
        const struct luna_nfarg *nf = &p->nfargs[r->nfparam + i];
        f->word[nf->word].i = eval_int(p, &e, nf->expr);
    }
    f->scope = t->frame->done ? t->frame : t->frame->scope;
    if (f->scope) frame_retain(f->scope);
    eval_drop_temps(&e);
    if (expand_keeps_task(p, site)) {
        f->done = task_new(w, site, t);
        if (!f->done) fault_nomem();
    } else {
        values_release(site, &e);
    }
    struct range *body = exec_body_range(f, sub->body);
    if (!body) fault_nomem();
    worker_later(w, &body->head);
}

/* ---- control ---- */

static void
if_run(struct worker *w, const struct luna_site *site, struct task *t)
{
    luna_env e = env_of(site, t);
    int yes = eval_true(w->node->program, &e, site->a);
    after(w, site, t, &e);
    eval_drop_temps(&e);
    values_release(site, &e);
    if (yes) worker_later(w, &range_new(w, t, site->nlocal, site->body)->head);
}

static void
for_run(struct worker *w, const struct luna_site *site, struct task *t)
{
    const struct luna_program *p = w->node->program;
    luna_env e = env_of(site, t);
    int32_t lo = eval_int(p, &e, site->a), hi = eval_int(p, &e, site->b);
    after(w, site, t, &e);
    eval_drop_temps(&e);
    values_release(site, &e);
    if (lo > hi) return;
    struct range *r = range_new(w, t, site->nlocal, site->body);
    r->head.flags = RANGE_COUNTER | (site->flags & LUNA_F_FRESH ? RANGE_FRESH : 0) |
                    (site->flags & LUNA_F_CARRIED ? RANGE_CARRIED : 0);
    r->i = lo;
    r->hi = hi;
    worker_later(w, &r->head);
}

static void
while_run(struct worker *w, const struct luna_site *site, struct task *t)
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

/* True when the loop goes on: `t` is then the next iteration's test. Takes the inputs, not the task. */
static bool
test_run(struct worker *w, const struct luna_site *site, struct task *t)
{
    const struct luna_program *p = w->node->program;
    unsigned c = test_counter(site);
    luna_env e = env_of(site, t);
    bool yes = eval_true(p, &e, site->a);
    if (yes) {
        struct range *r = range_new(w, t, c, site->body);
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
        if (w->many) worker_later(w, t);
        worker_later(w, &r->head);
        if (!w->many) worker_later(w, t);
        return true;
    }
    struct key k;
    const struct luna_arg *out = &p->args[site->arg];
    key_of(p, &e, t->frame, out->row, &k);
    if (out->post == LUNA_NONE || p->posts[out->post].kind != LUNA_P_DROP)
        put_ref(w, site, t, &e, out->row, &k, luna_v_of_int((int32_t)t->word[c].i),
                uses_of(p, &e, out->post));
    after(w, site, t, &e);
    eval_drop_temps(&e);
    values_release(site, &e);
    return false;
}

/* Does the work of a statement whose inputs are all here. True: the task lives on in a queue. */
static bool
site_run(struct worker *w, const struct luna_site *site, struct task *t)
{
    switch ((enum luna_site_kind)site->kind) {
    case LUNA_S_CALL: call_run(w, site, t); return false;
    case LUNA_S_EXPAND: expand_run(w, site, t); return false;
    case LUNA_S_FOR: for_run(w, site, t); return false;
    case LUNA_S_WHILE: while_run(w, site, t); return false;
    case LUNA_S_TEST: return test_run(w, site, t);
    case LUNA_S_IF: if_run(w, site, t); return false;
    }
    return false;
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
        a->t = task_new(a->w, a->site, a->t);
        if (!a->t) return NULL;
        a->draft = false;
        worker_waiting(a->w, 1);
        a->w->waits++;
    }
    return &a->t->link;
}

/* Asks for input t->at where it lives. True: the value is here. */
static inline bool
input_ask(struct asker *a, const struct luna_in *in, luna_env *e, const struct key *k)
{
    struct node *n = a->w->node;
    luna_value v;
    unsigned at = a->t->at;
    int home = n->nodes == 1 || in->kind == LUNA_IN_WAIT ? n->number : place_home(n, e, in->ref, k);
    enum store_want got = store_want(n->store, k, &v, asker_waits, a);
    if (got == WANT_HERE) {
        task_values(a->site, a->t)[at] = v;
        a->t->at++;
        return true;
    }
    if (got == WANT_NOMEM) fault_nomem();
    /* The task may be running elsewhere by now: only the key is touched from here on. */
    if (home != n->number) remote_request(a->w, home, k, got == WANT_FIRST);
    return false;
}

/* Asks for inputs from t->at on. True: all are here, and here is where the statement runs. False: it
 * waits or has left for another node, and is no longer ours. */
static inline bool
inputs_ask(struct asker *a)
{
    const struct luna_program *p = a->w->node->program;
    const struct luna_site *site = a->site;
    for (;;) {
        struct task *t = a->t;
        const struct luna_in *in = t->at < site->nin ? &p->ins[site->in + t->at] : NULL;
        if (a->w->node->nodes > 1 && !(t->flags & TASK_PLACED) && (!in || in->kind != LUNA_IN_NODE) &&
            !place_task(a->w, site, t, a->draft))
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
static void
task_go_on(struct worker *w, struct task *t)
{
    struct asker a = {w, &w->node->program->sites[t->site], t, false};
    if (!inputs_ask(&a)) return;
    t->kind = TASK_READY;
    worker_ready(w, t);
}

void
exec_task(struct worker *w, struct task *t)
{
    const struct luna_site *site = &w->node->program->sites[t->site];
    if (t->kind == TASK_START) {
        struct asker a = {w, site, t, false};
        worker_waiting(w, 1); /* a task on the heap counts as waiting until it runs */
        if (!inputs_ask(&a)) return;
    }
    worker_waiting(w, -1);
    struct frame *f = t->frame;
    if (site_run(w, site, t)) return;
    task_free(site, t);
    frame_drop(w, f);
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
    if (site->nin || w->node->nodes > 1) {
        struct asker a = {w, site, d, true};
        if (!inputs_ask(&a)) return;
    }
    /* Statements that put themselves back into a queue never come here: a TEST is always on the heap. */
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
    return r->i++ == r->hi;
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
    range_free(w, r);
}

enum { RANGE_CHUNK = 32, RANGE_SPLIT_MIN = 8 };

/* Gives thieves half of what is left, when they have nothing else to take here. */
static void
range_split(struct worker *w, struct range *r)
{
    if ((r->head.flags & (RANGE_COUNTER | RANGE_CARRIED)) != RANGE_COUNTER || r->next_site ||
        (int64_t)r->hi - r->i < RANGE_SPLIT_MIN || !deque_empty(&w->ranges))
        return;
    struct range *half = pool_get(pool_class(range_bytes(r->head.at)));
    if (!half) return;
    memcpy(half, r, range_bytes(r->head.at));
    int32_t middle = (int32_t)(r->i + ((int64_t)r->hi - r->i) / 2);
    half->i = middle + 1;
    r->hi = middle;
    frame_retain(half->head.frame);
    worker_later(w, &half->head);
}

/* Many workers: children until one yields a range of its own (that one first, the rest of this later)
 * or calls have become ready. */
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
        if (site->kind != LUNA_S_CALL && !last) {
            /* Whatever it spawns goes on top of the rest. The rest may be stolen and end before: keep
             * the frame alive for the spawn. */
            struct frame *f = r->head.frame;
            struct range hold = {.head = {.frame = f}};
            frame_retain(f);
            worker_later(w, &r->head);
            spawn(w, row, site, &hold);
            frame_drop(w, f);
            return;
        }
        spawn(w, row, site, r);
        while (w->next) {
            struct task *t = w->next;
            w->next = NULL;
            exec_task(w, t);
        }
        if (last) {
            range_free(w, r);
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
    task_free(site, t);
}
