/* units.c - see units.h. */
#include "apps/luna/build/units.h"

#include "apps/luna/build/gfortran.h"
#include "apps/luna/build/modules.h"
#include "apps/luna/build/prototypes.h"
#include "apps/luna/build/signature.h"
#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"
#include "runtime/base/io.h"
#include "runtime/base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- listing ---- */

struct unit *
units_add(struct units *u, enum foreign_lang lang, const char *shown, const char *path)
{
    if (!vec_more(u->arena, u->at, u->n, u->room)) return NULL;
    struct unit *x = &u->at[u->n++];
    *x = (struct unit){.lang = lang, .shown = shown, .path = path};
    return x;
}

/* By real paths: --cpp-dir=. and --cpp-source=./a.c may name one file twice. */
static bool
is_listed(const struct units *u, const char *path)
{
    for (int i = 0; i < u->n; i++)
        if (!strcmp(u->at[i].path, path)) return true;
    return false;
}

static bool
is_file(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* The language is that of the ending: gcc would compile a .c file named to g++ as C++. */
static enum foreign_lang
lang_of(const char *name)
{
    return path_has_suffix(name, ".c") ? LANG_C : fortran_is_source(name) ? LANG_FORTRAN : LANG_CPP;
}

/* Drivers with a main of their own may lie beside the program: they are optional. */
static void
add_file(struct units *u, const char *shown, bool library)
{
    const char *path = path_real(u->arena, shown);
    if (is_listed(u, path)) return;
    struct unit *x = units_add(u, lang_of(shown), shown, path);
    x->optional = x->lang != LANG_CPP;
    x->library = library;
}

/* The folder itself is an input of the cache: a file that appears there later takes part. */
static int
list_dir(struct units *u, const char *dir, bool library)
{
    struct words names = {0};
    int e = file_sources(u->arena, dir, &names);
    words_add(u->arena, &u->dirs, path_real(u->arena, dir));
    for (int i = 0; i < names.n; i++) {
        const char *shown = path_join(u->arena, dir, names.at[i]);
        if (is_file(shown)) add_file(u, shown, library);
    }
    if (!e) return 0;
    if (!u->silent) say_error("cannot read the folder '%s': %s", dir, strerror(e));
    return u->options->cpp_dir && !io_is_systems(e) ? EXIT_USAGE : EXIT_SYSTEM;
}

static int
list_files(struct units *u, const struct words *files)
{
    for (int i = 0; i < files->n; i++) {
        const char *f = files->at[i];
        if (!is_file(f)) {
            if (!u->silent) say_error("no such file: '%s' (of --cpp-source)", f);
            return EXIT_USAGE;
        }
        if (!path_has_suffix(f, ".c") && !path_has_suffix(f, ".cpp") &&
            !path_has_suffix(f, ".cc") && !path_has_suffix(f, ".cxx") && !fortran_is_source(f)) {
            if (!u->silent) say_error("'%s' (of --cpp-source) is no .c, .cpp or .f90 file", f);
            return EXIT_USAGE;
        }
        add_file(u, f, false);
    }
    return 0;
}

int
units_list(struct units *u)
{
    const struct options *o = u->options;
    struct words dirs = {0}, files = {0};
    if (o->cpp_dir) words_split(u->arena, &dirs, o->cpp_dir, ":");
    else words_add(u->arena, &dirs, path_dir(u->arena, o->file));
    if (o->cpp_source) words_split(u->arena, &files, o->cpp_source, ":");
    for (int i = 0; i < dirs.n; i++) {
        int code = list_dir(u, dirs.at[i], false);
        if (code) return code;
    }
    for (int i = 0; i < u->lang->prep.nfolders; i++) {
        int code = list_dir(u, u->lang->prep.folders[i], true);
        if (code) return code;
    }
    return list_files(u, &files);
}

enum { INCLUDES_MAX = 8 };

static bool ends_in(struct units *u, const char *dir, const char *text, int depth);

/* What the line includes of the user's own; all that is not found is no file of theirs. */
static bool
include_ends(struct units *u, const char *dir, const char *line, int depth)
{
    const char *name = line + strspn(line, " \t"), *end;
    if (*name++ != '"' || !(end = strpbrk(name, "\"\n")) || *end != '"') return false;
    const char *path =
        path_join(u->arena, dir, arena_strndup(u->arena, name, (size_t)(end - name)));
    struct buf text = {0};
    if (file_take(u->arena, path, &text)) return false;
    bool ends = depth == INCLUDES_MAX ||
                (text.size && ends_in(u, path_dir(u->arena, path), text.data, depth + 1));
    buf_fini(&text);
    return ends;
}

static bool
ends_in(struct units *u, const char *dir, const char *text, int depth)
{
    if (functions_end(text)) return true;
    static const char include[] = "include";
    for (const char *at = text; (at = strstr(at, include));) {
        at += sizeof include - 1;
        if (include_ends(u, dir, at, depth)) return true;
    }
    return false;
}

static void
add_functions(struct units *u, const struct unit *x, const char *text)
{
    if (x->lang == LANG_FORTRAN)
        fortran_functions(u->arena, text, x->path, x->shown, u->functions);
    else
        functions_add(u->arena, u->functions, text, x->lang == LANG_CPP, x->path, x->shown);
}

const struct functions *
units_functions(struct units *u)
{
    if (u->functions) return u->functions;
    if (!u->n) units_list(u);
    u->functions = arena_new_of(u->arena, struct functions);
    for (int i = 0; i < u->n; i++) {
        const struct unit *x = &u->at[i];
        struct buf text = {0};
        if (!x->shown || file_take(u->arena, x->path, &text)) continue;
        if (text.size) add_functions(u, x, text.data);
        if (text.size && !u->functions->ends)
            u->functions->ends = ends_in(u, path_dir(u->arena, x->path), text.data, 0);
        buf_fini(&text);
    }
    return u->functions;
}

/* ---- texts of ours ---- */

static int
write_own(struct units *u, enum foreign_lang lang, const char *name, const struct buf *text)
{
    struct unit *x = units_add(u, lang, NULL, work_file(u->work, "%s", name));
    x->text = text;
    return work_write(x->path, text);
}

static int
write_texts(struct units *u)
{
    const struct lang *l = u->lang;
    int code = write_own(u, LANG_C, "program.c", &l->c_text);
    if (!code && l->c_blocks.size) code = write_own(u, LANG_C, "blocks.c", &l->c_blocks);
    if (!code && l->cpp_blocks.size) code = write_own(u, LANG_CPP, "blocks.cpp", &l->cpp_blocks);
    return code;
}

/* Those of Fortran are compared with the same. */
static const struct buf *
imports_for(const struct units *u, const struct unit *x)
{
    return &u->prototypes[x->lang == LANG_CPP];
}

/* The user's file and the prototypes behind it, so that they cannot change what the file means.
 * What comes with luna fits its imports, and is one object for all programs. */
static int
write_source(struct units *u, struct unit *x, int number)
{
    struct buf text = {0};
    const char *suffix = x->lang == LANG_CPP ? "cpp" : "c";
    bool has_name = !strpbrk(x->path, "\"\\\n"); /* for an #include */
    if (x->text || x->library || x->lang == LANG_FORTRAN || !has_name) {
        x->source = x->path;
        return 0;
    }
    x->source = work_file(u->work, "unit%d.%s", number, suffix);
    buf_printf(&text, "#include \"%s\"\n", x->path);
    buf_add(&text, imports_for(u, x)->data, imports_for(u, x)->size);
    int code = work_write(x->source, &text);
    buf_fini(&text);
    return code;
}

/* ---- the cache ---- */

/* What the object depends on as far as is known before its includes are: our texts by their bytes,
 * files by their path; prototypes, since a disagreement is an error. */
static void
set_subject(struct units *u, struct unit *x)
{
    struct buf key = {0};
    static const char *const kinds[LANGS] = {"object C", "object C++", "object Fortran"};
    key_add(&key, kinds[x->lang]);
    key_add_key(&key, key_of_bytes(u->tools->key->data, u->tools->key->size));
    const struct buf *p = imports_for(u, x);
    if (x->text) key_add_key(&key, key_of_bytes(x->text->data, x->text->size));
    else key_add(&key, x->path);
    if (!x->text && !x->library) key_add_key(&key, key_of_bytes(p->data, p->size));
    modules_add_subject(u, x, &key);
    x->subject = key_end(u->arena, &key);
}

/* Puts the object from the cache in its place. */
static bool
take_cached(struct units *u, struct unit *x)
{
    struct buf object = {0};
    int fd = cache_find(u->cache, x->subject, &object, &x->inputs);
    if (fd >= 0) close(fd);
    x->cached =
        fd >= 0 && !file_write(x->object, object.data, object.size, 0600) && modules_take(u, x);
    if (!x->cached) buf_clear(&x->inputs);
    buf_fini(&object);
    return x->cached;
}

/* Files of ours do not count as inputs: their text is in the subject, and modules come from
 * inputs of others. Fortran is compiled in the work folder, so names without a folder are of
 * such. */
static bool
is_input(const struct units *u, const struct unit *x, const char *name)
{
    return !words_have(&u->work->files, name) && (x->lang != LANG_FORTRAN || strchr(name, '/'));
}

static void
find_inputs(struct units *u, struct unit *x)
{
    struct words names = {0};
    if (x->lang == LANG_FORTRAN) modules_add_inputs(u, x);
    if (!x->depends) return;
    cc_depends(u->arena, x->depends, &names);
    for (int i = 0; i < names.n; i++)
        if (is_input(u, x, names.at[i])) cache_inputs_add(&x->inputs, INPUT_FILE, names.at[i]);
    if (!names.n) x->inputs.failed = true; /* not told: then it is not known when to compile anew */
}

/* ---- compiling ---- */

/* Numbers, not names: two folders may have files of one name. */
static int
prepare(struct units *u, struct unit *x, int number)
{
    x->object = work_file(u->work, "unit%d.o", number);
    bool told = x->lang != LANG_FORTRAN || fortran_is_preprocessed(x->path);
    x->depends = told ? work_file(u->work, "unit%d.d", number) : NULL;
    x->log = work_file(u->work, "unit%d.log", number);
    set_subject(u, x);
    return write_source(u, x, number);
}

static struct job
job_of(struct units *u, const struct unit *x, const char *const *argv)
{
    if (u->options->verbose) {
        struct buf line = {0};
        for (int i = 0; argv[i]; i++) buf_printf(&line, "%s%s", i ? " " : "", argv[i]);
        say_note("%s", line.data);
        buf_fini(&line);
    }
    const char *dir = x->lang == LANG_FORTRAN ? u->work->dir : NULL;
    return (struct job){.argv = argv, .log = x->log, .dir = dir};
}

static struct job
compile_job(struct units *u, struct unit *x, const char *source)
{
    bool emitted = x->text == &u->lang->c_text;
    const char *standard = x->older ? "-std=c++11" : NULL;
    return job_of(u, x, cc_compile(u->tools, x->lang, emitted, standard, source, x->object,
                                   x->depends));
}

static const char *
read_log(struct units *u, const struct unit *x)
{
    if (x->refusal) return x->refusal;
    if (x->newer) return x->newer;
    const char *text = file_text(u->arena, x->log);
    return x->lang == LANG_FORTRAN ? gfortran_log(u->arena, text) : text;
}

/* No compiler of Fortran: that matters if a function of the file is needed. */
static int
set_failed(struct unit *x, const struct job *j)
{
    bool lacks = x->lang == LANG_FORTRAN && j->error == ENOENT;
    if (lacks) x->lacks_compiler = true;
    x->failed = !job_is_fine(j);
    return lacks ? 0 : cc_job_check(j, x->lang);
}

/* Runs the compiler on those of the wave that `wanted` picks; gives an exit code or 0. */
static int
compile_some(struct units *u, int wave, bool (*wanted)(const struct unit *), bool plain)
{
    struct job *jobs = arena_array(u->arena, struct job, (size_t)u->n);
    struct unit **of = arena_array(u->arena, struct unit *, (size_t)u->n);
    int n = 0;
    for (int pass = 0; pass < 2; pass++) { /* C++ takes longest: first */
        for (int i = 0; i < u->n; i++) {
            struct unit *x = &u->at[i];
            if (x->wave != wave || !wanted(x) || (x->lang == LANG_CPP) != !pass) continue;
            jobs[n] = compile_job(u, x, plain ? x->path : x->source);
            of[n++] = x;
        }
    }
    if (!jobs_run(jobs, n, u->work->dir)) return 128 + jobs_signal();
    for (int i = 0; i < n; i++) {
        int code = set_failed(of[i], &jobs[i]);
        if (code) return code;
        of[i]->plain = plain;
    }
    return 0;
}

static bool
is_to_compile(const struct unit *x)
{
    return !x->cached && !x->failed;
}

/* What C++11 allows, and C++17 does not: names that std has got since (`size`, `byte`), and what
 * is forbidden now. The original compiled as C++11. */
static bool
is_older(const struct unit *x)
{
    return x->older && x->failed;
}

static void
guess_older(struct units *u)
{
    for (int i = 0; i < u->n; i++) {
        struct unit *x = &u->at[i];
        if (!x->failed || x->lang != LANG_CPP || cc_has_standard(u->tools)) continue;
        const char *log = read_log(u, x);
        x->older = strstr(log, " is ambiguous") || strstr(log, "C++17");
        if (x->older) x->newer = arena_strdup(u->arena, log);
    }
}

static int
errors_in(const char *log)
{
    int n = 0;
    for (const char *p = log; (p = strstr(p, ": error: ")); p++) n++;
    return n;
}

/* Of those that fail once more it is told what is less. */
static int
compile_older(struct units *u)
{
    guess_older(u);
    int code = compile_some(u, 0, is_older, false);
    for (int i = 0; i < u->n && !code; i++) {
        struct unit *x = &u->at[i];
        const char *first = x->newer;
        x->newer = NULL;
        if (!is_older(x) || errors_in(read_log(u, x)) < errors_in(first)) continue;
        x->older = false;
        x->newer = first;
    }
    return code;
}

/* Its log mentions the file that exists only in the #line of our prototypes. */
static bool
disagrees(const struct unit *x)
{
    return x->failed && x->said && strstr(x->said, IMPORTS_FILE);
}

static int
check_machine(struct units *u)
{
    for (int i = 0; i < u->n; i++)
        if (u->at[i].failed && !u->at[i].culprit && work_is_short(u->work, read_log(u, &u->at[i])))
            return EXIT_SYSTEM;
    return 0;
}

/* What the compiler said about the imports; false when none is really wrong. */
static bool
report_signatures(struct units *u, const struct unit *x)
{
    struct diag *d = u->lang->diag;
    int reports = diag_errors(d) + diag_warnings(d);
    struct alias alias = unit_alias(u, x);
    if (x->said) signature_report(d, u->arena, u->lang, x->said, &x->symbols, &alias);
    if (x->prototypes) prototypes_compare(u, x);
    return diag_errors(d) + diag_warnings(d) > reports;
}

static void
begin_finish(struct units *u, struct unit *x)
{
    if (!x->failed && !symbols_read(u->arena, x->object, &x->symbols)) {
        x->failed = true;
        x->refusal = "the compiler has made no object, or one that cannot be read";
    }
    if (x->failed && !x->optional) unit_report(u, x);
}

/* A file that disagrees with an import, or that the compiler warned of, is not kept: the report is
 * made from what the compiler says, and must be made again in the next run. */
static void
finish(struct units *u, struct unit *x)
{
    if (x->failed) return;
    if (!x->cached) find_inputs(u, x);
    bool fits = !report_signatures(u, x);
    bool ours = !x->shown && x->text != &u->lang->c_blocks && x->text != &u->lang->cpp_blocks;
    const char *log = x->cached || ours ? "" : read_log(u, x);
    if (strstr(log, ": warning: ")) {
        x->warnings = log;
        fits = false;
    }
    if (x->cached || !fits) return;
    cache_keep(u->cache, x->subject, &x->inputs, x->object, NULL);
    modules_keep(u, x);
}

/* What one reads of another is made before, and its inputs are known before. */
static void
finish_all(struct units *u)
{
    for (int wave = 0; wave < u->waves; wave++)
        for (int i = 0; i < u->n; i++)
            if (u->at[i].wave == wave) finish(u, &u->at[i]);
}

/* First with the prototypes behind each file; those that fail because of them once more without, as
 * their symbols are needed for the report: `said` is then what the compiler found wrong about the
 * imports. */
static int
compile_all(struct units *u)
{
    for (int wave = 0; wave < u->waves; wave++) {
        modules_fail(u);
        int code = compile_some(u, wave, is_to_compile, false);
        if (code) return code;
    }
    int code = compile_older(u);
    if (code) return code;
    for (int i = 0; i < u->n; i++)
        if (u->at[i].failed && u->at[i].lang != LANG_FORTRAN)
            u->at[i].said = read_log(u, &u->at[i]);
    code = compile_some(u, 0, disagrees, true);
    if (code) return code;
    for (int i = 0; i < u->n; i++)
        if (u->at[i].failed) u->at[i].said = NULL; /* it is wrong by itself */
    return check_machine(u);
}

int
units_compile(struct units *u)
{
    for (int k = 0; k < 2; k++) {
        signature_prototypes(u->lang->tree, k, &u->prototypes[k]);
        if (u->prototypes[k].failed) arena_jump(u->arena, ARENA_NO_MEMORY);
    }
    int code = write_texts(u);
    modules_read(u);
    modules_order(u);
    for (int i = 0; i < u->n && !code; i++) {
        struct unit *x = &u->at[i];
        x->failed = x->refusal != NULL;
        if (!(code = prepare(u, x, i)) && !x->failed) take_cached(u, x);
    }
    if (!code) code = compile_all(u);
    for (int i = 0; i < u->n && !code; i++) begin_finish(u, &u->at[i]);
    if (!code) code = prototypes_ask(u);
    if (!code) finish_all(u);
    return code;
}

void
units_report_warnings(struct units *u)
{
    for (int i = 0; i < u->n; i++) {
        const struct unit *x = &u->at[i];
        struct alias alias = unit_alias(u, x);
        if (!x->takes_part || !x->warnings) continue;
        messages_report_warnings(u->lang->diag, u->arena, x->warnings, &alias, u->tools->include);
    }
}

void
units_fini(struct units *u)
{
    for (int k = 0; k < 2; k++) buf_fini(&u->prototypes[k]);
    for (int i = 0; i < u->n; i++) buf_fini(&u->at[i].inputs);
}

struct alias
unit_alias(const struct units *u, const struct unit *x)
{
    return (struct alias){x->path, x->shown ? x->shown : x->text ? u->options->file : x->path};
}

void
unit_report(struct units *u, const struct unit *x)
{
    if (x->culprit) x = x->culprit;
    if (x->lacks_compiler) {
        u->lacks_fortran = true;
        return;
    }
    struct alias alias = unit_alias(u, x);
    messages_report(u->lang->diag, u->arena, read_log(u, x), &alias);
}
