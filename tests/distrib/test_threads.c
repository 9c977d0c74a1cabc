/* Workers ask and learn at the same time; each fact that is read was written as a whole. */
#include "tests/distrib/world.h"
#include "tests/lib/check.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, TURNS = 50000 };

struct crew {
    struct distrib *d;
    atomic_int next, torn;
};

/* A cell's owner is always the same, so every answer can be checked. */
static int
owner_of(uint32_t cell)
{
    return (int)(cell * 2654435761u >> 28) % 16;
}

static void *
work(void *who)
{
    struct crew *c = who;
    struct rng r = rng_of((uint64_t)atomic_fetch_add(&c->next, 1));
    for (int i = 0; i < TURNS; i++) {
        uint32_t cell = (uint32_t)rng_below(&r, 4096), at;
        distrib_learn(c->d, cell, owner_of(cell), (uint32_t)rng_below(&r, 3));
        cell = (uint32_t)rng_below(&r, 4096);
        int to = distrib_first(c->d, cell, &at);
        /* Learnt, or else by the formula: rows of 256 cells. */
        if (to != owner_of(cell) && to != (int)(cell / 256)) atomic_fetch_add(&c->torn, 1);
    }
    return NULL;
}

TEST(facts_are_whole)
{
    struct world w = world_new("patch", lattice_of(1, 4096, 0, 0), lattice_of(1, 16, 0, 0), NULL);
    struct crew c = {.d = w.node[0]};
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_create(&t[i], NULL, work, &c));
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    CHECK(!atomic_load(&c.torn), "%d answers were never learnt", atomic_load(&c.torn));
    world_free(&w);
}

TEST_MAIN(T(facts_are_whole))
