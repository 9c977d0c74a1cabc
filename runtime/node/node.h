/* node.h - one node: a store of fragments and the workers that run what is ready.
 *
 * A worker's turn is bounded: it takes one entry of its queues, runs it, and comes back. What is in
 * the queues depends on how many workers a node has:
 *
 *   in order   one worker of the only node: a single FIFO. Running a body appends one entry per
 *              statement (a range stands for them all), a call of a structured sub takes two turns,
 *              a call that had to wait goes to the tail when its last input comes: the output order
 *              of the original. While `queue_long` loops, branches and bodies stand in it, it grows
 *              no longer: loops that make more of them step aside, to the tail, and what is taken
 *              then is depth first with all below it (enum order).
 *   deep       one worker of several nodes: first what makes calls or asks for values, for others
 *              may wait for it: ranges depth first, those begun here and those sent by other nodes
 *              in turn. Then calls that are ready, the short ones in the order in which they became
 *              so, then the others in the order in which they were made, but first those that other
 *              nodes wait for.
 *   many       a deque of ready calls and a deque of ranges per worker, depth first, thieves take
 *              from the other end. The first successor of a call runs at once on the same core.
 *              While nobody is idle, only their maker sees the newest ranges (worker_shows).
 *
 * Back-pressure: while `window` calls wait for inputs and something is ready, ranges pause. When
 * nothing is ready they go on whatever the window says; with several nodes, when nothing is ready
 * on any of them (done.h). So this never stops a program that can go on.
 *
 * Why loops do not run ahead: docs/decisions/0023; what ends the queue of one worker: 0028. */
#ifndef LUNA_RUNTIME_NODE_H
#define LUNA_RUNTIME_NODE_H

#include "distrib/distrib.h"
#include "runtime/base/core_time.h"
#include "runtime/node/aged.h"
#include "runtime/node/cost.h"
#include "runtime/node/heed.h"
#include "runtime/node/lead.h"
#include "runtime/net/transport.h"
#include "runtime/node/queue.h"
#include "runtime/node/ranked.h"
#include "runtime/node/harvest.h"
#include "runtime/table/recipe.h"
#include "runtime/node/speed.h"
#include "runtime/store/loans.h"
#include "runtime/store/store.h"
#include "runtime/table/task.h"

#include <stdatomic.h>
#include <stdbool.h>

struct node;
struct share;
struct copies;
struct done;
struct ledger;
struct scopes;

/* How far a worker goes on walking loops although many calls wait: on trial. */
struct trial {
    uint64_t calls, waits; /* of the worker, when a call of it had last been seen to run */
    uint64_t most;         /* statements that may have to wait since */
};

/* In order: where what the entry in hand makes goes. Why there are three: decision 0028. */
enum order {
    ORDER_QUEUE, /* to the tail of the queue */
    ORDER_TURN,  /* taken from a queue that is long: on the stack; but of a loop one turn only, the
                  * rest goes to the tail, for all that stands there comes before it in time */
    ORDER_STACK  /* taken from the stack, which comes before the queue: on the stack */
};

enum { WORKER_KEEPS = 8 };

/* Of a node of one worker: that stands still between two turns from GRANTED on (life.h). */
enum held { LOOK_NONE, LOOK_WANTED, LOOK_GRANTED };

