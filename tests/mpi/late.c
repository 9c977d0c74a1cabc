/* late.c - put before a rank by LD_PRELOAD: the one that LATE names comes 2 s late to its end, as
 * one does that has much to write, or no core. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__attribute__((visibility("default"))) int
fflush(FILE *f)
{
    int (*real)(FILE *) = (int (*)(FILE *))dlsym(RTLD_NEXT, "fflush");
    const char *rank = getenv("PMI_RANK"), *late = getenv("LATE");
    if (!f && rank && late && !strcmp(rank, late))
        nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
    return real(f);
}
