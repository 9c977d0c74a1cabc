/* sets.c - see sets.h: with sets_count.c and sets_compare.c the one door to isl.
 *
 * isl counts its own steps and gives NULL when there were too many. Symbols are isl's parameters,
 * which have no names here: all sets of one question have as many. */
#include "lang/prove/sets_parts.h"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/space.h>
#include <isl/val.h>


/* Of one question, and of all: about a second. */
enum { STEPS_ONE = 200000, STEPS_ALL = 3000000 };

struct sets *
sets_new(struct arena *a)
{
    struct sets *s = arena_new_of(a, struct sets);
    s->arena = a;
    s->left = STEPS_ALL;
    s->times = 1;
    s->next_set = arena_new_of(a, struct set);
    s->next_rel = arena_new_of(a, struct rel);
    s->next_count = arena_new_of(a, struct count);
    sets_guard_memory(s);
    s->ctx = isl_ctx_alloc();
    if (!s->ctx) return NULL;
    isl_options_set_on_error(s->ctx, ISL_ON_ERROR_CONTINUE);
    return s;
}

static void
free_handles(struct sets *s)
{
    for (struct set *x = s->sets; x; x = x->next) isl_set_free(x->it);
    for (struct rel *x = s->rels; x; x = x->next) isl_map_free(x->it);
    for (struct count *x = s->counts; x; x = x->next) isl_pw_qpolynomial_free(x->it);
    s->sets = NULL;
    s->rels = NULL;
    s->counts = NULL;
}

void
sets_free(struct sets *s)
{
    if (!s || s->broken) return;
    free_handles(s);
    isl_ctx_free(s->ctx);
}

/* Whether more than so many steps were taken: isl does not say how many, but fails. */
static bool
took_more(struct sets *s, unsigned long steps)
{
    isl_ctx_reset_error(s->ctx);
    isl_ctx_set_max_operations(s->ctx, steps);
    isl_val *v = isl_val_int_from_si(s->ctx, 1);
    isl_val_free(v);
    return !v;
}

static void
charge(struct sets *s)
{
    static const unsigned long marks[] = {500, 2000, 10000, 50000, STEPS_ONE};
    unsigned i = 0;
    while (i + 1 < sizeof marks / sizeof *marks && took_more(s, marks[i] * s->times)) i++;
    s->left -= s->left < marks[i] ? s->left : marks[i];
}

void
sets_begin(struct sets *s, int symbols)
{
    free_handles(s);
    if (s->begun) charge(s);
    s->begun = true;
    s->symbols = symbols;
    isl_ctx_reset_operations(s->ctx);
    isl_ctx_reset_error(s->ctx);
    unsigned long most = s->left < STEPS_ONE ? s->left : STEPS_ONE;
    isl_ctx_set_max_operations(s->ctx, most ? most * s->times : 1);
}

struct set *
sets_keep_set(struct sets *s, isl_set *it)
{
    struct set *x = s->next_set;
    *x = (struct set){s->sets, it};
    s->sets = x;
    s->next_set = arena_new_of(s->arena, struct set);
    return x;
}

static struct rel *
keep_rel(struct sets *s, isl_map *it)
{
    struct rel *x = s->next_rel;
    *x = (struct rel){s->rels, it};
    s->rels = x;
    s->next_rel = arena_new_of(s->arena, struct rel);
    return x;
}

struct count *
sets_keep_count(struct sets *s, isl_pw_qpolynomial *it)
{
    struct count *x = s->next_count;
    *x = (struct count){s->counts, it};
    s->counts = x;
    s->next_count = arena_new_of(s->arena, struct count);
    return x;
}

void
sets_take_time(struct sets *s, unsigned times)
{
    s->times = times;
}

void
sets_narrow(struct sets *s, int symbols)
{
    s->symbols = symbols;
}

static isl_set *
take(const struct set *a)
{
    return isl_set_copy(a->it);
}

/* ---- from rows ---- */

