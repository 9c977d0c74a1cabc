/* emit.c - the plan as a C text: thunks, expression functions, then tables of numbers.
 *
 * Tables have few pointers: an object is relocated each time it is loaded. Comments name what a row
 * is about where that is cheap. */
#include "lang/emit/emit.h"

#include "lang/plan/out.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct emit {
    const struct plan *p;
    struct buf *o;
    struct out text; /* scratch for literals */
    size_t counted;  /* bytes of `o` whose lines are counted */
    uint32_t line;   /* of the text, 1-based, at `counted` */
};

static void
put_literal(struct emit *e, const char *s)
{
    e->text.size = 0;
    out_literal(&e->text, s, strlen(s));
    buf_add(e->o, e->text.text, e->text.size);
}

/* A user's text inside a comment: nothing in it may end the comment. */
static void
put_comment(struct emit *e, const char *s)
{
    buf_str(e->o, " /* ");
    for (; *s; s++) {
        bool edge = (s[0] == '*' && s[1] == '/') || (s[0] == '/' && s[1] == '*');
        buf_char(e->o, *s == '\n' ? ' ' : *s);
        if (edge) buf_char(e->o, ' ');
    }
    buf_str(e->o, " */");
}

/* What follows is told by the C compiler, and by a debugger, as the place in the .fa file. */
static void
put_line(struct emit *e, uint32_t place)
{
    const struct plan_place *at = &e->p->places.row[place];
    if (!at->line) return;
    buf_printf(e->o, "#line %" PRIu32 " ", at->line);
    put_literal(e, e->p->files.row[at->file]);
    buf_char(e->o, '\n');
}

/* Back to counting lines of the emitted text itself. */
static void
put_own_line(struct emit *e)
{
    for (; e->counted < e->o->size; e->counted++) e->line += e->o->data[e->counted] == '\n';
    buf_printf(e->o, "#line %" PRIu32 " ", e->line + 1);
    put_literal(e, "program.c");
    buf_char(e->o, '\n');
}

/* ---- functions ---- */

static const char *
c_type(const struct symbol *p)
{
    if (p->list) return "const struct luna_list *";
    switch (p->type) {
    case T_REAL: return "double";
    case T_STRING: return "const char *";
    case T_VALUE: return "const struct luna_df *";
    case T_NAME: return "struct luna_df *";
    default: return "int32_t";
    }
}

static const char *
actual_member(const struct symbol *p)
{
    if (p->list) return "list";
    switch (p->type) {
    case T_REAL: return "d";
    case T_STRING: return "s";
    case T_VALUE: return "in";
    case T_NAME: return "out";
    default: return "i";
    }
}

/* An imported function may take its int as a long: it is called with all bits of one. To those that
 * take fewer the upper ones are nothing. */
static void
put_extern(struct emit *e, uint32_t i)
{
    const struct sub *s = e->p->functions.row[i].sub;
    bool in_line = s->kind == SUB_INLINE;
    buf_printf(e->o, "extern void luna_u_%" PRIu32 "(%s", i, s->params ? "" : "void");
    for (const struct symbol *p = s->params; p; p = p->next)
        buf_printf(e->o, "%s%s", !in_line && p->type == T_INT ? "long" : c_type(p),
                   p->next ? ", " : "");
    buf_printf(e->o, ") __asm__(\"%s%s\");\n", in_line ? "luna_inline_" : "",
               in_line ? s->name.text : s->func.text);
}

/* All functions are called alike by the runtime; here each gets its arguments with their C types.
 * The place is that of the declaration: there a wrong type is to be corrected. */
static void
put_thunk(struct emit *e, uint32_t i)
{
    const struct sub *s = e->p->functions.row[i].sub;
    put_line(e, e->p->functions.row[i].place);
    buf_printf(e->o, "static void call_%" PRIu32 "(const luna_actual *a) { %sluna_u_%" PRIu32 "(",
               i, s->params ? "" : "(void)a; ", i);
    for (const struct symbol *p = s->params; p; p = p->next)
        buf_printf(e->o, "a[%d].%s%s", p->number, actual_member(p), p->next ? ", " : "");
    buf_str(e->o, "); }\n");
}

