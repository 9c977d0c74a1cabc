/* meet.c - abstract Unix sockets; all exchanges go through rank 0, since they are few. */
#include "collectives/group/meet.h"

#include "runtime/base/clock.h"
#include "runtime/base/fdpass.h"
#include "runtime/base/io.h"
#include "runtime/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct meet {
    int rank, size, timeout_ms;
    int *fd; /* rank 0: of each rank; others: of rank 0 alone */
};

struct meet_host
meet_here(void)
{
    struct meet_host h = {.net = 0};
    struct stat net;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        /* What cannot be read is the same everywhere: then the sockets tell. */
        if (read(fd, h.boot, sizeof h.boot) < 0) h.boot[0] = 0;
        close(fd);
    }
    if (!stat("/proc/self/ns/net", &net)) h.net = net.st_ino;
    return h;
}

bool
meet_same_host(const struct meet_host *a, const struct meet_host *b)
{
    return !memcmp(a->boot, b->boot, sizeof a->boot) && a->net == b->net;
}

struct hello {
    uint32_t magic;
    int32_t rank, size;
};
enum { HELLO = 0x4c75436c };

static socklen_t
address_of(struct sockaddr_un *a, const char *name)
{
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    size_t n = strlen(name);
    if (n > sizeof a->sun_path - 1) n = sizeof a->sun_path - 1;
    memcpy(a->sun_path + 1, name, n); /* behind a 0 byte: abstract */
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

int
meet_listen(char name[MEET_NAME])
{
    struct sockaddr_un a;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    /* Only the family: the kernel finds a name that is free. */
    socklen_t n = *name ? address_of(&a, name) : sizeof(sa_family_t);
    if (!*name) a.sun_family = AF_UNIX;
    if (bind(fd, (struct sockaddr *)&a, n) || listen(fd, 4096)) goto fail;
    n = sizeof a;
    if (!*name && getsockname(fd, (struct sockaddr *)&a, &n)) goto fail;
    n -= (socklen_t)sizeof(sa_family_t) + 1;
    if (!*name) snprintf(name, MEET_NAME, "%.*s", (int)n, a.sun_path + 1);
    return fd;
fail:
    close(fd);
    return -1;
}

/* A timeout for each read and write: whoever dies closes its end, so only a stopped one is slow. */
static void
set_timeout(int fd, int timeout_ms)
{
    struct timeval t = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t);
}

static bool
same_user(int fd)
{
    struct ucred peer;
    socklen_t n = sizeof peer;
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) && peer.uid == geteuid();
}

/* The next who comes, of the same user; -1: nobody until `until`. */
static int
next_guest(int listener, int64_t until)
{
    for (;;) {
        int64_t left = until - (int64_t)clock_ms();
        struct pollfd p = {listener, POLLIN, 0};
        int ready = left > 0 ? poll(&p, 1, (int)left) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return -1;
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0 && same_user(fd)) return fd;
        if (fd >= 0) close(fd);
        else if (errno != EINTR && errno != ECONNABORTED) return -1;
    }
}

/* Comes to `name`, which may not be there yet if that is `early`. */
static int
visit(const char *name, int timeout_ms, bool early)
{
    struct sockaddr_un a;
    socklen_t n = address_of(&a, name);
    for (int64_t until = (int64_t)clock_ms() + timeout_ms;;) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0) return -1;
        if (!connect(fd, (struct sockaddr *)&a, n) && same_user(fd)) {
            set_timeout(fd, timeout_ms);
            return fd;
        }
        bool nobody = errno == ECONNREFUSED && !early;
        close(fd);
        if (nobody || (int64_t)clock_ms() > until) return -1;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

bool
meet_hand_out(int listener, int count, int fd, int timeout_ms)
{
    for (int64_t until = (int64_t)clock_ms() + timeout_ms; count > 0; count--) {
        int guest = next_guest(listener, until);
        if (guest < 0) return false;
        bool sent = fdpass_send(guest, &fd, 1);
        close(guest);
        if (!sent) return false;
    }
    return true;
}

