/* omp.c - finds the case, makes the threads, and then reads the clock. */
#include "peer.h"

#include <sys/resource.h>

static const struct peer_case *
find(const char *name, int n_args)
{
    const struct peer_case *all[] = {peer_shapes, peer_trees, peer_grids};
    for (int k = 0; k < 3; k++)
        for (const struct peer_case *c = all[k]; c->name; c++)
            if (!strcmp(c->name, name) && c->n_args == n_args) return c;
    fprintf(stderr, "no case %s with %d arguments\n", name, n_args);
    exit(2);
}

static void
tell_memory(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    fprintf(stderr, "peak memory %.1f MiB\n", (double)used.ru_maxrss / 1024);
}

int
main(int argc, char **argv)
{
    atexit(tell_memory);
    if (argc < 3) {
        fprintf(stderr, "usage: %s NAME WORKERS ARGUMENTS...\n", argv[0]);
        return 2;
    }
    const struct peer_case *c = find(argv[1], argc - 3);
    int workers = atoi(argv[2]);
    (void)workers;
#pragma omp parallel num_threads(workers)
    {
#pragma omp barrier
#pragma omp master
        {
            double start = now_s(), value = c->run(argv + 3);
            printf("%.9f %.12g\n", now_s() - start, value);
        }
    }
    return 0;
}
