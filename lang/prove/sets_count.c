/* sets_count.c - how many vectors a vector is related to.
 *
 * isl counts nothing by itself. Three cases are enough for what programs do: at most one; a box,
 * whose sides are multiplied, also if only each k-th int of a side is there; a union of such, which
 * are added. Of a side that follows from the others, as of i and j with i + j, nothing is asked. */
#include "lang/prove/sets_parts.h"

#include <isl/aff.h>
#include <isl/mat.h>
#include <isl/space.h>
#include <isl/stride_info.h>
#include <isl/val.h>

/* ---- counting ---- */

/* Takes the map, which has one word on the right. All between its least and its most. */
static isl_map *
between(isl_map *m)
{
    isl_space *line = isl_space_range(isl_map_get_space(m));
    isl_map *above = isl_map_apply_range(isl_map_lexmin(isl_map_copy(m)),
                                         isl_map_lex_le(isl_space_copy(line)));
    isl_map *below = isl_map_apply_range(isl_map_lexmax(m), isl_map_lex_ge(line));
    return isl_map_intersect(above, below);
}

/* 1 where the set is, and nothing, which is 0, elsewhere. Takes it. */
static isl_pw_qpolynomial *
one_on(isl_set *where)
{
    isl_space *space = isl_set_get_space(where);
    return isl_pw_qpolynomial_alloc(where, isl_qpolynomial_one_on_domain(space));
}

/* Takes the map. All between its least and its most that have its equations: each k-th, if they say
 * so. */
static isl_map *
between_on_grid(isl_map *m)
{
    isl_map *grid = isl_map_from_basic_map(isl_map_affine_hull(isl_map_copy(m)));
    return isl_map_intersect(between(m), grid);
}

/* Whether an image is all of the box around it, or, `grid`, of the ints of the box that may be. */
static bool
is_box(isl_map *m, bool grid)
{
    isl_size n = isl_map_dim(m, isl_dim_out);
    isl_map *box = isl_map_intersect_domain(isl_map_universe(isl_map_get_space(m)),
                                            isl_map_domain(isl_map_copy(m)));
    for (int i = 0; i < n; i++) {
        isl_map *side = isl_map_project_out(isl_map_copy(m), isl_dim_out, (unsigned)i + 1,
                                            (unsigned)(n - i - 1));
        side = isl_map_project_out(side, isl_dim_out, 0, (unsigned)i);
        side = grid ? between_on_grid(side) : between(side);
        side = isl_map_insert_dims(side, isl_dim_out, 0, (unsigned)i);
        side = isl_map_insert_dims(side, isl_dim_out, (unsigned)i + 1, (unsigned)(n - i - 1));
        box = isl_map_intersect(box, side);
    }
    bool full = isl_map_is_subset(box, m) == isl_bool_true;
    isl_map_free(box);
    return full;
}

/* Of the ints of a side: each how many'th is there. */
static isl_val *
distance(isl_map *m, int side)
{
    isl_stride_info *info = isl_map_get_range_stride_info(m, side);
    isl_val *k = isl_stride_info_get_stride(info);
    isl_stride_info_free(info);
    if (isl_val_is_pos(k) == isl_bool_true) return k;
    isl_val_free(k);
    return isl_val_one(isl_map_get_ctx(m)); /* there is but one */
}

static isl_pw_qpolynomial *
box_size(isl_map *m, bool grid)
{
    isl_size n = isl_map_dim(m, isl_dim_out);
    isl_pw_qpolynomial *size = one_on(isl_map_domain(isl_map_copy(m)));
    for (int i = 0; i < n; i++) {
        isl_pw_aff *hi = isl_map_dim_max(isl_map_copy(m), i);
        isl_pw_aff *lo = isl_map_dim_min(isl_map_copy(m), i);
        isl_pw_qpolynomial *side = isl_pw_qpolynomial_from_pw_aff(isl_pw_aff_sub(hi, lo));
        if (grid) side = isl_pw_qpolynomial_scale_down_val(side, distance(m, i));
        isl_pw_qpolynomial *one = one_on(isl_map_domain(isl_map_copy(m)));
        size = isl_pw_qpolynomial_mul(size, isl_pw_qpolynomial_add(side, one));
    }
    return size;
}

