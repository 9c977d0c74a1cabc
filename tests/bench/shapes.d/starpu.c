/* starpu.c - turns, a wide graph, a wavefront and Cholesky as StarPU tasks with its implicit
 * dependences: STARPU NAME WORKERS ARGUMENTS..., as the other peers. */
#include "peer.h"

#include <starpu.h>
#include <unistd.h>

static double us;
static int rounds, tile_n;

static int *
int_of(void *buffer)
{
    return (int *)STARPU_VARIABLE_GET_PTR(buffer);
}

static double *
tile_of(void *buffer)
{
    return (double *)STARPU_VECTOR_GET_PTR(buffer);
}

static void
cpu_busy(void *buffers[], void *arg)
{
    (void)arg;
    busy_us(us);
    ++*int_of(buffers[0]);
}

static void
cpu_leaf(void *buffers[], void *arg)
{
    (void)arg;
    *int_of(buffers[0]) = work(*int_of(buffers[0]), rounds);
}

static void
cpu_join(void *buffers[], void *arg)
{
    int a = *int_of(buffers[0]), b = *int_of(buffers[1]);
    (void)arg;
    *int_of(buffers[2]) = work(a > b ? a : b, rounds);
}

static void
cpu_factor(void *buffers[], void *arg)
{
    (void)arg;
    tile_factor(tile_of(buffers[0]), tile_n);
}

static void
cpu_solve(void *buffers[], void *arg)
{
    (void)arg;
    tile_solve(tile_of(buffers[1]), tile_of(buffers[0]), tile_n);
}

static void
cpu_update(void *buffers[], void *arg)
{
    (void)arg;
    tile_update(tile_of(buffers[2]), tile_of(buffers[0]), tile_of(buffers[1]), tile_n);
}

static void
cpu_update_diagonal(void *buffers[], void *arg)
{
    (void)arg;
    tile_update(tile_of(buffers[1]), tile_of(buffers[0]), tile_of(buffers[0]), tile_n);
}

#define RW STARPU_RW
#define R STARPU_R
static struct starpu_codelet busy_task = {.cpu_funcs = {cpu_busy}, .nbuffers = 1, .modes = {RW}};
static struct starpu_codelet leaf_task = {.cpu_funcs = {cpu_leaf}, .nbuffers = 1, .modes = {RW}};
static struct starpu_codelet join_task = {
    .cpu_funcs = {cpu_join}, .nbuffers = 3, .modes = {R, R, STARPU_W}};
static struct starpu_codelet factor_task = {
    .cpu_funcs = {cpu_factor}, .nbuffers = 1, .modes = {RW}};
static struct starpu_codelet solve_task = {
    .cpu_funcs = {cpu_solve}, .nbuffers = 2, .modes = {R, RW}};
static struct starpu_codelet update_task = {
    .cpu_funcs = {cpu_update}, .nbuffers = 3, .modes = {R, R, RW}};
static struct starpu_codelet update_diagonal_task = {
    .cpu_funcs = {cpu_update_diagonal}, .nbuffers = 2, .modes = {R, RW}};

static void
submit(struct starpu_codelet *cl, int n, const starpu_data_handle_t *handles)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = cl;
    for (int k = 0; k < n; k++) task->handles[k] = handles[k];
    if (starpu_task_submit(task)) exit(1);
}
#define SUBMIT(cl, n, ...) submit(cl, n, (starpu_data_handle_t[]){__VA_ARGS__})

static int *values;
static starpu_data_handle_t *handles;

static void
register_ints(int n)
{
    values = room((size_t)n, sizeof *values);
    handles = room((size_t)n, sizeof *handles);
    for (int k = 0; k < n; k++)
        starpu_variable_data_register(&handles[k], STARPU_MAIN_RAM, (uintptr_t)&values[k],
                                      sizeof *values);
}

static double
turns(char **args)
{
    int n = arg(args, 0), turns = arg(args, 1), sum = 0;
    us = atof(args[2]);
    register_ints(n);
    double start = now_s();
    while (sum < turns * n) {
        for (int i = 0; i < n; i++) SUBMIT(&busy_task, 1, handles[i]);
        starpu_task_wait_for_all();
        sum = 0;
        for (int i = 0; i < n; i++) sum += values[i];
    }
    printf("%.9f %d\n", now_s() - start, sum);
    return 0;
}

