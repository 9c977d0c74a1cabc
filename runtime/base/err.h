/* err.h - how a failure of the world travels: one list, which also holds the words.
 *
 * A bug of ours is an assert; a fault in the user's program is a diagnostic; what remains (no
 * memory, no disk, a broken message) is an `enum err` returned upwards. */
#ifndef LUNA_BASE_ERR_H
#define LUNA_BASE_ERR_H

#define ERR_MAP(X)                                                                                 \
    X(OK, "no error")                                                                              \
    X(E_NOMEM, "out of memory")                                                                    \
    X(E_IO, "input or output failed")                                                              \
    X(E_NOENT, "no such file")                                                                     \
    X(E_TWICE, "assigned twice")                                                                   \
    X(E_FORMAT, "malformed data")                                                                  \
    X(E_PROTOCOL, "message not expected now")                                                      \
    X(E_SYSTEM, "a system call failed")                                                            \
    X(E_BROKEN, "a member of the group is gone")                                                   \
    X(E_USER, "the user's program has errors")

#define ERR_ENUM(name, words) name,
enum err { ERR_MAP(ERR_ENUM) ERR_COUNT };
#undef ERR_ENUM

/* The words for `e`, without a full stop. */
const char *err_text(enum err e);

#endif
