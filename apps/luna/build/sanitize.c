/* sanitize.c - gcc and clang have runtimes of other names; both tell where they are. */
#include "apps/luna/build/sanitize.h"

#include "apps/luna/common/say.h"
#include "runtime/base/buf.h"
#include "runtime/base/exit.h"

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- which runtime ---- */

/* What `argv` prints, without the end of the line; "" if it cannot be run. */
static const char *
output_of(struct arena *a, const char *const *argv)
{
    int ends[2];
    pid_t pid;
    char text[4096] = "";
    posix_spawn_file_actions_t files;
    if (pipe(ends) || posix_spawn_file_actions_init(&files)) return "";
    posix_spawn_file_actions_adddup2(&files, ends[1], 1);
    posix_spawn_file_actions_addclose(&files, ends[0]);
    int e = posix_spawnp(&pid, argv[0], &files, NULL, (char *const *)(void *)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    size_t n = 0;
    for (ssize_t k; !e && (k = read(ends[0], text + n, sizeof text - 1 - n)) > 0;) n += (size_t)k;
    close(ends[0]);
    if (!e) waitpid(pid, NULL, 0);
    text[strcspn(text, "\n")] = 0;
    return arena_strdup(a, text);
}

/* The file as the compiler knows it; NULL: it has none of this name. */
static const char *
file_of(struct arena *a, const char *cc, const char *name)
{
    struct words w = {0};
    words_split(a, &w, cc, " \t\n");
    words_add(a, &w, arena_printf(a, "-print-file-name=%s", name));
    words_add(a, &w, NULL);
    const char *file = output_of(a, w.at);
    return file[0] == '/' && !access(file, R_OK) ? file : NULL;
}

/* clang finds gcc's runtimes, too: so its own come first. */
static const char *
clang_runtime(struct arena *a, const char *cc, const char *kind)
{
    struct utsname u;
    if (uname(&u)) return NULL;
    return file_of(a, cc, arena_printf(a, "libclang_rt.%s-%s.so", kind, u.machine));
}

static bool
has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; p; p = strchr(p, ','), p += p != NULL)
        if (!strncmp(p, word, n) && (!p[n] || p[n] == ',')) return true;
    return false;
}

/* Paths, with colons between them; NULL: there are none. */
static const char *
runtimes(struct arena *a, const char *list, const char *cc)
{
    bool address = has_word(list, "address"), undefined = has_word(list, "undefined");
    const char *clang = clang_runtime(a, cc, address ? "asan" : "ubsan_standalone");
    if (clang) return clang; /* of the two the first has all of the second */
    const char *first = address ? file_of(a, cc, "libasan.so") : NULL;
    const char *second = undefined ? file_of(a, cc, "libubsan.so") : NULL;
    if ((address && !first) || (undefined && !second)) return NULL;
    return first && second ? arena_printf(a, "%s:%s", first, second) : first ? first : second;
}

void
sanitize_flags(struct arena *a, const char *list, const char *cc, struct words *flags)
{
    words_add(a, flags, arena_printf(a, "-fsanitize=%s", list));
    words_add(a, flags, "-fno-sanitize-recover=all");
    words_add(a, flags, "-fno-omit-frame-pointer");
    words_add(a, flags, "-g");
    if (clang_runtime(a, cc, has_word(list, "address") ? "asan" : "ubsan_standalone"))
        words_add(a, flags, "-shared-libsan");
}

/* ---- beginning again ---- */

/* What the user has said comes last, and so decides. */
static void
add_options(struct arena *a, const char *variable, const char *words)
{
    const char *users = getenv(variable);
    setenv(variable, users ? arena_printf(a, "%s:%s", words, users) : words, 1);
}

static const char **
own_words(struct arena *a)
{
    struct buf text = {0};
    struct words w = {0};
    if (file_read("/proc/self/cmdline", &text)) return NULL;
    for (size_t i = 0; i < text.size; i += strlen(text.data + i) + 1)
        words_add(a, &w, arena_strdup(a, text.data + i));
    words_add(a, &w, NULL);
    buf_fini(&text);
    return w.at;
}

int
sanitize_begin(struct arena *a, const char *list, const char *cc)
{
    const char *symbol = has_word(list, "address") ? "__asan_init" : "__ubsan_handle_out_of_bounds";
    if (dlsym(RTLD_DEFAULT, symbol)) return 0;
    const char *files = runtimes(a, list, cc), *others = getenv("LD_PRELOAD");
    if (!files) {
        say_error("'%s' has no runtime for --sanitize=%s", cc, list);
        say_hint("gcc has them; for clang install libclang-rt-dev of its version");
        return EXIT_SYSTEM;
    }
    setenv("LD_PRELOAD", others && *others ? arena_printf(a, "%s:%s", files, others) : files, 1);
    add_options(a, "ASAN_OPTIONS", "detect_leaks=0:print_legend=0:allocator_may_return_null=1");
    add_options(a, "UBSAN_OPTIONS", "print_stacktrace=1");
    const char **words = own_words(a);
    if (words) execv("/proc/self/exe", (char *const *)(void *)words);
    say_error("cannot begin again with the sanitizer: %s", strerror(errno));
    return EXIT_SYSTEM;
}
