/* test_compiled.c - the interpreter of plans against runs of compiled programs.
 *
 * Random programs are compiled, proved or as they stand, many of them by one call of the C
 * compiler; each runs for some n and m. It must end as the interpreter says, and where nothing
 * depends on the order, each fragment has as many requests, and the value that was assigned.
 *
 *     test_compiled [FIRST [LAST]]        seeds; LUNA_SEEDS: so many, from 1 on */
#include "batch.h"
#include "interpret.h"
#include "random_program.h"
#include "recorded.h"

#include "lang/lang.h"
#include "runtime/base/exit.h"
#include "tests/lib/check.h"

#include <string.h>

enum { RUNS = 3, STATEMENTS_MOST = 2000, ORDERS = 6, CASES = 500 };

static struct { long programs, refused, ended, stuck, twice, faults, compared, orders; } seen;

static void
program_make(struct batch_program *p, unsigned long seed)
{
    batch_begin(p, seed);
    p->compiled = batch_compile(p, seed % 2);
    if (!p->compiled && seed % 2) { /* proved to be wrong: so it runs as it stands */
        lang_fini(&p->lang);
        p->compiled = batch_compile(p, false);
    }
    seen.programs++;
    seen.refused += !p->compiled;
}

/* ---- comparing ---- */

struct row {
    uint32_t decl, n;
    int32_t ix[INTERPRET_INDICES];
    int32_t requests, value, assigned;
};

static int
compare_rows(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct row));
}

/* Those without indices may live in frames, and are not asked for in the store. */
static size_t
rows_of(const struct interpreted *r, struct row *row)
{
    size_t n = 0;
    for (const struct interpret_fragment *f = r->all; f && n < RECORDED_MOST; f = f->next) {
        if (!f->n || (!f->requests && !f->assigned)) continue;
        row[n] = (struct row){.decl = f->decl, .n = f->n, .requests = (int32_t)f->requests,
                              .value = f->value.i, .assigned = f->assigned};
        memcpy(row[n++].ix, f->ix, f->n * sizeof *f->ix);
    }
    qsort(row, n, sizeof *row, compare_rows);
    return n;
}

static size_t
rows_recorded(const struct recorded *r, struct row *row)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct recorded_fragment *f = &r->row[i];
        if (!f->n) continue;
        row[n] = (struct row){.decl = f->decl, .n = f->n, .requests = f->requests,
                              .value = f->value, .assigned = f->assigned};
        memcpy(row[n++].ix, f->ix, f->n * sizeof *f->ix);
    }
    qsort(row, n, sizeof *row, compare_rows);
    return n;
}

static bool
is_code(enum interpret_end end, int code)
{
    switch (end) {
    case ENDED: return code == EXIT_DONE;
    case TWICE: return code == EXIT_RUN;
    case STUCK: return code == EXIT_STUCK;
    case FAULT: return code == EXIT_RUN || code == EXIT_USAGE;
    case LONG: break;
    }
    return false;
}

static bool
are_same(const struct batch_program *p, const struct interpreted *r, const struct recorded *have)
{
    static struct row ours[RECORDED_MOST], theirs[RECORDED_MOST];
    const struct plan *plan = p->lang.plan;
    size_t n = rows_of(r, ours), m = rows_recorded(have, theirs);
    for (size_t i = 0; i < n || i < m; i++) {
        const struct row *a = &ours[i], *b = &theirs[i];
        if (i < n && i < m && !compare_rows(a, b)) continue;
        if (i < n)
            fprintf(stderr, "interpreted: %s[%d].. %d requests, %d, assigned %d\n",
                    plan->dfs.row[a->decl].name, a->ix[0], a->requests, a->value, a->assigned);
        if (i < m)
            fprintf(stderr, "run: %s[%d].. %d requests, %d, assigned %d\n",
                    plan->dfs.row[b->decl].name, b->ix[0], b->requests, b->value, b->assigned);
        return false;
    }
    seen.compared++;
    return true;
}

/* Something depends on who comes first. */
static bool
depends_on_order(const struct interpreted *r)
{
    if (r->end == TWICE || r->end == FAULT) return true;
    for (const struct interpret_fragment *f = r->all; f; f = f->next)
        if (f->asked_late) return true;
    return false;
}

static bool
check_run(const struct batch_program *p, const struct luna_program *compiled, const int32_t *args)
{
    bool ok = false, first = true;
    const struct recorded *have = NULL;
    int code = 0;
    for (uint64_t order = 0; order < ORDERS && !ok; order++) {
        struct arena *a = arena_new();
        struct interpret_setup s = {random_program_call, args, STATEMENTS_MOST, order, false};
        struct interpreted r = interpret(a, p->lang.plan, &s);
        bool depends = depends_on_order(&r), is_long = r.end == LONG;
        if (first && !is_long) code = recorded_run(compiled, args, &have);
        if (first && !is_long) {
            seen.ended += r.end == ENDED, seen.stuck += r.end == STUCK;
            seen.twice += r.end == TWICE, seen.faults += r.end == FAULT;
        }
        ok = is_long || (is_code(r.end, code) && (depends || have->full || are_same(p, &r, have)));
        if (!ok && !depends) {
            fprintf(stderr, "seed %lu, N = %d, M = %d: exit code %d, interpreted as %d %s\n%.*s\n",
                    p->seed, args[0], args[1], code, r.end, r.why ? r.why : "", (int)p->text.size,
                    p->text.data);
            order = ORDERS;
        }
        seen.orders += !first;
        first = false;
        arena_free(a);
    }
    return ok;
}

int
main(int argc, char **argv)
{
    static const struct batch_test test = {CASES, RUNS, program_make, check_run};
    bool whole;
    long wrong = batch_run(argc, argv, &test, &whole);
    printf("%ld programs, %ld of them refused; runs: %ld ended, %ld stuck, %ld assigned twice, %ld "
           "faults; %ld were compared by fragments, %ld times another order was tried\n",
           seen.programs, seen.refused, seen.ended, seen.stuck, seen.twice, seen.faults,
           seen.compared, seen.orders);
    /* Else this would test nothing. */
    bool enough = !whole || (seen.ended > 500 && seen.stuck > 100 && seen.twice > 20 &&
                             seen.faults > 20 && seen.compared > 1000);
    if (!enough) printf("too little was run\n");
    return wrong != 0 || !enough;
}
