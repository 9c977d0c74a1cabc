/* pic2d.c - what the cells of pic2d.fa do.
 *
 * Lengths are in points of the grid, the speed of light is 1. A cell has side x side points. Point
 * (i, j) of a cell has Ex to its right, Ey above it and B in the middle of the square, as in Yee's
 * scheme; what lies beyond the last point belongs to the neighbours and is lent by them.
 *
 *      +--Ex--+            E of a square that a particle is in acts on the particle: Ex by how far
 *      |      |            up it is, Ey by how far right. The current it leaves behind is spread in
 *      Ey  B  Ey           the same way, on a path of one or two straight pieces, each within one
 *      |      |            square. Then div E = charge, spread with bilinear weights, holds for
 *      +--Ex--+            ever if it holds at the start: this is Gauss's law, and is checked.
 *
 * The walls conduct. Particles turn back one point before them. */
#include <luna.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DT 0.5 /* light crosses half a square */

struct particle {
    double x, y, ux, uy; /* u: momentum by mass, half a step behind x */
    double sign;         /* of its charge */
};

struct cell {
    int cells, side, i, j;
    int x0, y0, last; /* of its first point; the far walls are at `last` */
    double charge;    /* of a particle, and its mass */
};

static struct cell
cell_at(int cells, int side, int pairs, int i, int j)
{
    if (side < 2 || cells * side < 16 || pairs < 0)
        luna_fail("SIDE must be at least 2, CELLS*SIDE 16, and PAIRS 0; not %d, %d, %d", side,
                  cells * side, pairs);
    struct cell c = {cells, side, i, j, i * side, j * side, cells * side, 0};
    double area = (double)(c.last / 4) * (c.last / 4);
    if (pairs) c.charge = 0.02 * area / pairs; /* in the cloud the plasma frequency is 0.2 */
    return c;
}

/* ---- fields ---- */

struct fields { /* side x side of each, row by row: y, then x */
    double *ex, *ey, *b;
};

static struct fields
fields_in(const struct cell *c, void *data)
{
    size_t n = (size_t)c->side * (size_t)c->side;
    double *at = data;
    return (struct fields){at, at + n, at + 2 * n};
}

static size_t
fields_bytes(const struct cell *c)
{
    return 3 * sizeof(double) * (size_t)c->side * (size_t)c->side;
}

static inline size_t
point(const struct cell *c, int x, int y)
{
    return (size_t)y * (size_t)c->side + (size_t)x;
}

/* What the neighbours to the right and above lend: Ey of their first column, Ex of their first row.
 * NULL: a wall, along which E is 0. */
struct lent {
    const double *ey, *ex;
};

static struct lent
lent_by(const struct cell *c, const luna_df *right, const luna_df *above)
{
    return (struct lent){c->i < c->cells - 1 ? luna_data(right) : NULL,
                         c->j < c->cells - 1 ? luna_data(above) : NULL};
}

static inline double
ex_at(const struct cell *c, const struct fields *f, const struct lent *l, int x, int y)
{
    return y < c->side ? f->ex[point(c, x, y)] : l->ex ? l->ex[x] : 0;
}

static inline double
ey_at(const struct cell *c, const struct fields *f, const struct lent *l, int x, int y)
{
    return x < c->side ? f->ey[point(c, x, y)] : l->ey ? l->ey[y] : 0;
}

static void
advance_b(const struct cell *c, const struct fields *f, const struct lent *l, double dt, double *b)
{
    for (int y = 0; y < c->side; y++)
        for (int x = 0; x < c->side; x++) {
            double up = ex_at(c, f, l, x, y + 1) - ex_at(c, f, l, x, y);
            double right = ey_at(c, f, l, x + 1, y) - ey_at(c, f, l, x, y);
            b[point(c, x, y)] = f->b[point(c, x, y)] + dt * (up - right);
        }
}

/* ---- the current ----
 *
 * Particles that leave a cell leave current beyond its border: an array has a margin of one point
 * below and left of the cell, two points above and right. */

struct current {
    double *x, *y;
};

static inline int
current_side(const struct cell *c)
{
    return c->side + 3;
}

