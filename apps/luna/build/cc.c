/* cc.c - see cc.h. */
#include "apps/luna/build/cc.h"

#include "apps/luna/build/sanitize.h"
#include "apps/luna/common/home.h"
#include "apps/luna/common/key.h"
#include "apps/luna/common/path.h"
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

static void
words_add_list(struct arena *a, struct words *w, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) words_add(a, w, list[i]);
}
#define ADD_LIST(a, w, list) words_add_list((a), (w), (list), sizeof(list) / sizeof *(list))

/* Fortran is compiled in a folder of ours: flags that name folders must do so from anywhere. */
static const char *
from_anywhere(struct arena *a, const char *flag, bool is_folder)
{
    if (is_folder) return path_real(a, flag);
    return !strncmp(flag, "-I", 2) && flag[2] ? arena_printf(a, "-I%s", path_real(a, flag + 2))
                                              : flag;
}

static void
add_users_flags(struct toolchain *t, enum foreign_lang lang, struct words *w)
{
    struct arena *a = t->arena;
    struct words user = words_of_env(a, "CXX_FLAGS", "");
    if (lang == LANG_FORTRAN)
        words_split(a, &user, getenv("FFLAGS") ? getenv("FFLAGS") : "", " \t\n");
    for (int i = 0; i < user.n; i++) {
        const char *flag = user.at[i];
        if (lang != LANG_CPP && is_for_cxx_only(flag)) continue;
        bool is_folder =
            i && (!strcmp(user.at[i - 1], "-I") || !strcmp(user.at[i - 1], "-isystem"));
        words_add(a, w, lang == LANG_FORTRAN ? from_anywhere(a, flag, is_folder) : flag);
    }
}

/* The values of fragments must not depend on what the compiler likes to contract or assume; link.c
 * reads object code, not what -flto leaves. */
static const char *const always[] = {"-ffp-contract=off", "-fwrapv",  "-fPIC",
                                     "-fexceptions",      "-fno-lto", "-Wall"};

/* -frecursive: else large arrays of a procedure are in memory that all calls share. A parameter
 * that is there only so that the call waits for it is not used. */
static const char *const fortran_always[] = {"-frecursive", "-fno-diagnostics-show-caret",
                                             "-Wno-unused-dummy-argument"};

/* Columns of messages count a tab as one. Headers are looked for beside the program, not beside the
 * emitted text. A function C knows nothing of is taken to give an int: half a pointer, and a crash
 * far away. */
static void
add_c_flags(struct toolchain *t, const struct options *o, enum foreign_lang lang, struct words *w)
{
    const char *const all[] = {"-ftabstop=1", "-I", t->include, "-iquote",
                               path_dir(t->arena, o->file)};
    ADD_LIST(t->arena, w, all);
    if (lang == LANG_C) words_add(t->arena, w, "-Werror=implicit-function-declaration");
    if (o->run.debug) words_add(t->arena, w, "-DADD_DEBUG_INFO");
}

static void
add_fortran_flags(struct toolchain *t, const struct options *o, struct words *w)
{
    ADD_LIST(t->arena, w, fortran_always);
    if (o->run.debug) words_add(t->arena, w, "-fcheck=bounds");
}

static struct words
flags_of(struct toolchain *t, const struct options *o, enum foreign_lang lang)
{
    struct arena *a = t->arena;
    struct words w = {0};
    /* So that a crash can name its line; whoever says more gets more. addr2line of binutils 2.40
     * takes the file of lines for another one in DWARF 5. */
    words_add(a, &w, "-g1");
    words_add(a, &w, "-gdwarf-4");
    add_users_flags(t, lang, &w);
    words_add(a, &w, o->o0 ? "-O0" : "-O3");
    ADD_LIST(a, &w, always);
    if (o->run.debug) words_add(a, &w, "-g");
    if (lang == LANG_FORTRAN)
        add_fortran_flags(t, o, &w);
    else
        add_c_flags(t, o, lang, &w);
    /* clang has sanitizers of its own; of Fortran there is gcc's alone. */
    enum foreign_lang sanitized = lang == LANG_FORTRAN ? lang : LANG_C;
    if (o->sanitize) sanitize_flags(a, o->sanitize, t->program[sanitized].at[0], &w);
    return w;
}

/* ---- the key ---- */

