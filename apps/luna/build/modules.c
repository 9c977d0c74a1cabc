/* modules.c - see modules.h. */
#include "apps/luna/build/modules.h"

#include "apps/luna/common/path.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- reading ---- */

/* Where the compiler looks for what a file includes: beside it, then in folders of flags. */
static struct words
folders_of(const struct units *u, const struct unit *x)
{
    const struct words *flags = &u->tools->flags[LANG_FORTRAN];
    struct words dirs = {0};
    words_add(u->arena, &dirs, path_dir(u->arena, x->path));
    for (int i = 0; i < flags->n; i++) {
        const char *flag = flags->at[i];
        if (strncmp(flag, "-I", 2)) continue;
        const char *dir = flag[2] ? flag + 2 : i + 1 < flags->n ? flags->at[i + 1] : NULL;
        if (dir) words_add(u->arena, &dirs, dir);
    }
    return dirs;
}

/* What is included may use modules, and include more. A file that is looked for and is not there
 * counts as well. */
static void
read_includes(struct units *u, struct unit *x)
{
    struct words dirs = folders_of(u, x);
    for (int i = 0; i < x->fortran.includes.n; i++) {
        bool found = false;
        for (int k = 0; k < dirs.n && !found; k++) {
            const char *path = path_join(u->arena, dirs.at[k], x->fortran.includes.at[i]);
            words_add(u->arena, &x->reads, path);
            found = file_is_there(path);
            if (found)
                fortran_read(u->arena, file_text(u->arena, path), fortran_is_fixed(x->path),
                             &x->fortran);
        }
    }
}

static void
read_unit(struct units *u, struct unit *x)
{
    fortran_read(u->arena, file_text(u->arena, x->path), fortran_is_fixed(x->path), &x->fortran);
    read_includes(u, x);
    for (int i = 0; i < x->fortran.makes.n; i++) work_file(u->work, "%s", x->fortran.makes.at[i]);
}

/* The units that make a file; the first of them. */
static struct unit *
maker_of(const struct units *u, const char *file, int *n)
{
    struct unit *first = NULL;
    *n = 0;
    for (int i = 0; i < u->n; i++) {
        if (!words_have(&u->at[i].fortran.makes, file)) continue;
        if (!first) first = &u->at[i];
        ++*n;
    }
    return first;
}

static bool
is_read(const struct units *u, const char *file)
{
    for (int i = 0; i < u->n; i++)
        if (words_have(&u->at[i].fortran.reads, file)) return true;
    return false;
}

void
modules_read(struct units *u)
{
    static const char ours[] = "luna.mod";
    int makers;
    for (int i = 0; i < u->n; i++)
        if (u->at[i].lang == LANG_FORTRAN) read_unit(u, &u->at[i]);
    if (!is_read(u, ours) || maker_of(u, ours, &makers)) return;
    const char *path = path_join(u->arena, u->tools->include, "luna.F90");
    struct unit *x = units_add(u, LANG_FORTRAN, NULL, path);
    x->optional = true;
    read_unit(u, x);
}

/* ---- refusing ---- */

/* FILE:LINE:COL of the module's name in the unit, as compilers print it. */
static const char *
place_text(struct units *u, const struct unit *x, const char *file)
{
    uint32_t line = 1, col = 1;
    const char *word = arena_strndup(u->arena, file, strcspn(file, ".@"));
    fortran_find(u->arena, file_text(u->arena, x->path), fortran_is_fixed(x->path), word, &line,
                 &col);
    return arena_printf(u->arena, "%s:%u:%u", x->path, line, col);
}

/* Taking the first would be silent. */
static void
refuse_ambiguous(struct units *u, struct unit *x, const char *file)
{
    const char *text = arena_printf(
        u->arena,
        "%s: error: several files have the module '%.*s': --cpp-dir= --cpp-source=FILE chooses\n",
        place_text(u, x, file), (int)strcspn(file, ".@"), file);
    for (int i = 0; i < u->n; i++)
        if (words_have(&u->at[i].fortran.makes, file))
            text = arena_printf(u->arena, "%s%s: note: one is here\n", text,
                                place_text(u, &u->at[i], file));
    x->refusal = text;
}

static void
refuse_circle(struct units *u, struct unit *x, const char *file, const struct unit *maker)
{
    x->refusal = arena_printf(u->arena,
                              "%s: error: module '%.*s' cannot be used here: it needs this file, "
                              "directly or by others\n%s: note: it is here\n",
                              place_text(u, x, file), (int)strcspn(file, ".@"), file,
                              place_text(u, maker, file));
}

/* ---- order ---- */

/* Who makes what a unit reads, but for itself; NULL: itself, or nobody here. */
static struct unit *
other_maker(const struct units *u, const struct unit *x, const char *file, int *n)
{
    struct unit *maker = maker_of(u, file, n);
    return words_have(&x->fortran.makes, file) ? NULL : maker;
}

enum { UNSEEN, OPEN, DONE };

