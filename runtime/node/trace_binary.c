/* trace_binary.c - see trace_binary.h. */
#include "trace_binary.h"

#include "runtime/base/mem.h"
#include "runtime/fault/fault.h"
#include "runtime/node/trace_put.h"

bool
trace_binary_init(struct trace_records *r, uint32_t worker, uint32_t nsites, uint32_t ndfs)
{
    *r = (struct trace_records){.sites.n = nsites, .dfs.n = ndfs, .worker = worker};
    r->sites.last = mem_zalloc(nsites, sizeof(void *));
    r->dfs.last = mem_zalloc(ndfs, sizeof(void *));
    return r->sites.last && r->dfs.last;
}

static void
names_free(struct trace_names *names)
{
    for (uint32_t i = 0; names->last && i < names->n; i++) mem_free(names->last[i]);
    mem_free((void *)names->last);
}

void
trace_binary_fini(struct trace_records *r)
{
    names_free(&r->sites);
    names_free(&r->dfs);
}

/* ---- records ---- */

char *
trace_binary_name(char *at, struct trace_records *r, struct trace_names *names,
                  const struct told_name *name)
{
    size_t size = strlen(name->base);
    struct trace_last *last = names->last[name->number];
    if (!last || last->room < name->n) {
        last = mem_realloc(last, sizeof *last + name->n * sizeof *last->ix);
        if (!last) fault_nomem();
        last->room = name->n;
        names->last[name->number] = last;
    }
    last->block = r->block;
    last->usual = 0;
    last->n = name->n;
    last->cell = 0;
    memset(last->ix, 0, name->n * sizeof *last->ix);
    at = put_kind(at, TRACE_RECORD_NAME, names == &r->dfs ? TRACE_NAME_DF : 0);
    at = put(at, name->number);
    if (names != &r->dfs) at = put(at, name->line);
    at = put(at, name->n);
    return put_text(at, name->base, size < TRACE_NAME_ROOM ? size : TRACE_NAME_ROOM);
}

void
trace_binary_send(struct trace_line *l, struct trace_records *r, const struct told_send *s)
{
    put_begin(l->to, r, s->t);
    char *at = put_name(l->at, r, &r->dfs, &s->name);
    struct trace_last *last = r->dfs.last[s->name.number];
    unsigned flags = put_flag_of(r, &s->by);
    if (s->k) flags |= TRACE_HAS_NUMBER;
    if (s->part) flags |= TRACE_HAS_PART;
    if (s->values.size) flags |= TRACE_HAS_VALUES;
    at = put_kind(at, TRACE_RECORD_SEND, flags);
    at = put(at, s->name.number);
    at = put(at, s->t - r->t);
    r->t = s->t;
    at = put(at, s->to);
    at = put_indices(at, last, s->name.ix);
    at = put(at, s->bytes);
    at = put(at, s->why | s->dist << 2);
    if (s->k) at = put_next(at, &r->sent, s->k);
    if (s->part) {
        at = put(at, s->part_from);
        at = put(at, s->part_count);
    }
    at = put_by(at, r, &s->by);
    l->at = s->values.size ? put_text(at, s->values.text, s->values.size) : at;
}

void
trace_binary_recv(struct trace_line *l, struct trace_records *r, const struct told_recv *v)
{
    put_begin(l->to, r, v->t);
    char *at = put_kind(l->at, TRACE_RECORD_RECV, 0);
    at = put(at, v->t - r->t);
    r->t = v->t;
    at = put(at, v->from);
    l->at = put_next(at, &r->message, v->k);
}

/* ---- lines ---- */

enum { TEXT_HEAD = 3 }; /* the kind, and a number of two bytes: it is known in the end */

void
trace_binary_text(struct trace_line *l)
{
    l->at = put_kind(l->at, TRACE_RECORD_TEXT, 0) + TEXT_HEAD - 1;
}

void
trace_binary_text_end(struct trace_line *l)
{
    size_t n = (size_t)(l->at - l->start) - TEXT_HEAD;
    l->start[1] = (char)(n | 0x80);
    l->start[2] = (char)(n >> 7);
}
