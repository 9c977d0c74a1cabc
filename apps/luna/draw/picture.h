/* picture.h - a canvas of pixels: boxes, lines, words, and a PNG of it in the end.
 *
 * The origin is the upper left corner; a point (x, y) with whole coordinates is the upper left
 * corner of pixel x, y. What lies outside is left out. Colours are 0xRRGGBB. */
#ifndef LUNA_APPS_PICTURE_H
#define LUNA_APPS_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

enum { PICTURE_BLACK = 0x000000, PICTURE_GREY = 0x808080, PICTURE_WHITE = 0xffffff };

struct picture {
    int width, height;
    uint8_t *rgb; /* three bytes a pixel, row by row */
};

/* False: out of memory. */
bool picture_init(struct picture *p, int width, int height, uint32_t background);
void picture_fini(struct picture *p); /* a zeroed one is fine */
/* 0, or an errno; then there is no such file. */
int picture_write(const struct picture *p, const char *path);

uint32_t picture_at(const struct picture *p, int x, int y); /* inside */
void picture_box(struct picture *p, int x, int y, int width, int height, uint32_t colour);
/* From point to point, with smooth edges. */
void picture_line(struct picture *p, double x0, double y0, double x1, double y1, double thick,
                  uint32_t colour);

/* Letters are 5 x 8 pixels with a column between, times `zoom`; x, y: the upper left corner. Bytes
 * that are no printable ASCII, and letters that we have not drawn, are boxes. */
enum { LETTER_WIDTH = 6, LETTER_HEIGHT = 8, LETTER_LINE = 11 };
void picture_text(struct picture *p, int x, int y, int zoom, uint32_t colour, const char *text);
int  picture_text_width(const char *text, int zoom);

/* Colour `i` of a row without end in which near ones differ well: for nodes. */
uint32_t picture_colour(unsigned i);
/* Black or white, whichever is seen better on it. */
uint32_t picture_ink(uint32_t colour);

/* The picture of a letter: 8 rows of 5, a '#' where it is. */
const char *picture_letter(char c);

#endif
