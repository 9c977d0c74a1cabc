/* sweep.c - see sweep.h. A file is removed if it bears a name of MPICH's or UCX's, is ours and of
 * this start, and no process has it open or mapped. */
#include "sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char folder[] = "/dev/shm/";
enum { TRIES = 100, NAP_NS = 100000000 }; /* 10 s: a busy machine ends processes slowly */

static bool
is_candidate(const char *name, time_t since)
{
    char path[sizeof folder + NAME_MAX];
    struct stat st;
    if (strncmp(name, "mpich_shar_tmp", 14) && strncmp(name, "ucx_shm_posix", 13)) return false;
    snprintf(path, sizeof path, "%s%s", folder, name);
    return !stat(path, &st) && st.st_uid == geteuid() && st.st_ctime >= since;
}

static bool
is_mapped(const char *pid, const char *path)
{
    char maps[64], *line = NULL;
    size_t room = 0;
    bool found = false;
    snprintf(maps, sizeof maps, "/proc/%.20s/maps", pid);
    FILE *f = fopen(maps, "re");
    while (f && !found && getline(&line, &room, f) > 0) found = strstr(line, path) != NULL;
    if (f) fclose(f);
    free(line);
    return found;
}

static bool
is_open(const char *pid, const char *path)
{
    char fds[64], to[PATH_MAX];
    bool found = false;
    snprintf(fds, sizeof fds, "/proc/%.20s/fd", pid);
    DIR *d = opendir(fds);
    for (struct dirent *e; d && !found && (e = readdir(d));) {
        ssize_t n = readlinkat(dirfd(d), e->d_name, to, sizeof to - 1);
        if (n <= 0) continue;
        to[n] = 0;
        found = !strcmp(to, path);
    }
    if (d) closedir(d);
    return found;
}

static bool
is_in_use(const char *path)
{
    bool found = false;
    DIR *d = opendir("/proc");
    if (!d) return true;
    for (struct dirent *e; !found && (e = readdir(d));)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
            found = is_mapped(e->d_name, path) || is_open(e->d_name, path);
    closedir(d);
    return found;
}

/* True when nothing is left to wait for. */
static bool
sweep(time_t since)
{
    bool all = true;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[sizeof folder + NAME_MAX];
        if (!is_candidate(e->d_name, since)) continue;
        snprintf(path, sizeof path, "%s%s", folder, e->d_name);
        if (is_in_use(path)) all = false;
        else unlink(path);
    }
    if (d) closedir(d);
    return all;
}

/* The rank's other end of the socket: a byte when MPI has started, the end when the rank goes. */
static void
sweeper(int fd, time_t since)
{
    char c;
    int null = open("/dev/null", O_RDWR);
    setsid(); /* what kills the rank's group does not reach us */
    for (int i = 0; i < 3; i++) dup2(null, i);
    if (dup2(fd, 3) != 3) _exit(0);
    close_range(4, ~0u, 0); /* else mpiexec would wait for us, too */
    if (read(3, &c, 1) != 0) _exit(0);
    for (int i = 0; i < TRIES; i++) {
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL); /* the others go, too */
        if (sweep(since)) break;
    }
    _exit(0);
}

int
sweep_begin(void)
{
    int fd[2];
    time_t since = time(NULL) - 1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd)) return -1;
    fflush(NULL);
    pid_t child = fork();
    if (!child) { /* its child in turn is nobody's: no zombie, no signal */
        close(fd[1]);
        if (!fork()) sweeper(fd[0], since);
        _exit(0);
    }
    close(fd[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return fd[1];
}

void
sweep_end(int fd)
{
    if (fd < 0) return;
    send(fd, "", 1, MSG_NOSIGNAL);
    close(fd);
}
