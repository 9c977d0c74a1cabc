/* test_name.c - fragments and calls as people read them. */
#include "runtime/base/mem.h"
#include "runtime/table/name.h"
#include "tests/lib/check.h"
#include "tests/runtime/build_program.h"

static struct build *b;

static void
fn(const luna_actual *a)
{
    (void)a;
}

static const char *
df_text(const struct luna_program *p, struct key k, size_t size)
{
    static char text[NAME_MAX_TEXT];
    memset(text, 'z', sizeof text);
    name_df(p, &k, text, size);
    return text;
}

TEST(a_fragment_has_its_name_and_indices)
{
    b = build_new();
    uint32_t x = build_df(b, "x"), longer = build_df(b, "temperature");
    build_function(b, "f", fn, "");
    build_sub(b, "main", "", BLOCK(b, CALL("f")));
    const struct luna_program *p = build_done(b);
    CHECK_STR(df_text(p, (struct key){.df = x}, NAME_MAX_TEXT), "x");
    CHECK_STR(df_text(p, (struct key){.df = x, .n = 2, .ix = {2, -7}}, NAME_MAX_TEXT), "x[2][-7]");
    struct key k = {.df = longer, .n = 3, .ix = {1, 1234567890, 3}};
    CHECK_STR(df_text(p, k, NAME_MAX_TEXT), "temperature[1][1234567890][3]");
    CHECK_STR(df_text(p, k, 30), "temperature[1][1234567890][3]");
    CHECK_STR(df_text(p, k, 29), "temperature[1][1234567890...");
    CHECK_STR(df_text(p, k, 20), "temperature[1][1...");
    CHECK_STR(df_text(p, (struct key){.df = 77}, NAME_MAX_TEXT), "?");
    k = (struct key){.df = x, .n = KEY_INDICES_MAX};
    for (int i = 0; i < KEY_INDICES_MAX; i++) k.ix[i] = -1000000000;
    const char *text = df_text(p, k, NAME_MAX_TEXT);
    CHECK(strlen(text) == NAME_MAX_TEXT - 1 && !strcmp(text + NAME_MAX_TEXT - 4, "..."));
    build_free(b);
}

TEST(a_pushed_value_has_the_name_of_its_fragment)
{
    b = build_new();
    uint32_t x = build_df(b, "x"), c = build_df(b, "c");
    build_function(b, "f", fn, "");
    build_sub(b, "main", "", BLOCK(b, CALL("f", .label = {1, c, {INT(1), INT(2)}})));
    const struct luna_program *p = build_done(b);
    struct key k = {
        .df = x | KEY_PUSHED, .n = 4, .ix = {9, 1, 2, (int32_t)c * KEY_INDICES_MAX + 2}};
    CHECK_STR(df_text(p, k, NAME_MAX_TEXT), "x[9]");
    k = (struct key){.df = x | KEY_PUSHED, .n = 1, .ix = {77 * KEY_INDICES_MAX}};
    CHECK_STR(df_text(p, k, NAME_MAX_TEXT), "x");
    build_free(b);
}

static int32_t
number(const luna_env *e)
{
    (void)e;
    abort(); /* may read inputs that have not come */
}

static const char *
cf_text(const struct luna_program *p, uint32_t site, struct frame *f, int64_t w0, int64_t w1)
{
    static char text[NAME_MAX_TEXT];
    struct task *t = mem_zalloc(1, sizeof *t + 8 * sizeof *t->word);
    t->site = site;
    t->frame = f;
    t->word[0].i = w0;
    t->word[1].i = w1;
    name_cf(p, t, text, sizeof text);
    mem_free(t);
    return text;
}

TEST(a_call_has_its_function_and_the_counters_around_it)
{
    b = build_new();
    uint32_t c = build_df(b, "c");
    build_function(b, "f", fn, "");
    uint32_t inner = BLOCK(b, CALL("f"), IF(INT(1), BLOCK(b, CALL("f"))), EXPAND("g"),
                           CALL("f", .label = {1, c, {LOCAL(1, 1), FRAME(0, 0)}}),
                           CALL("f", .label = {1, c, {IN(0)}}),
                           CALL("f", .label = {1, c, {INT_FN(number)}}));
    uint32_t outer = BLOCK(b, FOR(INT(0), INT(1), inner), WHILE(INT(0), inner));
    uint32_t body = BLOCK(b, FOR(INT(0), INT(1), outer), CALL("f"));
    build_sub(b, "main", "i", body);
    build_sub(b, "g", "", BLOCK(b, CALL("f")));
    const struct luna_program *p = build_done(b);
    struct luna_sub sub = {.params = "i", .nwords = 1};
    struct frame *f = frame_new(&sub, 0, 1);
    f->word[0].i = 40;
    uint32_t in = p->blocks[inner].site, out = p->blocks[outer].site, top = p->blocks[body].site;
    ((struct luna_site *)p->sites)[in].nlocal = 2;
    for (uint32_t i = 0; i < 6; i++) ((struct luna_site *)p->sites)[in + i].nlocal = 2;
    CHECK_STR(cf_text(p, top + 1, f, 0, 0), "f");
    CHECK_STR(cf_text(p, top, f, 0, 0), "for");
    CHECK_STR(cf_text(p, out, f, 5, 0), "for[5]");
    CHECK_STR(cf_text(p, out + 1, f, -5, 0), "while[-5]");
    CHECK_STR(cf_text(p, in, f, 5, 6), "f[5][6]");
    CHECK_STR(cf_text(p, in + 1, f, 5, 6), "if[5][6]");
    CHECK_STR(cf_text(p, in + 2, f, 5, 6), "g[5][6]");
    CHECK_STR(cf_text(p, in, f, 5, 1ll << 40), "f[5]");
    CHECK_STR(cf_text(p, in, f, 5, (3ll << 44) + (1ll << 40) + 7), "f[5]");
    CHECK_STR(cf_text(p, in + 3, f, 5, 6), "c[7][40]");
    CHECK_STR(cf_text(p, in + 4, f, 5, 6), "f[5][6]");
    CHECK_STR(cf_text(p, in + 5, f, 5, 6), "f[5][6]");
    frame_free(f, &sub);
    build_free(b);
}

TEST_MAIN(T(a_fragment_has_its_name_and_indices), T(a_pushed_value_has_the_name_of_its_fragment),
          T(a_call_has_its_function_and_the_counters_around_it))
