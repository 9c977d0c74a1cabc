/* hilbert.c - the Hilbert order of a box.
 *
 * A cube is cut into 2^d halves in each dimension, its parts; bit k of a part's number tells on
 * which side it lies in dimension k. The curve runs through the parts in the order of a Gray code,
 * which is turned: `entry` is the corner where the curve comes in, `turn` rotates the dimensions.
 * (The rules by which a part's turn follows from its place on the curve are C. Hamilton's.) */
#include "hilbert.h"

struct turn {
    uint32_t entry;
    int by;
};

/* 0 <= by <= ndims. */
static uint32_t
rotate_left(uint32_t part, int by, int ndims)
{
    return (part << by | part >> (ndims - by)) & ((1u << ndims) - 1);
}

static uint32_t
gray(uint32_t i)
{
    return i ^ i >> 1;
}

/* The part that is the i-th on a curve turned so, and back. */
static uint32_t
part_of(struct turn t, uint32_t i, int ndims)
{
    return rotate_left(gray(i), t.by + 1, ndims) ^ t.entry;
}

static uint32_t
order_of(struct turn t, uint32_t part, int ndims)
{
    uint32_t g = rotate_left(part ^ t.entry, ndims - t.by - 1, ndims);
    return g ^ g >> 1 ^ g >> 2;
}

/* How the curve is turned inside its i-th part. */
static struct turn
turn_within(struct turn t, uint32_t i, int ndims)
{
    uint32_t entry = i ? gray((i - 1) & ~1u) : 0;
    /* The dimension the curve leaves along follows from the trailing ones of the place. */
    int by = t.by + 1 + (i ? __builtin_ctz(~(i & 1 ? i : i - 1)) : 0);
    while (by >= ndims) by -= ndims;
    return (struct turn){t.entry ^ rotate_left(entry, t.by + 1, ndims), by};
}

void
hilbert_init(struct hilbert *h, const struct lattice *box)
{
    *h = (struct hilbert){.ndims = box->ndims, .side = {1, 1, 1}, .cube = 1};
    for (int d = 0; d < h->ndims; d++) {
        int k = d; /* insertion: the shortest first, of equal ones the first of the box last */
        for (; k > 0 && h->side[k - 1] >= box->side[d]; k--) {
            h->side[k] = h->side[k - 1];
            h->dim[k] = h->dim[k - 1];
        }
        h->side[k] = box->side[d];
        h->dim[k] = d;
    }
    while (h->ndims > 1 && 1 << h->bits < h->side[h->ndims - 2]) h->bits++;
    for (int d = 0; d < h->ndims - 1; d++) h->cube *= (uint32_t)h->side[d];
    h->cube <<= h->bits;
}

/* The points of a cube at `lo` that lie inside the box. */
static uint32_t
points_inside(const struct hilbert *h, const int32_t *lo, int bits)
{
    uint32_t n = 1;
    for (int d = 0; d < h->ndims; d++) {
        int32_t left = h->side[d] - lo[d];
        if (left <= 0) return 0;
        n *= (uint32_t)(left < 1 << bits ? left : 1 << bits);
    }
    return n;
}

/* The corner of one part of the cube at `lo`; a part has sides of 2^bits. */
static void
corner_of(int32_t *corner, const struct hilbert *h, const int32_t *lo, uint32_t part, int bits)
{
    for (int d = 0; d < h->ndims; d++) corner[d] = lo[d] + (int32_t)((part >> d & 1) << bits);
}

/* A single cube's curve leaves along its last dimension: no turn at the start. */
static struct turn
turn_at_start(const struct hilbert *h)
{
    return (struct turn){0, h->ndims - 1};
}

/* Whether all of the cube at `lo` lies inside the box. */
static bool
is_whole(const struct hilbert *h, const int32_t *lo, int bits)
{
    bool whole = true;
    for (int d = 0; d < h->ndims; d++) whole &= (1 << bits) <= h->side[d] - lo[d];
    return whole;
}

/* The points of the first i parts of the cube at `lo`. */
static uint32_t
points_before(const struct hilbert *h, const int32_t *lo, struct turn t, uint32_t i, int bits)
{
    uint32_t sum = 0;
    int32_t corner[LATTICE_DIMS_MAX];
    while (i-- > 0) {
        corner_of(corner, h, lo, part_of(t, i, h->ndims), bits);
        sum += points_inside(h, corner, bits);
    }
    return sum;
}

uint32_t
hilbert_rank(const struct hilbert *h, struct lattice_point p)
{
    int n = h->ndims;
    int32_t at[LATTICE_DIMS_MAX], lo[LATTICE_DIMS_MAX] = {0};
    for (int d = 0; d < n; d++) at[d] = p.at[h->dim[d]];
    lo[n - 1] = at[n - 1] >> h->bits << h->bits;
    uint32_t rank = (uint32_t)(at[n - 1] >> h->bits) * h->cube;
    struct turn t = turn_at_start(h);
    bool whole = false;
    for (int bits = h->bits - 1; bits >= 0; bits--) {
        uint32_t part = 0;
        for (int d = 0; d < n; d++) part |= (uint32_t)(at[d] >> bits & 1) << d;
        uint32_t i = order_of(t, part, n);
        whole = whole || is_whole(h, lo, bits + 1);
        rank += whole ? i << bits * n : points_before(h, lo, t, i, bits);
        corner_of(lo, h, lo, part, bits);
        t = turn_within(t, i, n);
    }
    return rank;
}

/* The part of the cube at `lo` that holds its point number *rank, which is then counted from the
 * beginning of the part. */
static uint32_t
order_holding(const struct hilbert *h, const int32_t *lo, struct turn t, uint32_t *rank, int bits)
{
    int32_t corner[LATTICE_DIMS_MAX];
    for (uint32_t i = 0;; i++) {
        corner_of(corner, h, lo, part_of(t, i, h->ndims), bits);
        uint32_t inside = points_inside(h, corner, bits);
        if (*rank < inside) return i;
        *rank -= inside;
    }
}

struct lattice_point
hilbert_point(const struct hilbert *h, uint32_t rank)
{
    int n = h->ndims;
    int32_t lo[LATTICE_DIMS_MAX] = {0};
    lo[n - 1] = (int32_t)(rank / h->cube) << h->bits;
    rank %= h->cube;
    struct turn t = turn_at_start(h);
    for (int bits = h->bits - 1; bits >= 0; bits--) {
        uint32_t i = order_holding(h, lo, t, &rank, bits);
        corner_of(lo, h, lo, part_of(t, i, n), bits);
        t = turn_within(t, i, n);
    }
    struct lattice_point p = {{0}};
    for (int d = 0; d < n; d++) p.at[h->dim[d]] = lo[d];
    return p;
}
