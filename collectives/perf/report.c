/* report.c - see report.h. */
#include "collectives/perf/report.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* ---- the header ---- */

enum { WHERE = 80, VERSION = MPI_MAX_LIBRARY_VERSION_STRING };

static void
write_mapping(FILE *out)
{
    char mine[WHERE], host[MPI_MAX_PROCESSOR_NAME], *all = NULL;
    int n, rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(host, &n);
    snprintf(mine, sizeof mine, "%.60s, core %d", host, sched_getcpu());
    if (!rank) bench_check((all = malloc((size_t)size * WHERE)) != NULL, "out of memory");
    MPI_Gather(mine, WHERE, MPI_CHAR, all, WHERE, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; !rank && i < size; i++)
        fprintf(out, "# process %d: %s\n", i, all + i * WHERE);
    free(all);
}

static void
write_library(FILE *out)
{
    char version[VERSION];
    int n;
    MPI_Get_library_version(version, &n);
    n = (int)strcspn(version, ",\n");
    for (char *p = version; p < version + n; p++)
        if (*p == '\t') *p = ' ';
    fprintf(out, "# library: %.*s\n", n, version);
}

/* Options that were given may have no effect, which depends on the cores of the host. */
static void
write_rules(FILE *out, const struct method *p)
{
    const struct ask *a = p->ask;
    if (p->rows) {
        fprintf(out, "# launches: %d in ten rows (-e -E -a --confidence --clocks: no effect)\n",
                sync_row_calls(a) * SYNC_ROWS);
        return;
    }
    fprintf(out, "# launches: %d to %d, until ", a->rules.least, a->rules.most);
    if (a->rules.rse > 0) fprintf(out, "the relative standard error is %g %%\n", a->rules.rse);
    else fprintf(out, "%d are valid\n", a->rules.valid);
    fprintf(out, "# trimmed: %g %% at each end; intervals: %g %%\n", 100 * a->rules.trim,
            100 * a->rules.confidence);
}

static const char *
buffers_text(const struct ask *a)
{
    static const char *const text[] = {"rewritten by senders before each launch (producer)",
                                       "not touched between launches (hot)",
                                       "out of the caches before each launch (cold)"};
    return text[a->buffers];
}

static bool
overlaps(const struct method *p)
{
    return list[p->ask->bench].flags & LIST_OVERLAPS && !p->ask->blocking;
}

static const char *
count_text(unsigned flags)
{
    if (flags & LIST_NO_DATA) return "0: there is no data (-x -X -s -S --buffers: no effect)";
    if (flags & LIST_REDUCES)
        return flags & LIST_SEND_ALL ? "bytes of each block, of doubles" : "bytes, of doubles";
    return flags & (LIST_SEND_ALL | LIST_RECV_ALL) ? "bytes of each block" : "bytes";
}

static void
write_meaning(FILE *out, const struct method *p)
{
    const char *unit = p->ask->seconds ? "s" : "us";
    fprintf(out, "# Procs processes; Count %s\n", count_text(list[p->ask->bench].flags));
    if (p->rows)
        fprintf(out, "# TRuns launches; Mean (%s) of a call with making its data: of ten rows, "
                     "the median\n", unit);
    else
        fprintf(out,
                "# TRuns launches; CRuns valid ones; FRuns left after trimming\n"
                "# Mean, RSE relative standard error (%%), StdErr of the mean: of FRuns (%s)\n"
                "# Min, Max: of CRuns; Err: half of the interval CI_LB .. CI_UB; RelErr: %%\n",
                unit);
    if (overlaps(p))
        fprintf(out, "# Pure: without overlap; Overlap: share of Pure that is hidden by as much "
                     "work (%%)\n");
}

void
report_head(FILE *out, const struct method *p)
{
    static const char *const how[] = {"", "linear", "ring", "the same for all"};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!rank) {
        fprintf(out, "# luna perf %s: %s\n# command:", LUNA_VERSION, list[p->ask->bench].name);
        for (int i = 1; i < p->argc; i++) fprintf(out, " %s", p->argv[i]);
        fprintf(out, "\n");
        write_library(out);
        fprintf(out, "# timer: %s", timer_name[p->ask->timer]);
        fprintf(out, p->rows ? "\n" : "; clocks: %s\n", how[p->clocks]);
        fprintf(out, "# starts: %s\n", p->rows ? "one after the other (nosync)"
                                               : "at one time (synctime)");
        write_rules(out, p);
        if (!(list[p->ask->bench].flags & LIST_NO_DATA))
            fprintf(out, "# buffers: %s\n", buffers_text(p->ask));
    }
    write_mapping(out);
    if (!rank) write_meaning(out, p);
}

