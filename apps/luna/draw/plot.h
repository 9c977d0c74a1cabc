/* plot.h - curves over time or size, with axes and a legend, as a picture. */
#ifndef LUNA_APPS_PLOT_H
#define LUNA_APPS_PLOT_H

#include "apps/luna/draw/picture.h"
#include "runtime/base/amount.h"

#include <stddef.h>

struct plot_point {
    double x, y; /* not negative */
};

struct plot_band { /* from where to where the truth of a point may lie */
    double low, high;
};

struct plot_curve { /* its colour is picture_colour() of its index */
    const char *name;
    const struct plot_point *points; /* by ascending x */
    size_t n;
    const struct plot_band *bands; /* of each point; NULL: none */
};

enum plot_scale { PLOT_LINEAR, PLOT_LOG, PLOT_LOG2 }; /* LOG2: marks are powers of two */

struct plot_axis {
    const char *label; /* without its unit */
    double max;        /* at least 0; what lies beyond is not drawn */
    struct amount_unit unit;
    enum plot_scale scale;
    double min;        /* of a logarithmic one, above 0; it begins here */
};

struct plot {
    const char *title;
    struct plot_axis x, y;
    const struct plot_curve *curves;
    unsigned n;
};

/* A new picture. False: out of memory. */
bool plot_picture(struct picture *out, const struct plot *plot);

/* The step between the marks of an axis, so that there are at most `most` of them: 1, 2 or 5 times
 * a power of ten. */
double plot_step(double max, int most);

/* Where the marks of an axis are, at most about `most`; gives how many. */
enum { PLOT_MARKS = 64 };
int plot_marks(const struct plot_axis *a, int most, double at[PLOT_MARKS]);

#endif
