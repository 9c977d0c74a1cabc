/* plot.c - see plot.h. */
#include "apps/luna/draw/plot.h"

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
    LEGEND_COLUMN = 140 /* at least */
};
#define GRID 0xe0e0e0u

struct sheet {
    struct picture *p;
    const struct plot *plot;
    int legend; /* width of a column */
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

/* ---- where a value is ---- */

static int
linear_marks(const struct plot_axis *a, int most, double at[PLOT_MARKS])
{
    double max = a->max / a->unit.one, step = plot_step(max > 0 ? max : 1, most);
    int n = 0;
    for (; n < PLOT_MARKS && n * step <= max * (1 + 1e-9); n++) at[n] = n * step * a->unit.one;
    return n;
}

/* Powers of `base`, or of ten times 1, 2 and 5 when there are few. */
static int
log_marks(const struct plot_axis *a, int most, double at[PLOT_MARKS])
{
    double base = a->scale == PLOT_LOG2 ? 2 : 10;
    int first = (int)ceil(log(a->min) / log(base) - 1e-9), n = 0;
    int last = (int)floor(log(a->max) / log(base) + 1e-9);
    int step = (last - first) / most + 1;
    bool few = base > 2 && 3 * (last - first + 1) <= most;
    static const double times[] = {1, 2, 5};
    for (int e = first - few; e <= last; e += step)
        for (int k = 0; k < (few ? 3 : 1) && n < PLOT_MARKS; k++) {
            at[n] = pow(base, e) * times[k];
            n += at[n] >= a->min * (1 - 1e-9) && at[n] <= a->max * (1 + 1e-9);
        }
    return n;
}

int
plot_marks(const struct plot_axis *a, int most, double at[PLOT_MARKS])
{
    return a->scale == PLOT_LINEAR ? linear_marks(a, most, at) : log_marks(a, most, at);
}

/* 0 at the begin of the axis, 1 at its end. */
static double
share_of(const struct plot_axis *a, double v)
{
    if (a->scale == PLOT_LINEAR) return v / (a->max > 0 ? a->max : 1);
    if (!(v > a->min)) return 0;
    double share = log(v / a->min) / log(a->max / a->min);
    return share < 1 ? share : 1;
}

static double
x_of(const struct sheet *s, double x)
{
    return LEFT + share_of(&s->plot->x, x) * (WIDTH - LEFT - RIGHT);
}

static double
y_of(const struct sheet *s, double y)
{
    return HEIGHT - BOTTOM - share_of(&s->plot->y, y) * (HEIGHT - TOP - BOTTOM);
}

/* ---- axes ---- */

static void
middle_text(const struct sheet *s, int x, int y, const char *text)
{
    picture_text(s->p, x - picture_text_width(text, 2) / 2, y, 2, PICTURE_BLACK, text);
}

/* Sizes on a scale of powers of two have each a unit of their own. */
static void
mark_text(const struct plot_axis *a, double v, char *text, size_t size)
{
    struct amount_unit u = a->scale == PLOT_LOG2 ? amount_unit_of_bytes(v) : a->unit;
    bool named = a->scale == PLOT_LOG2 && u.one > 1;
    snprintf(text, size, "%g%.2s", v / u.one, named ? u.name : "");
}

static void
axis_text(const struct plot_axis *a, char *text, size_t size)
{
    if (a->unit.name) snprintf(text, size, "%s, %s", a->label, a->unit.name);
    else snprintf(text, size, "%s", a->label);
}

static void
draw_x_axis(const struct sheet *s)
{
    double at[PLOT_MARKS];
    int n = plot_marks(&s->plot->x, MARKS_X, at);
    char text[64];
    for (int i = 0; i < n; i++) {
        int x = (int)lrint(x_of(s, at[i]));
        picture_box(s->p, x, TOP, 1, HEIGHT - TOP - BOTTOM, GRID);
        mark_text(&s->plot->x, at[i], text, sizeof text);
        middle_text(s, x, HEIGHT - BOTTOM + 8, text);
    }
    axis_text(&s->plot->x, text, sizeof text);
    middle_text(s, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 34, text);
}

static void
draw_y_axis(const struct sheet *s)
{
    double at[PLOT_MARKS];
    int n = plot_marks(&s->plot->y, MARKS_Y, at);
    char text[64];
    for (int i = 0; i < n; i++) {
        int y = (int)lrint(y_of(s, at[i]));
        picture_box(s->p, LEFT, y, WIDTH - LEFT - RIGHT, 1, GRID);
        mark_text(&s->plot->y, at[i], text, sizeof text);
        picture_text(s->p, LEFT - 8 - picture_text_width(text, 2), y - LETTER_HEIGHT + 1, 2,
                     PICTURE_BLACK, text);
    }
    axis_text(&s->plot->y, text, sizeof text);
    picture_text(s->p, 8, TOP - 26, 2, PICTURE_BLACK, text);
}

static void
draw_frame(const struct sheet *s)
{
    picture_box(s->p, LEFT, TOP, 2, HEIGHT - TOP - BOTTOM, PICTURE_BLACK);
    picture_box(s->p, LEFT, HEIGHT - BOTTOM, WIDTH - LEFT - RIGHT, 2, PICTURE_BLACK);
}

/* ---- curves ---- */

static uint32_t
pale(uint32_t colour)
{
    uint32_t out = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        uint32_t part = colour >> shift & 255;
        out |= (part + 3 * 255) / 4 << shift;
    }
    return out;
}

