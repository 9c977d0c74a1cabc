/* peek.h - memory of this process that another thread may give back just now: read by the kernel,
 * which looks whether it is there. */
#ifndef LUNA_BASE_PEEK_H
#define LUNA_BASE_PEEK_H

#include <stdbool.h>
#include <stddef.h>

/* What stands there at this moment, which may be something else than it was. False: it cannot be
 * read. */
bool peek_bytes(void *to, const void *from, size_t size);

#endif