struct worker {
    struct node *node;
    int number;
    /* in order and deep */
    struct fifo fifo;   /* deep: only calls that are ready and short */
    long nready;        /* calls that are ready */
    struct fifo paused; /* in order: ranges put aside by back-pressure, oldest first */
    enum order order;   /* in order: of the entry in hand */
    bool drains;        /* in order: the queue was long, and is being emptied */
    long nfirst;        /* calls at the head of fifo that became ready meanwhile, newest first */
    /* deep: statements that make others, or ask for their inputs; calls that may be long */
    struct fifo soon;
    struct aged aged; /* in order: calls with a priority, which run when the queue is empty */
    uint32_t made; /* statements that had to wait for something: a clock of their ages */
    bool asked;    /* another node, or what decides of statements, waits since the last look */
    /* deep: ranges begun here, the newest first; and those sent by other nodes, with what they
     * have begun, which are in the order they came in. In order: [0] is the stack. */
    struct fifo ranges_of[2];
    int side;    /* the one of them whose range runs */
    /* deep: a loop of which all iterations are begun before they go on (exec_wide.c), or NULL; its
     * side; what was made, in order, and may be wide, too; is it about to make something? */
    struct range *wide;
    int wide_side;
    struct fifo begun, looked_at;
    bool begins;
    bool hosts; /* deep: what it makes is of a statement that another node has sent */
    long guests; /* of those that wait: requests and calls of other nodes; */
    long terms;  /* elements of sums and lists */
    uint32_t *ahead; /* by statement: calls of it that wait, or are ready; NULL: nobody asks */
    /* many */
    struct task *next; /* first successor of the call just run */
    struct range *hand; /* what is left of the range whose child runs: nobody else sees it */
    struct deque ready, ranges;
    struct deque came; /* several nodes: statements that others have sent, which ask first */
    struct deque cold; /* ready, too: what they read lies in the cache of another worker's core */
    struct task *kept[WORKER_KEEPS]; /* the newest ranges, above those in the deque: nobody else */
    unsigned nkept;                  /* sees them, and they need no fence */
    int went_on;                     /* with the newest of them, so often in this turn */
    long others_wait; /* calls that wait, of the other workers, at the last look */
    unsigned looked;  /* turns since then */
    bool nests;          /* the range that the statement in hand makes will be its maker's next: */
    struct range *child; /* it is left here */
    struct trial trial;
    struct loans loans;
    /* deep and many */
    struct heed heed;
    /* all */
    struct task *draft; /* the statement being spawned; it moves to the heap only if it must wait */
    struct task *aside; /* the draft of what is asked for in the midst of that */
    union luna_actual *actual; /* arguments of the call that runs, */
    struct luna_df *df;        /* and the DFs they point to */
    uint64_t *seen;            /* -g: what the inputs among them were before the call */
    unsigned rotation;    /* where the next theft starts */
    uint64_t serial, serial_end; /* identities left of its block */
    /* Written by this worker, summed by all: so on lines of its own. */
    _Alignas(128)
        atomic_long waiting; /* calls made here that wait, less those run here that waited */
    /* Written by this worker. */
    _Alignas(128) uint64_t calls, steals, sleeps, waits;
    uint64_t slept; /* ticks */
    uint64_t values_sent, bytes_sent, hops_sent; /* of fragments, to other nodes */
    uint64_t walks, walked; /* messages for cells that came, and over how many nodes in all */
    uint32_t farthest;      /* over how many at most, since a trace has told it */
    struct trace_worker *trace; /* NULL: off */
    struct costs *costs;        /* of its calls, by cell; NULL: nobody asks */
    bool by_weight;             /* their weights, not their times */
    double weight; /* of the calls run, if the node weighs */
    struct costs_known known; /* how long calls take */
    unsigned sample;          /* short calls until the next is measured */
    /* Ticks, simulated virtual ns: at work, of these in calls (--stats); and without work while
     * there was some that it could have taken or made. */
    uint64_t worked, called, wasted;
    uint64_t works_from; /* ticks: it has been at work since then; 0: it is not */
    struct core_time began, cores; /* of its thread: at the beginning; when it is over, its run */
    uint64_t paused_from; /* one worker: idle since then though it has loops; 0: it is not */
    bool many, deep; /* neither: in order */
    bool measures;   /* calls, for the scheduler: of short ones some */
    bool told;       /* --stats: the time of every call is summed up */
    bool only_traced; /* nobody but a trace wants to know of each call */
    bool watched;   /* somebody wants to know of each call: -g, a trace, weights */
    bool judged;    /* the call that runs has read only what another run has read, too */
    bool puts_here; /* what is assigned stays on this node, and nothing else is done with it */
    unsigned turns; /* since the last poll */
    bool timed;     /* what it has done since its last look at the clock may have taken long */
    _Atomic uint64_t deepest; /* activation: how many are around it, and below 32 bits its sub */
    atomic_bool inside; /* may be using what cells that move would change (node_still) */
    uint64_t polled;    /* ticks at the last poll */
    uint64_t calls_then; /* calls when the last step of balancing was seen */
    uint32_t balanced;   /* the number of that step */
    bool ending;          /* activations in `ended` are being ended, one by one */
    struct frame *ended;
    struct harvest harvest; /* many; on lines of its own */
};

/* Where something goes: to a node; or to whoever owns a cell, by way of a node. Two words, as
 * functions hand them over in registers: three would be stored word by word and loaded in twos, for
 * which a processor waits long. */
struct dest {
    int64_t node;
    uint64_t way; /* the cell, LATTICE_NONE: to the node itself; where the walk is (distrib.h) */
};

static inline struct dest
dest_by_cell(int node, uint32_t cell, uint32_t at)
{
    return (struct dest){node, (uint64_t)at << 32 | cell};
}

static inline struct dest
dest_node(int node)
{
    return dest_by_cell(node, LATTICE_NONE, 0);
}

