/* mpi.c - nodes that are MPI ranks; an object of its own, luna_mpi.so.
 *
 * MPI is used at the level "serialized": only poll calls it, and a node lets one worker poll at a
 * time; send just queues. Nothing ever blocks inside MPI.
 *
 *   small   packets to one rank that wait together travel in one message of at most BATCH_BYTES,
 * into receives that are posted in a ring and looked at in order: order per pair is kept large   a
 * block goes in a message of its own, from where it lies to where it will stay. The packet that
 * announces it tells tag and size, and is handed on when the block has come; packets behind it from
 * the same rank wait, so order is kept here too. To ranks of the same host blocks are lent
 * (block.h): then only where they lie is sent */
#include "transport.h"

#include "runtime/base/exit.h"

#include <inttypes.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum {
    BATCH_BYTES = 16 << 10,
    RECEIVES = 8,
    REAPED = 8,
    TAG_BATCH = 1,
    TAG_LARGE = 2, /* and above: announced */
    TAGS_LARGE = 1 << 14
};

struct head { /* of a packet in a batch; its body follows if it fits */
    uint32_t kind, size;
    uint64_t block;      /* bytes of the block, BLOCK_NONE without */
    uint32_t tag;        /* of the block */
    uint32_t body_tag;   /* of the body when it travels alone, else 0 */
};
#define BLOCK_NONE UINT64_MAX
#define TAG_LENT UINT32_MAX /* `block` is not its size, but where it lies in the commons */

/* Between endpoints, instead of kinds of packets. LEAVE: the run ends, with `size` as exit code;
 * LEFT: the answer. */
enum { KIND_LEAVE = INT32_MAX - 1, KIND_LEFT };

struct sending { /* one MPI_Isend under way */
    struct sending *next;
    MPI_Request request;
    struct block *block;   /* released when done */
    struct packet *packet; /* freed when done: its body was sent alone */
    struct batch *batch;   /* used again when done */
};

struct batch { /* of small packets */
    struct batch *next;
    char data[BATCH_BYTES];
};

struct coming { /* a packet whose large parts may still be on their way */
    struct coming *next;
    struct packet *packet;
    MPI_Request block_request, body_request;
};

struct from { /* packets of one rank, in order; only of ranks that have something on its way */
    struct from *next;
    int rank;
    struct coming *first, *last;
};

struct mpi {
    struct transport base;
    const struct transport_host *host;
    _Atomic(struct packet *) outbox; /* newest first */
    struct sending *sendings, **sendings_end; /* oldest looked at first */
    struct sending *spare_sendings;
    struct batch *spare_batches; /* as many as were ever on their way at once */
    struct from *from;
    atomic_int coming; /* packets that wait for their parts, or behind such */
    char *receive[RECEIVES];
    MPI_Request receive_request[RECEIVES];
    int next_receive;
    uint32_t next_tag;
    int *near, nnear;    /* ranks of this host, ascending, if they share memory */
    int left;            /* ranks that have answered LEAVE */
    atomic_flag inside;  /* some thread calls MPI */
    struct packet *arrived, *arrived_last;
};

static void *
need(const struct mpi *m, void *p)
{
    if (!p) m->host->fail("out of memory for messages");
    return p;
}

/* Sizes beyond int need the large-count calls of MPI 4. */
#if MPI_VERSION >= 4
#define ISEND MPI_Isend_c
#define IRECV MPI_Irecv_c
typedef MPI_Count count;
#else
#define ISEND MPI_Isend
#define IRECV MPI_Irecv
typedef int count;
#endif

/* ---- sending ---- */

static void
mpi_send(struct transport *t, int to, struct packet *p)
{
    struct mpi *m = (struct mpi *)t;
    p->from = t->node;
    p->to = to;
    p->next = atomic_load_explicit(&m->outbox, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&m->outbox, &p->next, p, memory_order_release,
                                                  memory_order_relaxed))
        continue;
}

static void
sending_add(struct mpi *m, struct sending *s)
{
    s->next = NULL;
    *m->sendings_end = s;
    m->sendings_end = &s->next;
}

static struct sending *
sending_new(struct mpi *m)
{
    struct sending *s = m->spare_sendings;
    if (s) m->spare_sendings = s->next;
    else s = need(m, malloc(sizeof *s));
    *s = (struct sending){.next = NULL};
    sending_add(m, s);
    return s;
}

