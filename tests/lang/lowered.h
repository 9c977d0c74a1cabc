/* lowered.h - for tests of the plan and of the emitted C: a text, or a file of programs/, up to
 * the plan.
 *
 * The check is left out, so that programs may be as short as the matter allows. */
#ifndef LUNA_TESTS_LANG_LOWERED_H
#define LUNA_TESTS_LANG_LOWERED_H

#include "lang/emit/emit.h"
#include "lang/lower/lower.h"
#include "lang/parse/parse.h"
#include "lang/prep/prep.h"
#include "lang/resolve/resolve.h"
#include "tests/lib/check.h"

#include <setjmp.h>

struct lowered {
    struct arena *arena;
    struct source *source;
    struct diag *diag;
    struct ast *tree;
    struct plan *plan;
    struct buf text; /* scratch of the functions below */
};

static inline const char *
lowered_read(void *who, struct arena *a, const char *path, size_t *size)
{
    (void)path;
    *size = strlen(who);
    return arena_strndup(a, who, *size);
}

/* `text` is a program; NULL: the file `name` is read. False: no memory. */
static inline bool
lowered_run(struct lowered *l, const char *name, const char *text)
{
    jmp_buf no_memory;
    struct prep prep;
    struct prep_options o = {.read = text ? lowered_read : NULL, .read_who = (void *)text};
    *l = (struct lowered){.arena = arena_new()};
    if (!l->arena || setjmp(no_memory)) return false;
    arena_on_fail(l->arena, &no_memory);
    l->source = source_new(l->arena);
    l->diag = diag_new(l->arena, l->source);
    if (!prep_run(l->arena, l->source, l->diag, name, &o, &prep)) return true;
    l->tree = parse_run(l->arena, l->source, l->diag, &prep);
    resolve_run(l->arena, l->tree, l->diag);
    if (!diag_errors(l->diag)) l->plan = lower_run(l->arena, l->source, l->tree, l->diag);
    return true;
}

static inline void
lowered_fini(struct lowered *l)
{
    buf_fini(&l->text);
    arena_free(l->arena);
    *l = (struct lowered){0};
}

/* The reports that are errors, or "". */
static inline const char *
lowered_errors(struct lowered *l)
{
    buf_clear(&l->text);
    if (diag_errors(l->diag)) diag_print_text(l->diag, &l->text);
    return l->text.data ? l->text.data : "";
}

static inline const char *
lowered_dump(struct lowered *l)
{
    buf_clear(&l->text);
    if (l->plan && !diag_errors(l->diag)) lower_dump(l->plan, &l->text);
    else diag_print_text(l->diag, &l->text);
    return l->text.data;
}

static inline const char *
lowered_c(struct lowered *l)
{
    buf_clear(&l->text);
    emit_program(l->plan, 0x1234, "test", &l->text);
    return l->text.data;
}

/* The whole file, to be freed; NULL when there is none. */
static inline char *
file_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *text = calloc(1, 1 << 20);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

static inline void
file_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    if (!f) return;
    fwrite(text, 1, strlen(text), f);
    fclose(f);
}

#endif
