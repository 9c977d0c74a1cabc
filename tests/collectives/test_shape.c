/* test_shape.c - what is refused and why, what is chosen, what is told of members who differ. */
#include "collectives/group/shape.h"
#include "tests/lib/check.h"

static const struct coll_setup plain = {.size = 4};

/* One thing in a setup that is wrong, and the beginning of what is said. */
#define REFUSED(call, begins, ...)                                                                 \
    do {                                                                                           \
        char why[COLL_WHY] = "";                                                                   \
        struct coll_setup s = {__VA_ARGS__};                                                       \
        CHECK(call(&s, why), "%s", #__VA_ARGS__);                                                  \
        CHECK(!strncmp(why, begins, strlen(begins)), "%s", why);                                   \
    } while (0)

TEST(a_plain_setup_is_fine)
{
    char why[COLL_WHY] = "";
    CHECK(!shape_wrong_place(&plain, why) && !shape_wrong(&plain, why) && !*why);
}

TEST(who_is_nobody_is_refused)
{
    REFUSED(shape_wrong_place, "size: 1 to ", .rank = -1, .size = 0);
    REFUSED(shape_wrong_place, "size: 1 to ", .size = SIZE_MAX_MEMBERS + 1);
    REFUSED(shape_wrong_place, "rank: 0 to 3 of 4 members, not 4", .size = 4, .rank = 4);
    REFUSED(shape_wrong_place, "rank: 0 to 3 of 4 members, not -1", .size = 4, .rank = -1);
}

TEST(what_cannot_be_is_refused)
{
    REFUSED(shape_wrong, "fragments: 2 to 65535, not 1", .fragments = 1);
    REFUSED(shape_wrong, "fragments: 2 to 65535, not -3", .fragments = -3);
    REFUSED(shape_wrong, "fragments: 2 to 65535, not 65536", .fragments = 65536);
    REFUSED(shape_wrong, "sets: at least 1, not -1", .sets = -1);
    REFUSED(shape_wrong, "sets must divide fragments: 3 do not divide 8", .sets = 3,
            .fragments = 8);
    REFUSED(shape_wrong, "fragment_bytes: at least ", .fragment_bytes = 1);
    REFUSED(shape_wrong, "latency_bytes: 0 to 1e+12, not -1", .latency_bytes = -1);
    REFUSED(shape_wrong, "latency_bytes: 0 to 1e+12, not nan", .latency_bytes = __builtin_nan(""));
    REFUSED(shape_wrong, "fan_out: at least 2, not 1", .fan_out = 1);
    REFUSED(shape_wrong, "tree: COLL_KARY to COLL_CHAIN, 0 to 3, not 4", .tree = 4);
    REFUSED(shape_wrong, "layout: COLL_LINES or COLL_PAGES, 0 or 1, not 2", .layout = 2);
    REFUSED(shape_wrong, "copying: COLL_COPY_TIMED to COLL_COPY_AROUND, 0 to 2", .copying = 3);
    REFUSED(shape_wrong, "timeout_ms: at least 1, not -5", .timeout_ms = -5);
}

TEST(what_is_left_open_is_chosen)
{
    struct shape a = shape_of(&plain);
    CHECK(a.size == 4 && a.sets == 2 && a.fan_out == 2 && !a.fragment);
    CHECK(a.cells == 128 && a.cell == 4096);
    struct shape odd = shape_of(&(struct coll_setup){.size = 4, .fragments = 7});
    CHECK(odd.cells == 7 && odd.sets == 1, "two sets do not divide 7: %lld of %lld",
          (long long)odd.cells, (long long)odd.sets);
    struct shape sets = shape_of(&(struct coll_setup){.size = 4, .sets = 3});
    CHECK(sets.sets == 3 && sets.cells == 129, "rounded up to whole sets");
    struct shape given = shape_of(
        &(struct coll_setup){.size = 4, .fragment_bytes = 1 << 16, .fragments = 8, .fan_out = 5});
    CHECK(given.fragment == 1 << 16 && given.cell == 1 << 16 && given.cells == 8);
    CHECK(given.fan_out == 5);
    struct shape model = shape_of(&(struct coll_setup){.size = 4, .message_max = 16 << 20});
    CHECK(model.fragment > 0 && model.cell == model.fragment && model.cells >= 2);
    CHECK(model.cells % model.sets == 0 && model.cells <= CELLS_MAX);
}

/* Each number of a shape by its name; what follows from others is not told. */
TEST(who_means_another_is_told)
{
    static const struct {
        const char *said;
        struct coll_setup s;
    } other[] = {
        {"size is 5 at rank 2, and 4", {.size = 5}},
        {"layout is 1 at rank 2, and 0", {.size = 4, .layout = COLL_PAGES}},
        {"tree is 2 at rank 2, and 0", {.size = 4, .tree = COLL_FLAT}},
        {"fan_out is 3 at rank 2, and 2", {.size = 4, .fan_out = 3}},
        {"sets are 4 at rank 2, and 2", {.size = 4, .sets = 4}},
        {"fragment_bytes are 8192 at rank 2, and 0",
         {.size = 4, .fragment_bytes = 8192, .fragments = 128}},
        {"fragments are 64 at rank 2, and 128", {.size = 4, .fragments = 64}},
    };
    struct shape ours = shape_of(&plain);
    char why[COLL_WHY] = "";
    CHECK(!shape_differs(&ours, &ours, 2, why) && !*why);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        struct shape theirs = shape_of(&other[i].s);
        CHECK(shape_differs(&theirs, &ours, 2, why), "%s", other[i].said);
        CHECK(strstr(why, other[i].said), "%s", why);
        CHECK(strstr(why, "at rank 0"), "%s", why);
    }
}

TEST_MAIN(T(a_plain_setup_is_fine), T(who_is_nobody_is_refused), T(what_cannot_be_is_refused),
          T(what_is_left_open_is_chosen), T(who_means_another_is_told))
