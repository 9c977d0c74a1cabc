/* copies.h - whole values of fragments of other nodes that stay here, for readers to come.
 *
 *     kept --its home says so, others need the room--> let go, not told yet --told--> gone
 *
 * Readers of a copy are requests like all others. Where the home counts them, it is told how many
 * there were, and keeps the value until then: so a copy never outlives what it is a copy of, as far
 * as anybody may see. Copies leave, the one that was read longest ago first, when they have more
 * bytes than there is room for; asking the home again is always possible.
 *
 * Any worker may call. It must not know nodes or messages. */
#ifndef LUNA_RUNTIME_COPIES_H
#define LUNA_RUNTIME_COPIES_H

#include "runtime/base/err.h"
#include "runtime/data/key.h"
#include "runtime/data/value.h"

#include <stdatomic.h>

struct copies;

enum err copies_new(struct copies **out, size_t room);
void     copies_free(struct copies *c); /* NULL is fine */

/* What whoever has them may look at, at any time: how many there are, and of how many something is
 * untold. */
struct copies_counts {
    atomic_uint here, untold;
};
static inline bool
copies_any(const struct copies *c)
{
    const struct copies_counts *n = (const struct copies_counts *)(const void *)c;
    return atomic_load_explicit(&n->here, memory_order_relaxed);
}
static inline bool
copies_any_untold(const struct copies *c)
{
    const struct copies_counts *n = (const struct copies_counts *)(const void *)c;
    return atomic_load_explicit(&n->untold, memory_order_relaxed);
}
/* One reader. *v is the caller's (counted); *counts: the home will be told. False: not here. */
bool copies_take(struct copies *c, const struct key *k, luna_value *v, bool *counts);
/* Takes v. `home` is the node that sent it; k->bound is kept, too. Without memory nothing stays. */
void     copies_keep(struct copies *c, const struct key *k, int home, luna_value v, bool counts);
void     copies_drop(struct copies *c, const struct key *k);

/* What the home of one fragment has not been told yet, and is told now. False: nothing. */
struct copies_news {
    struct key key;
    int home;
    uint32_t read; /* so many times */
    bool let_go;   /* to make room: it may give another */
};
bool copies_untold(struct copies *c, struct copies_news *news);

struct copies_sums {
    uint64_t kept, read;
};
struct copies_sums copies_sums(struct copies *c);

#endif