/* Whether this side of an image follows from the others. */
static bool
follows(isl_map *m, int side)
{
    isl_size in = isl_map_dim(m, isl_dim_in), out = isl_map_dim(m, isl_dim_out);
    if (in < 0 || out < 0) return false;
    isl_map *of = isl_map_move_dims(isl_map_copy(m), isl_dim_in, (unsigned)in, isl_dim_out,
                                    (unsigned)side + 1, (unsigned)(out - side - 1));
    of = isl_map_move_dims(of, isl_dim_in, (unsigned)in, isl_dim_out, 0, (unsigned)side);
    bool single = isl_map_is_single_valued(of) == isl_bool_true;
    isl_map_free(of);
    return single;
}

/* NULL: not found. */
static isl_pw_qpolynomial *
plain_size(isl_map *m)
{
    if (isl_map_is_single_valued(m) == isl_bool_true)
        return one_on(isl_map_domain(isl_map_copy(m)));
    if (is_box(m, false)) return box_size(m, false);
    return is_box(m, true) ? box_size(m, true) : NULL;
}

static isl_pw_qpolynomial *size_of(isl_map *m);

/* Without a side that follows there are as many. NULL: none does, or not found. */
static isl_pw_qpolynomial *
size_without(isl_map *m)
{
    isl_size n = isl_map_dim(m, isl_dim_out);
    for (int i = 0; i < n && n > 1; i++) {
        if (!follows(m, i)) continue;
        isl_map *less = isl_map_project_out(isl_map_copy(m), isl_dim_out, (unsigned)i, 1);
        isl_pw_qpolynomial *size = size_of(less);
        isl_map_free(less);
        return size;
    }
    return NULL;
}

static isl_stat
add_part(isl_basic_map *part, void *user)
{
    isl_pw_qpolynomial **sum = user;
    isl_map *m = isl_map_from_basic_map(part);
    isl_pw_qpolynomial *size = plain_size(m);
    isl_map_free(m);
    *sum = size ? isl_pw_qpolynomial_add(*sum, size) : isl_pw_qpolynomial_free(*sum);
    return *sum ? isl_stat_ok : isl_stat_error;
}

static isl_pw_qpolynomial *
size_of_parts(isl_map *m)
{
    isl_map *parts = isl_map_make_disjoint(isl_map_copy(m));
    isl_space *space = isl_space_domain(isl_map_get_space(m));
    isl_pw_qpolynomial *sum = isl_pw_qpolynomial_zero(
        isl_space_add_dims(isl_space_from_domain(space), isl_dim_out, 1));
    if (isl_map_foreach_basic_map(parts, add_part, &sum) != isl_stat_ok)
        sum = isl_pw_qpolynomial_free(sum);
    isl_map_free(parts);
    return sum;
}

static isl_pw_qpolynomial *
size_of(isl_map *m)
{
    isl_pw_qpolynomial *size = plain_size(m);
    if (!size) size = size_of_parts(m);
    return size ? size : size_without(m);
}

struct count *
count_of(struct sets *s, struct rel *r)
{
    return sets_keep_count(s, r->it ? size_of(r->it) : NULL);
}

struct count *
count_add(struct sets *s, struct count *a, struct count *b)
{
    return sets_keep_count(s, isl_pw_qpolynomial_add(isl_pw_qpolynomial_copy(a->it),
                                                     isl_pw_qpolynomial_copy(b->it)));
}

bool
count_is_known(const struct count *c)
{
    return c->it;
}

/* ---- telling ---- */

enum { PIECES_MAX = 16, ROWS_MAX = 64, TERMS_MAX = 16, FLOORS_MAX = 16, DENOMINATOR_MAX = 1 << 20 };

/* One value and where it holds. */
struct part {
    isl_set *where;
    isl_set *there; /* with hidden columns, if anybody asks */
    isl_qpolynomial *value;
    bool constant;
    int64_t number;
};

struct telling {
    struct sets *s;
    struct set *domain;
    const bool *hidden_symbols, *hidden_words;
    int columns; /* symbols and words */
    int n;
    struct part part[PIECES_MAX];
    bool numbers; /* all are: the larger one comes first, and where it holds too it may be told */
    bool rough;   /* conditions are told without floors, */
    bool roughly; /* and some were */
    bool failed;
    bool asked;   /* what has fewer */
    struct count_floor *floors; /* of the piece that is being told; NULL: it must have none */
    int nfloors;
    int64_t by;
};

