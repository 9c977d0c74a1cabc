/* trace_block.c - the heads of blocks. */
#include "trace_block.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static void
put32(char *at, uint32_t v)
{
    v = htole32(v);
    memcpy(at, &v, sizeof v);
}

void
trace_block_seal(char *data, size_t bytes, uint32_t worker, uint32_t number, uint64_t records)
{
    memcpy(data, TRACE_BLOCK_MAGIC, TRACE_BLOCK_SUM);
    put32(data + TRACE_BLOCK_SIZE, (uint32_t)bytes);
    put32(data + TRACE_BLOCK_WORKER, worker);
    put32(data + TRACE_BLOCK_RECORDS, (uint32_t)records);
    put32(data + TRACE_BLOCK_NUMBER, number);
    uint64_t sum = XXH3_64bits(data + TRACE_BLOCK_SIZE, bytes - TRACE_BLOCK_SIZE);
    put32(data + TRACE_BLOCK_SUM, (uint32_t)sum);
}
