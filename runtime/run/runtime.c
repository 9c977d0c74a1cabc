/* runtime.c - from the command line's words to a finished run. */
#include "runtime.h"

#include "runtime/base/cgroup.h"
#include "runtime/base/clean.h"
#include "runtime/base/clock.h"
#include "runtime/base/colour.h"
#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/base/whole.h"
#include "runtime/store/copies.h"
#include "runtime/store/digest.h"
#include "runtime/exec/exec.h"
#include "runtime/fault/fault.h"
#include "runtime/ucode/crash.h"
#include "runtime/run/alike.h"
#include "runtime/run/interrupt.h"
#include "runtime/run/ask.h"
#include "runtime/run/clocks.h"
#include "runtime/run/cores.h"
#include "runtime/run/founders.h"
#include "runtime/run/heaviest.h"
#include "runtime/run/later.h"
#include "runtime/run/layout.h"
#include "runtime/run/over.h"
#include "runtime/node/node.h"
#include "runtime/run/progress.h"
#include "runtime/run/ranks.h"
#include "runtime/run/rebalance_knobs.h"
#include "runtime/exec/share.h"
#include "runtime/run/status.h"
#include "runtime/run/stuck.h"
#include "runtime/run/values_run.h"
#include "runtime/node/topo.h"
#include "runtime/node/trace.h"
#include "runtime/data/value.h"
#include "runtime/table/eval.h"
#include "runtime/table/placed.h"
#include "runtime/table/cells.h"
#include "runtime/table/require.h"
#include "runtime/node/workers.h"
#include "runtime/turn/life.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- arguments of main ---- */

static bool
bad_argument(const struct luna_program *p, int i, const char *word, const char *wanted)
{
    const char *name = p->main_param_names[i]; /* "" if main is imported */
    clean_print("luna: error[RUN11]: argument %d of main%s%s%s must be %s, not '%s'\n", i + 1,
                *name ? ", '" : "", name, *name ? "'," : "", wanted, word);
    return false;
}

static bool
parse_real(const char *word, luna_word *out)
{
    char *end;
    out->d = strtod(word, &end);
    return end != word && !*end && isfinite(out->d);
}

static bool
parse_argument(const struct luna_program *p, int i, const char *word, luna_word *out)
{
    double v;
    switch (p->main_params[i]) {
    case 'i':
        return whole_int(word, &out->i) ||
               bad_argument(p, i, word,
                            whole_number(word, &v) ? "an int, which has 32 bits" : "an int");
    case 'r': return parse_real(word, out) || bad_argument(p, i, word, "a real number");
    default:
        out->p = frame_box(value_of_string(word, strlen(word)));
        return out->p || bad_argument(p, i, word, "small enough for the memory there is");
    }
}

/* What main needs, for the message when words are missing: "main(int n, real eps)". */
static void
print_signature(const struct luna_program *p)
{
    fprintf(stderr, "main(");
    for (int i = 0; p->main_params[i]; i++) {
        char c = p->main_params[i];
        const char *name = p->main_param_names[i];
        fprintf(stderr, "%s%s%s%s", i ? ", " : "",
                c == 'i' ? "int" : c == 'r' ? "real" : "string", *name ? " " : "", name);
    }
    fprintf(stderr, ")\n");
}

/* A number may be negative. */
static bool
any_option(char **argv, int n)
{
    for (int i = 0; i < n; i++)
        if (argv[i][0] == '-' && (argv[i][1] == '-' || isalpha((unsigned char)argv[i][1])))
            return true;
    return false;
}

/* The original says nothing: it runs on. Options that stand too late are the commonest case. */
static void
tell_surplus(const struct luna_program *p, int argc, char **argv)
{
    int wanted = (int)strlen(p->main_params);
    if (argc <= wanted) return;
    clean_print("luna: warning[RUN11]: '%s'%s is no argument of ", argv[wanted],
                argc > wanted + 1 ? " and what follows" : "");
    print_signature(p);
    if (any_option(argv + wanted, argc - wanted))
        fprintf(stderr, "hint: options of luna stand before the arguments of main\n");
}

static bool
fulfils(const struct luna_program *p, const struct luna_sub *sub, const struct frame *f)
{
    char call[REQUIRE_CALL];
    const struct luna_require *broken = require_broken(p, sub, f, sub->place);
    if (broken)
        clean_print("luna: error[RUN15]: '%s' does not fulfil what main requires: %s\n",
                    require_call(sub, f, call), broken->text);
    return !broken;
}