static struct batch *
batch_new(struct mpi *m)
{
    struct batch *b = m->spare_batches;
    if (!b) return need(m, malloc(sizeof *b));
    m->spare_batches = b->next;
    return b;
}

static uint32_t
new_tag(struct mpi *m)
{
    return TAG_LARGE + m->next_tag++ % TAGS_LARGE;
}

static bool
is_near(const struct mpi *m, int rank)
{
    int lo = 0, hi = m->nnear;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (m->near[mid] < rank) lo = mid + 1;
        else hi = mid;
    }
    return lo < m->nnear && m->near[lo] == rank;
}

/* On the same host no bytes are sent, if it can be. */
static bool
lend(struct mpi *m, struct packet *p, struct head *h)
{
    struct block *lent = is_near(m, p->to) ? m->host->block_lend(p->block) : NULL;
    if (!lent) return false;
    h->block = (uint64_t)(uintptr_t)lent;
    h->tag = TAG_LENT;
    m->host->block_release(p->block);
    p->block = NULL;
    return true;
}

/* Sends what of a packet travels alone; gives its head. */
static struct head
send_large_parts(struct mpi *m, struct packet *p, bool body_alone)
{
    struct head h = {.kind = p->kind, .size = p->size, .block = BLOCK_NONE};
    if (p->block && !lend(m, p, &h)) {
        struct sending *s = sending_new(m);
        h.block = p->block->size;
        h.tag = new_tag(m);
        s->block = p->block;
        p->block = NULL;
        ISEND(s->block->data, (count)s->block->size, MPI_BYTE, p->to, (int)h.tag, MPI_COMM_WORLD,
              &s->request);
    }
    if (body_alone) {
        struct sending *s = sending_new(m);
        h.body_tag = new_tag(m);
        s->packet = p;
        ISEND(p->body, (count)p->size, MPI_BYTE, p->to, (int)h.body_tag, MPI_COMM_WORLD,
              &s->request);
    }
    return h;
}

/* Takes packets to one rank off the list, as many as fit one message, and sends them. */
static struct packet *
send_batch(struct mpi *m, struct packet *list)
{
    int to = list->to;
    size_t used = 0;
    struct batch *batch = batch_new(m);
    struct packet *kept = NULL, **kept_end = &kept;
    bool full = false;
    for (struct packet *p = list, *next; p; p = next) {
        next = p->next;
        bool alone = sizeof(struct head) + p->size > BATCH_BYTES;
        size_t n = sizeof(struct head) + (alone ? 0 : p->size);
        full |= p->to == to && used + n > BATCH_BYTES; /* later ones must not overtake */
        if (p->to != to || full) {
            *kept_end = p;
            kept_end = &p->next;
            continue;
        }
        struct head h = send_large_parts(m, p, alone);
        memcpy(batch->data + used, &h, sizeof h);
        if (!alone) memcpy(batch->data + used + sizeof h, p->body, p->size);
        used += n;
        if (!alone) m->host->packet_free(p);
    }
    *kept_end = NULL;
    struct sending *s = sending_new(m);
    s->batch = batch;
    MPI_Isend(batch->data, (int)used, MPI_BYTE, to, TAG_BATCH, MPI_COMM_WORLD, &s->request);
    return kept;
}

static void
flush(struct mpi *m)
{
    if (!atomic_load_explicit(&m->outbox, memory_order_relaxed)) return;
    struct packet *p = atomic_exchange_explicit(&m->outbox, NULL, memory_order_acquire),
                  *list = NULL;
    while (p) { /* oldest first */
        struct packet *next = p->next;
        p->next = list;
        list = p;
        p = next;
    }
    while (list) list = send_batch(m, list);
}

/* Looks at a few: when the other side is slow there may be thousands. */
static void
reap_sendings(struct mpi *m)
{
    struct sending *s, *last = NULL;
    for (int n = 0; n < REAPED && (s = m->sendings) && s != last; n++) {
        int done;
        MPI_Test(&s->request, &done, MPI_STATUS_IGNORE);
        m->sendings = s->next;
        if (!m->sendings) m->sendings_end = &m->sendings;
        if (!done) {
            if (!last) last = s; /* once around */
            sending_add(m, s);
            continue;
        }
        if (s->block) m->host->block_release(s->block);
        if (s->packet) m->host->packet_free(s->packet);
        if (s->batch) {
            s->batch->next = m->spare_batches;
            m->spare_batches = s->batch;
        }
        s->next = m->spare_sendings;
        m->spare_sendings = s;
    }
}

