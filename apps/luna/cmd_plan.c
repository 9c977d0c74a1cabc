/* cmd_plan.c - luna plan: the bill of a run, without running. */
#include "apps/luna/bill/bill.h"
#include "apps/luna/build/compile.h"
#include "apps/luna/cmd.h"
#include "apps/luna/common/say.h"
#include "apps/luna/trace/sizes.h"
#include "runtime/base/io.h"
#include "runtime/base/whole.h"
#include "runtime/run/layout.h"

#include <stdlib.h>
#include <string.h>

enum { WALKED_MOST = 20000000 }; /* each takes some 100 bytes and .3 us */

/* ---- what is given ---- */

static bool
read_arg(struct unroll_value *out, const struct symbol *p, const char *word)
{
    char *end;
    int64_t i;
    if (p->type == T_INT) {
        if (!whole_int(word, &i)) return false;
        *out = (struct unroll_value){UNROLL_INT, {.i = i}};
    } else if (p->type == T_REAL) {
        double d = strtod(word, &end);
        if (end == word || *end || !isfinite(d)) return false;
        *out = (struct unroll_value){UNROLL_REAL, {.d = d}};
    }
    return true;
}

/* NULL: they do not fit, and that was said. */
static struct unroll_value *
read_args(const struct options *o, const struct sub *main, struct arena *a)
{
    struct unroll_value *args = arena_array(a, struct unroll_value, (size_t)main->nparams + 1);
    int i = 0;
    if (o->argc < main->nparams) {
        say_error("%d argument%s of main given, %d needed", o->argc, o->argc == 1 ? "" : "s",
                  main->nparams);
        say_hint("they stand behind '%s', as in luna run", o->file);
        return NULL;
    }
    for (const struct symbol *p = main->params; p; p = p->next, i++)
        if (!read_arg(&args[i], p, o->argv[i])) {
            say_error("argument %d of main, '%s', must be %s, not '%s'", i + 1, p->name.text,
                      p->type == T_INT ? "an int" : "a real number", o->argv[i]);
            return NULL;
        }
    if (i < o->argc) say_warning("'%s' is no argument of main", o->argv[i]);
    return args;
}

/* x[3][4]: what is behind the name. */
static bool
read_indices(struct unroll_let *let, char *text)
{
    while (*text) {
        char *end = strchr(text, ']');
        int64_t v;
        if (*text != '[' || !end || let->n == UNROLL_INDICES_MAX) return false;
        *end = 0;
        if (!whole_int(text + 1, &v)) return false;
        let->index[let->n++] = (int32_t)v;
        text = end + 1;
    }
    return true;
}

static bool
read_let(struct unroll_let *let, const char *text, struct arena *a)
{
    char *name = arena_strdup(a, text), *is = strchr(name, '='), *index;
    int64_t v;
    *is = 0;
    if (!whole_int(is + 1, &v)) {
        say_error("--let %s: '%s' is no int", text, is + 1);
        return false;
    }
    let->value = (int32_t)v;
    index = strchr(name, '[');
    char *indices = index ? arena_strdup(a, index) : NULL;
    if (index) *index = 0;
    let->name = name;
    if (!indices || read_indices(let, indices)) return true;
    say_error("--let %s: indices are written as ints in brackets: x[3][4]=5", text);
    return false;
}

static bool
read_lets(const struct options *o, struct unroll_setup *s, struct arena *a)
{
    s->lets = arena_array(a, struct unroll_let, (size_t)o->lets.n + 1);
    s->nlets = o->lets.n;
    for (int i = 0; i < o->lets.n; i++)
        if (!read_let(&s->lets[i], o->lets.at[i], a)) return false;
    return true;
}

/* By declaration. */
static const double *
read_sizes(const struct options *o, const struct plan *p)
{
    const struct sizes *sizes = sizes_read(o->arena, o->sizes);
    double *bytes = arena_array(o->arena, double, p->dfs.n + 1u);
    for (uint32_t i = 0; i < p->dfs.n && sizes; i++)
        bytes[i] = sizes_mean(sizes, p->dfs.row[i].name);
    return sizes ? bytes : NULL;
}

/* ---- cells ---- */

static bool
refuse(const struct unroll_fault *fault)
{
    say_error("%s", fault->text);
    if (*fault->hint) say_hint("%s", fault->hint);
    return false;
}

