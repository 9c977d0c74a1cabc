/* mpi_send.c - packets to one rank in batches, blocks alone or lent. */
#include "mpi_parts.h"

#include <stdlib.h>
#include <string.h>

void
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
    else s = mpi_need(m, malloc(sizeof *s));
    *s = (struct sending){.next = NULL};
    sending_add(m, s);
    return s;
}

static struct batch *
batch_new(struct mpi *m)
{
    struct batch *b = m->spare_batches;
    if (!b) return mpi_need(m, malloc(sizeof *b));
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
lend(struct mpi *m, struct packet *p, struct mpi_head *h)
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
static struct mpi_head
send_large_parts(struct mpi *m, struct packet *p, bool body_alone)
{
    struct mpi_head h = {.kind = p->kind, .size = p->size, .block = BLOCK_NONE,
                         .mark = p->mark};
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
        bool alone = sizeof(struct mpi_head) + p->size > BATCH_BYTES;
        size_t n = sizeof(struct mpi_head) + (alone ? 0 : p->size);
        full |= p->to == to && used + n > BATCH_BYTES; /* later ones must not overtake */
        if (p->to != to || full) {
            *kept_end = p;
            kept_end = &p->next;
            continue;
        }
        struct mpi_head h = send_large_parts(m, p, alone);
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

void
mpi_send_waiting(struct mpi *m)
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

void
mpi_send_reap(struct mpi *m)
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

void
mpi_send_word(struct mpi *m, int to, uint32_t kind, int code)
{
    struct mpi_head h = {.kind = kind, .size = (uint32_t)code, .block = BLOCK_NONE};
    struct sending *s = sending_new(m);
    s->batch = batch_new(m);
    memcpy(s->batch->data, &h, sizeof h);
    MPI_Isend(s->batch->data, sizeof h, MPI_BYTE, to, TAG_BATCH, MPI_COMM_WORLD, &s->request);
}
