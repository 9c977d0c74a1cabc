/* mem.h - where memory comes from: malloc with one door, so that a test can make any call fail.
 *
 * mem_fail_after(n) lets n allocations succeed and fails all that follow: tests walk n upwards
 * until the code under test succeeds, and see that each failure is reported and nothing leaks. */
#ifndef LUNA_BASE_MEM_H
#define LUNA_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

void *mem_alloc(size_t bytes);               /* NULL when there is none; 0 bytes give a pointer */
void *mem_zalloc(size_t count, size_t size); /* zeroed; checks the product */
void *mem_aligned(size_t unit, size_t bytes); /* at a multiple of unit, a power of 2 */
void *mem_pages(size_t bytes);               /* zeroed pages of their own, never given back */
void  mem_touch(void *p, size_t bytes);      /* whole fresh pages: there from now on */
void *mem_realloc(void *p, size_t bytes);    /* p stays valid on NULL */
void  mem_free(void *p);

/* Asks for large pages where whole ones lie in fresh memory, and takes the first: a page fault for
 * each 2 MiB, not 4 KiB, and fewer misses where memory is read in no order. Nothing changes if the
 * system has none. A guest may have to wait for its host: one that comes late is no reason to do
 * without, several are, until what they have cost is a small part of the time of the process. */
enum { MEM_LARGE_PAGE = 2 << 20 };
void mem_on_large_pages(void *p, size_t bytes);
bool mem_asks_large_pages(void);        /* at present */
void mem_large_page_took(long long ns); /* one has come; tests say so too */

/* What this host, and the group of this process, could still give, SIZE_MAX if they do not tell.
 * malloc gives more all the same, and the kernel may kill the process that uses it: ask before you
 * allocate very much. */
size_t mem_free_bytes(void);

/* Tests only: -1 (the default) never fails. */
void mem_fail_after(long allocations);

#endif
