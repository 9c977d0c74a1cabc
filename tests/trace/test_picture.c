/* test_picture.c - boxes, lines, letters, colours of picture.h; a PNG read back; marks of axes. */
#include "apps/luna/draw/picture.h"

#include "apps/luna/draw/plot.h"
#include "tests/lib/check.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <unistd.h>

enum { RED = 0xff0000, BLUE = 0x0000ff };

static unsigned
count(const struct picture *p, uint32_t colour)
{
    unsigned n = 0;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) n += picture_at(p, x, y) == colour;
    return n;
}

TEST(boxes_are_cut_at_the_edges)
{
    struct picture p;
    CHECK(picture_init(&p, 10, 6, PICTURE_WHITE));
    CHECK(count(&p, PICTURE_WHITE) == 60);
    picture_box(&p, 2, 1, 3, 2, RED);
    CHECK(count(&p, RED) == 6);
    CHECK(picture_at(&p, 2, 1) == RED && picture_at(&p, 4, 2) == RED);
    CHECK(picture_at(&p, 5, 2) == PICTURE_WHITE && picture_at(&p, 2, 3) == PICTURE_WHITE);
    picture_box(&p, -3, -3, 4, 4, BLUE);
    CHECK(count(&p, BLUE) == 1 && picture_at(&p, 0, 0) == BLUE);
    picture_box(&p, 8, 4, 100, 100, BLUE);
    CHECK(count(&p, BLUE) == 5);
    picture_box(&p, 10, 0, 5, 5, RED);
    picture_box(&p, -9, 0, 9, 5, RED);
    picture_box(&p, 3, 3, 0, 1, RED);
    CHECK(count(&p, RED) == 6);
    picture_fini(&p);
    picture_fini(&p); /* of what is gone */
}

TEST(lines_are_as_thick_as_asked)
{
    struct picture p;
    CHECK(picture_init(&p, 40, 40, PICTURE_WHITE));
    picture_line(&p, 0, 10, 40, 10, 4, RED); /* rows 8 to 11 */
    CHECK(count(&p, RED) == 160, "%u", count(&p, RED));
    CHECK(picture_at(&p, 20, 8) == RED && picture_at(&p, 20, 11) == RED);
    CHECK(picture_at(&p, 20, 7) == PICTURE_WHITE && picture_at(&p, 20, 12) == PICTURE_WHITE);
    picture_line(&p, 100, 100, -100, -100, 3, BLUE); /* both ends outside */
    for (int i = 13; i < 40; i++) CHECK(picture_at(&p, i, i) == BLUE, "%d", i);
    CHECK(picture_at(&p, 30, 20) == PICTURE_WHITE);
    picture_line(&p, 35, 5, 35, 5, 2, BLUE); /* a dot */
    CHECK(picture_at(&p, 35, 5) != PICTURE_WHITE && picture_at(&p, 35, 3) == PICTURE_WHITE);
    picture_fini(&p);
}

TEST(letters_have_eight_rows_of_five)
{
    static const char wanted[] = " 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "-_.,()[]:/+=%*<>#'";
    const char *box = picture_letter('\x01');
    for (int c = 0; c < 256; c++) {
        const char *rows = picture_letter((char)c);
        CHECK(strlen(rows) == 40 && strspn(rows, "# ") == 40, "letter %d", c);
        CHECK(!c || !strchr(wanted, c) || rows != box, "no picture of '%c'", c);
    }
    for (const char *a = wanted; *a; a++) /* no two are drawn alike */
        for (const char *b = a + 1; *b; b++)
            CHECK(strcmp(picture_letter(*a), picture_letter(*b)), "'%c' and '%c'", *a, *b);
}

TEST(words_are_as_wide_as_told)
{
    struct picture p;
    CHECK(picture_init(&p, 100, 40, PICTURE_WHITE));
    CHECK(picture_text_width("", 3) == 0 && picture_text_width("HH", 2) == 22);
    picture_text(&p, 10, 10, 2, RED, "HH");
    CHECK(picture_at(&p, 10, 10) == RED && picture_at(&p, 31, 10) == RED);
    CHECK(picture_at(&p, 9, 10) == PICTURE_WHITE && picture_at(&p, 32, 10) == PICTURE_WHITE);
    CHECK(count(&p, RED) == 2 * 4 * 17, "%u", count(&p, RED)); /* H has 17 points, of 2 x 2 */
    picture_text(&p, 90, 35, 3, RED, "cut");
    picture_fini(&p);
}

static double
distance(uint32_t a, uint32_t b)
{
    double sum = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        double d = (double)(a >> shift & 255) - (double)(b >> shift & 255);
        sum += d * d;
    }
    return sqrt(sum);
}

