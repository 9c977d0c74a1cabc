/* setup.c - members become a group: coll_new and coll_free. */
#include "collectives/group/group.h"

#include "collectives/group/meet.h"
#include "collectives/group/shape.h"
#include "runtime/base/mem.h"
#include "runtime/base/spin.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum {
    NEAR = 16,      /* cells of a set for broadcasts: 64 KiB. Slices use all, to meet less often;
                     * and all do where members share cores */
    SLOTS = 4,      /* with the user's buffers they stay in the nearest cache, even a shared one */
    TIMEOUT_MS = 60000,
    NAME_MAX_BYTES = 70 /* with ours before it, in the address of a socket */
};

struct status {
    enum err e;
    char why[COLL_WHY];
};

/* The three things members tell each other: who they are, what they have mapped, how it went. */
struct hello {
    struct status status;
    struct shape shape;
    struct meet_host host;
    uint64_t process, page;
    char socket[MEET_NAME];
};
struct mapped {
    struct status status;
    struct segment *segment;
};
struct settled {
    struct status status;
    int node;
    struct numa_cores cpus;
};

/* A group in the making. */
struct making {
    const struct coll_setup *setup;
    int (*exchange)(void *who, const void *mine, void *all, size_t bytes);
    void *who;
    struct meet *meet;
    struct shape shape;
    int fd, listener; /* rank 0; else -1 */
    struct status status;
    /* Of all members. Made before the first exchange: who fails later can still say so. */
    struct hello *hello;
    struct mapped *mapped;
    struct settled *settled;
    int *node;
    struct numa_cores *cpus;
};

static enum err
fail(struct status *s, enum err e, const char *why)
{
    s->e = e;
    if (why) snprintf(s->why, sizeof s->why, "%s", why);
    return e;
}

/* A process is known by a number of its own: pids of two containers may be the same. */
static uint64_t
this_process(void)
{
    static _Atomic uint64_t number;
    static _Atomic int owner;
    if (atomic_load(&owner) == getpid()) return atomic_load(&number);
    uint64_t fresh = 0;
    if (getrandom(&fresh, sizeof fresh, 0) != sizeof fresh)
        fresh = (uint64_t)getpid() << 32 ^ (uint64_t)time(NULL);
    /* Threads may come here together; one of their numbers stays. In a child of fork the old one
     * is replaced. */
    static _Atomic int lock;
    while (atomic_exchange(&lock, 1)) spin_relax();
    if (atomic_load(&owner) != getpid()) {
        atomic_store(&number, fresh);
        atomic_store(&owner, getpid());
    }
    atomic_store(&lock, 0);
    return atomic_load(&number);
}

/* Everybody's status has come: the first that failed speaks for all. */
static enum err
agree(struct making *m, const struct status *all, size_t stride)
{
    for (int i = 0; i < m->setup->size; i++) {
        const struct status *s = (const void *)((const char *)all + (size_t)i * stride);
        if (s->e) return fail(&m->status, s->e, s->why);
    }
    return OK;
}

static enum err
lost(struct making *m)
{
    return fail(&m->status, E_SYSTEM, "the members could not exchange their data");
}

/* Rank 0, before the first exchange: the file, and a socket where it is to be had. */
static enum err
make_file(struct making *m, struct segment_layout *l, struct hello *h)
{
    const struct shape *a = &m->shape;
    h->page = segment_page(m->setup->folder);
    if (a->cells > CELLS_MAX ||
        !layout_init(l, (enum coll_layout)a->layout, (int)a->size, (size_t)a->cell, (int)a->cells,
                     (int)a->sets, h->page))
        return fail(&m->status, E_USER,
                    "the queues are too large: fewer fragments, or smaller ones");
    m->fd = segment_make(l->total, m->setup->folder, m->status.why);
    if (m->fd < 0) return m->status.e = E_NOMEM;
    m->listener = meet_listen(h->socket);
    if (m->listener < 0) return fail(&m->status, E_SYSTEM, "cannot make a socket");
    return OK;
}

/* Everybody's hello has come: can they be a group? */
static enum err
fit_together(struct making *m, const struct hello *all)
{
    enum err e = agree(m, &all->status, sizeof *all);
    for (int i = 1; !e && i < m->setup->size; i++) {
        if (!meet_same_host(&all[i].host, &all[0].host)) {
            snprintf(m->status.why, COLL_WHY, "ranks %d and 0 are on different hosts, or in "
                     "different networks of one", i);
            e = E_USER;
        } else if (shape_differs(&all[i].shape, &all[0].shape, i, m->status.why)) {
            e = E_USER;
        }
    }
    return m->status.e = e;
}

