/* test_msg.c - messages that were damaged on the way: each one is refused, or means something else
 * that is dealt with as such; none crashes.
 *
 * A run on the simulator with a transport in between that damages one packet of a real run. Each
 * time in a child: whatever happens there, it must end with an exit code of ours. */
#include "run_program.h"
#include "ucodes.h"

#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/base/rng.h"
#include "runtime/exec/exec.h"
#include "runtime/fault/fault.h"
#include "runtime/ucode/crash.h"
#include "runtime/node/msg.h"
#include "runtime/node/node.h"
#include "runtime/rebalance/rebalance.h"
#include "runtime/exec/share.h"
#include "runtime/run/stuck.h"
#include "runtime/node/topo.h"
#include "runtime/turn/life.h"

#include <signal.h>
#include <unistd.h>

enum { CASES = CHECK_CASES(70), NODES = 6, SEED = 1, BYTES_MAX = 256 << 20, SECONDS = 5 };

/* ---- a program whose run has messages of every kind ---- */

static const struct luna_program *
program(void)
{
    static struct build *b;
    if (b) return build_done(b);
    b = build_new();
    build_ucodes(b);
    uint32_t x = build_df(b, "x"), y = build_df(b, "y"), d = build_df(b, "d"),
             l = build_df(b, "l"), c = build_df(b, "c"), sum = build_df(b, "sum"),
             all = build_df(b, "all"), e = build_df(b, "e");
#define X(...) DF_AT(x, IX(0), __VA_ARGS__)
#define Y(...) DF_AT(y, IX(0), __VA_ARGS__)
#define D(...) DF_AT(d, INT(2), __VA_ARGS__)
#define L(...) DF_AT(l, INT(1), __VA_ARGS__)
    /* A scope: what it spawns on other nodes ends before its >> is fired. */
    uint32_t inner = BLOCK(b, CALL("step", .in = {PARAM_AT(0, IX(0), LOCAL(0, 0))},
                                   .arg = {VALUE(IN(0)), OUT(PARAM_AT(1, IX(0), LOCAL(0, 0)))},
                                   .node = LOCAL(0, 3)));
    build_sub(b, "part", "nnisv", BLOCK(b, FOR(INT(0), FRAME(2, 0), inner),
                                        CALL("says", .arg = {A_STRING(FVALUE(3))},
                                             .node = INT(3))));
    uint32_t many = BLOCK(b, CALL("init", .arg = {OUT(X(LOCAL(0, 0))), A_INT(LOCAL(0, 0))},
                                  .node = LOCAL(0, 1)));
    uint32_t pushed = BLOCK(b, CALL("init", .arg = {OUT(Y(LOCAL(0, 100))), A_INT(LOCAL(0, 0))},
                                    .push = {Y(LOCAL(0, 100))},
                                    .push_to = {{1, c, {LOCAL(0, 0)}}}, .node = LOCAL(0, 2)));
    uint32_t awaits = BLOCK(b, CALL("say", .in = {Y(LOCAL(0, 100))}, .waits = 1,
                                    .arg = {A_INT(IN(0))}, .label = {1, c, {LOCAL(0, 0)}}));
    uint32_t stolen = BLOCK(b, CALL("init", .arg = {OUT(Y(LOCAL(0, 200))), A_INT(LOCAL(0, 0))},
                                    .flags = LUNA_F_STEALABLE));
    uint32_t wanted = BLOCK(b, CALL("say", .in = {D(INT(0))}, .arg = {A_INT(IN(0))},
                                    .node = LOCAL(0, 0)));
    /* More than the window, and what they wait for comes later: loops pause, and must go on. */
    uint32_t early = BLOCK(b, CALL("say", .in = {D(INT(0))}, .arg = {A_INT(IN(0))}));
    uint32_t terms = BLOCK(b, TERM(X(LOCAL(2, 0)), .node = LOCAL(2, 0)));
    uint32_t pairs = BLOCK(b, FOR(INT(0), INT(9), BLOCK(b, TERM(X(LOCAL(5, 0))))));
    /* Readers of one node, each made when the one before has run: the second gets a copy. */
#define E(...) DF_AT(e, INT(0), __VA_ARGS__)
    uint32_t reads = BLOCK(b, CALL("size", .in = {E(INT(4), LOCAL(0, 0)), E(INT(4), INT(-1))},
                                   .rounds = 2, .node = INT(4),
                                   .arg = {VALUE(IN(1)), OUT(E(INT(4), LOCAL(0, 1)))}),
                              CALL("size", .in = {E(INT(5), LOCAL(0, 0)), E(INT(5), INT(-1))},
                                   .rounds = 2, .node = INT(5),
                                   .arg = {VALUE(IN(1)), OUT(E(INT(5), LOCAL(0, 1)))}));
    build_sub(b, "main", "", BLOCK(b,
        CALL("bytes", .arg = {OUT_COUNT(E(INT(4), INT(-1)), INT(6)), A_INT(INT(5000))}),
        CALL("bytes", .arg = {OUT_COUNT(E(INT(5), INT(-1)), INT(6)), A_INT(INT(5000))}),
        CALL("init", .arg = {OUT(E(INT(4), INT(0))), A_INT(INT(1))}),
        CALL("init", .arg = {OUT(E(INT(5), INT(0))), A_INT(INT(1))}),
        FOR(INT(0), INT(5), reads),
        REDUCE(LUNA_R_ADD, 1, terms, OUT(DF(sum)), A_INT(INT(0)), A_INT(INT(99))),
        REDUCE(LUNA_R_ADD, 2, pairs, OUT(DF(all)), A_INT(INT(0)), A_INT(INT(1)),
               A_INT(INT(0)), A_INT(INT(9))),
        FOR(INT(0), INT(5), early),
        FOR(INT(0), INT(99), stolen),
        FOR(INT(0), INT(299), many),
        CALL("bytes", .arg = {OUT(L(INT(0))), A_INT(INT(5000))}, .node = INT(3)),
        CALL("sayv", .in = {L(INT(0))}, .arg = {VALUE(IN(0))}, .node = INT(2)),
        CALL("inits", .arg = {OUT(L(INT(1))), A_STRING(STR("text"))}, .node = INT(2)),
        EXPAND("part", .in = {L(INT(1))}, .node = INT(2), .set = {D(INT(0))},
               .arg = {OUT(X()), OUT(Y()), A_INT(INT(9)), A_STRING(IN(0)), VALUE(IN(0))}),
        CALL("say", .in = {D(INT(0))}, .arg = {A_INT(IN(0))}, .node = INT(3),
             .kill = {L(INT(1)), L(INT(0))}),
        FOR(INT(0), INT(5), wanted),
        FOR(INT(0), INT(5), pushed), FOR(INT(0), INT(5), awaits)));
    return build_done(b);
}