TEST(near_nodes_have_other_colours)
{
    static const unsigned steps[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                                     20, 24, 32, 64, 128};
    for (unsigned i = 0; i < 256; i++) {
        uint32_t c = picture_colour(i);
        CHECK(c <= 0xffffff && distance(c, PICTURE_WHITE) > 90, "%u: %06x", i, c);
        CHECK(distance(c, picture_ink(c)) > 180, "%u: a number on %06x is not seen", i, c);
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            double d = distance(c, picture_colour(i + steps[k]));
            CHECK(d > (steps[k] <= 8 ? 40 : 30), "%u and %u: %.0f", i, i + steps[k], d);
        }
    }
}

TEST(a_picture_is_read_back)
{
    char path[] = "/tmp/luna-picture-XXXXXX";
    struct picture p;
    png_image image = {.version = PNG_IMAGE_VERSION};
    uint8_t back[7 * 5 * 3];
    int fd = mkstemp(path);
    CHECK(fd >= 0 && picture_init(&p, 7, 5, 0x123456));
    close(fd);
    picture_box(&p, 3, 2, 2, 1, RED);
    CHECK(picture_write(&p, path) == 0);
    CHECK(png_image_begin_read_from_file(&image, path), "%s", image.message);
    unlink(path);
    CHECK(image.width == 7 && image.height == 5);
    image.format = PNG_FORMAT_RGB;
    CHECK(png_image_finish_read(&image, NULL, back, 0, NULL), "%s", image.message);
    CHECK(!memcmp(back, p.rgb, sizeof back));
    CHECK(picture_write(&p, "/tmp/no/such/folder/x.png") == ENOENT);
    picture_fini(&p);
}

TEST(marks_of_axes_are_round)
{
    static const struct {
        double max;
        int most;
        double step;
    } cases[] = {{10, 10, 1}, {11, 10, 2}, {1, 10, 0.1}, {7.6, 8, 1}, {8.1, 8, 2}, {3000, 8, 500},
                 {0.004, 10, 0.0005}, {99, 10, 10}, {501, 10, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double step = plot_step(cases[i].max, cases[i].most);
        CHECK(fabs(step - cases[i].step) < 1e-9, "%g: %g", cases[i].max, step);
    }
}

TEST(marks_of_a_logarithmic_axis_are_powers)
{
    double at[PLOT_MARKS];
    struct plot_axis few = {.max = 20, .min = 0.5, .scale = PLOT_LOG};
    CHECK(plot_marks(&few, 8, at) == 6, "0.5 1 2 5 10 20");
    CHECK(fabs(at[0] - 0.5) < 1e-9 && fabs(at[3] - 5) < 1e-9 && fabs(at[5] - 20) < 1e-9);
    struct plot_axis many = {.max = 1e6, .min = 0.1, .scale = PLOT_LOG};
    CHECK(plot_marks(&many, 8, at) == 8 && fabs(at[0] - 0.1) < 1e-9 && fabs(at[7] - 1e6) < 1);
    struct plot_axis bytes = {.max = 1 << 20, .min = 8, .scale = PLOT_LOG2};
    CHECK(plot_marks(&bytes, 10, at) == 9 && at[0] == 8 && at[1] == 32 && at[8] == 1 << 19);
}

/* In the middle of a curve whose band goes from a tenth to ten times of it. */
TEST(a_band_lies_around_its_curve)
{
    static const struct plot_point points[] = {{1, 10}, {100, 10}};
    static const struct plot_band bands[] = {{1, 100}, {1, 100}};
    struct plot_curve curve = {"c", points, 2, bands};
    struct plot_axis x = {"x", 100, {"B", 1}, PLOT_LOG, 1};
    struct plot_axis y = {"y", 1000, {"us", 1}, PLOT_LOG, .1};
    struct plot plot = {"t", x, y, &curve, 1};
    struct picture p;
    CHECK(plot_picture(&p, &plot));
    uint32_t line = picture_colour(0), pale = 0;
    int at = 507, lines = 0, bands_seen = 0, first = 0, last = 0;
    for (int row = 0; row < p.height; row++) lines += picture_at(&p, at, row) == line;
    for (int shift = 0; shift < 24; shift += 8)
        pale |= ((line >> shift & 255) + 3 * 255) / 4 << shift;
    for (int row = 0; row < p.height; row++)
        if (picture_at(&p, at, row) == pale) {
            if (!bands_seen++) first = row;
            last = row;
        }
    picture_fini(&p);
    CHECK(lines >= 1, "the curve is drawn over its band");
    CHECK(abs(first - 172) < 2 && abs(last - 416) < 2, "from %d to %d", first, last);
}

TEST_MAIN(T(boxes_are_cut_at_the_edges), T(lines_are_as_thick_as_asked),
          T(letters_have_eight_rows_of_five), T(words_are_as_wide_as_told),
          T(near_nodes_have_other_colours), T(a_picture_is_read_back), T(marks_of_axes_are_round),
          T(marks_of_a_logarithmic_axis_are_powers), T(a_band_lies_around_its_curve))
