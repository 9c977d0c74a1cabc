/* packet.c - packets from the pools. */
#include "transport.h"

#include "runtime/base/pool.h"

static unsigned
packet_class(uint32_t size)
{
    return pool_class(sizeof(struct packet) + size);
}

struct packet *
packet_new(uint32_t kind, uint32_t size)
{
    struct packet *p = pool_get(packet_class(size));
    if (!p) return NULL;
    p->next = NULL;
    p->kind = kind;
    p->size = size;
    p->block = NULL;
    p->mark = 0;
    p->chains = 0;
    return p;
}

void
packet_free(struct packet *p)
{
    if (p->block) block_release(p->block);
    pool_put(packet_class(p->size), p);
}