/* The same with a lattice that comes when its sub is called, of NODES cells. */
static const struct luna_program *
program_with_lattice(void)
{
    static struct luna_program p;
    if (p.nextents) return &p;
    p = *program();
    while (strcmp(p.subs[p.lattice_sub].name, "part")) p.lattice_sub++;
    while (p.exprs[p.extent].kind != LUNA_E_INT || p.exprs[p.extent].k != NODES) p.extent++;
    p.nextents = 1;
    return &p;
}

/* ---- what is done to a packet ---- */

enum how { NOTHING, SHORTER, LONGER, ANY, OWNER, ON_BEYOND, ON_HERE, OTHER, OF_FOLD };

struct damage {
    uint32_t kind;  /* of the packet; KINDS: none */
    int number;     /* which one of its kind */
    enum how how;
    uint64_t seed;
    uint32_t as; /* OTHER: the kind it is sent as */
    bool later;  /* of a run whose lattice comes later */
};

static void
copy_into(struct packet **p, uint32_t size)
{
    struct packet *old = *p, *n = packet_new(old->kind, size);
    memset(n->body, 0xa5, size);
    memcpy(n->body, old->body, size < old->size ? size : old->size);
    n->block = old->block;
    old->block = NULL;
    packet_free(old);
    *p = n;
}

static void
change_body(struct packet *p, struct rng *r)
{
    static const uint32_t words[] = {0, 1, 2, 5, 64, 65, 0x7fffffff, 0x80000000, 0xffffffff};
    uint32_t word = words[rng_below(r, sizeof words / sizeof *words)];
    size_t at = p->size ? rng_below(r, p->size) : 0;
    if (!p->size) return;
    switch (rng_below(r, 3)) {
    case 0: p->body[at] ^= (char)(1 << rng_below(r, 8)); break;
    case 1: p->body[at] = (char)rng_below(r, 256); break;
    case 2:
        at &= ~(size_t)3;
        memcpy(p->body + at, &word, p->size - at < 4 ? p->size - at : 4);
        break;
    }
}

