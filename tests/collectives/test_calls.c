/* test_calls.c - every operation over sizes around the borders of lines, cells, pages, sets and
 * queues, all roots, 1 to 17 members, as threads and as processes, against a plain reference; and
 * random calls one behind the other.
 *
 *     test_calls                  all tests
 *     test_calls random N SEED    N random calls in each setup */
#include "tests/collectives/calls.h"
#include "tests/lib/check.h"

static const struct coll_setup setups[] = {
    {.layout = COLL_LINES},
    {.fragment_bytes = 256, .fragments = 4, .sets = 2, .tree = COLL_KNOMIAL, .fan_out = 3},
    {.fragment_bytes = 100, .fragments = 3, .sets = 3, .tree = COLL_CHAIN},
    {.fragment_bytes = 5000, .fragments = 8, .sets = 4, .tree = COLL_FLAT, .layout = COLL_PAGES,
     .copying = COLL_COPY_AROUND},
    {.message_max = 1 << 20, .tree = COLL_KNOMIAL, .copying = COLL_COPY_AROUND},
    {.fragment_bytes = 64, .fragments = 2, .sets = 1, .tree = COLL_KARY, .fan_out = 4},
};
enum { SETUPS = sizeof setups / sizeof *setups };

/* Sizes around the borders: of a line's payload, halves and slot, f, s f / q, s f, pages, and of
 * what uses whole sets. */
static const size_t borders[] = {1,    8,    56,   64,   100,   256,   300,   1024,   1536,
                                 2048, 4096, 5000, 8192, 16384, 65536, 262144, 524288, 1 << 20};
enum { BORDERS = sizeof borders / sizeof *borders, BYTES_MAX = (1 << 20) + 64 };

struct plan {
    uint64_t seed;
    long calls;
    size_t bytes_max;
};

static int
each_size(struct coll *g, void *arg)
{
    const struct plan *plan = arg;
    struct room m = room_new(BYTES_MAX);
    struct call c = {.number = 0};
    int faults = 0;
    for (int b = 0; b < BORDERS && !faults; b++)
        for (int d = -1; d <= 1 && !faults; d++) {
            size_t bytes = borders[b] + (size_t)d;
            if (bytes > plan->bytes_max) continue;
            for (int kind = BARRIER; kind <= ALLREDUCE && !faults; kind++) {
                c.number++;
                c.kind = (enum call_kind)kind;
                c.root = (int)(c.number % (unsigned)coll_size(g));
                c.bytes = bytes;
                c.type = (enum coll_type)(c.number % COLL_TYPES);
                c.count = bytes / coll_type_bytes(c.type) + (d > 0);
                c.op = COLL_SUM;
                c.in_place = c.number / 4 % 2;
                faults = call_make(g, &c, &m);
            }
        }
    room_free(&m);
    return faults;
}

/* Twice each root, in small messages: parents change from call to call. */
static int
each_root(struct coll *g, void *arg)
{
    struct room m = room_new(4096);
    struct call c = {.type = COLL_DOUBLE};
    int faults = 0;
    (void)arg;
    for (int i = 0; i < 2 * coll_size(g) && !faults; i++)
        for (size_t bytes = 8; bytes <= 1000 && !faults; bytes *= 5)
            for (int kind = BCAST; kind <= REDUCE && !faults; kind++) {
                c.number++;
                c.kind = (enum call_kind)kind;
                c.root = i % coll_size(g);
                c.bytes = bytes;
                c.count = bytes / 8;
                faults = call_make(g, &c, &m);
            }
    room_free(&m);
    return faults;
}