static void
draw_band(const struct sheet *s, unsigned i)
{
    const struct plot_curve *c = &s->plot->curves[i];
    for (size_t k = 1; c->bands && k < c->n; k++) {
        double x0 = x_of(s, c->points[k - 1].x), x1 = x_of(s, c->points[k].x);
        double top0 = y_of(s, c->bands[k - 1].high), top1 = y_of(s, c->bands[k].high);
        double end0 = y_of(s, c->bands[k - 1].low), end1 = y_of(s, c->bands[k].low);
        for (int x = (int)lrint(x0); x < (int)lrint(x1); x++) {
            double t = (x - x0) / (x1 - x0);
            int top = (int)lrint(top0 + t * (top1 - top0));
            int end = (int)lrint(end0 + t * (end1 - end0));
            picture_box(s->p, x, top, 1, end - top, pale(picture_colour(i)));
        }
    }
}

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
        int x = WIDTH + (int)i / LEGEND_ROWS * s->legend;
        int y = TOP + (int)i % LEGEND_ROWS * LEGEND_ROW;
        picture_box(s->p, x, y + 5, LEGEND_LINE, 4, picture_colour(i));
        picture_text(s->p, x + LEGEND_LINE + 8, y, 2, PICTURE_BLACK, s->plot->curves[i].name);
    }
}

static int
legend_width(const struct plot *plot)
{
    int most = LEGEND_COLUMN;
    for (unsigned i = 0; i < plot->n && plot->n <= LEGEND_CURVES; i++) {
        int width = LEGEND_LINE + 16 + picture_text_width(plot->curves[i].name, 2);
        if (width > most) most = width;
    }
    return most;
}

bool
plot_picture(struct picture *out, const struct plot *plot)
{
    bool wide = plot->n > LEGEND_ROWS && plot->n <= LEGEND_CURVES;
    struct sheet s = {out, plot, legend_width(plot)};
    int width = WIDTH + (wide ? 2 : 1) * s.legend;
    if (!picture_init(out, width, HEIGHT, PICTURE_WHITE)) return false;
    draw_x_axis(&s);
    draw_y_axis(&s);
    for (unsigned i = 0; i < plot->n; i++) draw_band(&s, i);
    for (unsigned i = 0; i < plot->n; i++) draw_curve(&s, i);
    draw_frame(&s);
    draw_legend(&s);
    middle_text(&s, (LEFT + WIDTH - RIGHT) / 2, 10, plot->title);
    return true;
}
