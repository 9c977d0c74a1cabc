/* access.c - see access.h: the walk over the plan. Knows what sites do, not what follows. */
#include "lang/prove/access.h"

#include "lang/prove/around.h"
#include "lang/prove/shape.h"
#include "runtime/base/vec.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ACCESSES_MAX = 200 };

/* ---- what words stand for ---- */

static int
new_fixed(struct walk *w, struct fixed x, struct interval r)
{
    struct arena *a = w->forms.arena;
    int ranges = w->nfixed;
    vec_need(a, w->fixed, w->nfixed, w->fixed_room);
    vec_need(a, w->ranges, ranges, w->ranges_room);
    w->fixed[w->nfixed] = x;
    w->ranges[w->nfixed] = r;
    w->forms.symbols = w->ranges;
    return w->nfixed++;
}

/* Ints that somebody tests, or, where `any`, nobody. */
static struct interval
whole_box(const struct walk *w, bool any)
{
    return any ? (struct interval){INT32_MIN, INT32_MAX}
               : (struct interval){-w->o.box, w->o.box - 1};
}

enum { WHILE_ROOM = 1 << 16 };

/* A while that begins with a small int is taken to end before it comes near the largest one, which
 * is minutes away: so its counter plus some is an int. */
static struct interval
end_box(const struct walk *w, const struct sums *from)
{
    struct interval r = whole_box(w, w->o.wide);
    if (w->o.wide && from->hi < 1 << 24) r.hi -= WHILE_ROOM;
    if (from->lo > r.lo && from->lo <= r.hi) r.lo = from->lo;
    return r;
}

static const char *
word_name(const struct sub *s, uint32_t word)
{
    const struct symbol *p = s->params;
    uint32_t n = (uint32_t)s->nparams;
    if (word >= n) p = s->nfparams;
    for (word = word >= n ? word - n : word; p && word; word--) p = p->next;
    return p ? p->name.text : "?";
}

const struct sums *
access_word(struct walk *w, uint32_t word)
{
    for (int i = 0; i < w->nfixed; i++)
        if (w->fixed[i].kind <= FIXED_PARAM && w->fixed[i].word == word)
            return form_of_column(&w->forms, SETS_SYMBOL, i);
    bool main = w->sub == w->plan->main && !w->o.main_called;
    if (main && w->o.args && w->o.args->known[word]) {
        w->asked[word] = true;
        return form_of_int(&w->forms, w->o.args->value[word]);
    }
    if (w->o.given && w->o.given[w->sub].known[word])
        return form_of_int(&w->forms, w->o.given[w->sub].value[word]);
    struct fixed x = {.kind = main ? FIXED_MAIN : FIXED_PARAM,
                      .word = word,
                      .name = word_name(w->plan->subs.row[w->sub].sub, word)};
    return form_of_column(&w->forms, SETS_SYMBOL, new_fixed(w, x, whole_box(w, false)));
}

static const struct sums *
frame_word(void *who, unsigned word)
{
    struct walk *w = who;
    if (!w->env->outer) return access_word(w, word);
    if (!w->env->frame[word]) w->forms.lack = w->env->lack[word];
    return w->env->frame[word];
}

static const struct sums *
local_word(void *who, unsigned word)
{
    const struct walk *w = who;
    return w->env->local[word];
}

uint32_t
access_param(const struct plan *p, uint32_t word)
{
    return p->dfs.n + word;
}

const char *
access_name(const struct walk *w, uint32_t decl)
{
    const struct plan *p = w->plan;
    return decl < p->dfs.n ? p->dfs.row[decl].name
                           : word_name(p->subs.row[w->sub].sub, decl - p->dfs.n);
}

