/* copy.c - memcpy, and stores that go around the caches where the processor has them. */
#include "collectives/copy.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifdef __SSE2__
#include <emmintrin.h>

enum { LINE_BYTES = 64 };

/* `to` is at a line's start. Whole lines alone: a part of one would be read and written back. */
static void
stream_lines(unsigned char *to, const unsigned char *from, size_t lines)
{
    for (; lines; lines--, to += LINE_BYTES, from += LINE_BYTES) {
        __m128i a = _mm_loadu_si128((const __m128i *)from);
        __m128i b = _mm_loadu_si128((const __m128i *)(from + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(from + 32));
        __m128i d = _mm_loadu_si128((const __m128i *)(from + 48));
        _mm_stream_si128((__m128i *)to, a);
        _mm_stream_si128((__m128i *)(to + 16), b);
        _mm_stream_si128((__m128i *)(to + 32), c);
        _mm_stream_si128((__m128i *)(to + 48), d);
    }
}

static void
copy_around(unsigned char *to, const unsigned char *from, size_t bytes)
{
    size_t before = -(uintptr_t)to % LINE_BYTES;
    if (before > bytes) before = bytes;
    memcpy(to, from, before);
    size_t lines = (bytes - before) / LINE_BYTES, done = before + lines * LINE_BYTES;
    stream_lines(to + before, from + before, lines);
    memcpy(to + done, from + done, bytes - done);
    _mm_sfence(); /* such stores are not in order with others: none may pass a later release */
}
#else
static void
copy_around(unsigned char *to, const unsigned char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
#endif

void
copy_bytes(void *to, const void *from, size_t bytes, bool around)
{
    if (around) copy_around(to, from, bytes);
    else memcpy(to, from, bytes);
}

size_t
copy_around_from(void)
{
    long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE), l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    long last = l3 > 0 ? l3 / 4 : l2 > 0 ? l2 : 1l << 20;
    return (size_t)last;
}
