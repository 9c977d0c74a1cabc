/* failing.c - an object for LD_PRELOAD: the n-th call of one kind fails, as it does when memory,
 * room on the disk, descriptors or processes run out.
 *
 *     FAIL_WHAT=malloc     the kind: a row of `kinds` below
 *     FAIL_AT=17           the call that fails, from 1; 0: none, calls are only counted
 *     FAIL_ON=1            all that follow fail, too
 *     FAIL_EXE=luna        in processes whose executable has this name
 *     FAIL_IN=PMI_RANK=1   and whose environment has this; PMI_RANK alone: any value,
 *                          !PMI_RANK: only where it is not
 *     FAIL_BY=luna         only calls from executables and libraries whose names begin so
 *     FAIL_PAGE=FILE       struct fail_page, shared by all processes and with walk.c
 *
 * Each process counts its own calls. A count that all shared would depend on who is faster, so a
 * run could not be repeated; and a rank begins when its launcher has made its calls already, so
 * that small n would never reach it: FAIL_IN chooses who is walked. A forked child goes on from
 * the count of its parent, and so gets what comes next. FAIL_EXE leaves out what is not ours:
 * compilers, mpiexec, shells. How gcc ends when its memory is out is gcc's matter; to us a compiler
 * has failed. FAIL_BY does the same within a process: how MPI ends is MPI's matter. (UCX below it
 * takes the place of mmap for all; UCX_MEM_EVENTS=n keeps it from that.)
 *
 * What the C library calls within itself is not seen: the writes of stdio, the map of a thread's
 * stack. malloc is, from everywhere, also from the loader. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "failing.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { NOTHING, MALLOC, MMAP, OPEN, WRITE, SHORT, THREAD, FORK, RENAME, SOCKET };

static const struct {
    const char *name;
    enum kind kind;
    int error;
} kinds[] = {
    {"malloc", MALLOC, ENOMEM}, {"mmap", MMAP, ENOMEM},     {"open", OPEN, EMFILE},
    {"write", WRITE, ENOSPC},   {"short", SHORT, 0},        {"thread", THREAD, EAGAIN},
    {"fork", FORK, EAGAIN},     {"rename", RENAME, ENOSPC}, {"socket", SOCKET, EMFILE},
};

static enum kind walked; /* what fails here */
static int error;
static long at, calls;
static bool on;
static const char *by;
static struct fail_page *page;

/* ---- who fails ---- */

static bool
is_meant(void)
{
    char path[4096];
    const char *exe = getenv("FAIL_EXE"), *in = getenv("FAIL_IN");
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n < 0 ? 0 : n] = 0;
    const char *slash = strrchr(path, '/');
    if (exe && (!slash || strcmp(slash + 1, exe) != 0)) return false;
    if (!in || !*in) return true;
    bool without = *in == '!';
    size_t name = strcspn(in += without, "=");
    for (char **e = environ; *e; e++)
        if (!strncmp(*e, in, name) && (*e)[name] == '=' && (!in[name] || !strcmp(*e, in)))
            return !without;
    return without;
}

static struct fail_page *
open_page(const char *path)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    void *p = (void *)syscall(SYS_mmap, NULL, sizeof(struct fail_page), PROT_READ | PROT_WRITE,
                              MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    return p == MAP_FAILED ? NULL : p;
}

/* Runs when the libraries have been loaded, before main. What comes before is not ours. */
__attribute__((constructor)) static void
begin(void)
{
    const char *what = getenv("FAIL_WHAT"), *file = getenv("FAIL_PAGE"), *n = getenv("FAIL_AT");
    if (!what || !file || !n || !is_meant() || !(page = open_page(file))) return;
    at = atol(n);
    on = getenv("FAIL_ON");
    by = getenv("FAIL_BY");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(what, kinds[i].name)) {
            error = kinds[i].error;
            walked = kinds[i].kind;
        }
}

/* The executable or library that calls; "" is somebody unknown. */
static const char *
caller(const void *from)
{
    Dl_info who;
    if (!dladdr(from, &who) || !who.dli_fname) return "";
    const char *slash = strrchr(who.dli_fname, '/');
    return slash ? slash + 1 : who.dli_fname;
}

/* For a debugger, too: break here, and the caller is seen. */
static __attribute__((noinline)) void
met(const void *from)
{
    if (__atomic_fetch_add(&page->met, 1, __ATOMIC_SEQ_CST)) return;
    page->pid = getpid();
    strncpy(page->from, caller(from), sizeof page->from - 1);
}