/* Functions are called by assembler names, so that their names mean nothing to the C compiler. */
static void
put_functions(struct emit *e)
{
    if (!e->p->functions.n) return;
    buf_str(e->o, "\n/* ---- atomic subs, called with their C types ---- */\n");
    for (uint32_t i = 0; i < e->p->functions.n; i++) put_extern(e, i);
    for (uint32_t i = 0; i < e->p->functions.n; i++) put_thunk(e, i);
    put_own_line(e);
}

static void
put_expr_function(struct emit *e, const struct plan_expr *x)
{
    static const char *const type[] = {"int32_t", "double", "luna_value"};
    put_line(e, x->place);
    buf_printf(e->o, "static %s x%" PRIu32 "(const luna_env *e)", type[x->kind - PE_INT_FN], x->fn);
    buf_printf(e->o, " { return %s; }", x->code);
    if (x->text) put_comment(e, x->text);
    buf_char(e->o, '\n');
}

/* Rows that are equal share a function: the first row that has a number brings it. */
static void
put_expr_functions(struct emit *e)
{
    if (!e->p->nfns) return;
    buf_str(e->o, "\n/* ---- expressions that are more than a sum ---- */\n");
    for (uint32_t i = 0, next = 0; i < e->p->exprs.n; i++) {
        const struct plan_expr *x = &e->p->exprs.row[i];
        if (!x->code || x->fn != next) continue;
        put_expr_function(e, x);
        next++;
    }
    put_own_line(e);
}

/* ---- tables ---- */

static void
put_number(struct emit *e, uint32_t n)
{
    if (n == PLAN_NONE) buf_str(e->o, "NONE");
    else buf_printf(e->o, "%" PRIu32, n);
}

static void
put_numbers(struct emit *e, int n, const uint32_t *v)
{
    for (int i = 0; i < n; i++) {
        if (i) buf_str(e->o, ", ");
        put_number(e, v[i]);
    }
}

/* One table of rows that are numbers: their count, then what prints row i without its braces. */
static void
put_table(struct emit *e, const char *type, const char *name, uint32_t n,
          void (*row)(struct emit *, uint32_t))
{
    if (!n) return;
    buf_printf(e->o, "\nstatic const %s %s[] = {\n", type, name);
    for (uint32_t i = 0; i < n; i++) {
        buf_str(e->o, "    ");
        row(e, i);
        buf_char(e->o, '\n');
    }
    buf_str(e->o, "};\n");
}

#define NUMBERS(e, ...)                                                                            \
    put_numbers((e), (int)(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)),                  \
                (uint32_t[]){__VA_ARGS__})

static void
put_letters(struct emit *e, const struct sub *s)
{
    static const char letter[] = {[T_INT] = 'i', [T_REAL] = 'r', [T_STRING] = 's', [T_VALUE] = 'v',
                                  [T_NAME] = 'n'};
    buf_char(e->o, '"');
    for (const struct symbol *p = s->params; p; p = p->next)
        buf_char(e->o, p->list ? (char)toupper(letter[p->type]) : letter[p->type]);
    buf_char(e->o, '"');
}

static void
sub_row(struct emit *e, uint32_t i)
{
    const struct plan_sub *s = &e->p->subs.row[i];
    buf_printf(e->o, "{\"%s\", ", s->sub->name.text);
    put_letters(e, s->sub);
    buf_str(e->o, ", ");
    NUMBERS(e, s->nwords, s->body, s->place, s->nlocal_max, s->require, s->nrequire);
    buf_str(e->o, "},");
}

static void
function_row(struct emit *e, uint32_t i)
{
    const struct plan_function *f = &e->p->functions.row[i];
    buf_printf(e->o, "{\"%s\", call_%" PRIu32 ", ", f->sub->name.text, i);
    put_letters(e, f->sub);
    buf_printf(e->o, ", %" PRIu32 ", 0},", f->place);
}

