/* trace_tell.c - what is told of calls, which are many, and of values that leave or come. */
#include "trace_parts.h"

#include "runtime/fault/fault.h"
#include "runtime/node/owners.h"
#include "runtime/node/trace_put.h"
#include "runtime/node/trace_text.h"
#include "runtime/table/elements.h"
#include "runtime/table/mention.h"
#include "runtime/table/name.h"
#include "runtime/table/part.h"

#include <inttypes.h>

static_assert(LATTICE_NONE == TOLD_NO_CELL, "as the map says it");
static_assert((int)KEY_INDICES_MAX == TRACE_INDICES_MAX, "a record has all indices of a name");

/* ---- values ---- */

/* A name and whose it is: each declaration, and each activation, has fragments of its own. */
static void
value_add(struct buf *b, const char *before, const struct key *k)
{
    char name[TRACE_NAME_ROOM];
    name_df(trace_setup.program, k, name, sizeof name);
    buf_printf(b, "%s\"%s#%" PRIu32 ".%" PRIx64 "\"", before, name, k->df & ~KEY_MARKS, k->id);
}

/* They were printed before the line was begun: it needs room for them. */
static struct told_text
values_told(const struct buf *values)
{
    if (values->failed) fault_nomem();
    return (struct told_text){values->data, values->size};
}

/* ---- calls ---- */

static void
list_print(struct buf *b, const struct luna_site *list, const struct task *t, const char **comma)
{
    const struct luna_program *p = trace_setup.program;
    luna_word word[elements_words(list) + list->b];
    luna_env e = {.frame = t->frame->word, .local = word, .site = elements_term(p, list)};
    uint32_t ref = elements_ref(p, list);
    struct elements which;
    if (ref == LUNA_NONE) return;
    elements_eval(p, list, (struct task *)t, word);
    elements_look(&which, p, list, t->frame, word); /* the call has them */
    for (uint32_t i = 0; i < which.total; i++) {
        struct key k;
        elements_counters(&which, i, word);
        mention_read(p, &e, t->frame, ref, &k);
        if (k.df & KEY_BEYOND) continue;
        value_add(b, *comma, &k);
        *comma = ",";
    }
    elements_forget(&which);
    if (e.temps) eval_drop_temps(&e);
}

/* Of the lists of a call that are read, or assigned. */
static void
lists_print(struct buf *b, const struct luna_site *call, const struct task *t, bool assigned,
            const char *comma)
{
    const struct luna_program *p = trace_setup.program;
    if (call->body == LUNA_NONE) return;
    const struct luna_block *lists = &p->blocks[call->body];
    for (uint32_t i = lists->site; i < lists->site + lists->nsites; i++)
        if (p->sites[i].a == assigned) list_print(b, &p->sites[i], t, &comma);
}

/* What a call has read, and what it assigns now that it has ended. */
static void
values_print(struct buf *b, const struct luna_site *site, const struct task *t)
{
    const struct luna_program *p = trace_setup.program;
    const char *comma = "";
    struct key k;
    buf_str(b, ",\"in\":[");
    for (unsigned i = 0; i < site->nin; i++) {
        mention_input(p, t, i, &k);
        if (k.df & KEY_BEYOND) continue;
        value_add(b, comma, &k);
        comma = ",";
    }
    lists_print(b, site, t, false, comma);
    buf_str(b, "],\"out\":[");
    comma = "";
    for (unsigned i = 0; mention_output(p, t, i, &k); i++, comma = ",") value_add(b, comma, &k);
    lists_print(b, site, t, true, comma);
    buf_char(b, ']');
}

/* The name of a call, and the place of its statement. */
static inline struct told_name
call_name(const struct luna_site *site, const struct task *t, struct name_parts *room)
{
    const struct luna_program *p = trace_setup.program;
    name_parts_cf(p, t, room);
    uint32_t line = site->place < p->nplaces ? p->places[site->place].line : 0;
    return (struct told_name){t->site, line, room->n, room->base, room->ix};
}

/* All but its name and values; it has ended just now. */
static inline void
call_fill(struct told_call *c, struct worker *w, const struct luna_site *site,
          const struct task *t, uint64_t began, uint64_t now, uint32_t cell)
{
    c->waited = t->flags & TASK_CAUSED;
    c->ready = c->waited ? task_cause_ready(task_cause(site, t), now) : 0;
    c->by = (struct told_by){0, 0, TOLD_UNKNOWN};
    if (c->waited) c->by = trace_cause_told(*task_cause(site, t));
    if (began < c->ready) began = c->ready; /* a counter may be read a little early */
    c->t = began;
    c->dur = now > began ? now - began : 0;
    c->chain = c->dur + chain_ns(w->trace->front.reads);
    c->worker = (uint32_t)w->number;
    c->cell = cell;
    c->name.number = t->site;
}

