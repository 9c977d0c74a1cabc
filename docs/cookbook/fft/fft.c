/* fft.c - spectra by FFTW. */
#include <fftw3.h>
#include <luna.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

/* All of FFTW but fftw_execute may be called by one thread at a time. */
static pthread_mutex_t planning = PTHREAD_MUTEX_INITIALIZER;

void
tone(int n, int frequency, luna_df *signal)
{
    double *x = luna_create(signal, n * sizeof *x);
    for (int i = 0; i < n; i++) x[i] = sin(2 * M_PI * frequency * i / n);
}

void
transform(int n, const luna_df *signal, luna_df *spectrum)
{
    fftw_complex *out = luna_create(spectrum, (n / 2 + 1) * sizeof *out);
    pthread_mutex_lock(&planning);
    fftw_plan p = fftw_plan_dft_r2c_1d(n, (double *)luna_data(signal), out,
                                       FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
    pthread_mutex_unlock(&planning);
    fftw_execute(p);
    pthread_mutex_lock(&planning);
    fftw_destroy_plan(p);
    pthread_mutex_unlock(&planning);
}

void
loudest(int n, const luna_df *spectrum, luna_df *frequency)
{
    const fftw_complex *x = luna_data(spectrum);
    int best = 0;
    for (int i = 0; i <= n / 2; i++)
        if (hypot(x[i][0], x[i][1]) > hypot(x[best][0], x[best][1])) best = i;
    luna_set_int(frequency, best);
}

void
say(int a, int b, int c, int d)
{
    printf("%d %d %d %d\n", a, b, c, d);
}
