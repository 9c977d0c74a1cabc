/* fuzz_lang.c - any bytes through all passes, to the emitted C: no crash, no endless run, and what
 * must always hold of what comes out. */
#include "lang/lang.h"
#include "tests/fuzz/must.h"

#include <errno.h>
#include <string.h>

unsigned long fuzz_deep;

struct input {
    const char *text;
    size_t size;
};

static const char *
read_input(void *who, struct arena *a, const char *path, size_t *size)
{
    const struct input *in = who;
    (void)a;
    if (!strcmp(path, "a.fa")) {
        *size = in->size;
        return in->text;
    }
    errno = ENOENT;
    return NULL;
}

/* The end of what begins at `at` and has no brackets of its own: a string, a character, a
 * comment. */
static const char *
closed(const char *at)
{
    const char quote = *at;
    if (quote == '/') {
        const char *end = at[1] == '*' ? strstr(at + 2, "*/") : NULL;
        MUST(at[1] != '*' || end);
        return end ? end + 1 : at;
    }
    for (at++; *at != quote; at++) {
        MUST(*at && *at != '\n');
        if (*at == '\\') MUST(*++at);
    }
    return at;
}

/* The program as C: printable, its strings and brackets end. */
static void
check_c(const char *text)
{
    char open[64];
    size_t depth = 0;
    for (const char *c = text; *c; c++) {
        MUST((unsigned char)*c >= ' ' || *c == '\n');
        if (strchr("\"'/", *c)) c = closed(c);
        else if (strchr("([{", *c)) {
            MUST(depth < sizeof open);
            open[depth++] = *c;
        } else if (strchr(")]}", *c)) {
            MUST(depth > 0);
            const char was = open[--depth];
            MUST(*c == (was == '(' ? ')' : was == '[' ? ']' : '}'));
        }
    }
    MUST(depth == 0);
}

static void
check_text(const struct buf *b)
{
    MUST(!b->failed && !memchr(b->data ? b->data : "", 0, b->size));
}

/* Compiles; with `dump` up to that pass, which prints what it has made. */
static void
compile(struct lang *l, struct input *in, const char *dump, struct buf *out)
{
    static const char *const defines[] = {"DEF=1", "N=4"};
    struct lang_options o = {.file = "a.fa",
                             .dump = dump,
                             .dump_out = out,
                             .prep = {.defines = defines,
                                      .ndefines = 2,
                                      .read = read_input,
                                      .read_who = in,
                                      .text_bytes_max = 1 << 16}};
    MUST(lang_compile(l, &o));
}

static void
check_dump(struct input *in, const char *pass)
{
    struct buf out = {0};
    struct lang l;
    compile(&l, in, pass, &out);
    check_text(&out);
    lang_fini(&l);
    buf_fini(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {size ? (const char *)data : "", size};
    struct lang l, again;
    compile(&l, &in, NULL, NULL);
    struct buf said = {0};
    diag_print_text(l.diag, &said);
    check_text(&said);
    MUST(!diag_errors(l.diag) == (l.c_text.size > 0));
    if (l.c_text.size) {
        fuzz_deep++;
        buf_add(&l.c_text, "", 1);
        check_c(l.c_text.data);
        check_dump(&in, "check");
        check_dump(&in, "lower");
        compile(&again, &in, NULL, NULL); /* and nothing hangs on where memory lies */
        MUST(again.c_text.size + 1 == l.c_text.size);
        MUST(!memcmp(again.c_text.data, l.c_text.data, again.c_text.size));
        lang_fini(&again);
    }
    buf_fini(&said);
    lang_fini(&l);
    return 0;
}
