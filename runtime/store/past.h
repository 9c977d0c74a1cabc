/* past.h - which fragments have been assigned and which deleted: runs with -g or --hash keep it.
 *
 * The store forgets a fragment with its last reader, so a second value or a second delete after
 * that looks like a first one. Here names stay until the end, some 50 bytes each: too much for a
 * long run, and right for one that looks for faults. Each node keeps what happens at home there.
 * Any worker may call. */
#ifndef LUNA_RUNTIME_PAST_H
#define LUNA_RUNTIME_PAST_H

#include "runtime/base/err.h"
#include "runtime/data/key.h"

struct past;

enum past_event { PAST_ASSIGNED = 1, PAST_DELETED = 2 };

enum err past_new(struct past **out);
void     past_free(struct past *p); /* NULL is fine */
/* Notes an event. OK; E_TWICE: it has happened before; E_NOMEM. */
enum err past_note(struct past *p, const struct key *key, enum past_event what);

#endif