/* Depth first: a unit that is open is read by itself in the end. */
static void
check_unit(struct units *u, struct unit *x, char *state)
{
    char *mine = &state[x - u->at];
    *mine = OPEN;
    for (int i = 0; i < x->fortran.reads.n && !x->refusal; i++) {
        const char *file = x->fortran.reads.at[i];
        int n;
        struct unit *maker = other_maker(u, x, file, &n);
        if (!maker) continue;
        if (n > 1)
            refuse_ambiguous(u, x, file);
        else if (state[maker - u->at] == OPEN)
            refuse_circle(u, x, file, maker);
        else if (state[maker - u->at] == UNSEEN)
            check_unit(u, maker, state);
    }
    *mine = DONE;
}

static bool
share(const struct unit *x, const struct unit *y)
{
    for (int i = 0; i < x->fortran.makes.n; i++)
        if (words_have(&y->fortran.makes, x->fortran.makes.at[i])) return true;
    return false;
}

/* Later than those it reads, and not at once with another that makes a file of the same name: a
 * compiler reads even its own back. False: it has been. */
static bool
delay(struct units *u, struct unit *x)
{
    int wave = x->wave, n;
    for (int i = 0; i < x->fortran.reads.n && !x->refusal; i++) {
        const struct unit *maker = other_maker(u, x, x->fortran.reads.at[i], &n);
        if (maker && maker->wave >= wave) wave = maker->wave + 1;
    }
    for (const struct unit *y = u->at; y < x; y++)
        if (y->wave == wave && share(x, y)) wave++;
    bool later = wave > x->wave;
    x->wave = wave;
    if (wave >= u->waves) u->waves = wave + 1;
    return later;
}

void
modules_order(struct units *u)
{
    char *state = arena_alloc(u->arena, (size_t)u->n + 1);
    u->waves = 1;
    for (int i = 0; i < u->n; i++)
        if (state[i] == UNSEEN) check_unit(u, &u->at[i], state);
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < u->n; i++) again |= delay(u, &u->at[i]);
    }
}

void
modules_fail(struct units *u)
{
    for (int i = 0; i < u->n; i++) {
        struct unit *x = &u->at[i];
        for (int k = 0; k < x->fortran.reads.n && !x->failed && !x->cached; k++) {
            int n;
            const struct unit *maker = other_maker(u, x, x->fortran.reads.at[k], &n);
            if (!maker || !maker->failed) continue;
            x->failed = true;
            x->culprit = maker->culprit ? maker->culprit : maker;
        }
    }
}

/* ---- the cache ---- */

void
modules_add_subject(const struct units *u, const struct unit *x, struct buf *key)
{
    for (int i = 0; i < x->fortran.reads.n; i++) {
        int n;
        const struct unit *maker = other_maker(u, x, x->fortran.reads.at[i], &n);
        key_add(key, x->fortran.reads.at[i]);
        key_add(key, maker ? maker->path : "");
    }
}

void
modules_add_inputs(const struct units *u, struct unit *x)
{
    struct words dirs = folders_of(u, x);
    cache_inputs_add(&x->inputs, INPUT_FILE, x->path);
    for (int i = 0; i < x->reads.n; i++) cache_inputs_add(&x->inputs, INPUT_FILE, x->reads.at[i]);
    for (int i = 0; i < x->fortran.reads.n; i++) {
        int n;
        const char *file = x->fortran.reads.at[i];
        const struct unit *maker = other_maker(u, x, file, &n);
        if (maker) {
            buf_add(&x->inputs, maker->inputs.data, maker->inputs.size);
            x->inputs.failed |= maker->inputs.failed;
        }
        for (int k = 0; !maker && k < dirs.n; k++)
            cache_inputs_add(&x->inputs, INPUT_FILE, path_join(u->arena, dirs.at[k], file));
    }
}

/* As a product beside the object. */
static struct content_key
module_subject(const struct units *u, const struct unit *x, const char *file)
{
    struct buf key = {0};
    key_add_key(&key, x->subject);
    key_add(&key, file);
    return key_end(u->arena, &key);
}

/* Only of files that have one maker here: else it is not known whose it is. */
static bool
is_kept(const struct units *u, const char *file)
{
    int n;
    return maker_of(u, file, &n) && n == 1;
}

static const char *
module_path(const struct units *u, const char *file)
{
    return path_join(u->arena, u->work->dir, file);
}

bool
modules_take(struct units *u, struct unit *x)
{
    bool all = true;
    for (int i = 0; i < x->fortran.makes.n && all; i++) {
        const char *file = x->fortran.makes.at[i];
        struct buf bytes = {0};
        if (!is_read(u, file) || !is_kept(u, file)) continue;
        int fd = cache_find(u->cache, module_subject(u, x, file), &bytes, NULL);
        if (fd >= 0) close(fd);
        all = fd >= 0 && !file_write(module_path(u, file), bytes.data, bytes.size, 0600);
        buf_fini(&bytes);
    }
    return all;
}

void
modules_keep(struct units *u, struct unit *x)
{
    for (int i = 0; i < x->fortran.makes.n; i++) {
        const char *file = x->fortran.makes.at[i], *path = module_path(u, file);
        if (is_kept(u, file) && file_is_there(path))
            cache_keep(u->cache, module_subject(u, x, file), &x->inputs, path, NULL);
    }
}
