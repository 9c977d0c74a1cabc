/* traffic.h - messages between the nodes of a test: parcels, news, questions for cells and answers.
 * Those between two nodes keep their order, all others are stirred by a seed, or by a given list of
 * choices. */
#ifndef LUNA_TESTS_DISTRIB_TRAFFIC_H
#define LUNA_TESTS_DISTRIB_TRAFFIC_H

#include "tests/distrib/world.h"

enum { QUESTIONS_MAX = 4000, TRANSFERS_MAX = 4096 };

struct message;

struct queue {
    struct message *first, **end;
};

/* The nodes, a queue for each pair of them, and the questions. */
struct traffic {
    struct world w;
    struct rng rng;
    /* Which of the n queues with something in them is next; NULL: by chance. */
    int (*choose)(void *who, int n);
    void *who;
    struct queue *queue; /* [from * n + to] */
    struct queue *held;  /* [node]: questions that wait for a parcel */
    int *busy;           /* queues with something in them */
    int nbusy;
    uint32_t asked, answered, moved;
    unsigned char *is_answered;
    struct buf parcel;
    /* Parcels and news belong to a transfer, which ends when the last of them has arrived. */
    int transfer, under_way[TRANSFERS_MAX];
    void (*ended)(struct traffic *s, int transfer);
    bool *sliding;    /* rope: the border behind this node is on its way */
    const char *flaw; /* the first one */
};

/* Takes the world. */
void traffic_init(struct traffic *s, struct world w, uint64_t seed);
void traffic_fini(struct traffic *s);

/* A message looks for `cell`, from `node`; its answer teaches that node. */
void traffic_ask(struct traffic *s, int node, uint32_t cell);
void traffic_give(struct traffic *s, int from, int to, const uint32_t *cells, uint32_t n);
/* One message arrives, if there is one. */
void traffic_deliver(struct traffic *s);
/* The rest arrives. Then all that nodes believe must be true, and every question answered: NULL, or
 * the first thing that is wrong. */
const char *traffic_finish(struct traffic *s);

#endif
