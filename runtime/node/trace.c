/* trace.c - what is told of events, when a trace opens, and what ends it. */
#include "trace_parts.h"

#include "runtime/base/exit.h"
#include "runtime/base/folder.h"
#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/base/mem.h"
#include "runtime/base/wish.h"
#include "runtime/fault/fault.h"
#include "runtime/node/msg.h"
#include "runtime/node/owners.h"
#include "runtime/node/trace_run.h"
#include "runtime/node/trace_text.h"
#include "runtime/node/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVERY_NS = 10000000 };

struct trace_setup trace_setup;

static struct {
    struct trace_node *nodes;
    int taken; /* the folder, which no other run may write to; -1: it cannot be told */
    atomic_bool open;
} trace;

/* ---- time ---- */

_Thread_local struct worker *trace_here;

/* In the simulator, or where the clock is no counter, or has to be compared again. */
uint64_t
trace_now_slowly(struct worker *w)
{
    struct transport *net = w->node->net;
    return (trace_setup.o.sim ? net->ops->now_ns(net) : quick_ns()) - trace_setup.epoch;
}

uint64_t
trace_now(struct worker *w)
{
    return trace_now_of(w);
}

uint64_t
trace_now_renewed(struct worker *w)
{
    struct quick_line *own = &trace_front(w)->line;
    uint64_t now = trace_now_slowly(w);
    const struct quick_line *l = trace_setup.o.sim ? NULL : atomic_load(&quick_line);
    if (l) *own = *l;
    if (l) own->ns -= trace_setup.epoch;
    return now;
}

uint64_t
trace_now_after(struct worker *w)
{
    quick_after();
    return trace_now_of(w);
}

/* A call reads what other workers have made; what other nodes have, came in a message. */
uint64_t
trace_begins(struct worker *w)
{
    trace_here = w;
    return trace_front(w)->alone ? trace_now_of(w) : trace_now_after(w);
}

uint64_t
trace_works(struct worker *w)
{
    uint64_t now = trace_now(w);
    trace_here = w;
    atomic_store_explicit(&w->trace->since, now, memory_order_relaxed);
    return now;
}

void
trace_turned(struct worker *w, uint64_t ns)
{
    atomic_store_explicit(&w->trace->since, 0, memory_order_relaxed);
    trace_add(&w->trace->active, ns);
}

/* ---- events ---- */

/* A line that is rare: of text in both formats. */
static bool
rare_begin(struct trace_line *l, struct trace_worker *tw)
{
    if (!trace_line_begin(l, &tw->lines, 0)) return false;
    if (trace_setup.o.binary) trace_binary_text(l);
    return true;
}

static void
rare_end(struct trace_line *l)
{
    trace_text(l, "}\n");
    if (trace_setup.o.binary) trace_binary_text_end(l);
    trace_line_end(l);
}

/* A line that the node tells, not one of its workers, behind room for a head: what goes to the
 * file, and how much of it. */
static char *
node_line(struct trace_node *tn, char *line, size_t *size)
{
    uint32_t number = (uint32_t)atomic_fetch_add(&tn->told, 1);
    if (trace_setup.o.binary) {
        trace_block_put64(line + TRACE_BLOCK_FIRST, 0);
        trace_block_seal(line, *size, TRACE_BLOCK_NODE, number, 1);
        return line;
    }
    *size -= TRACE_BLOCK_HEAD;
    return line + TRACE_BLOCK_HEAD;
}

void
trace_node_append(struct trace_node *tn, char *line, size_t size)
{
    char *at = node_line(tn, line, &size);
    trace_file_append(tn->path, at, size);
}

struct owned {
    const struct lattice *cells;
    struct json j;
};

static void
own_cell(void *who, uint32_t cell)
{
    struct owned *o = who;
    struct lattice_point p = lattice_point(o->cells, cell);
    json_open(&o->j, '[');
    for (int d = 0; d < o->cells->ndims; d++) json_int(&o->j, p.at[d]);
    json_close(&o->j, ']');
}

