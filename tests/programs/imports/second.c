#include "helper.h"

void
g(int k)
{
    printf("g %d\n", helper(k));
}

void
print(const char *what, int k)
{
    printf("%s %d\n", what, k);
}

void
only_plain(int i, double r, const char *s)
{
    printf("%d %g %s\n", i, r, s);
}
