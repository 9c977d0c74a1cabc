/* fuzz_prep.c - any bytes through the preprocessor: no crash, no endless run, and what must always
 * hold.
 *
 * The input is up to four files, parted by lines of "===": a.fa, b.fa, c.fa, d/e.fa; the first is
 * the program. */
#include "lang/prep/prep.h"
#include "tests/fuzz/must.h"

#include <errno.h>
#include <string.h>

unsigned long fuzz_deep;

enum { FILES = 4 };
struct input {
    const char *text[FILES];
    size_t size[FILES];
};
static const char *const names[FILES] = {"a.fa", "b.fa", "c.fa", "d/e.fa"};

static const char *
read_input(void *who, struct arena *a, const char *path, size_t *size)
{
    const struct input *in = who;
    (void)a;
    for (int i = 0; i < FILES; i++) {
        if (strcmp(path, names[i]) || !in->text[i]) continue;
        *size = in->size[i];
        return in->text[i];
    }
    errno = ENOENT;
    return NULL;
}

static struct input
split(const char *text, size_t size)
{
    struct input in = {.text = {size ? text : ""}, .size = {size}};
    for (int i = 1; i < FILES; i++) {
        const char *last = in.text[i - 1], *line = memmem(last, in.size[i - 1], "\n===\n", 5);
        if (!line) break;
        in.text[i] = line + 5;
        in.size[i] = in.size[i - 1] - (in.text[i] - last);
        in.size[i - 1] = line + 1 - last;
    }
    return in;
}

/* Every span has places, each inside its file. */
static void
check_places(const struct source *s, size_t size)
{
    uint32_t seed = 1;
    for (int i = 0; i < 24; i++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t lo = (seed >> 8) % (size + 1), hi = lo + i % 7;
        struct place p;
        int depth = 0;
        for (; source_place(s, (struct span){lo, hi}, depth, &p, NULL); depth++) {
            MUST(p.line >= 1 && p.col >= 1 && p.file && p.line_text);
            MUST(p.end_line > p.line || (p.end_line == p.line && p.end_col >= p.col));
            MUST(p.col <= p.line_size + 2);
            MUST(!memchr(p.line_text, '\n', p.line_size));
        }
        MUST(depth >= 1 && depth < 1000);
    }
}

/* Without faults, a $ outside strings is always the token of the next block. */
static void
check_plain(const char *text, size_t size, int nblocks)
{
    int next = 0;
    for (size_t i = 0; i < size; i++) {
        char token[20];
        if (text[i] == '"') {
            for (i++; i < size && text[i] != '"'; i++) i += text[i] == '\\';
        } else if (text[i] == '$') {
            int n = snprintf(token, sizeof token, "${%d}", next++);
            MUST(!strncmp(text + i, token, n));
        }
    }
    MUST(next == nblocks);
}

/* Strings end, brackets match, no control characters. */
static void
check_json(const struct buf *b)
{
    int depth = 0;
    for (size_t i = 0; i < b->size; i++) {
        MUST((unsigned char)b->data[i] >= ' ' || b->data[i] == '\n');
        if (b->data[i] == '"') {
            for (i++; b->data[i] != '"'; i++) {
                MUST(i < b->size && (unsigned char)b->data[i] >= ' ');
                i += b->data[i] == '\\';
            }
        } else {
            depth += strchr("{[", b->data[i]) != NULL;
            depth -= strchr("}]", b->data[i]) != NULL;
            MUST(depth > 0 || i + 2 >= b->size);
        }
    }
    MUST(depth == 0);
}

static void
check_reports(const struct diag *d)
{
    struct buf b = {0};
    diag_print_text(d, &b);
    for (size_t i = 0; i < b.size; i++)
        MUST(((unsigned char)b.data[i] >= ' ' && b.data[i] != 0x7f) || b.data[i] == '\n');
    buf_clear(&b);
    diag_print_json(d, &b);
    check_json(&b);
    buf_fini(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const defines[] = {"DEF=1", "USES=$DEF$N", "BAD=\"", "EMPTY"};
    struct arena *a = arena_new();
    struct source *s = source_new(a);
    struct diag *d = diag_new(a, s);
    struct prep p;
    struct input in = split((const char *)data, size);
    struct prep_options o = {.defines = defines,
                             .ndefines = 4,
                             .read = read_input,
                             .read_who = &in,
                             .text_bytes_max = 1 << 16};
    MUST(prep_run(a, s, d, names[0], &o, &p));
    size_t n;
    const char *text = source_text(s, &n);
    MUST(text[n] == 0 && !memchr(text, 0, n));
    check_places(s, n);
    if (!diag_errors(d)) check_plain(text, n, p.nblocks);
    fuzz_deep += !diag_errors(d);
    check_reports(d);
    arena_free(a);
    return 0;
}
