/* unroll_eval.c - see unroll.h: rows and nodes as numbers, names of fragments. */
#include "lang/unroll/unroll_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct unroll_value unknown = {.kind = UNROLL_UNKNOWN};

static int32_t
cut(int64_t x)
{
    return (int32_t)(uint32_t)(uint64_t)x;
}

static struct unroll_value
of_int(int64_t i)
{
    return (struct unroll_value){.kind = UNROLL_INT, .u.i = cut(i)};
}

static struct unroll_value
of_real(double d)
{
    return (struct unroll_value){.kind = UNROLL_REAL, .u.d = d};
}

static double
as_real(struct unroll_value v)
{
    return v.kind == UNROLL_REAL ? v.u.d : (double)v.u.i;
}

static struct unroll_value
to_int(struct unroll_value v)
{
    if (v.kind != UNROLL_REAL) return v;
    return v.u.d > -2147483649.0 && v.u.d < 2147483648.0 ? of_int((int64_t)v.u.d) : unknown;
}

bool
unroll_true(struct unroll_value v)
{
    return v.kind == UNROLL_REAL ? fabs(v.u.d) >= 1 : v.u.i != 0;
}

/* ---- words ---- */

static struct unroll_value
frame_word(const struct unroll_instance *x, unsigned word)
{
    struct unroll_value v = x->frame->word[word];
    if (v.kind != UNROLL_UNKNOWN) return v;
    const struct symbol *p = x->u->plan->subs.row[x->frame->sub].sub->params;
    for (unsigned i = 0; p && i < word; i++) p = p->next;
    x->u->site = NULL;
    x->u->param = p;
    return v;
}

static struct unroll_value
input(const struct unroll_instance *x, unsigned number)
{
    struct unroll_name name;
    int32_t v;
    const struct plan_in *in = &x->u->plan->ins.row[x->site->in + number];
    struct unroll_value known;
    if (unroll_value_beyond(x, in, &known)) return known;
    if (x->u->setup->nlets && in->part == PLAN_NONE) {
        unroll_name_of(x, in->ref, &name);
        if (unroll_let_of(x->u, &name, &v)) return of_int(v);
    }
    x->u->site = x->site;
    x->u->input = number;
    return unknown;
}

static struct unroll_value
word(const struct unroll_instance *x, enum space space, unsigned word, const int32_t *index)
{
    switch (space) {
    case FROM_LOCAL: return x->local[word];
    case FROM_FRAME: return frame_word(x, word);
    case FROM_IX: return of_int(index[word]);
    }
    return unknown;
}

/* ---- nodes ---- */

static struct unroll_value
affine(const struct unroll_instance *x, const struct affine *a, const int32_t *index)
{
    uint32_t sum = (uint32_t)a->k;
    for (int i = 0; i < a->n; i++) {
        struct unroll_value v = word(x, (enum space)a->term[i].space, a->term[i].word, index);
        if (v.kind != UNROLL_INT) return unknown;
        sum += a->term[i].coefficient * (uint32_t)v.u.i;
    }
    return of_int((int32_t)sum);
}

static struct unroll_value
of_ints(const struct unroll_instance *x, enum op op, int64_t a, int64_t b)
{
    switch (op) {
    case OP_LT: return of_int(a < b);
    case OP_LE: return of_int(a <= b);
    case OP_EQ: return of_int(a == b);
    case OP_NE: return of_int(a != b);
    case OP_GT: return of_int(a > b);
    case OP_GE: return of_int(a >= b);
    case OP_ADD: return of_int(a + b);
    case OP_SUB: return of_int(a - b);
    case OP_MUL: return of_int(a * b);
    case OP_DIV:
    case OP_MOD:
        if (b) return of_int(op == OP_DIV ? a / b : a % b);
        x->u->site = NULL;
        x->u->by_zero = true;
        return unknown;
    case OP_AND:
    case OP_OR: break;
    }
    return unknown;
}