static size_t
current_bytes(const struct cell *c)
{
    return 2 * sizeof(double) * (size_t)current_side(c) * (size_t)current_side(c);
}

static struct current
current_in(const struct cell *c, void *data)
{
    double *at = data;
    return (struct current){at, at + current_side(c) * current_side(c)};
}

static inline size_t
current_point(const struct cell *c, int x, int y)
{
    return (size_t)(y + 1) * (size_t)current_side(c) + (size_t)(x + 1);
}

/* A straight piece of a path within square (sx, sy) of the grid. */
static void
leave_current(const struct cell *c, struct current *j, double q, int sx, int sy, double x1,
              double y1, double x2, double y2)
{
    double right = (x1 + x2) / 2 - sx, up = (y1 + y2) / 2 - sy;
    double jx = q * (x2 - x1) / DT, jy = q * (y2 - y1) / DT;
    size_t at = current_point(c, sx - c->x0, sy - c->y0), above = at + (size_t)current_side(c);
    j->x[at] += jx * (1 - up);
    j->x[above] += jx * up;
    j->y[at] += jy * (1 - right);
    j->y[at + 1] += jy * right;
}

/* Where a path from a to b goes from its first square to its second, along one dimension: on the
 * border between them, or half way if there is none. */
static inline double
relay(double a, double b)
{
    double low = fmin(floor(a), floor(b)) + 1, high = fmax(floor(a), floor(b));
    return fmin(low, fmax(high, (a + b) / 2));
}

static void
leave_path(const struct cell *c, struct current *j, const struct particle *from,
           const struct particle *to)
{
    double q = c->charge * from->sign, x = relay(from->x, to->x), y = relay(from->y, to->y);
    leave_current(c, j, q, (int)from->x, (int)from->y, from->x, from->y, x, y);
    leave_current(c, j, q, (int)to->x, (int)to->y, x, y, to->x, to->y);
}

/* ---- particles ---- */

static inline double
stretch(const struct particle *p) /* the factor of Lorentz */
{
    return sqrt(1 + p->ux * p->ux + p->uy * p->uy);
}

/* Half a step of E on a particle of this cell. */
static inline void
kick(const struct cell *c, const struct fields *f, const struct lent *l, struct particle *p)
{
    int x = (int)p->x - c->x0, y = (int)p->y - c->y0;
    double right = p->x - (int)p->x, up = p->y - (int)p->y, by = p->sign * DT / 2;
    p->ux += by * (ex_at(c, f, l, x, y) * (1 - up) + ex_at(c, f, l, x, y + 1) * up);
    p->uy += by * (ey_at(c, f, l, x, y) * (1 - right) + ey_at(c, f, l, x + 1, y) * right);
}

static inline void
turn(double b, struct particle *p)
{
    double t = p->sign * b * DT / 2 / stretch(p), s = 2 * t / (1 + t * t);
    double ux = p->ux + p->uy * t, uy = p->uy - p->ux * t;
    p->ux += uy * s;
    p->uy -= ux * s;
}

/* A particle that would come too near to a wall turns back before it moves. */
static inline double
step_along(double x, double *u, double factor, int last)
{
    double to = x + *u / factor * DT;
    if (to >= 1 && to <= last - 1) return to;
    *u = -*u;
    return x + *u / factor * DT;
}

static inline void
move(const struct cell *c, struct particle *p)
{
    double factor = stretch(p);
    p->x = step_along(p->x, &p->ux, factor, c->last);
    p->y = step_along(p->y, &p->uy, factor, c->last);
}

/* ---- packets ----
 *
 * What a cell sends in each of nine directions, of which the middle one is to itself: B of the
 * points there that are needed (the last column to the right, the last row above, all of it in the
 * middle); the current left there, behind a word that tells whether there is any; the particles
 * that are there now. What would be without any of it is empty, and so is what would go through a
 * wall. */

enum { DIRECTIONS = 9, HERE = 4, ABOVE = 5, RIGHT = 7 }; /* (dx, dy) is 3*(dx + 1) + dy + 1 */

struct packet {
    int64_t has_current;
    const double *b, *current;
    const struct particle *particles;
    size_t count;
};

