/* shape.c - see shape.h. */
#include "collectives/group/shape.h"

#include "collectives/group/model.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    CELL = 4096, /* the smallest fragment we choose, and cells so that a set holds 64 */
    CELLS = 128,
    SETS = 2,    /* the next is filled while the last is read */
    FAN_OUT = 2
};
#define LATENCY_MAX 1e12
/* t_w/t where we measured: 0.1 us, and 60 ps a byte. */
static const double latency_bytes = 1600;

static bool __attribute__((format(printf, 2, 3)))
wrong(char why[COLL_WHY], const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, COLL_WHY, fmt, args);
    va_end(args);
    return true;
}

bool
shape_wrong_place(const struct coll_setup *s, char why[COLL_WHY])
{
    if (s->size < 1 || s->size > SIZE_MAX_MEMBERS)
        return wrong(why, "size: 1 to %d members, not %d", SIZE_MAX_MEMBERS, s->size);
    if (s->rank < 0 || s->rank >= s->size)
        return wrong(why, "rank: 0 to %d of %d members, not %d", s->size - 1, s->size, s->rank);
    return false;
}

static bool
wrong_queues(const struct coll_setup *s, char why[COLL_WHY])
{
    if (s->fragments < 0 || s->fragments == 1 || s->fragments > CELLS_MAX)
        return wrong(why, "fragments: 2 to %d, not %d", CELLS_MAX, s->fragments);
    if (s->sets < 0) return wrong(why, "sets: at least 1, not %d", s->sets);
    if (s->fragments && s->sets && s->fragments % s->sets)
        return wrong(why, "sets must divide fragments: %d do not divide %d", s->sets,
                     s->fragments);
    if (s->fragment_bytes && s->fragment_bytes < LINE)
        return wrong(why, "fragment_bytes: at least %d, not %zu", LINE, s->fragment_bytes);
    if (!(s->latency_bytes >= 0 && s->latency_bytes <= LATENCY_MAX))
        return wrong(why, "latency_bytes: 0 to %g, not %g", LATENCY_MAX, s->latency_bytes);
    return false;
}

bool
shape_wrong(const struct coll_setup *s, char why[COLL_WHY])
{
    if (wrong_queues(s, why)) return true;
    if (s->fan_out < 0 || s->fan_out == 1)
        return wrong(why, "fan_out: at least 2, not %d", s->fan_out);
    if ((unsigned)s->tree > COLL_CHAIN)
        return wrong(why, "tree: COLL_KARY to COLL_CHAIN, 0 to %d, not %d", COLL_CHAIN,
                     (int)s->tree);
    if ((unsigned)s->layout > COLL_PAGES)
        return wrong(why, "layout: COLL_LINES or COLL_PAGES, 0 or 1, not %d", (int)s->layout);
    if ((unsigned)s->copying > COLL_COPY_AROUND)
        return wrong(why, "copying: COLL_COPY_TIMED to COLL_COPY_AROUND, 0 to %d, not %d",
                     COLL_COPY_AROUND, (int)s->copying);
    if (s->timeout_ms < 0) return wrong(why, "timeout_ms: at least 1, not %d", s->timeout_ms);
    return false;
}

struct shape
shape_of(const struct coll_setup *s)
{
    struct shape a = {.size = s->size, .layout = s->layout, .tree = s->tree};
    a.fan_out = s->fan_out ? s->fan_out : FAN_OUT;
    a.sets = s->sets ? s->sets : SETS;
    a.fragment = (int64_t)s->fragment_bytes;
    a.cell = CELL;
    a.cells = s->fragments ? s->fragments : CELLS;
    if (s->fragment_bytes || s->message_max) {
        double latency = s->latency_bytes > 0 ? s->latency_bytes : latency_bytes;
        struct model_queue q = model_choose(s->message_max, s->fragment_bytes, s->fragments,
                                            latency, (size_t)sysconf(_SC_PAGESIZE));
        a.fragment = a.cell = (int64_t)q.fragment;
        a.cells = q.fragments;
    }
    if (!s->sets && a.cells % SETS) a.sets = 1;
    a.cells = (a.cells + a.sets - 1) / a.sets * a.sets;
    return a;
}

/* The first number that differs is told by its name in the setup. */
bool
shape_differs(const struct shape *a, const struct shape *b, int rank, char why[COLL_WHY])
{
    static const struct {
        const char *name;
        size_t at;
    } number[] = {
        {"size is", offsetof(struct shape, size)},
        {"layout is", offsetof(struct shape, layout)},
        {"tree is", offsetof(struct shape, tree)},
        {"fan_out is", offsetof(struct shape, fan_out)},
        {"sets are", offsetof(struct shape, sets)},
        {"fragment_bytes are", offsetof(struct shape, fragment)},
        {"fragments are", offsetof(struct shape, cells)},
    };
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        int64_t x, y;
        memcpy(&x, (const char *)a + number[i].at, sizeof x);
        memcpy(&y, (const char *)b + number[i].at, sizeof y);
        if (x != y)
            return wrong(why, "members give different setups: %s %lld at rank %d, and %lld at "
                         "rank 0", number[i].name, (long long)x, rank, (long long)y);
    }
    return false;
}