static void
decl_row(struct emit *e, uint32_t i)
{
    const struct plan_decl *d = &e->p->dfs.row[i];
    buf_printf(e->o, "{\"%s\", ", d->name);
    NUMBERS(e, d->sub, d->place, d->about);
    buf_str(e->o, "},");
}

/* By name, here and below: where plan.h and program.h disagree, the C compiler says so or takes the
 * number of program.h. */
static void
put_flags(struct emit *e, unsigned flags)
{
    static const struct {
        unsigned flag;
        const char *name;
    } all[] = {{PF_STEALABLE, "STEALABLE"}, {PF_FRESH, "FRESH"}, {PF_CARRIED, "CARRIED"},
               {PF_INTS, "INTS"}, {PF_REALS, "REALS"}, {PF_OWN, "OWN"},
               {PF_COMPLEX, "COMPLEX"}, {PF_INT64, "INT64"}, {PF_FLOAT, "FLOAT"}};
    bool any = false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if ((flags & all[i].flag) != all[i].flag) continue;
        buf_printf(e->o, "%sLUNA_F_%s", any ? " | " : "", all[i].name);
        any = true;
        flags -= all[i].flag;
    }
    assert(!flags);
    if (!any) buf_char(e->o, '0');
}

static const char *
operation_name(uint32_t operation)
{
    static const char *const name[] = {[PR_ADD] = "ADD", [PR_MUL] = "MUL", [PR_MIN] = "MIN",
                                       [PR_MAX] = "MAX", [PR_AND] = "AND", [PR_OR] = "OR",
                                       [PR_SUB] = "SUB"};
    assert(operation < sizeof name / sizeof *name);
    return name[operation];
}

static void
int_row(struct emit *e, int32_t k)
{
    if (k == INT32_MIN) buf_str(e->o, "INT32_MIN");
    else buf_printf(e->o, "%" PRId32, k);
}

static void
site_row(struct emit *e, uint32_t i)
{
    static const char *const kind[] = {
        [PS_CALL] = "CALL", [PS_EXPAND] = "EXPAND", [PS_FOR] = "FOR", [PS_WHILE] = "WHILE",
        [PS_TEST] = "TEST", [PS_IF] = "IF", [PS_REDUCE] = "REDUCE", [PS_TERM] = "TERM",
        [PS_LIST] = "LIST",
    };
    const struct plan_site *s = &e->p->sites.row[i];
    bool lists = s->kind == PS_CALL && s->body != PLAN_NONE;
    bool element = s->kind == PS_TERM && s->nargs;
    buf_printf(e->o, "S_%s(", lists ? "LISTS" : element ? "ELEMENT" : kind[s->kind]);
    put_flags(e, s->flags);
    buf_str(e->o, ", ");
    NUMBERS(e, s->nlocal, s->nin, s->in);
    buf_str(e->o, ", ");
    switch (s->kind) {
    case PS_CALL:
    case PS_EXPAND:
        NUMBERS(e, s->nargs, s->arg, s->callee);
        if (lists) buf_printf(e->o, ", %" PRIu32, s->body);
        break;
    case PS_FOR:
        NUMBERS(e, s->a, s->b, s->body);
        buf_str(e->o, ", ");
        int_row(e, s->step);
        break;
    case PS_WHILE: NUMBERS(e, s->a, s->body); break;
    case PS_IF: NUMBERS(e, s->a, s->body, s->b); break;
    case PS_TEST: NUMBERS(e, s->nargs, s->arg, s->a, s->body); break;
    case PS_REDUCE:
        NUMBERS(e, s->nargs, s->arg, s->callee, s->body);
        buf_printf(e->o, ", LUNA_R_%s, %" PRIu32, operation_name(s->a), s->b);
        break;
    case PS_TERM:
        if (element) NUMBERS(e, s->nargs, s->arg, s->callee);
        else NUMBERS(e, s->callee, s->a);
        break;
    case PS_LIST: NUMBERS(e, s->nargs, s->arg, s->callee, s->body, s->a, s->b); break;
    }
    buf_str(e->o, ", ");
    NUMBERS(e, s->rules, s->place, s->sub);
    buf_printf(e->o, "), /* %" PRIu32, e->p->places.row[s->place].line);
    if (s->kind == PS_CALL) buf_printf(e->o, ": %s", e->p->functions.row[s->callee].sub->name.text);
    if (s->kind == PS_EXPAND) buf_printf(e->o, ": %s", e->p->subs.row[s->callee].sub->name.text);
    buf_str(e->o, " */");
}