static bool
due(enum kind kind, const void *from)
{
    if (kind != walked || (by && strncmp(caller(from), by, strlen(by)) != 0)) return false;
    long n = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    long most = __atomic_load_n(&page->most, __ATOMIC_SEQ_CST);
    while (n > most && !__atomic_compare_exchange_n(&page->most, &most, n, false, __ATOMIC_SEQ_CST,
                                                    __ATOMIC_SEQ_CST))
        continue;
    if (!at || n < at || (n > at && !on)) return false;
    met(from);
    errno = error;
    return true;
}

#define DUE(kind) due(kind, __builtin_return_address(0))

/* The function of this name that would have been called without us. */
#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

/* ---- memory ---- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

void *
malloc(size_t size)
{
    return DUE(MALLOC) ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
    return DUE(MALLOC) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t size)
{
    return DUE(MALLOC) ? NULL : __libc_realloc(p, size);
}

void *
memalign(size_t unit, size_t size)
{
    return DUE(MALLOC) ? NULL : __libc_memalign(unit, size);
}

void *
aligned_alloc(size_t unit, size_t size)
{
    return DUE(MALLOC) ? NULL : __libc_memalign(unit, size);
}

int
posix_memalign(void **p, size_t unit, size_t size)
{
    int saved = errno;
    void *got = DUE(MALLOC) ? NULL : __libc_memalign(unit, size);
    errno = saved;
    if (got) *p = got;
    return got ? 0 : ENOMEM;
}

void *
mmap(void *where, size_t size, int prot, int flags, int fd, off_t offset)
{
    if (DUE(MMAP)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, where, size, prot, flags, fd, offset);
}

/* ---- descriptors ---- */

static int
open_with(int dir, const char *path, int flags, va_list more, const void *from)
{
    int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0;
    return due(OPEN, from) ? -1 : (int)syscall(SYS_openat, dir, path, flags, mode);
}

int
open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int fd = open_with(AT_FDCWD, path, flags, more, __builtin_return_address(0));
    va_end(more);
    return fd;
}

int
openat(int dir, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int fd = open_with(dir, path, flags, more, __builtin_return_address(0));
    va_end(more);
    return fd;
}

int
open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int fd = open_with(AT_FDCWD, path, flags, more, __builtin_return_address(0));
    va_end(more);
    return fd;
}

FILE *
fopen(const char *path, const char *mode)
{
    return DUE(OPEN) ? NULL : NEXT(fopen)(path, mode);
}

DIR *
opendir(const char *path)
{
    return DUE(OPEN) ? NULL : NEXT(opendir)(path);
}

int
mkstemp(char *path)
{
    return DUE(OPEN) ? -1 : NEXT(mkstemp)(path);
}

int
mkostemp(char *path, int flags)
{
    return DUE(OPEN) ? -1 : NEXT(mkostemp)(path, flags);
}

int
memfd_create(const char *name, unsigned flags)
{
    return DUE(OPEN) ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

int
pipe2(int fd[2], int flags)
{
    return DUE(OPEN) ? -1 : (int)syscall(SYS_pipe2, fd, flags);
}

int
socket(int domain, int type, int protocol)
{
    return DUE(SOCKET) ? -1 : (int)syscall(SYS_socket, domain, type, protocol);
}

int
socketpair(int domain, int type, int protocol, int fd[2])
{
    return DUE(SOCKET) ? -1 : (int)syscall(SYS_socketpair, domain, type, protocol, fd);
}

/* ---- writing ---- */

/* A short write is no failure: the rest has to follow. */
ssize_t
write(int fd, const void *bytes, size_t size)
{
    if (DUE(WRITE)) return -1;
    if (size > 1 && DUE(SHORT)) size /= 2;
    return syscall(SYS_write, fd, bytes, size);
}

int
rename(const char *from, const char *to)
{
    return DUE(RENAME) ? -1 : (int)syscall(SYS_rename, from, to);
}

/* ---- threads and processes ---- */

int
pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with)
{
    return DUE(THREAD) ? error : NEXT(pthread_create)(thread, how, run, with);
}

pid_t
fork(void)
{
    return DUE(FORK) ? -1 : NEXT(fork)();
}

int
posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *files,
            const posix_spawnattr_t *how, char *const *argv, char *const *env)
{
    return DUE(FORK) ? error : NEXT(posix_spawn)(pid, path, files, how, argv, env);
}

int
posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *files,
             const posix_spawnattr_t *how, char *const *argv, char *const *env)
{
    return DUE(FORK) ? error : NEXT(posix_spawnp)(pid, file, files, how, argv, env);
}
