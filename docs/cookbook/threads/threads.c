/* threads.c - a function with threads of its own. */
#include <luna.h>
#include <stdio.h>

void
series(int n, luna_df *result)
{
    double sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += 1.0 / ((double)i * i + 1.0);
    luna_set_real(result, sum);
}

void
say(double x)
{
    printf("%.4f\n", x);
}
