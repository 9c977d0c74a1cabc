/* sets_compare.c - which of two counts is more, and where. */
#include "lang/prove/sets_parts.h"

#include <isl/aff.h>
#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>

struct count *
count_from(struct sets *s, struct rel *r)
{
    isl_pw_multi_aff *words = isl_pw_multi_aff_from_map(isl_map_copy(r->it));
    isl_pw_aff *word = isl_pw_multi_aff_get_pw_aff(words, 0);
    isl_pw_multi_aff_free(words);
    return sets_keep_count(s, isl_pw_qpolynomial_from_pw_aff(word));
}

/* A polynomial as a sum of columns and floors; NULL: it is none. */
struct flat {
    isl_aff *sum;
    bool failed;
};

static bool
add_columns(struct flat *f, isl_term *t, enum isl_dim_type type, enum isl_dim_type in, isl_val *v,
            int *columns)
{
    isl_size n = isl_term_dim(t, type);
    for (int i = 0; i < n; i++) {
        isl_size times = isl_term_get_exp(t, type, (unsigned)i);
        if (!times) continue;
        *columns += times;
        f->sum = isl_aff_add_coefficient_val(f->sum, in, i, isl_val_copy(v));
    }
    return n >= 0;
}

static bool
add_floors(struct flat *f, isl_term *t, isl_val *v, int *columns)
{
    isl_size n = isl_term_dim(t, isl_dim_div);
    for (int i = 0; i < n; i++) {
        isl_size times = isl_term_get_exp(t, isl_dim_div, (unsigned)i);
        if (!times) continue;
        *columns += times;
        isl_aff *whole = isl_aff_floor(isl_term_get_div(t, (unsigned)i));
        f->sum = isl_aff_add(f->sum, isl_aff_scale_val(whole, isl_val_copy(v)));
    }
    return n >= 0;
}

/* Takes the term. */
static isl_stat
add_term(isl_term *t, void *user)
{
    struct flat *f = user;
    isl_val *v = isl_term_get_coefficient_val(t);
    int columns = 0;
    bool good = v && add_columns(f, t, isl_dim_param, isl_dim_param, v, &columns) &&
                add_columns(f, t, isl_dim_set, isl_dim_in, v, &columns) &&
                add_floors(f, t, v, &columns) && columns <= 1;
    if (good && !columns) f->sum = isl_aff_add_constant_val(f->sum, isl_val_copy(v));
    isl_val_free(v);
    isl_term_free(t);
    f->failed |= !good;
    return good ? isl_stat_ok : isl_stat_error;
}

struct search {
    isl_set *found;
    bool failed;
};

/* Takes both: where the value is more than 0. */
static isl_stat
add_positive(isl_set *where, isl_qpolynomial *value, void *user)
{
    struct search *search = user;
    isl_space *space = isl_set_get_space(where);
    struct flat f = {isl_aff_zero_on_domain(isl_local_space_from_space(space)), false};
    isl_stat walked = isl_qpolynomial_foreach_term(value, add_term, &f);
    isl_qpolynomial_free(value);
    if (walked != isl_stat_ok || f.failed || !f.sum) {
        isl_aff_free(f.sum);
        isl_set_free(where);
        search->failed = true;
        return isl_stat_error;
    }
    isl_set *positive = isl_pw_aff_pos_set(isl_pw_aff_from_aff(f.sum));
    search->found = isl_set_union(search->found, isl_set_intersect(where, positive));
    return isl_stat_ok;
}

struct set *
count_more(struct sets *s, struct count *a, struct count *b)
{
    isl_pw_qpolynomial *more =
        isl_pw_qpolynomial_sub(isl_pw_qpolynomial_copy(a->it), isl_pw_qpolynomial_copy(b->it));
    isl_space *space = more ? isl_pw_qpolynomial_get_domain_space(more) : NULL;
    struct search search = {space ? isl_set_empty(space) : NULL, false};
    if (isl_pw_qpolynomial_foreach_piece(more, add_positive, &search) != isl_stat_ok ||
        search.failed)
        search.found = isl_set_free(search.found);
    isl_pw_qpolynomial_free(more);
    return sets_keep_set(s, search.found);
}

static isl_point *
set_words(isl_point *p, struct sets *s, enum isl_dim_type type, const int64_t *words)
{
    isl_space *space = isl_point_get_space(p);
    isl_size n = isl_space_dim(space, type);
    isl_space_free(space);
    for (int i = 0; i < n; i++)
        p = isl_point_set_coordinate_val(p, type, i, isl_val_int_from_si(s->ctx, words[i]));
    return p;
}

bool
count_at(struct sets *s, struct count *c, const int64_t *symbols, const int64_t *words,
         int64_t *value)
{
    if (!c->it) return false;
    isl_point *p = isl_point_zero(isl_pw_qpolynomial_get_domain_space(c->it));
    p = set_words(set_words(p, s, isl_dim_param, symbols), s, isl_dim_set, words);
    isl_val *v = isl_pw_qpolynomial_eval(isl_pw_qpolynomial_copy(c->it), p);
    bool good = v && isl_val_is_int(v) == isl_bool_true;
    if (good) *value = isl_val_get_num_si(v);
    isl_val_free(v);
    return good;
}
