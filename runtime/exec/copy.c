/* copy.c - see copy.h. */
#include "copy.h"

#include "runtime/base/commons.h"
#include "runtime/exec/exec_parts.h"
#include "runtime/exec/home.h"
#include "runtime/node/msg.h"
#include "runtime/node/send.h"
#include "runtime/node/tally.h"

enum {
    MESSAGE = 1024, /* what a message costs beside its bytes, in bytes */
    LOOK_ROWS = 8   /* of the ledger, at once: whose fragments are no more? */
};

/* ---- the reader's node ---- */

/* Of all that it does not know yet. */
static void
tell(struct worker *w)
{
    struct copies_news news;
    while (copies_untold(w->node->copies, &news)) {
        if (news.let_go) send_drop(w, news.home, &news.key);
        home_tell(w, news.home, &news.key, news.read);
    }
}

bool
copy_take(struct worker *w, const struct key *k, luna_value *v)
{
    bool counts;
    if (!copies_take(w->node->copies, k, v, &counts)) return false;
    if (!counts) tally_found(w->node); /* nobody counts its readers */
    return true;
}

/* Which older copies were read is told now: the next step of a loop has begun. */
bool
on_copy(struct worker *w, struct reader *r)
{
    struct node *n = w->node;
    struct key k;
    read_key(r, &k);
    uint32_t bound = read_u32(r), counts = read_u32(r), place = read_u32(r);
    luna_value v = read_value(r);
    if (!reader_done(r) || v.type == LUNA_UNSET || !n->copies) return false;
    if (place != LUNA_NONE && place >= n->program->nplaces) return false;
    if (bound && (!n->map || bound > lattice_size(n->cells))) return false;
    struct key x = k;
    struct key_part part = key_take_part(&x);
    x.bound = bound;
    tell(w);
    value_retain(v);
    copies_keep(n->copies, &x, r->packet->from, v, counts);
    if (part.count != PART_WHOLE) v = part_take(&x, part, place, v);
    home_value_came(w, r->packet->from, &k, v);
    value_release(v);
    return true;
}

bool
on_drop(struct worker *w, struct reader *r)
{
    struct node *n = w->node;
    struct key k;
    read_key(r, &k);
    if (!reader_done(r) || !n->copies) return false;
    copies_drop(n->copies, &k);                     /* from its home, */
    ledger_forget(n->ledger, &k, r->packet->from); /* or from who had it */
    return true;
}

/* ---- the home ---- */

/* It reads the same memory: bytes cost nothing. */
static bool
is_shared(const struct node *n, int node)
{
    if (!n->net->must_poll) return !n->weighs; /* nodes of one process; simulated, of many */
    int hosts = n->net->host_nodes;
    return commons_on() && node / hosts == n->number / hosts;
}

/* Its readers are. */
static bool
is_counted(const struct node *n, const struct key *k)
{
    luna_value v;
    if (!store_copy(n->store, k, SIZE_MAX, &v)) return true;
    value_release(v);
    return false;
}

/* A delete looks whether promised readers are left: it must know of all that have been. Whoever
 * looks for faults is to see that a reader comes too late. */
static bool
must_know_readers(const struct node *n, const struct key *k)
{
    return n->deleted && n->deleted[k->df & ~KEY_MARKS] && (n->debug || is_counted(n, k));
}

bool
copy_is_due(struct worker *w, const struct key *k, int node, luna_value v, size_t bytes,
            uint32_t readers)
{
    struct node *n = w->node;
    if (!n->ledger || !value_is_block(v) || value_block(v)->size < LUNA_COPY_MIN ||
        !store_has(n->store, k) || must_know_readers(n, k))
        return false; /* or this was its last reader */
    size_t whole = is_shared(n, node) ? 0 : value_block(v)->size;
    uint64_t price = MESSAGE + (bytes < whole ? bytes : whole), copy = MESSAGE + whole;
    return ledger_gives(n->ledger, k, node, price, copy, readers * price > copy);
}

/* Of some fragments that others have copies of: are they still here? */
static void
look_at_given(struct worker *w)
{
    struct node *n = w->node;
    for (int i = 0; i < LOOK_ROWS; i++) {
        struct key k;
        int node;
        if (!ledger_next_given(n->ledger, &k, &node) || store_has(n->store, &k)) continue;
        ledger_forget(n->ledger, &k, node);
        send_drop(w, node, &k);
    }
}

void
copy_give(struct worker *w, int to, const struct key *k, const struct key *asked, uint32_t place,
          luna_value v)
{
    send_copy(w, to, asked, k->bound, is_counted(w->node, k), place, v);
    look_at_given(w);
}

/* Once, until something comes: a node at rest sends nothing on its own, or the run could end while
 * that is on its way (done.h). */
void
copy_tell(struct worker *w)
{
    struct node *n = w->node;
    uint64_t received = atomic_load(&n->received);
    tell(w);
    if (n->looked_after != received) look_at_given(w);
    n->looked_after = received;
}