/* The columns of a matrix: the constant, symbols, from, to, some. */
static int
column(const struct sets *s, int from, int to, const struct sets_term *t)
{
    switch (t->space) {
    case SETS_SYMBOL:
        return 1 + t->number;
    case SETS_FROM:
        return 1 + s->symbols + t->number;
    case SETS_TO:
        return 1 + s->symbols + from + t->number;
    default:
        return 1 + s->symbols + from + to + t->number;
    }
}

static isl_mat *
matrix(struct sets *s, int from, int to, const struct sets_piece *p, bool equal)
{
    unsigned rows = 0, columns = (unsigned)(1 + s->symbols + from + to + p->nsome), at = 0;
    for (int i = 0; i < p->nrows; i++) rows += p->rows[i].equal == equal;
    isl_mat *m = isl_mat_alloc(s->ctx, rows, columns);
    for (unsigned i = 0; i < rows; i++)
        for (unsigned k = 0; k < columns; k++) m = isl_mat_set_element_si(m, (int)i, (int)k, 0);
    for (int i = 0; i < p->nrows; i++) {
        const struct sets_row *r = &p->rows[i];
        if (r->equal != equal) continue;
        m = isl_mat_set_element_val(m, (int)at, 0, isl_val_int_from_si(s->ctx, r->k));
        for (int k = 0; k < r->nterms; k++)
            m = isl_mat_set_element_val(m, (int)at, column(s, from, to, &r->terms[k]),
                                        isl_val_int_from_si(s->ctx, r->terms[k].factor));
        at++;
    }
    return m;
}

static isl_map *
map_of_piece(struct sets *s, int from, int to, const struct sets_piece *p)
{
    isl_space *space =
        isl_space_alloc(s->ctx, (unsigned)s->symbols, (unsigned)from, (unsigned)(to + p->nsome));
    isl_basic_map *b = isl_basic_map_from_constraint_matrices(
        space, matrix(s, from, to, p, true), matrix(s, from, to, p, false), isl_dim_cst,
        isl_dim_param, isl_dim_in, isl_dim_out, isl_dim_div);
    b = isl_basic_map_project_out(b, isl_dim_out, (unsigned)to, (unsigned)p->nsome);
    return isl_map_from_basic_map(b);
}

struct rel *
rel_of(struct sets *s, int from, int to, const struct sets_piece *pieces, int n)
{
    isl_map *m =
        isl_map_empty(isl_space_alloc(s->ctx, (unsigned)s->symbols, (unsigned)from, (unsigned)to));
    for (int i = 0; i < n; i++) m = isl_map_union(m, map_of_piece(s, from, to, &pieces[i]));
    return keep_rel(s, n > 1 ? isl_map_coalesce(m) : m);
}

/* ---- operations ---- */

struct set *
rel_range(struct sets *s, struct rel *r)
{
    return sets_keep_set(s, isl_map_range(isl_map_copy(r->it)));
}

struct set *
rel_domain(struct sets *s, struct rel *r)
{
    return sets_keep_set(s, isl_map_domain(isl_map_copy(r->it)));
}

struct set *
rel_twice(struct sets *s, struct rel *r)
{
    isl_map *back = isl_map_reverse(isl_map_copy(r->it));
    isl_set *pairs = isl_map_wrap(isl_map_lex_lt(isl_space_range(isl_map_get_space(back))));
    isl_map *both = isl_map_range_product(isl_map_copy(back), back);
    return sets_keep_set(s, isl_map_domain(isl_map_intersect_range(both, pairs)));
}

struct set *
rel_back(struct sets *s, struct rel *r, struct set *to)
{
    return sets_keep_set(s, isl_map_domain(isl_map_intersect_range(isl_map_copy(r->it), take(to))));
}

struct rel *
rel_within(struct sets *s, struct rel *r, struct set *from)
{
    return keep_rel(s, isl_map_intersect_domain(isl_map_copy(r->it), take(from)));
}

struct rel *
rel_given(struct sets *s, struct rel *r, struct set *symbols)
{
    isl_size n = isl_set_dim(symbols->it, isl_dim_set), m = isl_set_dim(symbols->it, isl_dim_param);
    isl_set *values = take(symbols);
    if (m > 0) values = isl_set_project_out(values, isl_dim_param, 0, (unsigned)m);
    values = isl_set_move_dims(values, isl_dim_param, 0, isl_dim_set, 0, n > 0 ? (unsigned)n : 0);
    return keep_rel(s, isl_map_intersect_params(isl_map_copy(r->it), isl_set_params(values)));
}