struct span { /* of points along one dimension */
    int from, size;
};

/* The points beyond the border in direction d, for the cell they are sent from, */
static struct span
span_beyond(const struct cell *c, int d)
{
    return d < 0 ? (struct span){-1, 1} : (struct span){d ? c->side : 0, d ? 2 : c->side};
}

/* and for the one they are sent to. */
static struct span
span_within(const struct cell *c, int d)
{
    return d < 0 ? (struct span){c->side - 1, 1} : (struct span){0, d ? 2 : c->side};
}

static size_t
current_values(const struct cell *c, int d)
{
    return 2 * (size_t)span_beyond(c, d / 3 - 1).size * (size_t)span_beyond(c, d % 3 - 1).size;
}

static size_t
b_values(const struct cell *c, int d)
{
    size_t side = (size_t)c->side;
    return d == HERE ? side * side : d == ABOVE || d == RIGHT ? side : 0;
}

static bool
goes_through_wall(const struct cell *c, int d)
{
    int i = c->i + d / 3 - 1, j = c->j + d % 3 - 1;
    return i < 0 || j < 0 || i >= c->cells || j >= c->cells;
}

static struct packet
packet_open(const struct cell *c, int d, const luna_df *df)
{
    if (!luna_size(df)) return (struct packet){0};
    const int64_t *head = luna_data(df);
    struct packet p = {.has_current = *head, .b = (const double *)(head + 1)};
    p.current = p.b + b_values(c, d);
    p.particles = (const struct particle *)(p.current + (*head ? current_values(c, d) : 0));
    const char *end = (const char *)head + luna_size(df);
    p.count = (size_t)(end - (const char *)p.particles) / sizeof(struct particle);
    return p;
}

/* ---- the first half of a step: particles move ---- */

struct moving { /* scratch */
    struct particle *moved;
    unsigned char *direction;
    double *b; /* half a step later than the fields say */
    struct current left;
    size_t n, to[DIRECTIONS];
};

static struct moving
moving_new(const struct cell *c, size_t n)
{
    size_t points = (size_t)c->side * (size_t)c->side;
    struct moving m = {.n = n, .moved = malloc(n * sizeof *m.moved + 1), .direction = malloc(n + 1),
                       .b = malloc(points * sizeof(double))};
    double *left = calloc(1, current_bytes(c));
    if (!m.moved || !m.direction || !m.b || !left) luna_fail("no memory for %zu particles", n);
    m.left = current_in(c, left);
    return m;
}

static void
moving_free(struct moving *m)
{
    free(m->moved);
    free(m->direction);
    free(m->b);
    free(m->left.x);
}

static int
side_of(const struct cell *c, double x, int first)
{
    return x < first ? 0 : x < first + c->side ? 1 : 2;
}

static void
move_all(const struct cell *c, const struct fields *f, const struct lent *l,
         const struct particle *p, struct moving *m)
{
    for (size_t k = 0; k < m->n; k++) {
        struct particle *q = &m->moved[k];
        *q = p[k];
        kick(c, f, l, q);
        turn(m->b[point(c, (int)q->x - c->x0, (int)q->y - c->y0)], q);
        kick(c, f, l, q);
        move(c, q);
        leave_path(c, &m->left, &p[k], q);
        m->direction[k] = (unsigned char)(3 * side_of(c, q->x, c->x0) + side_of(c, q->y, c->y0));
        m->to[m->direction[k]]++;
    }
}

/* Copies the current in direction d; false: there is none. */
static bool
current_cut(const struct cell *c, int d, const struct current *left, double *to)
{
    struct span sx = span_beyond(c, d / 3 - 1), sy = span_beyond(c, d % 3 - 1);
    bool any = false;
    for (int y = sy.from; y < sy.from + sy.size; y++)
        for (int x = sx.from; x < sx.from + sx.size; x++) {
            size_t at = current_point(c, x, y);
            *to++ = left->x[at];
            *to++ = left->y[at];
            any = any || left->x[at] != 0 || left->y[at] != 0;
        }
    return any;
}

