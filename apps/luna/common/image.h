/* image.h - a compiled program in a file: in the cache, or behind the code of a built program.
 *
 *     [ home ][ the ELF object ][ words ][ trailer: magic, ABI, key, sizes and checksum ]
 *
 * Home is the folder of the installation that built a program, where it finds what it opens only
 * when asked to (lib/luna/luna_mpi.so). Words are what a user is told whenever the object is used.
 *
 * The trailer tells a whole object from a damaged one. What stands in front of the object (the code
 * of a built program) does not matter: the trailer is found from the end of the file. */
#ifndef LUNA_APPS_IMAGE_H
#define LUNA_APPS_IMAGE_H

#include "apps/luna/common/key.h"
#include "runtime/base/arena.h"
#include "runtime/base/buf.h"
#include "runtime/program.h"

#include <stdbool.h>

#define LUNA_STAYS_SYMBOL "luna_stays" /* of the object: enum luna_stays; none: 0 */

struct image {
    struct buf object;
    struct content_key key; /* by which the owner of the file recognises it */
    const char *home, *words; /* may be NULL */
};

/* Appends it to a file open for writing. 0 or an errno. */
int image_write(int fd, const struct image *i);
/* Reads the object of an open file: true when there is one and nothing is damaged. */
bool image_read(int fd, struct buf *object, struct content_key *key);
/* Adds the words, none if there are none. */
void image_words(int fd, struct buf *words);
/* "" when it has none. */
const char *image_home(int fd, struct arena *a);

/* A path of an open file, for image_open. */
void image_path(char *path, size_t size, int fd);
/* Makes the object part of this process and gives its program. NULL: said what is wrong. `name` is
 * for messages. */
const struct luna_program *image_open(const char *path, const char *name);
/* The same from memory. */
const struct luna_program *image_open_bytes(const struct buf *object, const char *name);

#endif