static inline uint32_t
dest_cell(struct dest to)
{
    return (uint32_t)to.way;
}

static inline uint32_t
dest_walk(struct dest to)
{
    return (uint32_t)(to.way >> 32);
}

struct node {
    const struct luna_program *program;
    struct store *store;
    struct worker *workers;
    int nworkers, number, nodes;
    int digest_row; /* its first worker's row of digest.h */
    _Atomic long window; /* waiting calls a worker, */
    long soft;   /* many: while others have ready work */
    long queue_long; /* in order: loops, branches and bodies in the queue */
    bool debug, hash, compares, proved;
    bool measures; /* the size of each value that a bytes rule is about */
    bool steals; /* -b, and several nodes (steal.h) */
    bool tells;  /* --stats: workers sum up the time of their calls */
    void (*between)(struct worker *w); /* called between turns; NULL: nothing to do then */
    struct past *past; /* names of all that was; NULL: not kept */
    const struct recipe *recipes; /* per statement; lent */
    const struct slots *slots;    /* of frames; lent; NULL: there are none */
    const bool *deleted; /* by declaration: some are deleted; lent; NULL: none are */
    const bool *lent;    /* by declaration: workers may borrow them (loans.h); lent */
    const struct share *shares; /* per block; lent; NULL with one node */
    const struct lattice *cells; /* of the program; lent; NULL: it has none */
    struct packet *parked;       /* look for cells that are on their way here, in order */
    struct distrib *map;         /* who owns which cell; NULL: one node, or no cells */
    struct rebalance *balance;   /* NULL: cells stay where they are */
    uint32_t sweeps;             /* how often something was taken out with cells that went */
    /* The lattice comes while the program runs, and all above with it (settle.h); NULL: it was
     * there when the run began, or never will be. */
    void (*settle)(struct worker *w, const struct lattice *cells, uint32_t place);
    atomic_bool settling; /* a call that makes it has begun, */
    atomic_bool settled;  /* and all nodes have it */
    struct range *body;   /* of that call, here: it waits until so many have it; */
    int unsettled;        /* held by whoever polls */
    uint64_t moves;              /* groups of cells given so far; held by whoever polls, */
    uint64_t moving_sent, moving_heard; /* and what was sent and came because of that */
    atomic_uint_fast32_t cells_owned;     /* of the map, for whoever looks */
    atomic_int look; /* enum held: who is no worker wants to see what it holds */
    bool gated;                  /* workers say when they are inside */
    atomic_bool still;           /* and stay outside meanwhile */
    struct ranked ranked;        /* many */
    struct lives *lives;        /* what lives here; NULL: nobody asks */
    struct trace_node *trace;   /* NULL: off */
    bool weighs; /* simulated: keeps the sum of weights of the calls it has run, */
    uint64_t call_ns; /* and spends so much time on one of weight 1 */
    const struct speeds *speeds; /* lent; NULL: it is as fast as it is */
    uint64_t began_ns;           /* when the run began */
    struct copies *copies;       /* of what lives on others, */
    struct ledger *ledger;       /* and what these have paid for what lives here; NULL: none */
    uint64_t looked_after; /* at rest: so many messages had come when it looked what to tell */
    atomic_bool begun; /* many: the run has, and threads that are there may work */
    _Alignas(128) atomic_int idle;     /* workers with nothing in hand and nothing of their own */
    atomic_int sleepers, wake;         /* futex word */
    atomic_uint_fast64_t offered;      /* ticks when a sleeper was last woken because of work */
    atomic_uint departures;            /* times a worker has left the idle state */
    _Alignas(128) atomic_uint_fast64_t serials; /* blocks of identities given out */
    atomic_bool stop;
    /* Several nodes, one worker each: a thread turns it; nothing short is left, but a call that may
     * be long, and so many of its statement are ahead. */
    _Alignas(128) atomic_bool taken;
    atomic_uint due;
    /* several nodes */
    _Alignas(128)
    struct transport *net;
    struct lead lead;
    struct done *done;       /* of the end of the run; held by whoever polls */
    uint64_t called_ns, sent_off_ns; /* one worker: its last call, its last message before one */
    unsigned short_calls;
    struct scopes *scopes;   /* lent to other nodes */
    struct tally *tally;     /* NULL in builds without assertions */
    uint64_t asked;          /* neighbours told that we are hungry; held by whoever polls */
    atomic_uint_fast64_t hungry; /* neighbours that are */
    atomic_flag polling;
    atomic_flag listening;   /* an idle worker naps only briefly, for packets; others sleep */
    struct bell bell;        /* beside which it naps */
    _Alignas(128) atomic_uint_fast64_t sent, received; /* messages that are work */
};