/* What a reference stands for here. False: for no DF of the sub. */
static bool
resolve(struct walk *w, uint32_t ref, struct bound *out)
{
    const struct plan_ref *r = &w->plan->refs.row[ref];
    struct arena *a = w->forms.arena;
    unsigned words = r->base == PB_LOCAL_ID ? r->word : 0;
    const struct bound *name = NULL;
    bool known = true;
    *out = (struct bound){.decl = r->df};
    if (r->base == PB_PARAM) {
        name = &w->env->names[r->word];
        if (name->decl == PLAN_NONE) return false;
        out->decl = name->decl;
        words = (unsigned)name->n;
        out->hidden = name->hidden;
    } else if (w->env->outer) {
        return false;
    }
    out->index = arena_array(a, const struct sums *, words + r->nindices + 1);
    for (unsigned i = 0; i < words; i++) {
        const struct sums *v = name ? name->index[i] : w->env->local[i];
        if (v || name) out->index[out->n++] = v; /* NULL: a local that is no counter */
        known &= v || !name;
    }
    if (!name) out->hidden = out->n;
    else out->lack = name->lack;
    for (uint32_t i = 0; i < r->nindices; i++) {
        const struct sums *v = form_of_row(&w->forms, w->plan, r->index + i);
        if (known && !v) out->lack = w->forms.lack;
        known &= v != NULL;
        out->index[out->n++] = v;
    }
    return true;
}

/* What a reference stands for, if that is one fragment of the whole activation. */
static bool
resolve_lone(struct walk *w, uint32_t ref, struct lone_fragment *out)
{
    const struct plan_ref *r = &w->plan->refs.row[ref];
    struct env *env = w->env;
    struct bound b;
    if (resolve(w, ref, &b)) {
        while (env->outer) env = (struct env *)env->outer;
    } else {
        if (r->base != PB_FRAME_ID || nesting_loops(env->call)) return false;
        b = (struct bound){.decl = r->df};
        b.index = arena_array(w->forms.arena, const struct sums *, r->nindices + 1);
        for (uint32_t i = 0; i < r->nindices; i++)
            b.index[b.n++] = form_of_row(&w->forms, w->plan, r->index + i);
    }
    int64_t *index = arena_array(w->forms.arena, int64_t, (size_t)b.n + 1);
    for (int i = 0; i < b.n; i++) {
        const struct sums *f = b.index[i];
        if (!f || f->n != 1 || f->pieces[0].sum.n || f->pieces[0].conds) return false;
        index[i] = f->pieces[0].sum.k;
    }
    *out = (struct lone_fragment){env, b.decl, b.n, index};
    return true;
}

bool
access_lone_same(const struct lone_fragment *a, const struct lone_fragment *b)
{
    return a->env == b->env && a->decl == b->decl && a->n == b->n &&
           !memcmp(a->index, b->index, sizeof *a->index * (size_t)a->n);
}

/* A fragment is assigned once, so what one with constant indices holds is one number. */
static const struct sums *
input_word(void *who, unsigned number)
{
    struct walk *w = who;
    struct lone_fragment of;
    if (number >= w->site->nin) return NULL;
    const struct plan_in *in = &w->plan->ins.row[w->site->in + number];
    if (in->part != PLAN_NONE || !resolve_lone(w, in->ref, &of)) return NULL;
    for (int i = 0; i < w->nfixed; i++)
        if (w->fixed[i].kind >= FIXED_VALUE && access_lone_same(&w->fixed[i].of, &of))
            return form_of_column(&w->forms, SETS_SYMBOL, i);
    struct fixed x = {.kind = FIXED_VALUE, .of = of, .name = access_name(w, of.decl)};
    return form_of_column(&w->forms, SETS_SYMBOL, new_fixed(w, x, whole_box(w, w->o.wide)));
}

/* ---- comparisons ---- */

enum { TRUTHS_MAX = 24, COMPARISON_MAX = 1024 };

/* Of a fixed size, for the arena may jump meanwhile: nothing is to be freed. */
struct comparison {
    char text[COMPARISON_MAX];
    size_t size; /* without the 0; COMPARISON_MAX: it was too long */
};

__attribute__((format(printf, 2, 3))) static void
put(struct comparison *c, const char *fmt, ...)
{
    size_t room = sizeof c->text - c->size;
    va_list ap;
    va_start(ap, fmt);
    int n = room ? vsnprintf(c->text + c->size, room, fmt, ap) : 0;
    va_end(ap);
    c->size += n < 0 || (size_t)n >= room ? room : (size_t)n;
}

