/* question.c - see question.h. */
#include "lang/prove/question.h"

static void
number_symbols(struct question *q, const bool *also)
{
    size_t n = (size_t)q->w->nfixed + 1;
    q->used = arena_array(q->arena, bool, n);
    q->number = arena_array(q->arena, int, n);
    q->old = arena_array(q->arena, int, n);
    for (const struct access *x = q->t->writes; x; x = x->next)
        access_mark(q->w, x, q->t->n, q->used);
    for (int i = 0; i < q->w->nfixed && also; i++) q->used[i] |= also[i];
    for (const struct access *x = q->t->reads; x; x = x->next)
        access_mark(q->w, x, q->t->n, q->used);
    for (int main = 1; main >= 0; main--)
        for (int i = 0; i < q->w->nfixed; i++) {
            if ((q->w->fixed[i].kind == FIXED_MAIN) != main) continue;
            q->number[i] = q->used[i] ? q->symbols : -1;
            if (!q->used[i]) continue;
            q->old[q->symbols++] = i;
            q->mains += main;
        }
}

void
question_begin(struct question *q, struct sets *s, struct walk *w, const struct touched *t,
               const bool *also)
{
    *q = (struct question){.arena = w->forms.arena, .sets = s, .w = w, .t = t};
    number_symbols(q, also);
    sets_begin(s, q->symbols);
    struct set *fixed = access_fixed(w, s, q->number);
    if (!fixed) fixed = rel_domain(s, rel_of(s, 0, 0, &(struct sets_piece){0}, 1));
    q->all = set_symbols(s, fixed);
}

int64_t *
question_words(struct question *q, int n)
{
    return arena_array(q->arena, int64_t, (size_t)n + 1);
}

struct rel *
question_rel(struct question *q, const struct access *x)
{
    struct rel *r = access_rel(q->w, q->sets, x, q->t->n, q->number);
    return r ? rel_given(q->sets, r, q->all) : NULL;
}

/* ---- readers ---- */

/* Reads that one or the other branch of an `if` does are one. */
struct read {
    const struct access *x;
    const struct nesting *at; /* around it, or around both branches */
    struct rel *rel;          /* NULL: not looked at, or too many cases */
    bool gone;                /* another one stands for it */
};

/* Of a condition of which not all is known; else each is counted where it is met. */
static bool
are_branches(const struct nesting *a, const struct nesting *b)
{
    return a && b && a->kind == STEP_IF && b->kind == STEP_IF && a->where && !a->where->exact &&
           a->site == b->site && a->visit == b->visit && a->env == b->env && a->up == b->up &&
           a->other != b->other;
}

static struct rel *
read_rel(struct question *q, struct read *r)
{
    if (!r->rel) r->rel = question_rel(q, r->x);
    return r->rel;
}

/* The same fragments, as often, whatever the condition: in each run of the `if` just one reads. */
static bool
are_one(struct question *q, struct read *a, struct read *b)
{
    if (a->gone || b->gone || !are_branches(a->at, b->at)) return false;
    struct rel *one = read_rel(q, a), *other = read_rel(q, b);
    return one && other && rel_part_of(q->sets, one, other) == YES &&
           rel_part_of(q->sets, other, one) == YES;
}

static bool
join_branches(struct question *q, struct read *reads, int n)
{
    bool any = false;
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++) {
            if (!are_one(q, &reads[i], &reads[k])) continue;
            reads[i].at = reads[i].at->up;
            reads[k].gone = any = true;
        }
    return any;
}

static struct read *
reads_of(struct question *q, int *n)
{
    *n = 0;
    for (const struct access *x = q->t->reads; x; x = x->next) ++*n;
    struct read *reads = arena_array(q->arena, struct read, (size_t)*n + 1);
    *n = 0;
    for (const struct access *x = q->t->reads; x; x = x->next)
        reads[(*n)++] = (struct read){.x = x, .at = x->at};
    while (join_branches(q, reads, *n)) continue;
    return reads;
}

struct count *
question_readers(struct question *q, const struct access *x, struct rel *write,
                 const struct access **lost)
{
    struct count *sum = NULL;
    int nreads;
    struct read *reads = reads_of(q, &nreads);
    for (int i = 0; i < nreads; i++) {
        if (reads[i].gone) continue;
        struct rel *r = read_rel(q, &reads[i]);
        struct count *n = r ? count_of(q->sets, rel_meeting(q->sets, write, r)) : NULL;
        if (!n || !count_is_known(n)) {
            if (lost) *lost = reads[i].x;
            return NULL;
        }
        sum = sum ? count_add(q->sets, sum, n) : n;
    }
    if (sum) return sum;
    return count_of(q->sets, rel_of(q->sets, access_loops(x), 0, NULL, 0));
}

bool
question_reads_sure(struct question *q)
{
    int n;
    struct read *reads = reads_of(q, &n);
    for (int i = 0; i < n; i++) {
        const struct access *x = reads[i].x;
        bool joined = reads[i].at != x->at;
        bool around = joined && (!reads[i].at || reads[i].at->sure);
        if (!reads[i].gone && !x->sure && !around) return false;
    }
    return true;
}