static struct frame *
main_frame(const struct luna_program *p, int argc, char **argv)
{
    const struct luna_sub *sub = &p->subs[p->main];
    int wanted = (int)strlen(p->main_params);
    if (argc < wanted) {
        fprintf(stderr, "luna: error[RUN11]: %d argument%s of main given, %d needed: ", argc,
                argc == 1 ? "" : "s", wanted);
        print_signature(p);
        return NULL;
    }
    struct frame *f = frame_new(sub, p->main, 0);
    if (!f) fault_nomem();
    for (int i = 0; i < wanted; i++)
        if (!parse_argument(p, i, argv[i], &f->word[i])) {
            frame_free(f, sub);
            return NULL;
        }
    if (fulfils(p, sub, f)) return f;
    frame_free(f, sub);
    return NULL;
}

/* What was proved when the program was compiled: told by whom can say it best. */
static int
refuse_main(const struct luna_program *p, const struct run_options *o, const struct frame *main)
{
    const struct luna_site here = {.place = p->subs[p->main].place};
    luna_env e = {.frame = main->word, .site = &here};
    for (uint32_t i = 0; i < p->nrefusals; i++) {
        if (!eval_int(p, &e, p->refusals[i].expr)) continue;
        if (!o->refused || !o->refused(o->refused_who))
            fprintf(stderr, "luna: %s\nhint: luna check with these arguments names the fragment\n",
                    p->refusals[i].text);
        return EXIT_PROGRAM;
    }
    return 0;
}

/* What was proved for such ints holds. Ranks whose arguments are refused do not get that far. */
static bool
args_are_small(const struct luna_program *p, int argc, char **argv)
{
    double v;
    for (int i = 0; p->main_params[i] && i < argc; i++)
        if (p->main_params[i] == 'i' && !(whole_number(argv[i], &v) && LUNA_SMALL(v))) return false;
    return true;
}

/* ---- memory ---- */

/* Memory is overcommitted: without a limit of our own the kernel would kill us without a word. */
static void
limit_memory(void)
{
    size_t max = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t group = cgroup_memory("").limit;
    if (group < max) max = group;
    struct rlimit r;
    if (!getrlimit(RLIMIT_AS, &r) && r.rlim_cur != RLIM_INFINITY && r.rlim_cur < max)
        max = r.rlim_cur;
    pool_set_bytes_max(max - max / 16);
}

/* ---- the run ---- */

enum { MESSAGE_NS = 2000 }; /* what one takes of two nodes, at least (docs/measures/nodes.md) */

struct totals { /* over all nodes, at rank 0 */
    uint64_t calls, calls_elsewhere; /* than on node 0 */
    uint64_t waits, steals, sent, peak_kib;
    /* Values sent; mean_hops: the sum of the senders' means, in millionths. */
    uint64_t values, bytes, senders, mean_hops;
    uint64_t walks, walked; /* messages for cells, and how many steps they took */
    uint64_t kept;          /* values with a count, for readers that have not come */
    uint64_t in_calls;      /* ns */
    uint64_t copies, copies_read; /* of values of other nodes */
};

static void
note_kept(void *kept, const struct store_entry *e)
{
    if (e->present && e->uses > 0) ++*(uint64_t *)kept;
}

static void
add_node(struct totals *t, const struct node *n)
{
    uint64_t values = 0, hops = 0;
    t->sent += atomic_load(&n->sent);
    if (n->copies) {
        struct copies_sums c = copies_sums(n->copies);
        t->copies += c.kept;
        t->copies_read += c.read;
    }
    for (int k = 0; k < n->nworkers; k++) {
        t->calls += n->workers[k].calls;
        t->in_calls += worker_row_of(&n->workers[k], UINT64_MAX).in_calls;
        if (n->number) t->calls_elsewhere += n->workers[k].calls;
        t->waits += n->workers[k].waits;
        t->steals += n->workers[k].steals;
        t->bytes += n->workers[k].bytes_sent;
        t->walks += n->workers[k].walks;
        t->walked += n->workers[k].walked;
        values += n->workers[k].values_sent;
        hops += n->workers[k].hops_sent;
    }
    if (!values) return;
    t->values += values;
    t->senders++;
    t->mean_hops += (uint64_t)(1e6 * (double)hops / (double)values + 0.5);
}

