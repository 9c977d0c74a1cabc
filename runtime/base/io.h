/* io.h - all of it, or an error: what write, send and recv may do in pieces, and what a signal may
 * interrupt. */
#ifndef LUNA_BASE_IO_H
#define LUNA_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* 0, or an errno; then part of it may have gone. A descriptor that does not block gives EAGAIN. */
int io_write_all(int fd, const void *bytes, size_t size);
/* Over a stream socket. A peer that has gone is EPIPE, and no signal. */
int io_send_all(int fd, const void *bytes, size_t size);
/* Exactly `size` bytes. A peer that ends before is EPIPE. */
int io_receive_all(int fd, void *bytes, size_t size);
/* To stdout. Why it failed is told by io_flush. */
void io_print(const void *bytes, size_t size);
/* Flushes. 0, or why something could not be written; EIO if that was earlier, not in io_print. */
int io_flush(FILE *f);
/* Does this errno say that the machine, or what we may use of it, is at its end: memory, the disk,
 * descriptors? Then the user has done nothing wrong. */
bool io_is_systems(int e);
/* Why there is no use to open what has this name: a FIFO would be waited for, perhaps for ever, and
 * a device may have no end. NULL: it is a file, is not there, or is open already, as standard input
 * and the pipes are that shells make for <(..). */
const char *io_no_file(const char *path);
/* At the start of main: the first three descriptors are taken, so that no file that is opened gets
 * what belongs to a stream that the caller has closed. Writing to such a stream fails. So does
 * writing more than `ulimit -f` allows, here and in what is started: else a signal would end the
 * process without a word. */
void io_take_standard(void);

#endif
