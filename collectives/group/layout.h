/* layout.h - where everything lies in the segment: offsets in bytes, no memory.
 *
 *     head                                                   a page
 *     place of member 0: lines, slots | controls | cells     whole pages, first touched by member 0
 *     place of member 1: ...
 *
 * A queue is `cells` buffers side by side, each with a control block; a fragment takes one cell or
 * several in a row, and is announced in the control block of its first. Sets are equal parts of it.
 *
 * By lines, a control block is a cache line. By pages (the paper's layout) each control block and
 * each cell has pages for itself, and a member's lines are behind its first control block, on
 * the same page: w + p*s*(w + f) bytes. The paper has q pages more, for counters of sets which we
 * do not need: whoever opens a set looks at what each member says it has left. */
#ifndef LUNA_COLLECTIVES_LAYOUT_H
#define LUNA_COLLECTIVES_LAYOUT_H

#include "collectives/coll.h"

#include <stdatomic.h>
#include <stdint.h>

enum {
    LINE = 64,       /* what caches exchange */
    RING = 16,       /* lines for small messages, used in turn */
    LINE_BYTES = 56, /* of message in a line */
    SLOT_BYTES = 2048, /* of message in a slot; there are RING */
    ROUNDS = 12,     /* of the barrier: up to 2^12 members */
    SIZE_MAX_MEMBERS = 1 << ROUNDS,
    CPU_WORDS = 16
};

/* One line: a small message, or word of one in a slot; and its stamp, written last: step << 16 |
 * bytes. */
struct line {
    _Alignas(LINE) _Atomic uint64_t stamp;
    unsigned char bytes[LINE_BYTES];
};

/* A word with a line for itself. It only grows. */
struct line_word {
    _Alignas(LINE) _Atomic uint64_t value;
};

/* Where those sleep who wait for a member. */
struct wait_bell {
    _Atomic uint32_t sleepers, rings; /* rings: the futex */
};
enum { BELL_DATA, BELL_LEFT, BELLS }; /* for `left`, and for all else it writes */

/* What the other members read of one. It alone writes here, but for `round` and `ring`, where each
 * step has exactly one writer. */
struct member {
    _Alignas(LINE) _Atomic uint64_t left; /* the last step it has finished */
    struct wait_bell bell[BELLS];   /* the others' too */
    struct line_word in;            /* step << 16 | operands it has given in this step */
    struct line_word out;           /* step << 16 | results it has given in this step */
    _Alignas(LINE) _Atomic uint64_t cpus[CPU_WORDS]; /* where it may run */
    _Atomic int cpu;           /* where it was lately */
    _Atomic int gone;          /* freed the group in good order */
    struct line_word round[ROUNDS]; /* the last barrier whose round has reached it */
    struct line ring[RING];
};

/* A fragment is there. Written by the parent in the tree, `stamp` (the step) last. */
struct control {
    _Alignas(LINE) _Atomic uint64_t stamp;
    uint64_t bytes, total; /* of this fragment, of the message */
};

struct head {
    _Alignas(LINE) _Atomic uint32_t broken; /* an enum err; read in every wait, hardly written */
    _Atomic uint32_t crowded;
};

struct segment_layout {
    size_t page, total;
    size_t first, stride;                /* the place of member 0; from place to place */
    size_t lines, slots, controls, control_stride, queue, cell; /* within a place */
    size_t slot;                         /* bytes; by pages there are none */
    int cells, sets;
};

/* False: more than an address can hold. `cell` is rounded up to what the layout needs. */
bool layout_init(struct segment_layout *l, enum coll_layout kind, int size, size_t cell, int cells,
                 int sets, size_t page);

#endif
