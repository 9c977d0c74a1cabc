/* stub.c - luna_stub: what luna build puts in front of a compiled program. It opens the object that
 * stands behind it in its own file and runs it, with the run options. */
#include "apps/luna/common/image.h"
#include "apps/luna/common/say.h"
#include "runtime/base/clock.h"
#include "runtime/base/colour.h"
#include "apps/luna/launch/launch.h"
#include "apps/luna/launch/options.h"
#include "runtime/base/io.h"
#include "runtime/fault/fault.h"
#include "runtime/run/ask.h"
#include "runtime/run/ranks.h"
#include "runtime/ucode/crash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* By /proc/self/exe: argv[0] may be a name found in PATH, or anything the caller likes. */
static const struct luna_program *
open_own(const char *name, struct arena *a, const char **home)
{
    struct buf object = {0};
    struct content_key key;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        say_error("cannot read '%s': %s", name, strerror(errno));
        return NULL;
    }
    const struct luna_program *p = NULL;
    *home = image_home(fd, a);
    crash_handler_load(true);
    if (image_read(fd, &object, &key)) p = image_open_bytes(&object, name);
    else say_error("'%s' is damaged: the program behind it is not whole", name);
    crash_handler_load(false);
    buf_fini(&object);
    close(fd);
    return p;
}

static __attribute__((noinline)) int /* main comes back by longjmp */
run(struct arena *a, int argc, char **argv)
{
    struct options o;
    if (!options_read(&o, a, WHO_PROGRAM, argc - 1, argv + 1)) return EXIT_USAGE;
    if (o.help) {
        printf("usage: %s [options] [--] [args of main]\n", argv[0]);
        options_help(WHO_PROGRAM, stdout);
        return EXIT_DONE;
    }
    bool ranks = launch_wants_ranks(&o);
    ask_may_come();
    if (ranks && !ranks_started()) return launch_ranks(&o);
    const char *home;
    if (ranks) ranks_speak_up();
    const struct luna_program *p = open_own(argv[0], a, &home);
    int code = p ? 0 : EXIT_SYSTEM;
    if (!p && ranks) ranks_give_up(code);
    if (p && ranks && !(code = launch_join(&o, home))) ranks_check_program(p);
    return code ? code : runtime_run(p, &o.run, o.argc, o.argv);
}

/* From anywhere, by a jump. Other ranks wait for this one, and have to end, too. */
static int
give_up(bool told)
{
    ranks_speak_up();
    if (!told) say_error("out of memory");
    ranks_give_up(EXIT_SYSTEM);
    return EXIT_SYSTEM;
}

int
main(int argc, char **argv)
{
    uint64_t began = clock_ns();
    io_take_standard();
    colour_choose("auto");
    if (argc < 1) return EXIT_SYSTEM;
    const char *slash = strrchr(argv[0], '/');
    say_name(slash ? slash + 1 : argv[0]);
    jmp_buf no_memory;
    struct arena *volatile a = arena_new();
    if (!a) return give_up(false);
    switch (setjmp(no_memory)) {
    case 0: break;
    case ARENA_TOLD: return give_up(true);
    default: return give_up(false);
    }
    arena_on_fail(a, &no_memory);
    int code = run(a, argc, argv);
    if (!code) code = fault_output(code);
    arena_free(a);
    if (code) ranks_linger(began, code);
    return code;
}
