/* test_fdpass.c - descriptors that came are the same files; other messages leave none open. */
#include "runtime/base/fdpass.h"
#include "tests/lib/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int
open_files(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++) n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static int
same_file(int a, int b)
{
    struct stat x, y;
    return !fstat(a, &x) && !fstat(b, &y) && x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

static void
passes(int n)
{
    int s[2], mine[FDPASS_MAX], theirs[FDPASS_MAX], before = open_files();
    CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s));
    for (int i = 0; i < n; i += 2) {
        int fd[2];
        CHECK(!pipe(fd));
        mine[i] = fd[0];
        if (i + 1 < n) mine[i + 1] = fd[1];
        else close(fd[1]);
    }
    CHECK(fdpass_send(s[0], mine, n));
    CHECK(fdpass_receive(s[1], theirs, n));
    for (int i = 0; i < n; i++) {
        CHECK(theirs[i] != mine[i] && same_file(theirs[i], mine[i]), "%d of %d", i, n);
        CHECK(fcntl(theirs[i], F_GETFD) & FD_CLOEXEC);
        close(theirs[i]);
        close(mine[i]);
    }
    close(s[0]);
    close(s[1]);
    CHECK(open_files() == before, "%d files, before %d", open_files(), before);
}

TEST(as_many_come_as_were_sent)
{
    for (int n = 1; n <= FDPASS_MAX && !check_failed; n++) passes(n);
}

TEST(another_number_leaves_none_open)
{
    int s[2], fds[FDPASS_MAX] = {0};
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    int before = open_files();
    CHECK(fdpass_send(s[0], (int[]){0, 1, 2}, 3) && !fdpass_receive(s[1], fds, 2));
    CHECK(fdpass_send(s[0], (int[]){0}, 1) && !fdpass_receive(s[1], fds, 2));
    CHECK(open_files() == before);
    close(s[0]);
    close(s[1]);
}

TEST(other_messages_and_ends_are_told)
{
    int s[2], fd;
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    CHECK(send(s[0], "x", 1, 0) == 1 && !fdpass_receive(s[1], &fd, 1), "a byte alone");
    close(s[0]);
    CHECK(!fdpass_receive(s[1], &fd, 1), "nobody is there");
    errno = 0;
    CHECK(!fdpass_send(s[1], (int[]){0}, 1) && errno == EPIPE, "%s", strerror(errno));
    close(s[1]);
}

TEST_MAIN(T(as_many_come_as_were_sent), T(another_number_leaves_none_open),
          T(other_messages_and_ends_are_told))
