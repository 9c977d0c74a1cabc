/* test_layout.c - parts of the segment do not overlap, and begin where pages and lines do. */
#include "collectives/group/layout.h"
#include "tests/lib/check.h"

enum { PAGE = 4096 };

/* Offsets of a place: each part behind the one before. */
static void
check_place(const struct segment_layout *l, enum coll_layout kind, size_t cell)
{
    size_t controls = l->controls + (size_t)l->cells * l->control_stride;
    CHECK(l->cell >= cell && l->cell % LINE == 0, "cell %zu of %zu", l->cell, cell);
    CHECK(l->lines % LINE == 0 && l->controls % LINE == 0 && l->queue % PAGE == 0, "%zu", l->queue);
    CHECK(controls <= l->queue, "controls up to %zu, cells from %zu", controls, l->queue);
    CHECK(l->queue + (size_t)l->cells * l->cell <= l->stride, "stride %zu", l->stride);
    CHECK(l->first % PAGE == 0 && l->stride % PAGE == 0, "%zu %zu", l->first, l->stride);
    CHECK(sizeof(struct head) <= l->first, "%zu", l->first);
    if (kind == COLL_LINES) {
        CHECK(l->lines + sizeof(struct member) <= l->slots, "lines up to %zu", l->slots);
        CHECK(l->slots + RING * l->slot <= l->controls, "slots up to %zu", l->controls);
        return;
    }
    CHECK(l->cell % PAGE == 0 && l->control_stride == PAGE, "%zu", l->cell);
    CHECK(l->lines >= sizeof(struct control), "lines from %zu", l->lines);
    CHECK(l->lines + sizeof(struct member) <= PAGE, "lines end at %zu",
          l->lines + sizeof(struct member));
}

TEST(parts_do_not_overlap)
{
    static const size_t cells[] = {64, 65, 100, 4095, 4096, 4097, 65536};
    for (int kind = COLL_LINES; kind <= COLL_PAGES; kind++)
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
            for (int s = 2; s <= 130; s += 16)
                for (int p = 1; p <= 17; p += 4) {
                    struct segment_layout l;
                    CHECK(layout_init(&l, kind, p, cells[c], s, 2, PAGE), "p %d s %d", p, s);
                    check_place(&l, kind, cells[c]);
                    if (check_failed) return;
                    CHECK(l.total == l.first + (size_t)p * l.stride, "total %zu", l.total);
                }
}

/* w + p s (w + f): the paper's 780 KB for p = 8, s = 8, f = 8K, q = 2, without its q pages. */
TEST(by_pages_it_takes_what_the_paper_says)
{
    struct segment_layout l;
    CHECK(layout_init(&l, COLL_PAGES, 8, 8192, 8, 2, PAGE), "p 8");
    CHECK(l.total == PAGE + 8 * 8 * (PAGE + 8192), "%zu", l.total);
    CHECK(l.total + 2 * PAGE == 780 * 1024, "%zu", l.total);
}

TEST(by_lines_it_takes_less)
{
    struct segment_layout lines, pages;
    CHECK(layout_init(&lines, COLL_LINES, 16, 8192, 64, 1, PAGE), "lines");
    CHECK(layout_init(&pages, COLL_PAGES, 16, 8192, 64, 1, PAGE), "pages");
    CHECK(lines.total * 4 < pages.total * 3, "%zu %zu", lines.total, pages.total);
}

TEST(what_no_address_can_hold_is_refused)
{
    struct segment_layout l;
    CHECK(!layout_init(&l, COLL_LINES, 4096, SIZE_MAX / 4096, 65535, 1, PAGE), "fits");
    CHECK(!layout_init(&l, COLL_LINES, 2, SIZE_MAX / 8, 2, 1, PAGE), "fits");
}

TEST(no_two_words_share_a_line)
{
    CHECK(offsetof(struct member, in) - offsetof(struct member, left) >= LINE, "in");
    CHECK(offsetof(struct member, out) - offsetof(struct member, in) >= LINE, "out");
    CHECK(sizeof(struct line) == LINE && sizeof(struct control) == LINE, "line");
    CHECK(sizeof(struct head) == LINE, "head");
}

TEST_MAIN(T(parts_do_not_overlap), T(by_pages_it_takes_what_the_paper_says),
          T(by_lines_it_takes_less), T(what_no_address_can_hold_is_refused),
          T(no_two_words_share_a_line))
