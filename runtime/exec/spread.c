/* spread.c - the tree: who is near, who is next, and what each of them takes along. */
#include "spread.h"

#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/exec/exec_parts.h"
#include "runtime/node/msg.h"
#include "runtime/exec/home.h"
#include "runtime/node/send.h"
#include "runtime/node/trace.h"

#include <stdlib.h>

enum {
    FANOUT = 3,
    SMALL_BYTES = 1024, /* what has no more goes to each of */
    SMALL_NODES = 64    /* so many straight: who is on the way may be in a long call */
};

enum what { ANSWER, COPY, WHATS };

/* A value on its way. */
struct parcel {
    enum what what;
    int home;      /* that answers */
    uint32_t site; /* of a copy */
    int32_t uses;
    const struct key *key;
    luna_value value; /* lent */
};

/* Nodes, ascending. */
struct nodes_list {
    int32_t *at;
    size_t n;
};

static int
host_of(const struct node *n, int node)
{
    return node / n->net->host_nodes;
}

static bool
is_near(const struct node *n, int node)
{
    return host_of(n, node) == host_of(n, n->number);
}

static void
send(struct worker *w, const struct parcel *p, int to, const int32_t *beyond, size_t n)
{
    struct writer wr = {0};
    write_u32(&wr, p->what);
    write_u32(&wr, (uint32_t)p->home);
    write_u32(&wr, p->site);
    write_u32(&wr, (uint32_t)p->uses);
    write_key(&wr, p->key);
    write_value(&wr, p->value, true);
    write_u32(&wr, (uint32_t)n);
    write_bytes(&wr, beyond, n * sizeof *beyond);
    trace_send(w, to, p->key, &p->value, TRACE_COLLECTIVE, true);
    struct packet *packet = writer_packet(&wr, MSG_SPREAD);
    if (!packet) fault_nomem();
    trace_leaves(w, packet);
    node_send(w->node, to, packet);
}

/* How many hosts the nodes are on. */
static int
hosts_in(const struct node *n, const int32_t *at, size_t count)
{
    int hosts = 0;
    for (size_t i = 0; i < count; i++)
        hosts += !i || host_of(n, at[i]) != host_of(n, at[i - 1]);
    return hosts;
}

/* Cuts the nodes into parts of whole hosts; the first of each gets the value for its part. */
static void
send_parts(struct worker *w, const struct parcel *p, const int32_t *at, size_t n)
{
    int left = hosts_in(w->node, at, n);
    for (int part = left < FANOUT ? left : FANOUT; part; part--) {
        int hosts = (left + part - 1) / part;
        size_t end = 0;
        left -= hosts;
        while (end < n && hosts >= 0) {
            end++;
            if (end == n || host_of(w->node, at[end]) != host_of(w->node, at[end - 1])) hosts--;
            if (!hosts) break;
        }
        send(w, p, at[0], at + 1, end - 1);
        at += end;
        n -= end;
    }
}

static bool
goes_straight(const struct parcel *p, const struct nodes_list *l)
{
    size_t bytes;
    value_bytes(&p->value, &bytes);
    return bytes <= SMALL_BYTES && l->n <= SMALL_NODES;
}

/* To all nodes of the list, which is ours to sort out. */
static void
spread(struct worker *w, const struct parcel *p, struct nodes_list l)
{
    size_t far = 0;
    bool straight = goes_straight(p, &l);
    for (size_t i = 0; i < l.n; i++)
        if (straight || is_near(w->node, l.at[i])) send(w, p, l.at[i], NULL, 0);
        else l.at[far++] = l.at[i];
    if (far) send_parts(w, p, l.at, far);
}

/* Far nodes of which no two share a host. */
struct far {
    int n, host[FANOUT];
};

/* With one node more: whether a tree is better than telling each. It is when there are many, or two
 * of one host, to which the value is to cross once. */
static bool
wants_tree(struct far *f, const struct node *n, int node)
{
    int host = host_of(n, node);
    if (host == host_of(n, n->number)) return false;
    for (int i = 0; i < f->n; i++)
        if (f->host[i] == host) return true;
    if (f->n == FANOUT) return true;
    f->host[f->n++] = host;
    return false;
}

/* ---- answers ---- */

static bool
has_asked(const struct waiter *x)
{
    if (x->kind != WAITER_AFAR || waiter_afar(x)->part.count != PART_WHOLE) return false;
    enum wants wants = (enum wants)waiter_afar(x)->wants;
    return wants == WANTS_VALUE || wants == WANTS_COPY || wants == WANTS_TERM;
}

static bool
askers_want_tree(const struct node *n, const struct waiter *list)
{
    struct far f = {0};
    for (const struct waiter *x = list; x; x = x->next)
        if (has_asked(x) && wants_tree(&f, n, waiter_afar(x)->node)) return true;
    return false;
}

