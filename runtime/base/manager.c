/* manager.c - the lines of PMI-1. */
#include "manager.h"

#include "runtime/base/io.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 256, HURRY = 1000 };

/* The user has chosen another language than lines. */
static bool
speaks_otherwise(void)
{
    const char *version = getenv("MPIR_CVAR_PMI_VERSION");
    if (!version) version = getenv("MPICH_PMI_VERSION");
    return version && strcmp(version, "1") != 0;
}

static int
manager_fd(void)
{
    const char *text = getenv("PMI_FD");
    if (!text || !*text || manager_is_srun() || speaks_otherwise()) return -1;
    return atoi(text);
}

/* In a step of Slurm mpiexec may have started us, too: it says which of its ranks here we are. */
bool
manager_is_srun(void)
{
    return getenv("SLURM_STEP_ID") && !getenv("MPI_LOCALRANKID");
}

bool
manager_is_there(void)
{
    return manager_fd() >= 0;
}

bool
manager_has_gone(void)
{
    struct pollfd p = {.fd = manager_fd()};
    return p.fd >= 0 && poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR | POLLNVAL);
}

void
manager_abort(int code)
{
    char word[40];
    int n = snprintf(word, sizeof word, "cmd=abort exitcode=%d\n", code);
    if (manager_is_there()) io_send_all(manager_fd(), word, (size_t)n);
}

/* Up to the end of the line: what comes behind is for later. False: there is nobody any more. */
static bool
read_line(int fd, char *line)
{
    size_t n = 0;
    for (;;) {
        char c;
        ssize_t got = read(fd, &c, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        if (c == '\n') break;
        if (n < LINE - 1) line[n++] = c;
    }
    line[n] = 0;
    return true;
}

bool
manager_meet(void (*progress)(void *who), void *who)
{
    const char come[] = "cmd=barrier_in\n";
    char line[LINE];
    struct pollfd p = {.fd = manager_fd(), .events = POLLIN};
    if (io_send_all(p.fd, come, sizeof come - 1)) return false;
    for (int n = 0; poll(&p, 1, n < HURRY ? 0 : 1) <= 0; n++) progress(who);
    return read_line(p.fd, line) && strstr(line, "cmd=barrier_out");
}

void
manager_leave(void)
{
    const char done[] = "cmd=finalize\n";
    char line[LINE];
    if (!io_send_all(manager_fd(), done, sizeof done - 1)) read_line(manager_fd(), line);
}