/* Symbols and words that are hidden may be anything. */
static isl_set *
uncovered(const struct telling *t, isl_set *it)
{
    isl_size symbols = isl_set_dim(it, isl_dim_param), words = isl_set_dim(it, isl_dim_set);
    for (int i = 0; i < symbols; i++)
        if (t->hidden_symbols[i]) it = isl_set_eliminate(it, isl_dim_param, (unsigned)i, 1);
    for (int i = 0; i < words; i++)
        if (t->hidden_words[i]) it = isl_set_eliminate(it, isl_dim_set, (unsigned)i, 1);
    return isl_set_coalesce(it);
}

static bool
is_hidden_in(const struct telling *t, isl_qpolynomial *value)
{
    isl_size symbols = isl_qpolynomial_dim(value, isl_dim_param);
    isl_size words = isl_qpolynomial_dim(value, isl_dim_in);
    for (int i = 0; i < symbols; i++)
        if (t->hidden_symbols[i] &&
            isl_qpolynomial_involves_dims(value, isl_dim_param, (unsigned)i, 1) != isl_bool_false)
            return true;
    for (int i = 0; i < words; i++)
        if (t->hidden_words[i] &&
            isl_qpolynomial_involves_dims(value, isl_dim_in, (unsigned)i, 1) != isl_bool_false)
            return true;
    return false;
}

static bool
small_int(isl_val *v, int64_t *out)
{
    bool good = v && isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, INT32_MAX) <= 0 &&
                isl_val_cmp_si(v, INT32_MIN) >= 0;
    if (good) *out = isl_val_get_num_si(v);
    isl_val_free(v);
    return good;
}

static isl_bool
is_constant(isl_qpolynomial *value, int64_t *number)
{
    isl_size symbols = isl_qpolynomial_dim(value, isl_dim_param);
    isl_size words = isl_qpolynomial_dim(value, isl_dim_in);
    if (symbols < 0 || words < 0) return isl_bool_error;
    if (isl_qpolynomial_involves_dims(value, isl_dim_param, 0, (unsigned)symbols) !=
            isl_bool_false ||
        isl_qpolynomial_involves_dims(value, isl_dim_in, 0, (unsigned)words) != isl_bool_false)
        return isl_bool_false;
    return small_int(isl_qpolynomial_get_constant_val(value), number) ? isl_bool_true
                                                                     : isl_bool_error;
}

/* Takes both. A value that is there already gets more room. */
static isl_stat
note_part(isl_set *where, isl_qpolynomial *value, void *user)
{
    struct telling *t = user;
    struct part p = {.value = value};
    isl_bool constant = is_constant(value, &p.number);
    p.constant = constant == isl_bool_true;
    where = isl_set_intersect(where, isl_set_copy(t->domain->it));
    if (t->asked) p.there = isl_set_copy(where);
    p.where = uncovered(t, where);
    int i = 0;
    while (i < t->n && !(p.constant && t->part[i].constant && p.number == t->part[i].number)) i++;
    t->failed |= constant == isl_bool_error || i == PIECES_MAX ||
                 (!p.constant && is_hidden_in(t, value));
    isl_bool empty = isl_set_is_empty(p.where);
    t->failed |= empty == isl_bool_error;
    if (t->failed || empty == isl_bool_true || (p.constant && !p.number)) {
        isl_set_free(p.where);
        isl_set_free(p.there);
        isl_qpolynomial_free(p.value);
        return t->failed ? isl_stat_error : isl_stat_ok;
    }
    if (i == t->n) {
        t->part[t->n++] = p;
        return isl_stat_ok;
    }
    t->part[i].where = isl_set_coalesce(isl_set_union(t->part[i].where, p.where));
    if (t->asked) t->part[i].there = isl_set_union(t->part[i].there, p.there);
    isl_qpolynomial_free(p.value);
    return isl_stat_ok;
}

/* The larger ones first. Where a value that is no number may meet another one nothing is known. */
static void
order_parts(struct telling *t)
{
    for (int i = 1; i < t->n; i++) {
        struct part p = t->part[i];
        int k = i;
        for (; k && p.constant && t->part[k - 1].number < p.number; k--)
            t->part[k] = t->part[k - 1];
        t->part[k] = p;
    }
    t->numbers = true;
    for (int i = 0; i < t->n; i++) t->numbers &= t->part[i].constant;
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < i; k++)
            if (!(t->part[i].constant && t->part[k].constant))
                t->failed |= isl_set_is_disjoint(t->part[i].where, t->part[k].where) !=
                             isl_bool_true;
}