static struct totals
add_up(const struct nodes *all, bool stats)
{
    struct totals t = {0};
    struct rusage u;
    for (int i = 0; i < all->n; i++) add_node(&t, all->node[i]);
    for (int i = 0; stats && i < all->n; i++) store_each(all->node[i]->store, note_kept, &t.kept);
    getrusage(RUSAGE_SELF, &u);
    t.peak_kib = (uint64_t)u.ru_maxrss;
    ranks_sum(&t.calls, sizeof t / sizeof t.calls);
    return t;
}

static void
print_stats(const struct node *one, const struct totals *t, double seconds)
{
    fprintf(stderr,
            "luna: %.3f s, %d node%s x %d worker%s, %" PRIu64 " calls (%.3f us each), %" PRIu64
            " statements waited, %" PRIu64 " stolen, %" PRIu64 " messages, peak memory %" PRIu64
            " MiB\n",
            seconds, one->nodes, one->nodes == 1 ? "" : "s", one->nworkers,
            one->nworkers == 1 ? "" : "s", t->calls,
            t->calls ? seconds * 1e6 / (double)t->calls : 0.0, t->waits, t->steals, t->sent,
            t->peak_kib >> 10);
}

static void
print_kept(uint64_t n)
{
    if (!n) return;
    fprintf(stderr,
            "luna: %" PRIu64 " value%s kept to the end: fewer readers came than were counted\n", n,
            n == 1 ? " was" : "s were");
    fprintf(stderr,
            "hint: this is normal for the last step of a loop, and where values decide who reads; "
            "a req_count of yours may be too high\n");
}

/* AvgSD and AvgSS as luna stats counts them from a trace. */
static void
print_sends(const struct layout *l, const struct totals *t, int nodes)
{
    double sd = t->senders ? 1e-6 * (double)t->mean_hops / (double)t->senders : 0;
    fprintf(stderr, "luna: ");
    if (l->has_cells) {
        const struct lattice *c = &l->setup.cells, *n = &l->setup.nodes;
        fprintf(stderr, "%s of %d", distrib_kind_name(l->setup.kind), c->side[0]);
        for (int d = 1; d < c->ndims; d++) fprintf(stderr, "x%d", c->side[d]);
        fprintf(stderr, " cells on %d", n->side[0]);
        for (int d = 1; d < n->ndims; d++) fprintf(stderr, "x%d", n->side[d]);
        fprintf(stderr, " nodes; ");
    }
    fprintf(stderr, "%" PRIu64 " values sent, AvgSD %.4g, AvgSS %.4g MiB", t->values, sd,
            (double)t->bytes / nodes / 1048576);
    if (t->walks)
        fprintf(stderr, "; to the owner of a cell %.3g hop%s", (double)t->walked / (double)t->walks,
                t->walked == t->walks ? "" : "s");
    fputc('\n', stderr);
}

static void
print_copies(const struct totals *t)
{
    if (!t->copies) return;
    fprintf(stderr,
            "luna: %" PRIu64 " value%s stayed where %s read again, and served %" PRIu64
            " readers there\n",
            t->copies, t->copies == 1 ? "" : "s", t->copies == 1 ? "it was" : "they were",
            t->copies_read);
}

/* A row for each worker of this process; of all ranks at rank 0. */
static struct worker_row *
rows_of(const struct nodes *all, uint64_t ns, size_t *n)
{
    size_t per = (size_t)all->node[0]->nworkers, bytes;
    *n = (size_t)all->n * per;
    struct worker_row *rows = calloc(*n, sizeof *rows), *of_all;
    if (!rows) fault_nomem();
    for (size_t i = 0; i < *n; i++)
        rows[i] = worker_row_of(&all->node[i / per]->workers[i % per], ns);
    if (!ranks_on()) return rows;
    of_all = (void *)ranks_gather(rows, *n * sizeof *rows, &bytes);
    free(rows);
    *n = bytes / sizeof *rows;
    return of_all;
}

static void
print_workers(struct worker_row *rows, size_t n, bool quiet)
{
    worker_rows_print(stderr, rows, n);
    if (!quiet) worker_rows_judge(stderr, "luna: note: ", rows, n);
}