static enum err
say_hello(struct making *m, struct segment_layout *l)
{
    struct hello *all = m->hello, mine = {.process = this_process(), .shape = m->shape,
                                          .host = meet_here()};
    if (shape_wrong(m->setup, m->status.why)) m->status.e = E_USER;
    else if (m->setup->rank == 0 && !m->status.e) make_file(m, l, &mine);
    mine.status = m->status;
    if (m->exchange(m->who, &mine, all, sizeof mine)) return lost(m);
    enum err e = fit_together(m, all);
    if (e) return e;
    layout_init(l, (enum coll_layout)m->shape.layout, m->setup->size, (size_t)m->shape.cell,
                (int)m->shape.cells, (int)m->shape.sets, all[0].page);
    return OK;
}

/* The lowest rank in the process of `rank`: it maps the segment for all of them. */
static int
mapper_of(const struct hello *all, int rank)
{
    int i = 0;
    while (all[i].process != all[rank].process) i++;
    return i;
}

static struct segment *
map_here(struct making *m, const struct segment_layout *l, const struct hello *all)
{
    int timeout = m->setup->timeout_ms ? m->setup->timeout_ms : TIMEOUT_MS, guests = 0;
    int fd = m->fd;
    for (int i = 1; i < m->setup->size; i++) guests += mapper_of(all, i) == i;
    if (m->setup->rank && (fd = meet_fetch(all[0].socket, timeout)) < 0) {
        fail(&m->status, E_SYSTEM, "the segment could not be fetched from rank 0");
        return NULL;
    }
    if (m->setup->rank == 0 && !meet_hand_out(m->listener, guests, fd, timeout)) {
        fail(&m->status, E_SYSTEM, "not all members have fetched the segment");
        return NULL;
    }
    m->fd = -1; /* the segment's now */
    struct segment *s = segment_map(fd, l->total, l->page, m->status.why);
    if (!s) m->status.e = E_NOMEM;
    return s;
}

static enum err
share_mapping(struct making *m, struct coll *g)
{
    struct mapped mine = {.segment = NULL};
    int mapper = mapper_of(m->hello, g->rank);
    if (mapper == g->rank) mine.segment = g->segment = map_here(m, &g->layout, m->hello);
    mine.status = m->status;
    if (m->exchange(m->who, &mine, m->mapped, sizeof mine)) return lost(m);
    if (mapper != g->rank && (g->segment = m->mapped[mapper].segment))
        atomic_fetch_add(&g->segment->users, 1);
    return agree(m, &m->mapped->status, sizeof *m->mapped);
}

/* A thread of another process dies with it; those of this one would be noticed. */
static void
note_aliens(struct coll *g, const struct hello *all)
{
    char *alien = (char *)g->alien;
    for (int i = 0; i < g->size; i++) alien[i] = all[i].process != all[g->rank].process;
}

static void
publish_cpus(struct coll *g, const struct numa_cores *cpus)
{
    for (int w = 0; w < CPU_WORDS; w++)
        atomic_store_explicit(&g->self->cpus[w], cpus->word[w], memory_order_relaxed);
}

/* This member's pages, on its node. */
static enum err
settle(struct making *m, struct coll *g, const struct numa_cores *cpus)
{
    const struct segment_layout *l = &g->layout;
    struct status *s = &m->status;
    size_t place = l->first + (size_t)g->rank * l->stride;
    enum err e = OK;
    if (!g->rank) e = segment_settle(g->segment, 0, l->first, m->setup->folder, s->why);
    if (!e) e = segment_settle(g->segment, place, l->stride, m->setup->folder, s->why);
    if (e) return s->e = e;
    if (!segment_sign(g->segment, g->rank))
        return fail(s, E_SYSTEM, "cannot lock the segment's file");
    publish_cpus(g, cpus);
    atomic_store(&g->self->cpu, -1);
    const struct numa *here = numa_here();
    g->about.node = numa_node(here, cpus);
    g->about.pages = l->stride / l->page;
    if (g->about.node >= 0)
        g->about.pages_elsewhere =
            segment_elsewhere(g->segment, place, l->stride, here->os_number[g->about.node]);
    return OK;
}

