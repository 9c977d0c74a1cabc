/* ppm_png.c - what luna's pictures in PPM and the PNGs of the documents have to do with each other.
 *
 *     docs_ppm_png write FILE.ppm FILE.png     makes the second of the first
 *     docs_ppm_png same FILE.ppm FILE.png      fails if a pixel differs */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct picture {
    unsigned width, height;
    unsigned char *rgb;
};

static int
failed(const char *file, const char *why)
{
    fprintf(stderr, "%s: %s\n", file, why);
    exit(1);
}

static struct picture
ppm_read(const char *name)
{
    struct picture p = {0};
    FILE *f = fopen(name, "rb");
    if (!f || fscanf(f, "P6 %u %u 255", &p.width, &p.height) != 2 || fgetc(f) != '\n' ||
        !p.width || !p.height || p.width > 10000 || p.height > 10000)
        failed(name, "no such picture in PPM");
    size_t bytes = (size_t)3 * p.width * p.height;
    p.rgb = malloc(bytes);
    if (!p.rgb || fread(p.rgb, 1, bytes, f) != bytes || fgetc(f) != EOF)
        failed(name, "another number of bytes than its head tells");
    fclose(f);
    return p;
}

static void
png_write(const char *name, const struct picture *p)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = p->width, .height = p->height,
                       .format = PNG_FORMAT_RGB};
    if (!png_image_write_to_file(&image, name, 0, p->rgb, 0, NULL)) failed(name, image.message);
}

static struct picture
png_read(const char *name)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, name)) failed(name, image.message);
    image.format = PNG_FORMAT_RGB;
    struct picture p = {image.width, image.height, malloc(PNG_IMAGE_SIZE(image))};
    if (!p.rgb || !png_image_finish_read(&image, NULL, p.rgb, 0, NULL)) failed(name, image.message);
    return p;
}

int
main(int argc, char **argv)
{
    if (argc != 4) return 2;
    struct picture p = ppm_read(argv[2]);
    if (!strcmp(argv[1], "write")) {
        png_write(argv[3], &p);
    } else {
        struct picture q = png_read(argv[3]);
        if (p.width != q.width || p.height != q.height ||
            memcmp(p.rgb, q.rgb, (size_t)3 * p.width * p.height))
            failed(argv[3], "is not the picture that the program makes");
        free(q.rgb);
    }
    free(p.rgb);
    return 0;
}
