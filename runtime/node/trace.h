/* trace.h - what happened when, in files that any tool can read (docs/traces.md).
 *
 *     DIR/run.json            what was run, and how it ended
 *     DIR/node-00007.jsonl    a line per event of node 7; or, binary,
 *     DIR/node-00007.ltr      a record (trace_block.h)
 *
 * Each worker prints its events into a buffer of its own and appends it to the file of its node
 * when it is full: whole lines, so workers need no lock between them, and the lines of one worker
 * are in order. Nothing is dropped. A fault on the way writes what there is.
 *
 * Off, a hook is one branch that is always predicted. */
#ifndef LUNA_RUNTIME_TRACE_H
#define LUNA_RUNTIME_TRACE_H

#include "runtime/base/quick.h"
#include "runtime/node/node.h"
#include "runtime/table/task.h"

enum { TRACE_HOST = 64 }; /* bytes of the name of a host */

struct layout;

struct trace_options {
    const char *dir;
    const char *transport; /* local, mpi, sim */
    int nodes, workers;
    bool first;            /* this process writes run.json */
    bool sim;
    uint64_t seed;         /* sim: of the run */
    const char *hosts;     /* nhosts names of TRACE_HOST bytes, one per rank; lent for trace_open */
    size_t nhosts;
    const struct layout *layout; /* who has which cells */
    uint64_t every_ns;     /* between two lines of load; 0: 10 ms */
    bool values;           /* calls tell what they read and assign */
    bool binary;
};

/* Makes DIR and its files. From now on events of these nodes, which were made to be
 * traced, are written; before they run. Gives an exit code when it cannot, and said so; or 0. */
int trace_open(const struct luna_program *p, const struct trace_options *o,
               struct node *const *nodes, int n);
/* Of a rank: what to add to a `t` of its trace to have that of rank 0 (ns), at the start; and how
 * much more after each second. */
struct trace_clock {
    int64_t offset, drift;
};
/* If ranks are on several hosts: of each. May be called again. */
void trace_clocks(const struct trace_clock *of, size_t n);
/* The run begins at `zero` of the transport's clock, where `t` is 0; else with the first node. */
void trace_from(uint64_t zero);
/* The run is over, no worker runs any more. False: the trace is not whole, and that was said. */
bool trace_close(int exit_code);

/* ---- hooks ---- */
enum trace_why { TRACE_REPLY, TRACE_PUSH, TRACE_MIGRATE, TRACE_COLLECTIVE };

uint64_t trace_now(struct worker *w);
uint64_t trace_now_after(struct worker *w); /* all that was read before */
uint64_t trace_now_renewed(struct worker *w);
uint64_t trace_begins(struct worker *w);
uint64_t trace_works(struct worker *w);
/* Gives the chain of what it has assigned. */
uint32_t trace_exec_line(struct worker *w, const struct luna_site *site, const struct task *t,
                         uint64_t began, uint32_t cell);
void trace_send_line(struct worker *w, int to, const struct key *k, const luna_value *v,
                     enum trace_why why, bool numbered);
void trace_came(struct worker *w, const struct luna_site *site, struct task *t);
void trace_took(struct worker *w, const struct luna_site *site, struct task *t);
void trace_knows_nothing(struct worker *w);
void trace_mark_message(struct worker *w, struct packet *p);
void trace_message_came(struct worker *w, const struct packet *p);
void trace_call_lines(struct worker *w, int to, const struct task *t, unsigned have);
void trace_count_made(struct worker *w, const struct key *k, luna_value v, bool kept);
void trace_move_line(struct worker *w, int to, uint32_t cell);
/* The lattice has come while the program runs: run.json tells it, then each node its cells. */
void trace_lays_out(void);
void trace_settled(struct worker *w);
/* A step of balancing is over (0: none), since the one before it took so many ns here; `changed`:
 * this node owns other cells than before. */
void trace_balanced(struct worker *w, uint32_t step, uint64_t ns, bool changed);
void trace_count(struct node *n, const struct packet *p);
void trace_load(struct worker *w, uint64_t now);
void trace_turned(struct worker *w, uint64_t ns);

struct trace_made { /* of a declaration, by one worker, who alone writes it */
    atomic_uint_fast64_t numbers[2]; /* ints, and reals: most values */
    atomic_uint_fast64_t count, bytes, biggest; /* of all others */
    atomic_uint_fast64_t dropped;               /* of all */
};

/* What calls have to do with at each turn: the front of a struct trace_worker. */
struct trace_front {
    struct quick_line line;  /* of times of the trace; until 0: to be asked for */
    bool alone;              /* no other worker makes what is read here */
    uint32_t reads, chain;   /* of what the next call reads; of what has ended last */
    bool by_call;            /* the worker does what it does because its last call has ended, */
    uint64_t ended;          /* then; */
    atomic_uint_fast64_t calls; /* that was its so many-th */
    struct trace_made *made; /* per declaration; NULL: it has assigned nothing yet */
};

