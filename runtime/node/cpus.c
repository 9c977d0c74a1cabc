/* cpus.c - two numbers for each hardware thread, sorted. */
#include "cpus.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int
number_in(const char *sys, int cpu, const char *name, int otherwise)
{
    char path[300], text[20];
    snprintf(path, sizeof path, "%s/cpu%d/topology/%s", sys, cpu, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    if (n <= 0) return otherwise;
    text[n] = 0;
    return atoi(text);
}

static int
by_core(const void *a, const void *b)
{
    const struct cpu *x = a, *y = b;
    if (x->package != y->package) return x->package < y->package ? -1 : 1;
    if (x->core != y->core) return x->core < y->core ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

int
cpus_read(struct cpu cpus[static CPU_SETSIZE], const cpu_set_t *set, const char *sys)
{
    int n = 0;
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, set)) continue;
        int package = number_in(sys, i, "physical_package_id", 0);
        cpus[n++] = (struct cpu){i, package, number_in(sys, i, "core_id", i), 0};
    }
    qsort(cpus, (size_t)n, sizeof *cpus, by_core);
    for (int i = 1; i < n; i++)
        if (cpus[i].package == cpus[i - 1].package && cpus[i].core == cpus[i - 1].core)
            cpus[i].thread = cpus[i - 1].thread + 1;
    return n;
}

/* The k-th core's first hardware thread. */
static int
core_at(const struct cpu *cpus, int n, int k)
{
    int i = 0;
    for (; i < n - 1; i++)
        if (!cpus[i].thread && !k--) break;
    return cpus[i].number;
}

void
cpus_choose(const struct cpu *cpus, int n, int workers, int *numbers)
{
    int cores = 0;
    for (int i = 0; i < n; i++) cores += !cpus[i].thread;
    for (int i = 0; i < workers; i++)
        numbers[i] = workers <= cores ? core_at(cpus, n, (int)((long)i * cores / workers))
                                      : cpus[(long)i * n / workers].number;
}