/* Makes it a message for a cell: one beyond the lattice, or the receiver's own. */
static void
add_way(struct packet **p, bool here, struct rng *r)
{
    uint32_t way[4] = {(uint32_t)(*p)->to, 0, (uint32_t)(*p)->from, 0}, size = (*p)->size;
    if (!here) way[rng_below(r, 2) ? 0 : 2] = (uint32_t)(NODES + rng_below(r, 1 << 31));
    copy_into(p, size + sizeof way);
    memcpy((*p)->body + size, way, sizeof way);
    (*p)->kind |= MSG_ROUTED;
}

/* A statement of the inside of a reduction: its term, or the loop around it. */
static uint32_t
site_of_fold(const struct luna_program *p, bool loop)
{
    uint32_t row = 0;
    while (p->sites[row].kind != LUNA_S_REDUCE || p->sites[row].b != 2) row++;
    const struct luna_site *outer = &p->sites[p->blocks[p->sites[row].body].site];
    return loop ? (uint32_t)(outer - p->sites) : p->blocks[outer->body].site;
}

/* A call that fits in all else: its frame, its words, none of its inputs. */
static void
call_of_fold(struct packet **to, bool loop)
{
    const struct luna_program *p = program();
    struct writer w = {0};
    struct frame *f = frame_new(&p->subs[p->main], p->main, 1);
    uint32_t row = site_of_fold(p, loop);
    write_u64(&w, 0); /* no scope */
    write_frame(&w, p, f);
    write_u32(&w, row);
    write_u32(&w, 0);
    write_u32(&w, 0);
    for (unsigned i = 0; i < p->sites[row].nlocal; i++) write_u64(&w, 0);
    write_u32(&w, 0); /* nothing was asked for */
    copy_into(to, (uint32_t)w.size);
    memcpy((*to)->body, writer_data(&w), w.size);
    writer_fini(&w);
    frame_free(f, &p->subs[p->main]);
}

static void
spoil(struct packet **p, const struct damage *d)
{
    struct rng r = rng_of(d->seed);
    uint32_t size = (*p)->size;
    if (d->how == SHORTER && size) copy_into(p, (uint32_t)rng_below(&r, size));
    if (d->how == LONGER) copy_into(p, size + 1 + (uint32_t)rng_below(&r, 40));
    if (d->how == OF_FOLD) call_of_fold(p, d->seed % 2);
    if (d->how == OWNER) (*p)->kind = MSG_OWNER;
    if (d->how == OTHER) {
        bool routed = d->as == MSG_FRAGMENT || d->as == MSG_WAITING || d->as == MSG_FOLLOWS;
        (*p)->kind = d->as;
        if (routed) add_way(p, true, &r);
        else if (rng_below(&r, 2)) change_body(*p, &r);
    }
    if (d->how == ON_BEYOND || d->how == ON_HERE) add_way(p, d->how == ON_HERE, &r);
    if (d->how != ANY) return;
    for (uint64_t n = 1 + rng_below(&r, 3); n; n--) change_body(*p, &r);
    if (rng_below(&r, 16) == 0) (*p)->kind = (uint32_t)rng_below(&r, MSG_KINDS + 2);
    if ((*p)->block && rng_below(&r, 4) == 0) {
        block_release((*p)->block);
        (*p)->block = NULL;
    }
}

/* ---- the transport in between ---- */

struct between {
    struct transport base;
    struct transport *inner;
    struct damage *damage;
};

static void
between_send(struct transport *t, int to, struct packet *p)
{
    struct between *b = (struct between *)t;
    struct damage *d = b->damage;
    p->from = t->node;
    p->to = to;
    if (p->kind == d->kind && d->number-- == 0) spoil(&p, d);
    b->inner->ops->send(b->inner, to, p);
}

static struct packet *
between_poll(struct transport *t)
{
    struct between *b = (struct between *)t;
    return b->inner->ops->poll(b->inner);
}

static int
between_pending(struct transport *t)
{
    struct between *b = (struct between *)t;
    return b->inner->ops->pending(b->inner);
}

static uint64_t
between_now_ns(struct transport *t)
{
    struct between *b = (struct between *)t;
    return b->inner->ops->now_ns(b->inner);
}

static void
between_spend(struct transport *t, uint64_t ns)
{
    struct between *b = (struct between *)t;
    b->inner->ops->spend(b->inner, ns);
}

static void
between_free(struct transport *t)
{
    struct between *b = (struct between *)t;
    b->inner->ops->free(b->inner);
}

