/* Which hardware threads workers get, on machines whose /sys is written here. */
#include "runtime/node/cpus.h"

#include "tests/lib/check.h"

#include <ftw.h>
#include <sys/stat.h>

static char sys[] = "/tmp/test_cpus-XXXXXX";
static struct cpu cpus[CPU_SETSIZE];
static cpu_set_t set;

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void
write_number(int cpu, const char *name, int number)
{
    char path[200];
    snprintf(path, sizeof path, "%s/cpu%d/topology/%s", sys, cpu, name);
    FILE *f = fopen(path, "w");
    fprintf(f, "%d\n", number);
    fclose(f);
}

/* Hardware threads numbered as Linux does mostly: the first one of each core, then the second. */
static void
machine(int packages, int cores, int threads)
{
    char path[100];
    strcpy(sys + sizeof sys - 7, "XXXXXX");
    if (!mkdtemp(sys)) exit(2);
    CPU_ZERO(&set);
    for (int i = 0; i < packages * cores * threads; i++) {
        snprintf(path, sizeof path, "%s/cpu%d", sys, i);
        mkdir(path, 0700);
        strcat(path, "/topology");
        mkdir(path, 0700);
        write_number(i, "physical_package_id", i / cores % packages);
        write_number(i, "core_id", 2 * (i % cores)); /* ids have gaps */
        CPU_SET(i, &set);
    }
}

static int
look(void)
{
    int n = cpus_read(cpus, &set, sys);
    nftw(sys, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return n;
}

static const char *
spread(int n, int workers)
{
    static char text[200];
    int number[CPU_SETSIZE];
    cpus_choose(cpus, n, workers, number);
    *text = 0;
    for (int i = 0; i < workers; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %d", number[i]);
    return text;
}

TEST(packages_first_hardware_threads_last)
{
    machine(2, 4, 2);
    int n = look();
    CHECK(n == 16);
    CHECK_STR(spread(n, 2), " 0 4");
    CHECK_STR(spread(n, 4), " 0 2 4 6");
    CHECK_STR(spread(n, 8), " 0 1 2 3 4 5 6 7");
    CHECK_STR(spread(n, 16), " 0 8 1 9 2 10 3 11 4 12 5 13 6 14 7 15");
}

TEST(each_core_has_one_before_any_has_two)
{
    machine(1, 4, 2);
    int n = look(), number[8];
    for (int workers = 4; workers <= 8; workers++) {
        int on[4] = {0}, once[8] = {0};
        cpus_choose(cpus, n, workers, number);
        for (int i = 0; i < workers; i++) on[number[i] % 4]++, once[number[i]]++;
        for (int i = 0; i < 4; i++) CHECK(on[i], "%d workers, none on core %d", workers, i);
        for (int i = 0; i < 8; i++) CHECK(once[i] <= 1, "%d workers, two on %d", workers, i);
    }
}

TEST(only_those_we_were_given)
{
    machine(2, 4, 2);
    CPU_ZERO(&set);
    for (int i = 5; i < 8; i++) CPU_SET(i, &set);
    CPU_SET(13, &set); /* of the core of 5 */
    int n = look();
    CHECK(n == 4);
    CHECK_STR(spread(n, 3), " 5 6 7");
    CHECK_STR(spread(n, 4), " 5 13 6 7");
}

TEST(without_sys_each_is_a_core)
{
    CPU_ZERO(&set);
    for (int i = 3; i < 7; i++) CPU_SET(i, &set);
    int n = cpus_read(cpus, &set, "/no/such/folder");
    CHECK(n == 4);
    CHECK_STR(spread(n, 2), " 3 5");
    CHECK_STR(spread(n, 4), " 3 4 5 6");
}

TEST_MAIN(T(packages_first_hardware_threads_last), T(each_core_has_one_before_any_has_two),
          T(only_those_we_were_given), T(without_sys_each_is_a_core))
