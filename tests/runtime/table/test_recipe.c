/* test_recipe.c - recipes give the names and numbers that the rows of the program say. */
#include "runtime/table/eval.h"
#include "runtime/table/mention.h"
#include "runtime/table/name.h"
#include "runtime/table/recipe.h"
#include "tests/lib/check.h"
#include "tests/runtime/build_program.h"

enum { SEEDS = 2000, WORDS = 4, DFS = 50 };

static struct build *b;
static const struct luna_program *p;
static const struct recipe *rows;
static struct recipes *all;
static unsigned seed;

static int
chance(int n)
{
    seed = seed * 1664525 + 1013904223;
    return (int)((seed >> 10) % (unsigned)n);
}

static void
prepare(void)
{
    recipes_free(all);
    p = build_done(b);
    all = recipes_new(p, false, true);
    rows = recipes_rows(all);
}

/* Statements that nobody runs call these. */
static const struct {
    const char *name, *params;
} functions[] = {{"nop", "i"}, {"sayr", "r"}, {"step", "vn"}, {"sum", "vvn"}, {"sum3", "vvvn"}};

static void
begin(void)
{
    build_free(b);
    b = build_new();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        build_function(b, functions[i].name, NULL, functions[i].params);
}

/* ---- random statements ---- */

static int32_t
sum_of_words(const luna_env *e)
{
    return (int32_t)((uint32_t)e->local[0].i * 3u + (uint32_t)e->frame[1].i);
}

static struct b_expr
any_expr(void)
{
    unsigned w = (unsigned)chance(WORDS);
    int k = chance(2) ? chance(2000) - 1000 : INT32_MAX - chance(3);
    switch (chance(5)) {
    case 0: return INT(k);
    case 1: return LOCAL((uint16_t)w, k);
    case 2: return FRAME((uint16_t)w, k);
    case 3: return INT_FN(sum_of_words);
    default: return AFFINE(k, {chance(9) + 1, (uint16_t)w, 0}, {chance(9) + 1, 1, 1});
    }
}

static struct b_ref
any_ref(void)
{
    struct b_ref r = {.used = 1, .base = chance(3), .df = (uint32_t)chance(DFS)};
    r.word = (unsigned)(r.base == LUNA_B_PARAM ? WORDS : chance(WORDS));
    for (int i = 0, n = chance(B_INDICES + 1); i < n; i++) r.ix[i] = any_expr();
    return r;
}

/* A call with inputs and arguments of all kinds, within loops enough for its words. */
static void
any_program(void)
{
    struct b_stmt s = CALL("sum", .arg = {OUT_COUNT(any_ref(), any_expr()), A_INT(any_expr()),
                                          OUT(any_ref()), OUT_DROP(any_ref())});
    for (int i = 0, n = chance(B_INS + 1); i < n; i++) s.in[i] = any_ref();
    begin();
    for (int i = 0; i < DFS; i++) build_df(b, "d");
    uint32_t block = build_block(b, &s, 1);
    for (int i = 0; i < WORDS; i++) block = BLOCK(b, FOR(INT(0), INT(1), block));
    build_sub(b, "main", "", block);
    prepare();
}

/* A task with random words; its frame's last word is a parameter's name. */
static struct task *
any_task(struct frame **f)
{
    static struct { struct task task; luna_word word[64]; } t;
    struct key param = {.id = 99, .df = (uint32_t)chance(DFS), .n = (uint32_t)chance(3)};
    struct luna_sub sub = {.nwords = WORDS + 1, .params = "iiiin"};
    *f = frame_new(&sub, 0, (uint64_t)chance(1000));
    for (int i = 0; i < WORDS; i++) {
        t.task.word[i].i = chance(2) ? chance(100) : INT32_MIN + chance(3);
        (*f)->word[i].i = chance(2) ? chance(100) : INT32_MAX - chance(3);
    }
    for (uint32_t i = 0; i < param.n; i++) param.ix[i] = chance(20);
    (*f)->word[WORDS].p = name_ref_new(&param, NULL, 0);
    t.task.frame = *f;
    return &t.task;
}