static const struct transport_ops between_ops = {.send = between_send,
                                                 .poll = between_poll,
                                                 .pending = between_pending,
                                                 .now_ns = between_now_ns,
                                                 .spend = between_spend,
                                                 .free = between_free};

/* ---- a run ---- */

static struct rebalance_knobs balance = {.mode = REBALANCE_PAPER, .every_calls = 3};
static struct distrib_setup map; /* cell i is node i's */
static const char *why;

static void
settle(struct worker *w, const struct lattice *cells, uint32_t place)
{
    struct distrib_setup other = map;
    other.cells = *cells;
    if (node_settle(w, &other, &balance, &why) != OK) fault(F_RUN13, place, "%s", why);
}

static void
open_nodes(struct node **node, struct between *b, struct transport **inner, struct damage *d)
{
    const struct luna_program *p = d->later ? program_with_lattice() : program();
    static struct lattice line;
    lattice_init(&line, 1, (const int32_t[]){NODES});
    map = (struct distrib_setup){.kind = distrib_kind("patch"), .cells = line, .nodes = line};
    balance.cells = line;
    struct node_options o = {.workers = 1, .steal = true, .window = 2, .lead = 1,
                             .recipes = recipes_new(p, false, true),
                             .shares = share_analyse(p), .cells = &line, .map = &map,
                             .balance = &balance, .why = &why};
    if (d->later) {
        o.map = NULL;
        o.settle = settle;
    }
    for (int i = 0; i < NODES; i++) {
        b[i] = (struct between){
            {.ops = &between_ops, .node = i, .nodes = NODES, .host_nodes = 1}, inner[i], d};
        if (node_new(&node[i], p, &b[i].base, &o) != OK) exit(99);
    }
}

static void
start_main(struct node *n)
{
    const struct luna_program *p = n->program;
    struct frame *f = frame_new(&p->subs[p->main], p->main, worker_new_id(&n->workers[0]));
    node_start(n, f);
}

static int
damaged_run(const void *who)
{
    struct damage d = *(const struct damage *)who;
    struct transport *inner[NODES];
    struct between between[NODES];
    struct node *node[NODES];
    struct nodes all = {.node = node, .n = NODES};
    struct sim_options so = {SEED, 10000, 1 << 30};
    struct sim *sim;
    alarm(SECONDS);
    fault_set_program(program());
    pool_set_bytes_max(BYTES_MAX);
    topo_open(1, 0);
    if (sim_new(&sim, inner, NODES, &so) != OK) return 99;
    open_nodes(node, between, inner, &d);
    crash_handler_install();
    start_main(node[0]);
    nodes_simulate(node, NODES, sim, 1000);
    stuck_end(&all);
    fflush(stdout);
    _exit(0); /* what a damaged run leaves behind is not looked at */
}

static struct ran
run_damaged(uint32_t kind, int number, enum how how, uint64_t seed)
{
    struct damage d = {.kind = kind, .number = number, .how = how, .seed = seed};
    d.later = kind == MSG_LATTICE || kind == MSG_SETTLED;
    return run_child(damaged_run, &d);
}

/* ---- the tests ---- */

static const char *const names[] = {
#define NAME(name, ...) #name,
    MSG_MAP(NAME)
#undef NAME
};

static bool
is_about_cells(uint32_t kind)
{
    return kind >= MSG_OWNER && kind <= MSG_FOLLOWS;
}

static bool
has_no_body(uint32_t kind)
{
    return kind == MSG_HUNGRY || kind == MSG_SETTLED || kind == MSG_RAN;
}

/* Nobody looks for cells in this program: what is said of them is tested apart. */
TEST(a_run_has_messages_of_every_kind)
{
    for (uint32_t k = 0; k < MSG_KINDS; k++) {
        if (is_about_cells(k)) continue;
        /* There are not that many: nothing is damaged. The first there is. */
        struct ran ran = run_damaged(k, 1 << 30, SHORTER, 1);
        CHECK(ran.code == 0, "%s: exit %d: %s", names[k], ran.code, ran.err);
        ran = run_damaged(k, 0, has_no_body(k) ? LONGER : SHORTER, 1);
        CHECK(ran.code == 5, "%s: exit %d: %s", names[k], ran.code, ran.err);
    }
}

static void
is_refused(uint32_t kind, enum how how)
{
    if (is_about_cells(kind)) return;
    for (uint64_t seed = 1; seed <= CASES / 4; seed++) {
        struct ran ran = run_damaged(kind, (int)(seed % 3 ? 0 : seed % 2), how, seed);
        CHECK(ran.code == 5 && strstr(ran.err, "malformed message of kind"),
              "%s, seed %d: exit %d: %s", names[kind], (int)seed, ran.code, ran.err);
    }
}

