/* build_program.c - tables that grow, filled row by row. */
#include "build_program.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 512 };

struct build {
    struct luna_program program;
    struct luna_sub subs[32];
    struct luna_function functions[64];
    struct luna_decl dfs[64];
    struct luna_site sites[ROWS_MAX];
    const char *callee[ROWS_MAX]; /* of each site; found by name in the end */
    struct luna_block blocks[ROWS_MAX];
    struct luna_expr exprs[4 * ROWS_MAX];
    struct luna_term terms[ROWS_MAX];
    struct luna_ref refs[2 * ROWS_MAX];
    struct luna_in ins[ROWS_MAX];
    struct luna_arg args[2 * ROWS_MAX];
    struct luna_post posts[ROWS_MAX];
    struct luna_rules rules[ROWS_MAX];
    struct luna_locator locators[ROWS_MAX];
    struct luna_label labels[ROWS_MAX];
    struct luna_push pushes[ROWS_MAX];
    struct luna_place places[ROWS_MAX];
};

static const char *const files[] = {"test.fa"};

struct build *
build_new(void)
{
    return calloc(1, sizeof(struct build));
}

void
build_free(struct build *b)
{
    free(b);
}

/* The next row of a table: its number, its content set. */
#define ADD(b, table, ...)                                                                         \
    ((b)->table[(b)->program.n##table] = (__VA_ARGS__), (b)->program.n##table++)

static uint32_t
place_add(struct build *b, unsigned line)
{
    if (!line) line = b->program.nplaces + 1;
    return ADD(b, places, (struct luna_place){.line = line, .col = 5, .end_col = 8});
}

uint32_t
build_df(struct build *b, const char *name)
{
    return ADD(b, dfs, (struct luna_decl){.name = name});
}

void
build_function(struct build *b, const char *name, void (*call)(const luna_actual *),
               const char *params)
{
    ADD(b, functions, (struct luna_function){.name = name, .call = call, .params = params});
}

static uint32_t
expr_add(struct build *b, const struct b_expr *e)
{
    struct luna_expr x = e->x;
    if (x.kind == LUNA_E_AFFINE) {
        x.u.terms = b->program.nterms;
        for (; x.a < B_TERMS && e->term[x.a].coefficient; x.a++) ADD(b, terms, e->term[x.a]);
    }
    return ADD(b, exprs, x);
}

static uint32_t
indices_add(struct build *b, const struct b_expr *ix, uint32_t *n)
{
    uint32_t first = b->program.nexprs;
    for (*n = 0; *n < B_INDICES && ix[*n].used; ++*n) expr_add(b, &ix[*n]);
    return first;
}

static uint32_t
locator_add(struct build *b, const struct b_expr *e)
{
    if (!e->used) return LUNA_NONE;
    return ADD(b, locators, (struct luna_locator){LUNA_L_CYCLIC, expr_add(b, e), LUNA_NONE});
}

static struct luna_ref
ref_row(struct build *b, const struct b_ref *r)
{
    uint32_t n, index = indices_add(b, r->ix, &n);
    return (struct luna_ref){.base = (uint8_t)r->base, .nindices = (uint8_t)n,
                             .word = (uint16_t)r->word, .df = r->df, .index = index,
                             .home = locator_add(b, &r->home)};
}

/* As the compiler does, what has been named before is the same row; with indices it is not looked
 * for. */
static uint32_t
ref_add(struct build *b, const struct b_ref *r)
{
    struct luna_ref row = ref_row(b, r);
    if (!row.nindices) row.index = 0;
    for (uint32_t i = 0; i < b->program.nrefs && !row.nindices; i++)
        if (!memcmp(&b->refs[i], &row, sizeof row)) return i;
    return ADD(b, refs, row);
}

/* Rows that follow each other. */
static uint32_t
refs_add(struct build *b, const struct b_ref *r, uint32_t *n)
{
    uint32_t first = b->program.nrefs;
    for (*n = 0; *n < B_REFS && r[*n].used;) ++*n;
    if (*n == 1) return ref_add(b, r);
    for (uint32_t i = 0; i < *n; i++) ADD(b, refs, ref_row(b, &r[i]));
    return first;
}

static void
arg_add(struct build *b, const struct b_arg *a)
{
    struct luna_arg row = {.kind = (uint32_t)a->kind, .post = LUNA_NONE, .place = LUNA_NONE};
    row.row = a->kind == LUNA_A_NAME ? ref_add(b, &a->ref) : expr_add(b, &a->x);
    if (a->has_post) {
        struct luna_post post = {.kind = (uint32_t)a->post};
        if (a->count.used) post.count = expr_add(b, &a->count);
        row.post = ADD(b, posts, post);
    }
    ADD(b, args, row);
}

static uint32_t
label_add(struct build *b, const struct b_label *l)
{
    struct luna_label row = {.name = l->name, .home = LUNA_NONE};
    row.index = indices_add(b, l->ix, &row.nindices);
    return ADD(b, labels, row);
}

static uint32_t
rules_add(struct build *b, const struct b_stmt *s)
{
    struct luna_rules r = {.label = LUNA_NONE, .weight = LUNA_NONE, .priority = LUNA_NONE,
                           .set_post = LUNA_NONE};
    if (!s->label.used && !s->set[0].used && !s->kill[0].used && !s->push[0].used && !s->node.used)
        return LUNA_NONE;
    if (s->label.used) r.label = label_add(b, &s->label);
    r.node = locator_add(b, &s->node);
    r.set = refs_add(b, s->set, &r.nset);
    r.kill = refs_add(b, s->kill, &r.nkill);
    r.push = b->program.npushes;
    for (; r.npush < B_REFS && s->push[r.npush].used; r.npush++)
        ADD(b, pushes, (struct luna_push){ref_add(b, &s->push[r.npush]),
                                          label_add(b, &s->push_to[r.npush])});
    return ADD(b, rules, r);
}

/* Its name can only be told when inputs before it are here. */
static bool
depends_on_inputs(const struct b_ref *r)
{
    for (int i = 0; i < B_INDICES && r->ix[i].used; i++)
        if (r->ix[i].x.kind == LUNA_E_IN || r->ix[i].x.kind >= LUNA_E_INT_FN) return true;
    return false;
}

static void
inputs_add(struct build *b, const struct b_stmt *s, struct luna_site *row)
{
    uint16_t round = 0;
    for (; row->nin < B_INS && s->in[row->nin].used; row->nin++) {
        unsigned i = row->nin;
        uint8_t kind = s->waits >> i & 1 ? LUNA_IN_WAIT : LUNA_IN_REQUEST;
        if (s->rounds >> i & 1 || (i && depends_on_inputs(&s->in[i]))) round++;
        ADD(b, ins, (struct luna_in){ref_add(b, &s->in[i]), kind, 0, round, 0, 0});
    }
}

static struct luna_site
site_row(struct build *b, const struct b_stmt *s)
{
    struct luna_site row = {.kind = (uint8_t)s->kind, .flags = (uint8_t)s->flags, .body = s->body,
                            .in = b->program.nins, .arg = b->program.nargs};
    inputs_add(b, s, &row);
    for (; row.nargs < B_ARGS && s->arg[row.nargs].used; row.nargs++)
        arg_add(b, &s->arg[row.nargs]);
    if (s->a.used) row.a = expr_add(b, &s->a);
    if (s->b.used) row.b = expr_add(b, &s->b);
    if (s->kind == LUNA_S_FOR) row.step = s->step ? s->step : 1;
    if (s->kind == LUNA_S_IF) row.b = LUNA_NONE; /* else: none */
    if (s->kind == LUNA_S_CALL) row.body = LUNA_NONE; /* lists: none */
    if (s->kind == LUNA_S_REDUCE) {
        row.a = s->op;
        row.b = s->counters;
    }
    row.rules = rules_add(b, s);
    row.place = place_add(b, s->line);
    return row;
}

uint32_t
build_block(struct build *b, const struct b_stmt *stmts, unsigned n)
{
    uint32_t first = b->program.nsites;
    for (unsigned i = 0; i < n; i++) {
        b->callee[b->program.nsites] = stmts[i].callee;
        ADD(b, sites, site_row(b, &stmts[i]));
    }
    return ADD(b, blocks, (struct luna_block){first, n});
}

void
build_sub(struct build *b, const char *name, const char *params, uint32_t body)
{
    if (!strcmp(name, "main")) b->program.main = b->program.nsubs;
    ADD(b, subs, (struct luna_sub){.name = name, .params = params, .body = body,
                                   .nwords = (uint32_t)strlen(params)});
}

/* The terms of a reduction know it. */
static void
find_term(struct build *b, uint32_t reduce)
{
    struct luna_site *s = &b->sites[reduce];
    do s = &b->sites[b->blocks[s->body].site];
    while (s->kind == LUNA_S_FOR);
    s->callee = reduce;
}

/* Statements of a block see `nlocal` words; those of a loop's body its counter too, and perhaps
 * an identity. */
static void
count_locals(struct build *b, uint32_t block, unsigned nlocal, uint32_t sub)
{
    const struct luna_block *bl = &b->blocks[block];
    for (uint32_t i = bl->site; i < bl->site + bl->nsites; i++) {
        struct luna_site *s = &b->sites[i];
        unsigned fresh = (s->flags & LUNA_F_FRESH) != 0;
        s->sub = sub;
        s->nlocal = (uint16_t)(nlocal + (s->kind == LUNA_S_TEST));
        if (s->kind == LUNA_S_FOR) count_locals(b, s->body, nlocal + 1 + fresh, sub);
        if (s->kind == LUNA_S_TEST) count_locals(b, s->body, nlocal + 1 + fresh, sub);
        if (s->kind == LUNA_S_REDUCE) {
            find_term(b, i);
            count_locals(b, s->body, nlocal + s->nargs, sub); /* the ints, and a counter */
        }
        if (s->kind == LUNA_S_IF || s->kind == LUNA_S_WHILE) count_locals(b, s->body, nlocal, sub);
    }
}

static void
find_callee(struct build *b, uint32_t i)
{
    struct luna_site *s = &b->sites[i];
    if (s->kind == LUNA_S_CALL) {
        while (strcmp(b->functions[s->callee].name, b->callee[i])) s->callee++;
    } else if (s->kind == LUNA_S_REDUCE && s->a == LUNA_R_SUB) {
        while (strcmp(b->functions[s->callee].name, b->callee[i])) s->callee++;
    } else if (s->kind == LUNA_S_EXPAND) {
        while (strcmp(b->subs[s->callee].name, b->callee[i])) s->callee++;
    }
}

/* What a statement names without a parameter or an identity of a loop is its sub's. */
static void
df_belongs(struct build *b, const struct luna_site *s, uint32_t ref)
{
    const struct luna_ref *r = &b->refs[ref];
    if (r->base == LUNA_B_FRAME_ID) b->dfs[r->df].sub = s->sub;
}

static void
dfs_belong(struct build *b, const struct luna_site *s)
{
    for (uint32_t i = 0; i < s->nin; i++) df_belongs(b, s, b->ins[s->in + i].ref);
    for (uint32_t i = 0; i < s->nargs; i++)
        if (b->args[s->arg + i].kind == LUNA_A_NAME) df_belongs(b, s, b->args[s->arg + i].row);
}

const struct luna_program *
build_done(struct build *b)
{
    struct luna_program *p = &b->program;
    for (uint32_t i = 0; i < p->nsubs; i++) count_locals(b, b->subs[i].body, 0, i);
    for (uint32_t i = 0; i < p->nsites; i++) dfs_belong(b, &b->sites[i]);
    for (uint32_t i = 0; i < p->nsites; i++) find_callee(b, i);
    p->abi = LUNA_ABI;
    p->version = "test", p->name = "test";
    p->subs = b->subs, p->functions = b->functions, p->dfs = b->dfs;
    p->sites = b->sites, p->blocks = b->blocks, p->exprs = b->exprs, p->terms = b->terms;
    p->refs = b->refs, p->ins = b->ins, p->args = b->args, p->posts = b->posts;
    p->rules = b->rules, p->locators = b->locators, p->labels = b->labels;
    p->pushes = b->pushes, p->places = b->places;
    p->files = files, p->nfiles = 1;
    p->main_params = p->subs[p->main].params;
    return p;
}
