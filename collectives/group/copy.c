/* copy.c - memcpy, and stores that go around the caches where the processor has them. */
#include "collectives/group/copy.h"

#include "runtime/base/ticks.h"

#include <float.h>
#include <string.h>
#include <unistd.h>

#ifdef __SSE2__
#include <emmintrin.h>

enum { LINE_BYTES = 64 };
static const bool has_around = true;

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
static const bool has_around = false;

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

enum {
    MEASURED = 64 << 10,  /* how much is copied to see how fast memory is, */
    MEASURED_LEAST = 4096,
    TRIES = 3,            /* the best of which counts */
    SHORT = 4 << 10,      /* shorter copies always go through the caches: there the processor
                           * goes on while it fetches the lines, and nothing can be seen */
    LONG = 16 << 10,
    EVERY = 8,            /* of the copies through the caches is timed */
    RARELY = 32,          /* of those around them one goes through them, to see: it costs 3 % of */
    RARELY_MOST = 512,    /* their time, however slow it is */
};
/* How many times slower than to memory a copy through the caches must be. (Readers fetch from
 * memory what went around the caches, and its writer is not told how long the lines took.)
 * Where it was measured, 9 is some 12 ns a line; copies through the caches took 1 to 9, or 28 to 37
 * between cores that were farthest from each other. Long ones to near lines are as good around the
 * caches from 8 ns on, others from 9 (docs/measures/collectives.md). */
static const double times_slower[COPY_KINDS] = {9, 5, 9};

/* Ticks to copy so much to memory: of a few tries the best. */
static uint64_t
time_around(char *room, size_t bytes)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t start = cpu_ticks();
        copy_bytes(room + bytes, room, bytes, true);
        uint64_t took = cpu_ticks() - start;
        if (took < least) least = took;
    }
    return least;
}

void
copier_init(struct copier *c, enum coll_copying how, char *room, size_t bytes)
{
    size_t half = bytes / 2 < MEASURED ? bytes / 2 : MEASURED;
    double memory = DBL_MAX / 100;
    if (how == COLL_COPY_TIMED && has_around && half >= MEASURED_LEAST)
        memory = (double)time_around(room, half) / (double)half;
    *c = (struct copier){0};
    for (int i = 0; i < COPY_KINDS; i++) {
        struct copy_way *w = &c->way[i];
        w->around = how == COLL_COPY_AROUND;
        w->slow = w->around ? -1 : times_slower[i] * memory;
    }
}

static double
middle(const double x[COPY_TIMED])
{
    double low = x[0] < x[1] ? x[0] : x[1], high = x[0] < x[1] ? x[1] : x[0];
    return x[2] < low ? low : x[2] > high ? high : x[2];
}

static unsigned
copies_until(const struct copy_way *w, double ticks_a_byte)
{
    bool slow = ticks_a_byte > w->slow;
    if (slow != w->around) return 0; /* is it so? */
    if (!slow) return EVERY - 1;
    double rarely = RARELY * ticks_a_byte / w->slow;
    return rarely > 0 && rarely < RARELY_MOST ? (unsigned)rarely : RARELY_MOST;
}

void
copier_learn(struct copy_way *w, double ticks_a_byte)
{
    w->ticks[w->timed++ % COPY_TIMED] = ticks_a_byte;
    w->around = middle(w->ticks) > w->slow;
    w->wait = copies_until(w, ticks_a_byte);
}

void
copier_copy(struct copier *c, enum copy_kind long_kind, void *to, const void *from, size_t bytes)
{
    if (bytes < SHORT) {
        memcpy(to, from, bytes);
        return;
    }
    struct copy_way *w = &c->way[bytes < LONG ? COPY_SHORT : long_kind];
    if (w->wait) {
        w->wait--;
        copy_bytes(to, from, bytes, w->around);
        return;
    }
    uint64_t start = cpu_ticks();
    memcpy(to, from, bytes);
    copier_learn(w, (double)(cpu_ticks() - start) / (double)bytes);
}
