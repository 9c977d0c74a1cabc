/* Cells change hands while messages look for them. Messages between two nodes keep their order, all
 * others are stirred. Whatever happens, a cell is with one node or in one parcel, each question is
 * answered once, and at the end all that nodes believe is true. */
#include "runtime/base/mem.h"
#include "tests/distrib/world.h"
#include "tests/lib/check.h"

#include <inttypes.h>

enum kind { PARCEL, NEWS, QUESTION, ANSWER };

struct message {
    struct message *next;
    enum kind kind;
    int from;
    uint32_t cell, at, id, hops, epoch;
    size_t size;
    char bytes[];
};

struct queue {
    struct message *first, **end;
};

/* The nodes, a queue for each pair of them, and the questions. */
struct sim {
    struct world w;
    struct rng rng;
    struct queue *queue; /* [from * n + to] */
    struct queue *held;  /* [node]: questions that wait for a parcel */
    int *busy;           /* queues with something in them */
    int nbusy;
    uint32_t asked, answered, moved;
    unsigned char *is_answered;
    struct buf parcel;
    bool *sliding; /* rope: the border behind this node is on its way */
    const char *flaw;
};

enum { QUESTIONS_MAX = 4000 };

static void
sim_init(struct sim *s, struct world w, uint64_t seed)
{
    size_t n = (size_t)w.n;
    *s = (struct sim){.w = w, .rng = rng_of(seed)};
    s->queue = calloc(n * n, sizeof *s->queue);
    s->held = calloc(n, sizeof *s->held);
    s->busy = calloc(n * n, sizeof *s->busy);
    s->sliding = calloc(n, sizeof *s->sliding);
    s->is_answered = calloc(QUESTIONS_MAX, 1);
    for (size_t i = 0; i < n * n; i++) s->queue[i].end = &s->queue[i].first;
    for (size_t i = 0; i < n; i++) s->held[i].end = &s->held[i].first;
}

static void
sim_fini(struct sim *s)
{
    world_free(&s->w);
    buf_fini(&s->parcel);
    free(s->queue);
    free(s->held);
    free(s->busy);
    free(s->sliding);
    free(s->is_answered);
}

static void
push(struct queue *q, struct message *m)
{
    m->next = NULL;
    *q->end = m;
    q->end = &m->next;
}

static struct message *
pop(struct queue *q)
{
    struct message *m = q->first;
    q->first = m->next;
    if (!q->first) q->end = &q->first;
    return m;
}

static void
send_message(struct sim *s, int from, int to, struct message *m)
{
    struct queue *q = &s->queue[from * s->w.n + to];
    m->from = from;
    if (!q->first) s->busy[s->nbusy++] = from * s->w.n + to;
    push(q, m);
}

static struct message *
message_new(enum kind kind, const void *bytes, size_t size)
{
    struct message *m = calloc(1, sizeof *m + size);
    m->kind = kind;
    m->size = size;
    if (size) memcpy(m->bytes, bytes, size);
    return m;
}

/* Whoever is being handled, for distrib_tell_fn. */
struct teller {
    struct sim *s;
    int node;
};

static void
tell(void *who, int node, const void *news, size_t size)
{
    struct teller *t = who;
    if (node == t->node)
        t->s->flaw = "a node tells itself";
    else
        send_message(t->s, t->node, node, message_new(NEWS, news, size));
}

static void
answer(struct sim *s, int node, struct message *m)
{
    /* The body is the node that asked. */
    int asker;
    memcpy(&asker, m->bytes, sizeof asker);
    if (!distrib_owns(s->w.node[node], m->cell)) s->flaw = "a question was answered elsewhere";
    if (s->is_answered[m->id]++) s->flaw = "a question was answered twice";
    s->answered++;
    /* A step nearer for each hop, or after a cell that has moved. */
    uint32_t most = (uint32_t)(s->w.cells.side[0] + s->w.cells.side[1] + s->w.cells.side[2]);
    if (m->hops > most + s->moved + (uint32_t)s->w.n) s->flaw = "a walk took too long";
    m->kind = ANSWER;
    m->epoch = distrib_epoch(s->w.node[node], m->cell);
    if (asker == node)
        free(m);
    else
        send_message(s, node, asker, m);
}