static struct unroll_value
of_reals(enum op op, double a, double b)
{
    switch (op) {
    case OP_LT: return of_int(a < b);
    case OP_LE: return of_int(a <= b);
    case OP_EQ: return of_int(a == b);
    case OP_NE: return of_int(a != b);
    case OP_GT: return of_int(a > b);
    case OP_GE: return of_int(a >= b);
    case OP_ADD: return of_real(a + b);
    case OP_SUB: return of_real(a - b);
    case OP_MUL: return of_real(a * b);
    case OP_DIV: return of_real(a / b);
    case OP_MOD: return of_real(fmod(a, b));
    case OP_AND:
    case OP_OR: break;
    }
    return unknown;
}

static struct unroll_value node(const struct unroll_instance *x, const struct expr_node *n,
                                const int32_t *index);

static struct unroll_value
operation(const struct unroll_instance *x, const struct expr_node *n, const int32_t *index)
{
    struct unroll_value a = node(x, n->a, index);
    bool logic = n->op == OP_OR || n->op == OP_AND, decides = n->op == OP_OR;
    if (logic && a.kind && unroll_true(a) == decides) return of_int(decides);
    if (!a.kind && !logic) return a;
    struct unroll_value b = node(x, n->b, index);
    if (logic && b.kind && (a.kind || unroll_true(b) == decides)) return of_int(unroll_true(b));
    if (!b.kind || logic) return unknown;
    bool ints = a.kind == UNROLL_INT && b.kind == UNROLL_INT;
    return ints ? of_ints(x, n->op, a.u.i, b.u.i) : of_reals(n->op, as_real(a), as_real(b));
}

static struct unroll_value
owner(const struct unroll_instance *x, const struct expr_node *n, const int32_t *index)
{
    const struct expr_node *of[] = {n->a, n->b, n->c};
    int32_t at[3] = {0};
    for (int i = 0; i < 3 && of[i]; i++) {
        struct unroll_value v = to_int(node(x, of[i], index));
        if (!v.kind) return v;
        at[i] = (int32_t)v.u.i;
    }
    int node = x->u->setup->owner ? x->u->setup->owner(x->u->setup->who, at) : 0;
    if (node < 0) unroll_fail(x, NULL, "node() asks for a cell outside the lattice");
    return of_int(node);
}

static struct unroll_value
node(const struct unroll_instance *x, const struct expr_node *n, const int32_t *index)
{
    struct unroll_value v;
    if (n->affine) return affine(x, n->affine, index);
    switch (n->kind) {
    case N_REAL: return of_real(n->real);
    case N_LOCAL: return word(x, FROM_LOCAL, n->word, index);
    case N_IX: return word(x, FROM_IX, n->word, index);
    case N_FRAME:
    case N_FREAL:
    case N_FVALUE: return frame_word(x, n->word);
    case N_IN: return input(x, n->word);
    case N_BIN: return operation(x, n, index);
    case N_NEG:
        v = node(x, n->a, index);
        return v.kind == UNROLL_INT ? of_int(-v.u.i) : v.kind ? of_real(-v.u.d) : v;
    case N_NOT:
        v = node(x, n->a, index);
        return v.kind ? of_int(!unroll_true(v)) : v;
    case N_COND:
        v = node(x, n->a, index);
        if (!v.kind) return v;
        v = node(x, unroll_true(v) ? n->b : n->c, index);
        return v.kind == UNROLL_INT && n->type == C_REAL ? of_real(as_real(v)) : v;
    case N_TO_INT: return to_int(node(x, n->a, index));
    case N_TO_REAL:
        v = node(x, n->a, index);
        return v.kind ? of_real(as_real(v)) : v;
    case N_NODES: return of_int(x->u->setup->nodes);
    case N_OWNER: return owner(x, n, index);
    case N_INT:
    case N_STRING:
    case N_OUT:
    case N_JOIN:
    case N_TO_STRING: break;
    }
    x->u->site = NULL;
    return unknown;
}

/* ---- rows ---- */

