#include <stdio.h>

void
main(int k, const char *text)
{
    printf("%d %s\n", k, text);
}