static void
b_cut(const struct cell *c, int d, const double *b, double *to)
{
    int last = c->side - 1;
    for (int k = 0; k < (int)b_values(c, d); k++)
        to[k] = d == HERE ? b[k] : d == RIGHT ? b[point(c, last, k)] : b[point(c, k, last)];
}

static void
packet_make(const struct cell *c, int d, const struct moving *m, const double *b, luna_df *df)
{
    size_t nb = b_values(c, d), ncurrent = current_values(c, d);
    double *current = malloc(ncurrent * sizeof *current);
    if (!current) luna_fail("no memory");
    bool any = current_cut(c, d, &m->left, current);
    bool empty = goes_through_wall(c, d) || (!any && !m->to[d] && !nb);
    size_t values = nb + (any ? ncurrent : 0), bytes = m->to[d] * sizeof(struct particle);
    int64_t *head = luna_create(df, empty ? 0 : sizeof *head + values * sizeof(double) + bytes);
    if (!empty) {
        double *at = (double *)(head + 1);
        *head = any;
        b_cut(c, d, b, at);
        if (any) memcpy(at + nb, current, ncurrent * sizeof *current);
        struct particle *p = (struct particle *)(at + values);
        for (size_t k = 0; k < m->n; k++)
            if (m->direction[k] == d) *p++ = m->moved[k];
    }
    free(current);
}

void
push(int cells, int side, int pairs, int i, int j, const luna_df *fields, const luna_df *right,
     const luna_df *above, const luna_df *particles, luna_df *o0, luna_df *o1, luna_df *o2,
     luna_df *o3, luna_df *o4, luna_df *o5, luna_df *o6, luna_df *o7, luna_df *o8)
{
    struct cell c = cell_at(cells, side, pairs, i, j);
    struct fields f = fields_in(&c, (void *)luna_data(fields));
    struct lent l = lent_by(&c, right, above);
    luna_df *out[DIRECTIONS] = {o0, o1, o2, o3, o4, o5, o6, o7, o8};
    struct moving m = moving_new(&c, luna_size(particles) / sizeof(struct particle));
    advance_b(&c, &f, &l, DT / 2, m.b);
    move_all(&c, &f, &l, luna_data(particles), &m);
    advance_b(&c, &f, &l, DT, m.b);
    for (int d = 0; d < DIRECTIONS; d++) packet_make(&c, d, &m, m.b, out[d]);
    moving_free(&m);
}

/* ---- the second half: fields follow, and who has come is taken in ---- */

static void
current_add(const struct cell *c, int d, const struct packet *p, struct current *sum)
{
    struct span sx = span_within(c, d / 3 - 1), sy = span_within(c, d % 3 - 1);
    const double *from = p->current;
    for (int y = sy.from; y < sy.from + sy.size; y++)
        for (int x = sx.from; x < sx.from + sx.size; x++) {
            size_t at = current_point(c, x, y);
            sum->x[at] += *from++;
            sum->y[at] += *from++;
        }
}

/* Along a wall E stays 0. */
static void
advance_e(const struct cell *c, const struct fields *old, const struct packet *in,
          const struct current *j, struct fields *new)
{
    const double *b = in[HERE].b, *left = in[RIGHT].b, *below = in[ABOVE].b;
    for (int y = 0; y < c->side; y++)
        for (int x = 0; x < c->side; x++) {
            size_t at = point(c, x, y), cur = current_point(c, x, y);
            new->b[at] = b[at];
            new->ex[at] = new->ey[at] = 0;
            if (c->y0 + y > 0) {
                double under = y > 0 ? b[point(c, x, y - 1)] : below[x];
                new->ex[at] = old->ex[at] + DT * (b[at] - under - j->x[cur]);
            }
            if (c->x0 + x > 0) {
                double beside = x > 0 ? b[point(c, x - 1, y)] : left[y];
                new->ey[at] = old->ey[at] + DT * (beside - b[at] - j->y[cur]);
            }
        }
}