/* What is told for a vector is the largest count of those that differ in hidden columns alone. */
static struct set *
with_fewer(const struct telling *t)
{
    isl_set *larger = isl_set_empty(isl_set_get_space(t->domain->it));
    isl_set *fewer = isl_set_copy(larger);
    isl_set *rest = isl_set_copy(t->domain->it);
    for (int i = 0; i < t->n; i++) {
        isl_set *there = isl_set_copy(t->part[i].there);
        rest = isl_set_subtract(rest, isl_set_copy(there));
        fewer = isl_set_union(fewer, isl_set_intersect(there, isl_set_copy(larger)));
        larger = isl_set_union(larger, isl_set_copy(t->part[i].where));
    }
    fewer = isl_set_union(fewer, isl_set_intersect(rest, larger));
    if (!t->roughly) return sets_keep_set(t->s, isl_set_coalesce(fewer));
    isl_set_free(fewer);
    return sets_keep_set(t->s, isl_set_copy(t->domain->it));
}

/* ---- rows ---- */

static struct sets_term
term_of_column(const struct sets *s, int column, int64_t factor)
{
    return column < s->symbols
               ? (struct sets_term){SETS_SYMBOL, column, factor}
               : (struct sets_term){SETS_FROM, column - s->symbols, factor};
}

/* Takes `by`, and the coefficient, which it makes an int. */
static bool
note_coefficient(struct count_floor *f, struct sets_term *terms, struct sets_term column,
                 isl_val *coefficient, isl_val *by)
{
    if (!small_int(isl_val_mul(coefficient, by), &column.factor)) return false;
    if (column.factor) terms[f->nterms++] = column;
    return true;
}

static int floor_of(struct telling *t, isl_aff *inside);

static bool
note_inside(struct telling *t, isl_aff *inside, isl_val *by, struct count_floor *f)
{
    static const enum isl_dim_type types[] = {isl_dim_param, isl_dim_in, isl_dim_div};
    struct sets_term *terms =
        arena_array(t->s->arena, struct sets_term, (size_t)t->columns + FLOORS_MAX);
    f->terms = terms;
    int column = 0;
    for (int k = 0; k < 3; k++) {
        isl_size n = isl_aff_dim(inside, types[k]);
        bool floors = types[k] == isl_dim_div;
        if (n < 0 || (floors && n > FLOORS_MAX)) return false;
        for (int i = 0; i < n; i++) {
            isl_val *c = isl_aff_get_coefficient_val(inside, types[k], i);
            struct sets_term to = {.space = SETS_FLOOR};
            if (!floors) to = term_of_column(t->s, column++, 1);
            else if (isl_val_is_zero(c) == isl_bool_false)
                to.number = floor_of(t, isl_aff_get_div(inside, i));
            if (to.number < 0) c = isl_val_free(c);
            if (!note_coefficient(f, terms, to, c, isl_val_copy(by))) return false;
        }
    }
    return small_int(isl_val_mul(isl_aff_get_constant_val(inside), isl_val_copy(by)), &f->k);
}

/* The number of the floor of it, which is taken; -1: it cannot be said. */
static int
floor_of(struct telling *t, isl_aff *inside)
{
    struct count_floor f = {0};
    isl_val *by = isl_aff_get_denominator_val(inside);
    bool good = t->floors && note_inside(t, inside, by, &f) && small_int(isl_val_copy(by), &f.by) &&
                t->nfloors < FLOORS_MAX;
    isl_val_free(by);
    isl_aff_free(inside);
    if (!good) return -1;
    t->floors[t->nfloors] = f;
    return t->nfloors++;
}

/* Behind the columns stand floors: of each, its number. */
static bool
row_of_matrix(struct telling *t, isl_mat *m, int at, const int *floors, struct sets_row *row)
{
    isl_size columns = isl_mat_cols(m);
    struct sets_term *terms = arena_array(t->s->arena, struct sets_term, (size_t)columns);
    if (!small_int(isl_mat_get_element_val(m, at, 0), &row->k)) return false;
    row->nterms = 0;
    row->terms = terms;
    for (int i = 1; i < columns; i++) {
        int64_t factor;
        if (!small_int(isl_mat_get_element_val(m, at, i), &factor)) return false;
        struct sets_term column = {SETS_FLOOR, 0, factor};
        if (i <= t->columns) column = term_of_column(t->s, i - 1, factor);
        else column.number = floors[i - 1 - t->columns];
        if (factor) terms[row->nterms++] = column;
    }
    return true;
}

