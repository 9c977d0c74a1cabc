/* tree_walk.h - what a run of a tree does, for one n: who writes and who reads which fragment. It
 * knows nothing of what is proved.
 *
 * Fragments are told apart by texts, their keys. A run may be walked a second time, when all its
 * readers have been counted, to look at each write. */
#ifndef LUNA_TESTS_TREE_WALK_H
#define LUNA_TESTS_TREE_WALK_H

#include "tree.h"

#include "runtime/base/map.h"

enum { TREE_STEPS_MOST = 1000000 };

struct tree_run {
    const struct tree *p;
    int n, counter[DEPTH + 1], w, handed; /* both: the last counter, and its argument */
    struct map *seen;                     /* key -> its bits */
    bool bad, twice[DFS];                 /* some vector of it is written twice */
    long steps;
    int loop_line[DEPTH]; /* of the loops around */
    struct map *reads;    /* key -> how many there are */
    struct map *needs;    /* key -> that of the one it is made of */
    struct map *promised; /* key -> PROMISED + how many are said to be */
    /* NULL: nobody looks. A turn of this `while` is over; what it reads may be added. */
    void (*on_turn)(struct tree_run *r, const struct tree_node *loop);
    /* Of a second walk: that line, with `depth` loops around it, writes the fragment. */
    void (*on_write)(struct tree_run *r, const char *key, int line, int depth);
    void *who; /* looks */
};

struct tree_run tree_run_new(const struct tree *p, int n);
void tree_run_free(struct tree_run *r);
/* No further than TREE_STEPS_MOST. */
void tree_run_walk(struct tree_run *r);
/* The DF has one more reader there. */
void tree_run_read(struct tree_run *r, int df, int index);

/* Where the walk is: that of x, y or z is the same everywhere. */
enum { TREE_KEY_MAX = 100 };
void tree_run_key(const struct tree_run *r, int df, int index, char *key);
/* Some fragment is read and not written. */
bool tree_run_misses(struct tree_run *r);
long tree_run_readers(const struct tree_run *r, const char *key);
/* How many readers are promised; below any promise: nothing is. */
long tree_run_promised(const struct tree_run *r, const char *key);

/* Whether a run with this n cannot end well. */
bool tree_is_bad(const struct tree *p, int n);

#endif
