/* segment.c - memfd or a file without a name, its mapping, its pages, its locks. */
#include "collectives/group/segment.h"

#include "runtime/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { HUGETLBFS = 0x958458f6, PAGES_ASKED = 512 };

size_t
segment_page(const char *folder)
{
    struct statfs f;
    if (folder && !statfs(folder, &f) && (unsigned)f.f_type == (unsigned)HUGETLBFS)
        return (size_t)f.f_bsize;
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Not all kernels and sandboxes have memfd; /dev/shm is as good, but limited. */
static int
open_file(const char *folder)
{
    int fd = folder ? -1 : memfd_create("luna-coll", MFD_CLOEXEC);
    if (fd >= 0) return fd;
    return open(folder ? folder : "/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static const double mib = 1 << 20;

static void
say_full(char why[COLL_WHY], int fd, size_t bytes, const char *folder)
{
    struct statvfs f;
    double has = 0;
    if (folder && !fstatvfs(fd, &f)) has = (double)f.f_bavail * (double)f.f_frsize;
    if (!folder) has = (double)mem_free_bytes();
    snprintf(why, COLL_WHY, "%s is too small: %.2f MiB are free, the segment takes %.2f: fewer "
             "fragments, or smaller ones", folder ? folder : "memory", has / mib,
             (double)bytes / mib);
}

/* A file that is too large is not refused, but kills whoever touches its pages. */
static bool
fits(int fd, size_t bytes, const char *folder)
{
    struct statvfs f;
    if (!folder) return bytes <= mem_free_bytes();
    return fstatvfs(fd, &f) || f.f_bavail >= bytes / f.f_frsize + 1;
}

/* Who makes a file longer than the process may is not refused, but killed (SIGXFSZ). */
static bool
may_be(size_t bytes, char why[COLL_WHY])
{
    struct rlimit file;
    if (getrlimit(RLIMIT_FSIZE, &file) || file.rlim_cur == RLIM_INFINITY ||
        bytes <= file.rlim_cur)
        return true;
    snprintf(why, COLL_WHY, "a file of this process may have %.2f MiB (ulimit -f), the segment "
             "takes %.2f: fewer fragments, or smaller ones", (double)file.rlim_cur / mib,
             (double)bytes / mib);
    return false;
}

int
segment_make(size_t bytes, const char *folder, char why[COLL_WHY])
{
    if (!may_be(bytes, why)) return -1;
    int fd = open_file(folder);
    if (fd < 0) {
        snprintf(why, COLL_WHY, "cannot make a segment in %s: %s", folder ? folder : "memory",
                 strerror(errno));
        return -1;
    }
    if (!fits(fd, bytes, folder)) {
        say_full(why, fd, bytes, folder);
        close(fd);
        return -1;
    }
    if (ftruncate(fd, (off_t)bytes)) {
        snprintf(why, COLL_WHY, "a segment of %zu bytes: %s", bytes, strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

/* A page the kernel zeroes in children. */
static int *
sentinel(size_t page)
{
    int *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    madvise(p, page, MADV_WIPEONFORK);
    *p = 1;
    return p;
}

struct segment *
segment_map(int fd, size_t bytes, size_t page, char why[COLL_WHY])
{
    struct segment *s = mem_zalloc(1, sizeof *s);
    int *here = s ? sentinel((size_t)sysconf(_SC_PAGESIZE)) : NULL;
    void *base = here ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (base == MAP_FAILED) {
        snprintf(why, COLL_WHY, "cannot map a segment of %zu bytes: %s", bytes,
                 here ? strerror(errno) : err_text(E_NOMEM));
        if (here) munmap(here, (size_t)sysconf(_SC_PAGESIZE));
        mem_free(s);
        close(fd);
        return NULL;
    }
    /* The first touch of a page would else bring in the pages behind it, which belong to another
     * member, onto the toucher's node. */
    madvise(base, bytes, MADV_RANDOM);
    madvise(base, bytes, MADV_DONTFORK);
    *s = (struct segment){.base = base, .bytes = bytes, .page = page, .fd = fd, .here = here};
    atomic_init(&s->users, 1);
    return s;
}

void
segment_leave(struct segment *s)
{
    if (!s || atomic_fetch_sub(&s->users, 1) > 1) return;
    if (*s->here) munmap(s->base, s->bytes);
    munmap((void *)s->here, (size_t)sysconf(_SC_PAGESIZE));
    close(s->fd);
    mem_free(s);
}

enum err
segment_settle(struct segment *s, size_t from, size_t bytes, const char *folder,
               char why[COLL_WHY])
{
    /* Allocating by a call, and not by a first write, gives an error and not a signal. */
    if (fallocate(s->fd, 0, (off_t)from, (off_t)bytes) && errno != EOPNOTSUPP) {
        say_full(why, s->fd, s->bytes, folder);
        return E_NOMEM;
    }
    /* Map them now, not in the first message. Nobody else writes here yet. */
    for (size_t at = from; at < from + bytes; at += s->page)
        *(volatile char *)(s->base + at) = 0;
    return OK;
}

size_t
segment_elsewhere(const struct segment *s, size_t from, size_t bytes, int os_node)
{
    void *page[PAGES_ASKED];
    int node[PAGES_ASKED];
    size_t elsewhere = 0;
    for (size_t at = from; at < from + bytes;) {
        unsigned long n = 0;
        for (; n < PAGES_ASKED && at < from + bytes; at += s->page) page[n++] = s->base + at;
        /* No nodes given: nothing moves, it only tells. */
        if (syscall(SYS_move_pages, 0, n, page, NULL, node, 0)) return 0;
        for (unsigned long i = 0; i < n; i++) elsewhere += node[i] >= 0 && node[i] != os_node;
    }
    return elsewhere;
}

static struct flock
lock_of(int rank)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank, .l_len = 1};
}

/* The old kind of lock: it belongs to the process, so a child does not keep it alive. */
bool
segment_sign(struct segment *s, int rank)
{
    struct flock lock = lock_of(rank);
    return !fcntl(s->fd, F_SETLK, &lock);
}

bool
segment_lives(const struct segment *s, int rank)
{
    struct flock lock = lock_of(rank);
    return fcntl(s->fd, F_GETLK, &lock) || lock.l_type != F_UNLCK;
}
