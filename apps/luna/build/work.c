/* work.c - see work.h. */
#include "apps/luna/build/work.h"

#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"
#include "runtime/base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* With less than this a compiler that said nothing is taken to have failed for lack of space. */
enum { FULL_BYTES = 64 << 10 };

const char *
work_temp_dir(void)
{
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/tmp";
}

/* ---- what a killed luna has left ---- */

enum { STALE_S = 60 }; /* younger ones may not be locked yet */

/* The lock is held until the folder is closed, or this process ends, however it ends. */
static DIR *
open_folder(const char *path, bool *locked)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir && fd >= 0) close(fd);
    *locked = dir && !flock(fd, LOCK_EX | LOCK_NB);
    return dir;
}

static bool
is_temp_name(const char *name)
{
    static const char start[] = "luna-";
    size_t n = sizeof start - 1;
    return !strncmp(name, start, n) && strlen(name) == n + 6 && !strpbrk(name + n, "-.");
}

/* A compiler that was killed has left a temporary file of its own. Unlinking fails for . and ..,
 * and for folders. */
static void
remove_all(DIR *dir, const char *path)
{
    rewinddir(dir);
    for (const struct dirent *e; (e = readdir(dir));) unlinkat(dirfd(dir), e->d_name, 0);
    rmdir(path);
}

static void
sweep_temp(struct arena *a)
{
    DIR *dir = opendir(work_temp_dir());
    time_t now = time(NULL);
    if (!dir) return;
    for (const struct dirent *e; (e = readdir(dir));) {
        struct stat st;
        if (!is_temp_name(e->d_name) || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
            !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mtime > now - STALE_S)
            continue;
        const char *path = path_join(a, work_temp_dir(), e->d_name);
        bool locked;
        DIR *left = open_folder(path, &locked);
        if (locked) remove_all(left, path);
        if (left) closedir(left);
    }
    closedir(dir);
}

/* The folder in use. It stays open and locked, so that nobody sweeps it, until it is removed; that
 * asks for no memory, which may be what is missing. */
static struct {
    DIR *dir;
    char path[PATH_MAX];
} temp;

static bool
open_temp(const char *path)
{
    bool locked;
    if (strlen(path) >= sizeof temp.path) return false;
    temp.dir = open_folder(path, &locked);
    strcpy(temp.path, path);
    return temp.dir;
}

void
work_give_up(void)
{
    if (!temp.dir) return;
    remove_all(temp.dir, temp.path);
    closedir(temp.dir);
    temp.dir = NULL;
}

/* One that is to be kept has a name that nobody sweeps. */
static int
begin_temp(struct work *w)
{
    const char *kept = w->keep ? "kept-" : "";
    char *path = arena_printf(w->arena, "%s/luna-%sXXXXXX", work_temp_dir(), kept);
    bool made = mkdtemp(path) != NULL;
    if (made && (w->keep || open_temp(path))) {
        sweep_temp(w->arena);
        w->dir = path_real(w->arena, path);
        w->made = true;
        return 0;
    }
    int e = errno;
    if (made) rmdir(path);
    say_error("cannot make a folder for intermediate files in '%s': %s", work_temp_dir(),
              strerror(e));
    say_hint("set TMPDIR to a folder that can be written");
    return EXIT_SYSTEM;
}

/* "program.c", "unit3.log" */
static bool
is_work_name(const char *name)
{
    static const char *const names[] = {"program.c", "libucodes.so", "link.log"},
                      *const numbered[] = {"unit", "prototypes", "pkg-config-"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) return true;
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
        size_t n = strlen(numbered[i]);
        if (!strncmp(name, numbered[i], n) && name[n] >= '0' && name[n] <= '9') return true;
    }
    return false;
}

/* Whether it is empty, and a file that would be written over, or NULL. */
static const char *
look_into(struct arena *a, const char *path, bool *empty)
{
    DIR *dir = opendir(path);
    const char *found = NULL;
    *empty = dir;
    for (const struct dirent *e; dir && !found && (e = readdir(dir));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        *empty = false;
        if (is_work_name(e->d_name)) found = arena_strdup(a, e->d_name);
    }
    if (dir) closedir(dir);
    return found;
}

/* A folder of luna's own has a mark; in others no file is written over. */
static int
claim(struct work *w)
{
    bool empty;
    const char *mark = path_join(w->arena, w->dir, ".luna-build");
    if (file_is_there(mark)) {
        w->mark = mark;
        return 0;
    }
    const char *found = look_into(w->arena, w->dir, &empty);
    if (found) {
        say_error("'%s' would be written over: --build-dir is a folder with other files",
                  path_join(w->arena, w->dir, found));
        say_hint("name a folder that is empty, or not there");
        return EXIT_USAGE;
    }
    if (empty && !file_write(mark, "", 0, 0600)) w->mark = mark;
    return 0;
}