/* `to` is what distrib_first or distrib_onward has said at `node`. */
static void
route(struct sim *s, int node, int to, struct message *m)
{
    if (to == node)
        answer(s, node, m);
    else if (to == DISTRIB_WAIT)
        push(&s->held[node], m);
    else if (to < 0 || to >= s->w.n)
        s->flaw = "a walk left the nodes";
    else {
        m->hops++;
        send_message(s, node, to, m);
    }
}

static void
go_on(struct sim *s, int node, struct message *m)
{
    route(s, node, distrib_onward(s->w.node[node], m->cell, &m->at), m);
}

static void
wake_held(struct sim *s, int node)
{
    struct queue held = s->held[node];
    s->held[node] = (struct queue){.end = &s->held[node].first};
    while (held.first) {
        struct message *m = held.first;
        held.first = m->next;
        go_on(s, node, m);
    }
}

static void
take(struct sim *s, int node, struct message *m)
{
    struct teller t = {s, node};
    if (distrib_take(s->w.node[node], m->from, m->bytes, m->size, tell, &t) != OK)
        s->flaw = "a parcel was refused";
    s->sliding[m->from < node ? m->from : node] = false;
    wake_held(s, node);
}

/* The first message of a random queue arrives. */
static void
deliver(struct sim *s)
{
    int k = (int)rng_below(&s->rng, (uint64_t)s->nbusy), which = s->busy[k], to = which % s->w.n;
    struct message *m = pop(&s->queue[which]);
    struct teller t = {s, to};
    if (!s->queue[which].first) s->busy[k] = s->busy[--s->nbusy];
    switch (m->kind) {
    case PARCEL:
        take(s, to, m);
        break;
    case NEWS:
        if (distrib_hear(s->w.node[to], m->bytes, m->size, tell, &t) != OK)
            s->flaw = "news was refused";
        break;
    case QUESTION:
        go_on(s, to, m);
        return;
    case ANSWER:
        distrib_learn(s->w.node[to], m->cell, m->from, m->epoch);
        break;
    }
    free(m);
}

static void
ask(struct sim *s)
{
    int node = (int)rng_below(&s->rng, (uint64_t)s->w.n);
    if (s->asked == QUESTIONS_MAX) return;
    struct message *m = message_new(QUESTION, &node, sizeof node);
    m->id = s->asked++;
    m->cell = (uint32_t)rng_below(&s->rng, lattice_size(&s->w.cells));
    route(s, node, distrib_first(s->w.node[node], m->cell, &m->at), m);
}

struct list {
    uint32_t n, cell[4096];
};

static void
list_cell(void *who, uint32_t cell)
{
    struct list *l = who;
    l->cell[l->n++] = cell;
}

/* A random set of cells goes to a random node, connected or not. */
static void
give(struct sim *s)
{
    static struct list own;
    int node = (int)rng_below(&s->rng, (uint64_t)s->w.n);
    int to = (int)rng_below(&s->rng, (uint64_t)s->w.n);
    own.n = 0;
    distrib_each(s->w.node[node], list_cell, &own);
    if (to == node || !own.n) return;
    uint32_t k = 1 + (uint32_t)rng_below(&s->rng, own.n < 6 || !rng_below(&s->rng, 9) ? own.n : 6);
    for (uint32_t i = 0; i < k; i++) {
        uint32_t j = i + (uint32_t)rng_below(&s->rng, own.n - i), c = own.cell[j];
        own.cell[j] = own.cell[i];
        own.cell[i] = c;
    }
    buf_clear(&s->parcel);
    if (distrib_give(s->w.node[node], to, own.cell, k, &s->parcel) != OK) s->flaw = "not given";
    send_message(s, node, to, message_new(PARCEL, s->parcel.data, s->parcel.size));
    s->moved += k;
}