/* The line of the cells a node owns now, behind room for a head. */
static struct buf
own_line(const struct node *n, uint64_t now)
{
    static const char head[TRACE_BLOCK_HEAD];
    struct buf text = {0};
    buf_add(&text, head, sizeof head);
    struct owned o = {.cells = &trace_setup.o.layout->setup.cells, .j = {.to = &text}};
    json_open(&o.j, '{');
    json_key_uint(&o.j, "t", now);
    json_key_text(&o.j, "ev", "own");
    json_key_open(&o.j, "cells", '[');
    if (n->map) distrib_each(n->map, own_cell, &o);
    json_close(&o.j, ']');
    json_close(&o.j, '}');
    buf_char(&text, '\n');
    return text;
}

static uint64_t
cells_owned(const struct node *n)
{
    return atomic_load_explicit(&n->cells_owned, memory_order_relaxed);
}

/* How far messages for cells have come that arrived since the step before. */
static void
walks_since(struct trace_line *l, struct trace_node *tn)
{
    uint64_t walks = 0, walked = 0;
    uint32_t farthest = 0;
    for (int i = 0; i < tn->node->nworkers; i++) {
        struct worker *w = &tn->node->workers[i];
        walks += w->walks;
        walked += w->walked;
        if (w->farthest > farthest) farthest = w->farthest;
        w->farthest = 0;
    }
    trace_number(l, ",\"walks\":", walks - tn->walks);
    trace_number(l, ",\"hops\":", walked - tn->walked);
    trace_number(l, ",\"farthest\":", farthest);
    tn->walks = walks;
    tn->walked = walked;
}

/* `step` of balancing has just ended, on which the node spent so many ns; 0: none. */
static void
load_line(struct trace_worker *tw, uint64_t now, uint32_t step, uint64_t ns)
{
    struct trace_line l;
    long bytes = atomic_load(&tw->node->live->bytes), count = atomic_load(&tw->node->live->count);
    if (!rare_begin(&l, tw)) return;
    /* Two workers may meet between one's put and the other's free. */
    trace_number(&l, "{\"t\":", now);
    trace_number(&l, ",\"ev\":\"load\",\"bytes\":", (uint64_t)(bytes > 0 ? bytes : 0));
    trace_number(&l, ",\"count\":", (uint64_t)(count > 0 ? count : 0));
    trace_number(&l, ",\"cells\":", cells_owned(tw->node->node));
    if (step) {
        trace_number(&l, ",\"balancer\":", ns);
        walks_since(&l, tw->node);
        trace_number(&l, ",\"step\":", step);
    }
    rare_end(&l);
}

void
trace_load(struct worker *w, uint64_t now)
{
    struct trace_node *tn = w->trace->node;
    uint64_t due = atomic_load_explicit(&tn->next_load, memory_order_relaxed);
    if (now < due) return;
    uint64_t next = now - now % trace_setup.o.every_ns + trace_setup.o.every_ns;
    if (atomic_compare_exchange_strong(&tn->next_load, &due, next)) load_line(w->trace, now, 0, 0);
}

/* The cells may be many: their line goes straight to the file, behind what this worker has. */
static void
write_owned(struct worker *w, uint64_t now)
{
    struct trace_worker *tw = w->trace;
    struct buf line = own_line(w->node, now);
    if (line.failed) fault_nomem();
    trace_flush(&tw->lines);
    trace_node_append(tw->node, line.data, line.size);
    buf_fini(&line);
}

void
trace_balanced(struct worker *w, uint32_t step, uint64_t ns, bool changed)
{
    uint64_t now = trace_now(w);
    if (changed) write_owned(w, now);
    load_line(w->trace, now, step, ns);
}

void
trace_settled(struct worker *w)
{
    write_owned(w, trace_now(w));
}

void
trace_lays_out(void)
{
    if (!atomic_load(&trace.open) || !trace_setup.o.first) return;
    int e = trace_run_lays_out();
    if (e) trace_cannot_write(trace_setup.o.dir, e, "make room on the disk and run it again");
}

void
trace_move_line(struct worker *w, int to, uint32_t cell)
{
    struct trace_line l;
    if (!rare_begin(&l, w->trace)) return;
    trace_number(&l, "{\"t\":", trace_now(w));
    trace_text(&l, ",\"ev\":\"move\"");
    trace_text_cell(&l, &trace_setup.o.layout->setup.cells, cell);
    trace_number(&l, ",\"to\":", (uint64_t)to);
    trace_number(&l, ",\"txn\":\"", (uint64_t)w->node->number);
    trace_number(&l, ".", w->node->moves);
    trace_text(&l, "\"");
    rare_end(&l);
}

