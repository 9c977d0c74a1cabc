/* learnt.c - facts about owners, one word each.
 *
 *     63           41 40             17 16        1  0
 *     | rest of cell |      owner      |   epoch   | 1 |      0: an empty slot
 *
 * The low bits of a cell's number are its slot and need not be kept. An owner that needs more than
 * its 24 bits is not kept at all; an epoch stops at the largest it can be. */
#include "learnt.h"

#include <stdbool.h>

#include "runtime/base/mem.h"

enum { OWNER_BITS = 24, EPOCH_BITS = 16, EPOCH_MAX = (1 << EPOCH_BITS) - 1 };

static uint32_t
slot_of(uint32_t cell)
{
    return cell & (LEARNT_WORDS - 1);
}

static uint64_t
word_of(uint32_t cell, int owner, uint32_t epoch)
{
    uint64_t rest = cell >> LEARNT_BITS;
    return ((rest << OWNER_BITS | (uint32_t)owner) << EPOCH_BITS | epoch) << 1 | 1;
}

static bool
is_about(uint64_t word, uint32_t cell)
{
    return word & 1 && word >> (1 + EPOCH_BITS + OWNER_BITS) == cell >> LEARNT_BITS;
}

static uint32_t
epoch_of(uint64_t word)
{
    return (uint32_t)(word >> 1 & EPOCH_MAX);
}

void
learnt_fini(struct learnt *l)
{
    mem_free(l->words);
}

/* The array, made now if need be; NULL: no memory. */
static _Atomic(uint64_t) *
words_of(struct learnt *l)
{
    _Atomic(uint64_t) *words = l->words;
    if (words) return words;
    _Atomic(uint64_t) *fresh = mem_zalloc(LEARNT_WORDS, sizeof *fresh);
    if (!fresh) return NULL;
    if (atomic_compare_exchange_strong(&l->words, &words, fresh)) return fresh;
    mem_free(fresh);
    return words;
}

void
learnt_put(struct learnt *l, uint32_t cell, int owner, uint32_t epoch)
{
    _Atomic(uint64_t) *words = words_of(l);
    if (!words || owner < 0 || owner >> OWNER_BITS) return;
    if (epoch > EPOCH_MAX) epoch = EPOCH_MAX;
    _Atomic(uint64_t) *slot = &words[slot_of(cell)];
    uint64_t word = word_of(cell, owner, epoch), was = atomic_load(slot);
    do {
        if (was == word || (is_about(was, cell) && epoch_of(was) > epoch)) return;
    } while (!atomic_compare_exchange_weak(slot, &was, word));
}

struct learnt_fact
learnt_get(const struct learnt *l, uint32_t cell)
{
    struct learnt_fact none = {-1, 0};
    _Atomic(uint64_t) *words = l->words;
    if (!words) return none;
    uint64_t word = atomic_load_explicit(&words[slot_of(cell)], memory_order_relaxed);
    if (!is_about(word, cell)) return none;
    return (struct learnt_fact){(int)(word >> (1 + EPOCH_BITS) & ((1u << OWNER_BITS) - 1)),
                                epoch_of(word)};
}

uint64_t
learnt_bytes(const struct learnt *l)
{
    return l->words ? LEARNT_WORDS * sizeof(uint64_t) : 0;
}
