/* seeds.c - SEEDS FIRST LAST [-g] [-b] [-m] [-p] [-t] OBJECT FILE [args of main]: a compiled
 * program on the simulator, for each seed on 2 to 16 nodes: it must end, print and assign what it
 * does on one node. With -m cells change hands at random meanwhile; with -p and -t a balancer moves
 * them, the paper's or that of two phases, on 2 to 64 nodes, all its knobs depend on the seed, and
 * each of its messages must go where it may (links.h).
 * Three runs of four have a small window, so that loops pause, and must be told to go on. Messages
 * are as slow as ten calls, as a rule, so that they overtake each other; in some runs they are much
 * faster or slower, or large ones keep a node's link busy.
 * FILE is for the message only, which has the command that repeats what went wrong; a window has no
 * option.
 *
 * Each run is a child of a process that has the object open: a run costs a fork, not a start. */
#include "tests/distrib/world.h"
#include "tests/programs/links.h"
#include "tests/runtime/run_program.h"

#include "runtime/table/cells.h"
#include "runtime/exec/move.h"
#include "runtime/program.h"

#include <dlfcn.h>

enum { NODES_MIN = 2, NODES_MAX = 16, BALANCED_MAX = 64, FAILED_MAX = 3 };

/* ---- cells that change hands at random, between any two nodes ---- */

static struct rng dice;
static struct { uint32_t cell[8], n, seen; } pick;

static void
pick_cell(void *who, uint32_t cell)
{
    (void)who;
    uint64_t room = sizeof pick.cell / sizeof *pick.cell, at = pick.n;
    pick.seen++;
    if (at == room) at = rng_below(&dice, pick.seen);
    else pick.n++;
    if (at < room) pick.cell[at] = cell;
}

/* Of a run. On slow links moves breed messages, these turns, these moves. */
enum { STIRS_MOST = 2000 };

/* A node always keeps some cell: it would not know whom to ask. */
static void
stir(struct worker *w)
{
    static unsigned stirred; /* in this child */
    struct node *n = w->node;
    if (!n->map || !atomic_load(&n->settled)) return;
    if (rng_below(&dice, 30) || ++stirred > STIRS_MOST) return;
    int to = (int)rng_below(&dice, (uint64_t)distrib_nodes(n->map));
    uint32_t own = distrib_count(n->map);
    if (to == n->number || own < 2) return;
    pick.n = pick.seen = 0;
    distrib_each(n->map, pick_cell, NULL);
    uint32_t most = pick.n < own - 1 ? pick.n : own - 1;
    move_cells(w, to, pick.cell, 1 + (uint32_t)rng_below(&dice, most));
}

/* ---- balancers ---- */

static void
choose_knobs(struct run_options *o)
{
    static char every[16];
    static const char *const loads[] = {"bytes", "count", "time", "weight"};
    snprintf(every, sizeof every, "%d", 3 + (int)rng_below(&dice, rng_below(&dice, 2) ? 20 : 300));
    o->nodes = NODES_MIN + (int)rng_below(&dice, BALANCED_MAX - NODES_MIN + 1);
    o->balance_every = every;
    o->balance_threshold = rng_below(&dice, 3) ? "0%" : "5%";
    o->balance_load = loads[rng_below(&dice, 4)];
    o->distrib = rng_below(&dice, 3) ? "patch" : "rope";
    o->start = rng_below(&dice, 2) ? "half" : "even";
    o->lattice = NULL;
}

/* Domains that are valid and no boxes, as far as the lattices allow, in a file for --start. */
static void
choose_domains(const struct luna_program *p, struct run_options *o)
{
    static char file[32], sides[64];
    struct lattice cells, nodes;
    struct frame *main = frame_new(&p->subs[p->main], p->main, 0);
    cells = cells_extent(p, main, LUNA_NONE);
    frame_free(main, &p->subs[p->main]);
    lattice_factor(&nodes, o->nodes, &cells);
    for (int d = 0; d < cells.ndims; d++)
        if (nodes.side[d] > cells.side[d]) return;
    struct partition q = partition_new(cells, nodes);
    partition_stir(&q, &dice, (uint32_t)rng_below(&dice, 4 * lattice_size(&cells)));
    snprintf(sides, sizeof sides, "%dx%dx%d", nodes.side[0], nodes.side[1], nodes.side[2]);
    for (int d = 3; d > cells.ndims; d--) *strrchr(sides, 'x') = 0;
    snprintf(file, sizeof file, "start.%lu", (unsigned long)o->seed);
    FILE *f = fopen(file, "w");
    for (uint32_t c = 0; f && c < lattice_size(&cells); c++) fprintf(f, "%d\n", q.owner[c]);
    if (!f || fclose(f)) abort();
    partition_free(&q);
    o->distrib = "patch";
    o->lattice = sides;
    o->start = file;
}

/* ---- how fast messages are ---- */

/* Where cells move at random, a turn of thirty moves some and each message is a turn: on slow
 * links what looks for a cell comes too late again and again, and more is on its way all the
 * time. */
