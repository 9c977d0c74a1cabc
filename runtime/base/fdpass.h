/* fdpass.h - open files go from one process to another, over a socket of theirs (AF_UNIX).
 *
 * They travel with one byte. The sender keeps its own; the receiver gets new numbers for the same
 * files, which are closed on exec. */
#ifndef LUNA_BASE_FDPASS_H
#define LUNA_BASE_FDPASS_H

#include <stdbool.h>

enum { FDPASS_MAX = 8 }; /* at once */

/* False: they were not sent; errno tells why. A peer that has gone is EPIPE, and no signal. */
bool fdpass_send(int socket, const int *fds, int n);
/* Waits for exactly `n`. False: something else came, or nothing; none is left open. */
bool fdpass_receive(int socket, int *fds, int n);

#endif
