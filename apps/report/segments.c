/* segments.c - see segments.h. */
#include "apps/report/segments.h"

#include <stdlib.h>
#include <zlib.h>

enum { LEVEL = 6, EXACT = 1 << 18, FINE = 1 << 20, MERGED_FIRST = 1000 };

/* ---- numbers ---- */

static void
put(struct buf *b, uint64_t x)
{
    char bytes[10];
    size_t n = 0;
    for (; x > 127; x >>= 7) bytes[n++] = (char)((x & 127) | 128);
    bytes[n++] = (char)x;
    buf_add(b, bytes, n);
}

static void
put_signed(struct buf *b, int64_t x)
{
    put(b, x < 0 ? ~((uint64_t)x << 1) : (uint64_t)x << 1);
}

/* ---- a lane ---- */

/* One call, or several of the same function that follow each other closely. */
struct run_of_calls {
    size_t first, n;
    uint64_t t, end;
};

static struct run_of_calls
run_at(const struct report_lane *l, size_t i, uint64_t merged)
{
    const struct report_call *c = &l->at[i];
    struct run_of_calls x = {i, 1, c->t, c->t + c->dur};
    while (merged && c->dur <= merged && i + x.n < l->n) {
        const struct report_call *next = c + x.n;
        if (next->sub != c->sub || next->dur > merged || next->t > x.end + merged) break;
        if (next->t + next->dur > x.end) x.end = next->t + next->dur;
        x.n++;
    }
    return x;
}

static size_t
count_runs(const struct report_run *r, uint64_t merged)
{
    size_t n = 0;
    for (size_t i = 0; i < r->nlanes; i++)
        for (size_t k = 0; k < r->lanes[i].n; n++) k += run_at(&r->lanes[i], k, merged).n;
    return n;
}

struct packer {
    const struct report_run *r;
    struct buf raw;
    uint64_t unit, merged;
    int64_t *last;  /* per sub and dimension */
    uint32_t *dims; /* per sub: what its first call has; others have no indices then */
    size_t widest;
};

static uint64_t
units(const struct packer *p, uint64_t t)
{
    return (t + p->unit / 2) / p->unit;
}

enum column { SUBS, GAPS, DURATIONS, COUNTS };

static void
put_column(struct packer *p, const struct report_lane *l, enum column which)
{
    uint64_t end = 0;
    for (size_t i = 0; i < l->n;) {
        struct run_of_calls x = run_at(l, i, p->merged);
        uint64_t from = units(p, x.t), to = units(p, x.end);
        if (which == SUBS) put(&p->raw, l->at[i].sub);
        if (which == GAPS) put_signed(&p->raw, (int64_t)(from - end));
        if (which == DURATIONS) put(&p->raw, to - from);
        if (which == COUNTS) put(&p->raw, x.n);
        end = to;
        i += x.n;
    }
}

static void
put_indices(struct packer *p, const struct report_lane *l)
{
    for (size_t i = 0; i < p->r->stats.nsubs * p->widest; i++) p->last[i] = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct report_call *c = &l->at[i];
        int64_t *last = &p->last[c->sub * p->widest];
        for (uint32_t d = 0; d < p->dims[c->sub]; d++) {
            int64_t x = d < c->dims ? p->r->indices[c->indices + d] : 0;
            put_signed(&p->raw, x - last[d]);
            last[d] = x;
        }
    }
}

static size_t
lane_size(const struct packer *p, const struct report_lane *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; n++) i += run_at(l, i, p->merged).n;
    return n;
}

static void
put_lane(struct packer *p, const struct report_lane *l)
{
    put(&p->raw, lane_size(p, l));
    put_column(p, l, SUBS);
    put_column(p, l, GAPS);
    put_column(p, l, DURATIONS);
    if (p->merged)
        put_column(p, l, COUNTS);
    else
        put_indices(p, l);
}

/* ---- all ---- */

/* The same of every call of a sub, or none: a call is told with its indices or without. */
static void
find_dims(struct packer *p)
{
    const struct report_run *r = p->r;
    uint32_t *dims = p->dims = arena_array(r->arena, uint32_t, r->stats.nsubs + 1);
    bool *seen = arena_array(r->arena, bool, r->stats.nsubs + 1);
    for (size_t i = 0; i < r->nlanes; i++)
        for (size_t k = 0; k < r->lanes[i].n; k++) {
            const struct report_call *c = &r->lanes[i].at[k];
            if (!seen[c->sub])
                dims[c->sub] = c->dims;
            else if (dims[c->sub] != c->dims)
                dims[c->sub] = 0;
            seen[c->sub] = true;
        }
    p->widest = 1;
    for (size_t i = 0; i < r->stats.nsubs; i++)
        if (dims[i] > p->widest) p->widest = dims[i];
    p->last = arena_array(r->arena, int64_t, (r->stats.nsubs + 1) * p->widest);
}

