/* trigreduce.c - reductions as descriptors: what each node of a tree arms.
 *
 * c is the number of a node's children. Allreduce:
 *
 *     root     UP: c packets, own value; result to its own DOWN        DOWN: 1 packet, to children
 *     inner    UP: c packets, own value; result to the parent's UP     DOWN: 1 packet, to children
 *     leaf     UP: none; own value to the parent's UP, at once         DOWN: 1 packet
 *
 * DOWN gives the result to its node. Reduce is the same without DOWN but at the root: the others
 * are finished when they have armed. k-ary: depth log_K p each way, K packets at a node; k-nomial:
 * the root has (K-1) log_K p. Nothing here grows with the number of nodes otherwise. */
#include "collectives/group/tree.h"
#include "collectives/ops/triggered.h"
#include "runtime/base/mem.h"

enum slot { UP, DOWN };

/* What this node arms for every segment. */
struct part {
    const struct trig_reduction *r;
    int node, v, children; /* v: its place in the tree, and among its parent's operands */
    struct trig_out *down; /* to each child */
};

static int
node_of(const struct trig_reduction *r, int v)
{
    return (int)(((long)v + r->root) % r->nodes);
}

static enum err
part_init(struct part *p, const struct trig_reduction *r, int node)
{
    int most = tree_fan_out(r->tree, r->fan_out, r->nodes);
    int *child = mem_alloc((size_t)most * sizeof *child);
    *p = (struct part){.r = r, .node = node, .v = (node - r->root + r->nodes) % r->nodes};
    p->down = mem_alloc((size_t)most * sizeof *p->down);
    if (child && p->down) {
        p->children = tree_children(r->tree, r->fan_out, r->nodes, p->v, child);
        for (int i = 0; i < p->children; i++)
            p->down[i] = (struct trig_out){node_of(r, child[i]), DOWN, 0};
    }
    mem_free(child);
    return child && p->down ? OK : E_NOMEM;
}

static enum err
arm_up(struct trig *t, const struct part *p, struct trig_descriptor d)
{
    const struct trig_reduction *r = p->r;
    struct trig_out out = {p->node, DOWN, 0};
    if (p->v) {
        int parent = tree_parent(r->tree, r->fan_out, p->v);
        out = (struct trig_out){node_of(r, parent), UP, (uint32_t)p->v};
    }
    d.slot = UP;
    d.threshold = p->children;
    d.own = r->bytes ? (const char *)r->value + d.at : "";
    d.combine = p->children ? r->combine : NULL;
    d.out = &out;
    d.outs = 1;
    return trig_arm(t, &d);
}

static enum err
arm_down(struct trig *t, const struct part *p, struct trig_descriptor d, bool spread)
{
    d.slot = DOWN;
    d.threshold = 1;
    d.deliver = true;
    d.out = p->down;
    d.outs = spread ? p->children : 0;
    return trig_arm(t, &d);
}

static enum err
arm_all(struct trig *t, const struct trig_reduction *r, bool spread)
{
    struct part p;
    enum err e = part_init(&p, r, trig_node(t));
    size_t segment = r->segment_bytes ? r->segment_bytes : TRIG_SEGMENT;
    struct trig_descriptor d = {.operation = r->operation, .who = r->who};
    /* A value of no bytes has one segment, of no bytes. */
    for (; !e && (d.at < r->bytes || !d.segment); d.at += segment, d.segment++) {
        d.bytes = r->bytes - d.at < segment ? r->bytes - d.at : segment;
        /* The answer may come while UP is armed: DOWN first. */
        if (spread || !p.v) e = arm_down(t, &p, d, spread);
        if (!e) e = arm_up(t, &p, d);
    }
    mem_free(p.down);
    return e;
}

enum err
trig_allreduce(struct trig *t, const struct trig_reduction *r)
{
    return arm_all(t, r, true);
}

enum err
trig_reduce(struct trig *t, const struct trig_reduction *r)
{
    return arm_all(t, r, false);
}