/* On a rope: some cells of an end go to the neighbour there, unless that border is moving. */
static void
slide(struct sim *s)
{
    static struct list own;
    int node = (int)rng_below(&s->rng, (uint64_t)s->w.n);
    int to = rng_below(&s->rng, 2) ? node + 1 : node - 1, border = to > node ? node : to;
    own.n = 0;
    distrib_each(s->w.node[node], list_cell, &own);
    if (to < 0 || to == s->w.n || !own.n || s->sliding[border]) return;
    uint32_t k = 1 + (uint32_t)rng_below(&s->rng, own.n);
    buf_clear(&s->parcel);
    if (distrib_give(s->w.node[node], to, own.cell + (to > node ? own.n - k : 0), k, &s->parcel))
        s->flaw = "not given";
    s->sliding[border] = true;
    send_message(s, node, to, message_new(PARCEL, s->parcel.data, s->parcel.size));
    s->moved += k;
}

/* Some runs give now and then, others pile up parcels; the last messages arrive. */
static const char *
sim_run(struct sim *s, uint32_t events, void (*move)(struct sim *))
{
    uint64_t movers = rng_below(&s->rng, 30) + 1, askers = rng_below(&s->rng, 30) + 1;
    for (uint32_t i = 0; i < events && !s->flaw; i++) {
        uint64_t what = rng_below(&s->rng, 100);
        if (what < movers)
            move(s);
        else if (what < movers + askers)
            ask(s);
        else if (s->nbusy)
            deliver(s);
    }
    while (s->nbusy && !s->flaw) deliver(s);
    if (!s->flaw) s->flaw = distrib_flaw_among(s->w.node, s->w.n, false);
    if (!s->flaw && s->answered != s->asked) s->flaw = "a question was not answered";
    return s->flaw;
}

/* LUNA_SEEDS, or a thousand; fewer where each change is checked. */
static uint64_t
seeds(void)
{
    const char *n = getenv("LUNA_SEEDS");
#ifdef NDEBUG
    return n ? strtoull(n, NULL, 10) : 1000;
#else
    return n ? strtoull(n, NULL, 10) : 200;
#endif
}

TEST(cells_of_a_patch_move_about)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct rng r = rng_of(seed * 7919);
        int32_t a = 2 + (int32_t)rng_below(&r, 3), b = 1 + (int32_t)rng_below(&r, 4);
        struct lattice cells = seed % 3 ? lattice_of(2, 4 * a, 5 * b, 0) : lattice_of(3, 6, 5, 4);
        struct lattice nodes = lattice_of(2, a, b, 0);
        struct sim s;
        sim_init(&s, world_new("patch", cells, nodes, NULL), seed);
        const char *flaw = sim_run(&s, 1500, give);
        CHECK(!flaw, "seed %" PRIu64 ": %s; %u of %u answered, %u moved", seed, flaw, s.answered,
              s.asked, s.moved);
        sim_fini(&s);
    }
}

TEST(borders_of_a_rope_slide)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct rng r = rng_of(seed * 7919);
        struct lattice cells = seed % 2 ? lattice_of(2, 9, 7, 0) : lattice_of(3, 4, 4, 4);
        struct lattice nodes = lattice_of(1, 2 + (int32_t)rng_below(&r, 9), 0, 0);
        struct sim s;
        sim_init(&s, world_new("rope", cells, nodes, NULL), seed);
        const char *flaw = sim_run(&s, 1500, slide);
        CHECK(!flaw, "seed %" PRIu64 ": %s; %u of %u answered, %u moved", seed, flaw, s.answered,
              s.asked, s.moved);
        sim_fini(&s);
    }
}

/* ---- orders of events that chance seldom brings ---- */

/* Six cells in a row: nodes 0, 1, 2 have two each. */
static struct world
row(const char *kind)
{
    return world_new(kind, lattice_of(1, 6, 0, 0), lattice_of(1, 3, 0, 0), NULL);
}

struct told {
    int count, node;
    size_t size;
    char bytes[1024];
};

static void
note(void *who, int node, const void *news, size_t size)
{
    struct told *t = who;
    t->count++;
    t->node = node;
    t->size = size;
    memcpy(t->bytes, news, size);
}

static struct buf
given(struct world *w, int from, int to, uint32_t cell)
{
    struct buf parcel = {0};
    if (distrib_give(w->node[from], to, &cell, 1, &parcel) != OK) abort();
    return parcel;
}

