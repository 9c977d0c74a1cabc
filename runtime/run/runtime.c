/* runtime.c - from the command line's words to a finished run. */
#include "runtime.h"

#include "runtime/base/cgroup.h"
#include "runtime/base/clock.h"
#include "runtime/base/colour.h"
#include "runtime/base/mem.h"
#include "runtime/base/numeric.h"
#include "runtime/base/pool.h"
#include "runtime/data/value.h"
#include "runtime/exec/share.h"
#include "runtime/fault/fault.h"
#include "runtime/node/node.h"
#include "runtime/node/topo.h"
#include "runtime/node/trace.h"
#include "runtime/run/alike.h"
#include "runtime/run/ask.h"
#include "runtime/run/clocks.h"
#include "runtime/run/cores.h"
#include "runtime/run/finish.h"
#include "runtime/run/founders.h"
#include "runtime/run/heaviest.h"
#include "runtime/run/interrupt.h"
#include "runtime/run/later.h"
#include "runtime/run/layout.h"
#include "runtime/run/main_args.h"
#include "runtime/run/over.h"
#include "runtime/run/progress.h"
#include "runtime/run/ranks.h"
#include "runtime/run/rebalance_knobs.h"
#include "runtime/run/status.h"
#include "runtime/run/stuck.h"
#include "runtime/run/values_run.h"
#include "runtime/store/digest.h"
#include "runtime/table/cells.h"
#include "runtime/table/eval.h"
#include "runtime/table/placed.h"
#include "runtime/turn/life.h"
#include "runtime/ucode/crash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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
                              .lead = o->lead,
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
 * it is told once. Gives the names of the hosts of all ranks, for trace_time_begins. */
static char *
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
    return hosts;
}

/* The run begins. Frees the names. */
static void
trace_time_begins(const struct nodes *all, char *hosts)
{
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
    if (first && !o->quiet) main_args_tell_surplus(p, argc, argv);
    bool needed = first || (p->nextents && !cells_come_later(p));
    *main = needed ? main_args_frame(p, argc, argv) : NULL;
    int code = *main || !needed ? 0 : EXIT_USAGE;
    *speeds = NULL;
    if (!code && first) code = main_args_refuse(p, o, *main);
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

/* From main's first call to the end; gives the seconds. To open files and start threads is no part
 * of that. `hosts`: of trace_start. */
static double
run_nodes(const struct nodes *all, const struct run_options *o, struct sim *sim,
          struct frame *main, int threads, char *hosts)
{
    uint64_t run = status_new_run(); /* that of the first rank is that of all */
    ranks_bcast(&run, sizeof run);
    ranks_meet();
    struct crew *crew = sim ? NULL : crew_new(all->node, all->n);
    status_begin(all, run, sim ? 0 : threads, main);
    ask_begin(all);
    if (!ranks_number()) progress_begin(all, o->progress, o->quiet);
    if (crew) crew_meet(all->node, crew);
    if (o->trace) trace_time_begins(all, hosts);
    uint64_t begun = clock_ns();
    start_main(all->node[0], main);
    if (sim)
        nodes_simulate(all->node, all->n, sim, (uint64_t)(o->call_ns > 0 ? o->call_ns : CALL_NS));
    else nodes_run(all->node, all->n, crew);
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
    uint32_t stays = p->stays & LUNA_STAYS_WHY;
    if (stays)
        fprintf(stderr, "luna: note: all calls run on node 0 of %d: %s\n", nodes, why[stays]);
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
    if (p->stays & LUNA_STAYS_WHY) return NULL;
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
    all.proved = main_args_are_small(p, argc, argv);
    struct sim *sim = NULL;
    enum err e = nodes_open(p, o, workers, &layout, &knobs, &all, &sim);
    if (e == E_USER) tell_whose_cells(p);
    if (e == E_USER) fault_leave(ranks_end(EXIT_USAGE));
    if (e != OK) fault_nomem();
    founders_open(p, &layout, all.node[0]);
    if (layout.later) later_open(&layout, &knobs, o);
    fault_set_nomem_report(heaviest_note, &all);
    interrupt_begin(&all); /* before a trace: it ends last */
    crash_handler_install();
    char *hosts = o->trace ? trace_start(p, o, &all, &layout) : NULL;

    double seconds = run_nodes(&all, o, sim, main, ranks_on() ? workers : threads, hosts);

    numeric_begin(); /* functions are over, but for destructors */
    ranks_orderly();
    over_check(&all);
    stuck_end(&all);
    code = fault_output(code);
    finish_tell(&all, o, &layout, sim, seconds);
    if (values_wanted(o) && !values_end(o) && !code) code = EXIT_RUN;
    code = asked_output(o, code);
    if (o->trace && ranks_on()) clocks_end((uint64_t)(seconds * 1e9));
    if (!trace_close(EXIT_DONE)) code = EXIT_SYSTEM;
    if (sim && !o->quiet) print_sim(sim, o->seed);
    code = ranks_end(code);
    crash_handler_end();
    nodes_close(&all);
    layout_close(&layout);
    sim_free(sim);
    if (o->hash) digest_close();
    pool_thread_flush();
    placed_free(placed);
    return code;
}