/* Another compiler under the same name: the file itself tells. */
static void
add_program(struct toolchain *t, const char *name)
{
    struct words dirs = {0};
    const char *path = getenv("PATH");
    if (!strchr(name, '/')) words_split(t->arena, &dirs, path ? path : "", ":");
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

static const struct language {
    const char *name, *variable, *usual, *package;
} languages[LANGS] = {
    [LANG_C] = {"C", "CC", "gcc", "gcc"},
    [LANG_CPP] = {"C++", "CXX", "g++", "g++"},
    [LANG_FORTRAN] = {"Fortran", "FC", "gfortran", "gfortran"},
};

static void
add_language(struct toolchain *t, const struct options *o, enum foreign_lang lang)
{
    struct words *program = &t->program[lang];
    *program = words_of_env(t->arena, languages[lang].variable, languages[lang].usual);
    if (lang == LANG_FORTRAN && strchr(program->at[0], '/'))
        program->at[0] = path_real(t->arena, program->at[0]);
    t->flags[lang] = flags_of(t, o, lang);
    add_words(t, program);
    add_words(t, &t->flags[lang]);
    add_program(t, program->at[0]);
}

bool
toolchain_init(struct toolchain *t, const struct options *o)
{
    *t = (struct toolchain){.arena = o->arena, .key = arena_new_of(o->arena, struct buf)};
    const char *home = home_find(o->arena);
    if (!home) return false;
    setenv("PATH", "/usr/bin:/bin", 0); /* without any gcc does not find its own parts */
    t->include = path_join(o->arena, home, "include/luna");
    t->lib = path_join(o->arena, home, "lib/luna");
    t->link_flags = words_of_env(o->arena, "LDFLAGS", "");
    add_self(t);
    add_environment(t);
    for (int lang = 0; lang < LANGS; lang++) add_language(t, o, lang);
    if (o->sanitize)
        sanitize_flags(o->arena, o->sanitize, t->program[LANG_C].at[0], &t->link_flags);
    add_words(t, &t->link_flags);
    if (t->key->failed) arena_jump(t->arena, ARENA_NO_MEMORY);
    return true;
}

/* ---- argument vectors ---- */

bool
cc_has_standard(const struct toolchain *t)
{
    for (int i = 0; i < t->flags[LANG_CPP].n; i++)
        if (is_for_cxx_only(t->flags[LANG_CPP].at[i])) return true;
    return false;
}

const char *const *
cc_compile(struct toolchain *t, enum foreign_lang lang, bool emitted, const char *standard,
           const char *source, const char *object, const char *depends)
{
    struct words w = {0};
    words_add_all(t->arena, &w, &t->program[lang]);
    words_add_all(t->arena, &w, &t->flags[lang]);
    /* Else gcc takes 0.0 - (double)i for -(double)i, which is -0 where i is 0. */
    if (emitted) words_add(t->arena, &w, "-frounding-math");
    if (standard) words_add(t->arena, &w, standard);
    const char *const told[] = {"-MMD", "-MF", depends};
    const char *const rest[] = {"-c", source, "-o", object, NULL};
    if (depends) ADD_LIST(t->arena, &w, told);
    ADD_LIST(t->arena, &w, rest);
    return w.at;
}

const char *const *
cc_prototypes(struct toolchain *t, const char *source)
{
    struct words w = {0};
    const char *const rest[] = {"-fsyntax-only", "-fc-prototypes", source, NULL};
    words_add_all(t->arena, &w, &t->program[LANG_FORTRAN]);
    words_add_all(t->arena, &w, &t->flags[LANG_FORTRAN]);
    ADD_LIST(t->arena, &w, rest);
    return w.at;
}

/* -Bsymbolic: a ucode called write or exp is called, not the C library's. -z defs with warnings:
 * all undefined names are listed, also those of ours, which `luna` itself defines. */
const char *const *
cc_link(struct toolchain *t, const bool has[LANGS], const struct words *objects, const char *out)
{
    struct words w = {0};
    const char *const flags[] = {
        "-shared", "-fPIC", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-Wl,--warn-unresolved-symbols",
        "-o",      out};
    words_add_all(t->arena, &w, &t->program[has[LANG_CPP] ? LANG_CPP : LANG_C]);
    ADD_LIST(t->arena, &w, flags);
    words_add_all(t->arena, &w, objects);
    words_add_all(t->arena, &w, &t->link_flags);
    if (has[LANG_FORTRAN]) words_add(t->arena, &w, "-lgfortran");
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

static int
tell_missing(const char *program, enum foreign_lang lang)
{
    const struct language *l = &languages[lang];
    say_error("the %s compiler '%s' was not found", l->name, program);
    say_hint("install it (Debian: apt install %s), or name another in %s", l->package, l->variable);
    return EXIT_SYSTEM;
}

int
cc_missing(const struct toolchain *t, enum foreign_lang lang)
{
    return tell_missing(t->program[lang].at[0], lang);
}

int
cc_job_check(const struct job *j, enum foreign_lang lang)
{
    const char *what = languages[lang].name;
    if (j->error == ENOENT) {
        return tell_missing(j->argv[0], lang);
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
