/* io.h - all of it, or an error: what write, send and recv may do in pieces, and what a signal may
 * interrupt. */
#ifndef LUNA_BASE_IO_H
#define LUNA_BASE_IO_H

#include <stddef.h>

/* 0, or an errno; then part of it may have gone. A descriptor that does not block gives EAGAIN. */
int io_write_all(int fd, const void *bytes, size_t size);
/* Over a stream socket. A peer that has gone is EPIPE, and no signal. */
int io_send_all(int fd, const void *bytes, size_t size);
/* Exactly `size` bytes. A peer that ends before is EPIPE. */
int io_receive_all(int fd, void *bytes, size_t size);

#endif
