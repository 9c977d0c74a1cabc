/* parsed.h - a text in memory up to the tree, for tests of the passes that work on it.
 *
 * A test goes on from there by itself: only the passes that it calls are linked with it. lang.c
 * walks in the same way. */
#ifndef LUNA_TESTS_LANG_PARSED_H
#define LUNA_TESTS_LANG_PARSED_H

#include "lang/parse/parse.h"
#include "lang/prep/prep.h"
#include "runtime/base/mem.h"
#include "tests/lib/check.h"

#include <setjmp.h>

struct parsed {
    struct arena *arena;
    struct source *source;
    struct diag *diag;
    struct ast *tree;
};

/* What a test does with the tree; `out` is what it makes of it. */
typedef void parsed_fn(struct parsed *p, struct buf *out);

struct one_file {
    const char *text;
    size_t size;
};

static inline const char *
one_file_read(void *who, struct arena *a, const char *path, size_t *size)
{
    const struct one_file *f = who;
    (void)a;
    if (strcmp(path, "t.fa")) return NULL;
    *size = f->size;
    return f->text;
}

/* Parses `text` as t.fa, then calls `then`. False: out of memory. Either way parsed_fini() is
 * due. */
static inline bool
parsed_run(struct parsed *p, const char *text, size_t size, parsed_fn *then, struct buf *out)
{
    jmp_buf no_memory;
    struct prep prep;
    struct one_file f = {text, size};
    struct prep_options o = {.read = one_file_read, .read_who = &f};
    *p = (struct parsed){.arena = arena_new()};
    if (!p->arena || setjmp(no_memory)) return false;
    arena_on_fail(p->arena, &no_memory);
    p->source = source_new(p->arena);
    p->diag = diag_new(p->arena, p->source);
    if (prep_run(p->arena, p->source, p->diag, "t.fa", &o, &prep)) {
        bool damaged = diag_errors(p->diag);
        p->tree = parse_run(p->arena, p->source, p->diag, &prep);
        if (damaged) p->tree->lost = true;
        p->tree->macros = prep.macros;
        p->tree->macro_params = prep.params;
        then(p, out);
    }
    arena_on_fail(p->arena, NULL);
    return !out->failed;
}

static inline void
parsed_fini(struct parsed *p)
{
    arena_free(p->arena);
    *p = (struct parsed){0};
}

/* What `then` makes of a text, and the reports behind it. False: out of memory; then `out` says
 * nothing. */
static inline bool
parsed_told(const char *text, size_t size, parsed_fn *then, struct buf *out)
{
    struct parsed p;
    bool ok = parsed_run(&p, text, size, then, out);
    if (ok && (diag_errors(p.diag) || diag_warnings(p.diag))) {
        diag_print_text(p.diag, out);
        ok = !out->failed;
    }
    parsed_fini(&p);
    return ok;
}

/* Each allocation fails in turn: nothing leaks, nothing crashes, and when none fails any more all
 * is as it was. */
static inline void
parsed_without_memory(const char *text, parsed_fn *then)
{
    struct buf want = {0};
    bool ok = false;
    long n = 0;
    CHECK(parsed_told(text, strlen(text), then, &want), "no memory");
    for (; !ok; n++) {
        struct buf out = {0};
        mem_fail_after(n);
        ok = parsed_told(text, strlen(text), then, &out);
        mem_fail_after(-1);
        if (ok) CHECK_STR(out.data, want.data);
        buf_fini(&out);
    }
    CHECK(n > 5, "only %ld allocations", n);
    buf_fini(&want);
}

#endif