/* Lends the first column of Ey and the first row of Ex. */
static void
lend(const struct cell *c, const struct fields *f, luna_df *first_ey, luna_df *first_ex)
{
    size_t side = (size_t)c->side;
    double *ey = luna_create(first_ey, side * sizeof *ey);
    double *ex = luna_create(first_ex, side * sizeof *ex);
    for (int k = 0; k < c->side; k++) {
        ey[k] = f->ey[point(c, 0, k)];
        ex[k] = f->ex[point(c, k, 0)];
    }
}

/* In the order of directions, so that it is the same wherever cells are. */
static void
take_in(const struct packet *in, luna_df *particles, luna_df *count)
{
    size_t n = 0;
    for (int d = 0; d < DIRECTIONS; d++) n += in[d].count;
    struct particle *p = luna_create(particles, n * sizeof *p);
    for (int d = 0; d < DIRECTIONS; d++) {
        if (in[d].count) memcpy(p, in[d].particles, in[d].count * sizeof *p);
        p += in[d].count;
    }
    luna_set_int(count, (int)n);
}

/* i0 .. i8: what was sent here in each direction. */
void
join(int cells, int side, int pairs, int i, int j, const luna_df *fields, const luna_df *i0,
     const luna_df *i1, const luna_df *i2, const luna_df *i3, const luna_df *i4, const luna_df *i5,
     const luna_df *i6, const luna_df *i7, const luna_df *i8, luna_df *fields2, luna_df *first_ey,
     luna_df *first_ex, luna_df *particles, luna_df *count)
{
    struct cell c = cell_at(cells, side, pairs, i, j);
    const luna_df *df[DIRECTIONS] = {i0, i1, i2, i3, i4, i5, i6, i7, i8};
    struct packet in[DIRECTIONS];
    double *room = calloc(1, current_bytes(&c));
    if (!room) luna_fail("no memory");
    struct current sum = current_in(&c, room);
    for (int d = 0; d < DIRECTIONS; d++) {
        in[d] = packet_open(&c, d, df[d]);
        if (in[d].has_current) current_add(&c, d, &in[d], &sum);
    }
    struct fields old = fields_in(&c, (void *)luna_data(fields));
    struct fields new = fields_in(&c, luna_create(fields2, fields_bytes(&c)));
    advance_e(&c, &old, in, &sum, &new);
    lend(&c, &new, first_ey, first_ex);
    take_in(in, particles, count);
    free(room);
}

/* ---- the beginning ----
 *
 * A square cloud of pairs, one particle of each charge at the same point, so that there is no
 * field. It drifts, is warm, and its two kinds drift a little against each other. */

static double
chance(uint64_t *state) /* from 0 to 1 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static double
warmth(uint64_t *state) /* nearly normal, deviation 0.03 */
{
    double sum = -2;
    for (int k = 0; k < 4; k++) sum += chance(state);
    return 0.03 * 1.7320508075688772 * sum;
}

static struct particle *
pair_at(int x, int y, uint64_t *state, struct particle *p)
{
    double px = x + chance(state), py = y + chance(state);
    for (int sign = -1; sign <= 1; sign += 2) {
        double ux = 0.3 + 0.03 * sign + warmth(state), uy = 0.2 - 0.02 * sign + warmth(state);
        *p++ = (struct particle){px, py, ux, uy, sign};
    }
    return p;
}

/* How many pairs begin in a square. */
static int
pairs_in(const struct cell *c, int pairs, int x, int y, uint64_t *rank)
{
    int width = c->last / 4, first = c->last / 8;
    x -= first;
    y -= first;
    if (x < 0 || y < 0 || x >= width || y >= width) return 0;
    *rank = (uint64_t)y * (uint64_t)width + (uint64_t)x;
    return pairs / (width * width) + (*rank < (uint64_t)(pairs % (width * width)));
}

static size_t
particles_at_start(const struct cell *c, int pairs)
{
    int n = 0;
    uint64_t rank;
    for (int y = c->y0; y < c->y0 + c->side; y++)
        for (int x = c->x0; x < c->x0 + c->side; x++) n += pairs_in(c, pairs, x, y, &rank);
    return 2 * (size_t)n;
}

/* ---- what is told at the end ---- */

struct sums {
    int64_t positive, negative;
    double at_start, kinetic, field, charge, gauss;
    uint64_t check;
};