/* A text that is equal for equal values; false: they differ from instance to instance. */
static bool
put_operand(struct walk *w, const struct expr_node *n, struct comparison *out)
{
    struct lone_fragment of;
    switch (n->kind) {
    case N_INT:
        put(out, "%d", n->affine->k);
        return true;
    case N_REAL:
        put(out, "%a", n->real);
        return true;
    case N_FRAME:
    case N_FREAL:
    case N_FVALUE:
        put(out, "F%u", (unsigned)n->word);
        return !nesting_loops(w->env->call);
    case N_IN:
        if (n->word >= w->site->nin) return false;
        const struct plan_in *in = &w->plan->ins.row[w->site->in + n->word];
        if (in->part != PLAN_NONE || !resolve_lone(w, in->ref, &of)) return false;
        put(out, "%u", (unsigned)of.decl);
        for (int i = 0; i < of.n; i++) put(out, "[%lld]", (long long)of.index[i]);
        put(out, "%s", of.env == w->env ? "" : "o"); /* one sub's activation, or the outermost */
        return of.env == w->env || !of.env->outer;
    case N_NEG:
    case N_TO_INT:
    case N_TO_REAL:
        put(out, "%d(", (int)n->kind);
        if (!put_operand(w, n->a, out)) return false;
        put(out, ")");
        return true;
    case N_BIN:
        put(out, "(");
        if (!put_operand(w, n->a, out)) return false;
        put(out, ")%d(", (int)n->op);
        if (!put_operand(w, n->b, out)) return false;
        put(out, ")");
        return true;
    default:
        return false;
    }
}

/* One that put_operand() knows, as it is written. */
static const char *
operand_text(struct walk *w, const struct expr_node *n, bool inner)
{
    struct arena *a = w->forms.arena;
    struct lone_fragment of;
    const char *text;
    switch (n->kind) {
    case N_INT:
        return arena_printf(a, "%d", n->affine->k);
    case N_REAL:
        return arena_printf(a, "%g", n->real);
    case N_IN:
        resolve_lone(w, w->plan->ins.row[w->site->in + n->word].ref, &of);
        text = access_name(w, of.decl);
        for (int i = 0; i < of.n; i++)
            text = arena_printf(a, "%s[%lld]", text, (long long)of.index[i]);
        return text;
    case N_NEG:
        return arena_printf(a, "-%s", operand_text(w, n->a, true));
    case N_TO_INT:
        return arena_printf(a, "int(%s)", operand_text(w, n->a, false));
    case N_TO_REAL:
        return operand_text(w, n->a, inner);
    case N_BIN:
        return arena_printf(a, inner ? "(%s %s %s)" : "%s %s %s", operand_text(w, n->a, true),
                            ast_op_text(n->op), operand_text(w, n->b, true));
    default:
        return word_name(w->plan->subs.row[w->env->sub].sub, n->word);
    }
}

static struct span
span_of_condition(const struct walk *w)
{
    const struct stmt *s = w->site ? w->site->stmt : NULL;
    if (!s) return (struct span){0};
    return s->kind == S_IF || s->kind == S_WHILE ? s->cond->span : s->span;
}

static int
find_truth(const struct walk *w, enum op op, const char *left, const char *right, int *truths)
{
    for (int i = 0; i < w->nfixed; i++) {
        const struct truth *t = w->fixed[i].truth;
        *truths += t != NULL;
        if (t && w->fixed[i].of.env == w->env && t->op == op && !strcmp(t->left, left) &&
            !strcmp(t->right, right))
            return i;
    }
    return -1;
}

static int
new_truth(struct walk *w, const struct truth *t, const struct expr_node *a,
          const struct expr_node *b)
{
    struct arena *arena = w->forms.arena;
    struct truth *own = arena_new_of(arena, struct truth);
    *own = *t;
    own->left = arena_strndup(arena, t->left, strlen(t->left));
    own->right = arena_strndup(arena, t->right, strlen(t->right));
    const char *name = arena_printf(arena, "%s %s %s", operand_text(w, a, true),
                                    ast_op_text(t->op), operand_text(w, b, true));
    struct fixed x = {.kind = FIXED_TRUTH,
                      .name = name,
                      .truth = own,
                      .of = {.env = w->env, .decl = PLAN_NONE}};
    return new_fixed(w, x, (struct interval){0, 1});
}

