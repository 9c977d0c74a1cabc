/* shapes.c - the functions the .fa programs here call, their clock and the check of the answer.
 *
 * The clock starts in begin(), which the loops wait for, and stops in the last call that reads a
 * result; the start of the process and compiling lie before, the making of the calls lies between.
 * `indep` has no last call: its end is the latest time a nop() noted (nop.c), found at exit. */
#include "luna.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH_MAX = 4096, INDEP = 0, CHAIN = 1 };

double kernel(double left, double self, double right, int iters);
void   nop_reset(void);
double nop_last(int n);

static int width = -1, calls, iters; /* of this run; width INDEP or CHAIN: not a stencil */
static double start;
static double row[WIDTH_MAX + 2];
static _Atomic int rows_left;

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
begin_any(int w, int n, int rounds, luna_df *go)
{
    if (w > WIDTH_MAX) luna_fail("rows of at most %d points", WIDTH_MAX);
    width = w;
    calls = n;
    iters = rounds;
    rows_left = w;
    if (w == INDEP) nop_reset();
    luna_set_int(go, 1);
    start = now();
}

void
begin(int w, int n, luna_df *go)
{
    begin_any(w, n, -1, go);
}

void
begin_metg(int w, int n, int rounds, luna_df *go)
{
    begin_any(w, n, rounds, go);
}

void
set(int v, luna_df *x)
{
    luna_set_int(x, v);
}

void
set_real(int v, luna_df *x)
{
    luna_set_real(x, v);
}

void
step_df(const luna_df *x, luna_df *next)
{
    luna_set_int(next, luna_get_int(x) + 1);
}

void
sten_df(const luna_df *left, const luna_df *self, const luna_df *right, luna_df *next)
{
    luna_set_int(next, (luna_get_int(left) + luna_get_int(self) + luna_get_int(right)) & 0xffff);
}

void
kernel_df(const luna_df *left, const luna_df *self, const luna_df *right, int rounds, luna_df *next)
{
    double l = luna_get_real(left), s = luna_get_real(self), r = luna_get_real(right);
    luna_set_real(next, kernel(l, s, r, rounds));
}

/* One row of the stencil by a plain loop; with ints while rounds < 0. */
static void
next_row(double *z, const double *a)
{
    for (int i = 1; i <= width; i++)
        z[i] = iters < 0 ? (double)(((int)a[i - 1] + (int)a[i] + (int)a[i + 1]) & 0xffff)
                         : kernel(a[i - 1], a[i], a[i + 1], iters);
}

static void
check_row(void)
{
    static double a[WIDTH_MAX + 2], z[WIDTH_MAX + 2];
    for (int i = 1; i <= width; i++) a[i] = i;
    for (int t = 0; width != CHAIN && t < calls / width; t++) {
        next_row(z, a);
        memcpy(a, z, ((size_t)width + 2) * sizeof *a);
    }
    if (width == CHAIN) a[1] = calls;
    for (int i = 1; i <= width; i++)
        if (row[i] != a[i]) luna_fail("value %d is %.17g, not %.17g", i, row[i], a[i]);
}

static void
last(double v, int i)
{
    row[i] = v;
    if (atomic_fetch_sub(&rows_left, 1) != 1) return;
    double end = now();
    check_row();
    printf("%.9f\n", end - start);
}

void
last_int(const luna_df *x, int i)
{
    last(luna_get_int(x), i);
}

void
last_real(const luna_df *x, int i)
{
    last(luna_get_real(x), i);
}

__attribute__((destructor)) static void
report_indep(void)
{
    if (width != INDEP) return;
    double end = nop_last(calls);
    if (end > 0) dprintf(1, "%.9f\n", end - start);
    else dprintf(1, "some call never came\n");
}

/* ---- pending.fa ---- */

static long resident_before;

static long
resident_bytes(void)
{
    long pages = 0, all = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &all, &pages) != 2) luna_fail("cannot read /proc/self/statm");
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

void
measure(luna_df *gate)
{
    resident_before = resident_bytes();
    luna_set_int(gate, -1);
}

/* Passes the gate's number on: only the call behind the open gate can give -1. */
void
wait_for(const luna_df *gate, int i, luna_df *out)
{
    (void)i;
    luna_set_int(out, luna_get_int(gate));
}

void
open_gate(const luna_df *last_one, int n, luna_df *gate)
{
    if (luna_get_int(last_one) != -1) luna_fail("the gate was opened before");
    printf("%.1f\n", (double)(resident_bytes() - resident_before) / n);
    luna_set_int(gate, 0);
}
