/* test_sets.c - sets of vectors against enumeration: random relations within a small box, each
 * operation compared point by point. */
#include "lang/prove/sets.h"
#include "tests/lib/check.h"

enum { SIDE = 5, WORDS = 2, POINTS = 2 * SIDE + 1 }; /* words are between -SIDE and SIDE */

static unsigned long long state;

static int
pick(int least, int most)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return least + (int)((state >> 33) % (unsigned)(most - least + 1));
}

/* A relation of one symbol, as rows and as a table: [symbol][from words][to words]. */
struct some {
    int nrows;
    struct sets_term terms[12][4];
    struct sets_row rows[12];
    int divisor; /* of the column that need only exist; 0: there is none */
};

struct table {
    bool is[POINTS][POINTS][POINTS][POINTS]; /* symbol, from, to, to */
};

static struct sets_row *
add_row(struct some *r, bool equal, int k, int n)
{
    struct sets_row *row = &r->rows[r->nrows];
    *row = (struct sets_row){equal, k, n, r->terms[r->nrows]};
    return &r->rows[r->nrows++];
}

static void
bound(struct some *r, enum sets_space space, int number)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        add_row(r, false, SIDE, 1);
        r->terms[r->nrows - 1][0] = (struct sets_term){space, number, sign};
    }
}

/* Vectors of one word to vectors of WORDS. */
static void
make(struct some *r)
{
    *r = (struct some){0};
    bound(r, SETS_SYMBOL, 0);
    bound(r, SETS_FROM, 0);
    for (int i = 0; i < WORDS; i++) bound(r, SETS_TO, i);
    for (int n = pick(1, 3); n > 0; n--) {
        add_row(r, pick(0, 3) == 0, pick(-4, 4), 4);
        struct sets_term *t = r->terms[r->nrows - 1];
        t[0] = (struct sets_term){SETS_SYMBOL, 0, pick(-1, 1)};
        t[1] = (struct sets_term){SETS_FROM, 0, pick(-3, 3)};
        t[2] = (struct sets_term){SETS_TO, 0, pick(-3, 3)};
        t[3] = (struct sets_term){SETS_TO, 1, pick(-2, 2)};
    }
    if (pick(0, 2)) return;
    r->divisor = pick(2, 4); /* the first word is a multiple of it */
    add_row(r, true, 0, 2);
    r->terms[r->nrows - 1][0] = (struct sets_term){SETS_TO, 0, 1};
    r->terms[r->nrows - 1][1] = (struct sets_term){SETS_SOME, 0, -r->divisor};
}

static bool
holds(const struct some *r, int s, int i, int x, int y)
{
    for (int k = 0; k < r->nrows; k++) {
        const struct sets_row *row = &r->rows[k];
        int64_t sum = row->k;
        bool some = false;
        for (int t = 0; t < row->nterms; t++) {
            const struct sets_term *at = &row->terms[t];
            int v = at->space == SETS_SYMBOL ? s : at->space == SETS_FROM ? i : at->number ? y : x;
            some |= at->space == SETS_SOME;
            if (at->space != SETS_SOME) sum += at->factor * v;
        }
        if (some ? sum % r->divisor != 0 : row->equal ? sum != 0 : sum < 0) return false;
    }
    return true;
}

static void
fill(const struct some *r, struct table *t)
{
    for (int s = 0; s < POINTS; s++)
        for (int i = 0; i < POINTS; i++)
            for (int x = 0; x < POINTS; x++)
                for (int y = 0; y < POINTS; y++)
                    t->is[s][i][x][y] = holds(r, s - SIDE, i - SIDE, x - SIDE, y - SIDE);
}

static struct rel *
rel(struct sets *s, const struct some *r)
{
    struct sets_piece piece = {r->divisor != 0, r->nrows, r->rows};
    return rel_of(s, 1, WORDS, &piece, 1);
}

/* How many words are related to this vector. */
static int
count(const struct table *t, int s, int x, int y)
{
    int n = 0;
    for (int i = 0; i < POINTS; i++) n += t->is[s][i][x][y];
    return n;
}

