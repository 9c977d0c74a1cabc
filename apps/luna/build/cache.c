/* cache.c - see cache.h. */
#include "apps/luna/build/cache.h"

#include "apps/luna/build/work.h"
#include "apps/luna/common/image.h"
#include "apps/luna/common/path.h"
#include "runtime/base/folder.h"
#include "runtime/base/io.h"
#include "runtime/base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t BYTES_MAX = 1u << 30; /* some thousand programs */
static const time_t ORPHAN_S = 3600; /* a file made aside and never renamed: its maker was killed */
static const char *const shelves[] = {"lists", "objects"};
enum { NSHELVES = 2 };

/* ---- the folder ---- */

/* Code is loaded from here: it must be ours alone. From then on it goes by its descriptor, so that
 * nobody puts another folder in its place. */
static bool
open_at(struct cache *c, const char *dir)
{
    int fd = dir[0] != '/' || file_make_dir(dir) ? -1 : folder_open_trusted(dir);
    if (fd < 0) return false;
    const char *held = arena_printf(c->arena, "/proc/self/fd/%d", fd);
    bool fine = !access(held, W_OK | X_OK);
    for (int i = 0; i < NSHELVES && fine; i++) {
        const char *shelf = path_join(c->arena, held, shelves[i]);
        fine = !file_make_dir(shelf) && !folder_is_private(shelf) && !access(shelf, W_OK | X_OK);
    }
    if (fine) c->dir = held;
    else close(fd);
    return fine;
}

/* The first folder that is ours alone. Without any, each run compiles anew: slower, not wrong.
 * Neither a home nor a temp folder is made by us. */
void
cache_open(struct cache *c, struct arena *a)
{
    *c = (struct cache){.arena = a, .bytes_max = BYTES_MAX};
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (xdg && *xdg && open_at(c, path_join(a, xdg, "luna"))) return;
    bool has_home = home && *home && file_is_there(home);
    if (has_home && open_at(c, path_join(a, home, ".cache/luna"))) return;
    if (file_is_there(work_temp_dir()))
        open_at(c, arena_printf(a, "%s/luna-cache-%u", work_temp_dir(), (unsigned)geteuid()));
}

static bool
is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* File times are those of the coarse clock, which lags behind, or, in newer kernels, at times the
 * true one. So a file written before now has at most the true time; one written after the coarse
 * clock has passed that has at least the coarse one. In between nothing could be told: that is
 * waited for. */
void
cache_begin(struct cache *c)
{
    struct timespec now, pause = {.tv_nsec = 1000 * 1000};
    if (!c->dir || c->began.tv_sec) return;
    clock_gettime(CLOCK_REALTIME, &now);
    /* A tick is 1 to 10 ms; a busy virtual machine may be late by many. */
    for (int i = 0; i < 200; i++) {
        nanosleep(&pause, NULL);
        clock_gettime(CLOCK_REALTIME_COARSE, &c->began);
        if (is_before(&now, &c->began)) return;
    }
}

static const char *
shelf_path(const struct cache *c, const char *shelf, struct content_key k)
{
    return arena_printf(c->arena, "%s/%s/%016" PRIx64 "%016" PRIx64, c->dir, shelf, k.hi, k.lo);
}

/* ---- inputs ---- */

void
cache_inputs_add(struct buf *inputs, enum input kind, const char *path)
{
    buf_char(inputs, (char)kind);
    key_add(inputs, path);
}

static int
add_dir(struct cache *c, const char *path, struct buf *key)
{
    struct words names = {0};
    int e = file_sources(c->arena, path, &names);
    for (int i = 0; i < names.n; i++) key_add(key, names.at[i]);
    return e;
}

/* By contents: times change when a tree is copied or checked out again. */
static int
add_file(const char *path, struct buf *key)
{
    struct buf text = {0};
    int e = file_read(path, &text);
    if (e) key_add(key, "absent");
    else key_add_key(key, key_of_bytes(text.data, text.size));
    buf_fini(&text);
    return e;
}

/* The key of the product of `subject` from what the inputs hold now; false if that cannot be told:
 * what cannot be read for lack of memory is not absent. */
static bool
product_key(struct cache *c, struct content_key subject, const struct buf *inputs,
            struct content_key *out)
{
    struct buf key = {0};
    bool fine = true;
    key_add_key(&key, subject);
    const char *p = inputs->data, *end = p + inputs->size;
    while (p < end) {
        const char *stop = memchr(p, 0, (size_t)(end - p));
        if (!stop) break; /* cut short: the key will be nobody's */
        key_add(&key, p);
        fine &= !io_is_systems(*p == INPUT_DIR ? add_dir(c, p + 1, &key) : add_file(p + 1, &key));
        p = stop + 1;
    }
    *out = key_of_bytes(key.data, key.size);
    fine &= !key.failed;
    buf_fini(&key);
    return fine;
}

/* Did a file change since we began? Then what was compiled may not be what is there now. (A folder
 * changes whenever anything is made in it: who lists one looks again himself.) */
