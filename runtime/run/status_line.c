/* status_line.c - a line about a run, for people. */
#include "runtime/run/loop.h"
#include "runtime/run/status_read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONG_NS = 900000000 }; /* a call that is told of: between two looks of a second, say */

static __attribute__((format(printf, 4, 5))) void
add(char *text, size_t size, size_t *used, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text + *used, size - *used, fmt, ap);
    va_end(ap);
    if (n > 0) *used += (size_t)n < size - *used ? (size_t)n : size - *used - 1;
}

const char *
status_time(char text[32], double seconds)
{
    long s = (long)(seconds + 0.5), min = s / 60;
    if (seconds < 1) snprintf(text, 32, "%.2f s", seconds);
    else if (s < 10) snprintf(text, 32, "%.1f s", seconds);
    else if (s < 120) snprintf(text, 32, "%ld s", s);
    else if (min < 120) snprintf(text, 32, "%ld min", min);
    else snprintf(text, 32, "%ld h %ld min", min / 60, min % 60);
    return text;
}

/* FILE:LINE of FILE:LINE:COL. */
static int
line_of(const char *place)
{
    const char *colon = strrchr(place, ':');
    return colon ? (int)(colon - place) : (int)strlen(place);
}

int64_t
status_counter(const struct status_loop *l)
{
    return l->form == LOOP_DOWN ? -l->at : l->at;
}

size_t
status_loop_text(char *text, size_t size, const struct status_sum *sum)
{
    const struct status_loop *l = &sum->loop;
    size_t used = 0;
    if (!*l->place) return *text = 0;
    if (l->first > l->last) {
        add(text, size, &used, "iteration %" PRId64 " (%.*s)", status_counter(l),
            line_of(l->place), l->place);
        return used;
    }
    int64_t all = l->last - l->first + 1, done = l->at - l->first;
    add(text, size, &used, "iteration %" PRId64 " of %" PRId64 " (%.*s)", done, all,
        line_of(l->place), l->place);
    if (done <= 0 || !(sum->seconds > 0) || l->at < l->most) return used; /* who is ahead? */
    char time[32];
    status_time(time, sum->seconds * (double)(all - done) / (double)done);
    add(text, size, &used, ", about %s to go", time);
    return used;
}

size_t
status_line(char *text, size_t size, const struct status_sum *sum)
{
    size_t used = 0;
    if (sum->told < sum->nodes)
        add(text, size, &used, "%d of %d nodes: ", sum->told, sum->nodes);
    used += status_loop_text(text + used, size - used, sum);
    if (*sum->loop.place) add(text, size, &used, ", ");
    add(text, size, &used, "%" PRIu64 " calls run", sum->calls);
    if (sum->calls_per_s >= 0) add(text, size, &used, ", %.0f/s", sum->calls_per_s);
    add(text, size, &used, ", %" PRIu64 " wait", sum->waiting);
    if (sum->busy >= 0) add(text, size, &used, ", busy %.0f %%", 100 * sum->busy);
    if (sum->imbalance >= 0)
        add(text, size, &used, ", busiest/mean %.2f", sum->imbalance);
    const struct status_call *c = &sum->call[0];
    if (!sum->ncalls || c->longest_ns < LONG_NS) return used;
    char time[32];
    add(text, size, &used, ", %s (%.*s) since %s", c->function, line_of(c->place), c->place,
        status_time(time, 1e-9 * (double)c->longest_ns));
    return used;
}
