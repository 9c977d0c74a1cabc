/* Two transfers at the same time, a third that carries a cell on, and walks, on a lattice small
 * enough to try every order in which things can happen. */
#include "tests/distrib/traffic.h"
#include "tests/lib/check.h"

#include <inttypes.h>

#ifdef NDEBUG
enum { FEW_ORDERS = 5000 };
#else
enum { FEW_ORDERS = 500 };
#endif

enum { STEPS_MAX = 256 };

/* One order: at step i the queue pick[i] out of width[i]. */
struct path {
    int step, pick[STEPS_MAX], width[STEPS_MAX];
};

/* Follows the path, and beyond its end the first queue. */
static int
follow(void *who, int n)
{
    struct path *p = who;
    int i = p->step++;
    if (i >= STEPS_MAX) abort();
    p->width[i] = n;
    return p->pick[i];
}

/* The next path in order, by its last step that has another choice; false: that was the last one.
 */
static bool
next_path(struct path *p)
{
    int i = p->step - 1;
    while (i >= 0 && p->pick[i] + 1 == p->width[i]) i--;
    if (i < 0) return false;
    p->pick[i]++;
    for (int k = i + 1; k < STEPS_MAX; k++) p->pick[k] = 0;
    p->step = 0;
    return true;
}

/* Two transfers, of up to two cells each, and questions; all of it begins at once. The first cell
 * goes on to a third node as soon as it can, or later. */
struct scene {
    int from[2], to[2], onto, asker[2];
    uint32_t n[2], cell[2][2], asked[2];
};

static struct scene
random_scene(const struct world *w, struct rng *r)
{
    struct scene s = {0};
    for (int i = 0; i < 2; i++) {
        uint32_t c = (uint32_t)rng_below(r, lattice_size(&w->cells)), e;
        s.from[i] = world_owner(w, c);
        s.cell[i][s.n[i]++] = c;
        e = lattice_beside(&w->cells, c, (int)rng_below(r, 4));
        if (e != LATTICE_NONE && world_owner(w, e) == s.from[i]) s.cell[i][s.n[i]++] = e;
        do s.to[i] = (int)rng_below(r, (uint64_t)w->n);
        while (s.to[i] == s.from[i]);
        s.asker[i] = (int)rng_below(r, (uint64_t)w->n);
        s.asked[i] = i ? s.cell[0][0] : (uint32_t)rng_below(r, lattice_size(&w->cells));
    }
    do s.onto = (int)rng_below(r, (uint64_t)w->n);
    while (s.onto == s.to[0]);
    return s;
}

static bool
overlap(const struct scene *s)
{
    bool same = false;
    for (uint32_t i = 0; i < s->n[0]; i++)
        for (uint32_t k = 0; k < s->n[1]; k++) same |= s->cell[0][i] == s->cell[1][k];
    return same;
}

static const char *
play(const struct scene *sc, struct lattice cells, struct lattice nodes, struct path *p)
{
    struct traffic s;
    traffic_init(&s, world_new("patch", cells, nodes, NULL), 1);
    s.choose = follow;
    s.who = p;
    for (int i = 0; i < 2; i++) traffic_give(&s, sc->from[i], sc->to[i], sc->cell[i], sc->n[i]);
    for (int i = 0; i < 2; i++) traffic_ask(&s, sc->asker[i], sc->asked[i]);
    for (bool gone = false; !gone && !s.flaw;) {
        bool can = distrib_owns(s.w.node[sc->to[0]], sc->cell[0][0]);
        gone = can && (!s.nbusy || follow(p, 2));
        if (gone)
            traffic_give(&s, sc->to[0], sc->onto, sc->cell[0], 1);
        else
            traffic_deliver(&s);
    }
    const char *flaw = traffic_finish(&s);
    traffic_fini(&s);
    return flaw;
}

/* A number from the environment, or what is enough for every day. */
static uint64_t
number(const char *name, uint64_t few)
{
    const char *n = getenv(name);
    return n ? strtoull(n, NULL, 10) : few;
}

TEST(every_order)
{
    struct lattice cells = lattice_of(2, 4, 4, 0), nodes = lattice_of(2, 2, 2, 0);
    struct world start = world_new("patch", cells, nodes, NULL);
    uint64_t orders = 0, cut = 0, most = number("LUNA_ORDERS", FEW_ORDERS);
    for (uint64_t seed = 1; seed <= number("LUNA_SCENES", 60); seed++) {
        struct rng r = rng_of(seed);
        struct scene sc = random_scene(&start, &r);
        static struct path p;
        uint64_t tried = 0;
        if (overlap(&sc)) continue;
        memset(&p, 0, sizeof p);
        do {
            const char *flaw = play(&sc, cells, nodes, &p);
            CHECK(!flaw, "scene %" PRIu64 ", order %" PRIu64 ": %s", seed, tried, flaw);
            tried++;
        } while (next_path(&p) && tried < most);
        cut += tried == most;
        orders += tried;
    }
    printf("%" PRIu64 " orders, %" PRIu64 " scenes not to the end\n", orders, cut);
    CHECK(orders > 10000, "too few to mean anything");
    world_free(&start);
}

TEST_MAIN(T(every_order))
