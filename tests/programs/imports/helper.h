#include <stdio.h>

static int
helper(int k)
{
    return k + 100;
}