static enum err
all_settled(struct making *m, struct coll *g)
{
    struct numa_cores cpus = numa_thread();
    settle(m, g, &cpus);
    struct settled mine = {m->status, g->about.node, cpus};
    if (m->exchange(m->who, &mine, m->settled, sizeof mine)) return lost(m);
    enum err e = agree(m, &m->settled->status, sizeof *m->settled);
    if (e) return e;
    for (int i = 0; i < g->size; i++) {
        m->node[i] = m->settled[i].node;
        m->cpus[i] = m->settled[i].cpus;
    }
    /* From what all have told, not from the words of the members: those change. */
    g->crowded = numa_crowded(m->cpus, g->size);
    g->about.nodes = numa_leaders(m->node, g->size, g->leaders);
    return OK;
}

static bool
is_crowded(const struct coll *g)
{
    struct numa_cores *cpus = mem_alloc((size_t)g->size * sizeof *cpus);
    if (!cpus) return true; /* the safe side */
    for (int i = 0; i < g->size; i++)
        for (int w = 0; w < CPU_WORDS; w++)
            cpus[i].word[w] =
                atomic_load_explicit(&group_member_at(g, i)->cpus[w], memory_order_relaxed);
    bool crowded = numa_crowded(cpus, g->size);
    mem_free(cpus);
    return crowded;
}

/* Called by who sleeps: one member a time, so that hundreds who wait do not ask all at once. */
static void
look_around(void *who)
{
    struct coll *g = who;
    struct numa_cores cpus = numa_thread();
    publish_cpus(g, &cpus);
    atomic_store_explicit(&g->head->crowded, is_crowded(g), memory_order_relaxed);
    uint64_t wrong = g->wrong ? atomic_load(g->wrong) : 0;
    if (g->wrong && wrong >= g->wrong_least && wrong <= g->wrong_most)
        wait_break(&g->waiter, E_PROTOCOL);
    for (int i = 0; i < g->size && i < 8; i++) {
        int r = g->look_at = (g->look_at + 1) % g->size;
        if (!g->alien[r] || atomic_load(&group_member_at(g, r)->gone)) continue;
        if (!segment_lives(g->segment, r) && !atomic_load(&group_member_at(g, r)->gone))
            wait_break(&g->waiter, E_BROKEN);
    }
}

/* Memory that depends on the number of members. */
static enum err
make_room(struct coll *g, const struct shape *a)
{
    size_t n = (size_t)g->size;
    g->kin = mem_zalloc(n, sizeof *g->kin);
    g->operands = mem_alloc(n * sizeof *g->operands);
    g->leaders = mem_alloc(n * sizeof *g->leaders);
    g->alien = mem_zalloc(n, 1);
    g->set_step = mem_zalloc((size_t)a->sets, sizeof *g->set_step);
    return g->kin && g->operands && g->leaders && g->alien && g->set_step ? OK : E_NOMEM;
}

static enum err
make_lists(struct making *m)
{
    size_t n = (size_t)m->setup->size;
    m->hello = mem_zalloc(n, sizeof *m->hello);
    m->mapped = mem_zalloc(n, sizeof *m->mapped);
    m->settled = mem_zalloc(n, sizeof *m->settled);
    m->node = mem_alloc(n * sizeof *m->node);
    m->cpus = mem_alloc(n * sizeof *m->cpus);
    return m->hello && m->mapped && m->settled && m->node && m->cpus ? OK : E_NOMEM;
}

/* Once the segment is mapped here: where things are. */
static void
find_places(struct coll *g, const struct shape *a, const struct coll_setup *s)
{
    g->head = (struct head *)g->segment->base;
    g->base = g->segment->base + g->layout.first;
    g->self = group_member_at(g, g->rank);
    g->waiter = (struct wait_member){.head = g->head, .self = g->self,
                                     .first = group_member_at(g, 0),
                                     .stride = g->layout.stride, .size = g->size,
                                     .look = look_around, .who = g,
                                     .progress = s->progress, .of = s->of};
    g->step = 1;
    g->fragment = (size_t)a->fragment;
    g->tree = (enum coll_tree)a->tree;
    g->fan_out = (int)a->fan_out;
    g->around_from = copy_around_from();
}

/* Few, to be near; but before one is used again its writer has looked at all others, at no more
 * than one a call. And where members take turns on a core, a turn should bring a writer far: its
 * wait for the readers of a slot or a set costs each of them a turn. */