/* ---- receiving ---- */

static void
post_receive(struct mpi *m, int i)
{
    MPI_Irecv(m->receive[i], BATCH_BYTES, MPI_BYTE, MPI_ANY_SOURCE, TAG_BATCH, MPI_COMM_WORLD,
              &m->receive_request[i]);
}

static void
hand_on(struct mpi *m, struct packet *p)
{
    p->next = NULL;
    if (m->arrived_last) m->arrived_last->next = p;
    else m->arrived = p;
    m->arrived_last = p;
}

static struct from *
from_find(struct mpi *m, int rank)
{
    struct from *f = m->from;
    while (f && f->rank != rank) f = f->next;
    return f;
}

/* Queues a packet behind what is still coming from its rank. */
static struct coming *
wait_for_parts(struct mpi *m, struct from *f, struct packet *p)
{
    struct coming *c = need(m, calloc(1, sizeof *c));
    *c = (struct coming){
        .packet = p, .block_request = MPI_REQUEST_NULL, .body_request = MPI_REQUEST_NULL};
    if (!f) {
        f = need(m, calloc(1, sizeof *f));
        *f = (struct from){.next = m->from, .rank = p->from};
        m->from = f;
    }
    if (f->last) f->last->next = c;
    else f->first = c;
    f->last = c;
    atomic_fetch_add_explicit(&m->coming, 1, memory_order_relaxed);
    return c;
}

static void
tell(struct mpi *m, int to, uint32_t kind, int code)
{
    struct head h = {.kind = kind, .size = (uint32_t)code, .block = BLOCK_NONE};
    struct sending *s = sending_new(m);
    s->batch = batch_new(m);
    memcpy(s->batch->data, &h, sizeof h);
    MPI_Isend(s->batch->data, sizeof h, MPI_BYTE, to, TAG_BATCH, MPI_COMM_WORLD, &s->request);
}

