/* listener.c - stands where the launcher of ranks should: listens at the abstract socket NAME, as
 * user UID if it is given, and prints how many bytes the first that comes says to it.
 *
 *     listener NAME [UID] */
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000 };

static bool
comes(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, PATIENCE_MS) > 0;
}

int
main(int argc, char **argv)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char said[100];
    if (argc < 2 || strlen(argv[1]) + 2 > sizeof at.sun_path) return 2;
    if (argc > 2 && setuid((uid_t)atoi(argv[2]))) return perror("setuid"), 2;
    memcpy(at.sun_path + 1, argv[1], strlen(argv[1]));
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(argv[1]));
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) || listen(fd, 1)) return perror("bind"), 2;
    puts("listening");
    fflush(stdout);
    if (!comes(fd)) return puts("nobody"), 1;
    int peer = accept(fd, NULL, NULL);
    if (!comes(peer)) return puts("silence"), 1;
    ssize_t n = recv(peer, said, sizeof said, 0);
    printf("%zd bytes\n", n);
    return 0;
}