/* On several nodes only the first one worked; of a short run it is told only with --stats. */
static bool
left_on_one_node(const struct node *one, const struct totals *t, bool asked)
{
    return one->nodes > 1 && asked && !t->calls_elsewhere;
}

/* Where the user has not asked for it, spreading such calls may cost more than it gives. */
static void
tell_short_calls(const struct totals *t)
{
    double ns = t->calls ? (double)t->in_calls / (double)t->calls : MESSAGE_NS;
    if (ns >= MESSAGE_NS || t->values * 10 < t->calls) return;
    fprintf(stderr,
            "luna: note: a call lasted %.2f us, less than a message between nodes costs: "
            "--place=node0 may be faster\n",
            ns / 1000);
}

static void
finish(const struct nodes *all, const struct run_options *o, const struct layout *layout,
       const struct sim *sim, double seconds)
{
    const struct node *one = all->node[0];
    struct totals t = add_up(all, o->stats);
    uint64_t ns = sim ? sim_now_ns(sim) : (uint64_t)(seconds * 1e9);
    size_t nrows = 0;
    struct worker_row *rows = o->stats ? rows_of(all, ns, &nrows) : NULL;
    char names[HEAVIEST_TEXT] = "";
    if (o->stats) heaviest_text(all, true, names, sizeof names);
    if (o->hash) digest_sum(ranks_sum);
    if (ranks_number()) return;
    if (o->hash) digest_print(stderr);
    if (o->stats) print_stats(one, &t, seconds);
    if (o->stats && one->nodes > 1) print_sends(layout, &t, one->nodes);
    if (o->stats) print_copies(&t);
    if (o->stats) print_workers(rows, nrows, o->quiet);
    free(rows);
    if (*names) fprintf(stderr, "luna: most memory at the end: %s\n", names);
    if (o->stats) print_kept(t.kept);
    if (one->program->is_placed && !sim && (seconds >= 1 || o->stats) && !o->quiet)
        tell_short_calls(&t);
    if (left_on_one_node(one, &t, seconds >= 1 || o->stats) && !o->quiet)
        fprintf(stderr,
                "luna: note: all calls ran on node 0 of %d: give them places by cells or "
                "locators, or make them stealable%s\n",
                one->nodes, o->steal ? "" : " and use -b");
    if (o->time) printf("TIME: %f sec.\n", seconds);
}

/* Of the simulator. Messages are as fast as between ranks of a host (docs/measures/nodes.md). */
enum { CALL_NS = 1000, LATENCY_NS = 500 };
#define BANDWIDTH ((uint64_t)6 << 30)

static enum err
transports_open(struct transport **net, int nodes, const struct run_options *o, struct sim **sim)
{
    if (ranks_on()) net[0] = ranks_transport();
    if (ranks_on()) return OK;
    if (!o->sim) return transport_local_new(net, nodes);
    struct sim_options so = {.seed = o->seed,
                             .latency_ns = o->latency_ns ? o->latency_ns : LATENCY_NS,
                             .bandwidth = o->bandwidth ? o->bandwidth : BANDWIDTH};
    return sim_new(sim, net, nodes, &so);
}

