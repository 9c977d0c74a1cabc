/* bodies.c - the bodies of the peers' tasks; luna/shapes.c has the same for fragments. */
#include "bench.h"

int
step(int v)
{
    return v + 1;
}

int
sten(int left, int self, int right)
{
    return (left + self + right) & 0xffff;
}
