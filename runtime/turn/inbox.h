/* inbox.h - packets that have come.
 *
 * Who takes them is a table; no handler waits for anything (why: docs/decisions/0011). */
#ifndef LUNA_RUNTIME_INBOX_H
#define LUNA_RUNTIME_INBOX_H

#include "runtime/node/node.h"

/* Does what a packet asks, or passes it on. Takes it. */
void inbox_take(struct worker *w, struct packet *p);

#endif