static const struct sums *
truth_word(void *who, enum op op, const struct expr_node *a, const struct expr_node *b)
{
    struct walk *w = who;
    struct comparison left = {.size = 0}, right = {.size = 0};
    int truths = 0;
    if (op == OP_EQ && (node_is_const(a) || a->kind == N_REAL)) {
        const struct expr_node *constant = a;
        a = b;
        b = constant;
    }
    bool known = put_operand(w, a, &left) && put_operand(w, b, &right) &&
                 left.size < sizeof left.text && right.size < sizeof right.text;
    if (!known) return NULL;
    int at = find_truth(w, op, left.text, right.text, &truths);
    if (at < 0 && truths == TRUTHS_MAX) return NULL;
    struct truth t = {.left = left.text,
                      .right = right.text,
                      .op = op,
                      .constant = node_is_const(b) || b->kind == N_REAL,
                      .value = b->kind == N_REAL ? b->real : node_is_const(b) ? b->affine->k : 0,
                      .span = span_of_condition(w)};
    if (at < 0) at = new_truth(w, &t, a, b);
    return form_of_column(&w->forms, SETS_SYMBOL, at);
}

/* ---- accesses ---- */

static struct touched *
target_of(struct walk *w, const struct bound *b)
{
    struct touched **at = &w->targets[b->decl];
    while (*at && (*at)->n != b->n) at = &(*at)->next;
    if (*at) return *at;
    struct touched *t = arena_new_of(w->forms.arena, struct touched);
    *t = (struct touched){.decl = b->decl, .n = b->n, .hidden = b->hidden};
    t->last_write = &t->writes;
    t->last_read = &t->reads;
    *w->last = t;
    w->last = &t->later;
    return *at = t;
}

bool
access_apart(const struct access *a, const struct access *b, int n)
{
    for (int i = 0; i < n; i++) {
        const struct sums *x = a->index[i], *y = b->index[i];
        if (x && y && (x->hi < y->lo || y->hi < x->lo)) return true;
    }
    return false;
}

int
access_loops(const struct access *x)
{
    return nesting_loops(x->at);
}

bool
access_many(const struct touched *t)
{
    int n = 0;
    for (const struct access *x = t->writes; x && n <= ACCESSES_MAX; x = x->next) n++;
    for (const struct access *x = t->reads; x && n <= ACCESSES_MAX; x = x->next) n++;
    return n > ACCESSES_MAX;
}

static struct nesting *
new_step(struct walk *w, const struct nesting *up, enum step_kind kind)
{
    struct nesting *s = arena_new_of(w->forms.arena, struct nesting);
    *s = (struct nesting){.up = up,
                          .kind = kind,
                          .site = w->site,
                          .env = w->env,
                          .visit = w->visit,
                          .loops = nesting_loops(up),
                          .sure = !up || up->sure};
    return s;
}

/* Of a read that has a value of its own beyond the shape. */
static const struct nesting *
within_step(struct walk *w, const struct nesting *at, const struct where *inside)
{
    struct nesting *s = new_step(w, at, STEP_WITHIN);
    s->where = inside;
    s->sure &= inside->exact;
    return s;
}

static struct access *
add_access(struct walk *w, const struct nesting *at, uint32_t ref, struct span span, bool write)
{
    struct bound b;
    struct within shape;
    if (!resolve(w, ref, &b)) return NULL;
    bool shaped = shape_look(w, &b, &shape), open = shaped && shape.open && !write;
    if (open) at = within_step(w, at, shape.inside);
    struct access *x = arena_new_of(w->forms.arena, struct access);
    *x = (struct access){.at = at,
                         .env = w->env,
                         .site = w->site,
                         .visit = w->visit,
                         .span = span,
                         .ref = ref,
                         .index = b.index,
                         .lack = b.lack,
                         .beyond = shaped ? shape.beyond : NULL,
                         .open = open,
                         .sure = !at || at->sure};
    for (int i = 0; i < b.n; i++) x->sure &= b.index[i] != NULL;
    struct touched *t = target_of(w, &b);
    struct access ***last = write ? &t->last_write : &t->last_read;
    **last = x;
    *last = &x->next;
    return x;
}

static void
add_flag(struct walk *w, uint32_t ref, unsigned flag)
{
    struct bound b;
    if (resolve(w, ref, &b)) w->flags[b.decl] |= (uint8_t)flag;
}

