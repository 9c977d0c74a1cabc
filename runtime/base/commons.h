/* commons.h - memory that all ranks of a host see, at the same addresses.
 *
 * Each rank has a stretch of it and alone takes memory from there; the others read it, and give
 * back what they were the last to use:
 *
 *     take --> in use, here and elsewhere --give, by anybody--> returned --> taken by its owner
 *
 * The stretches are files without a name (memfd), which vanish with the processes, whatever becomes
 * of them. They lie at fixed addresses, so a pointer means the same in all ranks. Where that cannot
 * be had - a limit on addresses, another user, an old kernel - there are no commons, and everything
 * is sent as before.
 *
 * It must not know blocks. Why ranks lend: docs/decisions/0020; why programs of one host share
 * values: 0025. */
#ifndef LUNA_BASE_COMMONS_H
#define LUNA_BASE_COMMONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a rank tells the others of its host. */
struct commons_ticket {
    int64_t pid;
    int32_t fd, index; /* below 0: it has none */
    uint64_t bytes, mark; /* the mark stands at the begin of the stretch */
};

/* The stretch of rank `index` of this host, of `bytes` at most; it takes memory as it is used. */
struct commons_ticket commons_open(int index, size_t bytes);
/* Sees the stretches of all n ranks of the host. False: cannot. */
bool commons_join(const struct commons_ticket *all, int n);
/* Whether all could: from now on, or never, there is memory to take. */
void commons_decide(bool all_joined);
bool commons_on(void);

/* At least so many bytes, 64-byte aligned; NULL: there are no commons, or they are full. */
void *commons_take(size_t bytes);
/* Nobody uses it any more. Any rank, any thread. */
void commons_give(void *p);
/* In a stretch of any rank. */
bool commons_has(const void *p);
/* Whether ours. */
bool commons_owns(const void *p);
/* What others have given back since the last call, linked by their first words; NULL: nothing. Each
 * must be given once more, by its owner. */
void *commons_returned(void);

/* Bytes that were ever taken here at the same time. */
size_t commons_bytes(void);

#endif