static void
take_word(struct mpi *m, int rank, const struct head *h)
{
    if (h->kind == KIND_LEFT) {
        m->left++;
        return;
    }
    tell(m, rank, KIND_LEFT, 0);
    for (int n = 0; m->sendings && n < 1000; n++) {
        reap_sendings(m);
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
    m->host->leave((int)h->size);
}

/* One packet of a batch: complete at once, or with parts to come. Gives the bytes it took, 0:
 * malformed. */
static size_t
take_packet(struct mpi *m, int rank, const char *at, size_t left)
{
    struct head h;
    if (left < sizeof h) return 0;
    memcpy(&h, at, sizeof h);
    if (h.kind >= KIND_LEAVE) {
        take_word(m, rank, &h);
        return sizeof h;
    }
    size_t inside = h.body_tag ? 0 : h.size;
    if (left - sizeof h < inside) return 0;
    struct packet *p = need(m, m->host->packet_new(h.kind, h.size));
    p->from = rank;
    p->to = m->base.node;
    memcpy(p->body, at + sizeof h, inside);
    struct from *f = from_find(m, rank);
    if (h.block != BLOCK_NONE && h.tag == TAG_LENT) {
        p->block = m->host->block_borrow((struct block *)(uintptr_t)h.block);
        if (!p->block) m->host->fail("a block that was lent cannot be read");
        h.block = BLOCK_NONE;
    }
    if (h.block == BLOCK_NONE && !h.body_tag && !f) {
        hand_on(m, p);
        return sizeof h + inside;
    }
    struct coming *c = wait_for_parts(m, f, p);
    if (h.block != BLOCK_NONE) {
        p->block = need(m, m->host->block_new(h.block));
        IRECV(p->block->data, (count)h.block, MPI_BYTE, rank, (int)h.tag, MPI_COMM_WORLD,
              &c->block_request);
    }
    if (h.body_tag)
        IRECV(p->body, (count)h.size, MPI_BYTE, rank, (int)h.body_tag, MPI_COMM_WORLD,
              &c->body_request);
    return sizeof h + inside;
}

static void
take_batch(struct mpi *m, int i, const MPI_Status *status)
{
    int size;
    MPI_Get_count(status, MPI_BYTE, &size);
    for (size_t used = 0, n; used < (size_t)size; used += n)
        if (!(n = take_packet(m, status->MPI_SOURCE, m->receive[i] + used, (size_t)size - used)))
            m->host->fail("a malformed batch of messages came");
}

static void
take_batches(struct mpi *m)
{
    for (;;) {
        int i = m->next_receive, done;
        MPI_Status status;
        MPI_Test(&m->receive_request[i], &done, &status);
        if (!done) return;
        take_batch(m, i, &status);
        post_receive(m, i);
        m->next_receive = (i + 1) % RECEIVES;
    }
}

static bool
has_come(struct coming *c)
{
    int block, body;
    MPI_Test(&c->block_request, &block, MPI_STATUS_IGNORE);
    MPI_Test(&c->body_request, &body, MPI_STATUS_IGNORE);
    return block && body;
}

/* Packets whose large parts have come, in order per rank. */
static void
take_large(struct mpi *m)
{
    for (struct from **link = &m->from, *f; (f = *link);) {
        while (f->first && has_come(f->first)) {
            struct coming *c = f->first;
            f->first = c->next;
            hand_on(m, c->packet);
            atomic_fetch_sub_explicit(&m->coming, 1, memory_order_relaxed);
            free(c);
        }
        if (f->first) {
            link = &f->next;
        } else {
            *link = f->next;
            free(f);
        }
    }
}

static struct packet *
mpi_poll(struct transport *t)
{
    struct mpi *m = (struct mpi *)t;
    if (atomic_flag_test_and_set_explicit(&m->inside, memory_order_acquire)) return NULL;
    flush(m);
    take_batches(m);
    if (m->from) take_large(m);
    if (m->sendings) reap_sendings(m);
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
    flush(m);
    reap_sendings(m);
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
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The endpoint lives as long as the process: MPI may still write into its buffers. */
static void
mpi_free(struct transport *t)
{
    (void)t;
}

/* ---- waiting, outside MPI ---- */

/* Waits without blocking inside MPI: true when it is done, false after `seconds`. */
static bool
wait_for(MPI_Request *r, double seconds)
{
    double end = MPI_Wtime() + seconds;
    for (unsigned n = 0;; n++) {
        int done;
        MPI_Test(r, &done, MPI_STATUS_IGNORE);
        if (done) return true;
        if (n < 20) continue;
        if (MPI_Wtime() > end) return false;
        nanosleep(&(struct timespec){.tv_nsec = n < 1000 ? 50000 : 1000000}, NULL);
    }
}

static const double FOR_EVER = 1e9;
enum { PIECE = 1 << 30, CONNECTED = 32, TAG_CONNECT = 0 };

/* UCX connects two ranks at their first message, which needs calls on both sides: in few ranks all
 * pairs do it now, so that a first message does not wait until the end of a long function. */
static void
connect_pairs(int rank, int size)
{
    MPI_Request in[CONNECTED], out[CONNECTED], barrier;
    for (int i = 0; size <= CONNECTED && i < size; i++) {
        if (i == rank) continue;
        MPI_Irecv(NULL, 0, MPI_BYTE, i, TAG_CONNECT, MPI_COMM_WORLD, &in[i]);
        MPI_Isend(NULL, 0, MPI_BYTE, i, TAG_CONNECT, MPI_COMM_WORLD, &out[i]);
    }
    for (int i = 0; size <= CONNECTED && i < size; i++) {
        if (i == rank) continue;
        wait_for(&in[i], FOR_EVER);
        wait_for(&out[i], FOR_EVER);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    wait_for(&barrier, FOR_EVER);
}

/* ---- joining ---- */

enum { SHM_BYTES_PER_RANK = 4508877 }; /* what MPICH takes of /dev/shm: 4.3 MB */

/* A launcher meant several ranks, but its process manager and our MPI do not speak: each is alone.
 */
static const char *
wrong_launcher(int size)
{
    static const struct { const char *variable, *why;
    } launchers[] = {
        {"SLURM_STEP_NUM_TASKS",
         "srun started several tasks, but MPI sees one rank each; use srun --mpi=pmi2"},
        {"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun started several ranks, but luna is built with "
                                 "MPICH; use MPICH's mpiexec"},
        {"PMI_SIZE", "several ranks were started, but MPI sees one each; use the mpiexec of MPICH"},
    };
    for (size_t i = 0; size == 1 && i < sizeof launchers / sizeof *launchers; i++) {
        const char *n = getenv(launchers[i].variable);
        if (n && atoi(n) > 1) return launchers[i].why;
    }
    return NULL;
}

static int
number_of(const char *variable)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : 0;
}

/* With too little of it MPI_Init fails or hangs. All ranks of a machine see the same size. */
static const char *
no_shared_memory(int ranks_here)
{
    static char why[200];
    struct statvfs fs;
    if (statvfs("/dev/shm", &fs)) return NULL;
    uint64_t has = (uint64_t)fs.f_blocks * fs.f_frsize,
             wants = (uint64_t)ranks_here * SHM_BYTES_PER_RANK;
    if (has >= wants) return NULL;
    snprintf(why, sizeof why,
             "/dev/shm has %" PRIu64 " MiB, %d ranks need %" PRIu64
             "; make it larger (mount -o remount,size=.. /dev/shm; docker run --shm-size=..)",
             has >> 20, ranks_here, (wants >> 20) + 1);
    return why;
}

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
        m->receive[i] = need(m, malloc(BATCH_BYTES));
        post_receive(m, i);
    }
    return &m->base;
}