void
trace_count(struct node *n, const struct packet *p)
{
    if (p->kind == MSG_VALUE || p->kind == MSG_PUT || p->kind == MSG_FOLDED) return;
    atomic_fetch_add_explicit(&n->trace->ctl_msgs, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&n->trace->ctl_bytes, p->size - p->chains, memory_order_relaxed);
}

/* ---- opening ---- */

static void
file_name(char *path, size_t size, int node, bool binary)
{
    snprintf(path, size, "%s/node-%05d.%s", trace_setup.o.dir, node, binary ? "ltr" : "jsonl");
}

/* Files of a run of before: of more nodes, which `*.jsonl` would still name, and in the other
 * format. */
static void
remove_others(void)
{
    char path[4096];
    for (int binary = 0; binary < 2; binary++) {
        int node = trace_setup.o.binary == binary ? trace_setup.o.nodes : 0;
        do file_name(path, sizeof path, node++, binary);
        while (!unlink(path));
    }
}

/* Files of these names that are of no trace: each has a run.json, which begins so. */
static bool
has_strangers(void)
{
    static const char begins[] = "{\"version\":\"";
    char path[4096], found[sizeof begins] = "";
    struct stat st;
    snprintf(path, sizeof path, "%s/run.json", trace_setup.o.dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        ssize_t n = read(fd, found, sizeof begins - 1);
        close(fd);
        return n > 0 && strcmp(found, begins); /* a full disk may have left an empty one */
    }
    for (int binary = 0; binary < 2; binary++) {
        file_name(path, sizeof path, 0, binary);
        if (!stat(path, &st)) return true;
    }
    return false;
}

static void trace_leave(int exit_code, bool late);

/* A folder that cannot be written is the user's choice, a full disk is not. */
static int
code_of(int e)
{
    return io_is_systems(e) ? EXIT_SYSTEM : EXIT_USAGE;
}

static void
trace_node_free(struct trace_node *tn)
{
    for (int i = 0; tn->workers && i < tn->node->nworkers; i++) {
        trace_buffer_fini(&tn->workers[i].lines);
        trace_binary_fini(&tn->workers[i].records);
        mem_free(tn->workers[i].front.made);
        buf_fini(&tn->workers[i].values);
        tn->node->workers[i].trace = NULL;
    }
    mem_free(tn->workers);
    mem_free(tn->path);
    mem_free(tn);
}

static struct trace_node *
trace_node_new(struct node *n)
{
    struct trace_node *tn = mem_zalloc(1, sizeof *tn);
    if (!tn) return NULL;
    size_t room = strlen(trace_setup.o.dir) + 32;
    bool ok = true;
    tn->node = n;
    tn->workers = mem_zalloc((size_t)n->nworkers, sizeof *tn->workers);
    tn->path = mem_alloc(room);
    if (!n->lives) ok = lives_new(&n->lives, false) == OK;
    if (n->lives) lives_sum_up(n->lives);
    if (n->lives) tn->live = lives_whole(n->lives);
    ok &= n->lives && trace_df_begin(tn);
    for (int i = 0; tn->workers && i < n->nworkers; i++) {
        struct trace_worker *tw = &tn->workers[i];
        tw->node = tn;
        tw->now.by = CAUSE_UNKNOWN;
        tw->front.alone = trace_setup.o.workers == 1;
        ok &= trace_binary_init(&tw->records, (uint32_t)i, trace_setup.program->nsites,
                                trace_setup.program->ndfs + 1); /* and one that is not known */
        ok &= trace_buffer_init(&tw->lines, tn->path, trace_setup.o.binary, (uint32_t)i);
    }
    if (!tn->workers || !tn->path || !tn->live || !ok) {
        trace_node_free(tn);
        return NULL;
    }
    file_name(tn->path, room, n->number, trace_setup.o.binary);
    return tn;
}

