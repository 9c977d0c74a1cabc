/* perf_limits.c - see perf_limits.h. */
#include "apps/luna/perf/perf_limits.h"

#include "apps/luna/common/say.h"
#include "apps/luna/launch/launch.h"
#include "lang/report/verdict.h"
#include "runtime/node/topo.h"

#include <sys/resource.h>

enum {
    /* Ten barriers of 256 processes take a minute and a half on two cores. The time grows by the
     * square: of twice as many nobody sees the end. */
    EACH_CORE = 128,
    FILES = 32,    /* of the launcher, */
    FILES_EACH = 4 /* and for each process: its ways in and out, and one for questions */
};

static int
check_cores(int processes, const char *bench)
{
    int cores = topo_cores();
    if (processes <= EACH_CORE * cores) return EXIT_DONE;
    say_error("%d processes are too many for the %d core%s here: %d at most, %d for each core",
              processes, cores, cores == 1 ? "" : "s", EACH_CORE * cores, EACH_CORE);
    say_hint("fewer, or on several hosts: mpiexec -f HOSTS -n %d luna perf %s", processes, bench);
    return EXIT_USAGE;
}

static int
check_files(int processes)
{
    struct rlimit r;
    rlim_t needs = FILES + (rlim_t)FILES_EACH * (rlim_t)processes;
    if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_max == RLIM_INFINITY || r.rlim_max >= needs)
        return EXIT_DONE;
    say_error("a process may open %ld files here, and mpiexec needs %ld to start %d processes",
              (long)r.rlim_max, (long)needs, processes);
    say_hint("fewer processes, or a larger limit: ulimit -Hn");
    return EXIT_SYSTEM;
}

int
perf_limits(int processes, const char *bench)
{
    int code = check_cores(processes, bench);
    if (!code) code = check_files(processes);
    if (!code && !launch_has_shm(processes, "fewer processes")) code = EXIT_SYSTEM;
    return code;
}

void
perf_limits_raise(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r)) return;
    r.rlim_cur = r.rlim_max;
    setrlimit(RLIMIT_NOFILE, &r);
}