int
meet_fetch(const char *name, int timeout_ms)
{
    int from = visit(name, timeout_ms, false), fd = -1;
    if (from < 0) return -1;
    if (!fdpass_receive(from, &fd, 1)) fd = -1;
    close(from);
    return fd;
}

/* Rank 0: lets the others in, each to its place. */
static enum err
receive_guests(struct meet *m, int listener, const char *name, char why[COLL_WHY])
{
    int64_t until = (int64_t)clock_ms() + m->timeout_ms;
    for (int i = 1; i < m->size; i++) {
        struct hello h;
        int fd = next_guest(listener, until);
        if (fd < 0) {
            snprintf(why, COLL_WHY, "only %d of %d members came to '%s' in %d ms", i, m->size, name,
                     m->timeout_ms);
            return E_SYSTEM;
        }
        set_timeout(fd, m->timeout_ms);
        if (io_receive_all(fd, &h, sizeof h) || h.magic != HELLO || h.size != m->size ||
            h.rank < 1 || h.rank >= m->size || m->fd[h.rank] >= 0) {
            close(fd);
            snprintf(why, COLL_WHY, "somebody came to '%s' who is not a member, or is one twice",
                     name);
            return E_PROTOCOL;
        }
        m->fd[h.rank] = fd;
    }
    return OK;
}

static enum err
open_meet(struct meet *m, const char *name, char why[COLL_WHY])
{
    char full[MEET_NAME];
    snprintf(full, sizeof full, "luna-coll.%u.%.70s", (unsigned)geteuid(), name);
    if (m->rank) {
        struct hello h = {HELLO, m->rank, m->size};
        m->fd[0] = visit(full, m->timeout_ms, true);
        if (m->fd[0] >= 0 && !io_send_all(m->fd[0], &h, sizeof h)) return OK;
        snprintf(why, COLL_WHY, "rank 0 of '%s' was not found in %d ms", name, m->timeout_ms);
        return E_SYSTEM;
    }
    int listener = meet_listen(full);
    if (listener < 0) {
        snprintf(why, COLL_WHY, "cannot listen as '%s': %s", name, strerror(errno));
        return E_SYSTEM;
    }
    enum err e = receive_guests(m, listener, name, why);
    close(listener);
    return e;
}

enum err
meet_new(struct meet **out, const char *name, int rank, int size, int timeout_ms,
         char why[COLL_WHY])
{
    struct meet *m = mem_zalloc(1, sizeof *m);
    enum err e = E_NOMEM;
    if (!m) return e;
    *m = (struct meet){rank, size, timeout_ms, mem_alloc((size_t)size * sizeof *m->fd)};
    if (!m->fd) goto fail;
    for (int i = 0; i < size; i++) m->fd[i] = -1;
    if ((e = open_meet(m, name, why))) goto fail;
    *out = m;
    return OK;
fail:
    meet_free(m);
    return e;
}

void
meet_free(struct meet *m)
{
    if (!m) return;
    for (int i = 0; m->fd && i < m->size; i++)
        if (m->fd[i] >= 0) close(m->fd[i]);
    mem_free(m->fd);
    mem_free(m);
}

int
meet_exchange(void *who, const void *mine, void *all, size_t bytes)
{
    struct meet *m = who;
    char *to = all;
    if (m->rank)
        return io_send_all(m->fd[0], mine, bytes) ||
               io_receive_all(m->fd[0], all, bytes * (size_t)m->size);
    memcpy(to, mine, bytes);
    for (int i = 1; i < m->size; i++)
        if (io_receive_all(m->fd[i], to + (size_t)i * bytes, bytes)) return 1;
    for (int i = 1; i < m->size; i++)
        if (io_send_all(m->fd[i], all, bytes * (size_t)m->size)) return 1;
    return 0;
}
