/* main.c - luna: finds the command and calls it. */
#include "apps/luna/build/work.h"
#include "apps/luna/cmd.h"
#include "apps/luna/common/files.h"
#include "apps/luna/common/half.h"
#include "apps/luna/common/say.h"
#include "runtime/base/clock.h"
#include "runtime/base/colour.h"
#include "runtime/base/io.h"
#include "runtime/run/ranks.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Where the command word is, or 0: command lines of the original have none. */
static int
command_at(int argc, char **argv)
{
    if (command_find(argv[1])) return 1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--")) return 0;
        if (argv[i][0] == '-') continue;
        /* luna -q run x.fa; but a program may be called "run". */
        return command_find(argv[i]) && !file_is_there(argv[i]) ? i : 0;
    }
    return 0;
}

/* No command word: is the first word meant as a file? */
static bool
looks_like_command(const char *word)
{
    return word[0] != '-' && !strpbrk(word, "./") && !file_is_there(word);
}

static int
run_command(struct arena *a, int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--version")) {
        printf("luna %s\n", LUNA_VERSION);
        return EXIT_DONE;
    }
    int at = command_at(argc, argv);
    if (!at && looks_like_command(argv[1])) return command_unknown(argv[1]);
    if (at && !strcmp(argv[at], "help")) return cmd_help(argc - at - 1, argv + at + 1);
    if (at && !strcmp(argv[at], "perf")) {
        for (int i = at; i > 1; i--) argv[i] = argv[i - 1]; /* options may stand in front */
        for (int i = 2; i < argc; i++)
            if (!strcmp(argv[i], "-h")) argv[i] = "--help";
        return cmd_perf(a, argc - 2, argv + 2);
    }

    const struct command *c = command_find(at ? argv[at] : "run");
    for (int i = at; i > 1; i--) argv[i] = argv[i - 1]; /* the options in front keep their order */
    int skip = at ? 2 : 1;
    struct options *o = arena_new_of(a, struct options);
    enum who who = at ? c->who : WHO_OLD;
    if (!options_read(o, a, who, argc - skip, argv + skip)) return EXIT_USAGE;
    if (o->help) {
        at ? cmd_help_command(c, stdout) : (void)cmd_help(0, NULL);
        return EXIT_DONE;
    }
    enum who others = WHO_STATS | WHO_MAP | WHO_REPORT | WHO_EXPORT | WHO_TOP; /* no program */
    int code = who & others ? 0 : cmd_check_file(o);
    return code ? code : c->run(o);
}

/* From anywhere, by a jump. Other ranks wait for this one, and have to end, too. */
static int
give_up(struct arena *a, bool told)
{
    ranks_speak_up();
    if (!told) say_error("out of memory");
    work_give_up();
    half_is_over();
    arena_free(a);
    ranks_give_up(EXIT_SYSTEM);
    return EXIT_SYSTEM;
}

int
main(int argc, char **argv)
{
    uint64_t began = clock_ns();
    io_take_standard();
    if (argc < 2) {
        cmd_help_short(stderr);
        return EXIT_USAGE;
    }
    colour_choose("auto");
    jmp_buf failed;
    struct arena *volatile a = arena_new();
    if (!a) return give_up(NULL, false);
    switch (setjmp(failed)) {
    case 0: break;
    case ARENA_TOLD: return give_up(a, true);
    default: return give_up(a, false);
    }
    arena_on_fail(a, &failed);
    int code = run_command(a, argc, argv), e = io_flush(stdout);
    if (e && !code) { /* else it has been told, or there is worse to tell */
        say_error("cannot write to stdout: %s", strerror(e));
        code = EXIT_SYSTEM;
    }
    arena_free(a);
    if (code) ranks_linger(began, code);
    return code;
}