static void
add_write(struct walk *w, const struct nesting *at, uint32_t ref, uint32_t post, struct span span,
          int out)
{
    struct access *x = add_access(w, at, ref, span, true);
    if (!x) return;
    x->out = out;
    uint32_t home = w->plan->refs.row[ref].home;
    if (home != PLAN_NONE && w->plan->locators.row[home].kind != PL_CYCLIC)
        add_flag(w, ref, DECL_COPIED);
    enum plan_post_kind kind = post == PLAN_NONE ? PP_UNSAID : w->plan->posts.row[post].kind;
    x->said = kind != PP_UNSAID;
    x->ruled = kind > PP_KEEP;
    if (kind == PP_COUNT)
        x->promise = form_of_row(&w->forms, w->plan, w->plan->posts.row[post].count);
    if (kind == PP_DROP) add_flag(w, ref, DECL_DROPPED);
}

static void
add_inputs(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    for (uint16_t i = 0; i < s->nin; i++) {
        const struct plan_in *in = &w->plan->ins.row[s->in + i];
        if (in->kind == PI_WAIT)
            add_flag(w, in->ref, DECL_SENT);
        else
            add_access(w, at, in->ref, s->spans[i], false);
    }
}

static void
add_rules(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    if (s->rules == PLAN_NONE) return;
    const struct plan_rules *r = &w->plan->rules.row[s->rules];
    const struct expr *e = s->stmt->sets;
    for (uint32_t i = 0; i < r->nset; i++, e = e ? e->next : e)
        add_write(w, at, r->set + i, r->set_post == PLAN_NONE ? PLAN_NONE : r->set_post + i,
                  e ? e->span : s->stmt->span, -1);
    for (uint32_t i = 0; i < r->nkill; i++) add_flag(w, r->kill + i, DECL_KILLED);
    for (uint32_t i = 0; i < r->npush; i++)
        add_flag(w, w->plan->pushes.row[r->push + i].ref, DECL_SENT);
}

/* ---- the walk ---- */

static void walk_block(struct walk *w, uint32_t block, const struct nesting *at);

static int64_t
within_int(int64_t x)
{
    return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
}

/* The counter in word `word` goes from lo to hi. */
static struct nesting *
loop_step(struct walk *w, const struct nesting *up, unsigned word, const struct sums *lo,
          const struct sums *hi)
{
    struct nesting *s = new_step(w, up, STEP_LOOP);
    struct interval r = {lo ? within_int(lo->lo) : INT32_MIN, hi ? within_int(hi->hi) : INT32_MAX};
    if (r.hi < r.lo) r.hi = r.lo;
    int column = s->loops++;
    vec_need(w->forms.arena, w->counters, column, w->counters_room);
    w->counters[column] = r;
    w->forms.counters = w->counters;
    s->lo = lo;
    s->hi = hi;
    s->word = word;
    s->sure &= lo && hi;
    w->env->local[word] = form_of_column(&w->forms, SETS_FROM, column);
    return s;
}

static void
walk_for(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    const struct sums *from = form_of_row(&w->forms, w->plan, s->a);
    enum lack lack = w->forms.lack;
    const struct sums *to = form_of_row(&w->forms, w->plan, s->b);
    struct nesting *step = s->step > 0 ? loop_step(w, at, s->nlocal, from, to)
                                       : loop_step(w, at, s->nlocal, to, from);
    step->lack = from ? w->forms.lack : lack;
    if (s->step != 1) {
        step->on = form_steps(&w->forms, from, s->step);
        step->sure &= step->on != NULL;
    }
    if (s->flags & PF_FRESH) w->env->local[s->nlocal + 1] = NULL;
    walk_block(w, s->body, step);
}

static void
walk_branch(struct walk *w, const struct nesting *at, uint32_t block, bool other)
{
    struct nesting *step = new_step(w, at, STEP_IF);
    step->other = other;
    step->where = where_row(&w->forms, w->plan, w->site->a, !other);
    step->sure &= step->where->exact;
    walk_block(w, block, step);
}

static void
add_choice(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    if (w->env->outer || !s->stmt || s->stmt->settled) return;
    struct choice *c = arena_new_of(w->forms.arena, struct choice);
    *c = (struct choice){.at = at,
                         .site = s,
                         .yes = where_row(&w->forms, w->plan, s->a, true),
                         .no = where_row(&w->forms, w->plan, s->a, false)};
    if (!c->yes->exact || !c->no->exact) return;
    *w->last_choice = c;
    w->last_choice = &c->next;
}

