/* waste.c - random programs: was a worker idle while a call could run?
 *
 *     waste sim FIRST LAST [-v]        each seed on the simulator, on 1 to 64 nodes of one worker
 *     waste large FIRST LAST [-v]      programs of up to 4,000 calls, of which a window is a part:
 *                                      only when the last call ends is judged
 *     waste threads FIRST LAST [-v]    the same on threads, calls busy by the clock: alone on the
 *                                      machine only. Without `judge` only that the values are right
 *     waste judge FIRST LAST [-v]      the same, three times, and the median of waste is judged
 *     waste plain FIRST LAST [-v]      no luna at all: plain schedules (listed.h) of these programs
 *     waste text [threads|large] SEED  the program of a seed
 *
 *     LUNA=build/against/.../luna waste sim FIRST LAST
 *         runs the programs by that luna, which may be an older one. When its nodes were at work
 *         besides calls is not known then, so only waste of more than 100 us counts. Its window is
 *         as it is, there is no else, and in older simulators a value left before its call had
 *         ended: that is no fault here
 *
 * A seed is a program (shapes.h) that is compiled and run in this process's children (tables.h).
 * Its text is read a second time, by nothing of luna, for what waits for what (graph.h); the trace
 * tells when its calls have run (run.h).
 *
 * In the simulator a seed fails if
 *   - the run fails, or prints another number than the text says,
 *   - a call has not run, has run twice, elsewhere than the language says, or before the end of a
 *     call whose value it reads,
 *   - a node has waited for more than 20 us while one of its calls could run (verdict.h tells what
 *     that means, and how far it is told kindly): messages take at most LATENCY_MAX, making a
 *     statement MAKING,
 *   - the last call ends later than 1.1 times the longest of four plain schedules on the same nodes
 *     (listed.h: oldest first, newest first, twice at random, once with requests that come too
 *     late), plus four latencies a level of the graph; of a large program plus MAKING for all that
 *     one node may have to make.
 * On threads waste (intervals of more than 20 us) may be at most 3 % of workers' time: with two
 * workers of one node, by odd seeds on two nodes with one worker each.
 *
 * While more calls wait than a window, loops may pause. Few programs have so many; these have a
 * larger window, for which there is no option of luna; but not those of `waste large`.
 *
 * With the scheduler that walked loops and ran their calls in one go (LUNA of 36783d8) 1,301 of the
 * first 2,000 seeds have waste of more than 100 us; plain schedules (`waste plain`) all pass. */
#include "listed.h"
#include "shapes.h"
#include "tables.h"
#include "verdict.h"

#include "runtime/node/node.h"
#include "runtime/ucode/luna.h"
#include "tests/runtime/run_program.h"

#include <inttypes.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BANDWIDTH ((uint64_t)1 << 40) /* bytes decide nothing */
#define BANDWIDTH_TEXT "1024GiB/s"

enum {
    LATENCY = 500,              /* of a message in the simulator; at most twice that, */
    LATENCY_MAX = 2 * LATENCY + 200, /* and turns of the nodes */
    MAKING = 200,
    ASKING = 10 * LATENCY,
    CALL_NS = 1000,
    SHORT = 20000 + 4 * LATENCY,
    SHORT_OTHER = 100000 + 4 * LATENCY,
    WINDOW_CALLS = 200,         /* programs with more have */
    WINDOW = 1 << 20,
    TOLD_MAX = 400,                 /* seeds that are told */
    THREADS_LATENCY = 30000,
    RUNS = 3
};

/* ---- functions of the programs ---- */

static double busy_each; /* us times weight */

static double
now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void
busy(int weight)
{
    double us = busy_each <= 0 ? 0 : weight > SHAPES_SHORT ? weight * busy_each : weight;
    if (us <= 0) return;
    for (double begin = now_us(); now_us() - begin < us;) continue;
}

static void
work(const luna_actual *a, int nin)
{
    int most = 0;
    busy(a[0].i);
    for (int i = 1; i <= nin; i++)
        if (a[i].i > most) most = a[i].i;
    luna_set_int(a[nin + 1].out, most + 1);
}

static void w0(const luna_actual *a) { work(a, 0); }
static void w1(const luna_actual *a) { work(a, 1); }
static void w2(const luna_actual *a) { work(a, 2); }
static void w3(const luna_actual *a) { work(a, 3); }