static unsigned
slots_of(const struct coll *g)
{
    unsigned n = SLOTS;
    while (n < RING && (g->crowded || n < (unsigned)g->size)) n *= 2;
    return n;
}

static int
near_of(const struct coll *g)
{
    int per_set = g->layout.cells / g->layout.sets;
    return g->fragment || g->crowded || per_set < NEAR ? per_set : NEAR;
}

static void
know_about(struct coll *g)
{
    struct coll_about *a = &g->about;
    a->crowded = g->crowded;
    atomic_store(&g->head->crowded, g->crowded);
    g->slots = slots_of(g);
    g->near = near_of(g);
    a->segment_bytes = g->layout.total;
    a->fragment_bytes = g->fragment;
    a->fragments = g->layout.cells;
    a->sets = g->layout.sets;
    a->queue_bytes = g->layout.cell * (size_t)g->layout.cells;
    if (a->nodes > 1) return;
    mem_free(g->leaders);
    g->leaders = NULL;
}

static enum err
make_group(struct making *m, struct coll *g)
{
    enum err e = make_lists(m);
    if (e) return e;
    if (make_room(g, &m->shape)) fail(&m->status, E_NOMEM, err_text(E_NOMEM));
    if ((e = say_hello(m, &g->layout))) return e;
    note_aliens(g, m->hello);
    if ((e = share_mapping(m, g))) return e;
    find_places(g, &m->shape, m->setup);
    if ((e = all_settled(m, g))) return e;
    know_about(g);
    copier_init(&g->copier, m->setup->copying, group_cell_at(g, g->rank, 0), g->about.queue_bytes);
    return OK;
}

/* Alone: nothing is shared, and no operation looks at more than the size. */
static enum err
make_alone(struct coll *g)
{
    g->about = (struct coll_about){.nodes = 1, .node = -1, .sets = 1};
    return OK;
}

static enum err
find_others(struct making *m)
{
    const struct coll_setup *s = m->setup;
    if (s->exchange) {
        m->exchange = s->exchange;
        m->who = s->who;
        return OK;
    }
    if (!s->name) return fail(&m->status, E_USER, "neither a name nor an exchange function");
    if (strlen(s->name) > NAME_MAX_BYTES) {
        snprintf(m->status.why, COLL_WHY, "name: at most %d characters, not %zu", NAME_MAX_BYTES,
                 strlen(s->name));
        return m->status.e = E_USER;
    }
    int timeout = s->timeout_ms ? s->timeout_ms : TIMEOUT_MS;
    enum err e = meet_new(&m->meet, s->name, s->rank, s->size, timeout, m->status.why);
    m->exchange = meet_exchange;
    m->who = m->meet;
    return m->status.e = e;
}

enum err
coll_new(struct coll **out, const struct coll_setup *s, char why[COLL_WHY])
{
    struct making m = {.setup = s, .fd = -1, .listener = -1};
    struct coll *g = mem_zalloc(1, sizeof *g);
    enum err e = E_NOMEM;
    if (!g) goto done;
    e = E_USER;
    if (shape_wrong_place(s, m.status.why)) goto done;
    g->rank = s->rank;
    g->size = s->size;
    bool is_wrong = shape_wrong(s, m.status.why); /* who is not alone tells the others so */
    if (!is_wrong) m.shape = shape_of(s);
    if (g->size == 1) e = is_wrong ? E_USER : make_alone(g);
    else if (!(e = find_others(&m))) e = make_group(&m, g);
done:
    if (m.listener >= 0) close(m.listener);
    if (m.fd >= 0) close(m.fd);
    meet_free(m.meet);
    mem_free(m.hello);
    mem_free(m.mapped);
    mem_free(m.settled);
    mem_free(m.node);
    mem_free(m.cpus);
    if (why) snprintf(why, COLL_WHY, "%s", *m.status.why || !e ? m.status.why : err_text(e));
    if (e) coll_free(g);
    else *out = g;
    return e;
}

void
coll_free(struct coll *g)
{
    if (!g) return;
    if (g->self && group_is_here(g)) atomic_store(&g->self->gone, 1);
    for (int i = 0; g->kin && i < g->size; i++) mem_free(g->kin[i]);
    mem_free(g->kin);
    mem_free((void *)g->operands);
    mem_free(g->leaders);
    mem_free((void *)g->alien);
    mem_free(g->set_step);
    segment_leave(g->segment);
    mem_free(g);
}
