/* vec.h - arrays that grow at the end: a pointer, a count and a room, in whatever struct they stand
 * and however they are called there.
 *
 *     struct words { const char **at; int n, room; };
 *
 *     if (!vec_more(arena, w->at, w->n, w->room)) return false;
 *     w->at[w->n++] = word;
 *
 * All of them 0 is an empty array. The room at least doubles, so adding is cheap on the average; it
 * stays when the count goes down. */
#ifndef LUNA_BASE_VEC_H
#define LUNA_BASE_VEC_H

#include "arena.h"
#include "mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { VEC_LEAST = 8, VEC_LEAST_BYTES = 64 };

/* Makes room for one more, or for `more`, behind the first `n` of `at`, in the arena, or by malloc
 * where that is NULL (then mem_free(at) in the end). False: out of memory; the array is as it was.
 * In an arena what is fresh is zeroed. */
#define vec_more(arena, at, n, room) vec_many(arena, at, n, 1, room)
#define vec_many(arena, at, n, more, room)                                                         \
    ((size_t)(room) - (size_t)(n) >= (size_t)(more) ||                                             \
     ((room) = vec_grow((arena), &(at), (size_t)(room), (size_t)(n) + (more), sizeof *(at)),       \
      (size_t)(room) - (size_t)(n) >= (size_t)(more)))

/* The same in an arena that jumps when memory is out, as the compiler's does. */
#define vec_need(arena, at, n, room) ((void)vec_more(arena, at, n, room))
#define vec_need_many(arena, at, n, more, room) ((void)vec_many(arena, at, n, more, room))

/* The new room, `least` or more, or the old one when there is no memory. `at`: where the pointer
 * is, of any type, so it is copied as bytes. */
static inline size_t
vec_grow(struct arena *a, void *at, size_t room, size_t least, size_t one)
{
    void *old;
    size_t more = room ? 2 * room : one < VEC_LEAST ? VEC_LEAST_BYTES / one : VEC_LEAST;
    while (more < least && more <= SIZE_MAX / 4) more *= 2;
    if (more < least || more > SIZE_MAX / 2 / one) return room;
    memcpy(&old, at, sizeof old);
    void *fresh = a ? arena_grow(a, old, room * one, more * one) : mem_realloc(old, more * one);
    if (!fresh) return room;
    memcpy(at, &fresh, sizeof fresh);
    return more;
}

#endif
