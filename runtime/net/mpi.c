/* mpi.c - nodes that are MPI ranks: what a node asks for (mpi_parts.h has the picture). */
#include "mpi_parts.h"

#include "runtime/base/clock.h"
#include "runtime/base/exit.h"
#include "runtime/base/joined.h"
#include "runtime/base/manager.h"
#include "runtime/net/mpi_leave.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- during the run ---- */

static struct packet *
mpi_poll(struct transport *t)
{
    struct mpi *m = (struct mpi *)t;
    if (atomic_flag_test_and_set_explicit(&m->inside, memory_order_acquire)) return NULL;
    mpi_send_waiting(m);
    mpi_receive_batches(m);
    if (m->from) mpi_receive_large(m);
    if (m->sendings) mpi_send_reap(m);
    if (m->nnear) m->host->block_tidy();
    atomic_flag_clear_explicit(&m->inside, memory_order_release);
    struct packet *p = m->arrived;
    m->arrived = m->arrived_last = NULL;
    return p;
}

static void
mpi_flush(struct transport *t)
{
    struct mpi *m = (struct mpi *)t;
    if (atomic_flag_test_and_set_explicit(&m->inside, memory_order_acquire)) return;
    mpi_send_waiting(m);
    mpi_send_reap(m);
    atomic_flag_clear_explicit(&m->inside, memory_order_release);
}

static int
mpi_pending(struct transport *t)
{
    struct mpi *m = (struct mpi *)t;
    return atomic_load_explicit(&m->coming, memory_order_relaxed) ||
           atomic_load_explicit(&m->outbox, memory_order_relaxed) != NULL;
}

static uint64_t
mpi_now_ns(struct transport *t)
{
    (void)t;
    return clock_ns();
}

/* The endpoint lives as long as the process: MPI may still write into its buffers. */
static void
mpi_free(struct transport *t)
{
    (void)t;
}

/* ---- opening ---- */

static const struct transport_ops mpi_ops = {.send = mpi_send,
                                             .poll = mpi_poll,
                                             .pending = mpi_pending,
                                             .flush = mpi_flush,
                                             .now_ns = mpi_now_ns,
                                             .free = mpi_free};

static struct transport *
mpi_new(const struct transport_host *host, int rank, int size)
{
    struct mpi *m = calloc(1, sizeof *m);
    if (!m) host->fail("out of memory for messages");
    m->host = host;
    atomic_flag_clear(&m->inside);
    m->sendings_end = &m->sendings;
    m->base = (struct transport){.ops = &mpi_ops, .node = rank, .nodes = size,
                                 .host_nodes = 1, .must_poll = true};
    for (int i = 0; i < RECEIVES; i++) {
        m->receive[i] = mpi_need(m, malloc(BATCH_BYTES));
        mpi_receive_post(m, i);
    }
    return &m->base;
}

static struct transport *
mpi_open(const struct transport_host *host, const char **why, int *code)
{
    int level, rank, size, here = mpi_env_number("MPI_LOCALNRANKS");
    *code = EXIT_USAGE;
    if ((*why = manager_has_gone() ? MANAGER_HAS_GONE : NULL)) return NULL;
    *code = EXIT_SYSTEM;
    if ((*why = mpi_no_shared_memory(here))) return NULL;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) ||
        level < MPI_THREAD_SERIALIZED) {
        *why = "MPI does not offer MPI_THREAD_SERIALIZED";
        return NULL;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *code = EXIT_USAGE;
    if ((*why = mpi_wrong_launcher(size))) return NULL;
    if ((*why = mpi_others_differ(JOINED_TO_RUN))) {
        mpi_leave(EXIT_USAGE, NULL, NULL);
        return NULL;
    }
    mpi_connect_pairs(rank, size);
    struct transport *t = mpi_new(host, rank, size);
    mpi_open_commons((struct mpi *)t);
    return t;
}

/* ---- before and after the run ---- */

/* The first barrier wakes all; from the second, without naps, they leave together. */
static void
mpi_meet(struct transport *t)
{
    (void)t;
    MPI_Request r;
    MPI_Ibarrier(MPI_COMM_WORLD, &r);
    mpi_await(&r, FOR_EVER);
    MPI_Ibarrier(MPI_COMM_WORLD, &r);
    for (int done = 0; !done; sched_yield()) MPI_Test(&r, &done, MPI_STATUS_IGNORE);
}

enum { PIECE = 1 << 30 }; /* what one broadcast takes */

