/* judge.c - see judge.h. */
#include "lang/prove/judge.h"

#include "lang/prove/code.h"
#include "lang/prove/replay.h"

/* ---- how certain ---- */

/* The symbols for which all accesses happen at least once. */
static struct set *
all_happen(struct question *q)
{
    struct set *all = q->all;
    for (int reads = 0; reads < 2; reads++)
        for (const struct access *x = reads ? q->t->reads : q->t->writes; x; x = x->next) {
            struct rel *r = access_rel(q->w, q->sets, x, q->t->n, q->number);
            if (!r) continue;
            struct set *some = set_symbols(q->sets, rel_domain(q->sets, r));
            all = set_meet(q->sets, all, some);
        }
    return all;
}

/* The values of main's arguments in `all`, without those for which some value of the other symbols
 * is not in `good`. */
static struct set *
decided(struct question *q, struct set *good)
{
    struct sets *s = q->sets;
    struct set *bad = set_less(s, q->all, good);
    return set_less(s, set_cut(s, q->all, q->mains), set_cut(s, bad, q->mains));
}

/* Narrows `values` to where a witness should be looked for. `mains`: what decides, if that is
 * likely to be met, and `refused`: all that decides. */
static enum degree
judge(struct question *q, struct set *v, struct set **values, struct set **mains,
      struct set **refused)
{
    struct sets *s = q->sets;
    if (set_empty(s, v) != NO) return DEGREE_NONE;
    *values = set_symbols(s, v);
    *mains = *refused = NULL;
    if (!q->symbols) return DEGREE_CERTAIN;
    struct set *some = set_meet(s, *values, q->all);
    if (set_empty(s, some) != NO) return DEGREE_NONE;
    struct set *busy = set_meet(s, some, all_happen(q));
    bool certain = set_within(s, q->all, *values) == YES;
    *values = set_empty(s, busy) == NO ? busy : some;
    if (certain) return DEGREE_CERTAIN;
    if (!q->mains) return DEGREE_POSSIBLE;
    *mains = decided(q, busy);
    if (set_empty(s, *mains) != NO) return DEGREE_POSSIBLE;
    *refused = decided(q, some);
    return DEGREE_LIKELY;
}

/* ---- witnesses ---- */

/* Whether one argument decides, and which of its values. */
static void
describe_main(struct question *q, struct set *mains, struct finding *f)
{
    struct sets *s = q->sets;
    int64_t from, to;
    if (q->mains != 1 || !set_bound(s, mains, 0, false, &from) ||
        !set_bound(s, mains, 0, true, &to))
        return;
    struct sets_term x = {SETS_TO, 0, 1}, minus = {SETS_TO, 0, -1};
    struct sets_row rows[] = {{false, -from, 1, &x}, {false, to, 1, &minus}};
    struct sets_piece piece = {0, 2, rows};
    int symbols = q->symbols;
    sets_narrow(s, 0); /* vectors of symbols have none themselves */
    struct set *between = rel_range(s, rel_of(s, 0, 1, &piece, 1));
    f->alone = set_within(s, between, mains) == YES;
    sets_narrow(s, symbols);
    f->from = from;
    f->to = to;
}

/* As C over main's frame, if nothing else decides; else NULL. */
static const char *
text_of_mains(struct question *q, struct set *mains)
{
    struct count_piece where;
    const char **words = arena_array(q->arena, const char *, (size_t)q->mains + 1);
    if (q->mains != q->symbols || !set_tell(q->sets, mains, &where)) return NULL;
    for (int i = 0; i < q->mains; i++)
        words[i] = arena_printf(q->arena, "(int64_t)F(%u)",
                                (unsigned)q->w->fixed[q->old[i]].word);
    struct buf b = {0};
    struct code_columns columns = {NULL, words};
    for (int i = 0; i < q->mains; i++) buf_printf(&b, "LUNA_SMALL(%s) && ", words[i]);
    buf_str(&b, "(");
    code_where(&b, &columns, &where);
    buf_str(&b, ")");
    return arena_text(q->arena, &b);
}

