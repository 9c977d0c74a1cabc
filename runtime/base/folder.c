/* folder.c - see folder.h. Looked at by descriptor where what is looked at is then used. */
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
others_write(const struct stat *st)
{
    return st->st_mode & (S_IWGRP | S_IWOTH);
}

static int
look(const struct stat *st, bool alone)
{
    if (!S_ISDIR(st->st_mode)) return ENOTDIR;
    return st->st_uid != geteuid() || (alone && others_write(st)) ? EPERM : 0;
}

int
folder_is_ours(const char *path)
{
    struct stat st;
    return stat(path, &st) ? errno : look(&st, false);
}

int
folder_is_private(const char *path)
{
    struct stat st;
    return stat(path, &st) ? errno : look(&st, true);
}

/* Those above the last one: of root or of us, and not for others to write. */
static int
look_above(char *path)
{
    struct stat st;
    for (char *slash; (slash = strrchr(path, '/'));) {
        *(slash == path ? slash + 1 : slash) = 0;
        if (stat(path, &st)) return errno;
        if ((st.st_uid && st.st_uid != geteuid()) || (others_write(&st) && !(st.st_mode & S_ISVTX)))
            return EPERM;
        if (slash == path) break;
    }
    return 0;
}

int
folder_open_trusted(const char *path)
{
    char full[PATH_MAX];
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    int e = fstat(fd, &st) || !realpath(path, full) ? errno : look(&st, true);
    if (!e) e = look_above(full);
    if (!e) return fd;
    close(fd);
    errno = e;
    return -1;
}

int
folder_take(const char *path, int *fd)
{
    *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0) return errno == EACCES ? 0 : errno;
    if (!flock(*fd, LOCK_EX | LOCK_NB)) return 0;
    int e = errno == EWOULDBLOCK ? EWOULDBLOCK : 0;
    close(*fd);
    *fd = -1;
    return e;
}

/* Where the process began: functions may go elsewhere. */
static int
beginning(void)
{
    static int fd = -1;
    if (fd < 0) fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? AT_FDCWD : fd;
}

int
folder_write_file(const char *path, int flags)
{
    struct stat st;
    int fd = openat(beginning(), path,
                    O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (flags & ~O_TRUNC), 0600);
    if (fd < 0) return -1;
    int e = fstat(fd, &st) ? errno : 0;
    if (!e && (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1)) e = EPERM;
    if (!e && flags & O_TRUNC && ftruncate(fd, 0)) e = errno;
    if (!e) return fd;
    close(fd);
    errno = e;
    return -1;
}