static void
put_path(struct packer *p)
{
    const struct report_path *path = &p->r->path;
    uint64_t end = 0;
    put(&p->raw, path->n);
    for (size_t i = 0; i < path->n; i++) {
        uint64_t from = units(p, path->segs[i].from), to = units(p, path->segs[i].to);
        put(&p->raw, path->segs[i].lane);
        put_signed(&p->raw, (int64_t)(from - end));
        put(&p->raw, to - from);
        end = to;
    }
}

static void
put_cells(struct packer *p)
{
    const struct report_run *r = p->r;
    size_t cells = r->owner ? lattice_size(&r->stats.run.cells) : 0;
    uint64_t at = 0;
    put(&p->raw, cells);
    for (size_t i = 0; i < cells; i++) put_signed(&p->raw, r->owner[i]);
    put(&p->raw, r->nmoves);
    for (size_t i = 0; i < r->nmoves; i++) {
        uint64_t t = units(p, r->moves[i].t);
        put(&p->raw, t - at);
        put(&p->raw, r->moves[i].cell);
        put(&p->raw, r->moves[i].to);
        at = t;
    }
    size_t loads = r->loads_of ? cells * r->nslices : 0;
    put(&p->raw, loads);
    for (size_t i = 0; i < loads; i++) put(&p->raw, r->loads_of[i]);
}

static void
put_all(struct packer *p)
{
    put(&p->raw, p->unit);
    put(&p->raw, p->merged);
    put(&p->raw, p->r->nlanes);
    for (size_t i = 0; i < p->r->stats.nsubs; i++) put(&p->raw, p->dims[i]);
    for (size_t i = 0; i < p->r->nlanes; i++) put_lane(p, &p->r->lanes[i]);
    put_path(p);
    put_cells(p);
}

/* ---- deflate, base64 ---- */

static void
put_base64(struct buf *b, const unsigned char *at, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned x = (unsigned)at[i] << 16;
        if (i + 1 < n) x |= (unsigned)at[i + 1] << 8;
        if (i + 2 < n) x |= at[i + 2];
        char four[4] = {digits[x >> 18], digits[x >> 12 & 63], digits[x >> 6 & 63], digits[x & 63]};
        if (i + 1 >= n) four[2] = '=';
        if (i + 2 >= n) four[3] = '=';
        buf_add(b, four, 4);
    }
}

static bool
deflate_into(struct buf *out, const struct buf *raw)
{
    z_stream z = {0};
    if (deflateInit2(&z, LEVEL, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    unsigned char block[3 << 13]; /* whole groups of base64 */
    size_t at = 0;
    int e;
    z.next_out = block;
    z.avail_out = sizeof block;
    do {
        if (!z.avail_in && at < raw->size) {
            size_t n = raw->size - at < 1 << 30 ? raw->size - at : 1 << 30;
            z.next_in = (unsigned char *)raw->data + at;
            z.avail_in = (uInt)n;
            at += n;
        }
        e = deflate(&z, at < raw->size ? Z_NO_FLUSH : Z_FINISH);
        if (!z.avail_out || e == Z_STREAM_END) {
            put_base64(out, block, sizeof block - z.avail_out);
            z.next_out = block;
            z.avail_out = sizeof block;
        }
    } while (e == Z_OK || e == Z_BUF_ERROR);
    deflateEnd(&z);
    return e == Z_STREAM_END && !out->failed;
}

bool
segments_pack(struct segments *s, const struct report_run *r, size_t most)
{
    struct packer p = {.r = r, .unit = r->ncalls <= EXACT ? 1 : r->ncalls <= FINE ? 10 : 100};
    *s = (struct segments){.n = r->ncalls};
    while (s->n > most) {
        p.merged = p.merged ? p.merged * 2 : MERGED_FIRST;
        s->n = count_runs(r, p.merged);
        if (p.merged > r->stats.run.duration) break; /* one per lane and change of function */
    }
    s->merged = p.merged;
    find_dims(&p);
    put_all(&p);
    bool fine = !p.raw.failed && deflate_into(&s->packed, &p.raw);
    buf_fini(&p.raw);
    return fine;
}
