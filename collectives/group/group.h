/* group.h - what the operations share: steps, lines, cells, and who is told by whom.
 *
 * Calls consist of steps, numbered alike by all members. A member says in its word `left` which
 * step it has finished; before a line or a set is used again, its new writers see to it that all
 * have left the step of the last use. What a member has seen of this it remembers, so that the
 * words are read once in a while and not in each call.
 *
 * Lines are used in turn, one a step. Cells are used in turn too: a call goes on in the set where
 * the one before has ended, and a call that needs more sets takes a step for each. */
#ifndef LUNA_COLLECTIVES_GROUP_H
#define LUNA_COLLECTIVES_GROUP_H

#include "collectives/group/copy.h"
#include "collectives/group/layout.h"
#include "collectives/group/numa.h"
#include "collectives/group/segment.h"
#include "collectives/group/tree.h"
#include "collectives/group/wait.h"

struct coll {
    int rank, size;
    uint64_t step;     /* the one to come or running; from 1 */
    uint64_t all_left; /* the last step that all are known to have left */
    struct head *head;
    char *base;
    struct wait_member waiter;
    struct segment_layout layout;
    struct member *self;

    int set, used;          /* the open set, its cells already used */
    int near;               /* of a set: what broadcasts use, so that it stays in the caches */
    uint64_t *set_step;     /* of each set: the last step that used it */
    unsigned slots;         /* used in turn, a power of 2 */
    size_t fragment;        /* 0: by the message */
    size_t around_from;     /* bytes of a message: copied out past the caches */
    struct copier copier;   /* of what is copied in */

    enum coll_tree tree;
    int fan_out;
    bool crowded;           /* when it was made: all members have the same here */
    struct kin **kin;       /* by root, made when needed */
    const void **operands;  /* room for one of each member */

    struct segment *segment;
    const char *alien;      /* by rank: a member of another process */
    int32_t *leaders;       /* NULL: one NUMA node */
    struct coll_about about;
    int look_at;            /* the member whose life is looked at next */
    _Atomic uint64_t *wrong; /* what is written if the root means a message of another size */
    uint64_t wrong_least, wrong_most;
};

static inline struct member *
group_member_at(const struct coll *g, int rank)
{
    return (struct member *)(g->base + (size_t)rank * g->layout.stride + g->layout.lines);
}

static inline struct control *
group_control_at(const struct coll *g, int rank, int cell)
{
    return (struct control *)(g->base + (size_t)rank * g->layout.stride + g->layout.controls +
                              (size_t)cell * g->layout.control_stride);
}

static inline char *
group_cell_at(const struct coll *g, int rank, int cell)
{
    return g->base + (size_t)rank * g->layout.stride + g->layout.queue +
           (size_t)cell * g->layout.cell;
}

static inline struct line *
group_line_at(const struct coll *g, int rank)
{
    return &group_member_at(g, rank)->ring[g->step % RING];
}

/* Where a message is that is longer than a line. */
static inline char *
group_slot_at(const struct coll *g, int rank)
{
    return g->base + (size_t)rank * g->layout.stride + g->layout.slots +
           (g->step & (g->slots - 1)) * g->layout.slot;
}

/* Where the bytes of a small message are that `rank` has written in this step. */
static inline char *
group_small_at(const struct coll *g, int rank, size_t bytes)
{
    return bytes <= LINE_BYTES ? (char *)group_line_at(g, rank)->bytes : group_slot_at(g, rank);
}

static inline uint64_t
group_small_stamp(const struct coll *g, size_t bytes)
{
    return g->step << 16 | bytes;
}

/* A child of fork does not have the segment. */
static inline bool
group_is_here(const struct coll *g)
{
    return *g->segment->here;
}

/* OK: the group can be used, by this process. */
static inline enum err
group_begin(const struct coll *g)
{
    if (!group_is_here(g)) return E_USER;
    return (enum err)atomic_load_explicit(&g->head->broken, memory_order_relaxed);
}

/* Why a wait has ended with false. */
static inline enum err
group_broken(const struct coll *g)
{
    return (enum err)atomic_load_explicit(&g->head->broken, memory_order_relaxed);
}

/* Members have called differently: ends it for all. */
enum err group_confused(struct coll *g);

bool group_await_left(struct coll *g, uint64_t step);

/* True: all have left `step` and what they read there. False: broken. */
static inline bool
group_all_left(struct coll *g, int64_t step)
{
    return step <= (int64_t)g->all_left || group_await_left(g, (uint64_t)step);
}

/* True: nobody needs what was where a small message is to be written. False: broken. */
static inline bool
group_small_free(struct coll *g, size_t bytes)
{
    return group_all_left(g, (int64_t)g->step - (bytes <= LINE_BYTES ? RING : g->slots));
}

/* Ends this member's step. What is to go on does so too if a member never waits. */
static inline void
group_leave(struct coll *g)
{
    wait_publish_quietly(&g->self->left, g->step);
    wait_wake(&g->waiter, BELL_LEFT);
    if (g->step++ % 16) return;
    wait_here(&g->waiter);
    if (g->step % 64 == 1) wait_progress(&g->waiter);
}

/* All others have begun this step, so they have left the one before. */
static inline void
group_all_here(struct coll *g)
{
    if (g->step - 1 > g->all_left) g->all_left = g->step - 1;
}

/* The next cells, for up to *bytes bytes; *bytes becomes what fits in this set. A writer waits
 * until the set is free; others are told by writers. False: broken. */
bool group_take(struct coll *g, bool writer, size_t *bytes, int *cell);

/* Waits until the lines of all others have been written in this step, all with this stamp. */
bool group_lines(struct coll *g, uint64_t stamp);

/* Where the next call that takes cells begins. */
static inline int
group_next_cell(const struct coll *g)
{
    int per_set = g->layout.cells / g->layout.sets;
    bool full = g->used == per_set;
    return full ? (g->set + 1) % g->layout.sets * per_set : g->set * per_set + g->used;
}

/* What does not fit in the rest of a set may begin with the next one, rather than with a bit. It
 * always does where members share cores: a set more costs a turn on them. */
static inline void
group_skip(struct coll *g, size_t bytes)
{
    int per_set = g->layout.cells / g->layout.sets;
    size_t rest = (size_t)(per_set - g->used) * g->layout.cell;
    bool bit = rest < (size_t)per_set / 2 * g->layout.cell;
    if (bytes > rest && (bit || g->crowded)) g->used = per_set;
}

/* The set has served: the next one is opened instead of using the rest of it. */
static inline bool
group_near_end(const struct coll *g)
{
    return g->used >= g->near;
}

static inline void
group_stay_near(struct coll *g)
{
    if (group_near_end(g)) g->used = g->layout.cells / g->layout.sets;
}

/* Lent; NULL: no memory. */
const struct kin *group_kin(struct coll *g, int root);

/* The word `in` or `out` of a member who has given `count` parts in this step. */
static inline uint64_t
group_parts(const struct coll *g, unsigned count)
{
    return g->step << 16 | count;
}

#endif
