/* cache.h - products kept for the next time: objects of programs and of their parts.
 *
 * A product has a *subject*, the key of all that is known before anything is read (the command, the
 * flags, the compiler), and *inputs*, the files that went into it. Two steps find it:
 *
 *     lists/SUBJECT  ->  the inputs of the last product of this subject, by name
 *     objects/KEY    ->  the product; KEY is made of the subject, these names, what the files hold
 *
 * The contents of the inputs decide everything, so a wrong or stale list cannot lead to a wrong
 * product, only to none. Files are made aside and renamed, checked by a checksum when they are
 * read, and the least recently used leave when the cache grows beyond its bound.
 *
 * It must not know what a product is. Why contents decide: docs/decisions/0010. */
#ifndef LUNA_APPS_CACHE_H
#define LUNA_APPS_CACHE_H

#include "apps/luna/common/files.h"
#include "apps/luna/common/key.h"

#include <time.h>

struct cache {
    struct arena *arena;
    const char *dir; /* NULL: there is none; nothing is found or kept */
    uint64_t bytes_max;
    struct timespec began; /* an input changed later is not the one that was compiled */
};

/* $XDG_CACHE_HOME/luna, else ~/.cache/luna, else a folder of our own in the temp dir. */
void cache_open(struct cache *c, struct arena *a);
/* To be called before inputs are read by those who make a product. */
void cache_begin(struct cache *c);

/* Inputs are a list of names, each ended by a 0 byte and with a letter in front. A file that is not
 * there is an input too: it would count if it came. */
enum input { INPUT_FILE = 'f', INPUT_DIR = 'd' /* the names of the sources in it */ };
void cache_inputs_add(struct buf *inputs, enum input kind, const char *path);

/* Opens the product; -1: there is none. `product` and `inputs` (both may be NULL) get contents. */
int cache_find(struct cache *c, struct content_key subject, struct buf *product,
               struct buf *inputs);
/* Keeps the file as the product, with words for those who find it (image_words) or NULL. False: it
 * could not be kept, which harms nobody. */
bool cache_keep(struct cache *c, struct content_key subject, const struct buf *inputs,
                const char *file, const char *words);
/* Removes the least recently used beyond bytes_max. */
void cache_trim(struct cache *c);

#endif