/* Opens what the nodes share, then the nodes. */
static enum err
nodes_open(const struct luna_program *p, const struct run_options *o, int workers,
           const struct layout *layout, const struct rebalance_knobs *knobs, struct nodes *all,
           struct sim **sim)
{
    const char *why = NULL;
    struct node_options no = {.workers = workers,
                              .window = o->window,
                              .queue = o->queue,
                              .copies = o->copies,
                              .debug = o->debug,
                              .steal = o->steal,
                              .stats = o->stats,
                              .hash = o->hash || values_wanted(o),
                              .compares = o->compare,
                              .traced = o->trace != NULL,
                              .proved = all->proved,
                              .speeds = all->speeds,
                              .between = o->between,
                              .why = &why};
    struct transport **net = mem_zalloc((size_t)all->n, sizeof *net);
    all->node = mem_zalloc((size_t)all->n, sizeof *all->node);
    enum err e = net && all->node ? transports_open(net, all->n, o, sim) : E_NOMEM;
    bool many = all->n > 1 || ranks_count() > 1;
    if (layout->has_cells || layout->later) no.cells = &layout->cells;
    if (layout->later) no.settle = later_settle;
    if (many && layout->has_cells) no.map = &layout->setup;
    if (knobs->mode != REBALANCE_OFF) no.balance = knobs;
    no.shares = many && e == OK ? share_analyse(p) : NULL;
    /* Whoever watches values looks at what is put into the store. */
    bool watched = no.debug || no.hash || no.compares || no.traced;
    all->recipes = recipes_new(p, !many && !watched && !no.cells, no.proved);
    no.recipes = all->recipes;
    if ((many && !no.shares) || !no.recipes) e = E_NOMEM;
    if (e == OK && o->hash) e = digest_open(p, all->n * workers);
    if (e == OK && values_wanted(o) && !values_begin(p, o, all->n * workers)) e = E_NOMEM;
    for (int i = 0; i < all->n && e == OK; i++) {
        no.digest_row = i * workers;
        e = node_new(&all->node[i], p, net[i], &no);
    }
    mem_free(net);
    if (e == E_USER) layout_refused(layout, why);
    return e;
}

/* For locators. What was read for the layout stays only if they ask for it. */
static void
founders_open(const struct luna_program *p, struct layout *layout, const struct node *n)
{
    struct founders f = founders_of(layout, n);
    founders_set(&f);
    if (!p->asks_owners) layout_close(layout);
}

static void
nodes_close(struct nodes *all)
{
    mem_free((void *)all->node[0]->shares);
    for (int i = 0; i < all->n; i++) node_free(all->node[i]);
    if (ranks_count() == 1) lives_free_all(); /* else other ranks may still have what is counted */
    mem_free(all->node);
    recipes_free(all->recipes);
    speeds_free(all->speeds);
}

static int
workers_for(const struct run_options *o, int nodes)
{
    if (o->sim) return 1;
    if (o->workers > 0) return o->workers;
    int n = topo_cores() / nodes;
    return n < 1 ? 1 : n;
}

static int
trace_nodes(const struct luna_program *p, const struct run_options *o, const struct nodes *all,
            const struct layout *layout, const char *hosts, size_t nhosts)
{
    struct trace_options t = {.dir = o->trace,
                              .transport = o->sim ? "sim" : ranks_on() ? "mpi" : "local",
                              .nodes = ranks_on() ? ranks_count() : all->n,
                              .workers = all->node[0]->nworkers,
                              .first = !ranks_number(),
                              .sim = o->sim,
                              .seed = o->seed,
                              .layout = layout,
                              .hosts = hosts,
                              .nhosts = nhosts,
                              .every_ns = o->trace_every_ns,
                              .values = o->trace_values,
                              .binary = o->trace_format && !strcmp(o->trace_format, "binary")};
    return trace_open(p, &t, all->node, all->n);
}

/* When the run begins by the clock of this process: ranks of a host, which have one clock, begin
 * when the first of them does. `hosts` is for rank 0. */
static uint64_t
trace_zero(struct node *n, const char *hosts)
{
    uint64_t now = n->net->ops->now_ns(n->net);
    size_t size = 0, ranks = (size_t)ranks_count();
    uint64_t *all = (void *)ranks_gather(&now, sizeof now, &size);
    if (!all) all = calloc(ranks, sizeof *all);
    if (!all) fault_nomem();
    for (size_t i = 0; hosts && i < ranks; i++) {
        size_t first = 0;
        while (strncmp(hosts + first * TRACE_HOST, hosts + i * TRACE_HOST, TRACE_HOST)) first++;
        all[i] = all[first];
    }
    ranks_bcast(all, ranks * sizeof *all);
    uint64_t zero = all[ranks_number()];
    free(all);
    return zero;
}

/* Leaves when there is no way to write a trace: nothing has run yet. Rank 0 tries first, so that
 * it is told once. */
