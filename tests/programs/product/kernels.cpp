// Blocks of 3 x 3 doubles with small whole numbers, so that sums are exact in any order.
#include <ucenv.h>

enum { N = 3, BLOCKS = 3 };

static double
a(int i, int j)
{
    return i + 2 * j - 3;
}

static double
b(int i, int j)
{
    return 5 - i * j % 7;
}

extern "C" {

void
c_fill(int row, int column, int which, OutputDF &block)
{
    double *to = block.create<double>(N * N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            to[i * N + j] = (which == 1 ? a : b)(row * N + i, column * N + j);
}

void
c_multiply(const InputDF &x, const InputDF &y, OutputDF &z)
{
    const double *p = x.getData<double>(), *q = y.getData<double>();
    double *to = z.create<double>(N * N, 0.0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) to[i * N + j] += p[i * N + k] * q[k * N + j];
}

void
c_add_blocks(const InputDF &x, const InputDF &y, OutputDF &z)
{
    double *to = z.create<double>(N * N);
    for (int i = 0; i < N * N; i++) to[i] = x.getData<double>()[i] + y.getData<double>()[i];
}

void
c_copy(const InputDF &x, OutputDF &y)
{
    y.copy(x);
}

void
c_show(int place, const InputDF &c)
{
    double sum = 0;
    for (int i = 0; i < N * N; i++) sum += c.getData<double>()[i] * (i + 1);
    printf("block %02d: %g of %d bytes\n", place, sum, static_cast<int>(c.getSize()));
}

void
c_verify(const InputDF &c, OutputDF &good, int block, int words)
{
    int right = c.get_size() == words * sizeof(double);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double want = 0;
            for (int k = 0; k < N * BLOCKS; k++) want += a(block * N + i, k) * b(k, block * N + j);
            right &= c.getData<double>()[i * N + j] == want;
        }
    good = right;
}

void
c_seti(OutputDF &v, int k)
{
    v = k;
}

void
c_count(int n, OutputDF &v)
{
    v = n;
}

void
c_zero(OutputDF &v)
{
    v = 0;
}

void
c_add(const InputDF &x, const InputDF &y, OutputDF &z)
{
    z = x + y;
}

void
c_say(const char *text, int k)
{
    printf("%s: %d\n", text, k);
}
}
