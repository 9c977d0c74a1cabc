/* plan.c - tables that grow, and the hash by which equal rows are found. */
#include "lang/plan/plan.h"

#include "lang/plan/out.h"

#include <assert.h>
#include <string.h>

/* ---- keys: bytes -> number ---- */

struct key {
    const void *bytes;
    size_t size;
    uint32_t space, hash, value;
};

struct plan_interned {
    struct key *slot; /* open addressing; bytes == NULL: free */
    uint32_t n, mask;
};

/* Spaces of plan_intern_rows are offsets of tables; these lie behind them. */
enum { SPACE_TEXT = 4000, SPACE_EXPR, SPACE_RUN };

/* Eight bytes at a time: rows of numbers are most of what a large program shares. */
static uint32_t
hash_bytes(uint32_t space, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    uint64_t h = space * 0x9e3779b97f4a7c15u + size, word;
    for (; size >= 8; p += 8, size -= 8) {
        memcpy(&word, p, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, p, size);
    h = (h ^ word) * 0xc4ceb9fe1a85ec53u;
    return (uint32_t)(h >> 32);
}

/* Where the key is, or the free slot where it belongs. */
static struct key *
key_slot(const struct plan_interned *s, uint32_t space, uint32_t hash, const void *bytes,
         size_t size)
{
    for (uint32_t i = hash & s->mask;; i = (i + 1) & s->mask) {
        struct key *k = &s->slot[i];
        if (!k->bytes) return k;
        if (k->hash == hash && k->space == space && k->size == size &&
            !memcmp(k->bytes, bytes, size))
            return k;
    }
}

/* At most half full: a search that finds nothing ends soon. Old slots stay in the arena, in all as
 * large as the new ones. */
static void
keys_resize(struct plan *p, uint32_t room)
{
    struct plan_interned *s = p->interned, old = *s;
    s->slot = arena_array(p->arena, struct key, room);
    s->mask = room - 1;
    for (uint32_t i = 0; old.slot && i <= old.mask; i++) {
        struct key *k = &old.slot[i];
        if (k->bytes) *key_slot(s, k->space, k->hash, k->bytes, k->size) = *k;
    }
}

uint32_t
plan_known(const struct plan *p, uint32_t space, const void *key, size_t size)
{
    const struct key *k = key_slot(p->interned, space, hash_bytes(space, key, size), key, size);
    return k->bytes ? k->value : PLAN_NONE;
}

/* A key that is known gets the new value. Its bytes are
 * copied once, as they may be the caller's. */
void
plan_know(struct plan *p, uint32_t space, const void *key, size_t size, uint32_t value)
{
    struct plan_interned *s = p->interned;
    if (s->n >= s->mask / 2) keys_resize(p, (s->mask + 1) * 2);
    uint32_t hash = hash_bytes(space, key, size);
    struct key *k = key_slot(s, space, hash, key, size);
    if (!k->bytes) s->n++;
    if (!k->bytes) k->bytes = arena_strndup(p->arena, key, size);
    *k = (struct key){k->bytes, size, space, hash, value};
}

/* ---- tables ---- */

struct plan *
plan_empty(struct arena *a)
{
    struct plan *p = arena_new_of(a, struct plan);
    p->arena = a;
    p->interned = arena_new_of(a, struct plan_interned);
    keys_resize(p, 256);
    return p;
}

/* Equal runs of rows are one run. Only whole runs are found again, not
 * the end of one that is the beginning of another: that would save
 * little and cost a search at each row. The caller has made room. */
uint32_t
plan_intern_rows(struct plan *p, size_t table, void *to, uint32_t *n, size_t size, const void *rows,
                uint32_t count)
{
    if (!count) return 0;
    uint32_t at = plan_known(p, (uint32_t)table, rows, size * count);
    if (at != PLAN_NONE) return at;
    memcpy((char *)to + *n * size, rows, size * count);
    plan_know(p, (uint32_t)table, rows, size * count, *n);
    *n += count;
    return *n - count;
}

/* The one copy of a text. Equal texts are equal pointers,
 * so the key of an expression may hold the pointer. */
const char *
plan_text(struct plan *p, const char *text, size_t size)
{
    struct plan_interned *s = p->interned;
    if (plan_known(p, SPACE_TEXT, text, size) == PLAN_NONE) plan_know(p, SPACE_TEXT, text, size, 0);
    return key_slot(s, SPACE_TEXT, hash_bytes(SPACE_TEXT, text, size), text, size)->bytes;
}

/* By value, also of reals: 0.0 and -0.0 are equal to `==`, and must be two rows. */
int64_t
plan_turns(const struct plan_site *loop, int64_t lo, int64_t hi)
{
    int64_t far = loop->step < 0 ? lo - hi : hi - lo;
    int64_t step = loop->step < 0 ? -(int64_t)loop->step : loop->step;
    return far < 0 ? 0 : far / step + 1;
}

uint32_t
plan_bound_of(const struct plan *p, uint32_t df)
{
    uint32_t row = p->nextents ? p->dfs.row[df].about : PLAN_NONE;
    return row == PLAN_NONE || p->abouts.row[row].cell == PLAN_NONE ? PLAN_NONE : row;
}

const struct expr *
plan_list(const struct plan *p, const struct plan_site *list)
{
    const struct expr *e = list->stmt->args;
    for (int32_t k = p->exprs.row[p->args.row[list->arg].row].k; k > 0; k--) e = e->next;
    return e;
}

uint32_t
plan_expr(struct plan *p, const struct plan_expr *x)
{
    struct {
        uint32_t kind, a;
        int32_t k;
        uint32_t terms;
        double real;
        const char *string, *code;
    } key = {x->kind, x->a, x->k, x->terms, x->real, x->string, x->code};
    uint32_t at = plan_known(p, SPACE_EXPR, &key, sizeof key);
    if (at != PLAN_NONE) return at;
    at = plan_add(p, exprs, *x);
    if (x->code) p->exprs.row[at].fn = p->nfns++;
    plan_know(p, SPACE_EXPR, &key, sizeof key, at);
    return at;
}

/* Rows that must stand side by side, as the indices of a reference do. One alone is where it is;
 * several are copied next to each other, and found again as a whole. */
uint32_t
plan_expr_run(struct plan *p, const uint32_t *rows, uint32_t count)
{
    if (count == 0) return 0;
    if (count == 1) return rows[0];
    for (uint32_t i = 0; i < count; i++) assert(rows[i] < p->exprs.n);
    uint32_t at = plan_known(p, SPACE_RUN, rows, count * sizeof *rows);
    if (at != PLAN_NONE) return at;
    at = plan_add_many(p, exprs, count);
    for (uint32_t i = 0; i < count; i++) p->exprs.row[at + i] = p->exprs.row[rows[i]];
    plan_know(p, SPACE_RUN, rows, count * sizeof *rows, at);
    return at;
}

/* ---- for people ---- */

static void
print_sum(const struct plan *p, const struct plan_expr *x, struct buf *out)
{
    for (uint32_t i = 0; i < x->a; i++) {
        const struct plan_term *t = &p->terms.row[x->terms + i];
        int32_t c = t->coefficient;
        buf_str(out, c < 0 ? (i ? " - " : "-") : i ? " + " : "");
        if (c != 1 && c != -1) buf_printf(out, "%u*", c < 0 ? 0u - (uint32_t)c : (uint32_t)c);
        buf_printf(out, "%c%u", t->in_frame ? 'F' : 'L', t->word);
    }
}

void
plan_use_placed(struct plan *p)
{
    if (!p->nplaced_extents) return;
    for (uint32_t i = 0; i < p->placed_dfs.n; i++)
        p->dfs.row[p->placed_dfs.row[i].row].about = p->placed_dfs.row[i].now;
    for (uint32_t i = 0; i < p->placed_sites.n; i++)
        p->sites.row[p->placed_sites.row[i].row].rules = p->placed_sites.row[i].now;
    p->extent = p->placed_extent;
    p->nextents = p->nplaced_extents;
    p->lattice_sub = p->main;
    p->is_placed = true;
}

static void
print_offset(int32_t k, struct buf *out)
{
    if (k) buf_printf(out, " %c %u", k < 0 ? '-' : '+', k < 0 ? 0u - (uint32_t)k : (uint32_t)k);
}

static void
print_real(const struct plan *p, double value, struct buf *out)
{
    struct out text = {.arena = p->arena};
    out_real(&text, value);
    buf_add(out, text.text, text.size);
}

void
plan_print_expr(const struct plan *p, uint32_t expr, struct buf *out)
{
    static const char *const word[] = {[PE_LOCAL] = "L", [PE_FRAME] = "F",  [PE_IX] = "IX",
                                       [PE_IN] = "IN",   [PE_FREAL] = "F", [PE_FVALUE] = "F"};
    if (expr >= p->exprs.n) return; /* a dump of a plan that an error has left half made */
    const struct plan_expr *x = &p->exprs.row[expr];
    switch (x->kind) {
    case PE_INT: buf_printf(out, "%d", x->k); break;
    case PE_REAL: print_real(p, x->real, out); break;
    case PE_STRING: buf_printf(out, "\"%s\"", x->string); break;
    case PE_AFFINE:
        print_sum(p, x, out);
        print_offset(x->k, out);
        break;
    case PE_QUOTIENT:
        buf_char(out, '(');
        plan_print_expr(p, x->terms, out);
        buf_printf(out, ") / %d", x->k);
        break;
    case PE_MODULO:
        buf_char(out, '(');
        plan_print_expr(p, x->terms, out);
        buf_printf(out, ") modulo %d", x->k);
        break;
    case PE_SCALED:
        buf_char(out, '(');
        plan_print_expr(p, x->terms, out);
        buf_printf(out, ") scaled to %u of ", x->a);
        plan_print_expr(p, (uint32_t)x->k, out);
        break;
    case PE_SIDE:
        plan_print_expr(p, x->terms, out);
        buf_printf(out, ", at most %u", x->a);
        break;
    case PE_INT_FN:
    case PE_REAL_FN:
    case PE_VALUE_FN: buf_str(out, x->code); break;
    default:
        buf_printf(out, "%s%u", word[x->kind], x->a);
        print_offset(x->k, out);
    }
}

void
plan_print_ref(const struct plan *p, uint32_t ref, struct buf *out)
{
    if (ref >= p->refs.n) return;
    const struct plan_ref *r = &p->refs.row[ref];
    if (r->base == PB_PARAM) buf_printf(out, "F%u", r->word);
    else buf_str(out, p->dfs.row[r->df].name);
    if (r->base == PB_LOCAL_ID) buf_printf(out, "@L%u", r->word);
    for (uint32_t i = 0; i < r->nindices; i++) {
        buf_char(out, '[');
        plan_print_expr(p, r->index + i, out);
        buf_char(out, ']');
    }
}