static void
trace_start(const struct luna_program *p, const struct run_options *o, const struct nodes *all,
            const struct layout *layout)
{
    char host[TRACE_HOST] = "";
    size_t size = sizeof host;
    gethostname(host, sizeof host - 1);
    char *hosts = ranks_on() ? ranks_gather(host, sizeof host, &size) : NULL;
    bool first = !ranks_number();
    int code = 0;
    if (first) code = trace_nodes(p, o, all, layout, hosts ? hosts : host, size / sizeof host);
    if (ranks_on()) code = ranks_agree(code);
    if (code) fault_leave(ranks_end(code));
    if (!first && (code = trace_nodes(p, o, all, layout, host, 1))) fault_leave(code);
    /* Opening files is no part of the run. */
    struct transport *net = all->node[0]->net;
    uint64_t zero = ranks_on() ? trace_zero(all->node[0], hosts) : net->ops->now_ns(net);
    trace_from(zero);
    if (ranks_on()) clocks_begin(hosts, zero);
    free(hosts);
}

static void
print_sim(const struct sim *s, uint64_t seed)
{
    fprintf(stderr,
            "luna: seed %" PRIu64 ": %" PRIu64
            " events, %.3f ms of virtual time, digest %016" PRIx64 "\n",
            seed, sim_events(s), (double)sim_now_ns(s) / 1e6, sim_digest(s));
}

/* The layout that the user asks for does not fit cells, and was refused. */
static void
tell_whose_cells(const struct luna_program *p)
{
    if (p->is_placed && !ranks_number())
        fprintf(stderr, "%shint:%s the cells are those that luna has found (luna check --proof); "
                        "--place=node0 does without\n",
                colour(COLOUR_NOTE), colour(COLOUR_END));
}

/* Main's arguments and the layout that follows from them: the frame stays at node 0. And how fast
 * nodes are. An exit code on which all agree. */
static int
begin_main(const struct luna_program *p, const struct run_options *o, int argc, char **argv,
           int nodes, struct frame **main, struct layout *layout, struct rebalance_knobs *knobs,
           struct speeds **speeds)
{
    bool first = !ranks_number();
    if (first && !o->quiet) tell_surplus(p, argc, argv);
    bool needed = first || (p->nextents && !cells_come_later(p));
    *main = needed ? main_frame(p, argc, argv) : NULL;
    int code = *main || !needed ? 0 : EXIT_USAGE;
    *speeds = NULL;
    if (!code && first) code = refuse_main(p, o, *main);
    if (!code && !speeds_read(speeds, o->speed, nodes, o->sim, first)) code = EXIT_USAGE;
    if (!code && !layout_open(layout, p, o, nodes, *main)) {
        tell_whose_cells(p);
        code = EXIT_USAGE;
    }
    if (!code && (!rebalance_read(knobs, o, layout) || !values_check(p, o))) {
        layout_close(layout);
        code = EXIT_USAGE;
    }
    if (*main && (code || !first)) {
        frame_free(*main, &p->subs[p->main]);
        *main = NULL;
    }
    int agreed = ranks_on() ? ranks_agree(code) : code;
    if (!agreed && !alike_owners(layout, code)) agreed = EXIT_USAGE;
    if (agreed && !code) layout_close(layout); /* another rank refuses */
    if (*main && agreed) frame_free(*main, &p->subs[p->main]);
    if (agreed) speeds_free(*speeds);
    return agreed;
}

static void
start_main(struct node *n, struct frame *main)
{
    if (!main) return;
    main->id = worker_new_id(&n->workers[0]);
    node_start(n, main);
}

/* From main's first call to the end; gives the seconds. */
static double
run_nodes(const struct nodes *all, const struct run_options *o, struct sim *sim,
          struct frame *main, int threads)
{
    uint64_t run = status_new_run(); /* that of the first rank is that of all */
    ranks_bcast(&run, sizeof run);
    ranks_meet();
    uint64_t begun = clock_ns();
    status_begin(all, run, sim ? 0 : threads, main);
    start_main(all->node[0], main);
    ask_begin(all);
    if (!ranks_number()) progress_begin(all, o->progress, o->quiet);
    if (sim)
        nodes_simulate(all->node, all->n, sim, (uint64_t)(o->call_ns > 0 ? o->call_ns : CALL_NS));
    else nodes_run(all->node, all->n);
    double seconds = 1e-9 * (double)(clock_ns() - begun);
    progress_end();
    ask_end();
    status_end();
    interrupt_end();
    return seconds;
}

/* Nodes of one process with a worker each share a thread per core; the simulator has one thread. */
static int
threads_here(const struct run_options *o, int nodes, int workers)
{
    bool shared = !ranks_on() && workers == 1 && nodes > topo_cores();
    if (o->sim) return 1;
    return shared ? topo_cores() : nodes * workers;
}

