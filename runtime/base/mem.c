/* mem.c - malloc behind one door. */
#include "mem.h"

#include "cgroup.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 2 << 20 };

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
mem_on_large_pages(void *p, size_t bytes)
{
    uintptr_t from = ((uintptr_t)p + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    uintptr_t to = ((uintptr_t)p + bytes) / LARGE_PAGE * LARGE_PAGE;
    if (from < to) (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
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