static struct told
taken(struct world *w, int from, int to, struct buf parcel)
{
    struct told told = {0};
    if (distrib_take(w->node[to], from, parcel.data, parcel.size, note, &told) != OK) abort();
    buf_fini(&parcel);
    return told;
}

TEST(a_walk_waits_for_a_cell_on_its_way)
{
    struct world w = row("patch");
    uint32_t at = LATTICE_NONE;
    struct buf late = given(&w, 0, 2, 0);
    taken(&w, 0, 1, given(&w, 0, 1, 1));
    taken(&w, 1, 2, given(&w, 1, 2, 1));
    /* Node 2 has cell 1 from node 1, and cell 0 beside it is in a slower parcel. */
    CHECK(distrib_onward(w.node[2], 0, &at) == DISTRIB_WAIT);
    at = 0;
    CHECK(distrib_onward(w.node[2], 0, &at) == DISTRIB_WAIT, "sent by node 1 to cell 0 here");
    CHECK(distrib_onward(w.node[2], 2, &at) == 1, "other walks go on");
    taken(&w, 0, 2, late);
    CHECK(distrib_onward(w.node[2], 0, &at) == 2);
    /* Node 0 has no cell left to go on from, and yet all is found from there. */
    for (uint32_t c = 0; c < 6; c++) CHECK(world_walk(&w, 0, c, false) > 0, "cell %u", c);
    world_free(&w);
}

TEST(a_walk_waits_at_a_node_that_has_only_farther_cells)
{
    struct world w = row("patch");
    uint32_t at;
    struct buf late = given(&w, 0, 2, 1);
    taken(&w, 0, 1, given(&w, 0, 1, 0));
    at = 1; /* node 1 has cell 0 now, and was told who has the one beside it */
    CHECK(distrib_onward(w.node[2], 1, &at) == DISTRIB_WAIT, "sooner than the parcel");
    taken(&w, 0, 2, late);
    CHECK(distrib_onward(w.node[2], 1, &at) == 2);
    world_free(&w);
}

TEST(the_newest_belief_is_followed)
{
    struct world w = row("patch");
    uint32_t at = LATTICE_NONE;
    taken(&w, 2, 0, given(&w, 2, 0, 5));
    taken(&w, 0, 1, given(&w, 0, 1, 5));
    CHECK(distrib_onward(w.node[0], 5, &at) == 1 && at == 5, "after it, not along the row");
    distrib_learn(w.node[0], 5, 2, 3);
    CHECK(distrib_first(w.node[0], 5, &at) == 2, "it has moved again since");
    distrib_learn(w.node[2], 5, 1, 0);
    CHECK(distrib_first(w.node[2], 5, &at) == 0, "given there later than what was learnt");
    world_free(&w);
}

TEST(news_goes_after_its_cell)
{
    struct world w = row("patch");
    struct told slow = taken(&w, 1, 0, given(&w, 1, 0, 3));
    CHECK(slow.count == 1 && slow.node == 2, "node 2 has cell 4 beside it");
    struct told quick = taken(&w, 2, 1, given(&w, 2, 1, 4));
    CHECK(quick.count == 1 && quick.node == 0, "node 1 had given cell 3 itself, and knows");
    CHECK(distrib_hear(w.node[0], quick.bytes, quick.size, note, &quick) == OK);
    struct told on = {0};
    CHECK(distrib_hear(w.node[2], slow.bytes, slow.size, note, &on) == OK);
    CHECK(on.count == 1 && on.node == 1 && on.size == slow.size, "passed on to who has cell 4 now");
    struct told end = {0};
    CHECK(distrib_hear(w.node[1], on.bytes, on.size, note, &end) == OK && !end.count);
    CHECK(!distrib_flaw_among(w.node, 3, false));
    world_free(&w);
}

