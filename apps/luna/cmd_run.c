/* cmd_run.c - luna run: compile or find, load, run. Also what -c and --compile-only of the original
 * do instead of running. */
#include "apps/luna/build/compile.h"
#include "apps/luna/build/sanitize.h"
#include "apps/luna/cmd.h"
#include "apps/luna/common/files.h"
#include "apps/luna/common/home.h"
#include "apps/luna/common/image.h"
#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"
#include "apps/luna/launch/launch.h"
#include "runtime/fault/fault.h"
#include "runtime/run/ask.h"
#include "runtime/run/ranks.h"
#include "runtime/ucode/crash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- FILE ---- */

static int
no_file(const struct options *o)
{
    say_error("no such file: '%s'", o->file);
    for (int i = 0; i < 2; i++) {
        const char *name = arena_printf(o->arena, i ? "%sfa" : "%s.fa", o->file);
        if (!file_is_there(name)) continue;
        say_hint("did you mean '%s'?", name);
        break;
    }
    return EXIT_USAGE;
}

/* C text would be read as a program, with an error in each line. Says so, and EXIT_USAGE; or 0. */
static int
refuse_ucode(const struct options *o)
{
    bool c = path_has_suffix(o->file, ".c");
    if (!c && !path_has_suffix(o->file, ".cpp")) return 0;
    say_error("'%s' is %s text, not a program", o->file, c ? "C" : "C++");
    say_hint("a program is a .fa file; functions in files beside it are found");
    return EXIT_USAGE;
}

int
cmd_check_file(const struct options *o)
{
    struct stat st;
    if (!o->file) {
        say_error("no FILE was given");
        say_hint("for example: %s hello.fa", options_command(o));
        return EXIT_USAGE;
    }
    if (stat(o->file, &st)) {
        if (errno == ENOENT || errno == ENOTDIR) return no_file(o);
        say_error("cannot read '%s': %s", o->file, strerror(errno));
        return EXIT_USAGE;
    }
    if (!S_ISREG(st.st_mode)) {
        const char *what = S_ISDIR(st.st_mode) ? "a folder, not a program" : "no regular file";
        say_error("'%s' is %s", o->file, what);
        return EXIT_USAGE;
    }
    if (access(o->file, R_OK)) {
        say_error("cannot read '%s': %s", o->file, strerror(errno));
        return EXIT_USAGE;
    }
    return refuse_ucode(o);
}

/* ---- running ---- */

static bool
is_object(const char *file)
{
    char head[4] = "";
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof head);
    if (fd >= 0) close(fd);
    return n == 4 && !memcmp(head, "\177ELF", 4);
}

/* What can only be said of a program's text. */
static int
refuse_compiling(const struct options *o)
{
    const char *said = o->compile_only  ? "--compile-only"
                       : o->copy_object ? "-c"
                       : o->sanitize    ? "--sanitize"
                       : o->cpp_dir     ? "--cpp-dir"
                       : o->cpp_source  ? "--cpp-source"
                       : o->links.n     ? "--link"
                       : o->defines.n   ? "-D"
                                        : NULL;
    if (!said) return 0;
    say_error("%s is for compiling, and '%s' is compiled already", said, o->file);
    say_hint("give the option when you compile it");
    return EXIT_USAGE;
}

static int
run(const struct options *o, const char *path)
{
    crash_handler_load(true);
    const struct luna_program *p = image_open(path, o->file);
    crash_handler_load(false);
    return p ? runtime_run(p, &o->run, o->argc, o->argv) : EXIT_SYSTEM;
}

/* The program tells only where and what; its text, which fragment. */
static bool
tell_refused(void *who)
{
    struct options *o = who;
    struct compile c;
    bool told = compile_refused(&c, o);
    compile_end(&c);
    return told;
}

static int
compile_and_run(struct options *o)
{
    o->run.refused = tell_refused;
    o->run.refused_who = o;
    struct compile c;
    char path[64];
    int code = compile_program(&c, o), fd = -1;
    if (!code && (fd = fcntl(c.fd, F_DUPFD_CLOEXEC, 0)) < 0) code = EXIT_SYSTEM;
    compile_end(&c); /* nothing of the compilation stays while the program runs */
    if (code) return code;
    image_path(path, sizeof path, fd);
    return run(o, path);
}

/* ---- as ranks ---- */

