/* rebalance_paper.c - --balance=paper: each node looks at its neighbours and gives what is too
 * much.
 *
 *     step begins --LOAD--> neighbours;  all of theirs are here --> quotas --> transactions
 *
 * A neighbour is at most one step ahead: it cannot go on without our LOAD. */
#include "rebalance_parts.h"

#include "runtime/base/exit.h"
#include "runtime/base/mem.h"
#include "runtime/fault/fault.h"
#include "runtime/planner/transfer.h"

#include <string.h>

struct load_note {
    uint32_t step, unused;
    double load, speed;
};

struct paper {
    struct transfers *transfers;
    struct load_note heard[NEIGHBOURS_MAX][2]; /* of odd and even steps */
    struct balance_node group[NEIGHBOURS_MAX];
    double quota[NEIGHBOURS_MAX];
    bool exchanging;
};

static int
index_of(const struct rebalance *b, int node)
{
    for (int i = 0; i < b->nneighbours; i++)
        if (b->neighbour[i] == node) return i;
    return -1;
}

/* ---- for transfer.h ---- */

static void
send_note(void *who, int to, const void *bytes, size_t n)
{
    rebalance_tell(who, to, TELL_TRANSFER, bytes, n);
}

static double
load_now(void *who)
{
    return ((struct rebalance *)who)->loads.total;
}

static double
cell_load(void *who, uint32_t cell)
{
    return loads_of(&((struct rebalance *)who)->loads, cell);
}

static double
wanted(void *who, int to, double load)
{
    struct rebalance *b = who;
    struct paper *p = b->paper;
    int i = index_of(b, to);
    p->group[i].load = load;
    struct balance_node here = {b->loads.total, 1};
    return balance_limit(p->quota[i], here, p->group, b->nneighbours, i);
}

static void
give(void *who, int to, const uint32_t *cells, uint32_t n)
{
    rebalance_move(who, to, cells, n);
}

static enum err
paper_init(struct rebalance *b)
{
    b->paper = mem_zalloc(1, sizeof *b->paper);
    if (!b->paper) return E_NOMEM;
    struct transfer_setup s = {.map = b->node->map,
                               .node = b->node->number,
                               .seed = (uint64_t)b->node->number,
                               .who = b,
                               .send = send_note,
                               .load = load_now,
                               .want = wanted,
                               .cell_load = cell_load,
                               .give = give,
                               .nomem = fault_nomem};
    return transfer_new(&b->paper->transfers, &s);
}

static void
paper_fini(struct rebalance *b)
{
    if (!b->paper) return;
    transfer_free(b->paper->transfers);
    mem_free(b->paper);
}

/* ---- a step ---- */

static void
end_if_done(struct rebalance *b)
{
    if (atomic_load(&b->busy) && !b->paper->exchanging && transfer_idle(b->paper->transfers))
        rebalance_end(b, b->loads.total, b->loads.total);
}

static bool
all_heard(const struct rebalance *b)
{
    uint32_t step = atomic_load(&b->step);
    for (int i = 0; i < b->nneighbours; i++)
        if (b->paper->heard[i][step & 1].step != step) return false;
    return true;
}

static void
plan(struct rebalance *b)
{
    struct paper *p = b->paper;
    struct balance_rule rule = {b->knobs.threshold, 1};
    struct balance_node here = {b->loads.total, 1};
    uint32_t step = atomic_load(&b->step);
    for (int i = 0; i < b->nneighbours; i++) {
        const struct load_note *l = &p->heard[i][step & 1];
        p->group[i] = (struct balance_node){l->load, l->speed};
    }
    balance_diffuse(&rule, here, p->group, b->nneighbours, p->quota);
    p->exchanging = false;
    for (int i = 0; i < b->nneighbours; i++)
        if (p->quota[i] > 0) transfer_want(p->transfers, b->neighbour[i]);
}

static void
paper_begin(struct rebalance *b)
{
    struct load_note note = {.step = atomic_load(&b->step), .load = b->loads.total, .speed = 1};
    b->paper->exchanging = true;
    for (int i = 0; i < b->nneighbours; i++)
        rebalance_tell(b, b->neighbour[i], TELL_LOAD, &note, sizeof note);
    if (!all_heard(b)) return;
    plan(b);
    end_if_done(b);
}

static bool
paper_called(const struct rebalance *b)
{
    uint32_t next = atomic_load(&b->step) + 1;
    for (int i = 0; i < b->nneighbours; i++)
        if (b->paper->heard[i][next & 1].step == next) return true;
    return false;
}

bool
rebalance_paper_hear_load(struct rebalance *b, int from, const void *bytes, size_t n)
{
    struct load_note note;
    int i = index_of(b, from);
    uint32_t step = atomic_load(&b->step);
    if (!b->paper || i < 0 || n != sizeof note) return false;
    memcpy(&note, bytes, sizeof note);
    bool now = note.step == step && b->paper->exchanging;
    if (!now && note.step != step + 1) return false;
    b->paper->heard[i][note.step & 1] = note;
    if (now && all_heard(b)) plan(b);
    end_if_done(b);
    return true;
}

bool
rebalance_paper_hear_transfer(struct rebalance *b, int from, const void *bytes, size_t n)
{
    if (!b->paper || !transfer_hear(b->paper->transfers, from, bytes, n)) return false;
    end_if_done(b);
    return true;
}

static void
paper_taken(struct rebalance *b, int from, uint32_t cells, unsigned told)
{
    (void)cells;
    transfer_taken(b->paper->transfers, from, told);
    end_if_done(b);
}

static void
paper_heard(struct rebalance *b, int from, unsigned told)
{
    if (told) fault_begin(F_RUN12, LUNA_NONE, "a cell moved while its neighbour did");
    if (told) fault_hint("this is a fault of luna, not of your program; please report it");
    if (told) fault_end(EXIT_SYSTEM);
    transfer_heard(b->paper->transfers, from);
}

const struct rebalance_way rebalance_paper = {
    .init = paper_init,
    .fini = paper_fini,
    .begin = paper_begin,
    .called = paper_called,
    .taken = paper_taken,
    .heard = paper_heard,
};
