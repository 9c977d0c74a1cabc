/* bench_trig.c - triggered reductions as benchmarks: the engine over messages of any MPI.
 *
 * A launch arms what the process has to do, and is over when its descriptors have run and their
 * packets have left. Packets move when the process asks how far it is, as those of MPI do. */
#include "collectives/ops/triggered.h"
#include "collectives/perf/bench.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    TREES_GROW = 64,        /* trees of 2 up to so many processes, of 4 above */
    SEGMENT = 16 << 10,
    ASKED_IN_VAIN = 1 << 10 /* then the core goes to another process, if there is one */
};

/* What a packet begins with; the data follows. */
struct head {
    uint64_t operation;
    uint32_t segment, from, slot;
};

struct sent {
    struct sent *next;
    MPI_Request request;
    char bytes[];
};

struct triggered {
    struct trig *engine;
    MPI_Comm comm; /* one of its own: no other messages */
    struct bench *bench;
    struct trig_op sum;
    uint64_t operation;
    struct sent *sent;
    char *packet; /* room for one that comes */
    size_t left;  /* segments that this process has not finished */
    unsigned vain;
};

static void
fine(enum err e)
{
    if (e) bench_check(false, err_text(e));
}

static bool
is_for_all(const struct bench *b)
{
    return b->id == LIST_TrigAllreduce || b->id == LIST_TrigIallreduce;
}

/* ---- what the engine asks for ---- */

static void
send_packet(void *who, int to, const struct trig_packet *p)
{
    struct triggered *t = who;
    struct head h = {p->operation, p->segment, p->from, p->slot};
    struct sent *s = malloc(sizeof *s + sizeof h + p->bytes);
    bench_check(s, "out of memory");
    memcpy(s->bytes, &h, sizeof h);
    memcpy(s->bytes + sizeof h, p->data, p->bytes);
    MPI_Isend(s->bytes, (int)(sizeof h + p->bytes), MPI_BYTE, to, 0, t->comm, &s->request);
    s->next = t->sent;
    t->sent = s;
    /* Of a reduction to process 0 the others have no more to do than this. */
    if (!is_for_all(t->bench)) t->left--;
}

static void
take_result(void *who, uint64_t operation, size_t at, const void *data, size_t bytes)
{
    struct triggered *t = who;
    (void)operation;
    memcpy(t->bench->recv + at, data, bytes);
    t->left--;
}

/* ---- a launch ---- */

void
triggered_begin(struct bench *b)
{
    struct triggered *t = b->triggered;
    struct trig_reduction d = {.operation = t->operation++, .tree = COLL_KNOMIAL,
                               .fan_out = b->size <= TREES_GROW ? 2 : 4, .nodes = b->size,
                               .value = b->send, .bytes = b->bytes, .segment_bytes = SEGMENT,
                               .combine = trig_combine_op, .who = &t->sum};
    t->left = b->bytes ? (b->bytes + SEGMENT - 1) / SEGMENT : 1;
    fine((is_for_all(b) ? trig_allreduce : trig_reduce)(t->engine, &d));
}

/* False: there is none. */
static bool
take_packet(struct triggered *t)
{
    MPI_Status status;
    struct head h;
    int there, bytes;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, t->comm, &there, &status);
    if (!there) return false;
    MPI_Recv(t->packet, (int)sizeof h + SEGMENT, MPI_BYTE, status.MPI_SOURCE, 0, t->comm, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    memcpy(&h, t->packet, sizeof h);
    struct trig_packet p = {.operation = h.operation, .segment = h.segment, .from = h.from,
                            .slot = (uint16_t)h.slot, .bytes = (uint32_t)bytes - sizeof h,
                            .data = t->packet + sizeof h};
    fine(trig_arrive(t->engine, &p));
    return true;
}

static void
forget_sent(struct triggered *t)
{
    for (struct sent **at = &t->sent, *s; (s = *at);) {
        int gone;
        MPI_Test(&s->request, &gone, MPI_STATUS_IGNORE);
        if (!gone) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        free(s);
    }
}

bool
triggered_over(struct bench *b)
{
    struct triggered *t = b->triggered;
    bool moved = false;
    while (t->left && take_packet(t)) moved = true;
    forget_sent(t);
    if (!moved && ++t->vain % ASKED_IN_VAIN == 0) sched_yield();
    return !t->left && !t->sent;
}

/* ---- the engine ---- */

static void
check(struct bench *b)
{
    bench_ones(b);
    triggered_begin(b);
    while (!triggered_over(b)) {}
    if (is_for_all(b) || !b->rank) bench_check_sum(b);
}

void
triggered_open(struct bench *b)
{
    struct triggered *t = calloc(1, sizeof *t);
    bench_check(t, "out of memory");
    struct trig_world world = {send_packet, take_result, t};
    t->packet = malloc(sizeof(struct head) + SEGMENT);
    bench_check(t->packet, "out of memory");
    t->bench = b;
    t->sum = (struct trig_op){COLL_DOUBLE, COLL_SUM};
    MPI_Comm_dup(b->comm, &t->comm);
    fine(trig_new(&t->engine, b->rank, &world));
    b->triggered = t;
    check(b);
}

void
triggered_close(struct bench *b)
{
    struct triggered *t = b->triggered;
    MPI_Barrier(t->comm); /* nobody is in the last launch */
    MPI_Comm_free(&t->comm);
    trig_free(t->engine);
    free(t->packet);
    free(t);
}