static void
block_row(struct emit *e, uint32_t i)
{
    const struct plan_block *b = &e->p->blocks.row[i];
    buf_printf(e->o, "{%" PRIu32 ", %" PRIu32 "},", b->site, b->nsites);
}

static void
expr_row(struct emit *e, uint32_t i)
{
    const struct plan_expr *x = &e->p->exprs.row[i];
    static const char *const kind[] = {
        [PE_INT] = "INT", [PE_REAL] = "REAL", [PE_STRING] = "STRING", [PE_LOCAL] = "LOCAL",
        [PE_FRAME] = "FRAME", [PE_IX] = "IX", [PE_IN] = "IN", [PE_FREAL] = "FREAL",
        [PE_FVALUE] = "FVALUE", [PE_AFFINE] = "AFFINE", [PE_QUOTIENT] = "QUOTIENT",
        [PE_MODULO] = "MODULO", [PE_SCALED] = "SCALED", [PE_SIDE] = "SIDE",
        [PE_INT_FN] = "INT_FN", [PE_REAL_FN] = "REAL_FN", [PE_VALUE_FN] = "VALUE_FN",
    };
    buf_printf(e->o, "E_%s(", kind[x->kind]);
    switch (x->kind) {
    case PE_INT: int_row(e, x->k); break;
    case PE_REAL:
        e->text.size = 0;
        out_real(&e->text, x->real);
        buf_add(e->o, e->text.text, e->text.size);
        break;
    case PE_STRING: put_literal(e, x->string); break;
    case PE_LOCAL:
    case PE_FRAME:
    case PE_IX:
        buf_printf(e->o, "%u, ", x->a);
        int_row(e, x->k);
        break;
    case PE_IN:
    case PE_FREAL:
    case PE_FVALUE: buf_printf(e->o, "%u", x->a); break;
    case PE_AFFINE:
        buf_printf(e->o, "%u, ", x->a);
        int_row(e, x->k);
        buf_printf(e->o, ", %" PRIu32, x->terms);
        break;
    case PE_QUOTIENT:
    case PE_MODULO:
        buf_printf(e->o, "%" PRIu32 ", ", x->terms);
        int_row(e, x->k);
        break;
    case PE_SCALED: buf_printf(e->o, "%" PRIu32 ", %u, %" PRId32, x->terms, x->a, x->k); break;
    case PE_SIDE: buf_printf(e->o, "%" PRIu32 ", %u", x->terms, x->a); break;
    default: buf_printf(e->o, "x%" PRIu32 ", %d", x->fn, !strstr(x->code, "IN("));
    }
    buf_str(e->o, "),");
}

static void
term_row(struct emit *e, uint32_t i)
{
    const struct plan_term *t = &e->p->terms.row[i];
    buf_char(e->o, '{');
    int_row(e, t->coefficient);
    buf_printf(e->o, ", %u, %u},", t->word, t->in_frame);
}

static void
ref_row(struct emit *e, uint32_t i)
{
    const struct plan_ref *r = &e->p->refs.row[i];
    static const char *const base[] = {
        [PB_FRAME_ID] = "FRAME_ID", [PB_LOCAL_ID] = "LOCAL_ID", [PB_PARAM] = "PARAM",
    };
    buf_printf(e->o, "{LUNA_B_%s, %u, ", base[r->base], r->inside);
    NUMBERS(e, r->nindices, r->word, r->df, r->index, r->home);
    buf_str(e->o, "},");
    if (r->base != PB_PARAM) buf_printf(e->o, " /* %s */", e->p->dfs.row[r->df].name);
}