static void
show(const luna_actual *a)
{
    printf("%d\n", a[0].i);
}

static const struct tables_function functions[] = {{"w0", w0}, {"w1", w1}, {"w2", w2},
                                                   {"w3", w3}, {"show", show}, {NULL, NULL}};

/* ---- turns of simulated nodes ---- */

enum { TURNS_MAX = 1 << 20, TURN_NS = 100 /* node_one.c's */ };

static struct turns {
    int n, last[RUN_NODES_MAX]; /* of a node, its last one + 1 */
    struct turn turn[TURNS_MAX];
} *turns; /* shared with the children */

/* Called after each turn of a node. Turns that follow each other are one. */
static void
note_turn(struct worker *w)
{
    int node = w->node->number, *last = &turns->last[node];
    int64_t now = (int64_t)(w->node->net->ops->now_ns(w->node->net) - w->node->began_ns);
    struct turn *t = *last ? &turns->turn[*last - 1] : NULL;
    if (t && t->end >= now) {
        t->end = now + TURN_NS;
    } else if (turns->n < TURNS_MAX) {
        turns->turn[turns->n++] = (struct turn){node, now, now + TURN_NS};
        *last = turns->n;
    }
}

static void
turns_begin(struct run_options *o)
{
    void *p = turns;
    if (!p)
        p = mmap(NULL, sizeof *turns, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) abort();
    turns = p;
    turns->n = 0;
    memset(turns->last, 0, sizeof turns->last);
    o->between = note_turn;
}

/* ---- one seed ---- */

struct attempt {
    uint64_t seed;
    bool large;
    const char *luna;   /* that is to run it; NULL: this process */
    struct run_options o;
    const char *file;
    struct graph *g;
    struct run r;
    struct verdict v;
    int64_t bound;      /* simulator: for the end of the run */
    double waste;       /* threads: part of workers' time */
    char wrong[512];    /* empty: it is good */
};

static int
run_body(const void *who)
{
    const struct attempt *t = who;
    return runtime_run(tables_of(t->file, functions), &t->o, 0, NULL);
}

static int
run_luna(const void *who)
{
    const struct attempt *t = who;
    char command[512];
    fflush(NULL);
    snprintf(command, sizeof command, "'%s' sim -q -n %d --seed=%" PRIu64 " --trace='%s' '%s'",
             t->luna, t->o.nodes, t->seed, t->o.trace, t->file);
    return system(command) ? 1 : 0;
}

/* Of an older simulator. */
static void
forgive_order(struct run *r)
{
    if (strstr(r->wrong, ", before the end of ")) *r->wrong = 0;
}

static void
run_once(struct attempt *t)
{
    if (t->o.sim) turns_begin(&t->o);
    struct ran ran = run_child(t->luna ? run_luna : run_body, t);
    if (ran.code)
        snprintf(t->wrong, sizeof t->wrong, "exit code %d: %.300s", ran.code, ran.err);
    else if (atoll(ran.out) != t->g->answer)
        snprintf(t->wrong, sizeof t->wrong, "it prints %.20s instead of %" PRId64, ran.out,
                 t->g->answer);
    run_read(&t->r, t->g, t->o.trace, t->o.nodes, t->o.workers);
    if (t->luna) forgive_order(&t->r);
    if (t->o.sim) {
        t->r.turn = turns->turn;
        t->r.turns = turns->n;
    }
    if (!*t->wrong) strcpy(t->wrong, t->r.wrong);
}

static void
judge_listed(struct attempt *t)
{
    static const enum listed_rule rule[] = {LISTED_OLDEST, LISTED_NEWEST, LISTED_RANDOM,
                                            LISTED_RANDOM};
    int64_t worst = 0;
    for (unsigned i = 0; i < sizeof rule / sizeof *rule; i++) {
        struct listed_how how = {rule[i], t->seed + i, LATENCY / 20, 2 * LATENCY,
                                 i == 3 ? ASKING : 0, CALL_NS};
        struct run r;
        listed_run(&r, t->g, t->o.nodes, &how);
        if (r.end > worst) worst = r.end;
        run_fini(&r);
    }
    t->bound = worst + worst / 10 + 4 * (int64_t)LATENCY_MAX * t->g->levels;
    if (t->large) t->bound += (int64_t)MAKING * t->g->things; /* one node may make all */
}

