/* crash_line.c - frames are looked at from inside; the first in the program's object is asked of
 * addr2line, which comes with every compiler. */
#include "crash_line.h"

#include "runtime/fault/fault.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FRAMES_MAX = 64,
    PATIENCE_MS = 5000 /* for addr2line: a program's object is small */
};

/* The object that the program is in. */
static const void *
program_base(void)
{
    Dl_info info;
    const struct luna_program *p = fault_program();
    return p && dladdr(p->subs, &info) ? info.dli_fbase : NULL;
}

/* Reads what comes through `fd`, up to the end of the line; false: nothing in time. */
static bool
read_line(int fd, char *text, size_t size)
{
    size_t n = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (n + 1 < size && poll(&p, 1, PATIENCE_MS) > 0) {
        ssize_t k = read(fd, text + n, size - 1 - n);
        if (k <= 0) break;
        n += (size_t)k;
    }
    text[n] = 0;
    text[strcspn(text, "\n")] = 0;
    return n > 0;
}

struct other {
    const char *const *words;
    int out;
};

/* Of the child, which has our memory until it is another program. */
static int
become(void *arg)
{
    const struct other *o = arg;
    int null = open("/dev/null", O_WRONLY);
    dup2(o->out, 1);
    dup2(null, 2);
    execvp(o->words[0], (char *const *)(void *)o->words);
    _exit(127);
}

/* Starts addr2line for an offset in an object; gives the end to read from, or -1. The heap may be
 * spoilt and its lock taken: posix_spawn would allocate what it is to do to files. The child has a
 * stack of its own: the address sanitizer takes ours, of a handler, for the thread's at a vfork.
 * One stack is enough: only the thread that has begun the message asks. */
static int
start(const char *object, uintptr_t offset, pid_t *pid)
{
    static _Alignas(64) char stack[64 << 10];
    char at[32];
    int ends[2];
    snprintf(at, sizeof at, "0x%jx", (uintmax_t)offset);
    const char *const words[] = {"addr2line", "-e", object, at, NULL};
    sigset_t all, before;
    if (pipe2(ends, O_CLOEXEC)) return -1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler of ours in the child */
    struct other addr2line = {words, ends[1]};
    *pid = clone(become, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &addr2line);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (*pid > 0) return ends[0];
    close(ends[0]);
    return -1;
}

/* Calls return behind themselves: the call is a byte before. */
static bool
line_of(const void *frame, bool returns, char *text, size_t size)
{
    Dl_info info;
    pid_t pid;
    if (!dladdr(frame, &info) || !info.dli_fname) return false;
    uintptr_t offset = (uintptr_t)frame - (uintptr_t)info.dli_fbase - returns;
    int fd = start(info.dli_fname, offset, &pid);
    if (fd < 0) return false;
    bool ok = read_line(fd, text, size);
    close(fd);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    char *end = strchr(text, ' '), cwd[512]; /* (discriminator 3) */
    if (end) *end = 0;
    size_t n = getcwd(cwd, sizeof cwd) ? strlen(cwd) : 0;
    bool below = n && !strncmp(text, cwd, n) && text[n] == '/';
    if (below) memmove(text, text + n + 1, strlen(text + n)); /* as the user calls it */
    return ok && text[0] != '?' && !strstr(text, ":?") && !strstr(text, ":0");
}

static bool
is_in(const void *base, const void *frame)
{
    Dl_info info;
    return dladdr(frame, &info) && info.dli_fbase == base;
}

bool
crash_line(const void *at, char *text, size_t size)
{
    void *frame[FRAMES_MAX];
    const void *base = program_base();
    if (!base) return false;
    if (at && is_in(base, at)) return line_of(at, false, text, size);
    int n = backtrace(frame, FRAMES_MAX);
    for (int i = 0; i < n; i++)
        if (is_in(base, frame[i])) return line_of(frame[i], true, text, size);
    return false;
}

void
crash_line_prepare(void)
{
    void *frame[1];
    backtrace(frame, 1); /* loads libgcc */
}