/* It is told. Gives the chain of what it has assigned. */
static inline uint32_t
call_ends(struct worker *w, uint64_t now, uint64_t dur, uint64_t chain)
{
    struct trace_worker *tw = w->trace;
    trace_add(&tw->front.calls, 1);
    trace_add(&tw->in_calls, dur);
    trace_cause_call(w, now);
    uint64_t load = atomic_load_explicit(&tw->node->next_load, memory_order_relaxed);
    if (__builtin_expect(now >= load, 0)) trace_load(w, now);
    return tw->front.chain = chain_of_ns(chain, now);
}

/* As a record; its name first, if that is not known. */
static inline __attribute__((always_inline)) void
call_record(struct trace_line *l, struct trace_records *r, struct told_call *c,
            const struct luna_site *site, const struct task *t)
{
    bool counted = name_is_counted(trace_setup.program, site);
    put_begin(l->to, r, c->t);
    struct trace_last *last = counted ? put_known(r, t->site) : NULL;
    struct name_parts name;
    if (!last) {
        c->name = call_name(site, t, &name);
        l->at = put_name(l->at, r, &r->sites, &c->name);
        last = r->sites.last[t->site];
        if (counted && t->site < 0x80 && !trace_setup.o.values) last->usual = last->block;
    }
    l->at = put_call(l->at, r, c, last, counted ? t->word : NULL, site->nlocal);
}

static __attribute__((noinline)) uint32_t
call_line(struct worker *w, const struct luna_site *site, const struct task *t, uint64_t began,
          uint64_t now, uint32_t cell)
{
    struct trace_worker *tw = w->trace;
    struct name_parts name;
    struct told_call c;
    struct trace_line l;
    call_fill(&c, w, site, t, began, now, cell);
    if (trace_setup.o.values && site->kind == LUNA_S_CALL) values_print(&tw->values, site, t);
    c.values = values_told(&tw->values);
    if (trace_line_begin(&l, &tw->lines, c.values.size)) {
        if (trace_setup.o.binary) {
            call_record(&l, &tw->records, &c, site, t);
        } else {
            c.name = call_name(site, t, &name);
            trace_text_call(&l, &c, &trace_setup.o.layout->setup.cells);
        }
        trace_line_end(&l);
    }
    buf_clear(&tw->values);
    return call_ends(w, c.t + c.dur, c.dur, c.chain);
}

/* There is room for a record, and one of its name stands in this block: gives that. Else NULL. */
static inline struct trace_last *
usual_name(const struct trace_worker *tw, uint32_t site, uint32_t used)
{
    const struct trace_buffer *b = &tw->lines;
    struct trace_last *last = tw->records.sites.last[site];
    bool usual = last && last->usual == b->blocks + 1 && b->room - used >= TRACE_LINE_ROOM &&
                 !atomic_load_explicit(&trace_line_leaving, memory_order_relaxed);
    return usual ? last : NULL;
}

/* What put_call does for a call brought by a call of this worker or by nothing. `filled`: of the
 * buffer. */
static inline __attribute__((always_inline)) uint32_t
call_usual(struct worker *w, const struct luna_site *site, const struct task *t, uint64_t began,
           uint64_t now, uint32_t cell, const struct task_cause *cause, struct trace_last *last,
           uint64_t filled)
{
    enum {
        WAITED = TRACE_RECORD_EXEC | (TRACE_HAS_READY | TRACE_HAS_CALL) << TRACE_KIND_BITS,
        HAS_CELL = TRACE_HAS_CELL << TRACE_KIND_BITS
    };
    static_assert(WAITED < 0x80, "one byte");
    struct trace_worker *tw = w->trace;
    struct trace_records *r = &tw->records;
    struct trace_buffer *b = &tw->lines;
    uint64_t ready = cause ? task_cause_ready(cause, now) : 0, reads = chain_ns(tw->front.reads);
    if (began < ready) began = ready; /* a counter may be read a little early */
    if (now < began) now = began;
    bool follows = cause && ready == r->t && cause->k == r->call + 1;
    r->call += follows;
    unsigned kind = follows ? TRACE_RECORD_NEXT : cause ? WAITED : TRACE_RECORD_EXEC;
    bool for_cell = cell != LATTICE_NONE;
    char *from = b->data + (uint32_t)filled, *at = from;
    if (for_cell) at = put(from, kind | HAS_CELL);
    else *at++ = (char)kind;
    *at++ = (char)t->site;
    at = put(at, began - r->t);
    at = put(at, now - began);
    at = put_next(at, &r->reads, reads);
    r->t = now;
    at = put_counters(at, last, t->word, site->nlocal);
    if (for_cell) {
        at = put_signed(at, (int64_t)cell - last->cell);
        last->cell = cell;
    }
    if (cause && !follows) {
        at = put(at, began - ready);
        at = put_next(at, &r->call, cause->k);
    }
    uint64_t line = (uint64_t)1 << 32;
    atomic_store_explicit(&b->filled, filled + line + (size_t)(at - from), memory_order_release);
    return call_ends(w, now, now - began, reads + (now - began));
}

