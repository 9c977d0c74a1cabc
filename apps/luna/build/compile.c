/* compile.c - see compile.h. */
#include "apps/luna/build/compile.h"

#include "apps/luna/build/library.h"
#include "apps/luna/build/link.h"
#include "apps/luna/build/meant.h"
#include "apps/luna/build/signature.h"
#include "apps/luna/build/told.h"
#include "apps/luna/common/home.h"
#include "apps/luna/common/image.h"
#include "apps/luna/common/say.h"
#include "runtime/base/clock.h"
#include "runtime/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- beginning ---- */

/* All that is known before a file is read. */
static struct content_key
subject_of(const struct compile *c)
{
    const struct options *o = c->options;
    struct buf key = {0};
    key_add(&key, "program");
    key_add_key(&key, key_of_bytes(c->tools.key->data, c->tools.key->size));
    key_add(&key, o->file);
    key_add(&key, o->cpp_dir ? o->cpp_dir : "\1");
    key_add(&key, o->cpp_source ? o->cpp_source : "\1");
    for (int i = 0; i < o->defines.n; i++) key_add(&key, o->defines.at[i]);
    key_add(&key, "\1");
    for (int i = 0; i < o->links.n; i++) key_add(&key, o->links.at[i]);
    key_add(&key, o->no_proof ? "" : "proved");
    key_add_key(&key, key_of_bytes(&o->verdicts, sizeof o->verdicts));
    return key_end(o->arena, &key);
}

static int
begin(struct compile *c, const struct options *o)
{
    *c = (struct compile){.arena = o->arena, .options = o, .fd = -1};
    if (!toolchain_init(&c->tools, o)) return EXIT_SYSTEM;
    cache_open(&c->cache, o->arena);
    if (!c->cache.dir && !o->run.quiet) {
        say_warning("no folder for the cache of compiled programs can be written");
        say_hint("each run compiles anew; set XDG_CACHE_HOME to a folder of yours");
    }
    c->subject = subject_of(c);
    return 0;
}

/* ---- the compiler proper ---- */

struct lang_options
compile_lang_options(const struct options *o)
{
    return (struct lang_options){
        .file = o->file,
        .debug = o->run.debug,
        .no_proof = o->no_proof,
        .no_place = o->no_proof,
        .tell_proof = o->tell_proof,
        .tell_memory = o->memory,
        .memory_limit = (uint64_t)o->memory_limit,
        .size_of = o->size_of,
        .size_who = o->size_who,
        .verdicts = &o->verdicts,
        .prep = {.defines = o->defines.at,
                 .ndefines = o->defines.n,
                 .library = home_share(o->arena)},
    };
}

/* Reads for the preprocessor, and notes what it looked for: a file that is not there counts too. */
static const char *
read_noted(void *who, struct arena *a, const char *path, size_t *size)
{
    struct compile *c = who;
    struct buf text = {0};
    cache_inputs_add(&c->inputs, INPUT_FILE, path);
    int e = file_take(c->arena, path, &text);
    const char *kept = e ? NULL : arena_strndup(a, text.size ? text.data : "", text.size);
    *size = text.size;
    buf_fini(&text);
    errno = e;
    return kept;
}

/* For what is told before a compiler has run: the files' texts alone. */
static struct units
units_to_read(const struct compile *c)
{
    return (struct units){.arena = c->arena, .options = c->options, .lang = &c->lang,
                          .silent = true};
}

/* Imports that do not fit are found by compilers, which will not run now. */
static void
explain_by_files(struct compile *c, struct units *read)
{
    const struct ast *t = c->lang.tree;
    if (t) signature_guess(c->lang.diag, c->lang.arena, t, units_functions(read));
}

static int
compile_text(struct compile *c)
{
    struct units read = units_to_read(c);
    struct ast_outside outside = meant_outside(&read);
    struct lang_options lo = compile_lang_options(c->options);
    lo.prep.read = read_noted;
    lo.prep.read_who = c;
    lo.outside = &outside;
    if (c->with_args) {
        lo.args = (const char *const *)c->options->argv;
        lo.nargs = c->options->argc;
    }
    c->has_lang = true;
    if (lang_compile(&c->lang, &lo)) {
        arena_fails_like(c->lang.arena, c->arena); /* reports still to come */
        if (!diag_errors(c->lang.diag)) return 0;
        explain_by_files(c, &read);
        return EXIT_PROGRAM;
    }
    say_error("out of memory while compiling '%s'", c->options->file);
    return EXIT_SYSTEM;
}