struct listing {
    struct telling *t;
    struct sets_piece *any;
    int n;
};

/* Takes the set. `rough`: where only each second vector counts, say, all do. */
static isl_stat
note_rows(isl_basic_set *b, void *user)
{
    struct listing *list = user;
    struct telling *t = list->t;
    if (t->rough) b = isl_basic_set_remove_divs(b);
    isl_mat *m[2];
    int floors[FLOORS_MAX];
    isl_size nfloors = isl_basic_set_dim(b, isl_dim_div);
    bool good = nfloors >= 0 && nfloors <= FLOORS_MAX;
    for (int i = 0; i < nfloors && good; i++) {
        floors[i] = floor_of(t, isl_basic_set_get_div(b, i));
        good = floors[i] >= 0;
    }
    for (int equal = 0; equal < 2; equal++)
        m[equal] = (equal ? isl_basic_set_equalities_matrix : isl_basic_set_inequalities_matrix)(
            b, isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div);
    isl_basic_set_free(b);
    isl_size n[2] = {isl_mat_rows(m[0]), isl_mat_rows(m[1])};
    good = good && n[0] >= 0 && n[1] >= 0 && n[0] + n[1] <= ROWS_MAX && list->n < PIECES_MAX &&
           isl_mat_cols(m[0]) == 1 + t->columns + nfloors;
    struct sets_row *rows = arena_array(t->s->arena, struct sets_row, ROWS_MAX);
    struct sets_piece piece = {0, 0, rows};
    for (int equal = 0; equal < 2 && good; equal++)
        for (int i = 0; i < n[equal] && good; i++) {
            rows[piece.nrows].equal = equal;
            good = row_of_matrix(t, m[equal], i, floors, &rows[piece.nrows++]);
        }
    isl_mat_free(m[0]);
    isl_mat_free(m[1]);
    if (good) list->any[list->n++] = piece;
    return good ? isl_stat_ok : isl_stat_error;
}

struct terms {
    struct telling *t;
    struct count_term *row;
    int n;
};

static bool
note_columns(struct terms *list, isl_term *term, enum isl_dim_type type, int first,
             struct count_term *out)
{
    isl_size n = isl_term_dim(term, type);
    for (int i = 0; i < n; i++) {
        isl_size times = isl_term_get_exp(term, type, (unsigned)i);
        if (!times) continue;
        struct sets_term column = {SETS_FLOOR, 0, 1};
        if (type == isl_dim_div) column.number = floor_of(list->t, isl_term_get_div(term, i));
        else column = term_of_column(list->t->s, first + i, 1);
        if (column.number < 0) return false;
        for (int k = 0; k < times; k++) {
            if (out->n == (int)(sizeof out->column / sizeof *out->column)) return false;
            out->column[out->n++] = column;
        }
    }
    return n >= 0;
}

/* Takes the term. */
static isl_stat
note_denominator(isl_term *term, void *user)
{
    struct telling *t = user;
    isl_val *c = isl_term_get_coefficient_val(term);
    int64_t by = c ? isl_val_get_den_si(c) : 0;
    isl_val_free(c);
    isl_term_free(term);
    if (by < 1 || by > DENOMINATOR_MAX) return isl_stat_error;
    int64_t all = t->by;
    while (all % by) all += t->by;
    t->by = all;
    return all <= DENOMINATOR_MAX ? isl_stat_ok : isl_stat_error;
}

/* Takes the term. */
static isl_stat
note_term(isl_term *term, void *user)
{
    struct terms *list = user;
    struct count_term out = {0};
    isl_val *by = isl_val_int_from_si(list->t->s->ctx, list->t->by);
    bool good = list->n < TERMS_MAX &&
                small_int(isl_val_mul(isl_term_get_coefficient_val(term), by), &out.factor) &&
                note_columns(list, term, isl_dim_param, 0, &out) &&
                note_columns(list, term, isl_dim_set, list->t->s->symbols, &out) &&
                note_columns(list, term, isl_dim_div, 0, &out);
    isl_term_free(term);
    if (good) list->row[list->n++] = out;
    return good ? isl_stat_ok : isl_stat_error;
}

