/* rebalance_knobs.c - what the user says about balancing. */
#include "rebalance_knobs.h"

#include "runtime/base/duration.h"
#include "runtime/run/ranks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY_NS = 100000000 };

static bool
read_mode(struct rebalance_knobs *k, const char *text)
{
    if (!text || !strcmp(text, "off")) k->mode = REBALANCE_OFF;
    else if (!strcmp(text, "paper")) k->mode = REBALANCE_PAPER;
    else if (!strcmp(text, "two-phase")) k->mode = REBALANCE_TWO_PHASE;
    else return layout_refuse("--balance=%s: it is off, paper or two-phase", text);
    return true;
}

/* A number of calls, or a time. At most seven digits: any more is a slip. */
static bool
read_every(struct rebalance_knobs *k, const char *text)
{
    k->every_ns = text ? duration_ns(text) : EVERY_NS;
    size_t n = text ? strspn(text, "0123456789") : 0;
    if (n && n < 8 && !text[n]) k->every_calls = strtoull(text, NULL, 10);
    if (k->every_calls || k->every_ns) return true;
    return layout_refuse("--balance-every=%s: it is a number of calls of a node, as 1000, or a "
                         "time, as 500us, 100ms, 1s", text);
}

static bool
read_threshold(struct rebalance_knobs *k, const char *text)
{
    char *end = NULL;
    if (!text) text = "5%";
    size_t n = strspn(text, "0123456789.");
    double v = n ? strtod(text, &end) : -1;
    if (v >= 0 && v <= 1000 && end == text + n && !strcmp(end, "%")) {
        k->threshold = v / 100;
        return true;
    }
    return layout_refuse("--balance-threshold=%s: it is a part of the average load, as 5%%, or 0%%",
                         text);
}

static bool
read_measure(struct rebalance_knobs *k, const char *text)
{
    static const char *const names[] = {"bytes", "count", "time", "weight"};
    for (int i = 0; i < 4; i++)
        if (!strcmp(text ? text : "bytes", names[i])) {
            k->measure = (enum load_measure)i;
            return true;
        }
    return layout_refuse("--balance-load=%s: it is bytes, count, time or weight", text);
}

/* Said without --balance, they would do nothing. */
static bool
none_alone(const struct run_options *o)
{
    const char *name = o->balance_every       ? "--balance-every"
                       : o->balance_threshold ? "--balance-threshold"
                       : o->balance_load      ? "--balance-load"
                                              : NULL;
    return o->balance || !name ||
           layout_refuse("%s says how to balance: give --balance=paper or two-phase too", name);
}

/* Cells must be able to change hands. */
static bool
fits(const struct rebalance_knobs *k, const struct run_options *o, const struct layout *l)
{
    bool cells = l->has_cells || l->later;
    if (k->mode == REBALANCE_OFF) return true;
    if (!cells && !o->quiet && !ranks_number())
        fprintf(stderr, "luna: note: the program has no cells, so there is nothing to balance\n");
    if (!cells || distrib_kind_moves(l->setup.kind)) return true;
    return layout_refuse("--balance=%s: under --distrib=%s cells stay where they are; take rope or "
                         "patch",
                         o->balance, distrib_kind_name(l->setup.kind));
}

bool
rebalance_read(struct rebalance_knobs *k, const struct run_options *o, const struct layout *l)
{
    *k = (struct rebalance_knobs){.cells = l->setup.cells, .stats = o->stats};
    return none_alone(o) && read_mode(k, o->balance) && read_every(k, o->balance_every) &&
           read_threshold(k, o->balance_threshold) && read_measure(k, o->balance_load) &&
           fits(k, o, l);
}