static int
random_calls(struct coll *g, void *arg)
{
    const struct plan *plan = arg;
    struct rng r = rng_of(plan->seed);
    struct room m = room_new(BYTES_MAX);
    int faults = 0;
    for (long i = 0; i < plan->calls && !faults; i++) {
        size_t most = rng_below(&r, 20) ? 200 : rng_below(&r, 20) ? 6000 : plan->bytes_max;
        struct call c = {.number = plan->seed * 1000003 + (uint64_t)i};
        c.kind = (enum call_kind)rng_below(&r, CALL_KINDS);
        c.bytes = rng_below(&r, most + 1);
        c.type = (enum coll_type)rng_below(&r, COLL_TYPES);
        c.count = c.bytes / coll_type_bytes(c.type);
        c.op = (enum coll_op[]){COLL_SUM, COLL_MIN, COLL_MAX}[rng_below(&r, 3)];
        c.root = (int)rng_below(&r, (uint64_t)coll_size(g));
        c.in_place = (int)rng_below(&r, 2);
        c.shift = (int)rng_below(&r, 16);
        /* Who is late changes from call to call. */
        if (rng_below(&r, 64) == (uint64_t)coll_rank(g)) usleep(1);
        faults = call_make(g, &c, &m);
    }
    room_free(&m);
    return faults;
}

/* Sanitizers see in any of these calls what is wrong: they get as many as they have time for. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SLOWER = 5, LARGE = 300000 };
#else
enum { SLOWER = 1, LARGE = BYTES_MAX };
#endif

/* A process has one thread here: the thread sanitizer has nothing to see in it. */
static bool
worth_it(enum kind kind)
{
#ifdef __SANITIZE_THREAD__
    return kind == THREADS;
#else
    (void)kind;
    return true;
#endif
}

TEST(all_sizes)
{
    static const unsigned some = 1u << 2 | 1u << 3 | 1u << 5 | 1u << 8 | 1u << 17;
    for (int s = 0; s < SETUPS; s++)
        for (int p = 1; p <= 17; p++) {
            if ((s || SLOWER > 1) && !(some >> p & 1)) continue;
            /* Cells of 100 bytes and 17 members: nothing is learnt by waiting for 64 KiB. */
            struct plan plan = {.bytes_max = s ? 9000 : p > 4 ? 70000 : LARGE};
            enum kind kind = (s + p) % 2 ? THREADS : PROCESSES;
            if (!worth_it(kind)) continue;
            int faults = members_run(kind, p, &setups[s], each_size, &plan);
            CHECK(!faults, "setup %d, %d members, kind %d", s, p, kind);
        }
}

TEST(all_roots)
{
    for (int s = 0; s < SETUPS; s++)
        for (int p = 1; p <= 17; p += SLOWER > 1 && p > 5 ? 4 : 1) {
            enum kind kind = (s + p) % 2 ? THREADS : PROCESSES;
            if (!worth_it(kind)) continue;
            int faults = members_run(kind, p, &setups[s], each_root, NULL);
            CHECK(!faults, "setup %d, %d members", s, p);
        }
}

static int
run_random(long calls, uint64_t seed)
{
    static const int sizes[] = {2, 3, 4, 2, 5, 9};
    for (int s = 0; s < SETUPS; s++)
        for (int kind = THREADS; kind <= PROCESSES; kind++) {
            struct plan plan = {seed + (uint64_t)s, calls, s ? 10000 : 300000};
            if (worth_it((enum kind)kind) &&
                members_run((enum kind)kind, sizes[s], &setups[s], random_calls, &plan)) {
                printf("setup %d, kind %d, seed %llu\n", s, kind, (unsigned long long)plan.seed);
                return 1;
            }
        }
    return 0;
}

TEST(some_random_calls)
{
    CHECK(!run_random(400, 1), "see above");
}

int
main(int argc, char **argv)
{
    static const struct check_test tests[] = {T(all_sizes), T(all_roots), T(some_random_calls)};
    if (argc > 1 && !strcmp(argv[1], "random"))
        return run_random(argc > 2 ? atol(argv[2]) : 1000, argc > 3 ? strtoull(argv[3], 0, 10) : 1);
    return check_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