/* ---- lines ---- */

void
report_columns(FILE *out, const struct method *p, const char *before)
{
    static const char *const names[] = {"CRuns", "FRuns", "Mean",  "RSE",   "StdErr", "Min",
                                        "Max",   "Err",   "CI_LB", "CI_UB", "RelErr"};
    fprintf(out, "#%s%5s %10s %6s", before, "Procs", "Count", "TRuns");
    if (p->rows) fprintf(out, " %10s", "Mean");
    else
        for (int i = 0; i < 11; i++) fprintf(out, i < 2 ? " %6s" : " %10s", names[i]);
    if (overlaps(p) && !*before) fprintf(out, " %10s %10s", "Pure", "Overlap");
    fprintf(out, "\n");
}

static void
write_number(FILE *out, double x)
{
    if (isnan(x)) fprintf(out, " %10s", "-");
    else fprintf(out, fabs(x) < 1e-2 && x != 0 ? " %10.3e" : " %10.4f", x);
}

static void
write_sample(FILE *out, const struct ask *a, const struct sample *s)
{
    double u = a->seconds ? 1e-6 : 1;
    fprintf(out, " %6d %6d", s->valid, s->kept);
    const double numbers[] = {s->mean * u, s->rse,     s->stderr_ * u, s->min * u, s->max * u,
                              s->err * u,  s->low * u, s->high * u,    s->relerr};
    for (int i = 0; i < 9; i++) write_number(out, numbers[i]);
}

/* Of `pure` and as much work, `both` is the time; the share of pure that it hides, %. */
static double
hidden(double pure, double both)
{
    double share = 100 * (2 * pure - both) / pure;
    return share < 0 ? 0 : share > 100 ? 100 : share;
}

void
report_line(FILE *out, const struct method *p, const struct bench *b, const struct launches *l,
            double pure_us)
{
    const struct rules *rules = &p->ask->rules;
    double u = p->ask->seconds ? 1e-6 : 1;
    fprintf(out, " %5d %10zu %6d", b->size, b->bytes, l->total);
    double mean_us;
    if (p->rows) {
        mean_us = stats_median(l->slowest, l->valid);
        write_number(out, mean_us * u);
    } else {
        struct sample s =
            sample_of(l->slowest, l->valid, l->total, rules->trim, rules->confidence);
        mean_us = s.mean;
        write_sample(out, p->ask, &s);
    }
    if (overlaps(p)) {
        write_number(out, pure_us * u);
        write_number(out, hidden(pure_us, mean_us));
    }
    fprintf(out, "\n");
    fflush(out);
}

void
report_each(FILE *out, const struct method *p, const struct bench *b, const struct launches *l)
{
    const struct rules *rules = &p->ask->rules;
    double *theirs = b->rank ? NULL : malloc((size_t)l->valid * sizeof *theirs + 1);
    bench_check(b->rank || theirs, "out of memory");
    if (b->rank) MPI_Send(l->own, l->valid, MPI_DOUBLE, 0, 2, b->comm);
    for (int i = 0; !b->rank && i < b->size; i++) {
        if (i) MPI_Recv(theirs, l->valid, MPI_DOUBLE, i, 2, b->comm, MPI_STATUS_IGNORE);
        else memcpy(theirs, l->own, (size_t)l->valid * sizeof *theirs);
        fprintf(out, " %5d %5d %10zu %6d", i, b->size, b->bytes, l->total);
        if (p->rows)
            write_number(out, stats_median(theirs, l->valid) * (p->ask->seconds ? 1e-6 : 1));
        else {
            struct sample s =
                sample_of(theirs, l->valid, l->total, rules->trim, rules->confidence);
            write_sample(out, p->ask, &s);
        }
        fprintf(out, "\n");
    }
    free(theirs);
}
