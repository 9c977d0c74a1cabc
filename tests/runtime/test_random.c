/* test_random.c - random programs have one answer: whatever the number of workers, nodes, the
 * window and the queue.
 *
 * A program is layers of values, x[l][i] = x[l-1][a(i)] + x[l-1][c(i)], each layer made by another
 * kind of statement, the layers in any order of the text. Each value serves exactly the requests
 * that were counted when the program was made; so a call that asks twice or not at all shows too.
 */
#include "run_program.h"
#include "ucodes.h"

enum {
    LAYERS_MAX = 8,
    WIDTH_MAX = 48,
    NESTED = 4, /* iterations of an inner loop */
    SEEDS = CHECK_CASES(110)
};

enum form { LOOP, NEST, WHILE_LOOP, SUB, RECURSION, GUARDED, FORMS };

static struct build *b;
static unsigned seed;
static int layers, width;
static enum form form[LAYERS_MAX];
static int readers[LAYERS_MAX][WIDTH_MAX];
static const struct luna_program *program;

static int
chance(int n)
{
    seed = seed * 1664525 + 1013904223;
    return (int)((seed >> 10) % (unsigned)n);
}

/* How often x[layer][i] will be asked for; the line of a statement is its layer. */
static int32_t
count_of(const luna_env *e)
{
    unsigned l = program->places[e->site->place].line - 1;
    int64_t i = e->local[0].i;
    if (form[l] == NEST) i = i * NESTED + e->local[1].i;
    if (form[l] == RECURSION) i = e->frame[0].i;
    return readers[l][i];
}

/* ---- building ---- */

struct index { /* i, its mirror image, or always the same one */
    int kind, at;
};

static struct index
any_index(void)
{
    return (struct index){chance(3), chance(width)};
}

static int
index_of(struct index x, int i)
{
    return x.kind == 0 ? i : x.kind == 1 ? width - 1 - i : x.at;
}

/* The same as an expression: of local[0], of both locals of a nest, or of a parameter. */
static struct b_expr
index_expr(struct index x, enum form f)
{
    int sign = x.kind == 1 ? -1 : 1, plus = x.kind == 1 ? width - 1 : 0;
    if (x.kind == 2) return INT(x.at);
    if (f == RECURSION) return AFFINE(plus, {sign, 0, 1});
    if (f == NEST) return AFFINE(plus, {sign * NESTED, 0, 0}, {sign, 1, 0});
    return AFFINE(plus, {sign, 0, 0});
}

/* x in main; the parameter in a sub. Its home is node i mod N. */
static struct b_ref
name_of(enum form f, uint32_t x, int layer, struct b_expr i)
{
    if (f == SUB) return PARAM_AT(0, IX(1), INT(layer), i);
    if (f == RECURSION) return PARAM_AT(1, IX(1), INT(layer), i);
    return DF_AT(x, IX(1), INT(layer), i);
}

/* One value of a layer. */
static struct b_stmt
value_stmt(uint32_t x, int l, enum form f)
{
    struct index same = {0, 0}, a = any_index(), c = any_index();
    struct b_expr at = index_expr(same, f);
    struct b_expr node = chance(2) ? at : INT(chance(9));
    if (l == 0)
        return CALL("init", .arg = {OUT_COUNT(name_of(f, x, 0, at), INT_FN(count_of)), A_INT(at)},
                    .line = 1, .node = node);
    for (int i = 0; i < width; i++) {
        readers[l - 1][index_of(a, i)]++;
        readers[l - 1][index_of(c, i)]++;
    }
    return CALL("sum", .in = {name_of(f, x, l - 1, index_expr(a, f)),
                              name_of(f, x, l - 1, index_expr(c, f))},
                .arg = {VALUE(IN(0)), VALUE(IN(1)),
                        OUT_COUNT(name_of(f, x, l, at), INT_FN(count_of))},
                .line = (unsigned)l + 1, .node = node);
}

static const char *const sub_names[] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};

static struct b_stmt
recursion_stmt(uint32_t x, int l)
{
    uint32_t next = BLOCK(b, EXPAND(sub_names[l], .arg = {A_INT(FRAME(0, -1)), OUT(PARAM(1))}));
    struct b_stmt value = value_stmt(x, l, RECURSION);
    build_sub(b, sub_names[l], "in", BLOCK(b, value, IF(FRAME(0, 0), next)));
    return EXPAND(sub_names[l], .arg = {A_INT(INT(width - 1)), OUT(DF(x))});
}

