/* random_program.c - see random_program.h: where parts stand, and what they call. */
#include "random_program.h"

#include "random_parts.h"

#include <stdio.h>
#include <string.h>

enum { PARTS_MAX = 4 };

/* ---- where parts stand ---- */

static part_fn *const parts[] = {part_box, part_box, part_box, part_box, part_stencil, part_chain,
                                 part_chain_down,
                                 part_solver, part_solver, part_rows, part_recursion,
                                 part_branches, part_branches, part_index, part_index, part_lives,
                                 part_rests, part_pipeline, part_soup, part_shaped, part_shaped,
                                 part_open, part_ring, part_ring, part_cases, part_cases,
                                 part_watched};
enum { PARTS = sizeof parts / sizeof *parts };

/* What is said of n and m, where they are called N and M. */
static void
say_shape(struct buf *to, const char *text, bool in_main)
{
    for (; *text; text++)
        buf_char(to, !in_main ? *text : *text == 'n' ? 'N' : *text == 'm' ? 'M' : *text);
}

static void
say_outside(const struct maker *p, struct buf *to, bool in_main)
{
    if (!*p->outside) return;
    buf_printf(to, "outside x%d => ", p->number);
    say_shape(to, p->outside, in_main);
    buf_str(to, "; ");
}

/* Those of the part that its text names, each behind a comma. */
static void
say_dfs(const struct maker *p, struct buf *to, struct buf *body, bool own, bool in_main)
{
    char name[8];
    buf_str(body, "");
    for (const char *c = own ? "xabcdesuvwz" : "abcdesuvwz"; *c; c++) {
        snprintf(name, sizeof name, "%c%d", *c, p->number);
        if (!strstr(body->data, name)) continue;
        buf_printf(to, "%s%s", to->size ? ", " : "", name);
        if (*c == 'x') say_shape(to, p->shape, in_main);
    }
}

static void
say_part(struct maker *p, struct buf *to)
{
    char df[NAME_TEXT];
    struct buf *was = p->out;
    snprintf(df, sizeof df, "x%d", p->number);
    *p->shape = *p->outside = 0;
    p->out = to;
    parts[pick(p, PARTS)](p, df);
    p->out = was;
}

static void
say_block(const struct maker *p, struct buf *to, struct buf *body, bool own)
{
    struct buf names = {0};
    say_dfs(p, &names, body, own, false);
    if (names.size) buf_printf(to, "df %.*s;\n", (int)names.size, names.data);
    buf_add(to, body->data, body->size);
    buf_fini(&names);
}

/* As a sub, whose x may be main's. */
static void
say_sub(struct maker *p, struct buf *body)
{
    char n[NAME_TEXT], m[NAME_TEXT];
    bool handed = once_in(p, 2), loop = once_in(p, 3);
    buf_printf(p->subs, "sub p%d(int n, int m", p->number);
    if (handed) buf_printf(p->subs, ", name x%d", p->number);
    buf_str(p->subs, ") {\n");
    say_block(p, p->subs, body, !handed);
    bool requires = once_in(p, 6), outside = !handed && *p->outside;
    buf_str(p->subs, "}");
    if (requires || outside) buf_str(p->subs, " @ { ");
    if (requires) buf_printf(p->subs, "require: n %s %d; ", pick(p, 2) ? ">=" : "<", small(p));
    if (outside) say_outside(p, p->subs, false);
    if (requires || outside) buf_str(p->subs, "}");
    buf_str(p->subs, "\n");
    bool deeper = handed && (loop || pick(p, 2));
    if (handed) {
        buf_printf(p->decls, "%sx%d", p->decls->size ? ", " : "", p->number);
        if (deeper && *p->shape) buf_str(p->decls, "[-9..9]");
        say_shape(p->decls, p->shape, true);
        say_outside(p, p->beyond, true);
    }
    if (loop) say(p, "for q = 0 .. %s ", pick(p, 2) ? "2" : "m");
    if (p->large && once_in(p, 3)) snprintf(n, sizeof n, "%d", some(p));
    else fixed_int(p, n);
    say(p, "p%d(%s, ", p->number, n);
    say(p, "%s", loop && pick(p, 2) ? pick(p, 2) ? "q" : "3 - q" : fixed_int(p, m));
    if (handed) say(p, ", x%d%s", p->number, loop ? "[q]" : deeper ? "[n]" : "");
    say(p, ");\n");
}

