/* mem.c - malloc behind one door. */
#include "mem.h"

#include "cgroup.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

/* What a large page may take: 512 small ones take half of that, and are missed more often later. */
enum { LARGE_PAGE_NS = 1000000 };

/* What those that took longer have cost beyond that, less what others saved since: at most so much,
 * and that part of the time of the process. */
enum { LOSS_NS = 10000000, LOSS_PART = 64 };
static atomic_llong large_page_loss;

static atomic_long mem_left = -1; /* allocations that still succeed; below 0: all of them */

static int
mem_refuses(void)
{
    if (atomic_load_explicit(&mem_left, memory_order_relaxed) < 0) return 0;
    if (atomic_fetch_sub(&mem_left, 1) > 0) return 0;
    atomic_store(&mem_left, 0);
    return 1;
}

void *
mem_alloc(size_t bytes)
{
    return mem_refuses() ? NULL : malloc(bytes ? bytes : 1);
}

void *
mem_zalloc(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) return NULL;
    return mem_refuses() ? NULL : calloc(count ? count : 1, size ? size : 1);
}

void *
mem_aligned(size_t unit, size_t bytes)
{
    if (bytes > SIZE_MAX - unit) return NULL;
    return mem_refuses() ? NULL : aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
}

void *
mem_pages(size_t bytes)
{
    if (mem_refuses()) return NULL;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void
mem_touch(void *p, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    if (!madvise(p, bytes, MADV_POPULATE_WRITE)) return;
#endif
    for (size_t i = 0; i < bytes; i += 4096) ((volatile char *)p)[i] = 0;
}

/* Of a thread: what others do on its core does not count, what a host does does. */
static long long
cpu_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

bool
mem_asks_large_pages(void)
{
    long long loss = atomic_load_explicit(&large_page_loss, memory_order_relaxed) - LOSS_NS;
    return loss <= 0 || loss <= cpu_ns(CLOCK_PROCESS_CPUTIME_ID) / LOSS_PART;
}

void
mem_large_page_took(long long ns)
{
    long long more = ns - LARGE_PAGE_NS;
    /* Nothing is saved up: when a host begins to be slow, that is seen soon. */
    if (atomic_fetch_add(&large_page_loss, more) + more < 0) atomic_store(&large_page_loss, 0);
}

/* The first that comes in time speaks for those behind it. */
void
mem_on_large_pages(void *p, size_t bytes)
{
    uintptr_t from = ((uintptr_t)p + MEM_LARGE_PAGE - 1) / MEM_LARGE_PAGE * MEM_LARGE_PAGE;
    uintptr_t to = ((uintptr_t)p + bytes) / MEM_LARGE_PAGE * MEM_LARGE_PAGE;
    if (from >= to || !mem_asks_large_pages()) return;
    if (madvise((void *)from, to - from, MADV_HUGEPAGE)) return;
    do {
        long long began = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
        *(volatile char *)from = 0;
        long long took = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - began;
        mem_large_page_took(took);
        if (took < LARGE_PAGE_NS) return;
        from += MEM_LARGE_PAGE;
    } while (from < to && mem_asks_large_pages());
    if (from < to) (void)madvise((void *)from, to - from, MADV_NOHUGEPAGE);
}

void *
mem_realloc(void *p, size_t bytes)
{
    return mem_refuses() ? NULL : realloc(p, bytes ? bytes : 1);
}

void
mem_free(void *p)
{
    free(p);
}

size_t
mem_free_bytes(void)
{
    char line[200];
    unsigned long long kib;
    size_t bytes = SIZE_MAX;
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && bytes == SIZE_MAX && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1) bytes = (size_t)kib * 1024;
    if (f) fclose(f);
    size_t group = cgroup_memory("").free;
    return group < bytes ? group : bytes;
}

void
mem_fail_after(long allocations)
{
    atomic_store(&mem_left, allocations);
}
