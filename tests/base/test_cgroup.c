/* test_cgroup.c - limits of memory, as both versions of Linux's groups tell them: files of ours. */
#include "runtime/base/cgroup.h"
#include "tests/lib/check.h"

#include <ftw.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static int
take_away(const char *path, const struct stat *s, int type, struct FTW *w)
{
    (void)s, (void)type, (void)w;
    return remove(path);
}

/* A file in the root, with the folders above it. */
static void
put(const char *path, const char *text)
{
    char all[300];
    snprintf(all, sizeof all, "%s%s", root, path);
    for (char *at = strchr(all + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        mkdir(all, 0700);
        *at = '/';
    }
    FILE *f = fopen(all, "w");
    if (!f) exit(1);
    fputs(text, f);
    fclose(f);
}

/* A new root; this process is in `groups`. */
static void
begin(const char *groups)
{
    snprintf(root, sizeof root, "/tmp/luna-cgroup-XXXXXX");
    if (!mkdtemp(root)) exit(1);
    put("/proc/self/cgroup", groups);
}

static struct cgroup_memory
end(void)
{
    struct cgroup_memory m = cgroup_memory(root);
    nftw(root, take_away, 8, FTW_DEPTH | FTW_PHYS);
    return m;
}

#define CHECK_END(limit_, free_)                                                                   \
    do {                                                                                           \
        struct cgroup_memory m_ = end();                                                           \
        CHECK(m_.limit == (limit_) && m_.free == (free_), "%zu, %zu", m_.limit, m_.free);          \
    } while (0)

TEST(version_2_tells_the_least_of_all)
{
    begin("0::/user/job/step\n");
    put("/sys/fs/cgroup/user/job/step/memory.max", "max\n");
    put("/sys/fs/cgroup/user/job/memory.max", "5000\n");
    put("/sys/fs/cgroup/user/job/memory.current", "1000\n");
    put("/sys/fs/cgroup/user/memory.max", "9000\n");
    put("/sys/fs/cgroup/user/memory.current", "8500\n");
    CHECK_END(5000, 500);
}

TEST(caches_are_given_back)
{
    begin("0::/job\n");
    put("/sys/fs/cgroup/job/memory.max", "5000");
    put("/sys/fs/cgroup/job/memory.current", "4000");
    put("/sys/fs/cgroup/job/memory.stat", "anon 900\nfile 3000\ninactive_file 2000\n"
                                          "active_file 500\ninactive_anon 400\n");
    CHECK_END(5000, 3500);
    begin("0::/job\n");
    put("/sys/fs/cgroup/job/memory.max", "5000");
    put("/sys/fs/cgroup/job/memory.current", "400");
    put("/sys/fs/cgroup/job/memory.stat", "inactive_file 500\n"); /* it has grown since */
    CHECK_END(5000, 5000);
}

TEST(version_1_has_a_place_of_its_own)
{
    begin("9:name=systemd:/\n5:cpu,memory:/slurm/job\n1:cpuset:/other\n0::/\n");
    put("/sys/fs/cgroup/memory/slurm/job/memory.limit_in_bytes", "7000\n");
    put("/sys/fs/cgroup/memory/slurm/job/memory.usage_in_bytes", "6000\n");
    put("/sys/fs/cgroup/memory/slurm/job/memory.stat", "inactive_file 1\ntotal_inactive_file 9\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/other/memory.limit_in_bytes", "10\n");
    CHECK_END(7000, 1009);
}

TEST(a_container_sees_its_group_as_the_outermost)
{
    begin("0::/\n");
    put("/sys/fs/cgroup/memory.max", "3000\n");
    CHECK_END(3000, 3000);
    begin("4:memory:/docker/0123\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "4000\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n"); /* the limit came later */
    CHECK_END(4000, 0);
}

TEST(without_a_limit_there_is_none)
{
    begin("0::/job\n");
    put("/sys/fs/cgroup/job/memory.max", "max\n");
    CHECK_END(SIZE_MAX, SIZE_MAX);
    begin("4:memory:/job\n");
    put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK_END(SIZE_MAX, SIZE_MAX);
    begin("strange\n1:cpu\n::\n:memory:\n");
    CHECK_END(SIZE_MAX, SIZE_MAX);
    struct cgroup_memory m = cgroup_memory("/nonexistent");
    CHECK(m.limit == SIZE_MAX && m.free == SIZE_MAX);
}

TEST_MAIN(T(version_2_tells_the_least_of_all), T(caches_are_given_back),
          T(version_1_has_a_place_of_its_own), T(a_container_sees_its_group_as_the_outermost),
          T(without_a_limit_there_is_none))
