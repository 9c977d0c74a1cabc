/* task.h - a statement that lives: it waits for its inputs, is ready, or still has children to
 * yield.
 *
 * Two shapes share a head, so that queues hold either:
 *
 *     task    one statement: its locals, then a value per input (filled as they come)
 *     range   a block to be spawned for the values of a counter (or once): one queue entry stands
 *             for all its children, which are made one by one when it is at the head
 *
 * Both hold a count on their frame.
 *
 * A task asks for all inputs of a round at once. For the first that is missing it stands in the
 * store's list itself; for each further one a link of its own stands there (waiter.h), and a word
 * behind the values counts what is still to come. A slot without a value has the type LUNA_UNSET.
 */
#ifndef LUNA_RUNTIME_TASK_H
#define LUNA_RUNTIME_TASK_H

#include "runtime/data/chain.h"
#include "runtime/data/frame.h"
#include "runtime/store/store.h"

#include <stdatomic.h>

/* What is to be done with it when its turn comes. */
enum task_kind {
    TASK_WAITS = WAITER_CALL, /* nothing: it stands in the store's lists, and in no queue */
    TASK_READY = WAITER_KINDS, /* all inputs are here: run it */
    TASK_START, /* its inputs have not been asked for yet */
    TASK_RANGE,
    TASK_ARRIVAL, /* parts of a reduction, or elements, that another node has sent (reduce.h) */
    TASK_FEW_ASKS /* a reduction of a few elements, which have not been asked for yet */
};

enum task_flags {
    TASK_HERE = 1,   /* the node it runs on has been decided: this one */
    TASK_SHARED = 2, /* a for or if that all nodes run: what it spawns is shared too */
    TASK_GUEST = 4,  /* another node has made it */
    TASK_FEW = 8,    /* a reduction of a few elements (reduce.h) */
    TASK_CAUSED = 16,  /* traced: it had to wait, and its task_cause tells for what */
    TASK_GATHERED = 32, /* a call whose lists are asked for: it has counted as run (gather.h) */
    TASK_MARKED = 64    /* who has made it is told when it begins (lead.h) */
};

enum range_flags {
    RANGE_COUNTER = 1, /* children see the counter as their last local */
    RANGE_FRESH = 2,   /* and behind it the identity of their iteration */
    RANGE_CARRIED = 4, /* iterations feed each other: do not split */
    RANGE_SHARED = 8,  /* all nodes walk it; each creates what runs there (share.h) */
    RANGE_MINE = 32,   /* and all calls of its block run here (a loop inside is asked again) */
    RANGE_FOLD = 16,   /* over the elements of a reduction: its frame has a fold (reduce.h) */
    RANGE_INSIDE = 64, /* the body of a sub: it lies in its frame */
    RANGE_TURN = 128   /* what a condition has decided: on several nodes it never pauses */
};

struct task {
    WAITER(              /* kind: enum task_kind */
        uint8_t flags;   /* enum task_flags; of a range: enum range_flags */
        uint16_t at;     /* input it waits for, or asks for next; of a range: words of local */
        uint32_t site;   /* row of program.sites; of a range: row of program.blocks */
    );
    struct frame *frame;
    luna_word word[];    /* task: locals, values, struct task_end */
};
static_assert(offsetof(struct task, kind) == offsetof(struct waiter, kind) &&
              sizeof(struct task) == 24, "one head, and no byte in vain");

/* For which of its inputs a call on this node waits here. */
static inline unsigned
task_awaited_at(const struct waiter *w)
{
    return w->kind == WAITER_CALL ? waiter_call(w)->at : waiter_input((struct waiter *)w)->at;
}

struct range {
    struct task head;    /* word[]: not used, see local */
    int32_t i;           /* the iteration that is next, */
    uint32_t left;       /* and how many come behind it; without a counter 0 and 0 */
    uint32_t next_site;  /* within the block, of iteration i */
    uint32_t made;       /* identity of iteration i exists: FRESH and next_site > 0 */
    uint32_t step;       /* from one iteration to the next, modulo 2^32 */
    luna_word local[];   /* head.at words, then room for counter and identity */
};

/* All of lo..hi, which is not empty. */
static inline void
range_over(struct range *r, int32_t lo, int32_t hi)
{
    r->i = lo;
    r->left = (uint32_t)hi - (uint32_t)lo;
    r->step = 1;
}

