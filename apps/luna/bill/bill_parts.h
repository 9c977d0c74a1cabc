/* bill_parts.h - what the files of this folder know of each other. */
#ifndef LUNA_APPS_BILL_PARTS_H
#define LUNA_APPS_BILL_PARTS_H

#include "apps/luna/bill/bill.h"

#include "runtime/base/vec.h"

/* ---- what waits for what ---- */

#define CHAIN_NONE 0xffffffffu

struct chain_step {
    uint32_t around; /* waits for this one, */
    uint32_t read, nread; /* for who writes these fragments, reads[read .. + nread), */
    uint32_t first;  /* and for all steps from this one on; CHAIN_NONE: for none */
    uint64_t path;   /* calls on the longest chain up to it */
    float weight;
    bool call;
    uint8_t state;
    double heavy;
};

struct chain_fragment {
    uint32_t decl, key, nkey; /* words of keys[] */
    uint32_t hash;
    uint32_t writer, last; /* steps; the last one that reads or writes it */
    uint32_t readers;      /* of readers[], plus one */
    bool awaited;          /* read, and not yet written */
};

struct chain_reader { /* a node that reads a fragment which lives elsewhere */
    int node;
    uint32_t next;
};

struct chain_shift { /* of n turns that were left out */
    struct unroll_shift by;
    uint64_t n;
    const struct plan_site *loop;
};

struct chain {
    struct chain_step *steps;
    uint32_t *reads;
    struct chain_fragment *fragments;
    struct chain_reader *readers;
    uint32_t *keys, *slots; /* slots: fragments, plus one */
    size_t nsteps, steps_room, nreads, reads_room, nfragments, fragments_room, nreaders,
        readers_room, nkeys, keys_room, nslots;
    size_t nmeasured, nawaited;
    struct chain_shift *shifts;
    size_t nshifts, shifts_room;
    uint64_t path;
    double heavy;
    bool failed; /* no memory */
    bool circle;
    const struct plan_site *missed; /* a turn of this loop was left out, and is asked for */
};

void     chain_free(struct chain *c);
/* The fragment of this name, made if it is new. */
uint32_t chain_fragment_of(struct chain *c, const struct unroll_name *name);
/* Whether this is the first of its readers on a node. */
bool     chain_reads_first(struct chain *c, uint32_t fragment, int node);
/* A step that waits for `around`; further reads belong to it. */
uint32_t chain_step_add(struct chain *c, uint32_t around);
void     chain_read_add(struct chain *c, uint32_t fragment);
void     chain_write(struct chain *c, uint32_t fragment, uint32_t step);
/* Paths of all steps, and the longest. */
void     chain_measure(struct chain *c);
/* Two turns of a loop made the steps [first, second) and [second, nsteps): does the path to each
 * step grow by the same from one to the other? By how much. */
struct chain_growth {
    uint64_t path;
    double heavy;
};
bool     chain_is_steady(struct chain *c, size_t first, size_t second, struct chain_growth *out);
/* Have any of these fragments been moved by turns of another loop? */
bool     chain_has_shift(const struct chain *c, const struct unroll_turns *t);
/* Was what moves, and the steps from `last` on have read, written by the steps from `from` on? */
bool     chain_is_closed(const struct chain *c, size_t last, size_t from,
                         const struct unroll_turns *t);
/* After these turns t->n were left out: paths are as if they had been walked, and names of the
 * fragments of the last turns stand for those of the turns that are not there. */
void     chain_skip(struct chain *c, size_t first, const struct chain_growth *g,
                    const struct unroll_turns *t);
/* How many fragments of each declaration there are, and at once: rows with a made of 0 for none. */
bool     chain_alive(const struct chain *c, struct bill_alive *by_decl, size_t ndecls);

#endif