static void
locator_row(struct emit *e, uint32_t i)
{
    static const char *const kind[] = {
        [PL_CYCLIC] = "CYCLIC", [PL_REPLICATE_ALL] = "REPLICATE_ALL",
        [PL_REPLICATE_STEP] = "REPLICATE_STEP",
    };
    const struct plan_locator *r = &e->p->locators.row[i];
    buf_printf(e->o, "{LUNA_L_%s, ", kind[r->kind]);
    NUMBERS(e, r->expr, r->place);
    buf_str(e->o, "},");
}

static void
in_row(struct emit *e, uint32_t i)
{
    static const char *const kind[] = {
        [PI_NODE] = "NODE", [PI_REQUEST] = "REQUEST", [PI_WAIT] = "WAIT",
    };
    const struct plan_in *r = &e->p->ins.row[i];
    buf_printf(e->o, "{%" PRIu32 ", LUNA_IN_%s, %u, %u, %" PRIu32 ", %" PRIu32 "},", r->ref,
               kind[r->kind], r->again, r->round, r->part + 1, r->turns + 1); /* NONE: 0 */
}

static void
part_row(struct emit *e, uint32_t i)
{
    static const char *const kind[] = {
        [PQ_INT] = "INT", [PQ_REAL] = "REAL", [PQ_INT64] = "INT64", [PQ_FLOAT] = "FLOAT",
        [PQ_BYTES] = "BYTES",
    };
    const struct plan_part *r = &e->p->parts.row[i];
    buf_printf(e->o, "{LUNA_PART_%s, ", kind[r->kind]);
    NUMBERS(e, r->from, r->count);
    buf_str(e->o, "},");
}

static void
arg_row(struct emit *e, uint32_t i)
{
    static const char *const kind[] = {
        [PA_INT] = "INT", [PA_REAL] = "REAL", [PA_STRING] = "STRING", [PA_VALUE] = "VALUE",
        [PA_NAME] = "NAME", [PA_LIST] = "LIST",
    };
    const struct plan_arg *r = &e->p->args.row[i];
    buf_printf(e->o, "{LUNA_A_%s, ", kind[r->kind]);
    NUMBERS(e, r->row, r->post, r->place);
    buf_str(e->o, "},");
}

static void
post_row(struct emit *e, uint32_t i)
{
    static const char *const kind[] = {
        [PP_UNSAID] = "KEEP", [PP_KEEP] = "KEEP", [PP_COUNT] = "COUNT", [PP_DROP] = "DROP",
        [PP_PROVED] = "PROVED",
    };
    const struct plan_post *r = &e->p->posts.row[i];
    buf_printf(e->o, "{LUNA_P_%s, ", kind[r->kind]);
    put_number(e, r->count);
    buf_str(e->o, "},");
}

static void
rules_row(struct emit *e, uint32_t i)
{
    const struct plan_rules *r = &e->p->rules.row[i];
    buf_char(e->o, '{');
    NUMBERS(e, r->label, r->node, r->near, r->nnear, r->weight, r->priority, r->set, r->nset,
            r->kill, r->nkill, r->push, r->npush, r->nfparam, r->nnfparam, r->set_post);
    buf_str(e->o, "},");
}

static void
label_row(struct emit *e, uint32_t i)
{
    const struct plan_label *r = &e->p->labels.row[i];
    buf_char(e->o, '{');
    NUMBERS(e, r->name, r->index, r->nindices, r->home);
    buf_printf(e->o, "}, /* %s */", e->p->dfs.row[r->name].name);
}

static void
push_row(struct emit *e, uint32_t i)
{
    const struct plan_push *r = &e->p->pushes.row[i];
    buf_printf(e->o, "{%" PRIu32 ", %" PRIu32 "},", r->ref, r->label);
}

static void
nfarg_row(struct emit *e, uint32_t i)
{
    const struct plan_nfarg *r = &e->p->nfargs.row[i];
    buf_char(e->o, '{');
    NUMBERS(e, r->word, r->expr, r->real);
    buf_str(e->o, "},");
}