TEST(what_was_given_is_known_until_forgotten)
{
    struct world w = row("patch");
    uint32_t at;
    taken(&w, 0, 2, given(&w, 0, 2, 0));
    CHECK(distrib_first(w.node[0], 0, &at) == 2, "straight to where it went");
    CHECK(distrib_first(w.node[1], 0, &at) == 0, "by the formula, and from there");
    CHECK(distrib_onward(w.node[0], 0, &at) == 2);
    CHECK(distrib_epoch(w.node[2], 0) == 1 && distrib_epoch(w.node[2], 4) == 0);
    distrib_learn(w.node[1], 0, 2, 1);
    distrib_learn(w.node[1], 0, 0, 0);
    CHECK(distrib_first(w.node[1], 0, &at) == 2, "an answer that comes late does not count");
    uint64_t bytes = distrib_bytes(w.node[0]);
    distrib_forget(w.node[0]);
    CHECK(distrib_bytes(w.node[0]) < bytes);
    CHECK(distrib_first(w.node[0], 0, &at) == 2, "it lies beside cell 1");
    for (int i = 0; i < 3; i++) {
        CHECK(distrib_founded(w.node[i], 0) == (i == 0), "that does not move");
        CHECK(distrib_bounds(w.node[i]).lo.at[0] == 2 * i);
    }
    world_free(&w);
}

TEST(a_rope_gives_its_ends_only)
{
    struct world w = row("rope");
    struct buf parcel = {0};
    uint32_t both[] = {2, 3}, twice[] = {2, 2}, foreign[] = {1, 2};
    CHECK(distrib_give(w.node[1], 0, both + 1, 1, &parcel) == E_PROTOCOL, "the wrong end");
    CHECK(distrib_give(w.node[1], 2, both, 1, &parcel) == E_PROTOCOL, "the wrong end");
    CHECK(distrib_give(w.node[0], 2, both, 1, &parcel) == E_PROTOCOL, "no neighbour");
    CHECK(distrib_give(w.node[1], 0, twice, 2, &parcel) == E_PROTOCOL);
    CHECK(distrib_give(w.node[1], 0, foreign, 2, &parcel) == E_PROTOCOL);
    CHECK(!parcel.size && distrib_count(w.node[1]) == 2);
    CHECK(distrib_give(w.node[1], 2, both, 2, &parcel) == OK && !distrib_count(w.node[1]));
    CHECK(distrib_take(w.node[2], 1, parcel.data, parcel.size, note, NULL) == OK);
    CHECK(distrib_take(w.node[2], 1, parcel.data, parcel.size, note, NULL) == E_PROTOCOL, "again");
    CHECK(distrib_count(w.node[2]) == 4 && distrib_epoch(w.node[2], 2) == 1);
    CHECK(world_walk(&w, 0, 2, false) == 2, "through an empty segment");
    buf_fini(&parcel);
    world_free(&w);
}

TEST(formulas_do_not_move)
{
    struct world w = row("cyclic");
    CHECK(!distrib_moves(w.node[0]));
    CHECK(distrib_take(w.node[0], 1, "", 0, note, NULL) == E_PROTOCOL);
    CHECK(distrib_hear(w.node[0], "", 0, note, NULL) == E_PROTOCOL);
    world_free(&w);
    w = row("rope");
    CHECK(distrib_moves(w.node[0]));
    CHECK(distrib_hear(w.node[0], "", 0, note, NULL) == E_PROTOCOL, "a rope has no news");
    world_free(&w);
}

/* Parcels and news with some bytes changed, cut, or made up: taken or refused, and never something
 * that is wrong in itself. */
TEST(malformed_messages_are_refused)
{
    struct rng r = rng_of(1);
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
        struct world w = row(i % 5 ? "patch" : "rope");
        struct told told = {0};
        struct buf parcel = given(&w, 1, 2, 3);
        size_t size = parcel.size;
        if (i % 2) size = rng_below(&r, size + 1);
        uint64_t changes = rng_below(&r, 4);
        for (uint64_t k = 0; k < changes; k++)
            parcel.data[rng_below(&r, parcel.size)] = (char)(rng_below(&r, 8) - 2);
        enum err e = distrib_take(w.node[2], 1, parcel.data, size, note, &told);
        CHECK(e == OK || e == E_FORMAT || e == E_PROTOCOL, "%s", err_text(e));
        enum err h = distrib_hear(w.node[2], parcel.data, size, note, &told);
        CHECK(h == OK || h == E_FORMAT || h == E_PROTOCOL, "%s", err_text(h));
        refused += e != OK;
        buf_fini(&parcel);
        world_free(&w);
    }
    CHECK(refused > 1000, "only %d were refused", refused);
}

