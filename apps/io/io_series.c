/* io_series.c - io_step: files of many steps, and a list of them that ParaView opens as one.
 *
 *     u_000000.vtkhdf, u_000010.vtkhdf, ...       u.vtkhdf.series
 *
 * The list is made of what is in the folder, after each file anew. So whoever makes it, on whatever
 * node, makes the same, and no lock is needed. */
#include "io.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 1000000 };

/* A name of a step: folder/stem_000010.ending */
struct step_name {
    char folder[PATH_MAX], stem[NAME_MAX + 1], ending[16], series[PATH_MAX];
    long long step;
};

/* ---- names ---- */

static bool
take_base(const char *base, struct step_name *n)
{
    const char *dot = strrchr(base, '.'), *digits = dot;
    while (dot && digits > base && isdigit((unsigned char)digits[-1])) digits--;
    if (!dot || digits == dot || dot - digits > 18) return false;
    n->step = strtoll(digits, NULL, 10);
    snprintf(n->stem, sizeof n->stem, "%.*s", (int)(digits - base), base);
    snprintf(n->ending, sizeof n->ending, "%s", dot);
    return true;
}

/* Without the sign before the number: u_000010 belongs to u. */
static bool
take_name(const char *path, struct step_name *n)
{
    const char *slash = strrchr(path, '/');
    if (!take_base(slash ? slash + 1 : path, n)) return false;
    snprintf(n->folder, sizeof n->folder, "%.*s", slash ? (int)(slash - path) + 1 : 2,
             slash ? path : "./");
    size_t m = strlen(n->stem);
    if (m && strchr("_-.", n->stem[m - 1])) m--;
    int size = snprintf(n->series, sizeof n->series, "%s%.*s%s.series", n->folder, m ? (int)m : 6,
                        m ? n->stem : "series", n->ending);
    return size < PATH_MAX - 16;
}

/* ---- the list ---- */

struct file {
    long long step;
    char name[NAME_MAX + 1];
};

struct list {
    struct file *at;
    size_t n, room;
};

static int
by_step(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    return x->step != y->step ? (x->step > y->step) - (x->step < y->step)
                              : strcmp(x->name, y->name);
}

static int
list_add(struct list *l, const char *name, long long step)
{
    if (l->n == l->room) {
        size_t room = l->room ? 2 * l->room : 64;
        struct file *more = room > FILES_MAX ? NULL : realloc(l->at, room * sizeof *more);
        if (!more) return ENOMEM;
        l->at = more;
        l->room = room;
    }
    l->at[l->n].step = step;
    snprintf(l->at[l->n++].name, sizeof l->at->name, "%s", name);
    return 0;
}

static int
list_folder(const struct step_name *n, struct list *l)
{
    DIR *d = opendir(n->folder);
    struct step_name other;
    int e = d ? 0 : errno;
    l->n = 0;
    for (struct dirent *x; !e && (x = readdir(d));)
        if (take_base(x->d_name, &other) && !strcmp(other.stem, n->stem) &&
            !strcmp(other.ending, n->ending))
            e = list_add(l, x->d_name, other.step);
    if (d) closedir(d);
    if (l->n) qsort(l->at, l->n, sizeof *l->at, by_step);
    return e;
}

/* As a string of JSON. */
static void
put_name(FILE *f, const char *name)
{
    for (; *name; name++) {
        if (strchr("\"\\", *name)) fputc('\\', f);
        fputc(*name, f);
    }
}

static int
write_list(const struct step_name *n, const struct list *l)
{
    char aside[PATH_MAX + 16];
    snprintf(aside, sizeof aside, "%s.XXXXXX", n->series);
    int fd = mkstemp(aside);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) return errno;
    fchmod(fd, 0644);
    fprintf(f, "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n");
    for (size_t k = 0; k < l->n; k++) {
        fprintf(f, "    {\"name\": \"");
        put_name(f, l->at[k].name);
        fprintf(f, "\", \"time\": %lld}%s\n", l->at[k].step, k + 1 < l->n ? "," : "");
    }
    fprintf(f, "  ]\n}\n");
    int e = ferror(f) ? EIO : 0;
    if (fclose(f) && !e) e = errno;
    if (!e && rename(aside, n->series)) e = errno;
    if (e) unlink(aside);
    return e;
}

/* Until nothing has been added meanwhile: of two who write the list at once the last one sees what
 * the other has seen. */
static int
write_all(const struct step_name *n)
{
    struct list l = {0};
    size_t before;
    int e = list_folder(n, &l);
    do {
        before = l.n;
        if (!e) e = write_list(n, &l);
        if (!e) e = list_folder(n, &l);
    } while (!e && l.n != before);
    free(l.at);
    return e;
}

int
luna_io_series_add(const char *path)
{
    struct step_name n;
    if (!take_name(path, &n) || access(n.series, F_OK)) return 0;
    return write_all(&n);
}

/* ---- the sub ---- */

/* The one %d or %06d of a pattern. */
static const char *
number_in(const char *pattern, int *width, const char **behind)
{
    const char *at = strchr(pattern, '%'), *p = at ? at + 1 : NULL;
    *width = 0;
    if (p && *p == '0')
        while (isdigit((unsigned char)*p) && *width < 20) *width = 10 * *width + (*p++ - '0');
    if (!p || *p != 'd' || *width > 18 || strchr(p, '%'))
        luna_fail("'%s' needs one %%d or %%06d, where the number of the step goes", pattern);
    *behind = p + 1;
    return at;
}

void
luna_io_step(const char *pattern, int step, luna_df *path)
{
    char text[PATH_MAX];
    struct step_name n;
    const char *behind;
    int width;
    const char *at = number_in(pattern, &width, &behind);
    if (step < 0) luna_fail("a step has a number from 0 on, not %d", step);
    int size = snprintf(text, sizeof text, "%.*s%0*d%s", (int)(at - pattern), pattern, width, step,
                        behind);
    if (size >= PATH_MAX - 16) luna_fail("the name of the file is too long");
    if (!take_name(text, &n))
        luna_fail("in '%s' nothing but the ending may stand behind the number", pattern);
    /* Its being there asks io_close to list the file. */
    int fd = open(n.series, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) luna_fail("cannot make '%s': %s", n.series, strerror(errno));
    close(fd);
    luna_set_string(path, text);
}
