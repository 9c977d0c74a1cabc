/* size.h - numbers of bytes as users write them. */
#ifndef LUNA_BASE_SIZE_H
#define LUNA_BASE_SIZE_H

/* A whole number, as it is or with KiB, MiB or GiB right behind it, and then `tail`: 64KiB is 65536
 * with "", 1GiB/s is 2^30 with "/s". -1: anything else, or more than fits. */
long size_bytes(const char *text, const char *tail);

#endif
