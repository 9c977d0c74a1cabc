/* tree.h - the way by which nodes tell each other of a loop: each serves a quarter of those that
 * are left, as docs/protocols.md says. */
#ifndef LUNA_TESTS_SCHEDULE_TREE_H
#define LUNA_TESTS_SCHEDULE_TREE_H

enum { TREE_FAN = 64, TREE_DEPTH_MAX = 16 };

/* The nodes behind `root` up to and with `node`; gives how many. */
static inline int
tree_way(int root, int node, int nodes, int *way)
{
    int target = (node - root + nodes) % nodes, me = 0, count = nodes, n = 0;
    while (me != target) {
        int rest = count - 1, next = me + 1, part = 0;
        for (int left = TREE_FAN; left && rest; left--, next += part, rest -= part) {
            part = (rest + left - 1) / left;
            if (target < next + part) break;
        }
        me = next;
        count = part;
        way[n++] = (root + me) % nodes;
    }
    return n;
}

#endif
