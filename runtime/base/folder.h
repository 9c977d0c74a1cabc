/* folder.h - folders and files that another user of the machine must not get between us and.
 *
 * A folder we trust (compiled programs are loaded from it) must be ours alone, and so must be the
 * way to it: who may rename a folder above it may put another one in its place. A folder we only
 * write to may lie anywhere, but must be ours; a link in it is not followed, and a file that is
 * there already must be ours, with one name.
 *
 * All give 0 or an errno; EPERM: it is not ours, or not ours alone. */
#ifndef LUNA_BASE_FOLDER_H
#define LUNA_BASE_FOLDER_H

int folder_is_ours(const char *path);
/* Ours, and nobody else may write to it. */
int folder_is_private(const char *path);
/* A private folder whose parents nobody else may write to, but those with the sticky bit: a
 * descriptor of it, or -1 and errno. */
int folder_open_trusted(const char *path);

/* Takes it for this process, until *fd is closed: EWOULDBLOCK if another one has it. Where the
 * file system cannot tell, *fd is -1. */
int folder_take(const char *path, int *fd);

/* open() for writing, 0600. `flags` may have O_CREAT, O_TRUNC, O_APPEND. -1 and errno. A relative
 * path begins where the process was when it wrote its first such file, which is one thread's. */
int folder_write_file(const char *path, int flags);

#endif
