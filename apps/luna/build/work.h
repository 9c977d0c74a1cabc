/* work.h - the folder of intermediate files: made for one compilation, removed at its end.
 *
 * Files are made under names handed out here, so that only those are removed, also from a folder of
 * the user's (--build-dir). */
#ifndef LUNA_APPS_WORK_H
#define LUNA_APPS_WORK_H

#include "apps/luna/common/files.h"
#include "apps/luna/launch/options.h"

struct work {
    struct arena *arena;
    const char *dir; /* absolute */
    struct words files;
    bool made, keep;
    const char *mark; /* in a folder that luna made, or that was empty; NULL: none is needed */
};

/* Says what is wrong and gives an exit code, or 0. */
int         work_begin(struct work *w, const struct options *o);
const char *work_file(struct work *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes a file whose name is from work_file; says what is wrong and gives an exit code, or 0. */
int         work_write(const char *path, const struct buf *text);
void        work_end(struct work *w);
/* Removes the temporary folder that is in use, if any: for those who jump out of a compilation. */
void        work_give_up(void);
/* Did a job fail because the machine is short of memory or of room on the disk, which is no fault
 * of the program? Its log may be missing for the same reason. Says so. */
bool        work_is_short(const struct work *w, const char *log);

/* TMPDIR or /tmp. */
const char *work_temp_dir(void);

#endif