/* The vectors of a alone, as of one word. */
static const struct table *
less_of(const struct table *a, const struct table *b)
{
    static struct table t;
    memset(&t, 0, sizeof t);
    for (int s = 0; s < POINTS; s++)
        for (int x = 0; x < POINTS; x++)
            for (int y = 0; y < POINTS; y++)
                t.is[s][0][x][y] = count(a, s, x, y) && !count(b, s, x, y);
    return &t;
}

/* Whether the set has the vector, with this value of the symbol. */
static bool
has(struct sets *s, struct set *a, int symbol, int x, int y)
{
    int64_t words[] = {x - SIDE, y - SIDE}, value = symbol - SIDE;
    struct set *point = set_point(s, a, words);
    return set_empty(s, set_with(s, set_meet(s, a, point), &value, 1)) == NO;
}

struct pair {
    struct table a, b;
};

/* A few points: all would take minutes. */
static void
compare(struct sets *s, const struct pair *p, struct rel *ra, struct rel *rb)
{
    struct set *a = rel_range(s, ra), *b = rel_range(s, rb), *twice = rel_twice(s, ra);
    struct set *meet = set_meet(s, a, b), *less = set_less(s, a, b), *either = set_either(s, a, b);
    for (int n = 0; n < 12; n++) {
        int v = pick(0, 2 * SIDE), x = pick(0, 2 * SIDE), y = pick(0, 2 * SIDE);
        int in_a = count(&p->a, v, x, y), in_b = count(&p->b, v, x, y);
        CHECK(has(s, a, v, x, y) == (in_a > 0), "range");
        CHECK(has(s, twice, v, x, y) == (in_a > 1), "twice");
        CHECK(has(s, meet, v, x, y) == (in_a && in_b), "meet");
        CHECK(has(s, less, v, x, y) == (in_a && !in_b), "less");
        CHECK(has(s, either, v, x, y) == (in_a || in_b), "either");
    }
}

/* Emptiness, the symbols for which there is a vector, and the nearest one. */
static void
compare_whole(struct sets *s, const struct table *t, struct set *a)
{
    struct set *symbols = set_symbols(s, a);
    int any = 0;
    for (int v = 0; v < POINTS; v++) {
        int64_t value = v - SIDE, nearest[WORDS], lo, hi;
        int there = 0, least = SIDE, most = -SIDE, first = 2 * SIDE;
        for (int x = 0; x < POINTS; x++)
            for (int y = 0; y < POINTS; y++) {
                if (!count(t, v, x, y)) continue;
                there++;
                if (x - SIDE < least) least = x - SIDE;
                if (x - SIDE > most) most = x - SIDE;
                int far = x >= SIDE ? x - SIDE : SIDE + SIDE - x; /* below 0 comes last */
                if (far < first) first = far;
            }
        any += there;
        struct set *with = set_with(s, a, &value, 1);
        CHECK((set_empty(s, with) == NO) == (there > 0), "empty");
        CHECK((set_empty(s, set_begins(s, symbols, &value, 1)) == NO) == (there > 0), "symbols");
        CHECK(set_nearest(s, with, nearest) == (there > 0), "nearest");
        if (!there) continue;
        CHECK(count(t, v, (int)nearest[0] + SIDE, (int)nearest[1] + SIDE), "the nearest is none");
        CHECK((nearest[0] >= 0 ? nearest[0] : SIDE - nearest[0]) == first, "not the nearest");
        CHECK(set_bound(s, with, 0, false, &lo) && lo == least, "bound");
        CHECK(set_bound(s, with, 0, true, &hi) && hi == most, "upper bound");
    }
    CHECK((set_empty(s, a) == NO) == (any > 0), "empty at all");
    CHECK(set_within(s, a, a) == YES, "within itself");
}

TEST(operations_agree_with_enumeration)
{
    struct arena *arena = arena_new();
    struct sets *s = sets_new(arena);
    struct pair *p = calloc(1, sizeof *p);
    struct some a, b;
    for (state = 1; state < (unsigned long long)CHECK_CASES(300) && !check_failed;) {
        unsigned long long seed = state;
        sets_begin(s, 1);
        make(&a);
        make(&b);
        fill(&a, &p->a);
        fill(&b, &p->b);
        struct rel *ra = rel(s, &a), *rb = rel(s, &b);
        compare(s, p, ra, rb);
        compare_whole(s, &p->a, rel_range(s, ra));
        compare_whole(s, less_of(&p->a, &p->b), set_less(s, rel_range(s, ra), rel_range(s, rb)));
        if (check_failed) printf("seed %llu\n", seed);
        state = seed + 1;
        sets_free(s);
        s = sets_new(arena);
    }
    sets_free(s);
    arena_free(arena);
    free(p);
}

