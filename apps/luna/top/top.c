/* top.c - see top.h. */
#include "apps/luna/top/top.h"

#include "runtime/base/amount.h"
#include "runtime/base/clock.h"

#include <inttypes.h>
#include <string.h>

/* ---- which ---- */

static bool
is_first(const struct status_runs *runs, int i)
{
    return !i || runs->process[i].page->run != runs->process[i - 1].page->run;
}

int
top_count(const struct status_runs *runs)
{
    int n = 0;
    for (int i = 0; i < runs->n; i++) n += is_first(runs, i);
    return n;
}

/* 0: it has gone. */
static pid_t
parent_of(pid_t pid)
{
    char path[64], line[512];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0;
    if (f) fclose(f);
    line[n] = 0;
    const char *name_end = strrchr(line, ')'); /* the name may hold anything */
    return name_end && sscanf(name_end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

bool
top_run_of(const struct status_runs *runs, pid_t pid, uint64_t *run)
{
    enum { GENERATIONS = 16 };
    for (int i = 0; i < runs->n; i++) {
        pid_t p = runs->process[i].pid;
        for (int k = 0; k < GENERATIONS && p > 1 && p != pid; k++) p = parent_of(p);
        *run = runs->process[i].page->run;
        if (p == pid) return true;
    }
    return false;
}

/* ---- text ---- */

static const char *
plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

void
top_list(const struct status_runs *runs, FILE *out)
{
    fprintf(out, "%8s %10s  %s\n", "PID", "time", "program");
    for (int i = 0; i < runs->n; i++) {
        const struct status_page *p = runs->process[i].page;
        if (!is_first(runs, i)) continue;
        fprintf(out, "%8d %8.1f s  %s, %d node%s\n", (int)p->pid,
                1e-9 * (double)(clock_ns() - p->begun_ns), p->program, p->nodes,
                plural((uint64_t)p->nodes));
    }
}

static void
print_rate(FILE *out, double per_s)
{
    if (per_s < 0) fprintf(out, " %12s", "-");
    else fprintf(out, " %12.0f", per_s);
}

static void
print_nodes(const struct status_runs *runs, FILE *out)
{
    fprintf(out, "%6s %8s %12s %12s %10s\n", "node", "pid", "calls", "calls/s", "wait");
    for (int i = 0; i < runs->n; i++) {
        const struct status_process *p = &runs->process[i];
        if (!p->copy->now.at_ns) continue;
        for (int k = 0; k < p->copy->here; k++) {
            fprintf(out, "%6d %8d %12" PRIu64, p->copy->first + k, (int)p->pid,
                    p->copy->node[k].calls);
            print_rate(out, status_calls_per_s(p, k));
            fprintf(out, " %10" PRId64 "\n", p->copy->node[k].waiting);
        }
    }
}

static void
print_calls(const struct status_sum *sum, FILE *out)
{
    for (int i = 0; i < sum->ncalls; i++) {
        const struct status_call *c = &sum->call[i];
        fprintf(out, "%s: %s: %u call%s running", c->place, c->function, c->running,
                plural(c->running));
        if (c->longest_ns)
            fprintf(out, ", the longest since %s",
                    amount_time(1e-9 * (double)c->longest_ns).text);
        fputc('\n', out);
    }
}

void
top_print(const struct status_runs *runs, const struct status_sum *sum, FILE *out)
{
    const struct status_page *one = runs->process[0].copy;
    fprintf(out, "%s: %.1f s, %d node%s x %d worker%s", one->program, sum->seconds, sum->nodes,
            plural((uint64_t)sum->nodes), one->workers, plural((uint64_t)one->workers));
    if (sum->told < sum->nodes) fprintf(out, ", of %d nodes nothing is known here",
                                        sum->nodes - sum->told);
    fprintf(out, "\n%" PRIu64 " calls run", sum->calls);
    if (sum->calls_per_s >= 0) fprintf(out, ", %.0f/s", sum->calls_per_s);
    fprintf(out, ", %" PRIu64 " running, %" PRIu64 " wait, %s of %s\n", sum->running,
            sum->waiting, amount_bytes((double)sum->bytes).text,
            amount_bytes((double)sum->bytes_most).text);
    print_calls(sum, out);
    print_nodes(runs, out);
}
