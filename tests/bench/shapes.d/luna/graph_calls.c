/* graph_calls.c - the tasks of taskbench.fa. Dependences are written there; here they are checked.
 */
#include "bodies.h"
#include "luna.h"

static void
task(int t, int i, int rounds, const int *in, int n, luna_df *out)
{
    luna_set_int(out, graph_task(t, i, in, n, rounds));
}

void
task0(int t, int i, int rounds, luna_df *out)
{
    task(t, i, rounds, NULL, 0, out);
}

void
task1(int t, int i, int rounds, int a, luna_df *out)
{
    task(t, i, rounds, &a, 1, out);
}

void
task3(int t, int i, int rounds, int a, int b, int c, luna_df *out)
{
    task(t, i, rounds, (int[]){a, b, c}, 3, out);
}

void
task5(int t, int i, int rounds, int a, int b, int c, int d, int e, luna_df *out)
{
    task(t, i, rounds, (int[]){a, b, c, d, e}, 5, out);
}