struct rel *
rel_meeting(struct sets *s, struct rel *a, struct rel *b)
{
    return keep_rel(s, isl_map_coalesce(isl_map_apply_range(
                           isl_map_copy(a->it), isl_map_reverse(isl_map_copy(b->it)))));
}

struct rel *
rel_then(struct sets *s, struct rel *a, struct rel *b)
{
    return keep_rel(s, isl_map_coalesce(isl_map_apply_range(isl_map_copy(a->it),
                                                            isl_map_copy(b->it))));
}

struct set *
rel_same(struct sets *s, struct rel *r)
{
    isl_map *same = isl_map_identity(isl_map_get_space(r->it));
    return sets_keep_set(s, isl_map_domain(isl_map_intersect(isl_map_copy(r->it), same)));
}

struct rel *
rel_either(struct sets *s, struct rel *a, struct rel *b)
{
    return keep_rel(s, isl_map_coalesce(isl_map_union(isl_map_copy(a->it), isl_map_copy(b->it))));
}

struct rel *
rel_identity(struct sets *s, int n)
{
    return keep_rel(s, isl_map_identity(isl_space_alloc(s->ctx, (unsigned)s->symbols, (unsigned)n,
                                                        (unsigned)n)));
}

struct rel *
rel_to(struct sets *s, struct set *to)
{
    return keep_rel(s, isl_map_from_range(take(to)));
}

struct set *
set_meet(struct sets *s, struct set *a, struct set *b)
{
    return sets_keep_set(s, isl_set_intersect(take(a), take(b)));
}

struct set *
set_less(struct sets *s, struct set *a, struct set *b)
{
    return sets_keep_set(s, isl_set_subtract(take(a), take(b)));
}

struct set *
set_either(struct sets *s, struct set *a, struct set *b)
{
    return sets_keep_set(s, isl_set_union(take(a), take(b)));
}

struct set *
set_symbols(struct sets *s, struct set *a)
{
    isl_size n = isl_set_dim(a->it, isl_dim_param);
    isl_set *values = isl_set_from_params(isl_set_params(take(a)));
    values = isl_set_move_dims(values, isl_dim_set, 0, isl_dim_param, 0, n > 0 ? (unsigned)n : 0);
    return sets_keep_set(s, isl_set_coalesce(values));
}

struct set *
set_cut(struct sets *s, struct set *a, int first)
{
    isl_size n = isl_set_dim(a->it, isl_dim_set);
    isl_set *it = take(a);
    if (n > first)
        it = isl_set_project_out(it, isl_dim_set, (unsigned)first, (unsigned)(n - first));
    return sets_keep_set(s, it);
}

struct set *
set_with(struct sets *s, struct set *a, const int64_t *symbols, int n)
{
    isl_set *it = take(a);
    for (int i = 0; i < n; i++)
        it = isl_set_fix_val(it, isl_dim_param, (unsigned)i,
                             isl_val_int_from_si(s->ctx, symbols[i]));
    return sets_keep_set(s, it);
}

struct set *
set_begins(struct sets *s, struct set *a, const int64_t *words, int n)
{
    isl_set *it = take(a);
    for (int i = 0; i < n; i++)
        it = isl_set_fix_val(it, isl_dim_set, (unsigned)i, isl_val_int_from_si(s->ctx, words[i]));
    return sets_keep_set(s, it);
}

struct set *
set_box(struct sets *s, struct set *like, const int64_t *lo, const int64_t *hi)
{
    isl_set *it = isl_set_universe(isl_set_get_space(like->it));
    isl_size n = isl_set_dim(it, isl_dim_set);
    for (int i = 0; i < n; i++) {
        isl_val *from = isl_val_int_from_si(s->ctx, lo[i]);
        it = isl_set_lower_bound_val(it, isl_dim_set, (unsigned)i, from);
        isl_val *to = isl_val_int_from_si(s->ctx, hi[i]);
        it = isl_set_upper_bound_val(it, isl_dim_set, (unsigned)i, to);
    }
    return sets_keep_set(s, it);
}

