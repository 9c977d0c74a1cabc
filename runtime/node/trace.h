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
uint64_t trace_begins(struct worker *w);
uint64_t trace_call_begins(struct worker *w, uint32_t reads); /* with the chain of what it reads */
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

void trace_set_reads(struct worker *w, uint32_t chain);
void trace_set_chain(struct worker *w, uint32_t chain);
uint32_t trace_last_chain(const struct worker *w);

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
    if (TRACED(w)) trace_count_made(w, k, v, kept);
}

/* ---- chains (data/chain.h) ---- */

/* Before a call: the longest chain of what it reads. */
static inline void
trace_reads(struct worker *w, uint32_t chain)
{
    if (TRACED(w)) trace_set_reads(w, chain);
}

/* Of the call that has ended, or of what has otherwise; not traced: 0. */
static inline uint32_t
trace_chain(const struct worker *w)
{
    return TRACED(w) ? trace_last_chain(w) : 0;
}

/* ---- what brings what (trace_cause.c) ---- */

/* A task that has waited has all its inputs now. */
static inline void
trace_ready(struct worker *w, const struct luna_site *site, struct task *t)
{
    if (TRACED(w)) trace_came(w, site, t);
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
