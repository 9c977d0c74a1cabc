/* block.h - counted bytes: what a fragment's value is when it does not fit a word.
 *
 * Immutable once shared, counted, freed by whoever drops the last count, on any thread. Blocks come
 * from the pools of the calling thread (pool.h); data is aligned to 64 bytes.
 *
 * Where ranks of a host share memory (commons.h), blocks of middle size lie there. A rank lends
 * such a block to another one, which borrows it: a header of its own over the same bytes, that
 * holds a count of the lender's. A block that lies elsewhere gets a twin there when it is lent
 * first.
 *
 * It must not know values. */
#ifndef LUNA_BASE_BLOCK_H
#define LUNA_BASE_BLOCK_H

#include "ticks.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How much is live, when somebody measures. It outlives the blocks that are counted. */
struct live {
    _Alignas(64) atomic_long bytes;
    atomic_long count;
    struct live *whole; /* that this is a part of, or NULL: counted there, too */
};

/* How long blocks of one kind have lived, when somebody asks. It outlives them, too. */
struct life {
    _Alignas(64) atomic_uint_fast64_t blocks; /* that were counted here, */
    atomic_uint_fast64_t alive, peak;         /* bytes of those that are, and the most ever */
    atomic_uint_fast64_t ns, longest;         /* what those lived that are not any more; the sum */
    atomic_uint_fast64_t here, born;          /* those that are: how many, the sum of when */
};

struct block {
    _Atomic uint32_t refs;
    uint8_t class_; /* pool class it came from, or a mark that it did not */
    _Atomic uint8_t user;  /* the thread that was the last to fill or to read it, about, */
    _Atomic uint16_t used; /* and when, of a block of BLOCK_FAR (block_moment) */
    size_t size;     /* bytes of data in use */
    char *data;      /* 64-byte aligned */
    _Atomic(struct live *) live; /* where it is counted until it is freed; NULL: nowhere */
    _Atomic(struct block *) origin; /* borrowed: the lender's block; a part: the whole; else its
                                     * twin, or NULL */
    _Atomic(struct life *) life; /* its kind, if it is counted by kind; else NULL; */
    atomic_uint_fast64_t born;   /* and since when */
};

/* Threads number themselves, 0 until they do: near whose core a block's bytes are. With more than
 * 256 of them several have one number; it is only about which call comes first. */
extern _Thread_local uint8_t block_user;
enum { BLOCK_FAR = 4096 }; /* less bytes come quickly from another core's cache */

/* Moments are some 25 us long. Less than half a second apart, the later one minus the earlier is
 * not negative as int16_t. */
static inline uint16_t
block_moment(void)
{
    return (uint16_t)(cpu_ticks() >> 16);
}

/* A block of `size` bytes with one count. NULL: out of memory. */
struct block *block_new(size_t size);
void          block_release(struct block *b);
/* Bytes this process holds for blocks and the pools they come from. */
size_t block_bytes_live(void);
/* -g, before the first block: fresh blocks are filled with a pattern, so that bytes nobody wrote
 * are the same in each run; and another pattern lies around each block. */
void   block_guard(bool on);
enum block_harm { BLOCK_WHOLE, BLOCK_HARMED_BEHIND, BLOCK_HARMED_BEFORE };
/* Has somebody written into the pattern around it? */
enum block_harm block_harm(const struct block *b);

void live_add(struct live *live, long bytes, long count);
/* Counts the block in `live`, and in `life` if there is one, until it is freed, unless it is
 * counted already. */
void block_measure(struct block *b, struct live *live, struct life *life);
/* From now on it is counted there and nowhere else. */
void block_measure_anew(struct block *b, struct live *live, struct life *life);
/* Who has it alone makes something else of it, which may be counted then. */
void block_measure_no_more(struct block *b);
/* What tells how long they live; NULL: nobody asks any more. Nobody may use blocks meanwhile. */
void block_clock(uint64_t (*now)(void));

/* So many bytes of it, from there on: a block of its own, which may hold a count of b. NULL: out of
 * memory. */
struct block *block_part(struct block *b, size_t from, size_t size);

/* Nobody else has it, here or elsewhere: it may be written to. */
bool block_is_alone(const struct block *b);

/* What another rank of this host borrows: one count for it. NULL: there are no commons, or no room;
 * the bytes must be sent. */
struct block *block_lend(struct block *b);
/* A block over the bytes of one that was lent to us. Takes the count. NULL: no memory, or it is
 * none. */
struct block *block_borrow(struct block *lent);
/* Frees what others were the last to use; block_new does so too. */
void block_tidy(void);

static inline void
block_retain(struct block *b)
{
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
}

#endif