static int64_t value_of(const struct count_piece *p, const struct sets_term *t,
                        const int64_t *column);

static int64_t
sum_of(const struct count_piece *p, int64_t k, const struct sets_term *terms, int n,
       const int64_t *column)
{
    for (int i = 0; i < n; i++) k += terms[i].factor * value_of(p, &terms[i], column);
    return k;
}

/* Of a column: by its space, or a floor. */
static int64_t
value_of(const struct count_piece *p, const struct sets_term *t, const int64_t *column)
{
    if (t->space != SETS_FLOOR) return column[t->space];
    const struct count_floor *f = &p->floors[t->number];
    int64_t v = sum_of(p, f->k, f->terms, f->nterms, column);
    while (v % f->by) v--;
    return v / f->by;
}

static bool
is_there(const struct count_piece *p, const int64_t *column)
{
    for (int i = 0; i < p->nany; i++) {
        bool all = true;
        for (int k = 0; k < p->any[i].nrows; k++) {
            const struct sets_row *r = &p->any[i].rows[k];
            int64_t v = sum_of(p, r->k, r->terms, r->nterms, column);
            all &= r->equal ? v == 0 : v >= 0;
        }
        if (all) return true;
    }
    return false;
}

/* What the text says for this symbol and word: columns by their space. */
static int64_t
said(const struct count_text *t, int64_t symbol, int64_t word)
{
    int64_t column[] = {[SETS_SYMBOL] = symbol, [SETS_FROM] = word};
    for (int i = 0; i < t->n; i++) {
        if (!is_there(&t->pieces[i], column)) continue;
        int64_t sum = 0;
        for (int k = 0; k < t->pieces[i].nterms; k++) {
            int64_t product = t->pieces[i].terms[k].factor;
            for (int c = 0; c < t->pieces[i].terms[k].n; c++)
                product *= value_of(&t->pieces[i], &t->pieces[i].terms[k].column[c], column);
            sum += product;
        }
        while (sum % t->pieces[i].by) sum++;
        return sum / t->pieces[i].by;
    }
    return 0;
}

static int
images(const struct table *t, int s, int i)
{
    int n = 0;
    for (int x = 0; x < POINTS; x++)
        for (int y = 0; y < POINTS; y++) n += t->is[s][i][x][y];
    return n;
}

struct told {
    int all, known, exact;
};

/* As loops and indices are: a row bounds one word of the image, and by whole steps. */
static void
straighten(struct some *r)
{
    for (int i = 0; i < r->nrows; i++) {
        struct sets_term *t = r->terms[i];
        if (r->rows[i].nterms < 4) continue;
        int which = 2 + pick(0, 1);
        t[2].factor = t[3].factor = 0;
        t[which].factor = 2 * pick(0, 1) - 1;
        t[1].factor = pick(-1, 1);
    }
}

/* Of what is hidden the most counts. */
static void
compare_counts(struct sets *s, const struct table *t, struct rel *r, bool symbol, bool word,
               struct told *told)
{
    struct count_text text;
    told->all++;
    if (!count_tell(s, count_of(s, r), rel_domain(s, r), &symbol, &word, &text, NULL)) return;
    told->known++;
    bool exact = true;
    for (int v = 0; v < POINTS; v++)
        for (int i = 0; i < POINTS; i++) {
            int most = 0, here = images(t, v, i);
            if (!here) continue; /* nobody asks */
            for (int v2 = symbol ? 0 : v; v2 <= (symbol ? POINTS - 1 : v); v2++)
                for (int i2 = word ? 0 : i; i2 <= (word ? POINTS - 1 : i); i2++) {
                    int n = images(t, v2, i2);
                    if (n > most) most = n;
                }
            int64_t n = said(&text, v - SIDE, i - SIDE);
            CHECK(n >= most, "symbol %d, word %d: %d were told, of %d", v - SIDE, i - SIDE, (int)n,
                  most);
            exact &= n == most;
        }
    told->exact += exact;
}

