/* graphs.c - who reads whom in the patterns of Task Bench, and what a task does. Points beyond an
 * end of the row are read as the point itself. */
#include "bodies.h"

#include <string.h>

static int
log2_of(int width)
{
    int k = 0;
    while (2 << k <= width) k++;
    return k;
}

/* Odd multipliers, and a square, so that rows differ from each other. */
static int
scattered(int width, int t, int i, int k)
{
    return (i * i * 31 + t * (i + 17) * 7 + k * 101 + t * 13) % width;
}

int
graph_inputs(const char *pattern, int width, int t, int i, int *points)
{
    int n = 0, last = width - 1;
    if (!strcmp(pattern, "trivial")) return 0;
    points[n++] = !strcmp(pattern, "tree") ? (t <= log2_of(width) ? i / 2 : i) : i;
    if (!strcmp(pattern, "stencil")) {
        points[n++] = i > 0 ? i - 1 : i;
        points[n++] = i < last ? i + 1 : i;
    } else if (!strcmp(pattern, "fft")) {
        int far = 1 << (t - 1) % (log2_of(width) > 0 ? log2_of(width) : 1);
        points[n++] = i >= far ? i - far : i;
        points[n++] = i + far <= last ? i + far : i;
    } else if (!strcmp(pattern, "random")) {
        for (int k = 1; k <= 2; k++) points[n++] = scattered(width, t, i, k);
    } else if (!strcmp(pattern, "spread")) {
        for (int k = 1; k <= 4; k++) points[n++] = (i + k * width / 5 + t) % width;
    } else if (!strcmp(pattern, "nearest")) {
        for (int k = 1; k <= 2; k++) {
            points[n++] = i >= k ? i - k : i;
            points[n++] = i + k <= last ? i + k : i;
        }
    }
    return n;
}

int
graph_task(int t, int i, const int *inputs, int n, int rounds)
{
    unsigned sum = (unsigned)(t * 7 + i);
    for (int k = 0; k < n; k++) sum = sum * 31 + (unsigned)inputs[k];
    return work((int)(sum & 0xffffff), rounds);
}