TEST(what_was_cut_off_is_refused)
{
    for (uint32_t k = 0; k < MSG_KINDS && !check_failed; k++)
        if (!has_no_body(k)) is_refused(k, SHORTER);
}

TEST(what_has_grown_is_refused)
{
    for (uint32_t k = 0; k < MSG_KINDS && !check_failed; k++) is_refused(k, LONGER);
}

/* There is no fold for them where they come. */
TEST(a_call_of_a_term_is_refused)
{
    is_refused(MSG_CALL, OF_FOLD);
    is_refused(MSG_STOLEN, OF_FOLD);
}

static const uint32_t for_cells[] = {MSG_CALL, MSG_REQUEST, MSG_PUT, MSG_KILL};
enum { FOR_CELLS = sizeof for_cells / sizeof *for_cells };

TEST(a_way_beyond_the_lattice_is_refused)
{
    for (int i = 0; i < FOR_CELLS; i++) is_refused(for_cells[i], ON_BEYOND);
    is_refused(MSG_REQUEST, OWNER); /* it is too long for one */
}

/* A message for one's own cell is the message itself. No request for what a call at its home waits
 * for, too: by that it is known to be in no cell. The first ones are such. */
TEST(a_way_that_has_ended_changes_nothing)
{
    for (int i = 0; i < FOR_CELLS; i++) {
        int number = for_cells[i] == MSG_REQUEST ? 20 : 0;
        struct ran ran = run_damaged(for_cells[i], number, ON_HERE, 1);
        CHECK(ran.code == 0, "%s: exit %d: %s", names[for_cells[i]], ran.code, ran.err);
    }
}

TEST(a_way_is_refused_of_what_goes_to_nodes)
{
    static const uint32_t for_nodes[] = {MSG_RANGE, MSG_VALUE, MSG_ENDED, MSG_FOLDED, MSG_PROBE};
    for (unsigned i = 0; i < sizeof for_nodes / sizeof *for_nodes; i++)
        is_refused(for_nodes[i], ON_HERE);
}

/* A message of another kind: mostly refused; if it fits, the program goes on with it, or waits for
 * what it was. */
TEST(no_message_about_cells_crashes)
{
    for (uint32_t as = 0; as < MSG_KINDS; as++)
        for (uint64_t seed = 1; seed <= CASES; seed++) {
            static const uint32_t kinds[] = {MSG_CALL, MSG_REQUEST, MSG_VALUE, MSG_PUT, MSG_ENDED};
            struct damage d = {kinds[seed % 5], (int)(seed % 7), OTHER, seed, as, false};
            if (!is_about_cells(as) && as != MSG_LATTICE && as != MSG_SETTLED) continue;
            struct ran ran = run_child(damaged_run, &d);
            CHECK((ran.code == 0 || (ran.code >= 3 && ran.code <= 5)) &&
                      !strstr(ran.err, "luna itself failed"),
                  "%s, seed %d: exit %d: %s", names[as], (int)seed, ran.code, ran.err);
        }
}

/* Other bytes may make another message that is just as good: the program then gets other values, or
 * waits for what never comes. */
TEST(no_damage_crashes)
{
    for (uint32_t k = 0; k < MSG_KINDS; k++)
        for (uint64_t seed = 1; seed <= CASES; seed++) {
            struct ran ran = run_damaged(k, (int)(seed % 5), ANY, seed);
            bool ours = ran.code == 0 || (ran.code >= 3 && ran.code <= 5);
            /* 2^31 iterations instead of 300, or 2^26 cells instead of a few */
            bool longer = k == MSG_RANGE || k == MSG_CALL || k == MSG_LATTICE;
            ours |= longer && ran.code == 256 + SIGALRM;
            CHECK(ours && !strstr(ran.err, "luna itself failed"), "%s, seed %d: exit %d: %s",
                  names[k], (int)seed, ran.code, ran.err);
        }
}

TEST_MAIN(T(a_run_has_messages_of_every_kind), T(what_was_cut_off_is_refused),
          T(what_has_grown_is_refused), T(a_call_of_a_term_is_refused),
          T(a_way_beyond_the_lattice_is_refused),
          T(a_way_that_has_ended_changes_nothing),
          T(a_way_is_refused_of_what_goes_to_nodes), T(no_message_about_cells_crashes),
          T(no_damage_crashes))
