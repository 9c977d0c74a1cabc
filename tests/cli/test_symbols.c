/* The reader of object files, on this test's own object and on damaged ones. */
#include "apps/luna/build/symbols.h"

#include "apps/luna/common/files.h"
#include "tests/lib/check.h"

#include <stdlib.h>
#include <unistd.h>

static const struct symbol_info *
find_any(const struct symbols *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->at[i].name, name)) return &s->at[i];
    return NULL;
}

TEST(tells_functions_data_and_needs)
{
    struct arena *a = arena_new();
    struct symbols s;
    CHECK(symbols_read(a, TEST_OBJECT, &s));
    const struct symbol_info *f = symbols_find(&s, "sample_function");
    CHECK(f && f->function && f->global && f->defined && !f->weak && !f->writable);
    const struct symbol_info *w = symbols_find(&s, "sample_weak");
    CHECK(w && w->weak);
    const struct symbol_info *d = symbols_find(&s, "sample_data");
    CHECK(d && d->writable && !d->function);
    const struct symbol_info *k = symbols_find(&s, "sample_constant");
    CHECK(k && !k->writable);
    const struct symbol_info *p = symbols_find(&s, "sample_pointer");
    CHECK(p && !p->writable, "constant, but relocated");
    const struct symbol_info *t = symbols_find(&s, "sample_thread");
    CHECK(t && !t->writable, "each thread has its own");
    const struct symbol_info *hidden = find_any(&s, "sample_hidden");
    CHECK(hidden && !hidden->global && hidden->writable);
    const struct symbol_info *n = find_any(&s, "sample_needed");
    CHECK(n && !n->defined);
    CHECK(!symbols_find(&s, "sample_needed"));
    CHECK(!symbols_read(a, "/etc/passwd", &s));
    CHECK(!symbols_read(a, "/nonexistent", &s));
    arena_free(a);
}

/* Cut at each place, and with bytes changed: refused or read, never out of bounds. */
TEST(survives_damage)
{
    struct arena *a = arena_new();
    struct buf object = {0};
    char path[] = "/tmp/luna-test-object-XXXXXX";
    struct symbols s;
    CHECK(!file_read(TEST_OBJECT, &object));
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    for (size_t n = 0; n < object.size; n += 31) {
        file_write(path, object.data, n, 0600);
        symbols_read(a, path, &s);
    }
    srand(1);
    for (int round = 0; round < 600; round++) {
        size_t at = round < 64 ? (size_t)round : (size_t)rand() % object.size;
        char old = object.data[at];
        object.data[at] = (char)rand();
        file_write(path, object.data, object.size, 0600);
        symbols_read(a, path, &s);
        object.data[at] = old;
    }
    unlink(path);
    buf_fini(&object);
    arena_free(a);
}

TEST(shows_names_as_written)
{
    static const char *const pairs[][2] = {
        {"_Z4halfi", "half"},           {"_ZN2ns1fEi", "ns::f"},
        {"_ZL7counter", "counter"},     {"_ZN12_GLOBAL__N_15totalE", "total"},
        {"_ZZ1fvE5calls", "calls"},     {"_ZZN1a1bEvE2xy", "xy"},
        {"calls.0", "calls"},           {"_ZZ1fvE5calls_0", "calls"},
    };
    struct arena *a = arena_new();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *have = symbol_plain_name(a, pairs[i][0]);
        CHECK_STR(have ? have : "(null)", pairs[i][1]);
    }
    static const char *const plain[] = {"half", "", "_Z", "_Z99x", "_ZZ", "_ZZE", ".LC0", "a.b"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        CHECK(!symbol_plain_name(a, plain[i]), "%s", plain[i]);
    arena_free(a);
}

TEST_MAIN(T(tells_functions_data_and_needs), T(survives_damage), T(shows_names_as_written))
