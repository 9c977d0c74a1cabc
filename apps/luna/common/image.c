/* image.c - see image.h. */
#include "apps/luna/common/image.h"

#include "apps/luna/common/files.h"
#include "apps/luna/common/say.h"
#include "runtime/base/io.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Behind the object, at the end of a file: a program that was built has all of it behind its own
 * text, an object of the cache has it alone. Reading begins at the end, so what stands in front may
 * be anything. */
struct trailer {
    char magic[8];
    uint32_t abi, home_size;
    struct content_key key;
    uint64_t size, words_size, checksum;
};

static const char magic[8] = "LUNAOBJ";

static uint64_t
checksum_of(const void *object, size_t size, const void *words, size_t words_size)
{
    return key_checksum(object, size) ^ (words_size ? key_checksum(words, words_size) : 0);
}

/* The object first: the loader opens the file of the cache as it is. The checksum: a copy that
 * broke off, or a disk that was full, is found before the loader trusts the object. */
int
image_write(int fd, const struct image *i)
{
    struct trailer t = {.abi = LUNA_ABI, .key = i->key, .size = i->object.size};
    t.home_size = i->home ? (uint32_t)strlen(i->home) : 0;
    t.words_size = i->words ? strlen(i->words) : 0;
    memcpy(t.magic, magic, sizeof magic);
    t.checksum = checksum_of(i->object.data, i->object.size, i->words, t.words_size);
    int e = t.home_size ? io_write_all(fd, i->home, t.home_size) : 0;
    if (!e) e = io_write_all(fd, i->object.data, i->object.size);
    if (!e && t.words_size) e = io_write_all(fd, i->words, t.words_size);
    return e ? e : io_write_all(fd, &t, sizeof t);
}

