/* records.h - the records of a binary trace (runtime/node/trace_block.h), one by one. What cannot
 * be read is told, never believed: a file may be cut or changed anywhere. Whether nodes, workers
 * and cells are those of the run is for others to see. */
#ifndef LUNA_APPS_RECORDS_H
#define LUNA_APPS_RECORDS_H

#include "runtime/node/trace_told.h"

#include <stdio.h>

struct record {
    enum { RECORD_TEXT, RECORD_CALL, RECORD_SEND, RECORD_RECV } what;
    union {
        struct {
            char *at; /* a line of JSON, to be written to if need be; behind it is a 0 byte */
            size_t size;
        } line;
        struct told_call call;
        struct told_send send;
        struct told_recv recv;
    };
};

struct records;

/* Of this node, from the file's beginning; NULL: no memory. */
struct records *records_open(FILE *f, unsigned node);
void records_close(struct records *r);
/* The next one, lent until the one after it. False: there is none, or something was wrong. */
bool records_next(struct records *r, struct record *out);
/* What was wrong with the file, NULL: nothing; and in the block at which of its bytes. */
const char *records_bad(const struct records *r, uint64_t *at);
/* What was wrong when it was read: errno, or 0. */
int records_error(const struct records *r);

#endif
