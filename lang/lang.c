/* lang.c - the passes in order. */
#include "lang/lang.h"

#include "lang/check/check.h"
#include "lang/emit/emit.h"
#include "lang/lower/lower.h"
#include "lang/parse/parse.h"
#include "lang/place/place.h"
#include "lang/prove/prove.h"
#include "lang/report/hash.h"
#include "lang/resolve/resolve.h"

#include <setjmp.h>
#include <string.h>

/* What a pass needs besides the compilation's products. */
struct work {
    struct lang *l;
    const struct lang_options *o;
    bool stop;   /* there is nothing to go on with */
    bool broken; /* parts of the program are not in the tree */
};

typedef void pass_fn(struct work *w);
typedef void dump_fn(const struct work *w, struct buf *out);

static void
pass_prep(struct work *w)
{
    struct lang *l = w->l;
    w->stop = !prep_run(l->arena, l->source, l->diag, w->o->file, &w->o->prep, &l->prep);
}

static void
dump_prep(const struct work *w, struct buf *out)
{
    prep_dump(w->l->source, &w->l->prep, out);
}

static void
pass_parse(struct work *w)
{
    struct lang *l = w->l;
    bool damaged = diag_errors(l->diag);
    l->tree = parse_run(l->arena, l->source, l->diag, &l->prep);
    if (damaged) l->tree->lost = true;
    l->tree->macros = l->prep.macros;
    l->tree->macro_params = l->prep.params;
    l->tree->given = l->prep.given;
    l->tree->ngiven = l->prep.ngiven;
    l->tree->outside = w->o->outside;
    for (const struct symbol *c = l->tree->consts; c; c = c->next)
        prep_asked(&l->prep, c->name.text);
    w->broken = diag_errors(l->diag);
}

static void
dump_parse(const struct work *w, struct buf *out)
{
    ast_dump(w->l->tree, false, out);
}

static void
pass_resolve(struct work *w)
{
    resolve_run(w->l->arena, w->l->tree, w->l->diag);
}

static void
dump_resolve(const struct work *w, struct buf *out)
{
    resolve_dump(w->l->tree, out);
}

static void
pass_check(struct work *w)
{
    check_run(w->l->arena, w->l->tree, w->l->diag);
}

static void
pass_lower(struct work *w)
{
    struct lang *l = w->l;
    l->tree->tells_wraps = w->o->debug;
    l->plan = lower_run(l->arena, l->source, l->tree, l->diag);
}

static void
dump_lower(const struct work *w, struct buf *out)
{
    lower_dump(w->l->plan, out);
}

static void
prove(const struct work *w, struct buf *dump)
{
    struct prove_options o = {.possible = w->o->verdicts && w->o->verdicts->possible,
                              .args = w->o->args,
                              .nargs = w->o->nargs,
                              .told = w->o->tell_proof ? &w->l->proof : NULL,
                              .memory = w->o->tell_memory ? &w->l->memory : NULL,
                              .limit = w->o->memory_limit,
                              .size_of = w->o->size_of,
                              .size_who = w->o->size_who,
                              .dump = dump};
    prove_run(w->l->arena, w->l->plan, w->l->tree, w->l->source, w->l->diag, &o);
}

static bool
is_dumped(const struct work *w, const char *pass)
{
    return w->o->dump && !strcmp(w->o->dump, pass);
}

static void
pass_prove(struct work *w)
{
    if (!w->o->no_proof && !is_dumped(w, "prove")) prove(w, NULL);
}

static void
dump_prove(const struct work *w, struct buf *out)
{
    prove(w, out);
}

static void
place(const struct work *w, struct buf *told)
{
    place_run(w->l->arena, w->l->plan, w->l->source, w->l->diag, told);
}

static void
pass_place(struct work *w)
{
    if (w->o->no_place || is_dumped(w, "place")) return;
    place(w, w->o->tell_proof ? &w->l->proof : NULL);
}

static void
dump_place(const struct work *w, struct buf *out)
{
    place(w, out);
}

/* Of all that makes the program what it is: its plain text, the values of consts that are not in
 * it, and its foreign blocks. */