/* lo, lo + step, ... up to hi, or down to it. False: there is none. */
static inline bool
range_over_steps(struct range *r, int32_t lo, int32_t hi, int32_t step)
{
    bool down = step < 0;
    if (down ? lo < hi : lo > hi) return false;
    range_over(r, lo, hi);
    if (step == 1) return true;
    r->left = (down ? 0 - r->left : r->left) / (down ? 0u - (uint32_t)step : (uint32_t)step);
    r->step = (uint32_t)step;
    return true;
}

/* Goes on by so many iterations. */
static inline void
range_go(struct range *r, uint32_t n)
{
    r->i = (int32_t)((uint32_t)r->i + n * r->step);
    r->left -= n;
}

static inline bool
task_is_range(const struct task *t)
{
    return t->kind == TASK_RANGE;
}

static inline luna_value *
task_values(const struct luna_site *site, const struct task *t)
{
    return (luna_value *)(void *)&t->word[site->nlocal];
}

struct task_end { /* behind the values of a task with several inputs; with one: see below */
    atomic_uint to_come; /* inputs of the round that have not come; one more while it is asking */
    uint32_t made;       /* its age (aged.h), from when it is on the heap */
};

static inline struct task_end *
task_end(const struct luna_site *site, const struct task *t)
{
    return (struct task_end *)(void *)(task_values(site, t) + site->nin);
}

static inline atomic_uint *
task_to_come(const struct luna_site *site, struct task *t)
{
    return &task_end(site, t)->to_come;
}

/* The longest of what its inputs come from. */
static inline uint32_t
task_chain(const struct luna_site *site, const struct task *t)
{
    uint32_t longest = 0;
    for (unsigned i = 0; i < site->nin; i++) {
        const luna_value *v = &task_values(site, t)[i];
        if (v->type != LUNA_UNSET) longest = chain_longer(longest, v->chain);
    }
    return longest;
}

/* No value yet for inputs from `from` on. */
static inline void
task_unset(const struct luna_site *site, struct task *t, unsigned from)
{
    for (; from < site->nin; from++) task_values(site, t)[from].type = LUNA_UNSET;
}

/* Whether tasks with one input have a task_end, too: on several nodes, where ages count. Set before
 * the first is made. */
extern bool task_all_age;

static inline bool
task_has_end(const struct luna_site *site)
{
    return site->nin > 1 || (site->nin && task_all_age);
}

/* It is on the heap from now on. Without inputs it never waits, and need not know. */
static inline void
task_set_age(const struct luna_site *site, struct task *t, uint32_t made)
{
    if (task_has_end(site)) task_end(site, t)->made = made;
}

static inline uint32_t
task_age(const struct luna_site *site, const struct task *t, uint32_t now)
{
    return task_has_end(site) ? task_end(site, t)->made : now;
}

static inline size_t
task_own_bytes(const struct luna_site *site)
{
    return sizeof(struct task) + site->nlocal * sizeof(luna_word) +
           site->nin * sizeof(luna_value) + (task_has_end(site) ? sizeof(struct task_end) : 0);
}

/* Of a traced run, behind all else: what has brought the last input of a task, and when. */
enum { CAUSE_READY_BITS = 51 };
struct task_cause {
    uint64_t ready : CAUSE_READY_BITS; /* ns, the lower bits: task_cause_ready() */
    int64_t by : 13;                   /* worker, of at most 4096, or enum cause_by */
    uint64_t k : 44; /* the k-th call of this worker, or the k-th message of this node */
    uint64_t node : 20;
};
static_assert(sizeof(struct task_cause) == 16, "tasks that wait for one value lie in one line");
enum cause_by { CAUSE_MESSAGE = -1, CAUSE_UNKNOWN = -2 };

/* All bits, of one that lies at most 13 days from `now`; a clock may be read a little early. */
static inline uint64_t
task_cause_ready(const struct task_cause *c, uint64_t now)
{
    enum { ABOVE = 64 - CAUSE_READY_BITS };
    return now - (uint64_t)((int64_t)((now - c->ready) << ABOVE) >> ABOVE);
}

/* Tasks have one. Set before the first is made. */
extern bool task_all_caused;

static inline struct task_cause *
task_cause(const struct luna_site *site, const struct task *t)
{
    return (struct task_cause *)(void *)((char *)t + task_own_bytes(site));
}

static inline size_t
task_bytes(const struct luna_site *site)
{
    return task_own_bytes(site) + (task_all_caused ? sizeof(struct task_cause) : 0);
}

static inline size_t
range_bytes(unsigned nlocal)
{
    return sizeof(struct range) + (nlocal + 2) * sizeof(luna_word);
}

#endif