static void
choose_network(struct run_options *o, bool stirs)
{
    static const uint64_t latency_ns[] = {10000, 10000, 500, 100000};
    static const uint64_t bandwidth[] = {8ull << 30, 8ull << 30, 8ull << 30, 10ull << 20};
    o->latency_ns = latency_ns[o->seed / 4 % 4];
    o->bandwidth = bandwidth[stirs ? 0 : o->seed / 16 % 4];
}

/* The options of a run besides nodes and seed, as they are written. */
static const char *
options_text(const struct run_options *o)
{
    static char text[320];
    int n = snprintf(text, sizeof text, " --latency=%luns --bandwidth=%lu/s",
                     (unsigned long)o->latency_ns, (unsigned long)o->bandwidth);
    if (o->balance)
        snprintf(text + n, sizeof text - (size_t)n,
                 " --balance=%s --balance-every=%s --balance-threshold=%s --balance-load=%s "
                 "--distrib=%s --start=%s%s%s",
                 o->balance, o->balance_every, o->balance_threshold, o->balance_load, o->distrib,
                 o->start, o->lattice ? " --lattice=" : "", o->lattice ? o->lattice : "");
    return text;
}

struct answer {
    int code;
    char *lines, *hash; /* sorted lines of stdout; of stderr the hashes */
    char *said;         /* on stderr, if it did not end well */
};

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of a text, which it cuts up, that begin with `with`: sorted, in one new text. */
static char *
sorted(char *text, const char *with)
{
    size_t n = 0, room = strlen(text) + 2;
    char **line = malloc(room * sizeof *line), *all = malloc(room), *at = all;
    for (char *rest = text, *l; (l = strsep(&rest, "\n"));)
        if (*l && !strncmp(l, with, strlen(with))) line[n++] = l;
    qsort(line, n, sizeof *line, by_text);
    for (size_t i = 0; i < n; i++) at += sprintf(at, "%s\n", line[i]);
    *at = 0;
    free(line);
    return all;
}

static struct answer
answer_of(const struct luna_program *p, struct run_options o, int argc, char **argv)
{
    struct ran ran = run_program(p, o, argc, argv);
    struct answer a = {.code = ran.code, .lines = sorted(ran.out, "")};
    a.said = strdup(ran.code ? ran.err : "");
    a.hash = ran.code ? strdup("") : sorted(ran.err, "hash ");
    return a;
}

static void
answer_free(struct answer *a)
{
    free(a->lines);
    free(a->hash);
    free(a->said);
}

static bool
same(const struct answer *a, const struct answer *b)
{
    return a->code == b->code && !strcmp(a->lines, b->lines) && !strcmp(a->hash, b->hash);
}

int
main(int argc, char **argv)
{
    struct run_options o = {.sim = true, .hash = true, .quiet = true, .nodes = 1};
    int at = 3, failed = 0;
    bool stirs = false;
    const char *balance = NULL;
    for (; at < argc && argv[at][0] == '-'; at++)
        switch (argv[at][1]) {
        case 'b': o.steal = true; break;
        case 'm': stirs = true; break;
        case 'p': balance = "paper"; break;
        case 't': balance = "two-phase"; break;
        default: o.debug = true;
        }
    void *object = argc > at + 1 ? dlopen(argv[at], RTLD_NOW | RTLD_LOCAL) : NULL;
    const struct luna_program *p = object ? dlsym(object, "luna_program") : NULL;
    if (!p) {
        fprintf(stderr, "%s\n", object || argc <= at + 1 ? "no program" : dlerror());
        return 1;
    }
    unsigned long first = strtoul(argv[1], NULL, 10), last = strtoul(argv[2], NULL, 10);
    char **words = argv + at + 2;
    int nwords = argc - at - 2;
    struct answer want = answer_of(p, o, nwords, words);
    if (stirs) o.between = stir;
    if (balance) o.between = links_watch;
    o.balance = balance;
    static const size_t windows[] = {0, 1, 4, 32}; /* 0: the default */
    for (o.seed = first; o.seed <= last && failed < FAILED_MAX; o.seed++) {
        dice = rng_of(o.seed);
        o.nodes = NODES_MIN + (int)(o.seed % (NODES_MAX - NODES_MIN + 1));
        o.window = windows[o.seed % 4];
        choose_network(&o, stirs);
        if (balance) choose_knobs(&o);
        bool known = !*p->main_params && !cells_come_later(p);
        if (balance && known && rng_below(&dice, 2)) choose_domains(p, &o);
        struct answer have = answer_of(p, o, nwords, words);
        if (!same(&want, &have)) {
            failed++;
            printf("%sexit code %d, not %d; %s lines, %s values: "
                   "luna sim --hash -n %d --seed=%lu%s %s, window %zu\n",
                   have.said, have.code, want.code,
                   strcmp(want.lines, have.lines) ? "other" : "the same",
                   strcmp(want.hash, have.hash) ? "other" : "the same", o.nodes,
                   (unsigned long)o.seed, options_text(&o), argv[at + 1], o.window);
        } else if (o.start && !strncmp(o.start, "start.", 6)) {
            remove(o.start);
        }
        answer_free(&have);
    }
    answer_free(&want);
    return failed > 0;
}
