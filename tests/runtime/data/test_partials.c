/* test_partials.c - parts of an index set: a table under random puts and takes, and that any way of
 * dealing elements out to holders, who combine what they can and then give it on, makes one tree.
 *
 * Values are ints; what is combined is told by a text: the tree, written with parentheses. */
#include "runtime/data/partials.h"
#include "tests/lib/check.h"

#include "runtime/base/mem.h"
#include "runtime/base/rng.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 300, HOLDERS = 5, TEXT = 12 * MOST };

TEST(a_table_under_random_puts_and_takes)
{
    struct rng r = rng_of(3);
    struct partials t = {0};
    int32_t level[MOST];
    memset(level, -1, sizeof level);
    for (int k = 0; k < 200000; k++) {
        uint32_t first = (uint32_t)rng_below(&r, MOST), want = (uint32_t)rng_below(&r, 3);
        struct partial p = {first, want, luna_v_of_int((int32_t)first)}, got;
        if (level[first] < 0 && rng_below(&r, 3)) {
            CHECK(partials_put(&t, &p) == OK);
            level[first] = (int32_t)want;
            continue;
        }
        bool is_there = level[first] == (int32_t)want;
        CHECK(partials_take(&t, first, want, &got) == is_there, "step %d", k);
        if (!is_there) continue;
        CHECK(got.first == first && got.value.w.i == first);
        level[first] = -1;
    }
    uint32_t n = 0;
    struct partial p;
    for (uint32_t at = 0; partials_next(&t, &at, &p); n++)
        CHECK(level[p.first] == (int32_t)p.level);
    CHECK(n == t.n);
    partials_fini(&t);
}

TEST(out_of_memory_is_told)
{
    struct partials t = {0};
    struct partial p = {0, 0, luna_v_of_int(1)};
    mem_fail_after(0);
    CHECK(partials_put(&t, &p) == E_NOMEM);
    mem_fail_after(-1);
    CHECK(partials_put(&t, &p) == OK);
    partials_fini(&t);
}

/* ---- the tree ---- */

static void
write_tree(uint32_t total, uint32_t first, uint32_t level, char *text)
{
    uint64_t half = level ? UINT64_C(1) << (level - 1) : 0;
    if (!level) {
        sprintf(text + strlen(text), " %u", first);
    } else if (first + half >= total) {
        write_tree(total, first, level - 1, text);
    } else {
        strcat(text, "(");
        write_tree(total, first, level - 1, text);
        write_tree(total, first + (uint32_t)half, level - 1, text);
        strcat(text, ")");
    }
}

struct holder {
    struct partials t;
};

static char *texts[8 * MOST];
static uint32_t ntexts;

static luna_value
text_new(const char *open, const char *a, const char *b, const char *close)
{
    char *text = mem_alloc(strlen(a) + strlen(b) + 3);
    sprintf(text, "%s%s%s%s", open, a, b, close);
    texts[ntexts] = text;
    return luna_v_of_int((int32_t)ntexts++);
}

static void
add(struct holder *h, struct partial p, uint32_t total)
{
    struct partial other;
    partials_raise(&p, total);
    while (p.level < partials_top(total) &&
           partials_take(&h->t, partials_neighbour(&p), p.level, &other)) {
        struct partial left = p.first < other.first ? p : other;
        struct partial right = p.first < other.first ? other : p;
        left.value = text_new("(", texts[left.value.w.i], texts[right.value.w.i], ")");
        left.level++;
        p = left;
        partials_raise(&p, total);
    }
    CHECK(partials_fits(&p, total));
    CHECK(partials_put(&h->t, &p) == OK);
}

static void
deal_out(uint32_t total, struct rng *r)
{
    struct holder h[HOLDERS] = {0};
    uint32_t order[MOST], run = 1 + (uint32_t)rng_below(r, 9);
    char number[20];
    for (uint32_t i = 0; i < total; i++) order[i] = i;
    for (uint32_t i = total; i > 1; i--) {
        uint32_t k = (uint32_t)rng_below(r, i), old = order[i - 1];
        order[i - 1] = order[k];
        order[k] = old;
    }
    for (uint32_t i = 0; i < total; i++) {
        snprintf(number, sizeof number, " %u", order[i]);
        struct partial p = {order[i], 0, text_new("", number, "", "")};
        add(&h[order[i] / run % HOLDERS], p, total);
    }
    struct partial p;
    for (int k = HOLDERS - 1; k > 0; k--) /* to the one before, as nodes do up their tree */
        for (uint32_t at = 0; partials_next(&h[k].t, &at, &p);) add(&h[k / 2], p, total);
    CHECK(h[0].t.n == 1);
    CHECK(partials_take(&h[0].t, 0, partials_top(total), &p));
    char want[TEXT] = "";
    write_tree(total, 0, partials_top(total), want);
    CHECK(!strcmp(texts[p.value.w.i], want), "total %u: %s, not %s", total, texts[p.value.w.i],
          want);
    for (int k = 0; k < HOLDERS; k++) partials_fini(&h[k].t);
    while (ntexts) mem_free(texts[--ntexts]);
}

TEST(whoever_has_what_it_is_one_tree)
{
    struct rng r = rng_of(1);
    for (uint32_t total = 1; total <= MOST; total += total < 70 ? 1 : 23)
        for (int k = 0; k < 20; k++) deal_out(total, &r);
}

TEST(levels_up_to_the_largest_total)
{
    struct partial p = {UINT32_MAX - 1, 0, value_unset()};
    CHECK(partials_top(1) == 0 && partials_top(2) == 1 && partials_top(3) == 2);
    CHECK(partials_top(UINT32_MAX) == 32);
    partials_raise(&p, UINT32_MAX);
    CHECK(p.level == 1); /* its neighbour of level 1 is on the left */
    p = (struct partial){0, 31, value_unset()};
    partials_raise(&p, UINT32_MAX);
    CHECK(p.level == 31 && partials_neighbour(&p) == 1u << 31);
    CHECK(partials_fits(&p, UINT32_MAX) && !partials_fits(&p, 5));
    p.first = 3;
    CHECK(!partials_fits(&p, UINT32_MAX));
}

TEST_MAIN(T(a_table_under_random_puts_and_takes), T(out_of_memory_is_told),
          T(whoever_has_what_it_is_one_tree), T(levels_up_to_the_largest_total))
