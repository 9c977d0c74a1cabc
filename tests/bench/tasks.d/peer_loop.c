/* peer_loop.c - the floor: the same bodies in plain loops over arrays, a block of points a worker.
 * The only synchronisation is one word a worker, the rows it has finished, read by its neighbours.
 * */
#include "bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { WORKERS_MAX = 64 };

static struct bench b;
static int *row[2];
static double *real_row[2];
static struct {
    _Alignas(128) _Atomic int rows;
} progress[WORKERS_MAX];
static pthread_barrier_t gate;

static void
wait_rows(int worker, int rows)
{
    if (worker < 0 || worker >= b.workers) return;
    for (int spin = 0; atomic_load_explicit(&progress[worker].rows, memory_order_acquire) < rows;)
        if (++spin > 200) {
            spin = 0;
            sched_yield();
        }
}

static void
sweep(int t, int lo, int hi)
{
    if (b.shape == 's') {
        int *a = row[t & 1], *z = row[~t & 1];
        for (int i = lo; i <= hi; i++) z[i] = sten(a[i - 1], a[i], a[i + 1]);
    } else {
        double *a = real_row[t & 1], *z = real_row[~t & 1];
        for (int i = lo; i <= hi; i++) z[i] = kernel(a[i - 1], a[i], a[i + 1], b.iters);
    }
}

static void
run_block(int me)
{
    int lo = 1 + (int)((long)b.width * me / b.workers);
    int hi = (int)((long)b.width * (me + 1) / b.workers);
    for (int t = 0; t < b.n / b.width; t++) {
        wait_rows(me - 1, t);
        wait_rows(me + 1, t);
        sweep(t, lo, hi);
        atomic_store_explicit(&progress[me].rows, t + 1, memory_order_release);
    }
}

static void *
work(void *arg)
{
    int me = (int)(intptr_t)arg;
    long first = (long)b.n * me / b.workers, end = (long)b.n * (me + 1) / b.workers;
    pthread_barrier_wait(&gate);
    if (b.shape == 'i')
        for (long i = first; i < end; i++) nop((int)i);
    else if (b.shape == 'c')
        for (int i = 0; me == 0 && i < b.n; i++) row[0][0] = step(row[0][0]);
    else run_block(me);
    return NULL;
}

static void
check(void)
{
    int t = b.n / b.width;
    if (b.shape == 'c' && row[0][0] != b.n) bench_wrong(&b, 0, row[0][0], b.n);
    if (b.shape == 's') check_stencil(&b, row[t & 1]);
    if (b.shape == 'm') check_metg(&b, real_row[t & 1]);
    if (b.shape == 'i' && nop_last(b.n) == 0 && b.n >= 1024) bench_wrong(&b, 0, 0, 1);
}

int
main(int argc, char **argv)
{
    pthread_t threads[WORKERS_MAX];
    b = bench_args(argc, argv);
    if (b.workers < 1 || b.workers > WORKERS_MAX || b.width < b.workers) return 2;
    for (int k = 0; k < 2; k++) {
        row[k] = calloc((size_t)b.width + 2, sizeof *row[k]);
        real_row[k] = calloc((size_t)b.width + 2, sizeof *real_row[k]);
    }
    for (int i = 1; i <= b.width; i++) real_row[0][i] = row[0][i] = i;
    if (b.shape == 'c') row[0][0] = 0;
    pthread_barrier_init(&gate, NULL, (unsigned)b.workers);
    for (int k = 1; k < b.workers; k++)
        if (pthread_create(&threads[k], NULL, work, (void *)(intptr_t)k)) return 1;
    nanosleep(&(struct timespec){0, 1000000}, NULL); /* let them reach the gate */
    double start = now();
    work((void *)0);
    for (int k = 1; k < b.workers; k++) pthread_join(threads[k], NULL);
    printf("%.9f\n", now() - start);
    check();
    return 0;
}