static int
own_put(struct trace_node *tn)
{
    struct buf line = own_line(tn->node, 0);
    size_t size = line.size;
    const char *at = line.failed ? NULL : node_line(tn, line.data, &size);
    int e = at ? trace_file_put(tn->path, O_CREAT | O_TRUNC, at, size) : ENOMEM;
    buf_fini(&line);
    return e;
}

static int
attach(struct node *n)
{
    struct trace_node *tn = trace_node_new(n);
    int e = tn ? own_put(tn) : ENOMEM;
    if (e) {
        trace_cannot_write(tn ? tn->path : trace_setup.o.dir, e,
                           "--trace=DIR needs a folder that can be written");
        if (tn) trace_node_free(tn);
        return code_of(e);
    }
    if (!trace.nodes) trace_setup.epoch = n->net->ops->now_ns(n->net);
    tn->next = trace.nodes;
    trace.nodes = tn;
    store_measure(n->store, n->lives);
    n->trace = tn;
    for (int i = 0; i < n->nworkers; i++) n->workers[i].trace = &tn->workers[i];
    return EXIT_DONE;
}

static int
open_folder(const struct luna_program *p, const struct trace_options *o)
{
    trace_setup.program = p;
    trace_setup.o = *o;
    trace.taken = -1;
    if (!trace_setup.o.every_ns) trace_setup.o.every_ns = EVERY_NS;
    if (!o->sim) quick_begin();
    int e = mkdir(o->dir, 0700) && errno != EEXIST ? errno : folder_is_ours(o->dir);
    if (!trace_run_begin(p, &trace_setup.o)) e = ENOMEM;
    if (!e && o->first) e = folder_take(o->dir, &trace.taken);
    bool busy = e == EWOULDBLOCK, strange = !e && o->first && has_strangers();
    if (strange) e = EEXIST;
    if (!e && o->first) e = trace_run_goes_on();
    if (!e && o->first) remove_others();
    atomic_store(&trace.open, !e);
    if (!e) fault_at_leave(trace_leave);
    if (!e) return EXIT_DONE;
    const char *hint = "--trace=DIR needs a folder of yours that is there or can be made, "
                       "and written";
    if (busy) hint = "wait for its end, or give each run a folder of its own";
    if (strange) hint = "its run.json or node-00000 is of no trace: name another folder";
    trace_cannot_write(o->dir, e, hint);
    trace_run_fini();
    return code_of(e);
}