static void
walk_if(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    int visit = w->visit;
    add_choice(w, at);
    walk_branch(w, at, s->body, false);
    w->site = s;
    w->visit = visit;
    if (s->b != PLAN_NONE) walk_branch(w, at, s->b, true);
}

/* Its counter takes all values from the start to the one for which the condition fails. That one is
 * a number of the activation if no loop is around. */
static void
walk_while(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    const struct plan_site *test = &w->plan->sites.row[w->plan->blocks.row[s->body].site];
    const struct sums *from = form_of_row(&w->forms, w->plan, s->a), *end = NULL, *last = NULL;
    if (from && !nesting_loops(at)) {
        struct fixed x = {.kind = FIXED_END, .from = from, .name = s->stmt->counter->name.text};
        x.of.decl = PLAN_NONE;
        w->site = test;
        if (test->nargs) resolve_lone(w, w->plan->args.row[test->arg].row, &x.of);
        w->site = s;
        int number = new_fixed(w, x, end_box(w, from));
        end = form_of_column(&w->forms, SETS_SYMBOL, number);
        last = form_add(&w->forms, end, -1);
        w->site = test;
        w->env->local[s->nlocal] = last;
        const struct where *goes = where_row(&w->forms, w->plan, test->a, true);
        w->fixed[number].goes = goes;
        w->site = s;
    }
    struct nesting *step = loop_step(w, at, s->nlocal, end ? end : from, end);
    w->site = test;
    if (test->nargs) {
        const struct plan_arg *out = &w->plan->args.row[test->arg];
        add_write(w, step, out->row, out->post, test->stmt->out->span, 0);
    }
    w->site = s;
    step = loop_step(w, at, s->nlocal, from, end);
    w->site = test;
    add_rules(w, step);
    add_inputs(w, step);
    w->site = s;
    step = loop_step(w, at, s->nlocal, from, last);
    if (test->flags & PF_FRESH) w->env->local[s->nlocal + 1] = NULL;
    walk_block(w, test->body, step);
}

/* Of a reduction or a list: behind its own words the elements see its ints, and behind them the
 * counters. The first counter's loop is the run-time's. */
static void
walk_elements(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    const struct plan_arg *args = &w->plan->args.row[s->arg];
    const struct sums **words = arena_array(w->forms.arena, const struct sums *, s->nargs);
    for (unsigned i = 1; i < s->nargs; i++) words[i] = form_of_row(&w->forms, w->plan, args[i].row);
    for (unsigned i = 1; i < s->nargs; i++) w->env->local[s->nlocal + i - 1] = words[i];
    unsigned counter = s->nlocal + s->nargs - 1u;
    walk_block(w, s->body, loop_step(w, at, counter, words[1], words[2]));
}

static void
walk_reduce(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    const struct plan_arg *out = &w->plan->args.row[s->arg];
    add_write(w, at, out->row, out->post, s->stmt->out->span, 0);
    walk_elements(w, at);
}

/* One element of a list that is assigned. */
static void
walk_term(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    if (!s->nargs) return;
    const struct plan_arg *arg = &w->plan->args.row[s->arg];
    const struct expr *list = plan_list(w->plan, &w->plan->sites.row[s->callee]);
    add_write(w, at, arg->row, arg->post, list->span, 0);
}

/* Its loops are seen as those of the call: that waits for all elements, and assigns them. */
static void
walk_lists(struct walk *w, const struct nesting *at)
{
    const struct plan_block *b = &w->plan->blocks.row[w->site->body];
    int visit = w->visit;
    for (uint32_t i = 0; i < b->nsites; i++) {
        w->site = &w->plan->sites.row[b->site + i];
        w->visit = visit;
        walk_elements(w, at);
    }
}

static void
walk_call(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    const struct expr *e = s->stmt->args;
    for (unsigned i = 0; i < s->nargs; i++, e = e->next) {
        const struct plan_arg *arg = &w->plan->args.row[s->arg + i];
        if (arg->kind == PA_NAME) add_write(w, at, arg->row, arg->post, e->span, (int)i);
    }
    if (s->body != PLAN_NONE) walk_lists(w, at);
}

/* ---- calls of structured subs ---- */

static const struct symbol *
param_at(const struct sub *s, unsigned n)
{
    const struct symbol *p = s->params;
    while (p && n--) p = p->next;
    return p;
}

