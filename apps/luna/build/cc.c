/* cc.c - see cc.h. */
#include "apps/luna/build/cc.h"

#include "apps/luna/build/sanitize.h"
#include "apps/luna/common/home.h"
#include "apps/luna/common/key.h"
#include "apps/luna/common/say.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- words ---- */

static struct words
words_of_env(struct arena *a, const char *name, const char *otherwise)
{
    struct words w = {0};
    const char *text = getenv(name);
    words_split(a, &w, text && *text ? text : otherwise, " \t\n");
    if (!w.n) words_split(a, &w, otherwise, " ");
    return w;
}

static void
words_add_all(struct arena *a, struct words *w, const struct words *more)
{
    for (int i = 0; i < more->n; i++) words_add(a, w, more->at[i]);
}

static bool
is_for_cxx_only(const char *flag)
{
    return !strncmp(flag, "-std=c++", 8) || !strncmp(flag, "-std=gnu++", 10);
}

/* The values of fragments must not depend on what the compiler likes to contract or assume; link.c
 * reads object code, not what -flto leaves; columns of messages count a tab as one. */
static const char *const always[] = {"-ffp-contract=off", "-fwrapv", "-fPIC", "-fexceptions",
                                     "-fno-lto", "-ftabstop=1", "-Wall"};

static struct words
flags_of(struct toolchain *t, const struct options *o, enum foreign_lang lang)
{
    struct arena *a = t->arena;
    struct words user = words_of_env(a, "CXX_FLAGS", ""), w = {0};
    /* So that a crash can name its line; whoever says more gets more. addr2line of binutils 2.40
     * takes the file of lines for another one in DWARF 5. */
    words_add(a, &w, "-g1");
    words_add(a, &w, "-gdwarf-4");
    for (int i = 0; i < user.n; i++)
        if (lang == LANG_CPP || !is_for_cxx_only(user.at[i])) words_add(a, &w, user.at[i]);
    words_add(a, &w, o->o0 ? "-O0" : "-O3");
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) words_add(a, &w, always[i]);
    /* A function C knows nothing of is taken to give an int: half a pointer, and a crash far away.
     */
    if (lang == LANG_C) words_add(a, &w, "-Werror=implicit-function-declaration");
    if (o->run.debug) {
        words_add(a, &w, "-g");
        words_add(a, &w, "-DADD_DEBUG_INFO");
    }
    if (o->sanitize) sanitize_flags(a, o->sanitize, t->cc.at[0], &w);
    words_add(a, &w, "-I");
    words_add(a, &w, t->include);
    words_add(a, &w, "-iquote"); /* for heads: beside the program, not beside the emitted text */
    words_add(a, &w, path_dir(a, o->file));
    return w;
}

/* ---- the key ---- */