static void
about_row(struct emit *e, uint32_t i)
{
    const struct plan_about *r = &e->p->abouts.row[i];
    buf_char(e->o, '{');
    NUMBERS(e, r->nindices, r->cell, r->bytes, r->shape, r->outside, r->counted, r->capture,
            r->ncaptures);
    buf_str(e->o, ", {");
    NUMBERS(e, r->place[0], r->place[1], r->place[2]);
    buf_str(e->o, "}},");
}

static void
capture_row(struct emit *e, uint32_t i)
{
    const struct plan_capture *r = &e->p->captures.row[i];
    buf_printf(e->o, "{%u, %u, %u},", r->word, r->from, r->index);
}

static void
place_row(struct emit *e, uint32_t i)
{
    const struct plan_place *r = &e->p->places.row[i];
    buf_printf(e->o, "{%" PRIu32 ", %" PRIu32 ", %u, %u},", r->file, r->line, r->col, r->end_col);
}

static void
require_row(struct emit *e, uint32_t i)
{
    const struct plan_require *r = &e->p->requires.row[i];
    buf_char(e->o, '{');
    NUMBERS(e, r->expr, r->place);
    buf_str(e->o, ", ");
    put_literal(e, r->text);
    buf_str(e->o, "},");
}

static void
file_row(struct emit *e, uint32_t i)
{
    put_literal(e, e->p->files.row[i]);
    buf_char(e->o, ',');
}

static void
refusal_row(struct emit *e, uint32_t i)
{
    const struct plan_refusal *r = &e->p->refusals.row[i];
    buf_printf(e->o, "{%" PRIu32 ", ", r->expr);
    put_literal(e, r->text);
    buf_str(e->o, "},");
}

static void
put_placed(struct emit *e, const struct plan_placed *r)
{
    buf_char(e->o, '{');
    NUMBERS(e, r->row, r->now);
    buf_str(e->o, "},");
}

static void
placed_df_row(struct emit *e, uint32_t i)
{
    const struct plan_placed *r = &e->p->placed_dfs.row[i];
    put_placed(e, r);
    buf_printf(e->o, " /* %s */", e->p->dfs.row[r->row].name);
}

static void
placed_site_row(struct emit *e, uint32_t i)
{
    put_placed(e, &e->p->placed_sites.row[i]);
}

static void
main_name_row(struct emit *e, uint32_t i)
{
    const struct symbol *p = e->p->subs.row[e->p->main].sub->params;
    while (i--) p = p->next;
    put_literal(e, p->name.text);
    buf_char(e->o, ',');
}

/* ---- the program ---- */

enum { TABLES = 25 };
struct table {
    const char *type, *name;
    void (*row)(struct emit *, uint32_t);
    uint32_t n;
};

/* In the order of the counts in struct luna_program. */
static void
list_tables(const struct plan *p, struct table *t)
{
    const struct table all[TABLES] = {
        {"struct luna_sub", "subs", sub_row, p->subs.n},
        {"struct luna_function", "functions", function_row, p->functions.n},
        {"struct luna_decl", "dfs", decl_row, p->dfs.n},
        {"struct luna_site", "sites", site_row, p->sites.n},
        {"struct luna_block", "blocks", block_row, p->blocks.n},
        {"struct luna_expr", "exprs", expr_row, p->exprs.n},
        {"struct luna_term", "terms", term_row, p->terms.n},
        {"struct luna_ref", "refs", ref_row, p->refs.n},
        {"struct luna_in", "ins", in_row, p->ins.n},
        {"struct luna_part", "parts", part_row, p->parts.n},
        {"struct luna_arg", "args", arg_row, p->args.n},
        {"struct luna_post", "posts", post_row, p->posts.n},
        {"struct luna_rules", "rules", rules_row, p->rules.n},
        {"struct luna_locator", "locators", locator_row, p->locators.n},
        {"struct luna_label", "labels", label_row, p->labels.n},
        {"struct luna_push", "pushes", push_row, p->pushes.n},
        {"struct luna_nfarg", "nfargs", nfarg_row, p->nfargs.n},
        {"struct luna_about", "abouts", about_row, p->abouts.n},
        {"struct luna_capture", "captures", capture_row, p->captures.n},
        {"struct luna_place", "places", place_row, p->places.n},
        {"struct luna_require", "requires", require_row, p->requires.n},
        {"struct luna_refusal", "refusals", refusal_row, p->refusals.n},
        {"struct luna_placed", "placed_dfs", placed_df_row, p->placed_dfs.n},
        {"struct luna_placed", "placed_sites", placed_site_row, p->placed_sites.n},
        {"char *const", "files", file_row, p->files.n},
    };
    memcpy(t, all, sizeof all);
}

