/* speed.c - what --speed says, and the waiting of slow nodes. */
#include "speed.h"

#include "runtime/base/clean.h"
#include "runtime/base/clock.h"
#include "runtime/base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct change {
    long node;
    double speed;
    uint64_t from_ns;
};

struct speeds {
    int n;
    struct change change[]; /* as they were said: later ones win */
};

static const double SPEED_MIN = 0.001, SPEED_MAX = 1000;
enum { NS_MS = 1000000, SLEEP_NS_MIN = 100000 }; /* shorter waits are too short to sleep */

/* Reads NODE:S[@MS] up to a comma or the end; NULL: it is written in another way. */
static const char *
read_change(const char *at, struct change *c)
{
    char *end;
    if (!isdigit((unsigned char)*at)) return NULL;
    long node = strtol(at, &end, 10);
    if (*end != ':' || !isdigit((unsigned char)end[1])) return NULL;
    c->node = node;
    c->speed = strtod(end + 1, &end);
    c->from_ns = 0;
    if (*end == '@') {
        if (!isdigit((unsigned char)end[1])) return NULL;
        double ms = strtod(end + 1, &end);
        if (!(ms < 1e9)) return NULL;
        c->from_ns = (uint64_t)(ms * NS_MS);
    }
    return *end && *end != ',' ? NULL : end;
}

static bool
refuse(bool tells, const char *text, const char *why)
{
    if (tells) clean_print("luna: error: --speed=%s: %s\n", text, why);
    return false;
}

static bool
fits(const struct change *c, const char *text, int nodes, bool simulated, bool tells)
{
    char why[128];
    if (c->node >= nodes) {
        snprintf(why, sizeof why, "there is no node %ld, they are 0..%d", c->node, nodes - 1);
        return refuse(tells, text, why);
    }
    if (!(c->speed >= SPEED_MIN && c->speed <= SPEED_MAX))
        return refuse(tells, text, "a speed is a number from 0.001 to 1000");
    if (!simulated && c->speed > 1)
        return refuse(tells, text, "a node can be made slower, not faster, but in 'luna sim'");
    return true;
}

bool
speeds_read(struct speeds **out, const char *text, int nodes, bool simulated, bool tells)
{
    *out = NULL;
    if (!text) return true;
    size_t n = 1;
    for (const char *c = text; *c; c++) n += *c == ',';
    struct speeds *s = mem_zalloc(1, sizeof *s + n * sizeof s->change[0]);
    if (!s) return refuse(tells, text, "out of memory");
    bool ok = true;
    const char *at = text;
    for (bool more = true; more && ok; at++) {
        struct change *c = &s->change[s->n++];
        at = read_change(at, c);
        ok = at ? fits(c, text, nodes, simulated, tells)
                : refuse(tells, text, "it is written as NODE:S or NODE:S@MS, with commas between, "
                                      "as 1:0.5,3:0.25@20");
        if (!ok) break;
        more = *at == ',';
    }
    if (ok) *out = s;
    else speeds_free(s);
    return ok;
}

void
speeds_free(struct speeds *s)
{
    mem_free(s);
}

bool
speeds_has(const struct speeds *s, int node)
{
    for (int i = 0; s && i < s->n; i++)
        if (s->change[i].node == node) return true;
    return false;
}

double
speeds_at(const struct speeds *s, int node, uint64_t ns)
{
    double speed = 1;
    for (int i = 0; i < s->n; i++)
        if (s->change[i].node == node && s->change[i].from_ns <= ns) speed = s->change[i].speed;
    return speed;
}

void
speed_wait(double speed, uint64_t ns)
{
    if (speed >= 1) return;
    uint64_t rest = (uint64_t)((double)ns * (1 / speed - 1)), end = clock_ns() + rest;
    struct timespec until = clock_until(end);
    if (rest >= SLEEP_NS_MIN)
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
    while (clock_ns() < end) sched_yield();
}
