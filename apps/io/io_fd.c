/* io_fd.c - open descriptors of the library io, of which a process keeps a few.
 *
 * A block may be small and its file far away: to open the file for each would take longer than to
 * write it. A path may name another file by now, since files are made anew and renamed; so each
 * time it is asked what the path names. */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLOTS = 64 };

static struct slot {
    char *path; /* NULL: free, or as soon as nobody uses it */
    int fd;     /* -1: free */
    bool writing;
    dev_t dev;
    ino_t ino;
    int users;
    uint64_t used;
} slots[SLOTS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t now;

/* ---- under the lock ---- */

static void
slot_close(struct slot *s)
{
    close(s->fd);
    free(s->path);
    *s = (struct slot){.fd = -1};
}

/* Nobody finds it any more; the last user closes it. */
static void
slot_forget(struct slot *s)
{
    if (!s->users) {
        slot_close(s);
        return;
    }
    free(s->path);
    s->path = NULL;
}

static struct slot *
slot_find(const char *path, bool writing, const struct stat *st)
{
    for (int i = 0; i < SLOTS; i++) {
        struct slot *s = &slots[i];
        if (!s->path || strcmp(s->path, path) || s->writing != writing) continue;
        if (s->dev == st->st_dev && s->ino == st->st_ino) return s;
        slot_forget(s);
    }
    return NULL;
}

/* A free one, else the one not used for longest; NULL: all are in use. */
static struct slot *
slot_free(void)
{
    struct slot *oldest = NULL;
    for (int i = 0; i < SLOTS; i++) {
        struct slot *s = &slots[i];
        if (!s->path && !s->users) return s;
        if (!s->users && (!oldest || s->used < oldest->used)) oldest = s;
    }
    if (oldest) slot_close(oldest);
    return oldest;
}

static struct slot *
slot_fill(const char *path, int fd, bool writing)
{
    struct stat st;
    char *copy = strdup(path);
    struct slot *s = copy && !fstat(fd, &st) ? slot_free() : NULL;
    if (!s) {
        free(copy);
        return NULL;
    }
    *s = (struct slot){copy, fd, writing, st.st_dev, st.st_ino, 0, ++now};
    return s;
}

static int
take(const char *path, bool writing, const struct stat *st, struct luna_io_fd *out)
{
    struct slot *s = slot_find(path, writing, st);
    if (!s) {
        out->fd = open(path, (writing ? O_RDWR : O_RDONLY) | O_CLOEXEC);
        if (out->fd < 0) return errno;
        s = slot_fill(path, out->fd, writing);
    }
    if (!s) return 0; /* all slots are in use: this one is closed when it comes back */
    s->users++;
    s->used = ++now;
    *out = (struct luna_io_fd){s->fd, (int)(s - slots)};
    return 0;
}

/* ---- for the others ---- */

int
luna_io_fd_take(const char *path, bool writing, struct luna_io_fd *out)
{
    struct stat st;
    *out = (struct luna_io_fd){-1, -1};
    if (stat(path, &st)) return errno;
    pthread_mutex_lock(&lock);
    int e = take(path, writing, &st, out);
    pthread_mutex_unlock(&lock);
    return e;
}

void
luna_io_fd_back(struct luna_io_fd *f)
{
    if (f->slot < 0) {
        close(f->fd);
        return;
    }
    pthread_mutex_lock(&lock);
    struct slot *s = &slots[f->slot];
    if (!--s->users && !s->path) slot_close(s);
    pthread_mutex_unlock(&lock);
}

void
luna_io_fd_keep(const char *path, int fd)
{
    pthread_mutex_lock(&lock);
    bool kept = slot_fill(path, fd, true) != NULL;
    pthread_mutex_unlock(&lock);
    if (!kept) close(fd);
}

void
luna_io_fd_drop(const char *path)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].path && !strcmp(slots[i].path, path)) slot_forget(&slots[i]);
    pthread_mutex_unlock(&lock);
}
