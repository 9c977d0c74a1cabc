/* pixels.c - pixels FILE.png X,Y ...: prints the size of a picture and the colours of these points.
 * With "count" instead of points: how many pixels each colour has, the most frequent first. */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 40 };

static png_image image = {.version = PNG_IMAGE_VERSION};

static int
by_colour(const void *a, const void *b)
{
    return memcmp(a, b, 3);
}

struct share {
    unsigned char rgb[3];
    unsigned n;
};

static int
by_number(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : memcmp(x->rgb, y->rgb, 3);
}

static void
count(unsigned char *rgb, size_t n)
{
    struct share *all = calloc(n + 1, sizeof *all);
    size_t found = 0;
    if (!all) exit(1);
    qsort(rgb, n, 3, by_colour);
    for (size_t i = 0; i < n; i++) {
        if (!i || memcmp(rgb + 3 * i, rgb + 3 * i - 3, 3)) memcpy(all[found++].rgb, rgb + 3 * i, 3);
        all[found - 1].n++;
    }
    qsort(all, found, sizeof *all, by_number);
    for (size_t i = 0; i < found && i < SHOWN; i++)
        printf("%u %02x%02x%02x\n", all[i].n, all[i].rgb[0], all[i].rgb[1], all[i].rgb[2]);
    free(all);
}

static int
show(const unsigned char *rgb, const char *point)
{
    unsigned x, y;
    if (sscanf(point, "%u,%u", &x, &y) != 2 || x >= image.width || y >= image.height) return 1;
    const unsigned char *at = rgb + ((size_t)y * image.width + x) * 3;
    printf("%02x%02x%02x\n", at[0], at[1], at[2]);
    return 0;
}

int
main(int argc, char **argv)
{
    if (argc < 2 || !png_image_begin_read_from_file(&image, argv[1])) return 1;
    image.format = PNG_FORMAT_RGB;
    unsigned char *rgb = malloc(PNG_IMAGE_SIZE(image));
    int wrong = !rgb || !png_image_finish_read(&image, NULL, rgb, 0, NULL);
    if (!wrong) printf("%ux%u\n", image.width, image.height);
    if (!wrong && argc == 3 && !strcmp(argv[2], "count"))
        count(rgb, (size_t)image.width * image.height);
    else
        for (int i = 2; i < argc && !wrong; i++) wrong = show(rgb, argv[i]);
    free(rgb);
    return wrong;
}