int
trace_open(const struct luna_program *p, const struct trace_options *o, struct node *const *nodes,
           int n)
{
    sigset_t wishes, before;
    sigemptyset(&wishes);
    wish_add(&wishes);
    /* Who breaks off the run meanwhile waits for all files, so that each gets an end: to empty a
     * big one takes a while. */
    pthread_sigmask(SIG_BLOCK, &wishes, &before);
    int code = open_folder(p, o);
    for (int i = 0; i < n && !code; i++) code = attach(nodes[i]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

void
trace_from(uint64_t zero)
{
    trace_setup.epoch = zero;
    for (struct trace_node *tn = trace.nodes; tn; tn = tn->next)
        for (int i = 0; i < tn->node->nworkers; i++) tn->workers[i].front.line.until = 0;
}

/* ---- the end ---- */

/* Ns at work; a run that breaks off may do so long after its workers were last idle. */
static uint64_t
active_of(struct trace_worker *tw, uint64_t now)
{
    uint64_t since = atomic_load(&tw->since);
    return atomic_load(&tw->active) + (since && now > since ? now - since : 0);
}

/* Calls as their lines tell them, and work by the clock of these; all else as the worker counts. */
static struct worker_row
row_of(struct trace_worker *tw, const struct worker *w, uint64_t now)
{
    struct worker_row r = worker_row_of(w, now);
    r.calls = atomic_load(&tw->front.calls);
    worker_row_split(&r, now, active_of(tw, now), atomic_load(&tw->in_calls), r.wasted);
    return r;
}

static void
row_line(struct trace_worker *tw, const struct worker_row *r)
{
    char line[TRACE_LINE_ROOM];
    size_t n = TRACE_BLOCK_HEAD;
    n += (size_t)snprintf(line + n, sizeof line - n,
                          "{\"ev\":\"worker\",\"worker\":%" PRIu64 ",\"calls\":%" PRIu64
                          ",\"in_calls\":%" PRIu64 ",\"runtime\":%" PRIu64 ",\"idle\":%" PRIu64
                          ",\"spin\":%" PRIu64 ",\"sleep\":%" PRIu64 ",\"wasted\":%" PRIu64
                          ",\"steals\":%" PRIu64 ",\"naps\":%" PRIu64,
                          r->worker, r->calls, r->in_calls, r->runtime, r->idle,
                          r->idle - r->slept, r->slept, r->wasted, r->steals, r->naps);
    if (r->on)
        n += (size_t)snprintf(line + n, sizeof line - n,
                              ",\"on\":%" PRIu64 ",\"off\":%" PRIu64, r->on, r->off);
    n += (size_t)snprintf(line + n, sizeof line - n, "}\n");
    trace_node_append(tw->node, line, n);
}

/* Of the file, with the last line, which is not written yet. */
static uint64_t
lines_of(struct trace_node *tn)
{
    uint64_t n = atomic_load(&tn->told) + 1;
    for (int i = 0; i < tn->node->nworkers; i++) n += atomic_load(&tn->workers[i].lines.lines);
    return n;
}

/* What the buffers hold, the last load, what each worker did, the last line. */
static void
node_end(struct trace_node *tn, uint64_t now)
{
    char line[TRACE_LINE_ROOM], *at = line + TRACE_BLOCK_HEAD;
    size_t room = sizeof line - TRACE_BLOCK_HEAD;
    uint64_t idle = 0;
    for (int i = 0; i < tn->node->nworkers; i++) trace_flush(&tn->workers[i].lines);
    long bytes = atomic_load(&tn->live->bytes), live = atomic_load(&tn->live->count);
    int n = snprintf(at, room,
                     "{\"t\":%" PRIu64 ",\"ev\":\"load\",\"bytes\":%ld,\"count\":%ld,"
                     "\"cells\":%" PRIu64 "}\n",
                     now, bytes > 0 ? bytes : 0, live > 0 ? live : 0, cells_owned(tn->node));
    trace_node_append(tn, line, TRACE_BLOCK_HEAD + (size_t)n);
    trace_df_lines(tn, now);
    for (int i = 0; i < tn->node->nworkers; i++) {
        struct worker_row r = row_of(&tn->workers[i], &tn->node->workers[i], now);
        row_line(&tn->workers[i], &r);
        idle += r.idle;
    }
    n = snprintf(at, room,
                 "{\"ev\":\"end\",\"ctl_msgs\":%" PRIu64 ",\"ctl_bytes\":%" PRIu64
                 ",\"idle\":%" PRIu64 ",\"lines\":%" PRIu64 "}\n",
                 (uint64_t)atomic_load(&tn->ctl_msgs), (uint64_t)atomic_load(&tn->ctl_bytes), idle,
                 lines_of(tn));
    trace_node_append(tn, line, TRACE_BLOCK_HEAD + (size_t)n);
}

static void
all_end(int exit_code)
{
    uint64_t now = 0; /* the latest: simulated nodes have a clock each */
    for (struct trace_node *tn = trace.nodes; tn; tn = tn->next) {
        uint64_t its = trace_now(&tn->node->workers[0]);
        if (its > now) now = its;
    }
    trace_df_ends(trace.nodes, now);
    for (struct trace_node *tn = trace.nodes; tn; tn = tn->next) node_end(tn, now);
    int e = trace_setup.o.first ? trace_run_ends(exit_code, now) : 0;
    if (e) trace_cannot_write(trace_setup.o.dir, e, "make room on the disk and run it again");
}

bool
trace_close(int exit_code)
{
    if (!atomic_exchange(&trace.open, false)) return true;
    all_end(exit_code);
    trace_df_close();
    for (struct trace_node *tn = trace.nodes, *next; tn; tn = next) {
        next = tn->next;
        tn->node->trace = NULL;
        trace_node_free(tn);
    }
    trace.nodes = NULL;
    if (trace.taken >= 0) close(trace.taken);
    trace_run_fini();
    return !trace_has_failed();
}

/* The process leaves now, whatever others do: writes what there is. */
static void
trace_leave(int exit_code, bool late)
{
    if (late || !atomic_exchange(&trace.open, false)) return;
    trace_stops();
    all_end(exit_code);
}