static bool
choose_layout(struct layout *l, const struct plan *p, const struct options *o,
              const struct unroll_setup *s, struct arena *a)
{
    int32_t side[LATTICE_DIMS_MAX] = {1, 1, 1};
    struct lattice cells;
    int nodes = o->run.nodes ? o->run.nodes : 1;
    if (!p->nextents) return layout_choose(l, NULL, false, &o->run, nodes);
    struct unroll_setup before = *s;
    struct unroll_fault fault;
    before.nodes = nodes;
    bool known = unroll_extent(a, p, &before, side, &fault);
    if (!known && *fault.text) return refuse(&fault);
    if (!known) return layout_choose(l, NULL, false, &o->run, nodes);
    if (!lattice_init(&cells, (int)p->nextents, side)) {
        const char *sides = "";
        for (uint32_t i = 0; i < p->nextents; i++)
            sides = arena_printf(a, "%s%s%d", sides, i ? " x " : "", side[i]);
        say_error("the lattice of cells would be %s", sides);
        say_hint("each side must be at least 1, and there may be %u cells in all",
                 LATTICE_POINTS_MAX);
        return false;
    }
    return layout_choose(l, &cells, p->is_placed && p->placed_wanders, &o->run, nodes);
}

/* ---- together ---- */

static void
tell_idle_lets(const struct unroll_setup *s, const struct options *o)
{
    for (int i = 0; i < s->nlets; i++)
        if (!s->lets[i].used)
            say_warning("--let %s: nothing asks for this value", o->lets.at[i]);
}

static int
print(const struct bill *b, const struct lang *l, const struct options *o)
{
    struct buf out = {0};
    struct bill_count bytes;
    uint32_t decl;
    if (o->sizes && !bill_bytes(b, &bytes, &decl))
        say_warning("%s has no send of '%s': bytes are not told", o->sizes,
                    l->plan->dfs.row[decl].name);
    if (b->circle) say_warning("some calls wait for each other: such a run does not end");
    if (b->vague) say_warning("weights that follow from values count as 1");
    if (!o->json) {
        bill_print(b, l->plan, l->source);
        return EXIT_DONE;
    }
    bill_print_json(b, l->plan, l->source, &out);
    bool failed = out.failed;
    if (!failed) io_print(out.data, out.size);
    buf_fini(&out);
    if (failed) arena_jump(o->arena, ARENA_NO_MEMORY);
    return EXIT_DONE;
}

static bool
wants_placed(const struct options *o)
{
    return o->run.nodes > 1 && !(o->run.place && !strcmp(o->run.place, "node0"));
}

static int
plan(const struct lang *l, const struct options *o)
{
    struct unroll_setup s = {.most = WALKED_MOST};
    struct unroll_fault fault;
    struct layout layout;
    struct bill b;
    const double *bytes = NULL;
    if (wants_placed(o)) plan_use_placed(l->plan);
    s.args = read_args(o, l->plan->subs.row[l->plan->main].sub, o->arena);
    if (!s.args || !read_lets(o, &s, o->arena)) return EXIT_USAGE;
    if (o->sizes && !(bytes = read_sizes(o, l->plan))) return EXIT_USAGE;
    if (!choose_layout(&layout, l->plan, o, &s, o->arena)) return EXIT_USAGE;
    bool made = bill_make(&b, o->arena, l->plan, &layout, o->run.nodes ? o->run.nodes : 1, &s,
                          bytes, &fault);
    layout_close(&layout);
    if (made) {
        tell_idle_lets(&s, o);
        return print(&b, l, o);
    }
    if (!*fault.text) arena_jump(o->arena, ARENA_NO_MEMORY);
    refuse(&fault);
    return EXIT_USAGE;
}

int
cmd_plan(struct options *o)
{
    struct lang l = {0};
    struct lang_options lo = compile_lang_options(o);
    struct buf text = {0};
    int code = EXIT_SYSTEM;
    lo.no_proof = true; /* luna check tells what is wrong */
    if (!lang_compile(&l, &lo)) {
        say_error("out of memory while compiling '%s'", o->file);
    } else if (diag_errors(l.diag)) {
        diag_print_text(l.diag, &text);
        fwrite(text.data ? text.data : "", 1, text.size, stderr);
        code = EXIT_PROGRAM;
    } else {
        arena_fails_like(l.arena, o->arena);
        code = plan(&l, o);
    }
    lang_fini(&l);
    buf_fini(&text);
    return code;
}