/* All ranks of a host see each other's memory, or none does. */
static void
share_memory(struct mpi *m)
{
    MPI_Comm here;
    MPI_Request r;
    int index, n, ok, rank = m->base.node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &index);
    MPI_Comm_size(here, &n);
    struct commons_ticket own = m->host->commons_open(n > 1 ? index : -1);
    struct commons_ticket *all = need(m, calloc((size_t)n, sizeof *all));
    m->near = need(m, calloc((size_t)n, sizeof *m->near));
    MPI_Iallgather(&rank, 1, MPI_INT, m->near, 1, MPI_INT, here, &r);
    wait_for(&r, FOR_EVER);
    MPI_Iallgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, here, &r);
    wait_for(&r, FOR_EVER);
    int joined = m->host->commons_join(all, n);
    MPI_Iallreduce(&joined, &ok, 1, MPI_INT, MPI_MIN, here, &r);
    wait_for(&r, FOR_EVER);
    m->host->commons_decide(ok);
    m->nnear = ok && n > 1 ? n : 0;
    bool in_a_row = m->near[n - 1] - m->near[0] == n - 1 && m->near[0] % n == 0;
    m->base.host_nodes = in_a_row ? n : 1;
    MPI_Comm_free(&here);
    free(all);
}

static struct transport *
mpi_open(const struct transport_host *host, const char **why, int *code)
{
    int level, rank, size, here = number_of("MPI_LOCALNRANKS");
    *code = EXIT_SYSTEM;
    if ((*why = no_shared_memory(here))) return NULL;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) ||
        level < MPI_THREAD_SERIALIZED) {
        *why = "MPI does not offer MPI_THREAD_SERIALIZED";
        return NULL;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *code = EXIT_USAGE;
    if ((*why = wrong_launcher(size))) return NULL;
    connect_pairs(rank, size);
    struct transport *t = mpi_new(host, rank, size);
    share_memory((struct mpi *)t);
    return t;
}

/* ---- before and after the run ---- */

static void
mpi_share(struct transport *t, void *bytes, size_t size)
{
    flush((struct mpi *)t); /* the last messages of the run; waiting moves them */
    for (size_t at = 0; at < size; at += PIECE) {
        size_t n = size - at < PIECE ? size - at : PIECE;
        MPI_Request r;
        MPI_Ibcast((char *)bytes + at, (int)n, MPI_BYTE, 0, MPI_COMM_WORLD, &r);
        wait_for(&r, FOR_EVER);
    }
}

static void
mpi_sum(struct transport *t, uint64_t *v, size_t n)
{
    struct mpi *m = (struct mpi *)t;
    if (!n) return;
    flush(m);
    uint64_t *all = need(m, malloc(n * sizeof *all));
    MPI_Request r;
    MPI_Ireduce(v, all, (int)n, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD, &r);
    wait_for(&r, FOR_EVER);
    if (!t->node) memcpy(v, all, n * sizeof *all);
    free(all);
}