static struct unroll_value
terms(const struct unroll_instance *x, const struct plan_expr *e)
{
    uint32_t sum = (uint32_t)e->k;
    for (uint32_t i = 0; i < e->a; i++) {
        const struct plan_term *t = &x->u->plan->terms.row[e->terms + i];
        struct unroll_value v = t->in_frame ? frame_word(x, t->word) : x->local[t->word];
        if (v.kind != UNROLL_INT) return unknown;
        sum += (uint32_t)t->coefficient * (uint32_t)v.u.i;
    }
    return of_int((int32_t)sum);
}

/* As eval.c of the runtime does. */
static struct unroll_value
placed(const struct unroll_instance *x, const struct plan_expr *e, const int32_t *index)
{
    struct unroll_value v = unroll_eval(x, e->terms, index);
    if (v.kind != UNROLL_INT) return unknown;
    int32_t i = (int32_t)v.u.i;
    if (e->kind == PE_MODULO) return of_int(i % e->k < 0 ? i % e->k + e->k : i % e->k);
    if (e->kind == PE_SIDE) return of_int(i < 1 ? 1 : i > e->a ? e->a : i);
    struct unroll_value n = unroll_eval(x, (uint32_t)e->k, index);
    if (n.kind != UNROLL_INT) return unknown;
    return n.u.i > e->a ? of_int((int64_t)i * e->a / n.u.i) : v;
}

struct unroll_value
unroll_eval(const struct unroll_instance *x, uint32_t row, const int32_t *index)
{
    const struct plan_expr *e = &x->u->plan->exprs.row[row];
    struct unroll_value v;
    switch (e->kind) {
    case PE_INT: return of_int(e->k);
    case PE_REAL: return of_real(e->real);
    case PE_LOCAL: v = x->local[e->a]; break;
    case PE_FRAME: v = frame_word(x, e->a); break;
    case PE_IX: return of_int((int64_t)index[e->a] + e->k);
    case PE_IN: return input(x, e->a);
    case PE_FREAL:
    case PE_FVALUE: return frame_word(x, e->a);
    case PE_AFFINE: return terms(x, e);
    case PE_QUOTIENT:
        v = unroll_eval(x, e->terms, index);
        return v.kind == UNROLL_INT ? of_int(v.u.i / e->k) : unknown;
    case PE_MODULO:
    case PE_SCALED:
    case PE_SIDE: return placed(x, e, index);
    case PE_INT_FN:
        v = to_int(node(x, e->node, index));
        return v.kind && e->truth ? of_int(unroll_true(v)) : v;
    case PE_REAL_FN:
    case PE_VALUE_FN: return node(x, e->node, index);
    default: x->u->site = NULL; return unknown;
    }
    return v.kind == UNROLL_INT ? of_int(v.u.i + e->k) : v;
}

/* ---- what must be known ---- */

const char *
unroll_place(const struct plan *p, uint32_t place, char *text, size_t size)
{
    const struct plan_place *at = &p->places.row[place];
    snprintf(text, size, "%s:%" PRIu32 ":%u", p->files.row[at->file], at->line, at->col);
    return text;
}

const char *
unroll_text(const struct plan *p, const struct unroll_name *name, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "%s", p->dfs.row[name->decl].name);
    for (uint32_t i = 0; i < name->n && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "[%" PRId32 "]", name->index[i]);
    return text;
}

void
unroll_no_memory(const struct unroll_instance *x)
{
    x->u->no_memory = true;
    longjmp(x->u->failed, 1);
}

void
unroll_fail(const struct unroll_instance *x, const char *hint, const char *fmt, ...)
{
    struct unroll_fault *f = x->u->fault;
    char place[300];
    int n = snprintf(f->text, sizeof f->text, "%s: ",
                     unroll_place(x->u->plan, x->site->place, place, sizeof place));
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(f->text + n, sizeof f->text - (size_t)n, fmt, ap);
    va_end(ap);
    snprintf(f->hint, sizeof f->hint, "%s", hint ? hint : "");
    longjmp(x->u->failed, 1);
}