static int
compare_nodes(const void *pa, const void *pb)
{
    int32_t a = *(const int32_t *)pa, b = *(const int32_t *)pb;
    return (a > b) - (a < b);
}

/* A node may have asked once more, after what had asked before has gone (gone.h). Gives how many
 * different nodes there are; they come first. */
static size_t
answer_again(struct worker *w, struct nodes_list *l, const struct key *k, luna_value v)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (n && l->at[i] == l->at[n - 1]) send_value(w, l->at[i], k, v, TRACE_REPLY);
        else l->at[n++] = l->at[i];
    return n;
}

struct waiter *
spread_answers(struct worker *w, struct waiter *list, const struct key *k, luna_value v)
{
    struct node *n = w->node;
    struct waiter *others = NULL, **end = &others;
    struct nodes_list l = {NULL, 0};
    if (!askers_want_tree(n, list)) return list;
    for (const struct waiter *x = list; x; x = x->next) l.n += has_asked(x);
    if (!(l.at = mem_alloc(l.n * sizeof *l.at))) fault_nomem();
    l.n = 0;
    for (struct waiter *x = list, *next; x; x = next) {
        next = x->next;
        if (!has_asked(x) || waiter_afar(x)->node == n->number) {
            *end = x;
            end = &x->next;
            continue;
        }
        struct asker_afar *asked = waiter_afar(x);
        l.at[l.n++] = asked->node;
        pool_put(pool_class(sizeof *asked), asked);
        worker_guest_waiting(w, -1);
    }
    *end = NULL;
    qsort(l.at, l.n, sizeof *l.at, compare_nodes);
    size_t asked = l.n;
    l.n = answer_again(w, &l, k, v);
    struct parcel p = {.what = ANSWER, .home = n->number, .key = k, .value = v};
    spread(w, &p, l);
    for (; asked; asked--) value_release(v); /* after it: they may hold the last counts */
    mem_free(l.at);
    return others;
}

/* ---- copies ---- */

static bool
copies_want_tree(const struct node *n, int step)
{
    struct far f = {0};
    for (int64_t to = 0; to < n->nodes; to += step)
        if (wants_tree(&f, n, (int)to)) return true;
    return false;
}

bool
spread_copies(struct worker *w, uint32_t site, const struct key *k, luna_value v, int32_t uses,
              int step)
{
    const struct node *n = w->node;
    struct nodes_list l = {NULL, 0};
    if (n->net->host_nodes >= n->nodes || !copies_want_tree(n, step)) return false;
    if (!(l.at = mem_alloc(((size_t)n->nodes / (size_t)step + 1) * sizeof *l.at))) fault_nomem();
    for (int64_t to = 0; to < n->nodes; to += step)
        if (to != n->number) l.at[l.n++] = (int32_t)to;
    struct parcel p = {COPY, n->number, site, uses, k, v};
    spread(w, &p, l);
    mem_free(l.at);
    return true;
}

/* ---- arriving ---- */

/* The nodes beyond: ascending, none of them this one. */
static bool
read_nodes(const struct node *n, struct reader *r, struct nodes_list *l)
{
    l->n = read_u32(r);
    if (r->bad || l->n > (size_t)n->nodes) return false;
    if (!(l->at = mem_alloc((l->n + 1) * sizeof *l->at))) fault_nomem();
    for (size_t i = 0; i < l->n; i++) {
        uint32_t node = read_u32(r);
        if (node >= (uint32_t)n->nodes || (int)node == n->number) return false;
        if (i && (int32_t)node <= l->at[i - 1]) return false;
        l->at[i] = (int32_t)node;
    }
    return reader_done(r);
}

bool
on_spread(struct worker *w, struct reader *r)
{
    struct key k;
    struct nodes_list l = {NULL, 0};
    uint32_t what = read_u32(r), home = read_u32(r), site = read_u32(r);
    int32_t uses = (int32_t)read_u32(r);
    read_key(r, &k);
    luna_value v = read_value(r);
    bool ok = what < WHATS && home < (uint32_t)w->node->nodes &&
              site < w->node->program->nsites && uses >= STORE_USES_UNLIMITED &&
              v.type != LUNA_UNSET && read_nodes(w->node, r, &l);
    if (ok) {
        struct parcel p = {(enum what)what, (int)home, site, uses, &k, v};
        spread(w, &p, l);
        if (what == COPY) exec_put_here(w, site, NULL, &k, v, uses); /* takes v */
        else home_value_came(w, (int)home, &k, v);
        if (what == ANSWER) value_release(v);
    }
    mem_free(l.at);
    return ok;
}