static double
kinetic(const struct cell *c, const struct particle *p)
{
    return c->charge * (p->ux * p->ux + p->uy * p->uy) / (1 + stretch(p));
}

static void
fill_pairs(const struct cell *c, int pairs, struct particle *p)
{
    for (int y = c->y0; y < c->y0 + c->side; y++)
        for (int x = c->x0; x < c->x0 + c->side; x++) {
            uint64_t rank = 0;
            int n = pairs_in(c, pairs, x, y, &rank);
            uint64_t state = rank << 32;
            while (n-- > 0) p = pair_at(x, y, &state, p);
        }
}

void
begin(int cells, int side, int pairs, int i, int j, luna_df *fields, luna_df *first_ey,
      luna_df *first_ex, luna_df *particles, luna_df *count, luna_df *sums)
{
    struct cell c = cell_at(cells, side, pairs, i, j);
    struct fields f = fields_in(&c, luna_create(fields, fields_bytes(&c)));
    memset(f.ex, 0, fields_bytes(&c));
    lend(&c, &f, first_ey, first_ex);
    size_t n = particles_at_start(&c, pairs);
    struct particle *p = luna_create(particles, n * sizeof *p);
    struct sums *s = luna_create(sums, sizeof *s);
    fill_pairs(&c, pairs, p);
    *s = (struct sums){0};
    for (size_t k = 0; k < n; k++) s->at_start += kinetic(&c, &p[k]);
    luna_set_int(count, (int)n);
}

static uint64_t
mixed(uint64_t sum, const void *data, size_t bytes) /* FNV-1a, words of eight bytes */
{
    const uint64_t *word = data;
    for (size_t k = 0; k < bytes / sizeof *word; k++) sum = (sum ^ word[k]) * 0x100000001b3u;
    return sum;
}

/* Bilinear weights: the charge of the points 0 .. side, of which the last belong to neighbours. */
static void
spread_charge(const struct cell *c, const struct particle *p, double *charge)
{
    size_t row = (size_t)c->side + 1;
    double q = c->charge * p->sign, right = p->x - (int)p->x, up = p->y - (int)p->y;
    double *at = charge + (size_t)((int)p->y - c->y0) * row + (size_t)((int)p->x - c->x0);
    at[0] += q * (1 - right) * (1 - up);
    at[1] += q * right * (1 - up);
    at[row] += q * (1 - right) * up;
    at[row + 1] += q * right * up;
}

/* To each neighbour the charge on its points, and the E that ends there. */
static void
charge_cut(const struct cell *c, const struct fields *f, const double *charge, luna_df *right,
           luna_df *above, luna_df *corner)
{
    size_t side = (size_t)c->side, row = side + 1;
    double *r = luna_create(right, 2 * side * sizeof *r);
    double *a = luna_create(above, 2 * side * sizeof *a);
    double *k = luna_create(corner, sizeof *k);
    for (size_t n = 0; n < side; n++) {
        r[n] = charge[n * row + side];
        r[side + n] = f->ex[n * side + side - 1];
        a[n] = charge[side * row + n];
        a[side + n] = f->ey[(side - 1) * side + n];
    }
    *k = charge[side * row + side];
}

/* The fields are as of the same moment then: half a step of E for the particles, of E for B. */
void
measure(int cells, int side, int pairs, int i, int j, const luna_df *fields, const luna_df *right,
        const luna_df *above, const luna_df *particles, luna_df *here, luna_df *to_above,
        luna_df *to_right, luna_df *to_corner, luna_df *sums)
{
    struct cell c = cell_at(cells, side, pairs, i, j);
    struct fields f = fields_in(&c, (void *)luna_data(fields));
    struct lent l = lent_by(&c, right, above);
    struct moving m = moving_new(&c, luna_size(particles) / sizeof(struct particle));
    const struct particle *p = luna_data(particles);
    size_t row = (size_t)side + 1;
    double *charge = luna_create(here, row * row * sizeof *charge);
    struct sums *s = luna_create(sums, sizeof *s);
    memset(charge, 0, row * row * sizeof *charge);
    *s = (struct sums){.check = mixed(mixed((uint64_t)(i * cells + j), p, luna_size(particles)),
                                      f.ex, fields_bytes(&c))};
    for (size_t k = 0; k < m.n; k++) {
        struct particle q = p[k];
        *(q.sign > 0 ? &s->positive : &s->negative) += 1;
        spread_charge(&c, &q, charge);
        kick(&c, &f, &l, &q);
        s->kinetic += kinetic(&c, &q);
    }
    advance_b(&c, &f, &l, DT / 2, m.b);
    for (int k = 0; k < side * side; k++)
        s->field += (f.ex[k] * f.ex[k] + f.ey[k] * f.ey[k] + m.b[k] * m.b[k]) / 2;
    charge_cut(&c, &f, charge, to_right, to_above, to_corner);
    moving_free(&m);
}