/* To a sum that one worker alone writes. */
static inline void
trace_add(atomic_uint_fast64_t *sum, uint64_t n)
{
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static inline struct trace_front *
trace_front(const struct worker *w)
{
    return (struct trace_front *)(void *)w->trace;
}

/* The time, for the thread of the worker. */
static inline uint64_t
trace_now_own(struct worker *w)
{
    const struct quick_line *l = &trace_front(w)->line;
    uint64_t ticks = cpu_ticks(), ns = quick_on(l, ticks);
    return __builtin_expect(ticks < l->until, 1) ? ns : trace_now_renewed(w);
}

#define TRACED(x) __builtin_expect((x)->trace != NULL, 0)

/* Around the call of an atomic sub; cell: LATTICE_NONE if it runs for none. */
static inline uint64_t
trace_begin(struct worker *w)
{
    return TRACED(w) ? trace_begins(w) : 0;
}

static inline void
trace_exec(struct worker *w, const struct luna_site *site, const struct task *t, uint64_t began,
           uint32_t cell)
{
    if (TRACED(w)) trace_exec_line(w, site, t, began, cell);
}

/* A value leaves for another node; `numbered`: by the message that is made next. */
static inline void
trace_send(struct worker *w, int to, const struct key *k, const luna_value *v, enum trace_why why,
           bool numbered)
{
    if (TRACED(w)) trace_send_line(w, to, k, v, why, numbered);
}

/* A value is assigned; `kept`: for readers. */
static inline void
trace_made(struct worker *w, const struct key *k, luna_value v, bool kept)
{
    if (!TRACED(w)) return;
    struct trace_made *made = trace_front(w)->made;
    bool number = v.type == LUNA_INT || v.type == LUNA_REAL;
    if (__builtin_expect(!made || !number, 0)) {
        trace_count_made(w, k, v, kept);
        return;
    }
    made += k->df & ~KEY_MARKS;
    trace_add(&made->numbers[v.type == LUNA_REAL], 1);
    if (!kept) trace_add(&made->dropped, 1);
}

/* ---- chains (data/chain.h) ---- */

/* Before a call: the longest chain of what it reads. */
static inline void
trace_reads(struct worker *w, uint32_t chain)
{
    if (TRACED(w)) trace_front(w)->reads = chain;
}

/* The same, and gives the time: of a run that is traced. */
static inline uint64_t
trace_call_begins(struct worker *w, uint32_t chain)
{
    struct trace_front *f = trace_front(w);
    f->reads = chain;
    if (!f->alone) quick_after();
    return trace_now_own(w);
}

/* Of the call that has ended, or of what has otherwise; not traced: 0. */
static inline uint32_t
trace_chain(const struct worker *w)
{
    return TRACED(w) ? trace_front(w)->chain : 0;
}

/* ---- what brings what (trace_cause.c) ---- */

/* The call that this worker has told last. */
static inline struct task_cause
trace_last_call(const struct worker *w)
{
    const struct trace_front *f = trace_front(w);
    return (struct task_cause){
        .ready = f->ended, .by = w->number,
        .k = atomic_load_explicit(&f->calls, memory_order_relaxed),
        .node = (uint32_t)w->node->number};
}

/* A task that has waited has all its inputs now. */
static inline void
trace_ready(struct worker *w, const struct luna_site *site, struct task *t)
{
    if (!TRACED(w)) return;
    if (!trace_front(w)->by_call) {
        trace_came(w, site, t);
        return;
    }
    t->flags |= TASK_CAUSED;
    *task_cause(site, t) = trace_last_call(w);
}

/* The worker begins with a statement whose inputs are all there; */
static inline void
trace_task(struct worker *w, const struct luna_site *site, struct task *t)
{
    if (TRACED(w)) trace_took(w, site, t);
}

/* with something else, for which it knows no cause. */
static inline void
trace_other(struct worker *w)
{
    if (TRACED(w)) trace_knows_nothing(w);
}

/* A message is made, and comes. */
static inline void
trace_leaves(struct worker *w, struct packet *p)
{
    if (TRACED(w)) trace_mark_message(w, p);
}

static inline void
trace_comes(struct worker *w, const struct packet *p)
{
    if (TRACED(w)) trace_message_came(w, p);
}

/* A statement leaves, and takes along which of its first inputs it has: each of them is pushed. */
static inline void
trace_call(struct worker *w, int to, const struct task *t, unsigned have)
{
    if (TRACED(w) && have) trace_call_lines(w, to, t, have);
}

/* Any packet, as it is handed to the transport. */
static inline void
trace_packet(struct node *n, const struct packet *p)
{
    if (TRACED(n)) trace_count(n, p);
}

/* A worker begins to work, perhaps for long: the same, and if the run breaks off this counts. */
static inline uint64_t
trace_work(struct worker *w)
{
    return TRACED(w) ? trace_works(w) : 0;
}

/* A worker has been at work since `began`, of one of both: the rest of the time it was idle. */
static inline void
trace_worked(struct worker *w, uint64_t began)
{
    if (TRACED(w)) trace_turned(w, trace_now(w) - began);
}

/* While idle: keeps lines of load coming. */
static inline void
trace_tick(struct worker *w)
{
    if (TRACED(w)) trace_load(w, trace_now(w));
}

#endif
