/* perf_tell.c - see perf_tell.h. */
#include "apps/luna/perf/perf_tell.h"

#include "collectives/perf/stats.h"
#include "runtime/base/json.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- what is beside what ---- */

struct key { /* of rows that belong together */
    double procs, count;
};

struct keys {
    struct key *at;
    int n;
};

struct mean { /* median of the turns; NAN: there is none */
    double value, low, high;
};

static double
value_at(const struct perf_table *t, int row, const char *column)
{
    int i = perf_column(t, column);
    return i < 0 ? NAN : t->rows[row].at[i];
}

static struct key
key_at(const struct perf_table *t, int row)
{
    return (struct key){value_at(t, row, "Procs"), value_at(t, row, "Count")};
}

static bool
same(struct key a, struct key b)
{
    return a.procs == b.procs && a.count == b.count;
}

/* In the order in which they are first met. */
static struct keys
keys_of(struct arena *a, const struct perf_results *r)
{
    int most = 0;
    for (int i = 0; i < r->n; i++) most += r->at[i].table.n;
    struct keys k = {arena_array(a, struct key, (size_t)most + 1), 0};
    for (int i = 0; i < r->n; i++)
        for (int row = 0; row < r->at[i].table.n; row++) {
            int j = 0;
            struct key x = key_at(&r->at[i].table, row);
            while (j < k.n && !same(k.at[j], x)) j++;
            k.at[j] = x;
            k.n += j == k.n;
        }
    return k;
}

/* The median of a column over the rows of a key. */
static double
median_in(struct arena *a, const struct perf_table *t, struct key key, const char *column)
{
    double *found = arena_array(a, double, (size_t)t->n + 1);
    int n = 0;
    for (int row = 0; row < t->n; row++) {
        double x = value_at(t, row, column);
        if (same(key_at(t, row), key) && !isnan(x)) found[n++] = x;
    }
    return n ? stats_median(found, n) : NAN;
}

static struct mean
mean_in(struct arena *a, const struct perf_results *r, int i, struct key key)
{
    const struct perf_table *t = &r->at[i].table;
    struct mean best = {NAN, NAN, NAN};
    if (!r->least)
        return (struct mean){median_in(a, t, key, "Mean"), median_in(a, t, key, "CI_LB"),
                             median_in(a, t, key, "CI_UB")};
    for (int row = 0; row < t->n; row++) {
        double mean = value_at(t, row, "Mean");
        if (!same(key_at(t, row), key) || isnan(mean) || mean >= best.value) continue;
        best = (struct mean){mean, value_at(t, row, "CI_LB"), value_at(t, row, "CI_UB")};
    }
    return best;
}

/* ---- as a table ---- */

static void
tell_head(FILE *out, const struct perf_results *r)
{
    fprintf(out, "# luna perf %s: %s, side by side\n", LUNA_VERSION, r->bench);
    for (int i = 0; i < r->n; i++)
        fprintf(out, "# %s: %s\n", r->at[i].peer,
                r->at[i].table.library ? r->at[i].table.library : "?");
    if (r->n && perf_column(&r->at[0].table, "CRuns") < 0)
        fprintf(out, "# launches follow each other (nosync)\n");
    fprintf(out, "# mean time (%s), the %s of %d turns; +-: half of its interval\n#Procs %10s",
            r->unit, r->least ? "least" : "median", r->turns, "Count");
    for (int i = 0; i < r->n; i++) fprintf(out, " %11s %10s", r->at[i].peer, "+-");
}

static int
index_of(const struct perf_results *r, const char *peer)
{
    int i = 0;
    while (i < r->n && strcmp(r->at[i].peer, peer)) i++;
    return i < r->n && r->n > 1 ? i : -1;
}

static void
tell_number(FILE *out, int width, double x)
{
    if (isnan(x)) fprintf(out, " %*s", width, "-");
    else fprintf(out, fabs(x) < 1e-2 && x != 0 ? " %*.3e" : " %*.4f", width, x);
}

void
perf_tell_table(FILE *out, struct arena *a, const struct perf_results *r)
{
    struct keys k = keys_of(a, r);
    int ours = index_of(r, "luna");
    tell_head(out, r);
    fprintf(out, ours < 0 ? "\n" : " %9s\n", "luna/best");
    for (int j = 0; j < k.n; j++) {
        double best = NAN, mine = NAN;
        fprintf(out, " %5.0f %10.0f", k.at[j].procs, k.at[j].count);
        for (int i = 0; i < r->n; i++) {
            struct mean m = mean_in(a, r, i, k.at[j]);
            tell_number(out, 11, m.value);
            tell_number(out, 10, (m.high - m.low) / 2);
            if (i == ours) mine = m.value;
            else best = fmin(best, m.value);
        }
        if (ours >= 0) tell_number(out, 9, mine / best);
        fprintf(out, "\n");
    }
}

/* ---- as JSON ---- */

/* Columns are called in capitals; here they are not. */
static void
put_row(struct json *j, const struct perf_table *t, int row)
{
    json_line(j, 2);
    json_open(j, '{');
    for (int i = 0; i < t->ncolumns; i++) {
        struct buf name = {0};
        for (const char *p = t->columns[i]; *p; p++)
            buf_char(&name, (char)tolower((unsigned char)*p));
        json_key_float(j, name.data ? name.data : "", 10, t->rows[row].at[i]);
        j->to->failed |= name.failed;
        buf_fini(&name);
    }
    json_close(j, '}');
}