static _Noreturn void
fail_value(const struct unroll_instance *x, const char *what)
{
    const struct unroll *u = x->u;
    char text[200], hint[300];
    struct unroll_name name;
    if (u->by_zero) unroll_fail(x, NULL, "%s is divided by 0", what);
    if (u->site) {
        const struct plan_in *in = &u->plan->ins.row[u->site->in + u->input];
        unroll_name_of(x, in->ref, &name);
        unroll_text(u->plan, &name, text, sizeof text);
        if (in->part != PLAN_NONE)
            unroll_fail(x, NULL, "%s follows from a part of '%s', which a plan does not compute",
                        what, text);
        snprintf(hint, sizeof hint, "if you know it, give it: --let '%s=INT'%s%s%s", text,
                 name.n ? ", or for all of its fragments --let " : "",
                 name.n ? u->plan->dfs.row[name.decl].name : "", name.n ? "=INT" : "");
        unroll_fail(x, hint, "%s follows from the value of '%s', which a plan does not compute",
                    what, text);
    }
    unroll_fail(x,
                u->param ? "the call hands a fragment to it: give that one, --let NAME=INT, or "
                           "hand an int of counters and arguments"
                         : NULL,
                "%s is a value%s%s%s, which a plan does not compute", what,
                u->param ? ", that of '" : "", u->param ? u->param->name.text : "",
                u->param ? "'" : "");
}

int32_t
unroll_known(const struct unroll_instance *x, struct unroll_value v, const char *what)
{
    v = to_int(v);
    if (!v.kind && x->u->by_zero && x->u->perhaps) return 0;
    if (!v.kind) fail_value(x, what);
    return (int32_t)v.u.i;
}

void
unroll_perhaps(const struct unroll_instance *x, bool on)
{
    x->u->perhaps = on;
}

void
unroll_forget(struct unroll *u)
{
    u->site = NULL;
    u->param = NULL;
    u->by_zero = false;
}

int32_t
unroll_int(const struct unroll_instance *x, uint32_t row, const int32_t *index)
{
    unroll_forget(x->u);
    return unroll_known(x, unroll_eval(x, row, index), "a node");
}

bool
unroll_real(const struct unroll_instance *x, uint32_t row, double *out)
{
    struct unroll_value v = unroll_eval(x, row, NULL);
    if (v.kind) *out = as_real(v);
    return v.kind;
}

/* ---- names ---- */

uint32_t
unroll_decl_of(const struct unroll_instance *x, uint32_t ref, uint32_t *nindices)
{
    const struct plan_ref *r = &x->u->plan->refs.row[ref];
    const struct unroll_name *brought = r->base == PB_PARAM ? x->frame->name[r->word] : NULL;
    *nindices = r->nindices + (brought ? brought->n : 0);
    return brought ? brought->decl : r->df;
}

static struct unroll_value
captured(const struct unroll_instance *x, const struct plan_capture *c)
{
    if (c->from == PF_LOCAL) return x->local[c->word];
    if (c->from == PF_FRAME) return x->frame->word[c->word];
    const struct unroll_name *name = x->frame->name[c->word];
    return (struct unroll_value){UNROLL_INT, {.i = c->index < name->n ? name->index[c->index] : 0}};
}

static void
capture(const struct unroll_instance *x, struct unroll_name *out)
{
    const struct plan *p = x->u->plan;
    uint32_t about = p->dfs.row[out->decl].about;
    out->ncaptured = about == PLAN_NONE ? 0 : p->abouts.row[about].ncaptures;
    for (uint32_t i = 0; i < out->ncaptured; i++) {
        const struct plan_capture *c = &p->captures.row[p->abouts.row[about].capture + i];
        out->captured[i] = captured(x, c);
    }
}

/* The head of a name, without what is captured. */
static void
head_of(const struct unroll_instance *x, const struct plan_ref *r, struct unroll_name *out)
{
    const struct unroll_name *brought = r->base == PB_PARAM ? x->frame->name[r->word] : NULL;
    if (brought) {
        out->id = brought->id;
        out->decl = brought->decl;
        out->n = brought->n;
        out->ncaptured = brought->ncaptured;
        memcpy(out->index, brought->index, brought->n * sizeof *out->index);
        memcpy(out->captured, brought->captured, brought->ncaptured * sizeof *out->captured);
        return;
    }
    out->decl = r->df;
    out->id = r->base == PB_LOCAL_ID ? (uint64_t)x->local[r->word].u.i : x->frame->id;
    out->n = 0;
    capture(x, out);
}

