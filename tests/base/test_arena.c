/* test_arena.c - pieces are zeroed, aligned and apart; failure jumps or gives NULL. */
#include "runtime/base/arena.h"
#include "runtime/base/buf.h"
#include "runtime/base/mem.h"
#include "tests/lib/check.h"

#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(pieces_are_zeroed_aligned_and_apart)
{
    struct arena *a = arena_new();
    char *before = NULL;
    size_t had = 0;
    for (size_t n = 0; n < 3000; n++) {
        size_t bytes = n * 7 % 501;
        char *p = arena_alloc(a, bytes);
        CHECK((uintptr_t)p % _Alignof(max_align_t) == 0, "%p", (void *)p);
        for (size_t i = 0; i < bytes; i++) CHECK(!p[i], "byte %zu of %zu", i, bytes);
        memset(p, 0xff, bytes);
        for (size_t i = 0; i < had; i++) CHECK((unsigned char)before[i] == 0xff, "overwritten");
        memset(before ? before : p, 0, had);
        before = p;
        had = bytes;
    }
    arena_free(a);
}

TEST(a_piece_larger_than_any_chunk_fits_and_small_ones_follow)
{
    struct arena *a = arena_new();
    char *small = arena_alloc(a, 10), *huge = arena_alloc(a, 5 << 20), *after = arena_alloc(a, 10);
    CHECK(small && huge && after);
    memset(huge, 1, 5 << 20);
    CHECK(!small[9] && !after[0]);
    arena_free(a);
}

TEST(growing_copies_and_zeroes_the_rest)
{
    struct arena *a = arena_new();
    char *p = arena_strdup(a, "fragment");
    char *q = arena_grow(a, p, 9, 100);
    CHECK(q != p);
    CHECK_STR(q, "fragment");
    for (int i = 9; i < 100; i++) CHECK(!q[i], "byte %d", i);
    CHECK(arena_grow(a, NULL, 0, 8));
    arena_free(a);
}

/* ---- what the address sanitizer sees: a child that dies of it, and its report ---- */

#if defined(__SANITIZE_ADDRESS__)
static volatile char seen;

static void
read_behind(struct arena *a)
{
    char *p = arena_alloc(a, 13);
    arena_alloc(a, 13);
    seen = p[13];
}

static void
write_before(struct arena *a)
{
    arena_alloc(a, 16);
    char *p = arena_alloc(a, 16);
    p[-1] = 1;
}

static void
read_copied(struct arena *a)
{
    char *p = arena_strdup(a, "fragment");
    arena_grow(a, p, 9, 100);
    seen = p[3];
}

static void
read_freed(struct arena *a)
{
    char *p = arena_strdup(a, "fragment");
    arena_free(a);
    seen = p[3];
}

/* What a child says that does it, on stderr; what it leaks is its end's. */
static const char *
said_of(void (*wrong)(struct arena *))
{
    static char said[1 << 14];
    int ends[2], status;
    if (pipe(ends)) abort();
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        dup2(ends[1], 2);
        wrong(arena_new());
        _exit(0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; (got = read(ends[0], said + n, sizeof said - 1 - n)) > 0;) n += (size_t)got;
    said[n] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    return status ? said : "it does not die";
}

TEST(the_sanitizer_sees_who_leaves_a_piece)
{
    static const struct {
        void (*wrong)(struct arena *);
        const char *report;
    } cases[] = {{read_behind, "heap-buffer-overflow"},
                 {write_before, "heap-buffer-overflow"},
                 {read_copied, "use-after-poison"},
                 {read_freed, "heap-use-after-free"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *said = said_of(cases[i].wrong);
        CHECK(strstr(said, cases[i].report), "case %zu: %s", i, said);
    }
}
#define SANITIZED T(the_sanitizer_sees_who_leaves_a_piece),
#else
#define SANITIZED
#endif

TEST(texts_are_copied_and_printed)
{
    struct arena *a = arena_new();
    CHECK_STR(arena_strndup(a, "abcdef", 3), "abc");
    CHECK_STR(arena_strndup(a, "", 0), "");
    CHECK_STR(arena_printf(a, "%s[%d]", "x", -7), "x[-7]");
    char *wide = arena_printf(a, "%40000d", 5);
    CHECK(strlen(wide) == 40000 && wide[39999] == '5');
    arena_free(a);
    arena_free(NULL);
}

TEST(sizes_near_the_end_of_the_address_space_fail)
{
    struct arena *a = arena_new();
    CHECK(!arena_alloc(a, SIZE_MAX));
    CHECK(!arena_alloc(a, SIZE_MAX - 20));
    CHECK(!arena_alloc(a, SIZE_MAX - 100));
    CHECK(arena_alloc(a, 1));
    arena_free(a);
}

TEST(failure_gives_null_or_jumps)
{
    mem_fail_after(0);
    CHECK(!arena_new());
    mem_fail_after(1);
    struct arena *a = arena_new();
    CHECK(a && !arena_alloc(a, 1) && !arena_strdup(a, "x") && !arena_printf(a, "%d", 1));
    CHECK(!arena_grow(a, NULL, 0, 1));
    jmp_buf where;
    if (!setjmp(where)) {
        arena_on_fail(a, &where);
        arena_alloc(a, 1);
        CHECK(0, "came back");
    }
    arena_on_fail(a, NULL);
    CHECK(!arena_alloc(a, 1));
    mem_fail_after(-1);
    CHECK(arena_alloc(a, 1));
    arena_free(a);
}

TEST(others_jump_to_the_same_place_and_say_why)
{
    jmp_buf where;
    struct arena *a = arena_new(), *b = arena_new();
    arena_on_fail(a, &where);
    arena_fails_like(b, a);
    switch (setjmp(where)) {
    case 0: arena_jump(b, ARENA_TOLD); CHECK(0, "came back");
    case ARENA_TOLD: arena_jump(a, ARENA_NO_MEMORY); CHECK(0, "came back");
    case ARENA_NO_MEMORY: break;
    default: CHECK(0, "another reason");
    }
    arena_on_fail(a, NULL);
    arena_jump(a, ARENA_TOLD); /* comes back */
    arena_free(a);
    arena_free(b);
}

TEST(a_text_that_is_taken_is_freed_in_any_case)
{
    static struct buf b; /* outlives the jump */
    jmp_buf where;
    struct arena *a = arena_new();
    buf_printf(&b, "%d plums", 7);
    char *text = arena_text(a, &b);
    CHECK(text && !strcmp(text, "7 plums") && !b.data && !b.size);
    text = arena_text(a, &b);
    CHECK(text && !*text, "of an empty one");
    b.failed = true;
    CHECK(!arena_text(a, &b) && !b.failed);
    arena_free(a);
    a = arena_new();
    buf_str(&b, "plums");
    mem_fail_after(0);
    if (!setjmp(where)) {
        arena_on_fail(a, &where);
        arena_text(a, &b);
        CHECK(0, "came back");
    }
    mem_fail_after(-1);
    CHECK(!b.data && !b.size);
    arena_free(a);
}

TEST_MAIN(T(pieces_are_zeroed_aligned_and_apart),
          T(a_piece_larger_than_any_chunk_fits_and_small_ones_follow),
          T(growing_copies_and_zeroes_the_rest), SANITIZED T(texts_are_copied_and_printed),
          T(sizes_near_the_end_of_the_address_space_fail), T(failure_gives_null_or_jumps),
          T(others_jump_to_the_same_place_and_say_why),
          T(a_text_that_is_taken_is_freed_in_any_case))
