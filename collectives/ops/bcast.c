/* bcast.c - broadcast through the root's queue.
 *
 * The root copies fragment after fragment into its own queue and tells its children in the tree;
 * each tells its own children first, then copies the fragment from the root's queue to its user. So
 * data moves twice whatever the tree, and copying in overlaps with copying out:
 *
 *     t = ceil(m/b) (t_o + t f) + ceil(m/f) t_w + m t                    (model.h)
 *
 * A very small message (56 bytes) goes down the tree itself, in the line that announces it. One of
 * up to 2 KiB is announced in the same way and lies in a slot of the root; from 1.5 KiB on in two
 * parts, so that one is copied out while the other is copied in. */
#include "collectives/group/group.h"
#include "collectives/ops/select.h"

#include <string.h>

enum { REST = 1 << 15 };

/* Fills the lines of the children: with the message, or with word that it is in the root's slot. */
static void
tell_small(struct coll *g, const struct kin *kin, const void *data, size_t bytes)
{
    for (int i = 0; i < kin->n; i++) {
        struct line *l = group_line_at(g, kin->child[i]);
        if (bytes <= LINE_BYTES) memcpy(l->bytes, data, bytes);
        wait_publish(&g->waiter, &l->stamp, group_small_stamp(g, bytes));
    }
}

/* Small messages are awaited in a line, others in a control: who waits at the wrong place would
 * wait for ever, if it did not look at the other one when that takes long. Only this step's counts
 * there: others may be steps ahead, and have written what is meant for later. */
static bool
await(struct coll *g, _Atomic uint64_t *word, uint64_t least, int parent, _Atomic uint64_t *wrong,
      uint64_t wrong_least, uint64_t wrong_most)
{
    g->wrong = wrong;
    g->wrong_least = wrong_least;
    g->wrong_most = wrong_most;
    bool there = wait_for(&g->waiter, word, least, parent);
    g->wrong = NULL;
    return there;
}

/* That the rest of a message in two parts is there too: in the line of the root, which has no other
 * use in this step. Unlike any stamp of another call. */
static inline uint64_t
rest_stamp(const struct coll *g, size_t bytes)
{
    _Static_assert((int)SLOT_BYTES < (int)REST, "sizes of messages, and a bit");
    return group_small_stamp(g, REST | bytes);
}

static void
give_slot(struct coll *g, const char *buf, size_t bytes, const struct kin *kin)
{
    char *slot = group_slot_at(g, g->rank);
    size_t first = select_first_part(g, bytes);
    copier_copy(&g->copier, COPY_NEAR, slot, buf, first);
    tell_small(g, kin, buf, bytes);
    if (first == bytes) return;
    copier_copy(&g->copier, COPY_NEAR, slot + first, buf + first, bytes - first);
    wait_publish(&g->waiter, &group_line_at(g, g->rank)->stamp, rest_stamp(g, bytes));
}

static bool
take_slot(struct coll *g, char *buf, size_t bytes, int root)
{
    const char *slot = group_slot_at(g, root);
    size_t first = select_first_part(g, bytes);
    memcpy(buf, slot, first);
    if (first == bytes) return true;
    if (!wait_for(&g->waiter, &group_line_at(g, root)->stamp, rest_stamp(g, bytes), root))
        return false;
    memcpy(buf + first, slot + first, bytes - first);
    return true;
}

static enum err
bcast_small(struct coll *g, void *buf, size_t bytes, int root, const struct kin *kin)
{
    bool in_line = bytes <= LINE_BYTES;
    if (g->rank == root) {
        /* The line was last used RING steps ago. The root asks for all: whom it tells knows too. */
        if (!group_small_free(g, bytes)) return group_broken(g);
        if (in_line) tell_small(g, kin, buf, bytes);
        else give_slot(g, buf, bytes, kin);
    } else {
        struct line *l = group_line_at(g, g->rank);
        _Atomic uint64_t *wrong = &group_control_at(g, g->rank, group_next_cell(g))->stamp;
        if (!await(g, &l->stamp, group_small_stamp(g, 0), kin->parent, wrong, g->step, g->step))
            return group_broken(g);
        if (atomic_load_explicit(&l->stamp, memory_order_relaxed) != group_small_stamp(g, bytes))
            return group_confused(g);
        tell_small(g, kin, l->bytes, bytes);
        if (in_line) memcpy(buf, l->bytes, bytes);
        else if (!take_slot(g, buf, bytes, root)) return group_broken(g);
    }
    group_leave(g);
    return OK;
}

static void
tell_fragment(struct coll *g, const struct kin *kin, int cell, size_t bytes, size_t total)
{
    for (int i = 0; i < kin->n; i++) {
        struct control *c = group_control_at(g, kin->child[i], cell);
        c->bytes = bytes;
        c->total = total;
        wait_publish_quietly(&c->stamp, g->step);
    }
}

/* Sleepers are woken once a set and at the end, not for each fragment: they would take the core of
 * the root each time, where they share it. */
static inline void
wake_readers(struct coll *g, const struct kin *kin, size_t left)
{
    if (kin->n && (!left || group_near_end(g)))
        wait_wake(&g->waiter, BELL_DATA);
}

/* Waits for the fragment in `cell`, passes it on, copies it. */
static enum err
receive(struct coll *g, const struct kin *kin, int root, int cell, char *to, size_t bytes,
        size_t total)
{
    struct control *c = group_control_at(g, g->rank, cell);
    _Atomic uint64_t *wrong = &group_line_at(g, g->rank)->stamp;
    if (!await(g, &c->stamp, g->step, kin->parent, wrong, group_small_stamp(g, 0),
               group_small_stamp(g, UINT16_MAX)))
        return group_broken(g);
    if (c->bytes != bytes || c->total != total) return group_confused(g);
    tell_fragment(g, kin, cell, bytes, total); /* first: others wait for it */
    copy_bytes(to, group_cell_at(g, root, cell), bytes, total >= g->around_from);
    return OK;
}

static enum err
bcast_queue(struct coll *g, char *buf, size_t total, int root, const struct kin *kin)
{
    size_t fragment = select_fragment(g, total);
    for (size_t done = 0; done < total;) {
        size_t bytes = total - done < fragment ? total - done : fragment;
        int cell;
        enum err e = OK;
        group_stay_near(g);
        if (!group_take(g, g->rank == root, &bytes, &cell)) return group_broken(g);
        if (g->rank == root) {
            copier_copy(&g->copier, COPY_NEAR, group_cell_at(g, root, cell), buf + done, bytes);
            tell_fragment(g, kin, cell, bytes, total);
        } else if ((e = receive(g, kin, root, cell, buf + done, bytes, total))) {
            return e;
        }
        done += bytes;
        wake_readers(g, kin, total - done);
    }
    group_leave(g);
    return OK;
}

enum err
coll_bcast(struct coll *g, void *buf, size_t bytes, int root)
{
    if (root < 0 || root >= g->size) return E_USER;
    if (g->size == 1 || !bytes) return OK;
    enum err e = group_begin(g);
    if (e) return e;
    const struct kin *kin = group_kin(g, root);
    if (!kin) return E_NOMEM;
    if (select_small(g, bytes)) return bcast_small(g, buf, bytes, root, kin);
    return bcast_queue(g, buf, bytes, root, kin);
}