struct set *
set_point(struct sets *s, struct set *like, const int64_t *words)
{
    isl_set *it = isl_set_universe(isl_set_get_space(like->it));
    isl_size n = isl_set_dim(it, isl_dim_set);
    for (int i = 0; i < n; i++)
        it = isl_set_fix_val(it, isl_dim_set, (unsigned)i, isl_val_int_from_si(s->ctx, words[i]));
    return sets_keep_set(s, it);
}

/* ---- answers ---- */

static enum answer
answer(isl_bool b)
{
    return b == isl_bool_error ? UNKNOWN : b ? YES : NO;
}

enum answer
set_empty(struct sets *s, struct set *a)
{
    (void)s;
    return answer(isl_set_is_empty(a->it));
}

enum answer
set_within(struct sets *s, struct set *a, struct set *b)
{
    (void)s;
    return answer(isl_set_is_subset(a->it, b->it));
}

enum answer
rel_part_of(struct sets *s, struct rel *a, struct rel *b)
{
    (void)s;
    return answer(isl_map_is_subset(a->it, b->it));
}

struct extreme {
    isl_aff *word;
    bool most, any, failed;
    int64_t value;
};

/* Takes the piece. */
static isl_stat
add_extreme(isl_basic_set *piece, void *who)
{
    struct extreme *x = who;
    isl_set *it = isl_set_from_basic_set(piece);
    isl_val *v = x->most ? isl_set_max_val(it, x->word) : isl_set_min_val(it, x->word);
    isl_set_free(it);
    bool none = v && isl_val_is_nan(v) == isl_bool_true;
    x->failed |= !v || (!none && isl_val_is_int(v) != isl_bool_true);
    if (!x->failed && !none) {
        int64_t value = isl_val_get_num_si(v);
        if (!x->any || (x->most ? value > x->value : value < x->value)) x->value = value;
        x->any = true;
    }
    isl_val_free(v);
    return x->failed ? isl_stat_error : isl_stat_ok;
}

/* Takes the set. Piece by piece: isl takes 0 for the first one's if that is empty. */
static bool
extreme(isl_set *it, int word, bool most, int64_t *value)
{
    struct extreme x = {.most = most};
    x.word = isl_aff_var_on_domain(isl_local_space_from_space(isl_set_get_space(it)), isl_dim_set,
                                   (unsigned)word);
    x.failed |= isl_set_foreach_basic_set(it, add_extreme, &x) != isl_stat_ok;
    isl_aff_free(x.word);
    isl_set_free(it);
    if (x.any && !x.failed) *value = x.value;
    return x.any && !x.failed;
}

/* A copy whose symbols are projected out, so that bounds are numbers. */
static isl_set *
without_symbols(const struct set *a)
{
    isl_size n = isl_set_dim(a->it, isl_dim_param);
    return n > 0 ? isl_set_project_out(take(a), isl_dim_param, 0, (unsigned)n) : take(a);
}

bool
set_bound(struct sets *s, struct set *a, int word, bool most, int64_t *value)
{
    (void)s;
    return extreme(without_symbols(a), word, most, value);
}

bool
set_nearest(struct sets *s, struct set *a, int64_t *words)
{
    isl_size n = isl_set_dim(a->it, isl_dim_set);
    if (n < 0) return false;
    isl_set *it = without_symbols(a);
    bool found = isl_set_is_empty(it) == isl_bool_false;
    for (int i = 0; i < n && found; i++) {
        isl_set *up = isl_set_lower_bound_si(isl_set_copy(it), isl_dim_set, (unsigned)i, 0);
        bool below = isl_set_is_empty(up) == isl_bool_true;
        if (below) isl_set_free(up);
        words[i] = 0;
        found = extreme(below ? isl_set_copy(it) : up, i, below, &words[i]);
        it = isl_set_fix_val(it, isl_dim_set, (unsigned)i, isl_val_int_from_si(s->ctx, words[i]));
    }
    isl_set_free(it);
    return found;
}
