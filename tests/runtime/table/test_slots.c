/* test_slots.c - which fragments live in the frame, and where in it. */
#include "runtime/base/mem.h"
#include "runtime/data/frame.h"
#include "runtime/table/recipe.h"
#include "runtime/table/slots.h"
#include "tests/lib/check.h"
#include "tests/runtime/build_program.h"

static struct build *b;
static struct slots *all;

static void
begin(void)
{
    build_free(b);
    b = build_new();
    build_function(b, "nop", NULL, "i");
    build_function(b, "init", NULL, "ni");
    build_function(b, "step", NULL, "vn");
}

static const struct luna_program *
find(void)
{
    const struct luna_program *p = build_done(b);
    slots_free(all);
    all = slots_new(p);
    return p;
}

static bool
has(uint32_t df)
{
    return all->of[df].at != 0;
}

#define INIT(ref, ...) CALL("init", .arg = {OUT(ref), A_INT(INT(1))}, __VA_ARGS__)
#define READ(ref, ...) CALL("nop", .arg = {A_INT(IN(0))}, .in = {ref}, __VA_ARGS__)
#define MAIN build_sub(b, "main", "", BLOCK(b, CALL("nop", .arg = {A_INT(INT(1))})))

/* A sub that has, besides what writes and reads x, this statement. */
#define SUB_WITH(...)                                                                              \
    do {                                                                                           \
        build_sub(b, "f", "in", BLOCK(b, INIT(DF(x)), READ(DF(x)), __VA_ARGS__));                 \
        MAIN;                                                                                      \
        find();                                                                                    \
    } while (0)

TEST(what_a_body_writes_and_reads_has_one)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y"), z = build_df(b, "z");
    build_sub(b, "f", "in", BLOCK(b, INIT(DF(x)), CALL("step", .in = {DF(x)},
                                                       .arg = {VALUE(IN(0)), OUT(DF(y))}),
                                  READ(DF(y)), INIT(DF(z)), READ(DF(z))));
    MAIN;
    const struct luna_program *p = find();
    size_t bare = frame_shape(&p->subs[0], 0).body;
    CHECK(all->sub[0].n == 3 && all->sub[1].n == 0 && all->sub[1].first == LUNA_NONE);
    /* One after the other, before the body. */
    for (uint32_t df = x; df <= z; df++)
        CHECK(all->of[df].at == bare + (df - x) * sizeof(struct slot), "%d", all->of[df].at);
    CHECK(frame_shape(&p->subs[0], 3).body == bare + 3 * sizeof(struct slot));
    CHECK(all->sub[0].first == LUNA_NONE);
}

TEST(a_list_leads_through_those_that_the_program_counts)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y"), z = build_df(b, "z");
    SUB_WITH(CALL("init", .arg = {OUT_COUNT(DF(y), INT(1)), A_INT(INT(1))}), READ(DF(y)),
             CALL("init", .arg = {OUT_COUNT(DF(z), INT(2)), A_INT(INT(1))}), READ(DF(z)));
    CHECK(all->sub[0].n == 3 && has(x));
    CHECK(all->sub[0].first == z && all->of[z].next == y && all->of[y].next == LUNA_NONE);
}

TEST(conditions_and_loops_read_them)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y"), v = build_df(b, "v");
    uint32_t in = BLOCK(b, CALL("step", .in = {DF(x)}, .arg = {VALUE(IN(0)), OUT(DF(y))}));
    uint32_t test = BLOCK(b, TEST_OF(IN(0), BLOCK(b, READ(DF(y))), OUT(DF(v)), .in = {DF(y)}));
    SUB_WITH(IF(IN(0), in, .in = {DF(x)}), FOR(INT(0), IN(0), BLOCK(b, READ(DF(x))), .in = {DF(x)}),
             WHILE(INT(0), test), READ(DF(v)));
    CHECK(has(x) && has(y));
    CHECK(!has(v)); /* a while ends many turns later */
}

TEST(reductions_write_them_and_their_bounds_read_them)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y"), e = build_df(b, "e"), s = build_df(b, "s");
    uint32_t inner = BLOCK(b, TERM(DF(s)));
    uint32_t loop = BLOCK(b, FOR(INT(0), IN(0), inner, .in = {DF(e)}));
    struct b_stmt reduce = REDUCE(LUNA_R_ADD, 2, loop, OUT(DF(y)), A_INT(INT(0)), A_INT(IN(0)),
                                  A_INT(INT(0)), A_INT(INT(1)));
    reduce.in[0] = DF(x);
    SUB_WITH(INIT(DF(e)), INIT(DF(s)), READ(DF(y)), READ(DF(e)), READ(DF(s)), reduce);
    CHECK(has(x) && has(y));
    CHECK(!has(e) && !has(s)); /* the loop over the elements has a copy of the frame */
}