/* A folder the user named may hold other things: only the files we make are removed from it, and
 * the folder itself only if it was not there before. */
int
work_begin(struct work *w, const struct options *o)
{
    *w = (struct work){.arena = o->arena};
    w->keep = o->keep || o->compile_only || getenv("LUNA_NO_CLEANUP");
    if (!o->build_dir) return begin_temp(w);
    w->made = !file_is_there(o->build_dir);
    int e = file_make_dir(o->build_dir);
    w->dir = path_real(w->arena, o->build_dir);
    if (!e && access(w->dir, W_OK | X_OK)) e = errno;
    if (!e && (e = folder_is_private(w->dir)) == EPERM) {
        say_error("'%s' is not yours alone: others could change what is compiled there", w->dir);
        say_hint("chmod go-w makes a folder of yours so; or name another in --build-dir");
        return EXIT_USAGE;
    }
    if (!e) return claim(w);
    say_error("cannot use '%s' for intermediate files: %s", o->build_dir, strerror(e));
    return exit_unwritten(e);
}

/* Names that are handed out are remembered as ours: work_end removes them, and they are no inputs
 * of the program for the cache. */
const char *
work_file(struct work *w, const char *fmt, ...)
{
    char name[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    const char *path = path_join(w->arena, w->dir, name);
    words_add(w->arena, &w->files, path);
    return path;
}

int
work_write(const char *path, const struct buf *text)
{
    int e = text->failed ? ENOMEM : file_write(path, text->data, text->size, 0600);
    if (!e) return 0;
    say_error("cannot write '%s': %s", path, strerror(e));
    if (e == ENOSPC || e == EDQUOT) say_hint("free some space, or set TMPDIR to another disk");
    return EXIT_SYSTEM;
}

/* Lines of the program, which a compiler shows behind its messages, may say anything. */
static bool
says(const char *log, const char *words)
{
    for (const char *p = log; (p = strstr(p, words)); p++) {
        const char *line = p;
        while (line > log && line[-1] != '\n') line--;
        if (*line != ' ') return true;
    }
    return false;
}

static bool
says_any(const char *log, const char *const *words)
{
    while (*words && !says(log, *words)) words++;
    return *words;
}

/* gcc says "No space left on device" when it writes, its assembler may just die: then the disk is
 * asked. To the user both are the same. */
static bool
is_disk_full(const struct work *w, const char *log)
{
    static const char *const words[] = {"No space left on device", "Disk quota exceeded", NULL};
    struct statvfs disk;
    if (says_any(log, words)) return true;
    return !*log && !statvfs(w->dir, &disk) && disk.f_bavail * disk.f_frsize < FULL_BYTES;
}

/* gcc's words, clang's, the linker's, the loader's for any of them. In the end each is killed, by
 * the system or by a page of its stack that it does not get, and gcc tells that of its parts. */
static bool
is_out_of_memory(const char *log)
{
    static const char *const words[] = {
        "Cannot allocate memory", ": out of memory allocating ", "memory exhausted",
        "LLVM ERROR: out of memory", "failed to map segment from shared object",
        "signal terminated program ", "ld terminated with signal ", NULL};
    return says_any(log, words);
}

bool
work_is_short(const struct work *w, const char *log)
{
    if (is_disk_full(w, log)) {
        say_error("no space left in '%s' for compiling", w->dir);
        say_hint("free some space, or set TMPDIR to another disk");
    } else if (says(log, "File too large")) {
        say_error("a file that the compiler makes is larger than is allowed here");
        say_hint("ulimit -f tells how large a file may be");
    } else if (is_out_of_memory(log)) {
        say_error("the compiler is out of memory, or crashed: %.*s", (int)strcspn(log, "\n"), log);
        say_hint("-O0 needs less; ulimit -v tells how much a process may have");
    } else {
        return false;
    }
    return true;
}

/* What a compiler that was killed has left, too, but not in a folder that was there before. */
static void
remove_folder(const char *path)
{
    DIR *dir = rmdir(path) ? opendir(path) : NULL;
    if (dir) remove_all(dir, path);
    if (dir) closedir(dir);
}

void
work_end(struct work *w)
{
    if (!w->dir || w->keep) return;
    for (int i = 0; i < w->files.n; i++) unlink(w->files.at[i]);
    if (w->mark) unlink(w->mark);
    work_give_up();
    if (w->made) remove_folder(w->dir);
    w->dir = NULL;
}