/* ---- the ucodes ---- */

static int
begin_units(struct compile *c)
{
    struct units *u = &c->units;
    *u = (struct units){.arena = c->arena, .options = c->options, .tools = &c->tools,
                        .cache = &c->cache, .work = &c->work, .lang = &c->lang};
    int code = units_list(u);
    return code ? code : work_begin(&c->work, c->options);
}

/* Functions of a file that does not compile would all be missing: that is said only once. */
static bool
can_link(const struct units *u)
{
    for (int i = 0; i < u->n; i++)
        if (u->at[i].failed && !u->at[i].optional) return false;
    return true;
}

/* Compiles and links to c->object. Faults of the ucodes become diagnostics: EXIT_PROGRAM. */
static int
make_object(struct compile *c)
{
    struct units *u = &c->units;
    int code = begin_units(c);
    if (!code) code = library_add(u, &c->inputs);
    if (!code && diag_errors(c->lang.diag)) code = EXIT_PROGRAM;
    if (!code) code = units_compile(u);
    if (code) return code;
    link_choose(u);
    link_check_doubles(u);
    units_report_warnings(u);
    if (!can_link(u) || link_refuse_mpi(u)) return EXIT_PROGRAM;
    c->object = work_file(&c->work, "libucodes.so");
    code = link_program(u, c->object);
    if (code) return code;
    if (diag_errors(c->lang.diag)) return EXIT_PROGRAM;
    link_check_globals(u);
    return 0;
}

/* ---- keeping ---- */

/* Are the folders as they were when they were listed? */
static bool
same_files(struct compile *c)
{
    struct units again = units_to_read(c);
    int mine = 0;
    for (int i = 0; i < c->units.n; i++) mine += c->units.at[i].shown != NULL;
    return !units_list(&again) && again.n == mine;
}

static void
gather_inputs(struct compile *c)
{
    struct units *u = &c->units;
    struct words libraries = {0};
    for (int i = 0; i < u->dirs.n; i++) cache_inputs_add(&c->inputs, INPUT_DIR, u->dirs.at[i]);
    for (int i = 0; i < u->n; i++) {
        struct unit *x = &u->at[i];
        buf_add(&c->inputs, x->inputs.data, x->inputs.size);
        c->inputs.failed |= x->inputs.failed;
        if (x->failed) cache_inputs_add(&c->inputs, INPUT_FILE, x->path); /* may compile one day */
    }
    cc_libraries(&c->tools, &libraries);
    for (int i = 0; i < libraries.n; i++) cache_inputs_add(&c->inputs, INPUT_FILE, libraries.at[i]);
}

enum { KEPT_A_LOOK = 16 };

/* All that is kept is looked at behind one product of so many, by chance: if it is much, that takes
 * longer than to compile a small one. */
static void
keep(struct compile *c, const char *words)
{
    gather_inputs(c);
    if (!same_files(c)) return;
    bool kept = cache_keep(&c->cache, c->subject, &c->inputs, c->object, words);
    if (kept && clock_ns() / 1024 % KEPT_A_LOOK == 0) cache_trim(&c->cache);
    if (!kept && c->options->verbose && c->cache.dir)
        say_note("the program was not kept in the cache");
}

/* ---- together ---- */

static void
print_diagnostics(const struct compile *c)
{
    const struct options *o = c->options;
    bool json = o->format && !strcmp(o->format, "json");
    struct buf out = {0};
    diag_drop_follow_ups(c->lang.diag);
    json ? diag_print_json(c->lang.diag, &out) : diag_print_text(c->lang.diag, &out);
    bool failed = out.failed;
    if (!failed && json) io_print(out.data, out.size);
    if (!failed && !json && out.size) fwrite(out.data, 1, out.size, stderr);
    buf_fini(&out);
    if (failed) arena_jump(c->arena, ARENA_NO_MEMORY);
}

int
compile_read(const struct compile *c, struct buf *object)
{
    struct content_key key;
    if (image_read(c->fd, object, &key)) return 0;
    buf_clear(object); /* not from the cache: without a trailer */
    return lseek(c->fd, 0, SEEK_SET) ? errno : file_read_fd(c->fd, object);
}

