/* plot.c - see plot.h. */
#include "apps/luna/plot.h"

#include <math.h>
#include <stdio.h>

enum {
    WIDTH = 1000, /* of all but the legend */
    HEIGHT = 600,
    LEFT = 90,
    RIGHT = 20,
    TOP = 50,
    BOTTOM = 60,
    MARKS_X = 10,
    MARKS_Y = 8,
    LEGEND_ROW = 20,
    LEGEND_ROWS = (HEIGHT - TOP - BOTTOM) / LEGEND_ROW,
    LEGEND_CURVES = 2 * LEGEND_ROWS,
    LEGEND_LINE = 24, /* length of the piece of curve there */
    LEGEND_COLUMN = 140
};
#define GRID 0xe0e0e0u

struct sheet {
    struct picture *p;
    const struct plot *plot;
    double per_x, per_y; /* pixels */
};

double
plot_step(double max, int most)
{
    double step = pow(10, floor(log10(max / most)));
    static const double times[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++)
        if (max / (step * times[i]) <= most + 1e-9) return step * times[i];
    return step * 10;
}

static double
x_of(const struct sheet *s, double x)
{
    return LEFT + x * s->per_x;
}

static double
y_of(const struct sheet *s, double y)
{
    return HEIGHT - BOTTOM - y * s->per_y;
}

/* ---- axes ---- */

static void
middle_text(const struct sheet *s, int x, int y, const char *text)
{
    picture_text(s->p, x - picture_text_width(text, 2) / 2, y, 2, PICTURE_BLACK, text);
}

static void
draw_x_axis(const struct sheet *s)
{
    const struct plot_axis *a = &s->plot->x;
    double max = a->max / a->unit.one, step = plot_step(max > 0 ? max : 1, MARKS_X);
    char text[64];
    for (int i = 0; i * step <= max * (1 + 1e-9); i++) {
        int x = (int)lrint(x_of(s, i * step * a->unit.one));
        picture_box(s->p, x, TOP, 1, HEIGHT - TOP - BOTTOM, GRID);
        snprintf(text, sizeof text, "%g", i * step);
        middle_text(s, x, HEIGHT - BOTTOM + 8, text);
    }
    snprintf(text, sizeof text, "%s, %s", a->label, a->unit.name);
    middle_text(s, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 34, text);
}

static void
draw_y_axis(const struct sheet *s)
{
    const struct plot_axis *a = &s->plot->y;
    double max = a->max / a->unit.one, step = plot_step(max > 0 ? max : 1, MARKS_Y);
    char text[64];
    for (int i = 0; i * step <= max * (1 + 1e-9); i++) {
        int y = (int)lrint(y_of(s, i * step * a->unit.one));
        picture_box(s->p, LEFT, y, WIDTH - LEFT - RIGHT, 1, GRID);
        snprintf(text, sizeof text, "%g", i * step);
        picture_text(s->p, LEFT - 8 - picture_text_width(text, 2), y - LETTER_HEIGHT + 1, 2,
                     PICTURE_BLACK, text);
    }
    snprintf(text, sizeof text, "%s, %s", a->label, a->unit.name);
    picture_text(s->p, 8, TOP - 26, 2, PICTURE_BLACK, text);
}

static void
draw_frame(const struct sheet *s)
{
    picture_box(s->p, LEFT, TOP, 2, HEIGHT - TOP - BOTTOM, PICTURE_BLACK);
    picture_box(s->p, LEFT, HEIGHT - BOTTOM, WIDTH - LEFT - RIGHT, 2, PICTURE_BLACK);
}

/* ---- curves ---- */

static void
draw_curve(const struct sheet *s, unsigned i)
{
    const struct plot_curve *c = &s->plot->curves[i];
    for (size_t k = c->n > 1; k < c->n; k++) {
        const struct plot_point *from = &c->points[k ? k - 1 : 0], *to = &c->points[k];
        if (to->x > s->plot->x.max) return;
        picture_line(s->p, x_of(s, from->x), y_of(s, from->y), x_of(s, to->x), y_of(s, to->y), 2,
                     picture_colour(i));
    }
}

/* A few curves have names; many are told by their number. */
static void
draw_legend(const struct sheet *s)
{
    char text[64];
    if (s->plot->n > LEGEND_CURVES) {
        snprintf(text, sizeof text, "%u curves", s->plot->n);
        picture_text(s->p, WIDTH, TOP, 2, PICTURE_BLACK, text);
        return;
    }
    for (unsigned i = 0; i < s->plot->n; i++) {
        int x = WIDTH + (int)i / LEGEND_ROWS * LEGEND_COLUMN;
        int y = TOP + (int)i % LEGEND_ROWS * LEGEND_ROW;
        picture_box(s->p, x, y + 5, LEGEND_LINE, 4, picture_colour(i));
        picture_text(s->p, x + LEGEND_LINE + 8, y, 2, PICTURE_BLACK, s->plot->curves[i].name);
    }
}

bool
plot_picture(struct picture *out, const struct plot *plot)
{
    bool wide = plot->n > LEGEND_ROWS && plot->n <= LEGEND_CURVES;
    int width = WIDTH + (wide ? 2 : 1) * LEGEND_COLUMN;
    if (!picture_init(out, width, HEIGHT, PICTURE_WHITE)) return false;
    struct sheet s = {out, plot, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM};
    s.per_x /= plot->x.max > 0 ? plot->x.max : 1;
    s.per_y /= plot->y.max > 0 ? plot->y.max : 1;
    draw_x_axis(&s);
    draw_y_axis(&s);
    for (unsigned i = 0; i < plot->n; i++) draw_curve(&s, i);
    draw_frame(&s);
    draw_legend(&s);
    middle_text(&s, (LEFT + WIDTH - RIGHT) / 2, 10, plot->title);
    return true;
}
