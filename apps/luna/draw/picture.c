/* picture.c - see picture.h. */
#include "apps/luna/draw/picture.h"

#include "apps/luna/common/files.h"
#include "runtime/base/io.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

bool
picture_init(struct picture *p, int width, int height, uint32_t background)
{
    *p = (struct picture){width, height, malloc((size_t)width * (size_t)height * 3)};
    if (!p->rgb) return false;
    picture_box(p, 0, 0, width, height, background);
    return true;
}

void
picture_fini(struct picture *p)
{
    free(p->rgb);
    *p = (struct picture){0};
}

/* Into memory first: what can go wrong with the file is told by its errno, and no half of a picture
 * is left. */
int
picture_write(const struct picture *p, const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = (png_uint_32)p->width,
                       .height = (png_uint_32)p->height, .format = PNG_FORMAT_RGB};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    void *bytes = malloc(size);
    if (!bytes) return ENOMEM;
    bool made = png_image_write_to_memory(&image, bytes, &size, 0, p->rgb, 0, NULL);
    int e = made ? 0 : ENOMEM;
    if (made && !strcmp(path, "-")) io_print(bytes, size);
    else if (made) e = file_write(path, bytes, size, 0666);
    free(bytes);
    return e;
}

/* ---- pixels ---- */

static uint8_t *
pixel(const struct picture *p, int x, int y)
{
    return p->rgb + ((size_t)y * (size_t)p->width + (size_t)x) * 3;
}

uint32_t
picture_at(const struct picture *p, int x, int y)
{
    const uint8_t *at = pixel(p, x, y);
    return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

static int
clip(int x, int max)
{
    return x < 0 ? 0 : x > max ? max : x;
}

void
picture_box(struct picture *p, int x, int y, int width, int height, uint32_t colour)
{
    int x1 = clip(x + width, p->width), y1 = clip(y + height, p->height);
    x = clip(x, p->width);
    for (y = clip(y, p->height); y < y1; y++) {
        uint8_t *at = pixel(p, x, y);
        for (int i = x; i < x1; i++) {
            *at++ = (uint8_t)(colour >> 16);
            *at++ = (uint8_t)(colour >> 8);
            *at++ = (uint8_t)colour;
        }
    }
}

/* As much of the colour as `part`, 0 to 1, over what is there. */
static void
blend(struct picture *p, int x, int y, uint32_t colour, double part)
{
    uint8_t *at = pixel(p, x, y);
    for (int i = 0; i < 3; i++) {
        double to = colour >> (16 - 8 * i) & 255;
        at[i] = (uint8_t)lrint(at[i] + (to - at[i]) * part);
    }
}

static double
between(double x, double min, double max)
{
    return x < min ? min : x > max ? max : x;
}

/* A pixel gets as much as it lies nearer to the line than half its thickness. */
void
picture_line(struct picture *p, double x0, double y0, double x1, double y1, double thick,
             uint32_t colour)
{
    double half = thick / 2 + 0.5, dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy;
    int left = clip((int)floor(fmin(x0, x1) - half), p->width);
    int right = clip((int)ceil(fmax(x0, x1) + half), p->width);
    int top = clip((int)floor(fmin(y0, y1) - half), p->height);
    int bottom = clip((int)ceil(fmax(y0, y1) + half), p->height);
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            double px = x + 0.5 - x0, py = y + 0.5 - y0; /* the pixel's middle, seen from x0, y0 */
            double along = square > 0 ? between((px * dx + py * dy) / square, 0, 1) : 0;
            double far = hypot(px - along * dx, py - along * dy);
            if (far < half) blend(p, x, y, colour, between(half - far, 0, 1));
        }
}

/* ---- words ---- */

void
picture_text(struct picture *p, int x, int y, int zoom, uint32_t colour, const char *text)
{
    for (; *text; text++, x += LETTER_WIDTH * zoom) {
        const char *rows = picture_letter(*text);
        for (int i = 0; i < LETTER_HEIGHT * (LETTER_WIDTH - 1); i++)
            if (rows[i] == '#')
                picture_box(p, x + i % (LETTER_WIDTH - 1) * zoom, y + i / (LETTER_WIDTH - 1) * zoom,
                            zoom, zoom, colour);
    }
}

int
picture_text_width(const char *text, int zoom)
{
    int n = (int)strlen(text);
    return n ? (LETTER_WIDTH * n - 1) * zoom : 0;
}

/* ---- colours ---- */

/* Of a part of the light, 0 to 1. */
static uint32_t
byte_of(double light)
{
    light = between(light, 0, 1);
    double s = light < 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
    return (uint32_t)lrint(s * 255);
}

/* From the Oklab space, where equal steps look equally large. */
static uint32_t
colour_of(double lightness, double a, double b)
{
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return byte_of(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) << 16 |
           byte_of(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) << 8 |
           byte_of(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

/* Steps of the golden ratio would spread hues well, but every eighth is nearly the same again, and
 * nodes 8 apart lie side by side on many lattices. These steps of hue and lightness were found by
 * trial: they keep apart what differs by up to 17, most of all up to 8, and by 20, 24, 32 ... */
uint32_t
picture_colour(unsigned i)
{
    double hue = 2 * M_PI * fmod(0.08 + i * 0.6083, 1);
    double lightness = 0.48 + 0.33 * fmod(0.35 + i * 0.3247, 1);
    return colour_of(lightness, 0.13 * cos(hue), 0.13 * sin(hue));
}

uint32_t
picture_ink(uint32_t colour)
{
    uint32_t light = 299 * (colour >> 16) + 587 * (colour >> 8 & 255) + 114 * (colour & 255);
    return light > 128 * 1000 ? PICTURE_BLACK : PICTURE_WHITE;
}
