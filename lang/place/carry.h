/* carry.h - which loops wait for themselves: what a turn of theirs makes, a later turn reads. */
#ifndef LUNA_LANG_PLACE_CARRY_H
#define LUNA_LANG_PLACE_CARRY_H

#include "lang/place/directions.h"

struct carrier { /* a loop, and those stops for which its turns follow each other: */
    int counter;
    const uint64_t *along; /* bits by stop: what it carries, and all that is behind that */
    int before;            /* another one of the same counter, or -1 */
};

struct carry {
    int n, room;
    struct carrier *all;
    int *last_of; /* by counter: the last one; -1: it carries nothing */
    int nwaves, waves_room;
    int *waves;   /* loops that only together wait for themselves: how many, of each wavefront */
    int *wave_of; /* by counter: the wavefront it is of; -1: none */
    bool *index;  /* by index, as directions.h numbers them: the DF is carried along it */
    bool unclear; /* too many ways from writes to reads */
};

void carry_find(struct carry *c, struct arena *a, const struct directions *d);

/* Its stops with most counters go along a loop that carries them, or it is a `while`'s. */
bool carry_is_time(const struct carry *c, const struct directions *d, const struct direction *x);
/* The wavefront it is of; -1: none. */
int carry_wave(const struct carry *c, const struct directions *d, const struct direction *x);

#endif