/* Rank 0 compiles or reads the object, the others get it. */
static int
make_object(struct options *o, struct buf *object)
{
    struct compile c;
    int e;
    if (is_object(o->file)) {
        e = file_read(o->file, object);
    } else {
        int code = compile_program(&c, o);
        e = code ? 0 : compile_read(&c, object);
        compile_end(&c);
        if (code) return code;
    }
    if (e) say_error("cannot read the compiled program: %s", strerror(e));
    return e ? EXIT_SYSTEM : 0;
}

/* Hosts may have it in other folders. */
static const char *
words_of_program(const struct options *o)
{
    const char *slash = strrchr(o->file, '/'), *words = slash ? slash + 1 : o->file;
    for (int i = 0; i < o->defines.n; i++)
        words = arena_printf(o->arena, "%s -D %s", words, o->defines.at[i]);
    return words;
}

static int
run_as_rank(struct options *o)
{
    struct buf object = {0};
    const char *home = home_find(o->arena);
    int code = home ? launch_join(o, home) : EXIT_SYSTEM;
    if (code) return code;
    if (!ranks_number()) code = make_object(o, &object);
    if ((code = ranks_bcast_object(code, &object))) return ranks_end(code);
    crash_handler_load(true);
    const struct luna_program *p = image_open_bytes(&object, o->file);
    crash_handler_load(false);
    buf_fini(&object);
    if (!p) fault_leave(EXIT_SYSTEM); /* perhaps this rank alone: the others wait for it */
    if (!is_object(o->file)) o->run.refused = tell_refused;
    o->run.refused_who = o;
    o->run.program = words_of_program(o);
    return runtime_run(p, &o->run, o->argc, o->argv);
}

/* ---- -c and --compile-only ---- */

static int
copy_object(const struct compile *c, const char *to)
{
    struct buf object = {0};
    int e = compile_read(c, &object);
    if (!e) e = file_write(to, object.data, object.size, 0666);
    buf_fini(&object);
    return e ? say_unwritten(to, e) : EXIT_DONE;
}

/* As a shell takes it. */
static void
put_word(struct buf *b, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+:.,/%@";
    bool quoted = !*word || word[strspn(word, plain)];
    buf_str(b, quoted ? " '" : " ");
    for (; *word; word++)
        if (*word == '\'')
            buf_str(b, "'\\''");
        else
            buf_char(b, *word);
    if (quoted) buf_char(b, '\'');
}

static int
compile_only(struct options *o)
{
    struct compile c;
    int code = compile_program(&c, o);
    const char *object = o->output ? o->output : "./libucodes.so";
    if (!code && o->copy_object)
        code = copy_object(&c, object);
    else if (!code)
        object = arena_strdup(o->arena, c.object);
    compile_end(&c);
    if (!code && !o->run.quiet) {
        struct buf line = {0};
        buf_str(&line, "luna run");
        put_word(&line, object);
        for (int i = 0; i < o->argc; i++) put_word(&line, o->argv[i]);
        printf("%s\n", line.failed ? "" : line.data);
        buf_fini(&line);
    }
    return code;
}

int
cmd_run(struct options *o)
{
    bool compiles_only = o->compile_only || o->copy_object;
    const char *cc = getenv("CC");
    int code = is_object(o->file) ? refuse_compiling(o) : EXIT_DONE;
    if (code) return code;
    ask_may_come();
    if (o->report && report_around(o, &code)) return code;
    code = o->sanitize ? sanitize_begin(o->arena, o->sanitize, cc && *cc ? cc : "gcc") : 0;
    if (code) return code;
    if (launch_wants_ranks(o) && !compiles_only)
        return ranks_started() ? run_as_rank(o) : launch_ranks(o);
    if (is_object(o->file)) {
        const char *path = path_real(o->arena, o->file);
        return run(o, path);
    }
    return compiles_only ? compile_only(o) : compile_and_run(o);
}

/* The words that repeat a simulated run. */
static const char *
repeat_command(const struct options *o)
{
    struct buf b = {0};
    bool seeded = false;
    for (int i = 0; i < o->ngiven; i++) seeded |= !strncmp(o->given[i], "--seed=", 7);
    buf_str(&b, "luna sim");
    if (!seeded) buf_printf(&b, " --seed=%llu", (unsigned long long)o->run.seed);
    for (int i = 0; i < o->ngiven; i++) put_word(&b, o->given[i]);
    const char *command = arena_strdup(o->arena, b.data ? b.data : "");
    buf_fini(&b);
    return command;
}

int
cmd_sim(struct options *o)
{
    o->run.sim = true;
    o->run.repeat = repeat_command(o);
    return cmd_run(o);
}
