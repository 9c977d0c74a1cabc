/* elements.c - see elements.h.
 *
 *     i = 0..3, j = 0..i, k = i..3        level 0: i; level 1: (i, j); level 2: (i, j, k), elements
 *     rows of level 1: 0 1 3 6            row n of a level: where the (n)th of the level above
 *     rows of level 2: 0 4 7 10 12 ...    begins on this one */
#include "elements.h"

#include "runtime/base/mem.h"
#include "runtime/base/vec.h"
#include "runtime/table/mention.h"

enum { ROWS_MOST = 1 << 24 };

struct rows { /* of one level */
    const struct luna_site *loop;
    uint32_t *first;
    size_t n, room;
    uint64_t total; /* of the level */
};

void
elements_eval(const struct luna_program *p, const struct luna_site *owner, struct task *t,
              luna_word *word)
{
    luna_env e = mention_env(owner, t);
    memcpy(word, t->word, owner->nlocal * sizeof *word);
    for (unsigned i = 1; i < owner->nargs; i++) {
        e.arg = i + 1;
        word[owner->nlocal + i - 1].i = eval_int(p, &e, p->args[owner->arg + i].row);
    }
    if (e.temps) eval_drop_temps(&e);
}

/* ---- rows ---- */

static const struct luna_site *
loop_inside(const struct luna_program *p, const struct luna_site *s)
{
    return &p->sites[p->blocks[s->body].site];
}

static bool
is_word(const struct elements *e, uint32_t expr)
{
    const struct luna_expr *x = &e->p->exprs[expr];
    return x->kind == LUNA_E_LOCAL && !x->k && x->a < elements_words(e->owner);
}

static bool
is_box(const struct elements *e)
{
    const struct luna_site *s = loop_inside(e->p, e->owner);
    for (; s->kind == LUNA_S_FOR; s = loop_inside(e->p, s))
        if (!is_word(e, s->a) || !is_word(e, s->b)) return false;
    return true;
}

static int32_t
bound(const struct elements *e, const luna_word *word, uint32_t expr)
{
    luna_env env = {.frame = e->frame, .local = word, .site = e->owner};
    return eval_int(e->p, &env, expr);
}

/* Of level k, below the counters that stand behind the words. */
static void
bounds_of(const struct elements *e, const luna_word *word, uint32_t k, int32_t *lo, int32_t *hi)
{
    const struct luna_site *loop = e->rows[k].loop;
    *lo = k ? bound(e, word, loop->a) : elements_lo(e->owner, word, 0);
    *hi = k ? bound(e, word, loop->b) : elements_hi(e->owner, word, 0);
}

/* The rows of level k + 1, for each on level k. False: too many. */
static bool
rows_add(struct elements *e, luna_word *word, uint32_t k)
{
    struct rows *below = &e->rows[k + 1];
    int32_t lo, hi;
    bounds_of(e, word, k, &lo, &hi);
    for (int64_t i = lo; i <= hi; i++) {
        int32_t from, to;
        if (below->n == ROWS_MOST) return false;
        if (!vec_more(NULL, below->first, below->n, below->room)) fault_nomem();
        below->first[below->n++] = (uint32_t)below->total;
        word[elements_words(e->owner) + k].i = i;
        bounds_of(e, word, k + 1, &from, &to);
        if (to >= from) below->total += (uint64_t)((int64_t)to - from + 1);
        if (below->total > UINT32_MAX) return false;
        if (k + 2 < e->owner->b && !rows_add(e, word, k + 1)) return false;
    }
    return true;
}

static bool
rows_look(struct elements *e, const luna_word *word)
{
    const uint32_t n = elements_words(e->owner), levels = e->owner->b;
    const struct luna_site *loop = e->owner;
    luna_word *own = mem_alloc((n + levels) * sizeof *own);
    e->rows = mem_zalloc(levels, sizeof *e->rows);
    if (!own || !e->rows) fault_nomem();
    memcpy(own, word, n * sizeof *own);
    for (uint32_t k = 1; k < levels; k++) e->rows[k].loop = loop = loop_inside(e->p, loop);
    bool fits = rows_add(e, own, 0);
    e->total = (uint32_t)e->rows[levels - 1].total;
    mem_free(own);
    return fits;
}

uint32_t
elements_number_in_rows(const struct elements *e, const luna_word *word)
{
    const luna_word *counter = word + elements_words(e->owner);
    uint32_t at = 0;
    for (uint32_t k = 0; k < e->owner->b; k++) {
        int32_t lo, hi;
        bounds_of(e, word, k, &lo, &hi);
        at = (k ? e->rows[k].first[at] : 0) + ((uint32_t)counter[k].i - (uint32_t)lo);
    }
    return at;
}

/* The last row that begins no later: those before it with the same number are empty. */
static uint32_t
row_of(const struct rows *r, uint32_t number)
{
    size_t from = 0, to = r->n;
    while (to - from > 1) {
        size_t mid = from + (to - from) / 2;
        if (r->first[mid] <= number) from = mid;
        else to = mid;
    }
    return (uint32_t)from;
}

void
elements_counters_in_rows(const struct elements *e, uint32_t number, luna_word *word)
{
    luna_word *counter = word + elements_words(e->owner);
    for (uint32_t k = e->owner->b; k-- > 1;) {
        uint32_t row = row_of(&e->rows[k], number);
        counter[k].i = number - e->rows[k].first[row];
        number = row;
    }
    counter[0].i = number;
    for (uint32_t k = 0; k < e->owner->b; k++) {
        int32_t lo, hi;
        bounds_of(e, word, k, &lo, &hi);
        counter[k].i = (int32_t)((uint32_t)counter[k].i + (uint32_t)lo);
    }
}

/* ---- which there are ---- */

static bool
box_look(struct elements *e, const luna_word *word)
{
    uint64_t all = 1;
    for (uint32_t k = 0; k < e->owner->b; k++) {
        int64_t n = (int64_t)elements_hi(e->owner, word, k) - elements_lo(e->owner, word, k) + 1;
        if (n <= 0) return true;
        if (all <= UINT32_MAX) all *= (uint64_t)n;
    }
    e->total = (uint32_t)all;
    return all <= UINT32_MAX;
}

bool
elements_look(struct elements *e, const struct luna_program *p, const struct luna_site *owner,
              const struct frame *f, const luna_word *word)
{
    *e = (struct elements){.p = p, .owner = owner, .frame = f->word};
    return is_box(e) ? box_look(e, word) : rows_look(e, word);
}

void
elements_forget(struct elements *e)
{
    for (uint32_t k = 0; e->rows && k < e->owner->b; k++) mem_free(e->rows[k].first);
    mem_free(e->rows);
    e->rows = NULL;
}

/* ---- rows of the program ---- */

const struct luna_site *
elements_term(const struct luna_program *p, const struct luna_site *owner)
{
    const struct luna_site *s = loop_inside(p, owner);
    while (s->kind == LUNA_S_FOR) s = loop_inside(p, s);
    return s;
}

uint32_t
elements_ref(const struct luna_program *p, const struct luna_site *list)
{
    const struct luna_site *term = elements_term(p, list);
    if (list->a) return p->args[term->arg].row;
    return term->nin == 1 ? p->ins[term->in + term->a].ref : LUNA_NONE;
}