static uint64_t
program_hash(const struct lang *l)
{
    size_t size;
    const char *text = source_text(l->source, &size);
    uint64_t h = hash_bytes(HASH_FIRST, text, size);
    for (const struct symbol *c = l->tree->consts; c; c = c->next) {
        const struct expr *v = c->let_value;
        h = hash_bytes(h, &v->ival, sizeof v->ival);
        h = hash_bytes(h, &v->rval, sizeof v->rval);
        if (v->str) h = hash_bytes(h, v->str, v->str_size);
    }
    for (int i = 0; i < l->prep.nblocks; i++)
        h = hash_bytes(h, l->prep.blocks[i].text, l->prep.blocks[i].size);
    return h;
}

static void
pass_emit(struct work *w)
{
    struct lang *l = w->l;
    emit_program(l->plan, program_hash(l), LUNA_VERSION, &l->c_text);
    emit_blocks(l->plan, l->tree, LANG_C, &l->c_blocks);
    emit_blocks(l->plan, l->tree, LANG_CPP, &l->cpp_blocks);
}

static void
dump_emit(const struct work *w, struct buf *out)
{
    buf_add(out, w->l->c_text.data, w->l->c_text.size);
}

/* What must be right for a pass to make sense. */
enum needs { ANYTHING, NAMES, TREE, PROGRAM };

static const struct pass {
    const char *name;
    pass_fn *run;
    dump_fn *dump;
    enum needs needs;
} passes[] = {
    {"prep", pass_prep, dump_prep, ANYTHING},       /* text -> plain text     */
    {"parse", pass_parse, dump_parse, ANYTHING},    /* plain text -> tree     */
    {"resolve", pass_resolve, dump_resolve, NAMES}, /* names -> declarations  */
    {"check", pass_check, dump_resolve, TREE},      /* types, one assignment  */
    {"lower", pass_lower, dump_lower, PROGRAM},     /* tree -> fragment plan  */
    {"prove", pass_prove, dump_prove, PROGRAM},     /* who writes what reads  */
    {"place", pass_place, dump_place, PROGRAM},     /* where it should be     */
    {"emit", pass_emit, dump_emit, PROGRAM},        /* plan -> C text         */
};

enum { PASSES = sizeof passes / sizeof *passes };

const char *
lang_pass_name(int i)
{
    return i >= 0 && i < PASSES ? passes[i].name : NULL;
}

static bool
is_ready(const struct work *w, enum needs needs)
{
    switch (needs) {
    case ANYTHING: return !w->stop;
    case NAMES: return !w->l->tree->lost; /* a statement left out hides no name */
    case TREE: return !w->broken;
    case PROGRAM: break;
    }
    return !diag_errors(w->l->diag);
}

static void
walk(struct work *w)
{
    for (int i = 0; i < PASSES && is_ready(w, passes[i].needs); i++) {
        const struct pass *p = &passes[i];
        p->run(w);
        if (!is_dumped(w, p->name)) continue;
        p->dump(w, w->o->dump_out);
        return;
    }
}

bool
lang_compile(struct lang *l, const struct lang_options *o)
{
    jmp_buf no_memory;
    struct work w = {.l = l, .o = o};
    *l = (struct lang){.arena = arena_new()};
    if (!l->arena) return false;
    if (setjmp(no_memory)) return false;
    arena_on_fail(l->arena, &no_memory);
    l->source = source_new(l->arena);
    l->diag = diag_new(l->arena, l->source);
    if (o->verdicts) diag_set_verdicts(l->diag, o->verdicts);
    walk(&w);
    arena_on_fail(l->arena, NULL);
    if (o->dump && o->dump_out->failed) return false;
    return !l->c_text.failed && !l->c_blocks.failed && !l->cpp_blocks.failed && !l->proof.failed &&
           !l->memory.failed;
}

void
lang_fini(struct lang *l)
{
    buf_fini(&l->c_text);
    buf_fini(&l->c_blocks);
    buf_fini(&l->cpp_blocks);
    buf_fini(&l->proof);
    buf_fini(&l->memory);
    arena_free(l->arena);
    *l = (struct lang){0};
}