static void
say_placed(struct maker *p)
{
    struct buf body = {0};
    say_part(p, &body);
    switch (pick(p, 6)) {
    case 0:
    case 1: say_sub(p, &body); break;
    case 2:
        say(p, "for q = %d .. %s {\n", (int)pick(p, 3), pick(p, 2) ? "2" : "m");
        say_block(p, p->out, &body, true);
        say(p, "}");
        if (*p->outside) {
            say(p, " @ { ");
            say_outside(p, p->out, false);
            say(p, "}");
        }
        say(p, "\n");
        break;
    default:
        say_dfs(p, p->decls, &body, true, true);
        say_outside(p, p->beyond, true);
        buf_add(p->out, body.data, body.size);
    }
    buf_fini(&body);
}

static const struct {
    const char *name, *text;
} functions[] = {
    {"look(", "sub look(value x, int k) { get(x); if k > 0 get(x); }\n"},
    {"grid(", "sub grid(name x, int n, int k) { for i = 0 .. n + k fill(x[i], n - i); }\n"},
    {"fill(", "sub fill(name x, int n) { for j = 0 .. n put(x[j], j); }\n"},
    {"drain(", "sub drain(name x, int n) { for j = 0 .. n get(x[j]); }\n"},
    {"down(", "sub down(name x, int k, int n) { if k <= n { get(x[k]); down(x, k + 1, n); } }\n"},
    {"count(",
     "sub count(name x, int k, int n) { if k <= n { put(x[k], k); count(x, k + 1, n); } }\n"},
    {"spread(", "sub spread(name x, int k) { get(x); if k > 0 { spread(x, k - 1); get(x); } }\n"},
    {"tree(", "sub tree(int k, name r) { df a, b; if k < 1 put(r, 1); else { tree(k - 1, a); "
              "tree(k - 1, b); add(a, b, r); } }\n"},
    {"last(", "sub last(int k, name r) { if k < 1 put(r, 1); else last(k - 1, r); "
              "if k > 2 put(r, 2); }\n"},
    {"cycle(", "sub cycle(name u, int n, int k, name v) { df a, b; for j = 0 .. n copy(u[j], a[j]); "
               "if k < 1 for j = 0 .. n copy(a[j], v[j]); else { cycle(a, n, k - 1, b); "
               "for j = 0 .. n add(a[j], b[j], v[j]); } }\n"},
    {"pass(", "sub pass(name w, name u, int n, int k, name v) { df a, b; for j = 0 .. n "
              "three(u[j], w, w, a[j]); if k < 1 for j = 0 .. n copy(a[j], v[j]); else { "
              "pass(w, a, n, k - 1, b); for j = 0 .. n add(a[j], b[j], v[j]); } }\n"},
    {"put(", "C sub put(name x, int k) ${{ luna_set_int(x, k); $}}\n"},
    {"get(", "C sub get(value x) ${{ $}}\n"},
    {"copy(", "C sub copy(value a, name x) ${{ luna_set_int(x, luna_int(a)); $}}\n"},
    {"inc(", "C sub inc(int a, name x) ${{ luna_set_int(x, a + 1); $}}\n"},
    {"add(", "C sub add(value a, value b, name x) ${{ luna_set_int(x, luna_int(a) + luna_int(b)); "
             "$}}\n"},
    {"three(", "C sub three(value a, value b, value c, name x) ${{ luna_set_int(x, luna_int(a) ^ "
               "luna_int(b) ^ luna_int(c)); $}}\n"},
    {"sum(", "C sub sum(value x[], name s) ${{ int k = 0; for (size_t i = 0; i < x->n; i++) "
             "k ^= luna_int(x->df[i]); luna_set_int(s, k); $}}\n"},
    {"fan(", "C sub fan(int k, name y[]) ${{ for (size_t i = 0; i < y->n; i++) "
             "luna_set_int(y->df[i], k + (int)i); $}}\n"},
    {"mend(", "C sub mend(value x[], int k, name y[]) ${{ for (size_t i = 0; i < y->n; i++) "
              "luna_set_int(y->df[i], x->n ? luna_int(x->df[i % x->n]) : k); $}}\n"},
    {"both(", "C sub both(name x, name y) ${{ luna_set_int(x, 1); luna_set_int(y, 2); $}}\n"},
};

