/* mpi_receive.c - batches are taken apart; what is large is waited for, in order. */
#include "mpi_parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void
mpi_receive_post(struct mpi *m, int i)
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
    struct coming *c = mpi_need(m, calloc(1, sizeof *c));
    *c = (struct coming){
        .packet = p, .block_request = MPI_REQUEST_NULL, .body_request = MPI_REQUEST_NULL};
    if (!f) {
        f = mpi_need(m, calloc(1, sizeof *f));
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
take_word(struct mpi *m, int rank, const struct mpi_head *h)
{
    if (h->kind == KIND_LEFT) {
        m->left++;
        return;
    }
    mpi_send_word(m, rank, KIND_LEFT, 0);
    for (int n = 0; m->sendings && n < 1000; n++) {
        mpi_send_reap(m);
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
    m->host->leave((int)h->size);
}

/* One packet of a batch: complete at once, or with parts to come. Gives the bytes it took, 0:
 * malformed. */
static size_t
take_packet(struct mpi *m, int rank, const char *at, size_t left)
{
    struct mpi_head h;
    if (left < sizeof h) return 0;
    memcpy(&h, at, sizeof h);
    if (h.kind >= KIND_LEAVE) {
        take_word(m, rank, &h);
        return sizeof h;
    }
    size_t inside = h.body_tag ? 0 : h.size;
    if (left - sizeof h < inside) return 0;
    struct packet *p = mpi_need(m, m->host->packet_new(h.kind, h.size));
    p->mark = h.mark;
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
        p->block = mpi_need(m, m->host->block_new(h.block));
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

void
mpi_receive_batches(struct mpi *m)
{
    for (;;) {
        int i = m->next_receive, done;
        MPI_Status status;
        MPI_Test(&m->receive_request[i], &done, &status);
        if (!done) return;
        take_batch(m, i, &status);
        mpi_receive_post(m, i);
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

void
mpi_receive_large(struct mpi *m)
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
