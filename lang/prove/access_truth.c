/* access_truth.c - comparisons as symbols of 0 and 1: what is compared is written down in words of
 * our own, and the same words are the same symbol. Knows nothing of what hangs on them. */
#include "lang/prove/access_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
        if (in->part != PLAN_NONE || !access_resolve_lone(w, in->ref, &of)) return false;
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
        access_resolve_lone(w, w->plan->ins.row[w->site->in + n->word].ref, &of);
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
        return access_word_name(w->plan->subs.row[w->env->sub].sub, n->word);
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
    return access_new_fixed(w, x, (struct interval){0, 1});
}

const struct sums *
access_truth_word(void *who, enum op op, const struct expr_node *a, const struct expr_node *b)
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