/* ---- for exec.c, send.c, done.c ---- */
void     node_send(struct node *n, int to, struct packet *p); /* counted if it is work (msg.h) */
void     node_stop(struct node *n);
void     node_send_off(struct node *n, bool at_once);
/* A function is about to be called, or a loop walked, for who knows how long: what waits to be sent
 * goes first. */
static inline void
node_before_work(struct node *n)
{
    if (n->net->must_poll) node_send_off(n, false);
}
/* How fast it is just now, beside a node of which nothing is said. */
static inline double
node_speed(const struct node *n)
{
    if (!n->speeds) return 1;
    return speeds_at(n->speeds, n->number, n->net->ops->now_ns(n->net) - n->began_ns);
}
/* Simulated: a call of this weight runs here now. Gives the ns that it takes. */
double worker_spends(struct worker *w, double weight);
/* How far another node is, as values travel. */
int      node_distance(const struct node *n, int to);
/* ---- standing still ----
 *
 * Cells that move change the map, the store, and what waits there, under all workers. A worker of a
 * node that balances says when it is inside, which is always but while it runs a function or is
 * idle; who moves cells waits until no other is. With one worker nobody has to say anything. */
void node_stands_still(struct node *n);
/* Between two turns of its only worker: somebody may look at what the node holds. */
static inline void
node_lets_look(struct node *n)
{
    if (__builtin_expect(atomic_load_explicit(&n->look, memory_order_relaxed), 0))
        node_stands_still(n);
}

void node_still(struct worker *w); /* held by whoever polls; others are outside until node_go */
void node_go(struct worker *w);
void worker_wait_outside(struct worker *w);

static inline void
worker_leave(struct worker *w)
{
    if (w->node->gated) atomic_store_explicit(&w->inside, false, memory_order_release);
}

static inline void
worker_enter(struct worker *w)
{
    if (!w->node->gated) return;
    atomic_store(&w->inside, true);
    if (atomic_load(&w->node->still)) worker_wait_outside(w);
}

uint64_t worker_new_id(struct worker *w); /* a fresh identity */
void worker_ready(struct worker *w, struct task *t);  /* a call whose inputs have all come */
void worker_later(struct worker *w, struct task *t);  /* a range, body or start */
bool worker_reads_cold(const struct worker *w, const struct task *t);
/* Many: what a call reads lies in the caches of other workers' cores. Of a short one it does not
 * matter. */
static inline bool
worker_is_cold(const struct worker *w, const struct task *t)
{
    return !cost_is_short(&w->known, t->site) && worker_reads_cold(w, t);
}
/* A call that is not short is about to begin: what is left of the range in hand goes where others
 * see it, with one more count of its frame, and who sleeps is woken if there is something to take.
 * Only with many workers. */
void worker_offers(struct worker *w);
/* All that only this worker sees goes where others do. */
void worker_shows(struct worker *w);
long node_waiting(const struct node *n); /* calls, of all workers */
enum {
    LOOK_TURNS = 32   /* between looks at how many calls of others wait */
};
/* So few wait that ranges may be walked although something is ready. Others' calls are looked at
 * now and then only: each look costs lines of memory that they write all the time. */
static inline bool
worker_few_wait(struct worker *w)
{
    long own = atomic_load_explicit(&w->waiting, memory_order_relaxed);
    if (++w->looked >= LOOK_TURNS) {
        w->others_wait = node_waiting(w->node) - own;
        w->looked = 0;
    }
    return own + w->others_wait < w->node->soft * w->node->nworkers &&
           !lead_is_far(&w->node->lead);
}
/* Many: loops that others see, too. */
static inline bool
worker_has_loops(struct worker *w)
{
    return !deque_empty(&w->ranges) || harvest_loops(&w->harvest);
}
struct task *worker_pop_range(struct worker *w); /* the newest of its own; NULL: there is none */
/* Statements that other nodes have sent. */
static inline bool
worker_has_come(struct worker *w)
{
    return w->node->nodes > 1 && !deque_empty(&w->came);
}
/* Ready calls among those that others see, and what has come; and one of them for a thief. */
static inline bool
worker_has_calls(struct worker *w)
{
    return !deque_empty(&w->ready) || !deque_empty(&w->cold) || worker_has_come(w);
}
static inline struct task *
worker_steal_call(struct worker *from)
{
    struct task *t = worker_has_come(from) ? deque_steal(&from->came) : NULL;
    if (!t) t = deque_steal(&from->cold);
    return t ? t : deque_steal(&from->ready);
}
/* The newest of those that it keeps, if that is what it would take next, and it has not made too
 * many children in this turn: n so far. */