/* What the parameters stand for. False: nothing of the sub that is looked at is handed on. */
static bool
bind(struct walk *w, struct env *inside, const struct sub *callee)
{
    const struct plan_site *s = w->site;
    bool any = false;
    for (unsigned i = 0; i < s->nargs; i++) {
        const struct plan_arg *arg = &w->plan->args.row[s->arg + i];
        inside->names[i].decl = PLAN_NONE;
        if (arg->kind == PA_INT) {
            inside->frame[i] = form_of_row(&w->forms, w->plan, arg->row);
            inside->lack[i] = w->forms.lack;
        }
        if (arg->kind != PA_NAME) continue;
        if (!resolve(w, arg->row, &inside->names[i])) {
            inside->names[i].decl = PLAN_NONE;
            continue;
        }
        any = true;
        if (param_at(callee, i)->told) w->flags[inside->names[i].decl] |= DECL_TOLD;
    }
    return any;
}

/* The call is not followed for argument `i`: it assigns what it was handed, or reads it, or nobody
 * knows. */
static void
summarise(struct walk *w, const struct env *inside, const struct nesting *at, unsigned i)
{
    const struct param_facts *f = &w->o.params[w->site->callee][i];
    const struct expr *e = w->site->stmt->args;
    for (unsigned k = i; k && e; k--) e = e->next;
    if (inside->names[i].decl == PLAN_NONE) return;
    if ((f->plain && f->once) || f->read) {
        struct access *x = add_access(w, at, w->plan->args.row[w->site->arg + i].row,
                                      e ? e->span : w->site->stmt->span, !f->read);
        x->sure = false;
        x->through = true;
        x->out = (int)i;
        return;
    }
    w->flags[inside->names[i].decl] |= DECL_VAGUE;
    w->o.lost[w->site->callee][i] = true;
}

static void
summarise_all(struct walk *w, const struct env *inside, const struct nesting *at)
{
    for (unsigned i = 0; i < w->site->nargs; i++) summarise(w, inside, at, i);
}

/* Whether all that it does to what it was handed is known without a look. */
static bool
is_plain_call(const struct walk *w, const struct env *inside)
{
    for (unsigned i = 0; i < w->site->nargs; i++) {
        const struct param_facts *f = &w->o.params[w->site->callee][i];
        bool known = (f->plain && f->once) || (f->read && w->o.closed);
        if (inside->names[i].decl != PLAN_NONE && !known) return false;
    }
    return true;
}

/* A call of a sub that is being followed goes round for ever only with names that come back to it:
 * without them it can be followed. False: there are no others. */
static bool
leave_out_round(struct walk *w, struct env *inside, const struct nesting *at)
{
    bool any = false;
    for (unsigned i = 0; i < w->site->nargs; i++) {
        if (!w->o.params[w->site->callee][i].ends) {
            summarise(w, inside, at, i);
            inside->names[i].decl = PLAN_NONE;
        }
        any |= inside->names[i].decl != PLAN_NONE;
    }
    return any;
}

static const struct where *
required(struct walk *w, const struct plan_sub *sub, uint32_t i, bool yes)
{
    return where_row(&w->forms, w->plan, w->plan->requires.row[sub->require + i].expr, yes);
}

static void
add_breaches(struct walk *w, struct env *inside, const struct nesting *at)
{
    const struct plan_sub *callee = &w->plan->subs.row[inside->sub];
    struct env *outer = w->env;
    if (at && !at->sure) return;
    w->env = inside;
    for (uint32_t i = 0; i < callee->nrequire; i++) {
        const struct where *where = required(w, callee, i, false);
        if (!where->exact) continue;
        struct breach *b = arena_new_of(w->forms.arena, struct breach);
        *b = (struct breach){w->breaches, at, where, w->site, inside, callee->require + i};
        w->breaches = b;
    }
    w->env = outer;
}

static void
add_called(struct walk *w, const struct nesting *step)
{
    if (w->env->outer) return;
    struct called *c = arena_new_of(w->forms.arena, struct called);
    c->step = step;
    *w->last_called = c;
    w->last_called = &c->next;
}