static void
put_peer(struct json *j, const struct perf_result *r)
{
    json_line(j, 1);
    json_open(j, '{');
    json_key_text(j, "peer", r->peer);
    json_key_text(j, "library", r->table.library ? r->table.library : "");
    json_key_open(j, "rows", '[');
    for (int row = 0; row < r->table.n; row++) put_row(j, &r->table, row);
    json_close(j, ']');
    json_close(j, '}');
}

bool
perf_tell_json(FILE *out, const struct perf_results *r)
{
    struct buf text = {0};
    struct json j = {.to = &text};
    json_open(&j, '{');
    json_key_text(&j, "luna", LUNA_VERSION);
    json_key_text(&j, "benchmark", r->bench);
    json_key_text(&j, "unit", r->unit);
    json_key_uint(&j, "turns", (uint64_t)r->turns);
    json_key_open(&j, "peers", '[');
    for (int i = 0; i < r->n; i++) put_peer(&j, &r->at[i]);
    json_close(&j, ']');
    json_close(&j, '}');
    buf_char(&text, '\n');
    bool fine = !text.failed;
    if (fine) fwrite(text.data, 1, text.size, out);
    buf_fini(&text);
    return fine;
}

/* ---- as a picture ---- */

struct drawing {
    const struct perf_results *results;
    struct keys keys;
    bool by_size, many; /* many: numbers of processes */
    struct plot_curve *curves;
    unsigned n;
    double least_x, most_x, least_y, most_y;
};

static double
either(double x, double other)
{
    return isnan(x) ? other : x;
}

static void
widen(struct drawing *d, double x, double low, double high)
{
    d->least_x = fmin(d->least_x, x);
    d->most_x = fmax(d->most_x, x);
    d->least_y = fmin(d->least_y, low);
    d->most_y = fmax(d->most_y, high);
}

/* A curve of a peer: by size, with `procs` processes, or by processes. */
static void
add_curve(struct drawing *d, struct arena *a, int peer, double procs)
{
    const struct perf_result *of = &d->results->at[peer];
    struct plot_point *points = arena_array(a, struct plot_point, (size_t)d->keys.n + 1);
    struct plot_band *bands = arena_array(a, struct plot_band, (size_t)d->keys.n + 1);
    size_t n = 0;
    for (int j = 0; j < d->keys.n; j++) {
        struct key key = d->keys.at[j];
        struct mean m = mean_in(a, d->results, peer, key);
        double x = d->by_size ? key.count : key.procs;
        if ((d->by_size && key.procs != procs) || !(x > 0) || !(m.value > 0)) continue;
        double low = either(m.low, m.value), high = either(m.high, m.value);
        if (low <= 0) low = m.value / 10; /* an interval that reaches 0 has no end here */
        points[n] = (struct plot_point){x, m.value};
        bands[n++] = (struct plot_band){low, high};
        widen(d, x, low, high);
    }
    const char *name = d->by_size && d->many ? arena_printf(a, "%s, %.0f", of->peer, procs)
                                             : of->peer;
    d->curves[d->n++] = (struct plot_curve){name, points, n, bands};
}

static void
add_curves(struct drawing *d, struct arena *a)
{
    const struct perf_results *r = d->results;
    d->curves = arena_array(a, struct plot_curve, (size_t)r->n * ((size_t)d->keys.n + 1));
    for (int i = 0; i < r->n; i++)
        for (int j = 0; j < d->keys.n; j++) {
            bool first = true;
            for (int k = 0; k < j; k++) first &= d->keys.at[k].procs != d->keys.at[j].procs;
            if (d->by_size ? first : !j) add_curve(d, a, i, d->keys.at[j].procs);
        }
}

/* The nearest of 1, 2 and 5 times a power of ten, or of the powers of two, on one side of x. */
static double
round_out(double x, bool up, enum plot_scale scale)
{
    static const double times[] = {1, 2, 5, 10};
    if (scale == PLOT_LOG2) return exp2(up ? ceil(log2(x)) : floor(log2(x)));
    double one = pow(10, floor(log10(x)));
    for (int i = 0; up && i < 4; i++)
        if (times[i] * one >= x * (1 - 1e-9)) return times[i] * one;
    for (int i = 3; i > 0; i--)
        if (times[i] * one <= x * (1 + 1e-9)) return times[i] * one;
    return one;
}

static struct plot_axis
axis_of(const char *label, struct amount_unit unit, enum plot_scale scale, double least,
        double most)
{
    struct plot_axis axis = {.label = label, .unit = unit, .scale = scale};
    if (!(least <= most)) least = most = 1; /* there is no point */
    axis.min = round_out(least, false, scale);
    axis.max = round_out(most, true, scale);
    if (axis.max <= axis.min) axis.max = 2 * axis.min;
    return axis;
}

bool
perf_picture(struct picture *out, struct arena *a, const struct perf_results *r)
{
    struct drawing d = {.results = r, .keys = keys_of(a, r), .least_x = INFINITY,
                        .most_x = -INFINITY, .least_y = INFINITY, .most_y = -INFINITY};
    for (int j = 0; j < d.keys.n; j++) {
        d.by_size |= d.keys.at[j].count > 0;
        d.many |= d.keys.at[j].procs != d.keys.at[0].procs;
    }
    add_curves(&d, a);
    struct plot plot = {
        .title = d.many || !d.keys.n ? r->bench
                                     : arena_printf(a, "%s, %.0f processes", r->bench,
                                                    d.keys.at[0].procs),
        .x = axis_of(d.by_size ? "size, bytes" : "processes", (struct amount_unit){NULL, 1},
                     PLOT_LOG2, d.least_x, d.most_x),
        .y = axis_of("time", (struct amount_unit){r->unit, 1}, PLOT_LOG, d.least_y, d.most_y),
        .curves = d.curves,
        .n = d.n,
    };
    return plot_picture(out, &plot);
}
