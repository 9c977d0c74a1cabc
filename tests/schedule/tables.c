/* tables.c - row by row. */
#include "tables.h"

#include "expr.h"

#include "lang/lang.h"
#include "lang/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
fail(const char *what, const char *which)
{
    fprintf(stderr, "%s%s\n", what, which);
    exit(1);
}

static void *
rows(uint32_t n, size_t size)
{
    void *p = calloc(n + 1, size);
    if (!p) abort();
    return p;
}

/* ---- expressions that need C ---- */

enum { FNS_MAX = 512 };
static const char *code_of[FNS_MAX];

static int64_t
name_in_c(void *who, const char *name, char how, const int64_t *arg, int n)
{
    const luna_env *e = who;
    if (!how && !strcmp(name, "e")) return 0;
    if (how != '(') fail("a name in C: ", name);
    if (!strcmp(name, "L")) return (int32_t)e->local[arg[0]].i;
    if (!strcmp(name, "F")) return (int32_t)e->frame[arg[0]].i;
    if (!strcmp(name, "IX")) return e->ix[arg[0]];
    if (!strcmp(name, "IN")) return (int32_t)e->in[arg[0]].w.i;
    if (!strcmp(name, "luna_v_of_int")) return arg[0];
    if (!strcmp(name, "luna_v_int")) return arg[1];
    if (!strcmp(name, "luna_v_true")) return arg[1] != 0;
    if (n != 3) fail("a call in C: ", name);
    if (!strcmp(name, "luna_v_lt")) return arg[1] < arg[2];
    if (!strcmp(name, "luna_v_le")) return arg[1] <= arg[2];
    if (!strcmp(name, "luna_v_eq")) return arg[1] == arg[2];
    if (!strcmp(name, "luna_v_add")) return arg[1] + arg[2];
    if (!strcmp(name, "luna_v_sub")) return arg[1] - arg[2];
    if (!strcmp(name, "luna_v_mul")) return arg[1] * arg[2];
    bool divides = !strcmp(name, "luna_q_div") || !strcmp(name, "luna_v_div");
    if (!divides && strcmp(name, "luna_q_mod") && strcmp(name, "luna_v_mod"))
        fail("a call in C: ", name);
    if (!arg[2]) fail("a division by zero: ", name);
    return divides ? arg[1] / arg[2] : arg[1] % arg[2];
}

static int32_t
run(int fn, const luna_env *e)
{
    return (int32_t)expr_value(code_of[fn], name_in_c, (void *)e);
}