static void
walk_expand(struct walk *w, const struct nesting *at)
{
    const struct plan_site *s = w->site;
    const struct plan_sub *callee = &w->plan->subs.row[s->callee];
    struct arena *a = w->forms.arena;
    struct env *outer = w->env, *inside = arena_new_of(a, struct env);
    *inside = (struct env){.outer = outer, .sub = s->callee};
    inside->frame = arena_array(a, const struct sums *, callee->nwords + 1);
    inside->lack = arena_array(a, enum lack, callee->nwords + 1);
    inside->names = arena_array(a, struct bound, callee->nwords + 1);
    bool follow = bind(w, inside, callee->sub);
    struct nesting *step = new_step(w, at, STEP_CALL);
    step->inside = inside;
    inside->call = step;
    add_called(w, step);
    add_breaches(w, inside, at);
    if (!follow) return;
    if (!*w->o.calls || (w->o.summarised && is_plain_call(w, inside))) {
        summarise_all(w, inside, at);
        return;
    }
    bool active = w->active[s->callee];
    if (active && !leave_out_round(w, inside, at)) return;
    --*w->o.calls;
    inside->local = arena_array(a, const struct sums *, callee->nlocal_max + 2);
    w->active[s->callee] = true;
    w->env = inside;
    walk_block(w, callee->body, step);
    w->env = outer;
    w->active[s->callee] = active;
}

static void
walk_site(struct walk *w, const struct plan_site *s, const struct nesting *at)
{
    if (s->nin && !s->spans) return; /* made up: release.h */
    w->site = s;
    w->visit = ++w->visits;
    add_inputs(w, at);
    if (s->kind == PS_WHILE) {
        walk_while(w, at);
        return;
    }
    add_rules(w, at);
    switch (s->kind) {
    case PS_CALL:
        walk_call(w, at);
        break;
    case PS_EXPAND:
        walk_expand(w, at);
        break;
    case PS_FOR:
        walk_for(w, at);
        break;
    case PS_IF:
        walk_if(w, at);
        break;
    case PS_REDUCE:
        walk_reduce(w, at);
        break;
    case PS_TERM:
        walk_term(w, at);
        break;
    default:
        break;
    }
}

static void
walk_block(struct walk *w, uint32_t block, const struct nesting *at)
{
    const struct plan_block *b = &w->plan->blocks.row[block];
    const struct nesting *was = w->at;
    w->at = at;
    for (uint32_t i = 0; i < b->nsites; i++) walk_site(w, &w->plan->sites.row[b->site + i], at);
    w->at = was;
}

static bool
holds_here(void *who, const struct sum *sum)
{
    return around_holds(who, sum);
}

void
access_walk(struct walk *w, struct arena *a, const struct plan *p, uint32_t sub,
            const struct walk_options *o)
{
    const struct plan_sub *row = &p->subs.row[sub];
    struct env *env = arena_new_of(a, struct env);
    *w = (struct walk){.plan = p, .sub = sub, .o = *o};
    w->forms = (struct former){
        .arena = a, .local = local_word, .frame = frame_word, .input = input_word,
        .truth = truth_word, .holds = holds_here, .who = w};
    w->targets = arena_array(a, struct touched *, (size_t)p->dfs.n + row->nwords + 1);
    w->flags = arena_array(a, uint8_t, (size_t)p->dfs.n + row->nwords + 1);
    w->active = arena_array(a, bool, p->subs.n);
    w->asked = arena_array(a, bool, row->nwords + 1);
    w->last = &w->all;
    w->last_choice = &w->choices;
    w->last_called = &w->called;
    *env = (struct env){.sub = sub};
    env->names = arena_array(a, struct bound, row->nwords + 1);
    for (uint32_t i = 0; i < row->nwords; i++) {
        env->names[i].decl = access_param(p, i);
        w->flags[access_param(p, i)] = DECL_PARAM;
    }
    env->local = arena_array(a, const struct sums *, row->nlocal_max + 2);
    w->env = env;
    w->required = arena_array(a, const struct where *, row->nrequire + 1);
    for (; w->nrequired < row->nrequire; w->nrequired++)
        w->required[w->nrequired] = required(w, row, w->nrequired, true);
    w->active[sub] = true;
    for (uint32_t i = 0; i < p->dfs.n; i++)
        if (p->dfs.row[i].sub == sub && p->dfs.row[i].sym->told) w->flags[i] |= DECL_TOLD;
    walk_block(w, row->body, NULL);
}