static bool
read_at(int fd, void *bytes, size_t size, off_t at)
{
    for (char *p = bytes; size;) {
        ssize_t n = pread(fd, p, size, at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

/* `end` is that of the words. False also for another ABI: to the cache that is a miss, and the
 * program is compiled anew. */
static bool
read_trailer(int fd, struct trailer *t, off_t *end)
{
    struct stat st;
    if (fstat(fd, &st) || st.st_size < (off_t)sizeof *t) return false;
    *end = st.st_size - (off_t)sizeof *t;
    return read_at(fd, t, sizeof *t, *end) && !memcmp(t->magic, magic, sizeof magic) &&
           t->abi == LUNA_ABI && t->size <= (uint64_t)*end &&
           t->words_size <= (uint64_t)*end - t->size;
}

static bool
read_part(int fd, off_t at, off_t end, struct buf *part)
{
    char piece[8 << 10]; /* the stack may be small */
    while (at < end) {
        size_t n = end - at < (off_t)sizeof piece ? (size_t)(end - at) : sizeof piece;
        if (!read_at(fd, piece, n, at)) return false;
        buf_add(part, piece, n);
        at += (off_t)n;
    }
    return !part->failed;
}

bool
image_read(int fd, struct buf *object, struct content_key *key)
{
    struct trailer t;
    struct buf words = {0};
    off_t end;
    if (!read_trailer(fd, &t, &end)) return false;
    *key = t.key;
    off_t object_end = end - (off_t)t.words_size;
    bool whole = read_part(fd, object_end - (off_t)t.size, object_end, object) &&
                 read_part(fd, object_end, end, &words);
    whole = whole && t.checksum == checksum_of(object->data, object->size, words.data, words.size);
    object->failed |= words.failed; /* nothing is damaged then */
    buf_fini(&words);
    return whole;
}

void
image_words(int fd, struct buf *words)
{
    struct trailer t;
    off_t end;
    if (!read_trailer(fd, &t, &end)) return;
    struct buf read = {0};
    if (read_part(fd, end - (off_t)t.words_size, end, &read)) buf_add(words, read.data, read.size);
    words->failed |= read.failed;
    buf_fini(&read);
}

/* Where the luna that built the program is installed, "" if that is not known: luna_mpi.so is
 * looked for there when ranks run. */
const char *
image_home(int fd, struct arena *a)
{
    struct trailer t;
    off_t end;
    if (!read_trailer(fd, &t, &end) || !t.home_size || t.home_size > PATH_MAX) return "";
    off_t at = end - (off_t)(t.size + t.words_size) - (off_t)t.home_size;
    char *home = arena_alloc(a, t.home_size + 1);
    return at >= 0 && read_at(fd, home, t.home_size, at) ? home : "";
}

/* All that the loader would map is in the file? It does not look itself, and a copy that broke off
 * would be a SIGBUS in the middle of it. What is no ELF file at all it tells by itself. */
static bool
is_whole(const char *path)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return true; /* dlopen has the words */
    bool whole = !fstat(fd, &st) && read_at(fd, &head, sizeof head, 0);
    unsigned parts = whole && !memcmp(head.e_ident, ELFMAG, SELFMAG) ? head.e_phnum : 0;
    for (unsigned i = 0; whole && i < parts; i++) {
        whole = read_at(fd, &part, sizeof part, (off_t)(head.e_phoff + i * sizeof part));
        if (!whole || part.p_type != PT_LOAD) continue;
        whole = part.p_offset + part.p_filesz <= (uint64_t)st.st_size;
    }
    close(fd);
    return whole;
}

/* The library of Fortran writes what it has printed when the process ends, and only if it ends
 * well. It reads this once, when the program loads it. */
static void
write_prints_at_once(void)
{
    setenv("GFORTRAN_UNBUFFERED_PRECONNECTED", "y", 0);
}

/* Only the linker knows what its functions are like, so that is no row of a table. */
static const struct luna_program *
loaded(const struct luna_program *p, void *handle)
{
    static struct luna_program program; /* one in a process */
    program = *p;
    program.stays = (uint32_t)(uintptr_t)dlsym(handle, LUNA_STAYS_SYMBOL);
    return &program;
}

/* RTLD_NOW: a function that is missing is told before anything runs. RTLD_LOCAL: a ucode may be
 * called `write` or `exit` without changing what libc calls. The object is never closed: the
 * program runs until the process ends. */
const struct luna_program *
image_open(const char *path, const char *name)
{
    if (!is_whole(path)) {
        say_error("cannot load the compiled program '%s': the file is not whole", name);
        return NULL;
    }
    write_prints_at_once();
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        say_error("cannot load the compiled program '%s': %s", name, dlerror());
        return NULL;
    }
    const struct luna_program *p = dlsym(handle, "luna_program");
    if (p && p->abi == LUNA_ABI) return loaded(p, handle);
    say_error(p ? "'%s' was compiled by another version of luna" : "'%s' holds no luna program",
              name);
    if (p) say_hint("compile it again");
    dlclose(handle);
    return NULL;
}

/* By our number, not as /proc/self: a debugger opens the same path, and would find its own file. */
void
image_path(char *path, size_t size, int fd)
{
    snprintf(path, size, "/proc/%ld/fd/%d", (long)getpid(), fd);
    if (access(path, R_OK)) snprintf(path, size, "/proc/self/fd/%d", fd); /* of other processes */
}

/* dlopen wants a path, and a folder to write a file into may not exist (a rank on a node without a
 * disk): a file in memory has a path too. */
const struct luna_program *
image_open_bytes(const struct buf *object, const char *name)
{
    int fd = memfd_create("luna-program", MFD_CLOEXEC);
    int e = fd < 0 ? errno : io_write_all(fd, object->data, object->size);
    if (e) {
        say_error("cannot load the compiled program '%s': %s", name, strerror(e));
        return NULL;
    }
    char path[64];
    image_path(path, sizeof path, fd);
    return image_open(path, name); /* fd stays: debuggers find the object through it */
}
