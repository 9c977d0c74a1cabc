/* cmd_build.c - luna build: a small program that opens the object it carries behind itself. */
#include "apps/luna/build/compile.h"
#include "apps/luna/cmd.h"
#include "apps/luna/common/image.h"
#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"
#include "runtime/base/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Before compiling: half a minute later would be late to say that -o is wrong. */
static int
check_output(const struct options *o)
{
    struct stat out, in;
    if (!o->output) {
        say_error("the name of the executable is needed: -o PROG");
        return EXIT_USAGE;
    }
    if (stat(o->output, &out)) return 0;
    if (!S_ISREG(out.st_mode)) {
        say_error("'%s' is there and is no file", o->output);
        return EXIT_USAGE;
    }
    if (stat(o->file, &in) || in.st_dev != out.st_dev || in.st_ino != out.st_ino) return 0;
    say_error("-o names the program itself: '%s'", o->output);
    return EXIT_USAGE;
}

/* mkstemp gives 0600; an executable has the rights that a compiler would give it. */
static int
write_program(int fd, const struct buf *stub, const struct buf *object, struct content_key key,
              const char *home)
{
    mode_t mask = umask(0);
    umask(mask);
    int e = io_write_all(fd, stub->data, stub->size);
    if (!e) e = image_write(fd, &(struct image){.object = *object, .key = key, .home = home});
    if (!e && fchmod(fd, 0777 & ~mask)) e = errno;
    return e;
}

/* Aside and renamed: PROG may be running. */
static int
make_program(const struct options *o, const struct buf *stub, const struct buf *object,
             struct content_key key, const char *home)
{
    char *aside = arena_printf(o->arena, "%s.XXXXXX", o->output);
    int fd = mkstemp(aside), e = fd < 0 ? errno : write_program(fd, stub, object, key, home);
    if (fd >= 0 && close(fd) && !e) e = errno;
    if (!e && rename(aside, o->output)) e = errno;
    if (!e) return 0;
    if (fd >= 0) unlink(aside);
    return say_unwritten(o->output, e);
}

static int
build(struct compile *c, const struct options *o)
{
    struct buf stub = {0}, object = {0};
    int code = compile_program(c, o), e = 0;
    const char *home = code ? "" : path_dir(o->arena, path_dir(o->arena, c->tools.lib));
    const char *path = code ? "" : path_join(o->arena, c->tools.lib, "luna_stub");
    if (!code && (e = file_read(path, &stub))) {
        say_error("cannot read '%s': %s", path, strerror(e));
        say_hint("it is installed together with luna; install luna again");
        code = EXIT_SYSTEM;
    }
    if (!code && (e = compile_read(c, &object))) {
        say_error("cannot read the compiled program: %s", strerror(e));
        code = EXIT_SYSTEM;
    }
    if (!code) code = make_program(o, &stub, &object, c->subject, home);
    buf_fini(&stub);
    buf_fini(&object);
    return code;
}

int
cmd_build(struct options *o)
{
    struct compile c;
    int code = check_output(o);
    if (code) return code;
    code = build(&c, o);
    compile_end(&c);
    return code;
}
