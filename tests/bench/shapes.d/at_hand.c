/* at_hand.c - takes so many MiB, and gives them back. A guest gives memory that has been free for some
 * seconds to its host, and gets it again with a delay that has nothing to do with the program that
 * needs it; behind this, whoever runs next finds it at hand. */
#include <stdlib.h>
#include <sys/mman.h>

int
main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) << 20 : 0;
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return 1;
    (void)madvise(p, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < bytes; i += 4096) p[i] = 1;
    return 0;
}