static struct b_stmt
sub_stmt(uint32_t x, uint32_t done, int l)
{
    struct b_stmt value = value_stmt(x, l, SUB);
    uint32_t loop = BLOCK(b, FOR(INT(0), INT(width - 1), BLOCK(b, value)));
    build_sub(b, sub_names[l], "n", loop);
    return EXPAND(sub_names[l], .arg = {OUT(DF(x))}, .set = {DF(done, INT(l))},
                  .node = INT(chance(5)));
}

static struct b_stmt
layer_stmt(uint32_t x, uint32_t done, int l)
{
    if (form[l] == RECURSION) return recursion_stmt(x, l);
    if (form[l] == SUB) return sub_stmt(x, done, l);
    struct b_stmt value = value_stmt(x, l, form[l]);
    uint32_t body = BLOCK(b, value);
    if (form[l] == NEST) {
        if (chance(2)) body = BLOCK(b, FOR(INT(0), INT(NESTED - 1), body));
        else body = BLOCK(b, FOR(INT(NESTED - 1), INT(0), body, .step = -1));
        return FOR(INT(0), INT(width / NESTED - 1), body);
    }
    if (form[l] == WHILE_LOOP) {
        uint32_t test = BLOCK(b, TEST_OF(AFFINE(-width, {1, 0, 0}), body, OUT(DF(done, INT(l)))));
        return WHILE(INT(0), test);
    }
    struct b_stmt loop = FOR(INT(0), INT(width - 1), body);
    if (!chance(4)) loop = FOR(INT(width - 1), INT(0), body, .step = -1);
    if (chance(2)) loop.flags = LUNA_F_CARRIED;
    if (!chance(4)) { /* even ones up, odd ones down */
        struct b_stmt up = loop, down = loop;
        up.a = INT(0), up.b = INT(width - 1), up.step = 2;
        down.a = INT(width - 1), down.b = INT(0), down.step = -2;
        loop = IF(INT(1), BLOCK(b, up, down));
    }
    if (form[l] != GUARDED || l < 2 || (form[l - 2] != SUB && form[l - 2] != WHILE_LOOP))
        return loop;
    return IF(IN(0), BLOCK(b, loop), .in = {DF(done, INT(l - 2))});
}

/* Layers in any order; those above the last nobody reads. */
static void
random_program(unsigned number)
{
    struct b_stmt stmts[LAYERS_MAX];
    build_free(b);
    b = build_new();
    build_ucodes(b);
    seed = number;
    layers = 2 + chance(LAYERS_MAX - 1);
    width = NESTED * (1 + chance(WIDTH_MAX / NESTED));
    memset(readers, 0, sizeof readers);
    uint32_t x = build_df(b, "x"), done = build_df(b, "done");
    for (int l = 0; l < layers; l++) form[l] = (enum form)chance(FORMS);
    for (int l = 0; l < layers; l++) stmts[l] = layer_stmt(x, done, l);
    for (int i = 0; i < width; i++) readers[layers - 1][i] = -1;
    for (int l = layers - 1; l > 0; l--) {
        int k = chance(l + 1);
        struct b_stmt s = stmts[l];
        stmts[l] = stmts[k];
        stmts[k] = s;
    }
    build_sub(b, "main", "", build_block(b, stmts, (unsigned)layers));
    program = build_done(b);
}

/* ---- running ---- */

static const struct run_options ways[] = {
    {.workers = 2}, {.workers = 4}, {.workers = 1, .window = 1}, {.workers = 3, .window = 1},
    {.workers = 1, .queue = 1}, {.workers = 1, .queue = 3, .window = 1},
    {.workers = 1, .nodes = 2}, {.workers = 2, .nodes = 2}, {.workers = 1, .nodes = 5},
    {.workers = 3, .nodes = 3, .window = 1}, {.workers = 1, .nodes = 3, .window = 1, .lead = 1},
    {.workers = 3, .nodes = 3, .window = 1, .lead = 1}};

TEST(each_program_has_one_answer)
{
    static char want[1000];
    for (unsigned k = 1; k <= SEEDS; k++) {
        random_program(k);
        struct ran ran = RUN(program, .workers = 1, .hash = true);
        char first[100];
        snprintf(first, sizeof first, "%d", layers * width);
        CHECK(ran.code == 0 && strstr(ran.err, first), "seed %u: %d: %s", k, ran.code, ran.err);
        strcpy(want, ran.err);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            struct run_options o = ways[i];
            o.hash = o.quiet = true; /* no note that a slow run did not spread */
            ran = run_program(program, o, 0, NULL);
            CHECK(ran.code == 0, "seed %u, way %zu: exit %d: %s", k, i, ran.code, ran.err);
            CHECK(!strcmp(ran.err, want), "seed %u, way %zu: %s instead of %s", k, i, ran.err,
                  want);
        }
    }
}

TEST_MAIN(T(each_program_has_one_answer))