TEST(what_nobody_writes_or_nobody_reads_has_none)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y"), z = build_df(b, "z");
    SUB_WITH(INIT(DF(y)), READ(DF(z)));
    CHECK(has(x) && !has(y) && !has(z));
}

TEST(with_indices_or_in_a_loop_it_has_none)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y"), z = build_df(b, "z");
    uint32_t body = BLOCK(b, INIT(DF_OF(1, z)), READ(DF_OF(1, z)));
    SUB_WITH(INIT(DF(y)), READ(DF(y)), READ(DF(y, INT(1))),
             FOR(INT(0), INT(1), body, .flags = LUNA_F_FRESH));
    CHECK(has(x) && !has(y) && !has(z));
}

TEST(what_is_handed_on_has_none)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y");
    SUB_WITH(INIT(DF(y)), READ(DF(y)), EXPAND("f", .arg = {A_INT(INT(1)), OUT(DF(y))}));
    CHECK(has(x) && !has(y));
}

/* All have a row that a call has, too. */
TEST(what_a_rule_names_has_none)
{
    begin();
    uint32_t x = build_df(b, "x"), d = build_df(b, "d"), m = build_df(b, "m"), k = build_df(b, "k"),
             lab = build_df(b, "lab"), two = build_df(b, "two"), n = build_df(b, "n");
    SUB_WITH(INIT(DF(d)), READ(DF(d), .kill = {DF(d)}), INIT(DF(m)), READ(DF(m)),
             READ(DF(x), .set = {DF(m)}), READ(DF(k), .label = {1, lab}, .waits = 1),
             INIT(DF(k), .push = {DF(k)}, .push_to = {{1, lab}}), INIT(DF(two)), READ(DF(two)),
             READ(DF(x), .set = {DF(two), DF(m, INT(1))}), INIT(DF(n)), READ(DF(n)));
    CHECK(has(x) && has(n));
    CHECK(!has(d), "deleted");
    CHECK(!has(m) && !has(two), "a marker");
    CHECK(!has(k), "pushed");
}

/* The compiler has found where the call runs on several nodes, by x and y; here it runs on one. */
TEST(a_rule_that_is_not_in_force_takes_none_away)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y");
    SUB_WITH(READ(DF(x), .kill = {DF(x), DF(y, INT(1))}), INIT(DF(y)), READ(DF(y)));
    const struct luna_program *p = build_done(b);
    CHECK(!has(x) && !has(y) && p->nrules == 1);
    for (uint32_t i = 0; i < p->nsites; i++) ((struct luna_site *)p->sites)[i].rules = LUNA_NONE;
    slots_free(all);
    all = slots_new(p);
    CHECK(has(x) && has(y));
}

/* Its frame is made before the run. */
TEST(main_has_none)
{
    begin();
    uint32_t x = build_df(b, "x");
    build_sub(b, "main", "", BLOCK(b, INIT(DF(x)), READ(DF(x))));
    find();
    CHECK(!has(x) && !all->sub[0].n);
}

/* Recipes tell them, unless there are to be none. */
TEST(recipes_have_them)
{
    begin();
    uint32_t x = build_df(b, "x"), y = build_df(b, "y");
    SUB_WITH(EXPAND("f", .arg = {A_INT(INT(1)), OUT(DF(y))}));
    const struct luna_program *p = build_done(b);
    for (int some = 0; some < 2; some++) {
        struct recipes *r = recipes_new(p, some, true);
        const struct recipe *q = recipes_rows(r);
        uint16_t at = some ? all->of[x].at : 0;
        CHECK(r && !recipes_slots(r) == !some);
        CHECK(q[0].arg[0].slot == at && q[1].in[0].slot == at && q[2].arg[1].slot == 0);
        CHECK(q[2].shape.slots == some);
        recipes_free(r);
    }
}

TEST(without_memory_there_is_nothing)
{
    begin();
    uint32_t x = build_df(b, "x");
    SUB_WITH(READ(DF(x)));
    const struct luna_program *p = build_done(b);
    int n = 0;
    for (bool made = false; !made; n++) {
        mem_fail_after(n);
        struct slots *s = slots_new(p);
        mem_fail_after(-1);
        made = s != NULL;
        slots_free(s);
        CHECK(n < 100);
    }
    CHECK(n > 5);
}

TEST_MAIN(T(what_a_body_writes_and_reads_has_one),
          T(a_list_leads_through_those_that_the_program_counts), T(conditions_and_loops_read_them),
          T(reductions_write_them_and_their_bounds_read_them),
          T(what_nobody_writes_or_nobody_reads_has_none), T(with_indices_or_in_a_loop_it_has_none),
          T(what_is_handed_on_has_none), T(what_a_rule_names_has_none),
          T(a_rule_that_is_not_in_force_takes_none_away), T(main_has_none),
          T(recipes_have_them), T(without_memory_there_is_nothing))
