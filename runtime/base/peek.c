/* peek.c - see peek.h. */
#include "peek.h"

#include <sys/uio.h>
#include <unistd.h>

bool
peek_bytes(void *to, const void *from, size_t size)
{
    struct iovec into = {to, size}, of = {(void *)from, size};
    return process_vm_readv(getpid(), &into, 1, &of, 1, 0) == (ssize_t)size;
}