static bool
is_shaped(const struct plan *p)
{
    for (uint32_t i = 0; i < p->abouts.n; i++)
        if (p->abouts.row[i].shape != PLAN_NONE) return true;
    return false;
}

static void
put_program(struct emit *e, const struct table *t, uint64_t hash, const char *version)
{
    const struct sub *main = e->p->subs.row[e->p->main].sub;
    buf_str(e->o, "\n__attribute__((visibility(\"default\")))\n"
                  "const struct luna_program luna_program = {\n"
                  "    .abi = LUNA_ABI,\n");
    buf_printf(e->o, "    .main = %" PRIu32 ",\n    .version = ", e->p->main);
    put_literal(e, version);
    buf_str(e->o, ",\n    .name = ");
    put_literal(e, e->p->name);
    buf_printf(e->o, ",\n    .hash = UINT64_C(0x%016" PRIx64 "),\n", hash);
    for (int i = 0; i < TABLES; i++)
        if (t[i].n)
            buf_printf(e->o, "    .%s = %s, .n%s = %" PRIu32 ",\n", t[i].name, t[i].name, t[i].name,
                       t[i].n);
    buf_str(e->o, "    .guard = luna_guard,\n    .main_params = ");
    put_letters(e, main);
    if (e->p->nextents)
        buf_printf(e->o,
                   ",\n    .extent = %" PRIu32 ", .nextents = %" PRIu32 ", .lattice_sub = %" PRIu32,
                   e->p->extent, e->p->nextents, e->p->lattice_sub);
    if (e->p->nplaced_extents)
        buf_printf(e->o,
                   ",\n    .placed_extent = %" PRIu32 ", .nplaced_extents = %" PRIu32
                   ", .wanders = %d",
                   e->p->placed_extent, e->p->nplaced_extents, e->p->placed_wanders);
    if (is_shaped(e->p)) buf_str(e->o, ",\n    .shaped = 1");
    if (e->p->asks_owners) buf_str(e->o, ",\n    .asks_owners = 1");
    buf_printf(e->o, ",\n%s};\n", main->params ? "    .main_param_names = main_names,\n" : "");
}

void
emit_program(const struct plan *p, uint64_t hash, const char *version, struct buf *out)
{
    struct emit e = {.p = p, .o = out, .text.arena = p->arena, .counted = out->size};
    struct table tables[TABLES];
    list_tables(p, tables);
    buf_str(out,
            "/* A fragment program, made by luna from the .fa file named at the end: tables for\n"
            " * the runtime. program.h says what each column means; rows name each other by\n"
            " * number. */\n");
    buf_str(out, "#define LUNA_EMITTED\n#include \"program.h\"\n");
    put_functions(&e);
    put_expr_functions(&e);
    buf_str(out, "\n/* ---- tables ---- */\n");
    for (int i = 0; i < TABLES; i++)
        put_table(&e, tables[i].type, tables[i].name, tables[i].n, tables[i].row);
    put_table(&e, "char *const", "main_names", (uint32_t)p->subs.row[p->main].sub->nparams,
              main_name_row);
    buf_str(out, "\n/* Present when the program has C++. */\n"
                 "extern int luna_guard(void (*fn)(void *), void *who, char *text, size_t size)\n"
                 "    __attribute__((weak));\n");
    put_program(&e, tables, hash, version);
}
