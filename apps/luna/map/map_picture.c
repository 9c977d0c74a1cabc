/* map_picture.c - the map as a picture: a colour per node, borders between domains, each with its
 * number where that fits, indices along the edges, and a legend. With a rope, the curve along which
 * the cells lie.
 *
 *       title
 *     0 +-------+-----+   # 0
 *       |   0   |  1  |   # 1
 *     2 +-------+-----+   ...        (planes of three indices beside and below each other)
 *       0   2   4   6 */
#include "apps/luna/map/map.h"

#include "apps/luna/draw/picture.h"
#include "distrib/hilbert.h"

#include <math.h>
#include <string.h>

enum {
    MARGIN = 16,
    AIM = 960,         /* pixels across, as the size of cells allows */
    SIDE_MIN = 4,      /* of a cell, so that borders can be drawn ... */
    SIDE_MAX = 48,     /* (numbers fit well) */
    ACROSS_MAX = 4096, /* ... unless the picture gets larger than this */
    STRIP = 48,        /* height of cells that lie on a line */
    LEGEND_NODES = 64,
    LEGEND_ROW = 20,
    LEGEND_SIGN = 14,
    LEGEND_COLUMN = 64,
    AXIS_GAP = 4, /* between a plane and its indices */
    CURVE_SIDE_MIN = 6
};
#define NOBODYS 0xe4e4e4u
#define DARK 0x202020u

struct sheet {
    struct picture *p;
    const struct owners *o;
    struct map_page page;
    int width, height; /* of a cell, in pixels */
    int across, down;  /* planes beside, and below each other */
    int left, top;     /* of the first plane */
    int caption;       /* height of the line over a plane */
    int coarse;        /* a cell stands for so many to each side */
    bool curve;
};

struct spot { /* upper left corner of a plane */
    int x, y;
};

static struct spot
spot_of(const struct sheet *s, int plane)
{
    int step_x = s->page.columns * s->width + MARGIN;
    int step_y = s->page.rows * s->height + MARGIN + s->caption;
    return (struct spot){s->left + plane % s->across * step_x,
                         s->top + s->caption + plane / s->across * step_y};
}

static int32_t
owner_at(const struct sheet *s, int plane, int row, int column)
{
    return s->o->of[map_cell(&s->page, plane, row, column)];
}

static uint32_t
colour_at(int32_t node)
{
    return node == OWNERS_NONE ? NOBODYS : picture_colour((unsigned)node);
}

static uint32_t
darker(uint32_t colour)
{
    return (colour >> 1 & 0x7f7f7f) + (colour >> 2 & 0x3f3f3f) + (colour >> 3 & 0x1f1f1f);
}

/* ---- a plane ---- */

/* Thin lines tell cells of one node apart. */
static void
draw_cells(const struct sheet *s, int plane)
{
    struct spot at = spot_of(s, plane);
    for (int row = 0; row < s->page.rows; row++)
        for (int column = 0; column < s->page.columns; column++) {
            uint32_t colour = colour_at(owner_at(s, plane, row, column));
            int x = at.x + column * s->width, y = at.y + row * s->height;
            picture_box(s->p, x, y, s->width, s->height, colour);
            if (s->width < 8) continue;
            picture_box(s->p, x, y + s->height - 1, s->width, 1, darker(colour));
            picture_box(s->p, x + s->width - 1, y, 1, s->height, darker(colour));
        }
}

/* Do two nodes meet between this cell and the one d_row above, or d_column left of it? Around the
 * plane they do, so that it has a frame. */
static bool
is_border(const struct sheet *s, int plane, int row, int column, int d_row, int d_column)
{
    int last = d_row ? s->page.rows : s->page.columns, at = d_row ? row : column;
    if (!at || at == last) return true;
    return owner_at(s, plane, row, column) != owner_at(s, plane, row - d_row, column - d_column);
}

static void
draw_borders(const struct sheet *s, int plane)
{
    struct spot at = spot_of(s, plane);
    int thick = s->width >= 8 ? 2 : 1, half = thick / 2;
    if (s->width < 3) return;
    for (int row = 0; row <= s->page.rows; row++)
        for (int column = 0; column <= s->page.columns; column++) {
            int x = at.x + column * s->width, y = at.y + row * s->height;
            if (column < s->page.columns && is_border(s, plane, row, column, 1, 0))
                picture_box(s->p, x - half, y - half, s->width + thick, thick, DARK);
            if (row < s->page.rows && is_border(s, plane, row, column, 0, 1))
                picture_box(s->p, x - half, y - half, thick, s->height + thick, DARK);
        }
}

/* ---- the curve of a rope ---- */

