/* later.c - see later.h. The first node of this process makes the layout, which all share. */
#include "later.h"

#include "runtime/base/exit.h"
#include "runtime/fault/fault.h"
#include "runtime/node/trace.h"
#include "runtime/run/founders.h"
#include "runtime/run/ranks.h"
#include "runtime/turn/life.h"

#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    struct layout *layout;
    struct rebalance_knobs *knobs;
    const struct run_options *o;
    bool laid_out;
} later = {.lock = PTHREAD_MUTEX_INITIALIZER};

void
later_open(struct layout *l, struct rebalance_knobs *k, const struct run_options *o)
{
    later.layout = l;
    later.knobs = k;
    later.o = o;
    later.laid_out = false;
}

/* What is wrong with options is told as at the start, by rank 0; another rank may be the only one
 * that cannot read a file. */
static void
lay_out(const struct node *n, const struct lattice *cells, uint32_t place)
{
    fault_message_begins();
    bool fits = layout_choose(later.layout, cells, false, later.o, n->nodes);
    if (!fits && ranks_number()) {
        fault_begin(F_RUN13, place, "node %d cannot lay out the cells as node 0 has: --start=%s",
                    n->number, later.o->start);
        fault_hint("all hosts need the same file, under this name");
        fault_end(EXIT_RUN);
    }
    if (!fits) fault_leave(EXIT_USAGE);
    later.knobs->cells = later.layout->setup.cells;
    trace_lays_out();
}

static void
refuse(uint32_t place, const char *why)
{
    char text[LAYOUT_TEXT];
    layout_refusal(later.layout, why, text);
    fault(F_RUN13, place, "%s", text);
}

void
later_settle(struct worker *w, const struct lattice *cells, uint32_t place)
{
    const struct node *n = w->node;
    const char *why = NULL;
    pthread_mutex_lock(&later.lock);
    bool first = !later.laid_out;
    if (first) lay_out(n, cells, place);
    later.laid_out = true;
    pthread_mutex_unlock(&later.lock);
    const struct rebalance_knobs *k = later.knobs->mode == REBALANCE_OFF ? NULL : later.knobs;
    enum err e = node_settle(w, &later.layout->setup, k, &why);
    if (e == E_USER) refuse(place, why);
    if (e != OK) fault_nomem();
    if (!first) return;
    struct founders f = founders_of(later.layout, n);
    founders_settle(&f);
}