static bool
piece_of(struct telling *t, const struct part *p, struct set *where, struct count_piece *out)
{
    struct listing list = {t, arena_array(t->s->arena, struct sets_piece, PIECES_MAX), 0};
    struct terms terms = {t, arena_array(t->s->arena, struct count_term, TERMS_MAX), 0};
    t->floors = arena_array(t->s->arena, struct count_floor, FLOORS_MAX);
    t->nfloors = 0;
    t->by = 1;
    if (isl_qpolynomial_foreach_term(p->value, note_denominator, t) != isl_stat_ok) return false;
    if (isl_set_foreach_basic_set(where->it, note_rows, &list) != isl_stat_ok) return false;
    if (isl_qpolynomial_foreach_term(p->value, note_term, &terms) != isl_stat_ok) return false;
    *out = (struct count_piece){list.n, terms.n, list.any, terms.row, t->floors, t->by};
    return true;
}

bool
set_tell(struct sets *s, struct set *a, struct count_piece *out)
{
    if (!a->it) return false;
    isl_size columns = isl_set_dim(a->it, isl_dim_set);
    struct telling t = {.s = s, .columns = columns};
    struct listing list = {&t, arena_array(s->arena, struct sets_piece, PIECES_MAX), 0};
    int symbols = s->symbols;
    s->symbols = 0;
    bool good = isl_set_dim(a->it, isl_dim_param) == 0 &&
                isl_set_foreach_basic_set(a->it, note_rows, &list) == isl_stat_ok;
    s->symbols = symbols;
    *out = (struct count_piece){.nany = list.n, .any = list.any};
    return good;
}

static void
free_parts(struct telling *t)
{
    for (int i = 0; i < t->n; i++) {
        isl_set_free(t->part[i].where);
        isl_set_free(t->part[i].there);
        isl_qpolynomial_free(t->part[i].value);
    }
}

/* Where numbers are everywhere, the least need not say where it is: it comes last. */
static void
widen_last(struct telling *t)
{
    if (!t->numbers || !t->n) return;
    isl_set *all = uncovered(t, isl_set_copy(t->domain->it)), *rest = isl_set_copy(all);
    for (int i = 0; i < t->n; i++) rest = isl_set_subtract(rest, isl_set_copy(t->part[i].where));
    if (isl_set_is_empty(rest) == isl_bool_true) {
        isl_set_free(t->part[t->n - 1].where);
        t->part[t->n - 1].where = isl_set_copy(all);
    }
    isl_set_free(rest);
    isl_set_free(all);
}

/* Handles are the sets', so that nothing is lost if the arena jumps. */
static bool
tell_parts(struct telling *t, struct count_text *out)
{
    struct sets *s = t->s;
    struct count_piece *pieces = arena_array(s->arena, struct count_piece, PIECES_MAX + 1);
    bool good = true;
    for (int i = 0; i < t->n && good; i++) {
        isl_set *context = uncovered(t, isl_set_copy(t->domain->it));
        isl_set *where = isl_set_gist(isl_set_copy(t->part[i].where), context);
        where = isl_set_compute_divs(isl_set_coalesce(where));
        struct set *kept = sets_keep_set(s, where);
        good = piece_of(t, &t->part[i], kept, &pieces[i]);
        if (good || !t->numbers) continue;
        t->rough = true; /* which is never too few */
        good = piece_of(t, &t->part[i], kept, &pieces[i]);
        t->rough = false;
        t->roughly = true;
    }
    *out = (struct count_text){t->n, pieces};
    return good;
}

bool
count_tell(struct sets *s, struct count *c, struct set *domain, const bool *hidden_symbols,
           const bool *hidden_words, struct count_text *out, struct set **fewer)
{
    struct telling t = {.s = s,
                        .domain = domain,
                        .hidden_symbols = hidden_symbols,
                        .hidden_words = hidden_words,
                        .asked = fewer};
    if (domain->it)
        t.columns = isl_set_dim(domain->it, isl_dim_param) + isl_set_dim(domain->it, isl_dim_set);
    if (!c->it || !domain->it) return false;
    t.failed = isl_pw_qpolynomial_foreach_piece(c->it, note_part, &t) != isl_stat_ok;
    if (!t.failed) order_parts(&t);
    if (!t.failed) widen_last(&t);
    bool good = !t.failed && tell_parts(&t, out);
    if (good && fewer) *fewer = with_fewer(&t);
    free_parts(&t);
    return good;
}