static void
check_ref(const struct recipe_ref *r, struct cook *c, uint32_t row)
{
    struct key have, want;
    recipe_key(r, c, &have);
    mention_key(p, &c->e, c->frame, row, &want);
    CHECK(key_equal(&have, want.id, want.df, want.n, want.ix), "seed %u", seed);
    CHECK(key_hash(&have) == key_hash(&want), "seed %u", seed);
}

static void
check_post(const struct recipe_arg *a, struct cook *c, uint32_t post)
{
    int32_t uses = recipe_int(&a->x, c);
    if (post == LUNA_NONE) {
        CHECK(!a->drops && uses == STORE_USES_UNLIMITED);
    } else if (p->posts[post].kind == LUNA_P_COUNT) {
        CHECK(!a->drops && uses == eval_int(p, &c->e, p->posts[post].count), "seed %u", seed);
    } else {
        CHECK(a->drops);
    }
}

TEST(names_and_numbers_are_those_of_the_rows)
{
    for (unsigned k = 0; k < SEEDS; k++) {
        seed = k;
        any_program();
        const struct luna_site *s = &p->sites[0];
        struct frame *f;
        struct cook c;
        struct task *t = any_task(&f);
        cook_begin(&c, p, t);
        cook_site(&c, s, t);
        for (unsigned i = 0; i < s->nin; i++)
            check_ref(&rows[0].in[i].ref, &c, p->ins[s->in + i].ref);
        for (unsigned i = 0; i < s->nargs; i++) {
            const struct luna_arg *arg = &p->args[s->arg + i];
            const struct recipe_arg *a = &rows[0].arg[i];
            if (arg->kind == LUNA_A_NAME) check_ref(&a->ref, &c, arg->row);
            else CHECK(recipe_int(&a->x, &c) == eval_int(p, &c.e, arg->row));
            if (arg->kind == LUNA_A_NAME) check_post(a, &c, arg->post);
        }
        frame_free(f, &(struct luna_sub){.nwords = WORDS + 1, .params = "iiiin"});
    }
}

/* ---- what a recipe knows of its statement ---- */

static const struct recipe *
recipe_of(struct b_stmt s)
{
    begin();
    build_df(b, "x");
    build_sub(b, "main", "", BLOCK(b, FOR(INT(0), INT(9), build_block(b, &s, 1))));
    prepare();
    return &rows[0];
}

TEST(rounds_end_where_an_index_needs_a_value)
{
    const struct recipe *q =
        recipe_of(CALL("sum3", .in = {DF(0, INT(1)), DF(0, INT(2)), DF(0, IN(0)), DF(0, IN(2))}));
    CHECK(q->in[0].end == 2);
    CHECK(q->in[1].end == 2);
    CHECK(q->in[2].end == 3);
    CHECK(q->in[3].end == 4);
}

TEST(only_calls_of_ints_repeat)
{
    CHECK(recipe_of(CALL("nop", .arg = {A_INT(LOCAL(0, 1))}))->repeats);
    CHECK(recipe_of(CALL("nop"))->repeats);
    CHECK(!recipe_of(CALL("nop", .arg = {A_INT(INT_FN(sum_of_words))}))->repeats);
    CHECK(!recipe_of(CALL("step", .arg = {OUT(DF(0))}))->repeats);
    CHECK(!recipe_of(CALL("sayr", .arg = {A_REAL(REAL(1))}))->repeats);
    CHECK(!recipe_of(CALL("nop", .arg = {A_INT(INT(1))}, .set = {DF(0)}))->repeats);
    CHECK(!recipe_of(CALL("nop", .in = {DF(0)}))->repeats);
    CHECK(!rows[1].repeats); /* the loop around */
}

TEST(simple_calls_ask_for_all_they_need)
{
    CHECK(recipe_of(CALL("step", .in = {DF(0)}, .arg = {VALUE(IN(0)), OUT(DF(0))}))->simple);
    CHECK(!recipe_of(CALL("step", .in = {DF(0)}, .waits = 1))->simple);
    CHECK(!rows[1].simple); /* the loop around */
}

TEST_MAIN(T(names_and_numbers_are_those_of_the_rows), T(rounds_end_where_an_index_needs_a_value),
          T(only_calls_of_ints_repeat), T(simple_calls_ask_for_all_they_need))
