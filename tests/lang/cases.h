/* cases.h - a file of programs, each with what a pass makes of it.
 *
 *     === title
 *     the program
 *     ---
 *     the dump, then the reports
 *
 * With CASES_UPDATE set in the environment the file is written anew; read the difference then. */
#ifndef LUNA_TESTS_LANG_CASES_H
#define LUNA_TESTS_LANG_CASES_H

#include "lang/lang.h"
#include "tests/lib/check.h"

struct one_file {
    const char *text;
    size_t size;
};

static const char *
one_file_read(void *who, struct arena *a, const char *path, size_t *size)
{
    const struct one_file *f = who;
    (void)a;
    if (strcmp(path, "t.fa")) return NULL;
    *size = f->size;
    return f->text;
}

/* Compiles `text` as t.fa up to `pass`. False: out of memory; then `out` says nothing. */
static inline bool
text_compile(const char *text, size_t size, const char *pass, struct buf *out)
{
    struct one_file f = {text, size};
    struct lang l;
    struct lang_options o = {.file = "t.fa", .prep = {.read = one_file_read, .read_who = &f}};
    o.dump = pass;
    o.dump_out = out;
    bool ok = lang_compile(&l, &o);
    if (ok && (diag_errors(l.diag) || diag_warnings(l.diag))) {
        diag_print_text(l.diag, out);
        if (out->failed) ok = false;
    }
    lang_fini(&l);
    return ok;
}

static inline void
cases_run(const char *path, const char *pass)
{
    struct buf file = {0}, now = {0};
    char piece[4096];
    FILE *in = fopen(path, "rb");
    CHECK(in, "%s", path);
    for (size_t n; (n = fread(piece, 1, sizeof piece, in)) > 0;) buf_add(&file, piece, n);
    fclose(in);
    int n = 0, bad = 0;
    char *at = file.data;
    while (at && !strncmp(at, "=== ", 4)) {
        char *program = strchr(at, '\n') + 1, *line = strstr(program, "\n---\n");
        CHECK(line, "a case without ---: %.40s", at);
        char *want = line + 5, *next = strstr(want - 1, "\n=== ");
        size_t want_size = next ? (size_t)(next + 1 - want) : strlen(want);
        struct buf out = {0};
        bool ok = text_compile(program, line + 1 - program, pass, &out);
        if (!ok || out.size != want_size || memcmp(out.data, want, want_size)) {
            printf("%s: %.*s\n--- have\n%s--- want\n%.*s\n", path, (int)(program - at - 1), at,
                   out.data ? out.data : "", (int)want_size, want);
            bad++;
        }
        buf_add(&now, at, want - at);
        if (out.size) buf_add(&now, out.data, out.size);
        buf_fini(&out);
        n++;
        at = next ? next + 1 : NULL;
    }
    if (getenv("CASES_UPDATE") && (in = fopen(path, "wb"))) {
        fwrite(now.data, 1, now.size, in);
        fclose(in);
    }
    buf_fini(&file);
    buf_fini(&now);
    CHECK(n > 0 && !bad, "%d of %d cases differ", bad, n);
}

#endif