/* Another compiler under the same name: the file itself tells. */
static void
add_program(struct toolchain *t, const char *name)
{
    struct words dirs = {0};
    const char *path = getenv("PATH");
    if (!strchr(name, '/')) words_split(t->arena, &dirs, path ? path : "/usr/bin:/bin", ":");
    else words_add(t->arena, &dirs, ".");
    for (int i = 0; i < dirs.n; i++) {
        struct stat st;
        const char *file = path_join(t->arena, dirs.at[i], name);
        if (stat(file, &st) || !S_ISREG(st.st_mode) || access(file, X_OK)) continue;
        buf_printf(t->key, "%s %jd %jd.%09ld", path_real(t->arena, file), (intmax_t)st.st_size,
                   (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
        break;
    }
    buf_char(t->key, 0);
}

static void
add_words(struct toolchain *t, const struct words *w)
{
    for (int i = 0; i < w->n; i++) key_add(t->key, w->at[i]);
    buf_char(t->key, 0);
}

/* Ours: another build of luna emits other code. */
static void
add_self(struct toolchain *t)
{
    struct stat st = {0};
    stat("/proc/self/exe", &st);
    buf_printf(t->key, "%s %ju %ju %jd %jd.%09ld", LUNA_VERSION, (uintmax_t)st.st_dev,
               (uintmax_t)st.st_ino, (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
               st.st_mtim.tv_nsec);
    buf_char(t->key, 0);
}

static void
add_environment(struct toolchain *t)
{
    static const char *const names[] = {
        "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH",
        "GCC_EXEC_PREFIX", "PKG_CONFIG_PATH", "SOURCE_DATE_EPOCH", "MPICH_CC", "MPICH_CXX",
        "OMPI_CC", "OMPI_CXX"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value) buf_printf(t->key, "%s=", names[i]);
        key_add(t->key, value ? value : "");
    }
    char cwd[PATH_MAX]; /* #include and names in messages are relative to it */
    key_add(t->key, getcwd(cwd, sizeof cwd) ? cwd : "");
}

bool
toolchain_init(struct toolchain *t, const struct options *o)
{
    *t = (struct toolchain){.arena = o->arena, .key = arena_new_of(o->arena, struct buf)};
    const char *home = home_find(o->arena);
    if (!home) return false;
    t->include = path_join(o->arena, home, "include/luna");
    t->lib = path_join(o->arena, home, "lib/luna");
    t->cc = words_of_env(o->arena, "CC", "gcc");
    t->cxx = words_of_env(o->arena, "CXX", "g++");
    t->link_flags = words_of_env(o->arena, "LDFLAGS", "");
    if (o->sanitize) sanitize_flags(o->arena, o->sanitize, t->cc.at[0], &t->link_flags);
    t->c_flags = flags_of(t, o, LANG_C);
    t->cxx_flags = flags_of(t, o, LANG_CPP);
    add_self(t);
    add_environment(t);
    add_words(t, &t->cc);
    add_words(t, &t->cxx);
    add_words(t, &t->c_flags);
    add_words(t, &t->cxx_flags);
    add_words(t, &t->link_flags);
    add_program(t, t->cc.at[0]);
    add_program(t, t->cxx.at[0]);
    if (t->key->failed) arena_jump(t->arena, ARENA_NO_MEMORY);
    return true;
}

/* ---- argument vectors ---- */

const char *const *
cc_compile(struct toolchain *t, enum foreign_lang lang, bool emitted, const char *source,
           const char *object, const char *depends)
{
    struct words w = {0};
    words_add_all(t->arena, &w, lang == LANG_CPP ? &t->cxx : &t->cc);
    words_add_all(t->arena, &w, lang == LANG_CPP ? &t->cxx_flags : &t->c_flags);
    /* Else gcc takes 0.0 - (double)i for -(double)i, which is -0 where i is 0. */
    if (emitted) words_add(t->arena, &w, "-frounding-math");
    const char *const rest[] = {"-MMD", "-MF", depends, "-c", source, "-o", object, NULL};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) words_add(t->arena, &w, rest[i]);
    return w.at;
}

/* -Bsymbolic: a ucode called write or exp is called, not the C library's. -z defs with warnings:
 * all undefined names are listed, also those of ours, which `luna` itself defines. */
const char *const *
cc_link(struct toolchain *t, bool has_cxx, const struct words *objects, const char *out)
{
    struct words w = {0};
    const char *const flags[] = {"-shared", "-fPIC", "-Wl,-Bsymbolic", "-Wl,-z,defs",
                                 "-Wl,--warn-unresolved-symbols", "-o", out};
    words_add_all(t->arena, &w, has_cxx ? &t->cxx : &t->cc);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) words_add(t->arena, &w, flags[i]);
    words_add_all(t->arena, &w, objects);
    words_add_all(t->arena, &w, &t->link_flags);
    words_add(t->arena, &w, "-lm");
    words_add(t->arena, &w, NULL);
    return w.at;
}

/* ---- make's form of a list of files ---- */

void
cc_depends(struct arena *a, const char *path, struct words *out)
{
    struct buf text = {0}, name = {0};
    if (file_take(a, path, &text)) buf_clear(&text);
    const char *p = text.size ? strstr(text.data, ": ") : NULL;
    for (p = p ? p + 1 : ""; *p; p++) {
        bool blank = *p == ' ' || *p == '\n', escape = *p == '\\' || *p == '$';
        if (escape && p[1] == '\n') blank = true;
        if (!blank) {
            if (escape && p[1] && strchr(" #\\$:", p[1])) p++;
            buf_char(&name, *p);
        } else if (name.size) {
            words_add(a, out, arena_strdup(a, name.data));
            buf_clear(&name);
        }
    }
    if (name.size) words_add(a, out, arena_strdup(a, name.data));
    bool failed = name.failed;
    buf_fini(&name);
    buf_fini(&text);
    if (failed) arena_jump(a, ARENA_NO_MEMORY);
}

void
cc_libraries(const struct toolchain *t, struct words *out)
{
    struct arena *a = t->arena;
    struct words dirs = {0};
    for (int i = 0; i < t->link_flags.n; i++) {
        const char *w = t->link_flags.at[i];
        if (!strncmp(w, "-L", 2) && w[2]) words_add(a, &dirs, w + 2);
        if (!strncmp(w, "-l", 2)) {
            for (int k = 0; k < dirs.n; k++) {
                words_add(a, out, arena_printf(a, "%s/lib%s.so", dirs.at[k], w + 2));
                words_add(a, out, arena_printf(a, "%s/lib%s.a", dirs.at[k], w + 2));
            }
        } else if (w[0] != '-') {
            words_add(a, out, w);
        }
    }
}

/* ---- what may go wrong ---- */

int
cc_job_check(const struct job *j, enum foreign_lang lang)
{
    const char *what = lang == LANG_CPP ? "C++" : "C";
    if (j->error == ENOENT) {
        say_error("the %s compiler '%s' was not found", what, j->argv[0]);
        say_hint("install it (Debian: apt install %s), or name another in %s",
                 lang == LANG_CPP ? "g++" : "gcc", lang == LANG_CPP ? "CXX" : "CC");
    } else if (j->error) {
        say_error("the %s compiler '%s' cannot be started: %s", what, j->argv[0],
                  strerror(j->error));
    } else if (WIFSIGNALED(j->status)) {
        say_error("the %s compiler was ended by signal %d (%s)", what, WTERMSIG(j->status),
                  strsignal(WTERMSIG(j->status)));
        say_hint("if memory is short, -O0 needs less");
    } else {
        return 0;
    }
    return EXIT_SYSTEM;
}
