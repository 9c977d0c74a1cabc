/* half.h - a file, or a folder, that is written beside its place until it is whole: however the
 * process ends, but by SIGKILL, no half of it is left. One at a time. */
#ifndef LUNA_APPS_HALF_H
#define LUNA_APPS_HALF_H

/* It is about to be made; `path` is lent until half_is_over. */
void half_begins(const char *path);
/* Removed, if it still has that name. */
void half_is_over(void);

#endif
