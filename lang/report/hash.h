/* hash.h - FNV-1a of bytes, one text behind the other: h = hash_bytes(hash_bytes(HASH_FIRST, ...)).
 *
 * For tables in memory, and for the number that tells two programs apart; keys of files are made by
 * others. Low bits mix worst: fold the high ones in where a table is small. */
#ifndef LUNA_LANG_REPORT_HASH_H
#define LUNA_LANG_REPORT_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_FIRST 0xcbf29ce484222325u

static inline uint64_t
hash_bytes(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

#endif
