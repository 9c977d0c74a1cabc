/* tree.c - parents and children by arithmetic; nodes by lists of their members. */
#include "collectives/group/tree.h"

#include "runtime/base/mem.h"

#include <assert.h>

/* The weight of v's lowest digit that is not 0, to base k. */
static int
lowest_weight(int k, int v)
{
    int weight = 1;
    while (v / weight % k == 0) weight *= k;
    return weight;
}

int
tree_parent(enum coll_tree kind, int k, int v)
{
    assert(v > 0 && k > 1);
    switch (kind) {
    case COLL_KARY: return (v - 1) / k;
    case COLL_KNOMIAL: {
        int weight = lowest_weight(k, v);
        return v - v / weight % k * weight;
    }
    case COLL_CHAIN: return v - 1;
    case COLL_FLAT: break;
    }
    return 0;
}

static int
knomial_children(int k, int p, int v, int *out)
{
    long below = v ? lowest_weight(k, v) : p, weight = 1;
    while (weight * k < below) weight *= k;
    int n = 0;
    for (; weight >= 1; weight /= k)
        for (long j = 1; j < k && weight < below; j++)
            if (v + j * weight < p) out[n++] = (int)(v + j * weight);
    return n;
}

int
tree_children(enum coll_tree kind, int k, int p, int v, int *out)
{
    assert(v >= 0 && v < p && k > 1);
    int n = 0;
    switch (kind) {
    case COLL_KARY:
        for (long c = (long)k * v + 1; c <= (long)k * v + k && c < p; c++) out[n++] = (int)c;
        return n;
    case COLL_KNOMIAL: return knomial_children(k, p, v, out);
    case COLL_CHAIN:
        if (v + 1 < p) out[n++] = v + 1;
        return n;
    case COLL_FLAT: break;
    }
    for (int c = 1; v == 0 && c < p; c++) out[n++] = c;
    return n;
}

int
tree_fan_out(enum coll_tree kind, int k, int p)
{
    int digits = 0;
    switch (kind) {
    case COLL_KARY: return k;
    case COLL_KNOMIAL:
        for (long weight = 1; weight < p; weight *= k) digits++;
        return (k - 1) * digits;
    case COLL_CHAIN: return 1;
    case COLL_FLAT: break;
    }
    return p - 1;
}

/* Adds the children of `rank` in a tree over list[0..n-1], whose root is list[first]; and the
 * parent, unless it is the root. */
static void
add_list(struct kin *out, enum coll_tree kind, int k, const int *list, int n, int first, int rank)
{
    int at = 0, *child = out->child + out->n;
    while (list[at] != rank) at++;
    int v = (at - first + n) % n, count = tree_children(kind, k, n, v, child);
    for (int i = 0; i < count; i++) child[i] = list[(child[i] + first) % n];
    out->n += count;
    if (v) out->parent = list[(tree_parent(kind, k, v) + first) % n];
}

/* Who takes the notification for the node of `leader`: the root in its own node. */
static int
entry_of(const int32_t *leaders, int leader, int root)
{
    return leaders[root] == leader ? root : leader;
}

/* `lists` has room for two of all ranks: the entries of all nodes, and the members of this one. */
static void
add_nodes(struct kin *out, enum coll_tree kind, int k, int p, const int32_t *leaders, int root,
          int rank, int *lists)
{
    int *entries = lists, *mine = lists + p, entry = entry_of(leaders, leaders[rank], root);
    int n_entries = 0, n_mine = 0, first_entry = 0, first_mine = 0;
    for (int r = 0; r < p; r++) {
        if (leaders[r] == leaders[rank]) {
            if (r == entry) first_mine = n_mine;
            mine[n_mine++] = r;
        }
        if (leaders[r] != r) continue;
        if (r == leaders[root]) first_entry = n_entries;
        entries[n_entries++] = entry_of(leaders, r, root);
    }
    /* Other nodes first: that way is longer. */
    if (rank == entry) add_list(out, kind, k, entries, n_entries, first_entry, rank);
    add_list(out, kind, k, mine, n_mine, first_mine, rank);
}

struct kin *
tree_of_rank(enum coll_tree kind, int k, int p, const int32_t *leaders, int root, int rank)
{
    struct kin *out = mem_alloc(sizeof *out + (size_t)p * sizeof *out->child);
    int *lists = mem_alloc(2 * (size_t)p * sizeof *lists);
    if (out && lists) {
        *out = (struct kin){.parent = rank};
        for (int r = 0; r < p && !leaders; r++) lists[r] = r;
        if (leaders) add_nodes(out, kind, k, p, leaders, root, rank, lists);
        else add_list(out, kind, k, lists, p, root, rank);
    }
    mem_free(lists);
    if (lists) return out;
    mem_free(out);
    return NULL;
}