static bool
inputs_changed(const struct cache *c, const struct buf *inputs)
{
    const char *p = inputs->data, *end = p + inputs->size;
    for (; p < end; p += strlen(p) + 1) {
        struct stat st;
        if (*p == INPUT_DIR || stat(p + 1, &st)) continue;
        if (!is_before(&st.st_ctim, &c->began)) return true;
    }
    return false;
}

/* ---- finding ---- */

/* The time of change serves as the time of last use: access times are mostly switched off. */
static void
touch(int fd)
{
    struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
    futimens(fd, now);
}

static int
read_list(struct cache *c, struct content_key subject, struct buf *list)
{
    int fd = open(shelf_path(c, "lists", subject), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    int e = file_read_fd(fd, list);
    if (!e) touch(fd);
    close(fd);
    return e;
}

/* Opens objects/KEY if it is whole and the one it says to be; a damaged one is removed. */
static int
open_object(struct cache *c, struct content_key key, struct buf *product)
{
    struct buf bytes = {0};
    struct content_key inside = {0};
    const char *path = shelf_path(c, "objects", key);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    if (image_read(fd, &bytes, &inside) && inside.hi == key.hi && inside.lo == key.lo) {
        if (product) buf_add(product, bytes.data, bytes.size);
        touch(fd);
    } else {
        if (!bytes.failed) unlink(path);
        close(fd);
        fd = -1;
    }
    buf_fini(&bytes);
    if (fd < 0 || !product || !product->failed) return fd;
    close(fd);
    return -1;
}

/* The list says which files to look at; what they hold now gives the key. So whatever changed leads
 * to another key, and an old product is never taken for a new one. */
int
cache_find(struct cache *c, struct content_key subject, struct buf *product, struct buf *inputs)
{
    if (!c->dir) return -1;
    struct buf list = {0};
    struct content_key key;
    int fd = -1;
    if (!read_list(c, subject, &list) && list.size && product_key(c, subject, &list, &key))
        fd = open_object(c, key, product);
    if (fd >= 0 && inputs) buf_add(inputs, list.data, list.size);
    buf_fini(&list);
    return fd;
}

/* ---- keeping ---- */

/* Gives a file its place in one step: who reads sees all of it or nothing. */
static bool
write_aside(struct cache *c, const char *path, const struct buf *bytes, const struct image *image)
{
    char *aside = arena_printf(c->arena, "%s.XXXXXX", path);
    int fd = mkostemp(aside, O_CLOEXEC);
    if (fd < 0) return false;
    int e = image ? image_write(fd, image) : io_write_all(fd, bytes->data, bytes->size);
    if (close(fd)) e = errno;
    if (!e && rename(aside, path)) e = errno;
    if (e) unlink(aside);
    return !e;
}

/* First the object, then the list that leads to it. */
bool
cache_keep(struct cache *c, struct content_key subject, const struct buf *inputs, const char *file,
           const char *words)
{
    struct image i = {.words = words};
    if (!c->dir || !c->began.tv_sec || inputs->failed || inputs_changed(c, inputs)) return false;
    bool kept = product_key(c, subject, inputs, &i.key) && !file_read(file, &i.object) &&
                write_aside(c, shelf_path(c, "objects", i.key), NULL, &i) &&
                write_aside(c, shelf_path(c, "lists", subject), inputs, NULL);
    buf_fini(&i.object);
    return kept;
}

/* ---- trimming ---- */

struct entry {
    const char *path;
    uint64_t bytes;
    struct timespec used;
};

struct entries {
    struct entry *at;
    size_t n, room;
};

static void
entries_add(struct arena *a, struct entries *list, struct entry e)
{
    if (vec_more(a, list->at, list->n, list->room)) list->at[list->n++] = e;
}

static void
scan_shelf(struct cache *c, const char *shelf, struct entries *list)
{
    const char *dir = path_join(c->arena, c->dir, shelf);
    DIR *d = opendir(dir);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        struct stat st; /* by name in the folder: there may be tens of thousands */
        if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW)) continue;
        if (!S_ISREG(st.st_mode)) continue;
        const char *path = path_join(c->arena, dir, e->d_name);
        bool aside = strchr(e->d_name, '.');
        if (!aside)
            entries_add(c->arena, list, (struct entry){path, (uint64_t)st.st_size, st.st_mtim});
        else if (st.st_mtime < time(NULL) - ORPHAN_S)
            unlink(path);
    }
    closedir(d);
}

/* Least recently used first. */
static int
by_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return is_before(&x->used, &y->used) ? -1 : is_before(&y->used, &x->used);
}

void
cache_trim(struct cache *c)
{
    struct entries list = {0};
    uint64_t bytes = 0;
    if (!c->dir) return;
    for (int i = 0; i < NSHELVES; i++) scan_shelf(c, shelves[i], &list);
    for (size_t i = 0; i < list.n; i++) bytes += list.at[i].bytes;
    if (bytes <= c->bytes_max) return;
    qsort(list.at, list.n, sizeof *list.at, by_use);
    /* A tenth below the bound, so that the next product does not come here again. */
    for (size_t i = 0; i < list.n && bytes > c->bytes_max / 10 * 9; i++) {
        unlink(list.at[i].path);
        bytes -= list.at[i].bytes;
    }
}