static void
tell_waste(struct attempt *t)
{
    snprintf(t->wrong, sizeof t->wrong,
             "node %d waits %.1f us from %.1f us on, though %s could run since %.1f us", t->v.node,
             (double)t->v.longest * 1e-3, (double)t->v.begin * 1e-3,
             t->v.thing < 0 ? "?" : t->g->thing[t->v.thing].name, (double)t->v.since * 1e-3);
}

static void
try_sim(struct attempt *t)
{
    struct verdict_terms terms = {LATENCY_MAX, MAKING, t->luna ? SHORT_OTHER : SHORT};
    run_once(t);
    if (*t->wrong) return;
    t->v = verdict_of(t->g, &t->r, &terms);
    judge_listed(t);
    if (t->v.longest && !t->large) tell_waste(t);
    else if (t->r.end > t->bound)
        snprintf(t->wrong, sizeof t->wrong, "it takes %.1f us; %.1f is what four schedules allow",
                 (double)t->r.end * 1e-3, (double)t->bound * 1e-3);
}

static int
by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void
try_threads(struct attempt *t, int runs)
{
    static const struct verdict_terms terms = {THREADS_LATENCY, MAKING, SHORT};
    double waste[RUNS];
    for (int i = 0; i < runs && !*t->wrong; i++) {
        if (i) run_fini(&t->r);
        run_once(t);
        t->v = verdict_of(t->g, &t->r, &terms);
        waste[i] = (double)t->v.sum / ((double)t->r.end * t->o.nodes * t->o.workers);
    }
    if (runs < RUNS || *t->wrong) return;
    qsort(waste, RUNS, sizeof *waste, by_size);
    t->waste = waste[RUNS / 2];
    if (t->waste > 0.03)
        snprintf(t->wrong, sizeof t->wrong,
                 "workers wait %.1f %% of their time while calls could run (the runs: %.1f, %.1f, "
                 "%.1f %%)",
                 100 * t->waste, 100 * waste[0], 100 * waste[1], 100 * waste[2]);
}

/* What the verdict says of good schedules. */
static void
try_plain(struct attempt *t)
{
    static const struct verdict_terms terms = {LATENCY_MAX, MAKING, SHORT};
    int owner[RUN_CELLS_MAX];
    for (int i = 0; i < RUN_CELLS_MAX; i++) owner[i] = (int)((t->seed * 7 + i) % t->o.nodes);
    graph_place(t->g, t->o.nodes, owner);
    for (int rule = LISTED_OLDEST; rule <= LISTED_RANDOM && !*t->wrong; rule++) {
        struct listed_how how = {rule, t->seed, LATENCY / 20, 2 * LATENCY, 0, CALL_NS};
        if (rule) run_fini(&t->r);
        listed_run(&t->r, t->g, t->o.nodes, &how);
        t->v = verdict_of(t->g, &t->r, &terms);
        if (*t->r.wrong) strcpy(t->wrong, t->r.wrong);
        else if (t->v.longest) tell_waste(t);
    }
}

/* ---- many ---- */

struct many {
    const char *how;
    bool sim, large, plain, verbose;
    int runs, done, failed, slow; /* slow: of the failed, those without waste */
    char dir[64];
};

static void
write_text(const char *file, const struct buf *text)
{
    FILE *f = fopen(file, "w");
    if (!f || fwrite(text->data, 1, text->size, f) != text->size || fclose(f)) abort();
}

static struct shapes_how
how_of(uint64_t seed, bool sim, bool large)
{
    return (struct shapes_how){.large = large,
                               .nodes = sim ? shapes_nodes(seed) : 1 + (int)(seed % 2),
                               .threads = !sim,
                               .no_else = getenv("LUNA") != NULL};
}

static void
tell(const struct many *m, const struct attempt *t)
{
    printf("seed %" PRIu64 ", %d node%s: %s\n", t->seed, t->o.nodes, t->o.nodes > 1 ? "s" : "",
           t->wrong);
    printf("    to repeat: waste %s %" PRIu64 " %" PRIu64 "; or: waste text%s %" PRIu64
           " > waste.fa; ",
           m->how, t->seed, t->seed, m->large ? " large" : m->sim ? "" : " threads", t->seed);
    if (m->sim)
        printf("luna sim -n %d --seed=%" PRIu64 " --bandwidth=" BANDWIDTH_TEXT, t->o.nodes,
               t->seed);
    else printf("BUSY=%g luna run -n %d -t %d", busy_each, t->o.nodes, t->o.workers);
    printf(" --trace=DIR waste.fa%s\n", t->o.window ? ", with a larger window" : "");
}