static void
mpi_bcast(struct transport *t, void *bytes, size_t size)
{
    mpi_send_waiting((struct mpi *)t); /* the last messages of the run; waiting moves them */
    for (size_t at = 0; at < size; at += PIECE) {
        size_t n = size - at < PIECE ? size - at : PIECE;
        MPI_Request r;
        MPI_Ibcast((char *)bytes + at, (int)n, MPI_BYTE, 0, MPI_COMM_WORLD, &r);
        mpi_await(&r, FOR_EVER);
    }
}

static void
mpi_sum(struct transport *t, uint64_t *v, size_t n)
{
    struct mpi *m = (struct mpi *)t;
    if (!n) return;
    mpi_send_waiting(m);
    uint64_t *all = mpi_need(m, malloc(n * sizeof *all));
    MPI_Request r;
    MPI_Ireduce(v, all, (int)n, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD, &r);
    mpi_await(&r, FOR_EVER);
    if (!t->node) memcpy(v, all, n * sizeof *all);
    free(all);
}

static char *
mpi_gather(struct transport *t, const void *bytes, size_t size, size_t *total)
{
    struct mpi *m = (struct mpi *)t;
    int mine = (int)size, sum = 0, *sizes = NULL, *starts = NULL;
    char *all = NULL;
    mpi_send_waiting(m);
    if (!t->node) {
        sizes = mpi_need(m, calloc((size_t)t->nodes, sizeof *sizes));
        starts = mpi_need(m, calloc((size_t)t->nodes, sizeof *starts));
    }
    MPI_Request r;
    MPI_Igather(&mine, 1, MPI_INT, sizes, 1, MPI_INT, 0, MPI_COMM_WORLD, &r);
    mpi_await(&r, FOR_EVER);
    for (int i = 0; sizes && i < t->nodes; i++) {
        starts[i] = sum;
        if (__builtin_add_overflow(sum, sizes[i], &sum))
            m->host->fail("too much to gather at rank 0");
    }
    if (sizes) all = mpi_need(m, malloc((size_t)sum + 1));
    MPI_Igatherv(bytes, mine, MPI_BYTE, all, sizes, starts, MPI_BYTE, 0, MPI_COMM_WORLD, &r);
    mpi_await(&r, FOR_EVER);
    free(sizes);
    free(starts);
    *total = (size_t)sum;
    return all;
}

/* True when all others have left with this code. Not those whose functions take longer than two
 * seconds. */
static bool
all_leave(struct mpi *m, int code)
{
    double end = MPI_Wtime() + 2;
    for (int n = 0; atomic_flag_test_and_set(&m->inside); n++) {
        if (n > 2000) return false; /* another thread of ours will not come out, or we are it */
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
    for (int i = 0; i < m->base.nodes; i++)
        if (i != m->base.node) mpi_send_word(m, i, KIND_LEAVE, code);
    while (m->left < m->base.nodes - 1 && MPI_Wtime() < end) {
        mpi_receive_batches(m);
        mpi_send_reap(m);
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
    return m->left >= m->base.nodes - 1;
}

static void
mpi_abort(struct transport *t, int code)
{
    if (manager_is_srun() && all_leave((struct mpi *)t, code)) return;
    MPI_Abort(MPI_COMM_WORLD, code);
}

static void
flush_all(struct mpi *m)
{
    double end = MPI_Wtime() + 5;
    for (int n = 0; (m->sendings || atomic_load(&m->outbox)) && MPI_Wtime() < end; n++) {
        mpi_send_waiting(m);
        mpi_send_reap(m);
        if (n > 64) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
}

static void
cancel_receives(void *who)
{
    struct mpi *m = who;
    for (int i = 0; i < RECEIVES; i++) {
        MPI_Cancel(&m->receive_request[i]);
        MPI_Request_free(&m->receive_request[i]);
    }
}

static void
mpi_close(struct transport *t, int code)
{
    flush_all((struct mpi *)t);
    mpi_leave(code, cancel_receives, t);
}

__attribute__((visibility("default")))
const struct transport_mpi luna_transport_mpi = {.version = LUNA_VERSION,
                                                 .open = mpi_open,
                                                 .meet = mpi_meet,
                                                 .bcast = mpi_bcast,
                                                 .sum = mpi_sum,
                                                 .gather = mpi_gather,
                                                 .clock_ask = mpi_clock_ask,
                                                 .clock_tell = mpi_clock_tell,
                                                 .abort = mpi_abort,
                                                 .close = mpi_close};