static double
wide(char **args)
{
    int n = arg(args, 0), sum = 0;
    rounds = arg(args, 1);
    register_ints(n);
    double start = now_s();
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) SUBMIT(&leaf_task, 1, handles[i]);
    starpu_task_wait_for_all();
    for (int i = 0; i < n; i++) sum += values[i];
    printf("%.9f %d\n", now_s() - start, sum);
    return 0;
}

static double
wavefront(char **args)
{
    int n = arg(args, 0), pitch = n + 1;
    rounds = arg(args, 1);
    register_ints(pitch * pitch);
    double start = now_s();
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
            SUBMIT(&join_task, 3, handles[(i - 1) * pitch + j], handles[i * pitch + j - 1],
                   handles[i * pitch + j]);
    starpu_task_wait_for_all();
    printf("%.9f %d\n", now_s() - start, values[pitch * pitch - 1]);
    return 0;
}

static void
factor_column(starpu_data_handle_t *t, int tiles, int k)
{
    SUBMIT(&factor_task, 1, t[k * tiles + k]);
    for (int i = k + 1; i < tiles; i++) SUBMIT(&solve_task, 2, t[k * tiles + k], t[i * tiles + k]);
    for (int i = k + 1; i < tiles; i++) {
        for (int j = k + 1; j < i; j++)
            SUBMIT(&update_task, 3, t[i * tiles + k], t[j * tiles + k], t[i * tiles + j]);
        SUBMIT(&update_diagonal_task, 2, t[i * tiles + k], t[i * tiles + i]);
    }
}

/* The tiles are made and looked at by one thread, which the clock leaves out. */
static double
cholesky(char **args)
{
    int n = tile_n = arg(args, 0), tiles = arg(args, 1);
    size_t one = (size_t)n * (size_t)n;
    double *a = room((size_t)tiles * (size_t)tiles * one, sizeof *a), worst = 0, start, seconds;
    starpu_data_handle_t *t = room((size_t)tiles * (size_t)tiles, sizeof *t);
    for (int k = 0; k < tiles * tiles; k++) {
        tile_make(a + (size_t)k * one, n, k / tiles, k % tiles);
        starpu_vector_data_register(&t[k], STARPU_MAIN_RAM, (uintptr_t)(a + (size_t)k * one),
                                    (uint32_t)one, sizeof *a);
    }
    start = now_s();
    for (int k = 0; k < tiles; k++) factor_column(t, tiles, k);
    starpu_task_wait_for_all();
    seconds = now_s() - start;
    for (int i = 0; i < tiles; i++)
        for (int j = 0; j <= i; j++) {
            starpu_data_unregister(t[i * tiles + j]);
            double wrong = tile_wrong(a + (size_t)(i * tiles + j) * one, n, i == j);
            if (!(wrong <= worst)) worst = wrong;
        }
    printf("%.9f %d\n", seconds, !(worst <= 1e-6));
    return 0;
}

int
main(int argc, char **argv)
{
    static const struct peer_case cases[] = {{"turns", 3, turns},
                                             {"wide", 2, wide},
                                             {"wavefront", 2, wavefront},
                                             {"cholesky", 2, cholesky}};
    struct starpu_conf conf;
    const struct peer_case *c = NULL;
    for (size_t k = 0; argc > 2 && k < sizeof cases / sizeof *cases; k++)
        if (!strcmp(cases[k].name, argv[1]) && cases[k].n_args == argc - 3) c = &cases[k];
    if (!c) {
        fprintf(stderr, "usage: %s turns|wide|wavefront|cholesky WORKERS ARGUMENTS...\n", argv[0]);
        return 2;
    }
    starpu_conf_init(&conf);
    conf.ncpus = atoi(argv[2]);
    conf.ncuda = conf.nopencl = 0;
    if (starpu_init(&conf)) return 1;
    c->run(argv + 3);
    fflush(stdout);
    _exit(0); /* nothing is left to do, and shutting down takes longer than some cases */
}