struct range *worker_goes_on(struct worker *w, int n);
/* Around the run of a worker that has a thread of its own. */
void worker_takes_core(struct worker *w);
void worker_leaves_core(struct worker *w);
/* ---- who sleeps is woken ---- */
void node_wake_sleeper(struct node *n);
/* Something was pushed. A sleeper may be missed: whoever pushed looks again, behind a fence, before
 * a call that is not short (worker_offers); until then it works through what it has pushed. */
static inline void
node_wake_one(struct node *n)
{
    if (atomic_load_explicit(&n->sleepers, memory_order_relaxed)) node_wake_sleeper(n);
}
void node_wake_all(struct node *n);
/* Until somebody is woken, but not for long; not at all if n->wake is no longer `seen`. */
void node_sleep(struct node *n, int seen);
/* A theft has succeeded: while there is more to take, the next sleeper is woken. */
void worker_took(struct worker *w, struct worker *from);

void worker_from_afar(struct worker *w, struct task *t); /* a range that another node has sent */
/* What a call that is ready will take; UINT64_MAX: who knows. */
uint64_t worker_expects_ns(const struct worker *w, const struct task *t);
/* It may be long: what others wait for comes first. */
bool worker_expects_long(const struct worker *w, const struct task *t);
/* A long call is next: first those that others, or what decides of more, have begun to wait for. */
void worker_looks_for_asked(struct worker *w);
/* It is to begin now, and may be so long that others should be heard first: not yet, then;
 * *rest_ns: look again until so much time has passed. */
bool worker_heeds(struct worker *w, const struct task *t, uint64_t *rest_ns);
static inline void
worker_waiting(struct worker *w, long change)
{
    atomic_store_explicit(&w->waiting,
                          atomic_load_explicit(&w->waiting, memory_order_relaxed) + change,
                          memory_order_relaxed);
}
/* The same for what another node has made: a request, or a call that was sent here. They say
 * nothing of how far the loops of this node are ahead. */
static inline void
worker_guest_waiting(struct worker *w, long change)
{
    worker_waiting(w, change);
    w->guests += change;
}
static inline void
worker_call_waiting(struct worker *w, const struct task *t, long change)
{
    worker_waiting(w, change);
    if (t->flags & TASK_GUEST) w->guests += change;
    else if (w->deep && t->frame->fold) w->terms += change;
    if (w->ahead) w->ahead[t->site] += (uint32_t)change;
}
/* Elements say nothing of how far loops are ahead, either: sums are asked for by all nodes, and of
 * what their writers read some may stand behind a loop that pauses here. But they are memory. */
enum { TERMS_A_CALL = 256 };
static inline long
worker_ahead(const struct worker *w, long waiting)
{
    return waiting - w->guests - w->terms + w->terms / TERMS_A_CALL;
}
/* One worker: too many calls wait and others are ready, so ranges pause; or enough are ready for
 * thieves. */
enum { STEAL_READY = 16 };
static inline bool
worker_should_pause(const struct worker *w)
{
    if (w->wide || (!w->deep && w->nready <= 0)) return false;
    long waiting = atomic_load_explicit(&w->waiting, memory_order_relaxed);
    if (!w->deep) return waiting - (w->nready - (long)w->aged.n) > w->node->window;
    return (w->node->steals && w->nready >= STEAL_READY) ||
           worker_ahead(w, waiting) > w->node->window || lead_is_far(&w->node->lead);
}
/* In order: loops, branches and bodies that stand in the queue; */
static inline long
worker_entries(const struct worker *w)
{
    size_t entries = w->fifo.tail - w->fifo.head + w->paused.tail - w->paused.head;
    return (long)(entries + w->aged.n) - w->nready;
}
/* so many that there should not be more. */
static inline bool
worker_queue_is_long(const struct worker *w)
{
    return worker_entries(w) >= w->node->queue_long;
}
/* One worker: loops that are not walked to their end: they may have paused. */
static inline bool
worker_has_ranges(const struct worker *w)
{
    return !fifo_empty(&w->paused) || !fifo_empty(&w->ranges_of[0]) ||
           !fifo_empty(&w->ranges_of[1]) || w->wide;
}
/* The same of all workers, which are idle. */
bool node_has_ranges(const struct node *n);
bool worker_has_turns(const struct worker *w);  /* one worker: there is something to do now */
/* All workers are idle: no queue holds an entry, but for loops that have paused, and at the end of
 * the run not even these. For assertions. */
bool node_is_at_rest(struct node *n, bool ended);

#endif
