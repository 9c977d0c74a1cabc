/* tree_print.c - see tree.h: trees as text. */
#include "tree.h"

static void
print_sum(struct buf *out, const struct tree_index *x)
{
    buf_printf(out, "%d", x->k);
    if (x->a) buf_printf(out, " + %d*i%d", x->a, x->u);
    if (x->b) buf_printf(out, " + %d*i%d", x->b, x->v);
    if (x->c) buf_printf(out, " + %d*n", x->c);
}

static void
print_index(struct buf *out, const struct tree_index *x)
{
    if (x->shape != SUM) buf_str(out, "(");
    print_sum(out, x);
    if (x->shape == QUOTIENT) buf_printf(out, ") / %d", x->by);
    if (x->shape == REST) buf_printf(out, ") %% %d", x->by);
    if (x->shape == CHOICE) buf_printf(out, ") > %d ? %d : ", x->by, x->k);
    if (x->shape == CHOICE) print_sum(out, x);
    if (x->shape == HELD) buf_str(out, ") + int(w)");
}

static const char *const ops[] = {"<", "<=", "==", "!=", ">", ">="};

static void print_block(struct buf *out, struct tree *p, int at);

static void
print_df(struct buf *out, int df)
{
    if (df >= DFS)
        buf_printf(out, "t%d", df - DFS);
    else
        buf_printf(out, "%c", "xyz"[df]);
}

static int
line_of(const struct buf *text)
{
    int n = 1;
    for (size_t i = 0; i < text->size; i++) n += text->data[i] == '\n';
    return n;
}

static void
print_promise(struct buf *out, const struct tree_node *s)
{
    buf_str(out, " @ { req_count ");
    print_df(out, s->df);
    buf_str(out, "[");
    print_index(out, &s->lo);
    buf_str(out, "] = ");
    print_index(out, &s->readers);
    buf_str(out, "; }");
}

static void
print_node(struct buf *out, struct tree *p, struct tree_node *s)
{
    s->line = line_of(out);
    switch (s->kind) {
    case FOR:
        buf_printf(out, "for i%d = ", s->depth);
        break;
    case WHILE:
        buf_printf(out, "while i%d < ", s->depth);
        print_index(out, &s->hi);
        buf_printf(out, ", i%d = ", s->depth);
        print_index(out, &s->lo);
        buf_str(out, " .. out w");
        break;
    case IF:
        buf_str(out, "if ");
        break;
    case PUT:
        buf_str(out, "put(");
        break;
    case GET:
        buf_str(out, "get(");
        break;
    case CALL:
        buf_str(out, "both(");
        break;
    case COPY:
        buf_str(out, "copy(");
        print_df(out, s->from);
        buf_str(out, "[");
        print_index(out, &s->hi);
        buf_str(out, "], ");
        break;
    }
    if (s->kind == FOR || s->kind == IF) {
        buf_str(out, s->kind == FOR ? "" : s->vague ? "real(" : "(");
        print_index(out, &s->lo);
        if (s->kind == IF)
            buf_printf(out, ") %s (", ops[s->op]);
        else
            buf_str(out, " .. ");
        print_index(out, &s->hi);
        buf_str(out, s->kind == IF ? ")" : "");
        if (s->kind == FOR && s->step != 1) buf_printf(out, " by %d", s->step);
    }
    if (s->kind >= PUT) {
        print_df(out, s->df);
        buf_str(out, s->kind == CALL ? ", " : "[");
        print_index(out, &s->lo);
        buf_str(out, s->kind == CALL ? ")" : "])");
        if (s->promises) print_promise(out, s);
        buf_str(out, ";\n");
        return;
    }
    buf_str(out, " {\n");
    if (s->kind <= WHILE) buf_printf(out, "df t%d;\n", s->depth);
    print_block(out, p, s->body);
    buf_str(out, "}\n");
    if (s->kind != IF || s->other == NODES) return;
    buf_str(out, "else {\n");
    print_block(out, p, s->other);
    buf_str(out, "}\n");
}

static void
print_block(struct buf *out, struct tree *p, int at)
{
    for (; at != NODES; at = p->node[at].next) print_node(out, p, &p->node[at]);
}

void
tree_print(struct buf *out, struct tree *p)
{
    buf_str(out, "C sub put(name x) ${{ luna_set_int(x, 1); $}}\n"
                 "C sub get(value x) ${{ $}}\n"
                 "C sub copy(value x, name y) ${{ luna_set_int(y, luna_int(x)); $}}\n"
                 "sub both(name p, int e) {\nfor k = e .. e + 1\nput(p[k]);\nget(p[e + 1]); }\n"
                 "sub main(int n) {\ndf x, y, z, w;\n");
    print_block(out, p, p->first);
    buf_str(out, "}\n");
}
