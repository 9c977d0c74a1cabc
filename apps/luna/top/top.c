/* top.c - which runs are meant, and what they say. */
#include "apps/luna/top/top.h"

#include "runtime/base/clock.h"

#include <stdio.h>
#include <string.h>

enum { ASK_MS = 1000, GENERATIONS = 16 };

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

static bool
comes_from(pid_t pid, pid_t ancestor)
{
    for (int k = 0; k < GENERATIONS && pid > 1; k++, pid = parent_of(pid))
        if (pid == ancestor) return true;
    return false;
}

/* Those of a run stand side by side. */
void
top_keep(struct status_runs *runs, pid_t pid)
{
    for (int i = 0, end; i < runs->n; i = end) {
        uint64_t run = runs->process[i].page->run;
        bool meant = false;
        for (end = i; end < runs->n && runs->process[end].page->run == run; end++)
            meant = meant || comes_from(runs->process[end].pid, pid);
        if (meant) continue;
        status_drop(runs, run);
        end = i;
    }
}

bool
top_look(struct status_runs *runs, struct status_sum *sum)
{
    int n = status_look(runs, ASK_MS);
    if (n) status_add_up(runs, sum);
    return n;
}

void
top_list(const struct status_runs *runs, struct buf *out)
{
    buf_printf(out, "%8s %12s  %s\n", "PID", "time", "program");
    for (int i = 0; i < runs->n; i++) {
        const struct status_page *p = runs->process[i].copy;
        if (!is_first(runs, i)) continue;
        buf_printf(out, "%8d %10.1f s  %s, %d node%s\n", (int)runs->process[i].pid,
                   1e-9 * (double)(clock_ns() - p->begun_ns), p->program, p->nodes,
                   p->nodes == 1 ? "" : "s");
    }
}
