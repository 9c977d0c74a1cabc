/* Memory that several processes see: what one lends the others read in place, and give back. */
#include "runtime/base/block.h"
#include "runtime/base/commons.h"
#include "tests/lib/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sched.h>
#include <unistd.h>

enum { RANKS = 3, ROUNDS = 2000, SLOTS = 8, BYTES = 64 << 20, SECONDS = 60 };

#ifdef __SANITIZE_THREAD__
enum { THERE_ARE_NONE = 1 }; /* it has all addresses for itself */
#else
enum { THERE_ARE_NONE = 0 };
#endif

/* What the processes of a test tell each other. */
struct board {
    struct commons_ticket ticket[RANKS];
    _Atomic(int) arrived[4], joined, failed;
    _Atomic(uintptr_t) slot[RANKS][SLOTS]; /* lent to this rank */
    _Atomic(int) left; /* ranks that still lend */
};

static void
meet(struct board *b, int k)
{
    atomic_fetch_add(&b->arrived[k], 1);
    while (atomic_load(&b->arrived[k]) < RANKS) sched_yield();
}

static bool
join_all(struct board *b, int rank, size_t bytes)
{
    b->ticket[rank] = commons_open(rank, bytes);
    meet(b, 0);
    if (commons_join(b->ticket, RANKS)) atomic_fetch_add(&b->joined, 1);
    meet(b, 1);
    commons_decide(atomic_load(&b->joined) == RANKS);
    return commons_on();
}

static size_t
size_of_round(int rank, int round)
{
    return (size_t)(1 + (rank * 7919 + round * 104729) % 600000);
}

/* Whether the block is whole; its first byte says who made it, its last in which round. */
static bool
is_whole(const struct block *b)
{
    unsigned char first = (unsigned char)b->data[0];
    return first < RANKS && (size_t)b->size > 0;
}

static void
read_what_was_lent(struct board *b, int rank)
{
    for (int k = 0; k < SLOTS; k++) {
        uintptr_t p = atomic_exchange(&b->slot[rank][k], 0);
        if (!p) continue;
        struct block *x = block_borrow((struct block *)p);
        if (!x || !is_whole(x)) atomic_fetch_add(&b->failed, 1);
        for (size_t i = 1; x && i < x->size; i++)
            if (x->data[i] != (char)(x->data[0] + 1)) {
                atomic_fetch_add(&b->failed, 1);
                break;
            }
        if (x) block_release(x);
    }
}

/* Lends blocks of all sizes to the others, and reads what they lend. */
static int
lender(struct board *b, int rank)
{
    if (!join_all(b, rank, BYTES)) return 1;
    for (int round = 0; round < ROUNDS; round++) {
        struct block *x = block_new(size_of_round(rank, round));
        memset(x->data, rank + 1, x->size);
        x->data[0] = (char)rank;
        for (int to = 0; to < RANKS; to++) {
            uintptr_t none = 0, lent = to == rank ? 0 : (uintptr_t)block_lend(x);
            if (lent && !atomic_compare_exchange_strong(&b->slot[to][round % SLOTS], &none, lent))
                block_release(block_borrow((struct block *)lent)); /* no place: back at once */
        }
        block_release(x);
        read_what_was_lent(b, rank);
    }
    atomic_fetch_sub(&b->left, 1);
    while (atomic_load(&b->left)) read_what_was_lent(b, rank);
    meet(b, 2);
    read_what_was_lent(b, rank);
    /* What came back is used again: all rounds together took many times as much. */
    bool full = commons_bytes() > BYTES / 2;
    return atomic_load(&b->failed) || full || commons_bytes() < 1 << 20;
}

static struct board *
board_new(void)
{
    int both = PROT_READ | PROT_WRITE;
    struct board *b = mmap(NULL, sizeof *b, both, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED) abort();
    atomic_store(&b->left, RANKS);
    return b;
}

static int
run_ranks(int (*fn)(struct board *b, int rank))
{
    struct board *b = board_new();
    int bad = 0, status;
    for (int r = 0; r < RANKS; r++)
        if (!fork()) {
            alarm(SECONDS); /* who waits for one that is gone */
            _exit(fn(b, r));
        }
    for (int r = 0; r < RANKS; r++) {
        wait(&status);
        bad += !WIFEXITED(status) || WEXITSTATUS(status);
    }
    munmap(b, sizeof *b);
    return bad;
}

TEST(blocks_are_lent_and_come_back)
{
    CHECK(run_ranks(lender) == (THERE_ARE_NONE ? RANKS : 0));
}

/* Without commons a block is not lent, and is what it always was. */
TEST(alone_nothing_is_lent)
{
    struct block *b = block_new(5000);
    CHECK(!commons_on() && !block_lend(b) && !commons_has(b) && block_is_alone(b));
    CHECK(!block_borrow(b));
    block_release(b);
}

static int
limited(struct board *b, int rank)
{
    struct rlimit r = {64ull << 30, 64ull << 30};
    if (rank == 1 && setrlimit(RLIMIT_AS, &r)) return 1;
    return join_all(b, rank, BYTES); /* must be refused everywhere */
}

TEST(one_that_cannot_is_enough)
{
#ifdef __SANITIZE_ADDRESS__
    return; /* it needs more addresses than any limit */
#endif
    CHECK(run_ranks(limited) == 0);
}

/* A stretch that is full: then blocks lie elsewhere, and are sent. */
static int
full(struct board *b, int rank)
{
    if (!join_all(b, rank, 1 << 20)) return 1;
    struct block *x[40];
    int lent = 0;
    for (int i = 0; i < 40; i++) {
        x[i] = block_new(100000);
        struct block *l = x[i] ? block_lend(x[i]) : NULL;
        lent += l != NULL;
        if (l) block_release(block_borrow(l));
    }
    for (int i = 0; i < 40; i++) block_release(x[i]);
    meet(b, 2);
    return lent < 5 || lent > 10;
}

TEST(when_it_is_full)
{
    CHECK(run_ranks(full) == (THERE_ARE_NONE ? RANKS : 0));
}

TEST_MAIN(T(alone_nothing_is_lent), T(blocks_are_lent_and_come_back), T(one_that_cannot_is_enough),
          T(when_it_is_full))
