/* traffic.c - see traffic.h. */
#include "tests/distrib/traffic.h"

#include <stdlib.h>
#include <string.h>

enum kind { PARCEL, NEWS, QUESTION, ANSWER };

struct message {
    struct message *next;
    enum kind kind;
    int from, transfer;
    uint32_t cell, at, id, hops, epoch;
    size_t size;
    char bytes[];
};

void
traffic_init(struct traffic *s, struct world w, uint64_t seed)
{
    size_t n = (size_t)w.n;
    *s = (struct traffic){.w = w, .rng = rng_of(seed)};
    s->queue = calloc(n * n, sizeof *s->queue);
    s->held = calloc(n, sizeof *s->held);
    s->busy = calloc(n * n, sizeof *s->busy);
    s->sliding = calloc(n, sizeof *s->sliding);
    s->is_answered = calloc(QUESTIONS_MAX, 1);
    for (size_t i = 0; i < n * n; i++) s->queue[i].end = &s->queue[i].first;
    for (size_t i = 0; i < n; i++) s->held[i].end = &s->held[i].first;
}

static void
push(struct queue *q, struct message *m)
{
    m->next = NULL;
    *q->end = m;
    q->end = &m->next;
}

static struct message *
pop(struct queue *q)
{
    struct message *m = q->first;
    q->first = m->next;
    if (!q->first) q->end = &q->first;
    return m;
}

void
traffic_fini(struct traffic *s)
{
    /* What a run that went wrong has left. */
    for (int i = 0; i < s->w.n * s->w.n; i++)
        while (s->queue[i].first) free(pop(&s->queue[i]));
    for (int i = 0; i < s->w.n; i++)
        while (s->held[i].first) free(pop(&s->held[i]));
    world_free(&s->w);
    buf_fini(&s->parcel);
    free(s->queue);
    free(s->held);
    free(s->busy);
    free(s->sliding);
    free(s->is_answered);
}

static void
send_message(struct traffic *s, int from, int to, struct message *m)
{
    struct queue *q = &s->queue[from * s->w.n + to];
    m->from = from;
    m->transfer = s->transfer;
    if (m->kind == PARCEL || m->kind == NEWS) s->under_way[m->transfer]++;
    if (!q->first) s->busy[s->nbusy++] = from * s->w.n + to;
    push(q, m);
}

static struct message *
message_new(enum kind kind, const void *bytes, size_t size)
{
    struct message *m = calloc(1, sizeof *m + size);
    m->kind = kind;
    m->size = size;
    if (size) memcpy(m->bytes, bytes, size);
    return m;
}

/* Whoever is being handled, for distrib_tell_fn. */
struct teller {
    struct traffic *s;
    int node;
};

static void
tell(void *who, int node, const void *news, size_t size)
{
    struct teller *t = who;
    if (node == t->node)
        t->s->flaw = "a node tells itself";
    else
        send_message(t->s, t->node, node, message_new(NEWS, news, size));
}

static void
answer(struct traffic *s, int node, struct message *m)
{
    /* The body is the node that asked. */
    int asker;
    memcpy(&asker, m->bytes, sizeof asker);
    if (!distrib_owns(s->w.node[node], m->cell)) s->flaw = "a question was answered elsewhere";
    if (s->is_answered[m->id]++) s->flaw = "a question was answered twice";
    s->answered++;
    /* A step nearer for each hop, or after a cell that has moved. */
    uint32_t most = (uint32_t)(s->w.cells.side[0] + s->w.cells.side[1] + s->w.cells.side[2]);
    if (m->hops > most + s->moved + (uint32_t)s->w.n) s->flaw = "a walk took too long";
    m->kind = ANSWER;
    m->epoch = distrib_epoch(s->w.node[node], m->cell);
    if (asker == node)
        free(m);
    else
        send_message(s, node, asker, m);
}

/* `to` is what distrib_first or distrib_onward has said at `node`. */
static void
route(struct traffic *s, int node, int to, struct message *m)
{
    if (to == node)
        answer(s, node, m);
    else if (to == DISTRIB_WAIT)
        push(&s->held[node], m);
    else if (to < 0 || to >= s->w.n)
        s->flaw = "a walk left the nodes";
    else {
        m->hops++;
        send_message(s, node, to, m);
    }
}

static void
go_on(struct traffic *s, int node, struct message *m)
{
    route(s, node, distrib_onward(s->w.node[node], m->cell, &m->at), m);
}

static void
wake_held(struct traffic *s, int node)
{
    struct queue held = s->held[node];
    s->held[node] = (struct queue){.end = &s->held[node].first};
    while (held.first) {
        struct message *m = held.first;
        held.first = m->next;
        go_on(s, node, m);
    }
}

static void
take(struct traffic *s, int node, struct message *m)
{
    struct teller t = {s, node};
    if (distrib_take(s->w.node[node], m->from, m->bytes, m->size, tell, &t) != OK)
        s->flaw = "a parcel was refused";
    s->sliding[m->from < node ? m->from : node] = false;
    wake_held(s, node);
}

void
traffic_deliver(struct traffic *s)
{
    if (!s->nbusy) return;
    int k = s->choose ? s->choose(s->who, s->nbusy) : (int)rng_below(&s->rng, (uint64_t)s->nbusy);
    int which = s->busy[k], to = which % s->w.n;
    struct message *m = pop(&s->queue[which]);
    struct teller t = {s, to};
    if (!s->queue[which].first) s->busy[k] = s->busy[--s->nbusy];
    if (m->kind == QUESTION) {
        go_on(s, to, m);
        return;
    }
    s->transfer = m->transfer;
    switch (m->kind) {
    case QUESTION:
    case PARCEL:
        take(s, to, m);
        break;
    case NEWS:
        if (distrib_hear(s->w.node[to], m->bytes, m->size, tell, &t) != OK)
            s->flaw = "news was refused";
        break;
    case ANSWER:
        distrib_learn(s->w.node[to], m->cell, m->from, m->epoch);
        break;
    }
    bool work = m->kind != ANSWER;
    if (work && !--s->under_way[m->transfer] && s->ended) s->ended(s, m->transfer);
    free(m);
}

void
traffic_ask(struct traffic *s, int node, uint32_t cell)
{
    if (s->asked == QUESTIONS_MAX) return;
    struct message *m = message_new(QUESTION, &node, sizeof node);
    m->id = s->asked++;
    m->cell = cell;
    route(s, node, distrib_first(s->w.node[node], m->cell, &m->at), m);
}

void
traffic_give(struct traffic *s, int from, int to, const uint32_t *cells, uint32_t n)
{
    buf_clear(&s->parcel);
    if (distrib_give(s->w.node[from], to, cells, n, &s->parcel) != OK) s->flaw = "not given";
    send_message(s, from, to, message_new(PARCEL, s->parcel.data, s->parcel.size));
    s->moved += n;
}

const char *
traffic_finish(struct traffic *s)
{
    while (s->nbusy && !s->flaw) traffic_deliver(s);
    if (!s->flaw) s->flaw = distrib_flaw_among(s->w.node, s->w.n, false);
    if (!s->flaw && s->answered != s->asked) s->flaw = "a question was not answered";
    return s->flaw;
}