static void
tell_vain(const struct compile *c)
{
    struct buf out = {0};
    told_vain(&c->lang, &out);
    if (out.size && !out.failed) fwrite(out.data, 1, out.size, stderr);
    buf_fini(&out);
}

/* Those who find the object tell it again. */
static void
keep_and_tell(struct compile *c)
{
    struct buf words = {0};
    const struct options *o = c->options;
    told_words(&c->lang, &words);
    if (words.failed) arena_jump(c->arena, ARENA_NO_MEMORY);
    keep(c, words.data);
    if (!o->run.quiet && !o->verbose && o->who != WHO_CHECK) told_show(&words);
    buf_fini(&words);
}

static void
tell_kept(const struct compile *c)
{
    struct buf words = {0};
    image_words(c->fd, &words);
    if (!c->options->run.quiet && !words.failed) told_show(&words);
    buf_fini(&words);
}

static int
build(struct compile *c)
{
    cache_begin(&c->cache);
    int code = compile_text(c); /* nothing is to be removed yet */
    jobs_watch(true);
    if (!code) code = make_object(c);
    jobs_watch(false);
    if (!code && jobs_signal()) code = 128 + jobs_signal(); /* it came when no compiler ran */
    if (!code && c->options->verbose) print_diagnostics(c);
    if (!code) told_choose(c->lang.diag);
    if (!code && diag_errors(c->lang.diag)) code = EXIT_PROGRAM;
    if (code == EXIT_PROGRAM) print_diagnostics(c);
    if (code) return code;
    keep_and_tell(c);
    c->fd = open(c->object, O_RDONLY | O_CLOEXEC);
    if (c->fd >= 0) return 0;
    say_error("cannot open '%s': %s", c->object, strerror(errno));
    return EXIT_SYSTEM;
}

int
compile_program(struct compile *c, const struct options *o)
{
    int code = begin(c, o);
    if (code) return code;
    bool wants_files = o->keep || o->compile_only || getenv("LUNA_NO_CLEANUP");
    if (!wants_files) c->fd = cache_find(&c->cache, c->subject, NULL, NULL);
    if (o->verbose) say_note("%s '%s'", c->fd >= 0 ? "from the cache:" : "compiling", o->file);
    if (c->fd < 0) return build(c);
    tell_kept(c);
    return 0;
}

/* Without any C or C++ there is nothing that could be compared with the program. */
static bool
has_ucodes(struct compile *c)
{
    struct units u = units_to_read(c);
    const struct lang *l = &c->lang;
    return l->c_blocks.size || l->cpp_blocks.size || l->prep.nlinks || units_list(&u) || u.n;
}

static int
check(struct compile *c)
{
    int code = compile_text(c);
    if (code || !has_ucodes(c)) return code;
    jobs_watch(true);
    code = make_object(c);
    jobs_watch(false);
    return code;
}

int
compile_check(struct compile *c, const struct options *o)
{
    int code = begin(c, o);
    if (code) return code;
    c->with_args = o->argc > 0;
    cache_begin(&c->cache);
    code = check(c);
    if (code > EXIT_PROGRAM) return code;
    diag_apply_verdicts(c->lang.diag);
    print_diagnostics(c);
    tell_vain(c);
    io_print(c->lang.proof.data, c->lang.proof.size);
    io_print(c->lang.memory.data, c->lang.memory.size);
    if (diag_errors(c->lang.diag)) return EXIT_PROGRAM;
    told_choose(c->lang.diag);
    if (c->object && !c->with_args) keep_and_tell(c);
    return code;
}

bool
compile_refused(struct compile *c, const struct options *o)
{
    if (begin(c, o)) return false;
    c->with_args = true;
    cache_begin(&c->cache);
    bool refused = compile_text(c) == EXIT_PROGRAM;
    if (refused) print_diagnostics(c);
    return refused;
}

/* The user asked for the files, and did not say where. */
static bool
should_tell_where(const struct compile *c)
{
    const struct options *o = c->options;
    return c->work.keep && c->work.made && !o->build_dir && !o->compile_only && !o->run.quiet;
}

void
compile_end(struct compile *c)
{
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
    if (c->has_lang) {
        if (should_tell_where(c)) say_note("the intermediate files are in '%s'", c->work.dir);
        work_end(&c->work);
        units_fini(&c->units);
        lang_fini(&c->lang);
    }
    buf_fini(&c->inputs);
    if (c->tools.key) buf_fini(c->tools.key);
}
