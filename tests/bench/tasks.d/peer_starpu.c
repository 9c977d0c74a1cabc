/* peer_starpu.c - StarPU tasks with its implicit dependences, CPU workers only.
 *
 * Values lie in two rows of handles used in turn: a handle for every value costs several times more
 * (registering alone takes microseconds), so this is the kinder of the two forms. */
#include "bench.h"

#include <starpu.h>

enum { ROWS = 2 };

static int iters;

static void
cpu_nop(void *buffers[], void *arg)
{
    (void)buffers;
    nop((int)(intptr_t)arg);
}

static void
cpu_step(void *buffers[], void *arg)
{
    (void)arg;
    int *in = (int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
    int *out = (int *)STARPU_VARIABLE_GET_PTR(buffers[1]);
    *out = step(*in);
}

static void
cpu_sten(void *buffers[], void *arg)
{
    (void)arg;
    int *p[4];
    for (int k = 0; k < 4; k++) p[k] = (int *)STARPU_VARIABLE_GET_PTR(buffers[k]);
    *p[3] = sten(*p[0], *p[1], *p[2]);
}

static void
cpu_kernel(void *buffers[], void *arg)
{
    (void)arg;
    double *p[4];
    for (int k = 0; k < 4; k++) p[k] = (double *)STARPU_VARIABLE_GET_PTR(buffers[k]);
    *p[3] = kernel(*p[0], *p[1], *p[2], iters);
}

static struct starpu_codelet nop_task = {.cpu_funcs = {cpu_nop}, .nbuffers = 0};
static struct starpu_codelet step_task = {
    .cpu_funcs = {cpu_step}, .nbuffers = 2, .modes = {STARPU_R, STARPU_W}};
static struct starpu_codelet sten_task = {
    .cpu_funcs = {cpu_sten}, .nbuffers = 4, .modes = {STARPU_R, STARPU_R, STARPU_R, STARPU_W}};
static struct starpu_codelet kernel_task = {
    .cpu_funcs = {cpu_kernel}, .nbuffers = 4, .modes = {STARPU_R, STARPU_R, STARPU_R, STARPU_W}};

static void
submit(struct starpu_codelet *cl, starpu_data_handle_t *const handles[], int n, intptr_t arg)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = cl;
    task->cl_arg = (void *)arg;
    for (int k = 0; k < n; k++) task->handles[k] = *handles[k];
    if (starpu_task_submit(task)) exit(1);
}

static void
submit_all(const struct bench *b, starpu_data_handle_t *h)
{
    int pitch = b->width + 2;
    if (b->shape == 'i')
        for (int i = 0; i < b->n; i++) submit(&nop_task, NULL, 0, i);
    else if (b->shape == 'c')
        for (int i = 0; i < b->n; i++)
            submit(&step_task, (starpu_data_handle_t *[]){&h[i % ROWS], &h[(i + 1) % ROWS]}, 2, 0);
    else
        for (int t = 0; t < b->n / b->width; t++)
            for (int i = 1; i <= b->width; i++) {
                starpu_data_handle_t *a = h + pitch * (t % ROWS), *z = h + pitch * ((t + 1) % ROWS);
                submit(b->shape == 's' ? &sten_task : &kernel_task,
                       (starpu_data_handle_t *[]){&a[i - 1], &a[i], &a[i + 1], &z[i]}, 4, 0);
            }
    starpu_task_wait_for_all();
}

static void
check(const struct bench *b, const int *x, const double *real)
{
    int row = b->n / b->width % ROWS * (b->width + 2);
    if (b->shape == 'c' && x[b->n % ROWS] != b->n) bench_wrong(b, 0, x[b->n % ROWS], b->n);
    if (b->shape == 's') check_stencil(b, x + row);
    if (b->shape == 'm') check_metg(b, real + row);
    if (b->shape == 'i' && nop_last(b->n) == 0 && b->n >= 1024) bench_wrong(b, 0, 0, 1);
}

int
main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv);
    struct starpu_conf conf;
    int cells = b.shape == 'c' ? ROWS : ROWS * (b.width + 2), is_real = b.shape == 'm';
    int *x = calloc((size_t)cells, sizeof *x);
    double *real = calloc((size_t)cells, sizeof *real);
    starpu_data_handle_t *h = calloc((size_t)cells, sizeof *h);
    iters = b.iters;
    for (int i = 1; i <= b.width && b.shape != 'c'; i++) real[i] = x[i] = i;
    starpu_conf_init(&conf);
    conf.ncpus = b.workers;
    conf.ncuda = conf.nopencl = 0;
    if (starpu_init(&conf)) return 1;
    for (int k = 0; k < cells && b.shape != 'i'; k++)
        starpu_variable_data_register(&h[k], STARPU_MAIN_RAM,
                                      is_real ? (uintptr_t)&real[k] : (uintptr_t)&x[k],
                                      is_real ? sizeof *real : sizeof *x);
    double start = now();
    submit_all(&b, h);
    printf("%.9f\n", now() - start);
    for (int k = 0; k < cells && b.shape != 'i'; k++) starpu_data_unregister(h[k]);
    check(&b, x, real);
    starpu_shutdown();
    return 0;
}
