/* test_local.c - packets between nodes of one process: in order per pair, each once. Two threads
 * send to a third, which only polls. */
#include "runtime/net/transport.h"
#include "tests/lib/check.h"

#include <pthread.h>

enum { NODES = 3, EACH = 20000 };

static struct transport *net[NODES];

static void *
sends(void *who)
{
    struct transport *t = who;
    for (uint32_t i = 1; i <= EACH; i++) t->ops->send(t, 2, packet_new(i, 0));
    return NULL;
}

TEST(in_order_per_pair_and_once)
{
    pthread_t thread[2];
    uint32_t last[2] = {0, 0};
    CHECK(transport_local_new(net, NODES) == OK);
    for (int i = 0; i < 2; i++) CHECK(!pthread_create(&thread[i], NULL, sends, net[i]));
    while (last[0] < EACH || last[1] < EACH) {
        struct packet *p = net[2]->ops->poll(net[2]);
        for (struct packet *next; p; p = next) {
            next = p->next;
            CHECK((p->from == 0 || p->from == 1) && p->to == 2);
            CHECK(p->kind == last[p->from] + 1, "%d after %d", (int)p->kind, (int)last[p->from]);
            last[p->from] = p->kind;
            packet_free(p);
        }
    }
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    CHECK(!net[2]->ops->pending(net[2]) && !net[2]->ops->poll(net[2]));
    for (int i = 0; i < NODES; i++) net[i]->ops->free(net[i]);
}

TEST(what_was_not_taken_is_freed)
{
    CHECK(transport_local_new(net, NODES) == OK);
    for (uint32_t i = 0; i < 10; i++) net[0]->ops->send(net[0], 1, packet_new(i, 8));
    CHECK(net[1]->ops->pending(net[1]) && !net[2]->ops->pending(net[2]));
    for (int i = 0; i < NODES; i++) net[i]->ops->free(net[i]);
}

TEST_MAIN(T(in_order_per_pair_and_once), T(what_was_not_taken_is_freed))
