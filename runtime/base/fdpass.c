/* fdpass.c - see fdpass.h. */
#include "fdpass.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A message of one byte, with room beside it for as many descriptors as may come. */
struct parcel {
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(FDPASS_MAX * sizeof(int))];
    } beside;
    char byte;
    struct iovec part;
    struct msghdr message;
};

static struct msghdr *
parcel_init(struct parcel *p, size_t room)
{
    memset(p, 0, sizeof *p);
    p->part = (struct iovec){&p->byte, 1};
    p->message = (struct msghdr){.msg_iov = &p->part, .msg_iovlen = 1,
                                 .msg_control = p->beside.room, .msg_controllen = room};
    return &p->message;
}

bool
fdpass_send(int socket, const int *fds, int n)
{
    assert(n > 0 && n <= FDPASS_MAX);
    struct parcel p;
    size_t bytes = (size_t)n * sizeof *fds;
    struct msghdr *m = parcel_init(&p, CMSG_SPACE(bytes));
    struct cmsghdr *c = CMSG_FIRSTHDR(m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(bytes);
    memcpy(CMSG_DATA(c), fds, bytes);
    ssize_t sent;
    do sent = sendmsg(socket, m, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
}

bool
fdpass_receive(int socket, int *fds, int n)
{
    assert(n > 0 && n <= FDPASS_MAX);
    struct parcel p;
    int came[FDPASS_MAX], ncame = 0;
    struct msghdr *m = parcel_init(&p, sizeof p.beside.room);
    ssize_t got;
    do got = recvmsg(socket, m, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    struct cmsghdr *c = got == 1 ? CMSG_FIRSTHDR(m) : NULL;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
        ncame = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof *fds);
        memcpy(came, CMSG_DATA(c), (size_t)ncame * sizeof *came);
    }
    if (ncame == n) memcpy(fds, came, (size_t)n * sizeof *fds);
    for (int i = 0; ncame != n && i < ncame; i++) close(came[i]);
    return ncame == n;
}