/* From the middle of a cell to that of the next, as long as the plane is the same. */
static void
draw_curve(const struct sheet *s)
{
    struct hilbert h;
    const struct lattice *cells = &s->o->cells;
    hilbert_init(&h, cells);
    uint32_t n = lattice_size(cells), per_plane = n / (uint32_t)s->page.planes;
    uint32_t columns = (uint32_t)s->page.columns, last_plane = 0;
    double last_x = 0, last_y = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t cell = lattice_number(cells, hilbert_point(&h, i).at), plane = cell / per_plane;
        struct spot at = spot_of(s, (int)plane);
        double x = at.x + (cell % per_plane % columns + 0.5) * s->width;
        double y = at.y + (cell % per_plane / columns + 0.5) * s->height;
        if (i && plane == last_plane) picture_line(s->p, last_x, last_y, x, y, 1, DARK);
        last_plane = plane;
        last_x = x;
        last_y = y;
    }
}

/* ---- indices along the edges ---- */

/* Every so many are written: a round number for which there is room. */
static int
axis_step(int pixels, int room)
{
    for (int step = 1;; step *= 10)
        for (int k = 1; k <= 5; k = k == 1 ? 2 : k + 3)
            if (step * k * pixels >= room) return step * k;
}

static int
index_width(const struct sheet *s, int cells, char *text, size_t size)
{
    snprintf(text, size, "%d", cells * s->coarse);
    return picture_text_width(text, 1);
}

static void
draw_rows(const struct sheet *s, int plane)
{
    char text[16];
    struct spot at = spot_of(s, plane);
    int step = axis_step(s->height, 2 * LETTER_HEIGHT);
    for (int row = 0; row < s->page.rows; row += step) {
        int width = index_width(s, row, text, sizeof text);
        int y = at.y + row * s->height + (s->height - LETTER_HEIGHT) / 2;
        picture_text(s->p, at.x - AXIS_GAP - width, y, 1, PICTURE_BLACK, text);
    }
}

static void
draw_columns(const struct sheet *s, int plane)
{
    char text[16];
    struct spot at = spot_of(s, plane);
    int y = at.y + s->page.rows * s->height + AXIS_GAP;
    int step = axis_step(s->width, index_width(s, s->page.columns, text, sizeof text) + 12);
    for (int column = 0; column < s->page.columns; column += step) {
        int width = index_width(s, column, text, sizeof text);
        int x = at.x + column * s->width + (s->width - width) / 2;
        picture_text(s->p, x, y, 1, PICTURE_BLACK, text);
    }
}

/* On the left of the first planes of a line, below the last of a column. One index has no rows. */
static void
draw_axes(const struct sheet *s)
{
    for (int plane = 0; plane < s->page.planes; plane++) {
        if (s->o->cells.ndims > 1 && plane % s->across == 0) draw_rows(s, plane);
        if (plane + s->across >= s->page.planes) draw_columns(s, plane);
    }
}

/* ---- numbers of nodes ---- */

struct middle { /* of the cells of a node in a plane */
    double row, column; /* sums */
    double far;         /* 1 more than the distance of the nearest cell so far; 0: none yet */
    int cells, best_row, best_column;
};

static struct middle *
find_middles(const struct sheet *s, struct arena *a, int plane)
{
    struct middle *all = arena_array(a, struct middle, s->o->nodes);
    int n = s->page.rows * s->page.columns;
    for (int i = 0; i < n; i++) {
        int row = i / s->page.columns, column = i % s->page.columns;
        int32_t node = owner_at(s, plane, row, column);
        if (node == OWNERS_NONE) continue;
        all[node].row += row;
        all[node].column += column;
        all[node].cells++;
    }
    for (int i = 0; i < n; i++) {
        int row = i / s->page.columns, column = i % s->page.columns;
        int32_t node = owner_at(s, plane, row, column);
        if (node == OWNERS_NONE) continue;
        struct middle *m = &all[node];
        double far = hypot(row - m->row / m->cells, column - m->column / m->cells);
        if (m->far > 0 && far + 1 >= m->far) continue;
        *m = (struct middle){m->row, m->column, far + 1, m->cells, row, column};
    }
    return all;
}

/* How many cells of the same node follow in this direction, and in the other one too. */
static int
room_beside(const struct sheet *s, int plane, const struct middle *m, int d_row, int d_column)
{
    int32_t node = owner_at(s, plane, m->best_row, m->best_column);
    for (int n = 1;; n++)
        for (int sign = -1; sign <= 1; sign += 2) {
            int row = m->best_row + sign * n * d_row, column = m->best_column + sign * n * d_column;
            bool inside = row >= 0 && row < s->page.rows && column >= 0 && column < s->page.columns;
            if (!inside || owner_at(s, plane, row, column) != node) return n - 1;
        }
}

static void
draw_number(const struct sheet *s, int plane, int node, const struct middle *m)
{
    char text[16];
    struct spot at = spot_of(s, plane);
    int width = (2 * room_beside(s, plane, m, 0, 1) + 1) * s->width - 4;
    int height = (2 * room_beside(s, plane, m, 1, 0) + 1) * s->height - 4;
    double row = m->best_row, column = m->best_column;
    if (m->far < 1.8) { /* 1 more than the distance: the very middle is in the domain too */
        row = m->row / m->cells;
        column = m->column / m->cells;
    }
    int x = at.x + (int)((column + 0.5) * s->width), y = at.y + (int)((row + 0.5) * s->height);
    snprintf(text, sizeof text, "%d", node);
    int zoom = 3;
    while (zoom && (picture_text_width(text, zoom) > width || 7 * zoom > height)) zoom--;
    if (!zoom) return; /* the legend tells */
    picture_text(s->p, x - picture_text_width(text, zoom) / 2, y - 7 * zoom / 2, zoom,
                 picture_ink(colour_at(node)), text);
}

