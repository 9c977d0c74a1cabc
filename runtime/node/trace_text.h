/* trace_text.h - what happened as a line of JSON (docs/traces.md), of less than TRACE_LINE_ROOM
 * bytes and those of its values. It begins and ends no lines of a buffer. */
#ifndef LUNA_RUNTIME_TRACE_TEXT_H
#define LUNA_RUNTIME_TRACE_TEXT_H

#include "distrib/lattice.h"
#include "runtime/node/trace_line.h"
#include "runtime/node/trace_told.h"

void trace_text_cell(struct trace_line *l, const struct lattice *cells, uint32_t cell);
void trace_text_call(struct trace_line *l, const struct told_call *c, const struct lattice *cells);
void trace_text_send(struct trace_line *l, const struct told_send *s);
void trace_text_recv(struct trace_line *l, const struct told_recv *r);

#endif
