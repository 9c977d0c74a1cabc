/* trace_block.h - the form of a binary trace, DIR/node-00007.ltr, for those who write and read it:
 * blocks, each of the records of one worker, or of lines of text of the node. docs/traces.md says
 * what the words mean. All of a block can be read without the others.
 *
 *     head      "LTR2", then 32 bits each: checksum of all that follows, bytes of the whole
 *               block, worker, number of records without those of names; 64 bits: ns of the first
 *               time; 32 bits: how many blocks of the same worker were before. The lowest byte is
 *               first
 *     records   of varints: 7 bits a byte, the lowest first, and the highest bit in all but the
 *               last. The first is the kind and, above 3 bits, flags of the fields that follow
 *
 *     TEXT      bytes, then so many: a line of JSON
 *     NAME      number, line, bytes, then so many: of a site, or of a fragment
 *     EXEC      site, t, dur, reads, index..., [cell], [ready], [by], [values]
 *     SEND      df, t, to, index..., bytes, why, [k], [part], [by], [values]
 *     RECV      t, from, k
 *     NEXT      as EXEC: what it waited for came when the record before ended, by the call of
 *               this worker behind the one named last. Neither ready nor by is written
 *
 * A name comes before the first record that needs it, with as many indices as that has.
 * Differences, in 64 bits: t from the end of the record before; k, by and reads, which is the chain
 * without dur, from those before; indices and the cell from the record before of that name; ready
 * counts back from t. Where the difference may be less than 0, 0 -1 1 -2 2 are written as
 * 0 1 2 3 4. */
#ifndef LUNA_RUNTIME_TRACE_BLOCK_H
#define LUNA_RUNTIME_TRACE_BLOCK_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TRACE_BLOCK_MAGIC "LTR2"
#define TRACE_BLOCK_MAGIC_1 "LTR1" /* of before: without the number of the block */
enum { /* where what is in a head */
    TRACE_BLOCK_SUM = 4,
    TRACE_BLOCK_SIZE = 8,
    TRACE_BLOCK_WORKER = 12,
    TRACE_BLOCK_RECORDS = 16,
    TRACE_BLOCK_FIRST = 20,
    TRACE_BLOCK_NUMBER = 28,
    TRACE_BLOCK_HEAD = 32,
    TRACE_BLOCK_HEAD_1 = 28
};
#define TRACE_BLOCK_NODE UINT32_MAX /* instead of a worker: a line of text of the node */

enum trace_record {
    TRACE_RECORD_TEXT,
    TRACE_RECORD_NAME,
    TRACE_RECORD_EXEC,
    TRACE_RECORD_SEND,
    TRACE_RECORD_RECV,
    TRACE_RECORD_NEXT
};
enum { TRACE_KIND_BITS = 3, TRACE_KIND_MASK = 7, TRACE_INDICES_MAX = 64 };
enum { TRACE_NAME_ROOM = 1024 }; /* in text, with its indices; 64 of 11 characters fit */

enum trace_flags {
    TRACE_HAS_CALL = 1,    /* k: a call of this worker */
    TRACE_HAS_MESSAGE = 2, /* node, k: a message */
    TRACE_HAS_WORKER = 4,  /* worker, k: a call of another worker of the node */
    TRACE_HAS_READY = 8,  /* EXEC */
    TRACE_HAS_NUMBER = 8, /* SEND: k */
    TRACE_HAS_CELL = 16,  /* EXEC */
    TRACE_HAS_PART = 16,  /* SEND: from, count */
    TRACE_HAS_VALUES = 32, /* bytes, then so many: text of a line */
    TRACE_FLAGS = 63,
    TRACE_NAME_DF = 1 /* NAME: of a fragment; then it has no line */
};

/* The head of a block of so many bytes that stands at `data`, where its first time is already;
 * `number`: of the worker's blocks, from 0. */
void trace_block_seal(char *data, size_t bytes, uint32_t worker, uint32_t number,
                      uint64_t records);

static inline void
trace_block_put64(char *at, uint64_t v)
{
    v = htole64(v);
    memcpy(at, &v, sizeof v);
}

static inline uint32_t
trace_block_get32(const char *at)
{
    uint32_t v;
    memcpy(&v, at, sizeof v);
    return le32toh(v);
}

static inline uint64_t
trace_block_get64(const char *at)
{
    uint64_t v;
    memcpy(&v, at, sizeof v);
    return le64toh(v);
}

static inline uint64_t
trace_block_fold(int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t
trace_block_unfold(uint64_t v)
{
    return (int64_t)(v >> 1 ^ -(v & 1));
}

#endif