static void
try_seed(struct many *m, uint64_t seed)
{
    static char file[96], trace[96];
    struct shapes_how how = how_of(seed, m->sim || m->plain, m->large);
    struct buf text = {0};
    snprintf(file, sizeof file, "%s/waste.fa", m->dir);
    snprintf(trace, sizeof trace, "%s/trace", m->dir);
    shapes_text(seed, &how, &text);
    write_text(file, &text);
    struct attempt t = {.seed = seed, .large = m->large, .file = file, .g = graph_of(text.data)};
    if (m->sim) t.luna = getenv("LUNA");
    t.o = (struct run_options){.sim = m->sim, .nodes = how.nodes, .seed = seed, .quiet = true,
                               .bandwidth = BANDWIDTH,
                               .workers = m->sim || m->plain || how.nodes > 1 ? 1 : 2,
                               .trace = trace};
    if (t.g->calls > WINDOW_CALLS && !how.large) t.o.window = WINDOW;
    if (m->plain) try_plain(&t);
    else if (m->sim) try_sim(&t);
    else try_threads(&t, m->runs);
    m->done++;
    if (m->verbose)
        printf("%" PRIu64 " nodes %d calls %d levels %d end %.1f bound %.1f waste %.1f at %.1f: "
               "%.1f%%%s\n",
               seed, how.nodes, t.g->calls, t.g->levels, (double)t.r.end * 1e-3,
               (double)t.bound * 1e-3, (double)t.v.longest * 1e-3, (double)t.v.begin * 1e-3,
               100 * t.waste, *t.wrong ? " FAILED" : "");
    if (*t.wrong && !t.v.longest && m->sim) m->slow++;
    if (*t.wrong && m->failed++ < TOLD_MAX) tell(m, &t);
    run_fini(&t.r);
    graph_free(t.g);
    buf_fini(&text);
}

static void
remove_all(const char *dir)
{
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    if (system(command)) printf("%s is left\n", dir);
}

static int
usage(void)
{
    fprintf(stderr, "usage: waste sim|large|threads|judge|plain FIRST LAST [-v]\n"
                    "       waste text [threads|large] SEED\n");
    return 2;
}

int
main(int argc, char **argv)
{
    if (argc >= 3 && !strcmp(argv[1], "text")) {
        struct buf text = {0};
        uint64_t seed = strtoull(argv[argc - 1], NULL, 10);
        struct shapes_how how =
            how_of(seed, strcmp(argv[2], "threads") != 0, !strcmp(argv[2], "large"));
        shapes_text(seed, &how, &text);
        fputs(text.data, stdout);
        buf_fini(&text);
        return 0;
    }
    if (argc < 4) return usage();
    struct many m = {.how = argv[1], .large = !strcmp(argv[1], "large"), .runs = 1};
    m.sim = m.large || !strcmp(argv[1], "sim");
    bool judges = !strcmp(argv[1], "judge");
    m.plain = !strcmp(argv[1], "plain");
    if (!m.sim && !m.plain && !judges && strcmp(argv[1], "threads")) return usage();
    if (judges) m.runs = RUNS, busy_each = 5;
    m.verbose = argc > 4 && !strcmp(argv[4], "-v");
    /* A trace for each seed, read once: on a disk a third of the time would be for making files. */
    const char *tmp = getenv("TMPDIR"), *memory = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
    snprintf(m.dir, sizeof m.dir, "%.40s/luna-waste.XXXXXX", tmp ? tmp : memory);
    if (!mkdtemp(m.dir)) {
        perror(m.dir);
        return 1;
    }
    uint64_t first = strtoull(argv[2], NULL, 10), last = strtoull(argv[3], NULL, 10);
    for (uint64_t seed = first; seed <= last; seed++) try_seed(&m, seed);
    printf("%d seeds, %d failed%s\n", m.done, m.failed, m.failed ? "" : ": no waste");
    if (m.slow) printf("%d of them for another reason than waste\n", m.slow);
    remove_all(m.dir);
    return m.failed > 0;
}
