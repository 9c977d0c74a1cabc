/* commons.c - a stretch per rank: a bump pointer, lists of what is free by class, and a list that
 * others push to. */
#include "commons.h"

#include "runtime/base/pool.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1u
#endif

#if defined(__SANITIZE_THREAD__)
#define NO_COMMONS 1 /* it has all addresses for itself */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NO_COMMONS 1
#endif
#endif
#ifndef NO_COMMONS
#define NO_COMMONS 0
#endif

/* Where nothing else of a process lies, on x86-64 and arm64, also under address sanitizer. */
#define COMMONS_BASE ((uintptr_t)0x200000000000)
#define COMMONS_STEP ((uintptr_t)1 << 38) /* 256 GiB each */
enum { RANKS_MAX = 512, CLASSES = POOL_CLASSES, HEAD = 64, PAGE_HEAD = 4096 };

struct stretch { /* at its begin */
    uint64_t mark;
    _Alignas(64) _Atomic(uintptr_t) returned; /* newest first */
};

struct head { /* in front of each piece */
    uint32_t class_;
};

struct link { /* in a piece that is free, or returned */
    struct link *next;
};

static struct {
    bool on;
    int index, ranks;
    char *own, *fresh, *end; /* our stretch; where nothing was taken yet */
    atomic_int lock;
    struct link *free[CLASSES];
} commons;

static struct stretch *
stretch_of(const void *p)
{
    uintptr_t k = ((uintptr_t)p - COMMONS_BASE) / COMMONS_STEP;
    return (struct stretch *)(COMMONS_BASE + k * COMMONS_STEP);
}

static char *
stretch_at(int index)
{
    return (char *)(COMMONS_BASE + (uintptr_t)index * COMMONS_STEP);
}

static bool
map_at(int index, int fd, size_t bytes)
{
    int flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    char *at = stretch_at(index);
    void *p = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (p != MAP_FAILED && p != at) munmap(p, bytes); /* a kernel that does not know the flag */
    return p == at;
}

/* Reserved addresses count against such a limit. */
static bool
addresses_are_limited(void)
{
    struct rlimit r;
    return getrlimit(RLIMIT_AS, &r) || r.rlim_cur != RLIM_INFINITY;
}

static uint64_t
new_mark(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return ((uint64_t)getpid() << 40) ^ (uint64_t)t.tv_sec * 1000000007u ^ (uint64_t)t.tv_nsec;
}

struct commons_ticket
commons_open(int index, size_t bytes)
{
    struct commons_ticket t = {.pid = getpid(), .fd = -1, .index = -1};
    if (NO_COMMONS || index < 0 || index >= RANKS_MAX || addresses_are_limited()) return t;
    if (bytes > COMMONS_STEP) bytes = COMMONS_STEP;
    bytes &= ~(size_t)(PAGE_HEAD - 1);
    int fd = (int)syscall(SYS_memfd_create, "luna", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) || !map_at(index, fd, bytes)) {
        if (fd >= 0) close(fd);
        return t;
    }
    struct stretch *s = (struct stretch *)(void *)stretch_at(index);
    s->mark = new_mark();
    commons.index = index;
    commons.own = stretch_at(index);
    commons.fresh = commons.own + PAGE_HEAD;
    commons.end = commons.own + bytes;
    return (struct commons_ticket){getpid(), fd, index, bytes, s->mark};
}

static bool
join(const struct commons_ticket *t)
{
    char path[64];
    if (t->index < 0) return false;
    if (t->index == commons.index) return true;
    snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)t->pid, (int)t->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return false;
    bool ok = map_at(t->index, fd, t->bytes);
    close(fd);
    return ok && ((struct stretch *)(void *)stretch_at(t->index))->mark == t->mark;
}

bool
commons_join(const struct commons_ticket *all, int n)
{
    bool ok = commons.own != NULL;
    for (int i = 0; i < n && ok; i++) ok = join(&all[i]);
    commons.ranks = n;
    return ok;
}

void
commons_decide(bool all_joined)
{
    commons.on = all_joined && commons.ranks > 1;
}

bool
commons_on(void)
{
    return commons.on;
}

bool
commons_has(const void *p)
{
    return commons.on && (uintptr_t)p - COMMONS_BASE < (uintptr_t)commons.ranks * COMMONS_STEP;
}

bool
commons_owns(const void *p)
{
    return commons_has(p) && (char *)stretch_of(p) == commons.own;
}

/* ---- taking and giving ---- */

static void
lock(void)
{
    while (atomic_exchange_explicit(&commons.lock, 1, memory_order_acquire)) sched_yield();
}

static void
unlock(void)
{
    atomic_store_explicit(&commons.lock, 0, memory_order_release);
}

static struct head *
head_of(void *p)
{
    return (struct head *)(void *)((char *)p - HEAD);
}

static void *
carve(unsigned class_)
{
    size_t bytes = (pool_class_bytes(class_) + HEAD + 63) & ~(size_t)63;
    if ((size_t)(commons.end - commons.fresh) < bytes || !pool_count(bytes)) return NULL;
    char *p = commons.fresh + HEAD;
    commons.fresh += bytes;
    head_of(p)->class_ = class_;
    return p;
}

void *
commons_take(size_t bytes)
{
    unsigned class_ = pool_class(bytes);
    if (!commons.on || class_ >= CLASSES - 1) return NULL;
    lock();
    struct link *l = commons.free[class_];
    if (l) commons.free[class_] = l->next;
    void *p = l ? (void *)l : carve(class_);
    unlock();
    return p;
}

static void
push(struct stretch *s, struct link *l)
{
    uintptr_t first = atomic_load_explicit(&s->returned, memory_order_relaxed);
    do l->next = (struct link *)first;
    while (!atomic_compare_exchange_weak_explicit(&s->returned, &first, (uintptr_t)l,
                                                  memory_order_release, memory_order_relaxed));
}

void
commons_give(void *p)
{
    struct link *l = p;
    if (!commons_owns(p)) {
        push(stretch_of(p), l);
        return;
    }
    lock();
    l->next = commons.free[head_of(p)->class_];
    commons.free[head_of(p)->class_] = l;
    unlock();
}

void *
commons_returned(void)
{
    if (!commons.on) return NULL;
    struct stretch *s = (struct stretch *)(void *)commons.own;
    if (!atomic_load_explicit(&s->returned, memory_order_relaxed)) return NULL;
    return (void *)atomic_exchange_explicit(&s->returned, 0, memory_order_acquire);
}

size_t
commons_bytes(void)
{
    return commons.own ? (size_t)(commons.fresh - commons.own) : 0;
}