/* The tables hold functions without anything to tell them apart, so each number has one. */
#define FN(k) static int32_t fn_##k(const luna_env *e) { return run(0x##k, e); }
#define FNS(k)                                                                                     \
    FN(k##0) FN(k##1) FN(k##2) FN(k##3) FN(k##4) FN(k##5) FN(k##6) FN(k##7) FN(k##8) FN(k##9)      \
    FN(k##a) FN(k##b) FN(k##c) FN(k##d) FN(k##e) FN(k##f)
FNS(0) FNS(1) FNS(2) FNS(3) FNS(4) FNS(5) FNS(6) FNS(7)
FNS(8) FNS(9) FNS(a) FNS(b) FNS(c) FNS(d) FNS(e) FNS(f)
FNS(10) FNS(11) FNS(12) FNS(13) FNS(14) FNS(15) FNS(16) FNS(17)
FNS(18) FNS(19) FNS(1a) FNS(1b) FNS(1c) FNS(1d) FNS(1e) FNS(1f)
#define FN_ROW(k)                                                                                  \
    fn_##k##0, fn_##k##1, fn_##k##2, fn_##k##3, fn_##k##4, fn_##k##5, fn_##k##6, fn_##k##7,        \
        fn_##k##8, fn_##k##9, fn_##k##a, fn_##k##b, fn_##k##c, fn_##k##d, fn_##k##e, fn_##k##f
static int32_t (*const fns[FNS_MAX])(const luna_env *) = {
    FN_ROW(0), FN_ROW(1), FN_ROW(2), FN_ROW(3), FN_ROW(4), FN_ROW(5), FN_ROW(6), FN_ROW(7),
    FN_ROW(8), FN_ROW(9), FN_ROW(a), FN_ROW(b), FN_ROW(c), FN_ROW(d), FN_ROW(e), FN_ROW(f),
    FN_ROW(10), FN_ROW(11), FN_ROW(12), FN_ROW(13), FN_ROW(14), FN_ROW(15), FN_ROW(16), FN_ROW(17),
    FN_ROW(18), FN_ROW(19), FN_ROW(1a), FN_ROW(1b), FN_ROW(1c), FN_ROW(1d), FN_ROW(1e), FN_ROW(1f)};

static struct luna_expr *
exprs_of(const struct plan *p)
{
    struct luna_expr *all = rows(p->exprs.n, sizeof *all);
    for (uint32_t i = 0; i < p->exprs.n; i++) {
        const struct plan_expr *x = &p->exprs.row[i];
        all[i] = (struct luna_expr){.kind = (uint8_t)x->kind, .a = x->a, .k = x->k};
        switch (x->kind) {
        case PE_REAL: all[i].u.real = x->real; break;
        case PE_STRING: all[i].u.string = x->string; break;
        case PE_REAL_FN:
        case PE_VALUE_FN: fail("no int: ", x->code); break;
        case PE_INT_FN:
            if (x->fn >= FNS_MAX) fail("too many expressions: ", x->code);
            code_of[x->fn] = x->code;
            all[i].u.int_fn = fns[x->fn];
            break;
        default: all[i].u.terms = x->terms;
        }
    }
    return all;
}

/* ---- what is called ---- */

static const char *
letters_of(const struct sub *s)
{
    static const char letter[] = {[T_INT] = 'i', [T_REAL] = 'r', [T_STRING] = 's', [T_VALUE] = 'v',
                                  [T_NAME] = 'n'};
    char *all = rows((uint32_t)s->nparams, 1);
    for (const struct symbol *p = s->params; p; p = p->next) all[p->number] = letter[p->type];
    return all;
}

static struct luna_sub *
subs_of(const struct plan *p)
{
    struct luna_sub *all = rows(p->subs.n, sizeof *all);
    for (uint32_t i = 0; i < p->subs.n; i++) {
        const struct plan_sub *s = &p->subs.row[i];
        all[i] = (struct luna_sub){s->sub->name.text, letters_of(s->sub), s->nwords,
                                   s->body, s->place, s->nlocal_max,
                                   s->require, s->nrequire};
    }
    return all;
}

static struct luna_function *
functions_of(const struct plan *p, const struct tables_function *known)
{
    struct luna_function *all = rows(p->functions.n, sizeof *all);
    for (uint32_t i = 0; i < p->functions.n; i++) {
        const struct sub *s = p->functions.row[i].sub;
        const struct tables_function *f = known;
        while (f->name && strcmp(f->name, s->name.text)) f++;
        if (!f->name) fail("an unknown function: ", s->name.text);
        all[i] = (struct luna_function){f->name, f->call, letters_of(s), p->functions.row[i].place,
                                        0};
    }
    return all;
}

/* ---- rows that are numbers in the plan too ---- */

#define COPY(p, to, table, type, ...)                                                              \
    type *to = rows((p)->table.n, sizeof *to);                                                     \
    for (uint32_t i = 0; i < (p)->table.n; i++) {                                                  \
        __auto_type r = &(p)->table.row[i];                                                        \
        to[i] = (type){__VA_ARGS__};                                                               \
    }

static void
copy_rows(const struct plan *p, struct luna_program *to)
{
    COPY(p, dfs, dfs, struct luna_decl, r->name, r->sub, r->place, r->about)
    COPY(p, sites, sites, struct luna_site, (uint8_t)r->kind, r->flags, r->nlocal, r->nin, r->nargs,
         r->in, r->arg, {r->kind == PS_FOR ? (uint32_t)r->step : r->callee}, r->body, r->a, r->b,
         r->rules, r->place, r->sub)
    COPY(p, blocks, blocks, struct luna_block, r->site, r->nsites)
    COPY(p, terms, terms, struct luna_term, r->coefficient, r->word, r->in_frame)
    COPY(p, refs, refs, struct luna_ref, r->base & 15u, r->inside & 15u, (uint8_t)r->nindices,
         r->word, r->df, r->index, r->home)
    COPY(p, ins, ins, struct luna_in, r->ref, r->kind, r->again, r->round, r->part + 1,
         r->turns + 1)
    COPY(p, parts, parts, struct luna_part, r->kind, r->from, r->count)
    COPY(p, args, args, struct luna_arg, r->kind, r->row, r->post, r->place)
    COPY(p, posts, posts, struct luna_post, r->kind, r->count)
    COPY(p, rules, rules, struct luna_rules, r->label, r->node, r->near, r->nnear, r->weight,
         r->priority, r->set, r->nset, r->kill, r->nkill, r->push, r->npush, r->nfparam,
         r->nnfparam, r->set_post)
    to->dfs = dfs, to->sites = sites, to->blocks = blocks, to->terms = terms, to->refs = refs;
    to->ins = ins, to->parts = parts, to->args = args, to->posts = posts, to->rules = rules;
}

static void
copy_more_rows(const struct plan *p, struct luna_program *to)
{
    COPY(p, locators, locators, struct luna_locator, r->kind, r->expr, r->place)
    COPY(p, labels, labels, struct luna_label, r->name, r->index, r->nindices, r->home)
    COPY(p, pushes, pushes, struct luna_push, r->ref, r->label)
    COPY(p, nfargs, nfargs, struct luna_nfarg, r->word, r->expr, r->real)
    COPY(p, abouts, abouts, struct luna_about, r->nindices, r->cell, r->bytes, r->shape,
         r->outside, r->counted, r->capture, r->ncaptures,
         {r->place[0], r->place[1], r->place[2]})
    COPY(p, captures, captures, struct luna_capture, r->word, r->from, r->index)
    COPY(p, requires, requires, struct luna_require, r->expr, r->place, r->text)
    COPY(p, places, places, struct luna_place, r->file, r->line, r->col, r->end_col)
    to->locators = locators, to->labels = labels, to->pushes = pushes, to->nfargs = nfargs;
    to->abouts = abouts, to->captures = captures, to->requires = requires, to->places = places;
    to->files = p->files.row;
}

static void
count_rows(const struct plan *p, struct luna_program *to)
{
    to->nsubs = p->subs.n, to->nfunctions = p->functions.n, to->ndfs = p->dfs.n;
    to->nsites = p->sites.n, to->nblocks = p->blocks.n, to->nexprs = p->exprs.n;
    to->nterms = p->terms.n, to->nrefs = p->refs.n, to->nins = p->ins.n, to->nargs = p->args.n;
    to->nparts = p->parts.n;
    to->nposts = p->posts.n, to->nrules = p->rules.n, to->nlocators = p->locators.n;
    to->nlabels = p->labels.n, to->npushes = p->pushes.n, to->nnfargs = p->nfargs.n;
    to->nabouts = p->abouts.n, to->ncaptures = p->captures.n, to->nplaces = p->places.n;
    to->nrequires = p->requires.n;
    to->nfiles = p->files.n;
    to->extent = p->extent, to->nextents = p->nextents;
    to->lattice_sub = p->lattice_sub;
}

const struct luna_program *
tables_of(const char *file, const struct tables_function *functions)
{
    static struct lang l;
    static struct luna_program program;
    struct lang_options o = {.file = file};
    if (!lang_compile(&l, &o)) fail("no memory for ", file);
    if (diag_errors(l.diag)) {
        struct buf said = {0};
        diag_print_text(l.diag, &said);
        fputs(said.data, stderr);
        fail("errors in ", file);
    }
    const struct plan *p = l.plan;
    program = (struct luna_program){.abi = LUNA_ABI,
                                    .main = p->main,
                                    .version = LUNA_VERSION,
                                    .name = p->name,
                                    .subs = subs_of(p),
                                    .functions = functions_of(p, functions),
                                    .exprs = exprs_of(p),
                                    .main_params = letters_of(p->subs.row[p->main].sub)};
    copy_rows(p, &program);
    copy_more_rows(p, &program);
    count_rows(p, &program);
    return &program;
}