static void
tell_place(const struct luna_program *p, int nodes)
{
    static const char *const why[] = {
        [LUNA_STAYS_VARIABLE] = "its functions have variables that all calls share",
        [LUNA_STAYS_STDIN] = "its functions read standard input"};
    if (p->stays)
        fprintf(stderr, "luna: note: all calls run on node 0 of %d: %s\n", nodes, why[p->stays]);
    else
        fprintf(stderr, "luna: note: %" PRIu32 " %s over %d nodes (luna check --proof tells how)\n",
                p->nplaced_dfs, p->nplaced_dfs == 1 ? "DF is spread" : "DFs are spread", nodes);
}

/* What the compiler found of place is in force on several nodes. NULL: as it was. */
static struct luna_program *
place(const struct luna_program *p, const struct run_options *o, int nodes)
{
    bool wanted = !o->place || !strcmp(o->place, "auto");
    if (!wanted || nodes < 2 || !p->nplaced_extents) return NULL;
    if (!o->quiet && !ranks_number()) tell_place(p, nodes);
    if (p->stays) return NULL;
    struct luna_program *placed = placed_new(p);
    if (!placed) fault_nomem();
    return placed;
}

/* What was asked for goes to stderr: if it is lost, nothing but the exit code can say so. */
static int
asked_output(const struct run_options *o, int code)
{
    bool asked = o->hash || o->hash_values || o->compare || o->print || o->stats;
    return asked && !code && ferror(stderr) ? EXIT_SYSTEM : code;
}

int
runtime_run(const struct luna_program *p, const struct run_options *o, int argc, char **argv)
{
    struct nodes all = {.n = o->nodes > 0 && !ranks_on() ? o->nodes : 1};
    fault_set_program(p);
    fault_set_repeat(o->repeat);
    if (!alike_check(p, o, argc, argv)) return ranks_end(EXIT_USAGE);
    struct cores cores = cores_find();
    int here = ranks_on() ? cores.ranks : all.n; /* nodes on our cores */
    int workers = workers_for(o, here);
    limit_memory();
    eval_tell_wraps(o->debug);
    block_guard(o->debug);
    struct frame *main;
    struct layout layout;
    struct rebalance_knobs knobs;
    int nodes = ranks_on() ? ranks_count() : all.n;
    struct luna_program *placed = place(p, o, nodes);
    if (placed) p = placed;
    int code = begin_main(p, o, argc, argv, nodes, &main, &layout, &knobs, &all.speeds);
    if (code) {
        placed_free(placed);
        return ranks_end(code);
    }
    int threads = threads_here(o, here, workers);
    topo_open(threads, (ranks_number() - cores.before) * workers);
    all.proved = args_are_small(p, argc, argv);
    struct sim *sim = NULL;
    enum err e = nodes_open(p, o, workers, &layout, &knobs, &all, &sim);
    if (e == E_USER) tell_whose_cells(p);
    if (e == E_USER) fault_leave(ranks_end(EXIT_USAGE));
    if (e != OK) fault_nomem();
    founders_open(p, &layout, all.node[0]);
    if (layout.later) later_open(&layout, &knobs, o);
    interrupt_begin(&all); /* before a trace: it ends last */
    if (o->trace) trace_start(p, o, &all, &layout);
    fault_set_nomem_report(heaviest_note, &all);
    crash_handler_install();

    double seconds = run_nodes(&all, o, sim, main, ranks_on() ? workers : threads);

    ranks_orderly();
    over_check(&all);
    stuck_end(&all);
    code = fault_output(code);
    finish(&all, o, &layout, sim, seconds);
    if (values_wanted(o) && !values_end(o) && !code) code = EXIT_RUN;
    code = asked_output(o, code);
    if (o->trace && ranks_on()) clocks_end((uint64_t)(seconds * 1e9));
    if (!trace_close(EXIT_DONE)) code = EXIT_SYSTEM;
    if (sim && !o->quiet) print_sim(sim, o->seed);
    code = ranks_end(code);
    crash_handler_thread_end();
    nodes_close(&all);
    layout_close(&layout);
    sim_free(sim);
    if (o->hash) digest_close();
    pool_thread_flush();
    placed_free(placed);
    return code;
}