static char *
mpi_gather(struct transport *t, const void *bytes, size_t size, size_t *total)
{
    struct mpi *m = (struct mpi *)t;
    int mine = (int)size, sum = 0, *sizes = NULL, *starts = NULL;
    char *all = NULL;
    flush(m);
    if (!t->node) {
        sizes = need(m, calloc((size_t)t->nodes, sizeof *sizes));
        starts = need(m, calloc((size_t)t->nodes, sizeof *starts));
    }
    MPI_Request r;
    MPI_Igather(&mine, 1, MPI_INT, sizes, 1, MPI_INT, 0, MPI_COMM_WORLD, &r);
    wait_for(&r, FOR_EVER);
    for (int i = 0; sizes && i < t->nodes; i++) {
        starts[i] = sum;
        if (__builtin_add_overflow(sum, sizes[i], &sum))
            m->host->fail("too much to gather at rank 0");
    }
    if (sizes) all = need(m, malloc((size_t)sum + 1));
    MPI_Igatherv(bytes, mine, MPI_BYTE, all, sizes, starts, MPI_BYTE, 0, MPI_COMM_WORLD, &r);
    wait_for(&r, FOR_EVER);
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
        if (i != m->base.node) tell(m, i, KIND_LEAVE, code);
    while (m->left < m->base.nodes - 1 && MPI_Wtime() < end) {
        take_batches(m);
        reap_sendings(m);
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
    return m->left >= m->base.nodes - 1;
}

static void
mpi_abort(struct transport *t, int code)
{
    bool srun = getenv("SLURM_STEP_ID") && !getenv("MPI_LOCALRANKID");
    if (srun && all_leave((struct mpi *)t, code)) return;
    MPI_Abort(MPI_COMM_WORLD, code);
}

/* MPI_Finalize may hang (UCX over tcp). Then we tell the process manager ourselves that we are
 * done, in its own words, and leave. The thread inside MPI must not read the answer: it is parked
 * first. */
static struct {
    pthread_t thread;
    atomic_bool done;
    int code;
} finalizing;

static void
park(int sig)
{
    (void)sig;
    for (;;) pause();
}

static void
leave_manager(int fd)
{
    char answer[256];
    struct sigaction sa = {.sa_handler = park};
    sigaction(SIGURG, &sa, NULL);
    pthread_kill(finalizing.thread, SIGURG);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    ssize_t n = write(fd, "cmd=finalize\n", 13);
    if (n > 0) n = read(fd, answer, sizeof answer);
    (void)n;
}

static void *
finalize_watchdog(void *who)
{
    (void)who;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 500000000}, NULL);
    if (atomic_load(&finalizing.done)) return NULL;
    if (getenv("PMI_FD") && !getenv("SLURM_STEP_ID")) leave_manager(number_of("PMI_FD"));
    _exit(finalizing.code);
}

static void
flush_all(struct mpi *m)
{
    double end = MPI_Wtime() + 5;
    for (int n = 0; (m->sendings || atomic_load(&m->outbox)) && MPI_Wtime() < end; n++) {
        flush(m);
        reap_sendings(m);
        if (n > 64) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
}

static void
mpi_close(struct transport *t, int code)
{
    struct mpi *m = (struct mpi *)t;
    MPI_Request r;
    pthread_t watchdog;
    flush_all(m);
    MPI_Ibarrier(MPI_COMM_WORLD, &r);
    wait_for(&r, 5.0);
    for (int i = 0; i < RECEIVES; i++) {
        MPI_Cancel(&m->receive_request[i]);
        MPI_Request_free(&m->receive_request[i]);
    }
    fflush(NULL);
    finalizing.code = code;
    finalizing.thread = pthread_self();
    if (!pthread_create(&watchdog, NULL, finalize_watchdog, NULL)) pthread_detach(watchdog);
    MPI_Finalize();
    atomic_store(&finalizing.done, true);
}

__attribute__((visibility("default"))) const struct transport_mpi luna_transport_mpi = {
    .version = LUNA_VERSION,
    .open = mpi_open,
    .share = mpi_share,
    .sum = mpi_sum,
    .gather = mpi_gather,
    .abort = mpi_abort,
    .close = mpi_close};