/* A run is refused for each of them, though one is told. */
static void
refuse_main(struct question *q, struct set *mains, struct finding *best)
{
    struct set *all = q->refused ? set_either(q->sets, q->refused, mains) : mains;
    const char *text = text_of_mains(q, all);
    if (!text) return;
    q->refused = all;
    best->refuse = text;
}

/* That all comparisons are of numbers, if that is enough. */
static struct set *
without_nans(struct question *q, struct set *values)
{
    struct set *ordered = access_ordered(q->w, q->sets, q->number);
    if (!ordered) return values;
    ordered = set_meet(q->sets, values, set_symbols(q->sets, ordered));
    return set_empty(q->sets, ordered) == NO ? ordered : values;
}

/* Values for the symbols, main's first. */
static bool
choose_symbols(struct question *q, struct set *values, struct set *mains, int64_t *symbols)
{
    struct sets *s = q->sets;
    if (mains && !set_nearest(s, mains, symbols)) return false;
    if (mains) values = set_begins(s, values, symbols, q->mains);
    return set_nearest(s, without_nans(q, values), symbols);
}

/* The least instance that touches the vector, or the next one behind `not`. */
static const int64_t *
choose_instance(struct question *q, const struct access *x, struct set *point,
                const int64_t *symbols, const int64_t * not )
{
    struct sets *s = q->sets;
    struct rel *r = access_rel(q->w, s, x, q->t->n, q->number);
    int64_t *at = question_words(q, access_loops(x));
    if (!r) return NULL;
    struct set *from = set_with(s, rel_back(s, r, point), symbols, q->symbols);
    if (not ) from = set_less(s, from, set_point(s, from, not ));
    return set_nearest(s, from, at) ? at : NULL;
}

static bool
find_witness(struct question *q, struct set *v, struct set *values, struct set *mains,
             struct finding *f)
{
    struct sets *s = q->sets;
    int64_t *symbols = question_words(q, q->symbols), *vector = question_words(q, q->t->n);
    int64_t *fixed = question_words(q, q->w->nfixed);
    if (q->symbols && !choose_symbols(q, values, mains, symbols)) return false;
    v = set_with(s, v, symbols, q->symbols);
    if (!set_nearest(s, v, vector)) return false;
    struct set *point = set_point(s, v, vector);
    f->at = choose_instance(q, f->a, point, symbols, NULL);
    if (f->b) f->b_at = choose_instance(q, f->b, point, symbols, f->a == f->b ? f->at : NULL);
    for (int i = 0; i < q->symbols; i++) fixed[q->old[i]] = symbols[i];
    f->fixed = fixed;
    f->vector = vector;
    f->used = q->used;
    return f->at && (!f->b || f->b_at);
}

static bool
comes_true(struct question *q, const struct finding *f)
{
    if (f->breach) return replay_breach(q->w, f->breach, f->fixed, f->at);
    return replay_access(q->w, f->a, f->fixed, f->at, f->vector, q->t->n) &&
           (!f->b || replay_access(q->w, f->b, f->fixed, f->b_at, f->vector, q->t->n));
}

bool
judge_consider(struct question *q, struct set *v, struct finding f, struct finding *best)
{
    struct set *values, *mains, *refused;
    enum degree most = f.degree;
    f.degree = judge(q, v, &values, &mains, &refused);
    if (most && f.degree > most) f.degree = most;
    bool louder = f.degree > best->degree, likely = f.degree == DEGREE_LIKELY && mains;
    if (!louder && !(likely && f.degree == best->degree)) return false;
    f.walk = q->w;
    f.target = q->t;
    if (likely) describe_main(q, refused, &f);
    if (!likely) mains = NULL;
    if (!find_witness(q, v, values, mains, &f)) return false;
    bool good = comes_true(q, &f);
    if (!good) q->lost++;
    if (good && louder) *best = f;
    if (good && likely) refuse_main(q, refused, best);
    return good && louder;
}