static __attribute__((noinline)) uint32_t
call_usual_of_cell(struct worker *w, const struct luna_site *site, const struct task *t,
                   uint64_t began, uint64_t now, uint32_t cell, struct trace_last *last,
                   uint64_t filled)
{
    const struct task_cause *cause = t->flags & TASK_CAUSED ? task_cause(site, t) : NULL;
    return call_usual(w, site, t, began, now, cell, cause, last, filled);
}

/* Most calls are of the usual kind, and most of what a trace costs is this. */
uint32_t
trace_exec_line(struct worker *w, const struct luna_site *site, const struct task *t,
                uint64_t began, uint32_t cell)
{
    struct trace_worker *tw = w->trace;
    uint64_t filled = atomic_load_explicit(&tw->lines.filled, memory_order_relaxed);
    struct trace_last *last = usual_name(tw, t->site, (uint32_t)filled);
    uint64_t now = trace_now_own(w);
    const struct task_cause *cause = t->flags & TASK_CAUSED ? task_cause(site, t) : NULL;
    bool own = !cause || cause->by == w->number;
    if (__builtin_expect(!last || !own, 0)) return call_line(w, site, t, began, now, cell);
    if (cell != LATTICE_NONE)
        return call_usual_of_cell(w, site, t, began, now, cell, last, filled);
    return call_usual(w, site, t, began, now, LATTICE_NONE, cause, last, filled);
}

/* ---- messages ---- */

static void
write_send(struct worker *w, struct told_send *s)
{
    struct trace_worker *tw = w->trace;
    struct trace_line l;
    if (!trace_line_begin(&l, &tw->lines, s->values.size)) return;
    s->t = trace_now(w);
    if (trace_setup.o.binary) trace_binary_send(&l, &tw->records, s);
    else trace_text_send(&l, s);
    trace_line_end(&l);
}

void
trace_send_line(struct worker *w, int to, const struct key *k, const luna_value *v,
                enum trace_why why, bool numbered)
{
    struct trace_worker *tw = w->trace;
    uint32_t ndfs = trace_setup.program->ndfs;
    size_t bytes;
    struct name_parts name;
    value_bytes(v, &bytes);
    struct key of = *k;
    struct key_part part = key_take_part(&of);
    uint32_t df = of.df & ~KEY_MARKS;
    name_parts_df(trace_setup.program, &of, &name);
    struct told_send s = {
        .name = {df < ndfs ? df : ndfs, 0, name.n, name.base, name.ix},
        .to = (uint64_t)to, .bytes = bytes, .dist = (uint64_t)node_distance(w->node, to),
        .why = why, .by = trace_cause_told(trace_cause_now(w))};
    if (part.count != PART_WHOLE) {
        s.part = true;
        s.part_from = (uint64_t)part_from(part);
        s.part_count = (uint64_t)part_bytes(part);
    }
    if (numbered) s.k = trace_cause_number(w, true);
    if (trace_setup.o.values) {
        value_add(&tw->values, ",\"value\":", &of);
        s.values = values_told(&tw->values);
    }
    write_send(w, &s);
    buf_clear(&tw->values);
}

void
trace_cause_recv(struct worker *w, const struct told_recv *r)
{
    struct trace_worker *tw = w->trace;
    struct trace_line l;
    if (!trace_line_begin(&l, &tw->lines, 0)) return;
    if (trace_setup.o.binary) trace_binary_recv(&l, &tw->records, r);
    else trace_text_recv(&l, r);
    trace_line_end(&l);
}

void
trace_call_lines(struct worker *w, int to, const struct task *t, unsigned have)
{
    const struct luna_site *site = &trace_setup.program->sites[t->site];
    const luna_value *v = task_values(site, (struct task *)t);
    for (unsigned i = 0; i < have; i++) {
        struct key k;
        size_t bytes;
        if (v[i].type == LUNA_UNSET) continue;
        mention_wanted(trace_setup.program, t, i, &k);
        if (k.df & KEY_BEYOND) continue;
        trace_send_line(w, to, &k, &v[i], TRACE_PUSH, true);
        value_bytes(&v[i], &bytes); /* they travel in the body of the call */
        atomic_fetch_sub_explicit(&w->trace->node->ctl_bytes, bytes, memory_order_relaxed);
    }
}

