/* prepared.h - runs the preprocessor on files in memory, for the tests of its parts.
 *
 *     PLAIN("a $N", "a 8")      the plain text it makes; reports, if there are errors
 *     REPORTS("#bad", "...")    all reports; REPORT: the first line of them
 *     files[1] = ...            more files, beside a.fa; end() when a test is done */
#ifndef LUNA_TESTS_LANG_PREPARED_H
#define LUNA_TESTS_LANG_PREPARED_H

#include "lang/prep/prep.h"
#include "tests/lib/check.h"

#include <errno.h>

static struct arena *arena;
static struct source *source;
static struct diag *d;
static struct prep prep;
static struct buf out;

/* ---- files in memory ---- */

struct memory_file {
    const char *name, *text;
    size_t size; /* 0: as long as a string */
};
static struct memory_file files[8];

static inline const char *
read_memory(void *who, struct arena *a, const char *path, size_t *size)
{
    for (struct memory_file *f = who; f->name; f++) {
        if (strcmp(f->name, path)) continue;
        if (!f->text) break;
        *size = f->size ? f->size : strlen(f->text);
        /* A copy without a 0 behind it: reading too far is found. */
        char *text = arena_alloc(a, *size);
        return memcpy(text, f->text, *size);
    }
    errno = ENOENT;
    return NULL;
}

static inline void
end(void)
{
    arena_free(arena);
    buf_fini(&out);
    memset(files, 0, sizeof files);
    arena = NULL;
}

static inline bool
run_options(const char *text, const char *const *defines, int n)
{
    if (arena) arena_free(arena);
    arena = arena_new();
    source = source_new(arena);
    d = diag_new(arena, source);
    files[0].name = "a.fa";
    if (text) files[0].text = text;
    struct prep_options o = {
        .defines = defines, .ndefines = n, .read = read_memory, .read_who = files,
        .library = "share"};
    return prep_run(arena, source, d, "a.fa", &o, &prep);
}

/* The plain text of a program; a report is a part of it. */
static inline const char *
said(void)
{
    buf_clear(&out);
    diag_print_text(d, &out);
    return out.data ? out.data : "";
}

static inline const char *
plain(const char *text)
{
    bool good = run_options(text, NULL, 0);
    if (!good || diag_errors(d)) return said();
    return source_text(source, NULL);
}

/* What is reported of a program. */
static inline const char *
reports(const char *text)
{
    run_options(text, NULL, 0);
    return said();
}

#define PLAIN(text, want) CHECK_STR(plain(text), want)
#define REPORTS(text, want) CHECK_STR(reports(text), want)
/* The first line of the reports. */
#define REPORT(text, want)                                                                      \
    do {                                                                                        \
        const char *said_ = reports(text);                                                      \
        CHECK(!strncmp(said_, want, strlen(want)) && said_[strlen(want)] == '\n', "%s", said_); \
    } while (0)

#endif
