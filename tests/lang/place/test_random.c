/* test_random.c - rules of place that the compiler found change no answer.
 *
 * Random programs run on four nodes as if there were none of these rules, and with them under each
 * distributor, and with balancing: with the same exit code, and the same hash if they end well.
 * Of a wrong program that ends by who comes first only that it does not end well is the same.
 *
 *     test_random [FIRST [LAST]]        seeds; LUNA_SEEDS: so many, from 1 on */
#include "tests/lang/prove/batch.h"
#include "tests/lang/prove/interpret.h"
#include "tests/lang/prove/random_program.h"

#include "runtime/base/exit.h"
#include "tests/lib/check.h"
#include "tests/runtime/run_program.h"

#include <string.h>

enum { RUNS = 2, CASES = 500, STATEMENTS_MOST = 2000 };

static struct {
    long programs, by_name, runs, ended, other;
} seen;

static const struct run_options placed[] = {
    {.nodes = 4, .distrib = "patch"},
    {.nodes = 3, .distrib = "rope"},
    {.nodes = 16, .distrib = "cyclic"},
    {.nodes = 2,
     .distrib = "patch",
     .balance = "two-phase",
     .balance_every = "10",
     .balance_threshold = "0%",
     .start = "half"},
};
enum { PLACED = sizeof placed / sizeof *placed };

static struct ran
run(const struct luna_program *p, struct run_options o, const int32_t *args)
{
    char n[20], m[20], *argv[] = {n, m};
    snprintf(n, sizeof n, "%d", args[0]);
    snprintf(m, sizeof m, "%d", args[1]);
    o.workers = 1;
    o.sim = o.hash = o.quiet = true;
    return run_program(p, o, 2, argv);
}

/* The hash lines; what else is said differs. */
static char *
hash_of(const char *err)
{
    const char *at = strstr(err, "hash *");
    return strndup(at ? at : "", at ? strcspn(at, "\n") : 0);
}

/* Two writers, a fault, or more readers than were counted: who comes first decides how it ends. */
static bool
depends_on_order(const struct batch_program *b, const int32_t *args)
{
    struct arena *a = arena_new();
    struct interpret_setup s = {random_program_call, args, STATEMENTS_MOST, 0, false};
    struct interpreted r = interpret(a, b->lang.plan, &s);
    bool does = r.end == TWICE || r.end == FAULT;
    for (const struct interpret_fragment *f = r.all; f && !does; f = f->next) does = f->asked_late;
    arena_free(a);
    return does;
}

static bool
check_run(const struct batch_program *b, const struct luna_program *p, const int32_t *args)
{
    struct ran first = run(p, (struct run_options){.nodes = 4, .place = "node0"}, args);
    int code = first.code;
    char *hash = hash_of(first.err);
    bool ok = true;
    seen.ended += code == EXIT_DONE;
    for (int i = 0; i < PLACED && ok; i++) {
        struct ran r = run(p, placed[i], args);
        char *other = hash_of(r.err), *said = strdup(r.err);
        ok = r.code == code && (code != EXIT_DONE || !strcmp(hash, other));
        if (r.code != code && code != EXIT_DONE && r.code != EXIT_DONE)
            ok = depends_on_order(b, args), seen.other++;
        seen.runs++;
        if (!ok)
            fprintf(stderr,
                    "seed %lu, N = %d, M = %d, configuration %d: exit code %d, %s, not %d, %s\n"
                    "%s\n%.*s\n",
                    b->seed, args[0], args[1], i, r.code, other, code, hash, said,
                    (int)b->text.size, b->text.data);
        free(other);
        free(said);
    }
    free(hash);
    return ok;
}

/* Some have loops without an end. */
static bool
is_long(const struct batch_program *b, const int32_t *args)
{
    struct arena *a = arena_new();
    struct interpret_setup s = {random_program_call, args, STATEMENTS_MOST, 0, false};
    bool is = interpret(a, b->lang.plan, &s).end == LONG;
    arena_free(a);
    return is;
}

static void
make(struct batch_program *p, unsigned long seed)
{
    batch_begin(p, seed);
    p->compiled = batch_compile(p, false);
    seen.programs++;
}

/* What a sub declares is placed by an index of a name that the sub is given. */
static bool
is_by_name(const struct luna_program *p)
{
    uint32_t i = 0;
    while (i < p->ncaptures && p->captures[i].from != LUNA_C_INDEX) i++;
    return i < p->ncaptures;
}

static bool
check(const struct batch_program *b, const struct luna_program *p, const int32_t *args)
{
    seen.by_name += p->nplaced_extents && is_by_name(p);
    return !p->nplaced_extents || is_long(b, args) || check_run(b, p, args);
}

int
main(int argc, char **argv)
{
    static const struct batch_test test = {CASES, RUNS, make, check};
    bool whole;
    long wrong = batch_run(argc, argv, &test, &whole);
    printf("%ld programs; %ld runs of placed ones, %ld of them end well; %ld times one ended "
           "otherwise than on node 0; %ld times by an index of a name\n",
           seen.programs, seen.runs, seen.ended, seen.other, seen.by_name);
    bool enough = !whole || (seen.runs > 800 && seen.ended > 100 && seen.by_name > 5);
    if (!enough) printf("too little was run: this tests nothing\n");
    return wrong != 0 || !enough;
}
