/* io.c - see io.h. */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* One call moves what it can: bytes, 0 at an end, or -1. */
typedef ssize_t move_fn(int fd, char *bytes, size_t size);

static ssize_t
move_out(int fd, char *bytes, size_t size)
{
    return write(fd, bytes, size);
}

static ssize_t
move_over(int fd, char *bytes, size_t size)
{
    return send(fd, bytes, size, MSG_NOSIGNAL);
}

static ssize_t
move_in(int fd, char *bytes, size_t size)
{
    return recv(fd, bytes, size, 0);
}

static int
all(int fd, char *bytes, size_t size, move_fn *move)
{
    while (size) {
        ssize_t n = move(fd, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n ? errno : EPIPE;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

int
io_write_all(int fd, const void *bytes, size_t size)
{
    return all(fd, (char *)bytes, size, move_out);
}

int
io_send_all(int fd, const void *bytes, size_t size)
{
    return all(fd, (char *)bytes, size, move_over);
}

int
io_receive_all(int fd, void *bytes, size_t size)
{
    return all(fd, bytes, size, move_in);
}

static int unprinted; /* an errno */

void
io_print(const void *bytes, size_t size)
{
    if (size && fwrite(bytes, 1, size, stdout) != size && !unprinted) unprinted = errno;
}

int
io_flush(FILE *f)
{
    if (fflush(f)) return errno;
    if (!ferror(f)) return 0;
    return f == stdout && unprinted ? unprinted : EIO;
}

static bool
is_standard_input(const struct stat *st)
{
    struct stat in;
    return !fstat(STDIN_FILENO, &in) && in.st_dev == st->st_dev && in.st_ino == st->st_ino;
}

static bool
has_no_name(const char *path)
{
    struct statfs fs;
    return !statfs(path, &fs) && fs.f_type == PIPEFS_MAGIC;
}

const char *
io_no_file(const char *path)
{
    struct stat st;
    if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) return NULL;
    if (S_ISFIFO(st.st_mode))
        return has_no_name(path) ? NULL : "it is a FIFO, and a regular file is needed";
    return is_standard_input(&st) ? NULL : "it is no regular file";
}

bool
io_is_systems(int e)
{
    static const int list[] = {ENOMEM, EMFILE, ENFILE, ENOSPC, EDQUOT, EFBIG, EIO};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (e == list[i]) return true;
    return false;
}

void
io_take_standard(void)
{
    int fd;
    do fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) close(fd);
    signal(SIGXFSZ, SIG_IGN);
}