void
unroll_name_of(const struct unroll_instance *x, uint32_t ref, struct unroll_name *out)
{
    const struct plan_ref *r = &x->u->plan->refs.row[ref];
    x->u->instances++;
    head_of(x, r, out);
    if (out->n + r->nindices > UNROLL_INDICES_MAX)
        unroll_fail(x, NULL, "'%s' has more than %d indices", x->u->plan->dfs.row[out->decl].name,
                    UNROLL_INDICES_MAX);
    for (uint32_t i = 0; i < r->nindices; i++) {
        unroll_forget(x->u);
        out->index[out->n] =
            unroll_known(x, unroll_eval(x, r->index + i, NULL), "an index");
        out->n++;
    }
    if (x->u->repeat) unroll_repeat_note(x, out);
}

struct unroll_frame
unroll_captured(const struct unroll_instance *x, const struct unroll_name *name)
{
    struct unroll_frame frame = *x->frame;
    frame.word = (struct unroll_value *)name->captured;
    return frame;
}

bool
unroll_cell(const struct unroll_instance *x, const struct unroll_name *name, int32_t *at)
{
    const struct plan *p = x->u->plan;
    uint32_t about = plan_bound_of(p, name->decl);
    if (about == PLAN_NONE) return false;
    const struct plan_about *c = &p->abouts.row[about];
    struct unroll_frame frame = unroll_captured(x, name);
    struct unroll_instance inner = {x->u, x->site, &frame, NULL, false};
    if (name->n != c->nindices)
        unroll_fail(x, NULL, "'%s' has %" PRIu32 " indices, but %" PRIu32 " in its cell rule",
                    p->dfs.row[name->decl].name, name->n, c->nindices);
    for (uint32_t d = 0; d < p->nextents; d++) {
        unroll_forget(x->u);
        struct unroll_value v = unroll_eval(&inner, c->cell + d, name->index);
        at[d] = unroll_known(x, v, "a cell");
    }
    return true;
}

bool
unroll_bytes(const struct unroll_instance *x, const struct unroll_name *name, int32_t *bytes)
{
    const struct plan *p = x->u->plan;
    uint32_t row = p->dfs.row[name->decl].about;
    const struct plan_about *c = row == PLAN_NONE ? NULL : &p->abouts.row[row];
    if (!c || c->bytes == PLAN_NONE || c->nindices != name->n) return false;
    struct unroll_frame frame = unroll_captured(x, name);
    struct unroll_instance inner = {x->u, x->site, &frame, NULL, false};
    unroll_forget(x->u);
    *bytes = unroll_known(x, unroll_eval(&inner, c->bytes, name->index), "a size");
    return true;
}

/* ---- lets ---- */

static bool
is_called(const struct plan *p, const struct plan_decl *d, const char *name)
{
    const char *dot = strchr(name, '.'), *sub = p->subs.row[d->sub].sub->name.text;
    if (!dot) return !strcmp(name, d->name);
    size_t n = (size_t)(dot - name);
    return strlen(sub) == n && !strncmp(sub, name, n) && !strcmp(dot + 1, d->name);
}

bool
unroll_let_of(const struct unroll *u, const struct unroll_name *name, int32_t *value)
{
    const struct plan_decl *d = &u->plan->dfs.row[name->decl];
    bool found = false;
    for (int i = 0; i < u->setup->nlets; i++) {
        struct unroll_let *let = &u->setup->lets[i];
        bool all = !let->n && !found;
        bool one = let->n && (uint32_t)let->n == name->n &&
                   !memcmp(let->index, name->index, name->n * sizeof *name->index);
        if ((!all && !one) || !is_called(u->plan, d, let->name)) continue;
        *value = let->value;
        let->used = found = true;
    }
    return found;
}