static void
draw_numbers(const struct sheet *s, struct arena *a, int plane)
{
    const struct middle *m = find_middles(s, a, plane);
    for (unsigned i = 0; i < s->o->nodes; i++)
        if (m[i].cells) draw_number(s, plane, (int)i, &m[i]);
    if (!s->caption) return;
    char text[32];
    struct spot at = spot_of(s, plane);
    snprintf(text, sizeof text, "plane %d", plane);
    picture_text(s->p, at.x, at.y - LETTER_LINE, 1, PICTURE_BLACK, text);
}

/* ---- the sheet ---- */

static int
at_most(int x, int max)
{
    return x < max ? x : max;
}

static int
at_least(int x, int min)
{
    return x > min ? x : min;
}

/* Cells in a row of the sheet, or in a column, whichever are more. */
static int
cells_across(const struct owners *o)
{
    struct map_page m = map_page(&o->cells);
    int beside = (int)ceil(sqrt(m.planes));
    int below = (m.planes + beside - 1) / beside;
    return at_least(beside * m.columns, below * m.rows);
}

static void
lay_out(struct sheet *s, const struct owners *o)
{
    int cells = cells_across(o);
    int side = at_most(at_least(AIM / cells, SIDE_MIN), SIDE_MAX);
    *s = (struct sheet){.o = o, .page = map_page(&o->cells), .coarse = 1};
    if (side * cells > ACROSS_MAX) side = at_least(ACROSS_MAX / cells, 1);
    s->width = s->height = side;
    if (o->cells.ndims == 1) s->height = at_least(side, STRIP);
    s->across = (int)ceil(sqrt(s->page.planes));
    s->down = (s->page.planes + s->across - 1) / s->across;
    s->caption = o->cells.ndims == 3 ? LETTER_LINE + 2 : 0;
    s->top = 2 * MARGIN + 2 * LETTER_HEIGHT;
}

/* The indices of rows stand in the margin, which may have to be wider for them. */
static void
lay_out_axes(struct sheet *s, int coarse)
{
    char text[16];
    s->coarse = coarse;
    s->left = at_least(MARGIN, index_width(s, s->page.rows - 1, text, sizeof text) + 2 * AXIS_GAP);
}

static void
draw_legend(const struct sheet *s, int left, int rows)
{
    char text[16];
    for (unsigned i = 0; i < s->o->nodes; i++) {
        int x = left + (int)i / rows * LEGEND_COLUMN, y = s->top + (int)i % rows * LEGEND_ROW;
        picture_box(s->p, x, y, LEGEND_SIGN, LEGEND_SIGN, DARK);
        picture_box(s->p, x + 1, y + 1, LEGEND_SIGN - 2, LEGEND_SIGN - 2, picture_colour(i));
        snprintf(text, sizeof text, "%u", i);
        picture_text(s->p, x + LEGEND_SIGN + 6, y, 2, PICTURE_BLACK, text);
    }
}

bool
map_picture(struct picture *out, struct arena *a, const struct owners *o, const char *title,
            bool curve)
{
    struct sheet s;
    int coarse = (cells_across(o) + ACROSS_MAX - 1) / ACROSS_MAX;
    if (coarse > 1) o = owners_shrink(a, o, coarse);
    lay_out(&s, o);
    lay_out_axes(&s, coarse);
    s.curve = curve && coarse == 1 && o->cells.ndims > 1 && s.width >= CURVE_SIDE_MIN;
    int right = s.left + s.across * (s.page.columns * s.width + MARGIN);
    int height = s.top + s.down * (s.page.rows * s.height + MARGIN + s.caption);
    int legend = right, rows = 1;
    if (o->nodes <= LEGEND_NODES) {
        rows = at_least((height - s.top - MARGIN) / LEGEND_ROW, 8);
        right += ((int)o->nodes + rows - 1) / rows * LEGEND_COLUMN;
        height = at_least(height, s.top + at_most(rows, (int)o->nodes) * LEGEND_ROW + MARGIN);
    }
    int width = at_least(right, picture_text_width(title, 2) + 2 * MARGIN);
    if (!picture_init(out, width, height, PICTURE_WHITE)) return false;
    s.p = out;
    picture_text(out, MARGIN, MARGIN, 2, PICTURE_BLACK, title);
    for (int plane = 0; plane < s.page.planes; plane++) {
        draw_cells(&s, plane);
        draw_borders(&s, plane);
    }
    if (s.curve) draw_curve(&s);
    draw_axes(&s);
    for (int plane = 0; plane < s.page.planes; plane++) draw_numbers(&s, a, plane);
    if (o->nodes <= LEGEND_NODES) draw_legend(&s, legend, rows);
    return true;
}
