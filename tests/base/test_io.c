/* test_io.c - all bytes go and come, in whatever pieces and through signals; ends and errors. */
#include "runtime/base/io.h"
#include "tests/lib/check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 3 << 20 }; /* more than a pipe or a socket holds */

static unsigned char sent[MANY], came[MANY];
static _Atomic int interrupted;

static void
on_signal(int sig)
{
    (void)sig;
    interrupted++;
}

struct job { /* of the thread that moves; the other one disturbs it */
    int fd, result;
    int (*move)(int fd, void *bytes, size_t size);
    void *bytes;
    _Atomic bool done;
};

static int
write_them(int fd, void *bytes, size_t size)
{
    return io_write_all(fd, bytes, size);
}

static int
send_them(int fd, void *bytes, size_t size)
{
    return io_send_all(fd, bytes, size);
}

static void *
work(void *who)
{
    struct job *j = who;
    j->result = j->move(j->fd, j->bytes, MANY);
    j->done = true;
    return NULL;
}

static void
rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

static void
fill(void)
{
    for (int i = 0; i < MANY; i++) sent[i] = (unsigned char)(i * 7 ^ i >> 9);
    memset(came, 0, MANY);
}

/* Handlers without SA_RESTART: a call that waits ends with EINTR. */
static void
begin(struct job *j, pthread_t *t)
{
    struct sigaction sa = {.sa_handler = on_signal};
    fill();
    sigaction(SIGUSR1, &sa, NULL);
    interrupted = 0;
    pthread_create(t, NULL, work, j);
    while (interrupted < 3) { /* nobody reads or writes yet: it waits */
        pthread_kill(*t, SIGUSR1);
        rest();
    }
}

static void
goes_through(int from, int to, int (*move)(int fd, void *bytes, size_t size))
{
    pthread_t t;
    struct job j = {.fd = to, .move = move, .bytes = sent};
    begin(&j, &t);
    for (size_t n = 0; n < MANY;) {
        ssize_t k = read(from, came + n, 70001);
        CHECK(k > 0);
        n += (size_t)k;
        if (!j.done) pthread_kill(t, SIGUSR1);
    }
    pthread_join(t, NULL);
    CHECK(!j.result, "%s", strerror(j.result));
    CHECK(!memcmp(sent, came, MANY));
    close(from);
    close(to);
}

TEST(a_pipe_takes_all_of_it)
{
    int fd[2];
    CHECK(!pipe(fd));
    goes_through(fd[0], fd[1], write_them);
}

TEST(a_socket_takes_all_of_it)
{
    int fd[2];
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
    goes_through(fd[0], fd[1], send_them);
}

TEST(all_of_it_is_received)
{
    int fd[2];
    pthread_t t;
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
    struct job j = {.fd = fd[0], .move = io_receive_all, .bytes = came};
    begin(&j, &t);
    CHECK(!io_send_all(fd[1], sent, 1000));
    while (interrupted < 6) pthread_kill(t, SIGUSR1), rest();
    CHECK(!io_send_all(fd[1], sent + 1000, MANY - 1000));
    pthread_join(t, NULL);
    CHECK(!j.result && !memcmp(sent, came, MANY));
    close(fd[0]);
    close(fd[1]);
}

TEST(who_has_gone_is_an_error_and_no_signal)
{
    int fd[2];
    char text[8];
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
    CHECK(!io_send_all(fd[1], "abc", 3));
    close(fd[1]);
    CHECK(io_receive_all(fd[0], text, 8) == EPIPE, "it ended before");
    CHECK(io_send_all(fd[0], "abc", 3) == EPIPE);
    close(fd[0]);
    CHECK(io_write_all(fd[0], "abc", 3) == EBADF);
}

TEST(a_full_device_is_told)
{
    int fd = open("/dev/full", O_WRONLY);
    CHECK(fd >= 0 && io_write_all(fd, "abc", 3) == ENOSPC);
    CHECK(!io_write_all(fd, NULL, 0), "nothing is always written");
    close(fd);
}

TEST(what_would_be_waited_for_is_no_file)
{
    char path[32];
    int fd[2];
    CHECK(!mkfifo("test_io.fifo", 0600) && !pipe(fd));
    CHECK(strstr(io_no_file("test_io.fifo"), "FIFO"));
    CHECK(io_no_file("/dev/zero"));
    CHECK(!io_no_file("/proc/self/exe") && !io_no_file("/") && !io_no_file("test_io.none"));
    snprintf(path, sizeof path, "/dev/fd/%d", fd[0]);
    CHECK(!io_no_file(path), "a shell's <(..)");
    unlink("test_io.fifo");
    close(fd[0]);
    close(fd[1]);
}

TEST_MAIN(T(a_pipe_takes_all_of_it), T(a_socket_takes_all_of_it), T(all_of_it_is_received),
          T(who_has_gone_is_an_error_and_no_signal), T(a_full_device_is_told),
          T(what_would_be_waited_for_is_no_file))
