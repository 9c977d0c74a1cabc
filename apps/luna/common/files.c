/* files.c - see files.h. */
#include "apps/luna/common/files.h"

#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"
#include "runtime/base/io.h"
#include "runtime/base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
file_read_fd(int fd, struct buf *out)
{
    char piece[8 << 10]; /* the stack may be small */
    for (;;) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (!n) return 0;
        buf_add(out, piece, (size_t)n);
        if (out->failed) return ENOMEM;
    }
}

/* Regular files only: a pipe or /dev/zero, named by accident, would be read for ever. */
int
file_read(const char *path, struct buf *out)
{
    struct stat st;
    if (stat(path, &st)) return errno;
    if (!S_ISREG(st.st_mode)) return S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    int e = file_read_fd(fd, out);
    close(fd);
    return e;
}

int
file_take(struct arena *a, const char *path, struct buf *out)
{
    int e = file_read(path, out);
    if (!io_is_systems(e)) return e;
    buf_fini(out);
    say_error("cannot read '%s': %s", path, strerror(e));
    arena_jump(a, ARENA_TOLD);
    return e;
}

const char *
file_text(struct arena *a, const char *path)
{
    struct buf text = {0};
    if (file_take(a, path, &text)) buf_clear(&text);
    const char *kept = arena_strdup(a, text.size ? text.data : "");
    buf_fini(&text);
    return kept;
}

static bool
is_source(const char *name)
{
    static const char *const endings[] = {".c", ".cpp", ".f90", ".F90", ".f", ".F"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (path_has_suffix(name, endings[i])) return true;
    return false;
}

/* Errors may come as late as close (a quota, NFS). */
static int
put(int fd, const void *bytes, size_t size)
{
    int e = io_write_all(fd, bytes, size);
    if (close(fd) && !e) e = errno;
    return e;
}

/* What is no regular file, as /dev/full, is written to as it is. */
static int
write_there(const char *path, const void *bytes, size_t size, unsigned mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    return fd < 0 ? errno : put(fd, bytes, size);
}

int
file_write(const char *path, const void *bytes, size_t size, unsigned mode)
{
    struct stat st;
    char real[PATH_MAX], aside[PATH_MAX + 8];
    bool there = !stat(path, &st);
    mode_t mask = umask(0);
    umask(mask);
    if (there && !S_ISREG(st.st_mode)) return write_there(path, bytes, size, mode);
    if (there && access(path, W_OK)) return errno;
    if (there && !realpath(path, real)) return errno; /* a link stays one */
    snprintf(aside, sizeof aside, "%s.XXXXXX", there ? real : path);
    int fd = mkstemp(aside);
    bool closed = fd < 0 && (errno == EACCES || errno == EPERM); /* the folder, not the file */
    if (fd < 0) return there && closed ? write_there(path, bytes, size, mode) : errno;
    int e = fchmod(fd, there ? st.st_mode & 0777 : mode & ~mask) ? errno : 0;
    int failed = put(fd, bytes, size);
    if (!e) e = failed;
    if (!e && rename(aside, there ? real : path)) e = errno;
    if (e) unlink(aside);
    return e;
}

/* "node-00000.jsonl", "run.json" */
static bool
is_of_trace(const char *name)
{
    static const char digits[] = "0123456789";
    if (!strcmp(name, "run.json")) return true;
    if (strncmp(name, "node-", 5)) return false;
    const char *end = name + 5 + strspn(name + 5, digits);
    return end > name + 5 && (!strcmp(end, ".jsonl") || !strcmp(end, ".ltr"));
}

const char *
file_missed(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (!file_is_there(path)) return NULL;
    if (is_source(name) || path_has_suffix(name, ".fa")) return "a program's text";
    return is_of_trace(name) ? "part of a trace" : NULL;
}

int
file_try(const char *path)
{
    struct stat st;
    if (!stat(path, &st)) return S_ISDIR(st.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return errno;
    close(fd);
    unlink(path);
    return 0;
}

bool
file_is_there(const char *path)
{
    struct stat st;
    return !stat(path, &st);
}

/* With all folders above it. One that exists and cannot be written is no error here if it can be
 * passed: only the last one matters, and using it will tell. */
int
file_make_dir(const char *path)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (!n) return ENOENT;
    if (n >= sizeof part) return ENAMETOOLONG;
    memcpy(part, path, n + 1);
    for (char *p = part + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        if (mkdir(part, 0700) && errno != EEXIST && access(part, X_OK)) return errno;
        *p = '/';
    }
    if (!mkdir(part, 0700)) return 0;
    if (errno != EEXIST) return errno;
    struct stat st;
    return !stat(part, &st) && S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
}

void
words_add(struct arena *a, struct words *w, const char *word)
{
    if (vec_more(a, w->at, w->n, w->room)) w->at[w->n++] = word;
}

bool
words_have(const struct words *w, const char *word)
{
    for (int i = 0; i < w->n; i++)
        if (!strcmp(w->at[i], word)) return true;
    return false;
}

void
words_split(struct arena *a, struct words *w, const char *text, const char *stops)
{
    while (*text) {
        size_t n = strcspn(text, stops);
        if (n) words_add(a, w, arena_strndup(a, text, n));
        text += n;
        if (*text) text++;
    }
}

/* The order of a folder differs between file systems; reports and links must not. */
static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int
file_sources(struct arena *a, const char *dir, struct words *out)
{
    DIR *d = opendir(dir);
    if (!d) return errno;
    int first = out->n;
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.' && is_source(e->d_name))
            words_add(a, out, arena_strdup(a, e->d_name));
    closedir(d);
    if (out->n > first) qsort(out->at + first, (size_t)(out->n - first), sizeof *out->at, by_text);
    return 0;
}
