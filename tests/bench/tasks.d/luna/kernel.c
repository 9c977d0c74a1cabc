/* kernel.c - the body with arithmetic, after the compute kernel of Task Bench: `iters` rounds of a
 * multiplication and an addition on 16 numbers that stay in registers, 32 operations a round. */

enum { LANES = 16 };

double
kernel(double left, double self, double right, int iters)
{
    double a[LANES], sum = 0;
    double mean = 0.25 * left + 0.5 * self + 0.25 * right;
    for (int k = 0; k < LANES; k++) a[k] = mean + k;
    for (int n = 0; n < iters; n++)
        for (int k = 0; k < LANES; k++) a[k] = a[k] * 0.999 + 0.001;
    for (int k = 0; k < LANES; k++) sum += a[k];
    return sum * (1.0 / LANES);
}
