/* half.c - see half.h. A signal may come at any time: what is called here asks for no memory. */
#include "apps/luna/common/half.h"

#include "runtime/base/wish.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { ENTRIES_BYTES = 2048 };
static const char *_Atomic half;

static bool
is_dots(const char *name)
{
    return !strcmp(name, ".") || !strcmp(name, "..");
}

/* A file, or a folder with all that is in it. */
static void
remove_tree(int in, const char *name)
{
    _Alignas(struct dirent64) char entries[ENTRIES_BYTES];
    if (!unlinkat(in, name, 0) || errno == ENOENT) return;
    int fd = openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    for (ssize_t n; (n = getdents64(fd, entries, sizeof entries)) > 0;)
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *e = (void *)(entries + at);
            if (!is_dots(e->d_name)) remove_tree(fd, e->d_name);
            at += e->d_reclen;
        }
    close(fd);
    unlinkat(in, name, AT_REMOVEDIR);
}

static void
remove_half(void)
{
    const char *path = atomic_exchange(&half, NULL);
    if (path) remove_tree(AT_FDCWD, path);
}

static void
on_signal(int number)
{
    remove_half();
    signal(number, SIG_DFL);
    raise(number);
}

/* What our parent ignores (nohup) stays ignored. */
static void
watch_one(int number, void (*handler)(int))
{
    struct sigaction act = {.sa_handler = handler}, old;
    sigaction(number, NULL, &old);
    if (old.sa_handler != SIG_IGN) sigaction(number, &act, NULL);
}

static void
watch(void (*handler)(int))
{
    for (int i = 0; i < WISHES; i++) watch_one(wish_signal[i], handler);
    watch_one(SIGPIPE, handler);
}

void
half_begins(const char *path)
{
    atomic_store(&half, path);
    watch(on_signal);
}

void
half_is_over(void)
{
    remove_half();
    watch(SIG_DFL);
}
