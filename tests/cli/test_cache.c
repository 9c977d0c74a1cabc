/* What the scripts cannot reach: the bound of the cache, the order of leaving, racing an editor. */
#include "apps/luna/build/cache.h"
#include "apps/luna/common/image.h"
#include "runtime/base/mem.h"
#include "tests/lib/check.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/luna-test-cache-XXXXXX";

static void
open_cache(struct cache *c, struct arena *a)
{
    setenv("XDG_CACHE_HOME", root, 1);
    cache_open(c, a);
}

static struct content_key
subject(int number)
{
    return key_of_bytes(&number, sizeof number);
}

static const char *
write_file(struct arena *a, const char *name, int fill, size_t size)
{
    const char *path = arena_printf(a, "%s/%s", root, name);
    char *bytes = arena_alloc(a, size);
    memset(bytes, fill, size);
    file_write(path, bytes, size, 0600);
    return path;
}

static bool
keep(struct cache *c, int number, const char *input, const char *product)
{
    struct buf inputs = {0};
    cache_inputs_add(&inputs, INPUT_FILE, input);
    bool kept = cache_keep(c, subject(number), &inputs, product, "words");
    buf_fini(&inputs);
    return kept;
}

static bool
is_found(struct cache *c, int number)
{
    int fd = cache_find(c, subject(number), NULL, NULL);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

TEST(gives_back_what_was_kept)
{
    struct arena *a = arena_new();
    struct cache c;
    struct buf product = {0}, inputs = {0}, words = {0};
    open_cache(&c, a);
    const char *in = write_file(a, "in", 'i', 10), *out = write_file(a, "out", 'o', 5000);
    CHECK(!keep(&c, 1, in, out), "kept without a beginning");
    cache_begin(&c);
    CHECK(keep(&c, 1, in, out));
    int fd = cache_find(&c, subject(1), &product, &inputs);
    CHECK(fd >= 0);
    image_words(fd, &words);
    close(fd);
    CHECK(words.size == 5 && !memcmp(words.data, "words", 5), "size %zu", words.size);
    CHECK(product.size == 5000 && product.data[4999] == 'o', "size %zu", product.size);
    CHECK(inputs.size == strlen(in) + 2 && inputs.data[0] == 'f', "size %zu", inputs.size);
    CHECK(!is_found(&c, 2), "another subject");
    write_file(a, "in", 'I', 10);
    CHECK(!is_found(&c, 1), "another input");
    write_file(a, "in", 'i', 10);
    CHECK(is_found(&c, 1), "the first input again");
    unlink(in);
    CHECK(!is_found(&c, 1), "no input");
    buf_fini(&product);
    buf_fini(&inputs);
    buf_fini(&words);
    arena_free(a);
}

/* The file was written while the compiler ran: which contents it saw cannot be told. */
TEST(keeps_nothing_made_from_changing_files)
{
    struct arena *a = arena_new();
    struct cache c;
    open_cache(&c, a);
    const char *out = write_file(a, "out", 'o', 50);
    cache_begin(&c);
    const char *in = write_file(a, "changing", 'x', 10);
    CHECK(!keep(&c, 3, in, out));
    CHECK(!is_found(&c, 3));
    arena_free(a);
}

TEST(a_file_that_comes_counts)
{
    struct arena *a = arena_new();
    struct cache c;
    open_cache(&c, a);
    const char *out = write_file(a, "out", 'o', 50);
    const char *absent = arena_printf(a, "%s/absent", root);
    cache_begin(&c);
    CHECK(keep(&c, 4, absent, out));
    CHECK(is_found(&c, 4));
    write_file(a, "absent", 'x', 0);
    CHECK(!is_found(&c, 4), "an empty file is not an absent one");
    arena_free(a);
}

TEST(the_least_recently_used_leave)
{
    struct arena *a = arena_new();
    struct cache c;
    open_cache(&c, a);
    const char *in = write_file(a, "in", 'i', 10), *out = write_file(a, "big", 'b', 100 << 10);
    cache_begin(&c);
    for (int i = 10; i < 20; i++) {
        CHECK(keep(&c, i, in, out));
        usleep(15000); /* times of files tick coarsely */
    }
    CHECK(is_found(&c, 10), "used again: now the youngest");
    c.bytes_max = 550 << 10;
    cache_trim(&c);
    for (int i = 11; i < 16; i++) CHECK(!is_found(&c, i), "%d should have left", i);
    for (int i = 17; i < 20; i++) CHECK(is_found(&c, i), "%d should be here", i);
    CHECK(is_found(&c, 10));
    arena_free(a);
}

/* Every byte of the stored files, changed or cut: never a wrong product. */
TEST(damage_is_never_believed)
{
    struct arena *a = arena_new();
    struct cache c;
    open_cache(&c, a);
    const char *in = write_file(a, "in", 'i', 10), *out = write_file(a, "small", 's', 100);
    struct buf product = {0};
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s/luna", root);
    CHECK(!system(command));
    open_cache(&c, a);
    for (int at = 0; at < 180; at++) {
        cache_begin(&c);
        CHECK(keep(&c, 5, in, out));
        snprintf(command, sizeof command,
                 "for f in %s/luna/*/*; do printf '\\%03o' | dd of=$f bs=1 seek=%d conv=notrunc "
                 "2>/dev/null; done", root, at % 7 + 1, at);
        CHECK(!system(command));
        buf_clear(&product);
        int fd = cache_find(&c, subject(5), &product, NULL);
        if (fd >= 0) close(fd);
        bool right = product.size == 100 && product.data[0] == 's' && product.data[99] == 's';
        CHECK(fd < 0 || right, "byte %d", at);
    }
    buf_fini(&product);
    arena_free(a);
}

/* ---- when memory is out ---- */

TEST(half_a_key_is_no_key)
{
    struct arena *a = arena_new();
    jmp_buf where;
    arena_on_fail(a, &where);
    struct buf b = {0};
    mem_fail_after(0);
    key_add(&b, "what a program is");
    mem_fail_after(-1);
    if (!setjmp(where)) {
        key_end(a, &b);
        CHECK(0, "came back");
    }
    arena_free(a);
}

/* What an allocation that fails must not do: give half of the object, or remove it. */
TEST(a_find_without_memory_spoils_nothing)
{
    struct arena *a = arena_new();
    struct cache c;
    open_cache(&c, a);
    const char *in = write_file(a, "in", 'i', 300), *out = write_file(a, "out", 'o', 50000);
    cache_begin(&c);
    CHECK(keep(&c, 7, in, out));
    bool found = false;
    for (long n = 0; !found && n < 100; n++) {
        struct buf product = {0};
        mem_fail_after(n);
        int fd = cache_find(&c, subject(7), &product, NULL);
        mem_fail_after(-1);
        CHECK(fd < 0 || product.size == 50000, "after %ld: %zu bytes", n, product.size);
        found = fd >= 0;
        if (found) close(fd);
        buf_fini(&product);
        CHECK(is_found(&c, 7), "after %ld: it is gone", n);
    }
    CHECK(found);
    arena_free(a);
}

int
main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        T(gives_back_what_was_kept), T(keeps_nothing_made_from_changing_files),
        T(a_file_that_comes_counts), T(the_least_recently_used_leave), T(damage_is_never_believed),
        T(half_a_key_is_no_key), T(a_find_without_memory_spoils_nothing)};
    if (!mkdtemp(root)) return 1;
    int code = check_main(argc, argv, tests, sizeof tests / sizeof *tests);
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command) || code;
}