bool
random_program_call(const char *name, unsigned nargs, const struct interpret_value *in,
                    struct interpret_value *out)
{
    struct interpret_value *x = &out[nargs ? nargs - 1 : 0];
    if (!strcmp(name, "put")) out[0].i = in[1].i;
    else if (!strcmp(name, "copy")) x->i = in[0].i;
    else if (!strcmp(name, "inc")) x->i = (int32_t)((uint32_t)in[0].i + 1);
    else if (!strcmp(name, "add")) x->i = (int32_t)((uint32_t)in[0].i + (uint32_t)in[1].i);
    else if (!strcmp(name, "three")) x->i = in[0].i ^ in[1].i ^ in[2].i;
    else if (!strcmp(name, "both")) out[0].i = 1, out[1].i = 2;
    else if (!strcmp(name, "sum"))
        for (uint32_t i = 0; i < in[0].n; i++) x->i ^= in[0].list[i].i;
    else if (!strcmp(name, "fan"))
        for (uint32_t i = 0; i < in[1].n; i++) in[1].list[i].i = in[0].i + (int32_t)i;
    else if (!strcmp(name, "mend"))
        for (uint32_t i = 0; i < in[2].n; i++)
            in[2].list[i].i = in[0].n ? in[0].list[i % in[0].n].i : in[1].i;
    else return !strcmp(name, "get");
    return true;
}

void
random_program(uint64_t seed, struct buf *out)
{
    struct buf subs = {0}, main = {0}, decls = {0}, beyond = {0};
    struct maker p = {.state = seed * 0x9e3779b97f4a7c15u + 1, .subs = &subs, .decls = &decls,
                      .out = &main, .beyond = &beyond};
    for (int i = 0; i < 4; i++) pick(&p, 2);
    p.wrong = once_in(&p, 2);
    p.large = once_in(&p, 4);
    p.ruled = once_in(&p, 5);
    p.vague = once_in(&p, 2);
    int n = 1 + (int)pick(&p, PARTS_MAX - 1);
    for (p.number = 0; p.number < n; p.number++) say_placed(&p);
    buf_add(out, subs.data, subs.size);
    buf_str(out, "sub main(int N, int M) {\n");
    if (decls.size) buf_printf(out, "df %.*s;\n", (int)decls.size, decls.data);
    buf_str(out, "let n = N, m = M {\n");
    buf_add(out, main.data, main.size);
    buf_str(out, "}\n");
    bool requires = once_in(&p, 8);
    buf_str(out, requires || beyond.size ? "} @ { " : "}");
    if (requires) buf_printf(out, "require: N >= %d; ", small(&p));
    buf_add(out, beyond.data, beyond.size);
    buf_str(out, requires || beyond.size ? "}\n" : "\n");
    buf_str(out, "");
    /* Those that use others come first. */
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strstr(out->data, functions[i].name)) buf_str(out, functions[i].text);
    buf_fini(&subs);
    buf_fini(&main);
    buf_fini(&decls);
    buf_fini(&beyond);
}