TEST(a_cell_twice_in_a_parcel_is_refused)
{
    struct world w = row("patch");
    struct buf parcel = given(&w, 1, 2, 3), twice = {0};
    buf_add(&twice, parcel.data, parcel.size);
    buf_add(&twice, parcel.data, parcel.size);
    CHECK(distrib_take(w.node[2], 1, twice.data, twice.size, note, NULL) == E_FORMAT);
    CHECK(distrib_count(w.node[2]) == 2 && !distrib_flaw(w.node[2], true));
    buf_fini(&parcel);
    buf_fini(&twice);
    world_free(&w);
}

/* What is planned on copies happens to the copies alone. */
TEST(copies_are_apart)
{
    for (int rope = 0; rope < 2; rope++) {
        struct world w = row(rope ? "rope" : "patch"), plan = w;
        taken(&w, 1, 2, given(&w, 1, 2, 3));
        plan.node = calloc(3, sizeof *plan.node);
        for (int i = 0; i < 3; i++) CHECK(distrib_copy(&plan.node[i], w.node[i]) == OK);
        CHECK(!distrib_flaw_among(plan.node, 3, true));
        taken(&plan, 2, 1, given(&plan, 2, 1, 3));
        taken(&plan, 1, 0, given(&plan, 1, 0, 2));
        CHECK(!distrib_flaw_among(w.node, 3, true) && !distrib_flaw_among(plan.node, 3, false));
        CHECK(world_owner(&w, 2) == 1 && world_owner(&w, 3) == 2);
        CHECK(world_owner(&plan, 2) == 0 && world_owner(&plan, 3) == 1);
        CHECK(distrib_founded(plan.node[1], 3) && distrib_bounds(plan.node[1]).lo.at[0] == 2);
        world_free(&plan);
        struct distrib *copy = NULL;
        enum err e = E_NOMEM;
        for (long n = 0; e == E_NOMEM; n++) {
            mem_fail_after(n);
            e = distrib_copy(&copy, w.node[1]);
            mem_fail_after(-1);
            CHECK((e == OK) == (copy != NULL) && n < 20);
        }
        distrib_free(copy);
        world_free(&w);
    }
}

/* Each allocation of a transfer fails in turn; whoever fails is as before. */
TEST(out_of_memory_changes_nothing)
{
    for (long n = 0, done = 0; !done; n++) {
        struct world w = row("patch");
        struct buf parcel = {0};
        struct told told = {0};
        uint32_t cells[] = {2, 3};
        mem_fail_after(n);
        enum err e = distrib_give(w.node[1], 2, cells, 2, &parcel);
        uint32_t left = distrib_count(w.node[1]);
        enum err t = e;
        if (e == OK) t = distrib_take(w.node[2], 1, parcel.data, parcel.size, note, &told);
        mem_fail_after(-1);
        CHECK(e == OK ? left == 0 : e == E_NOMEM && left == 2, "give, %ld", n);
        CHECK(t == OK || (t == E_NOMEM && distrib_count(w.node[2]) == 2), "take, %ld", n);
        CHECK(!distrib_flaw(w.node[1], false) && !distrib_flaw(w.node[2], false));
        done = t == OK;
        buf_fini(&parcel);
        world_free(&w);
    }
}

TEST_MAIN(T(cells_of_a_patch_move_about), T(borders_of_a_rope_slide),
          T(a_walk_waits_for_a_cell_on_its_way),
          T(a_walk_waits_at_a_node_that_has_only_farther_cells), T(the_newest_belief_is_followed),
          T(news_goes_after_its_cell), T(what_was_given_is_known_until_forgotten),
          T(a_rope_gives_its_ends_only), T(formulas_do_not_move), T(malformed_messages_are_refused),
          T(a_cell_twice_in_a_parcel_is_refused), T(copies_are_apart),
          T(out_of_memory_changes_nothing))