struct beside { /* what the neighbours left of and below the cell have sent; NULL: there is none */
    const double *left, *below, *corner;
};

static double
charge_at(const struct cell *c, const double *own, const struct beside *n, int x, int y)
{
    double q = own[y * (c->side + 1) + x];
    if (!x && n->left) q += n->left[y];
    if (!y && n->below) q += n->below[x];
    if (!x && !y && n->corner) q += *n->corner;
    return q;
}

/* The largest charge of a point of the cell, and the largest |div E - charge| of those not on a
 * wall. */
void
gauss(int cells, int side, int pairs, int i, int j, const luna_df *fields, const luna_df *here,
      const luna_df *left, const luna_df *below, const luna_df *corner, const luna_df *sums,
      luna_df *result)
{
    struct cell c = cell_at(cells, side, pairs, i, j);
    struct fields f = fields_in(&c, (void *)luna_data(fields));
    struct beside n = {i ? luna_data(left) : NULL, j ? luna_data(below) : NULL,
                       i && j ? luna_data(corner) : NULL};
    struct sums *s = luna_create(result, sizeof *s);
    memcpy(s, luna_data(sums), sizeof *s);
    for (int y = !j; y < side; y++)
        for (int x = !i; x < side; x++) {
            double q = charge_at(&c, luna_data(here), &n, x, y);
            double beside = x ? f.ex[point(&c, x - 1, y)] : n.left[side + y];
            double under = y ? f.ey[point(&c, x, y - 1)] : n.below[side + x];
            double div = f.ex[point(&c, x, y)] - beside + f.ey[point(&c, x, y)] - under;
            s->charge = fmax(s->charge, fabs(q));
            s->gauss = fmax(s->gauss, fabs(div - q));
        }
}

void
nothing(luna_df *sums)
{
    struct sums *s = luna_create(sums, sizeof *s);
    *s = (struct sums){0};
}

void
add(const luna_df *so_far, const luna_df *start, const luna_df *end, luna_df *sums)
{
    const struct sums *a = luna_data(so_far), *b = luna_data(start), *c = luna_data(end);
    struct sums *s = luna_create(sums, sizeof *s);
    *s = (struct sums){a->positive + c->positive, a->negative + c->negative,
                       a->at_start + b->at_start, a->kinetic + c->kinetic, a->field + c->field,
                       fmax(a->charge, c->charge), fmax(a->gauss, c->gauss), a->check + c->check};
}

void
report(const luna_df *sums)
{
    const struct sums *s = luna_data(sums);
    double end = s->kinetic + s->field, start = s->at_start;
    printf("charge: %lld positive, %lld negative; div E - charge at most %.0e of %.0e\n",
           (long long)s->positive, (long long)s->negative, s->gauss, s->charge);
    printf("energy: %.6f at the start, %.6f at the end, of it fields %.6f; %+.1e of it\n", start,
           end, s->field, start > 0 ? (end - start) / start : 0);
    printf("checksum: %016llx\n", (unsigned long long)s->check);
}

/* B at the points of a cell, row by row, for a file. */
void
field_of(int cells, int side, int pairs, int i, int j, const luna_df *fields, luna_df *b)
{
    struct cell c = cell_at(cells, side, pairs, i, j);
    size_t bytes = fields_bytes(&c) / 3;
    memcpy(luna_create(b, bytes), (const char *)luna_data(fields) + 2 * bytes, bytes);
}