/* Of which vectors a has more images than b, and how many it has. */
static void
compare_sizes(struct sets *s, const struct table *ta, const struct table *tb, struct rel *ra,
              struct rel *rb, struct told *told)
{
    struct count *a = count_of(s, ra), *b = count_of(s, rb);
    struct set *more = count_more(s, a, b);
    bool known = set_empty(s, more) != UNKNOWN;
    told->all++;
    told->known += known;
    for (int v = 0; v < POINTS; v++)
        for (int i = 0; i < POINTS; i++) {
            int64_t symbol = v - SIDE, word = i - SIDE, n;
            int na = images(ta, v, i), nb = images(tb, v, i);
            if (count_at(s, a, &symbol, &word, &n))
                CHECK(n == na, "symbol %d, word %d: %d, not %d", (int)symbol, (int)word, (int)n,
                      na);
            if (!known) continue;
            struct set *point = set_with(s, set_point(s, more, &word), &symbol, 1);
            enum answer none = set_empty(s, set_meet(s, more, point));
            if (none == UNKNOWN) continue; /* isl has taken too long */
            bool there = none == NO;
            CHECK(there == (na > nb), "symbol %d, word %d: %d and %d", (int)symbol, (int)word, na,
                  nb);
        }
}

TEST(counts_are_never_too_small)
{
    struct arena *arena = arena_new();
    struct sets *s = sets_new(arena);
    struct table *t = calloc(1, sizeof *t), *tb = calloc(1, sizeof *tb);
    struct told told = {0}, sizes = {0};
    struct some a, b;
    for (state = 1; state < (unsigned long long)CHECK_CASES(600) && !check_failed;) {
        unsigned long long seed = state;
        sets_begin(s, 1);
        make(&a);
        if (seed % 2) straighten(&a);
        fill(&a, t);
        compare_counts(s, t, rel(s, &a), seed / 2 % 3 == 1, seed / 2 % 3 == 2, &told);
        make(&b);
        straighten(&b);
        fill(&b, tb);
        compare_sizes(s, t, tb, rel(s, &a), rel(s, &b), &sizes);
        if (check_failed) printf("seed %llu\n", seed);
        state = seed + 1;
        sets_free(s);
        s = sets_new(arena);
    }
    CHECK(4 * told.known > told.all && 10 * told.exact > 9 * told.known,
          "of %d counts %d were told, %d as they are", told.all, told.known, told.exact);
    CHECK(6 * sizes.known > sizes.all, "of %d pairs %d were compared", sizes.all, sizes.known);
    sets_free(s);
    arena_free(arena);
    free(t);
    free(tb);
}

/* What lies between two planes of WIDE dimensions. */
static struct set *
slab(struct sets *s)
{
    enum { WIDE = 8 };
    struct sets_term terms[2][WIDE];
    struct sets_row rows[2];
    for (int k = 0; k < WIDE; k++) {
        terms[0][k] = (struct sets_term){SETS_TO, k, pick(-9, 9)};
        terms[1][k] = terms[0][k];
        terms[1][k].factor = -terms[0][k].factor;
    }
    for (int i = 0; i < 2; i++) rows[i] = (struct sets_row){false, pick(0, 9), WIDE, terms[i]};
    struct sets_piece piece = {0, 2, rows};
    return rel_range(s, rel_of(s, 0, WIDE, &piece, 1));
}

/* Too much work has no answer; the next question has one. Each slab cuts most pieces in two. */
TEST(work_has_an_end)
{
    struct arena *arena = arena_new();
    struct sets *s = sets_new(arena);
    struct sets_piece everything = {0, 0, NULL};
    state = 5;
    sets_begin(s, 0);
    struct set *all = set_less(s, slab(s), slab(s));
    for (int i = 0; i < 12; i++) all = set_less(s, all, slab(s));
    CHECK(set_empty(s, all) == UNKNOWN, "it was not too much");
    sets_begin(s, 0);
    CHECK(set_empty(s, rel_range(s, rel_of(s, 0, 1, &everything, 1))) == NO, "no answer any more");
    sets_free(s);
    arena_free(arena);
}

TEST_MAIN(T(operations_agree_with_enumeration), T(counts_are_never_too_small),
          T(work_has_an_end))
