/* prep_file.c - finding, reading and including files. */
#include "lang/prep/prep_state.h"

#include "runtime/base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t
read_all(int fd, char *text, size_t room)
{
    size_t size = 0;
    while (size < room) {
        ssize_t n = read(fd, text + size, room - size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) break;
        size += n;
    }
    return size;
}

/* Reads at most one byte more than we accept. No memory is asked for while the file is open: that
 * may jump away. */
static const char *
read_disk(void *who, struct arena *a, const char *path, size_t *size)
{
    (void)who;
    struct stat st;
    if (stat(path, &st)) return NULL;
    if (S_ISDIR(st.st_mode) || S_ISFIFO(st.st_mode)) { /* a FIFO would be waited for */
        errno = S_ISDIR(st.st_mode) ? EISDIR : ESPIPE;
        return NULL;
    }
    size_t room = PREP_FILE_BYTES_MAX + 1;
    if (S_ISREG(st.st_mode) && (size_t)st.st_size < room) room = st.st_size;
    char *text = arena_alloc(a, room + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    ssize_t n = read_all(fd, text, room);
    int failure = errno;
    close(fd);
    errno = failure;
    *size = n < 0 ? 0 : n;
    return n < 0 ? NULL : text;
}

/* A file is read once, however often it is included. -1 and errno: it cannot be had. */
int
prep_find_file(struct prep_state *p, const char *path)
{
    const struct source *s = p->source;
    for (int i = 0; i < source_file_count(s); i++)
        if (source_file_on_disk(s, i) && !strcmp(source_file_name(s, i), path)) return i;
    size_t size = 0;
    errno = ENOENT;
    const char *text = p->options->read
                           ? p->options->read(p->options->read_who, p->arena, path, &size)
                           : read_disk(NULL, p->arena, path, &size);
    if (!text) return -1;
    if (size > PREP_FILE_BYTES_MAX) {
        errno = EFBIG;
        return -1;
    }
    return source_add_file(p->source, path, text, size, true);
}

/* A zero byte is never part of a program; the passes behind us see blanks. */
static const char *
without_zeros(struct prep_state *p, int origin, const char *text, size_t size)
{
    const char *zero = memchr(text, 0, size);
    if (!zero) return text;
    diag_origin(p->diag, SEV_ERROR, D_PP10, origin, zero - text, 1,
                "zero byte: this is no text file");
    char *copy = arena_strndup(p->arena, text, size);
    for (size_t i = zero - text; i < size; i++)
        if (!copy[i]) copy[i] = ' ';
    return copy;
}

/* Every other byte of plain text is zero there, so nothing of it can be read. */
static bool
is_utf16(const char *text, size_t size)
{
    return size >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2) ||
                         (size >= 4 && !text[0] != !text[1] && !text[2] != !text[3]));
}

static const char *
refuse_utf16(struct prep_state *p, int origin, size_t *size)
{
    diag_origin(p->diag, SEV_ERROR, D_PP10, origin, 0, 1, "this file is in UTF-16");
    diag_hint(p->diag, "save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8");
    *size = 0;
    return "";
}

/* Goes on in a file. A mark of the byte order at its start is no text. */
void
prep_push_file(struct prep_state *p, int file, struct origin o)
{
    struct ptext_piece *all = arena_new_of(p->arena, struct ptext_piece);
    *all = (struct ptext_piece){0, {PTEXT_OWN, 0}};
    o.file = file;
    int origin = source_add_origin(p->source, o);
    size_t size;
    const char *text = source_file_text(p->source, file, &size);
    text = is_utf16(text, size) ? refuse_utf16(p, origin, &size)
                                : without_zeros(p, origin, text, size);
    struct level *l = prep_push(p, (struct ptext){text, size, all, 1}, origin, NULL);
    l->file = file;
    if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) l->at = 3;
}

const char *
prep_beside(struct prep_state *p, const struct level *l, const char *path)
{
    const char *from = source_file_name(p->source, l->file), *slash = strrchr(from, '/');
    if (path[0] == '/' || !slash) return path;
    return arena_printf(p->arena, "%.*s/%s", (int)(slash - from), from, path);
}

/* From the working directory, as the original does; else beside the file with the #include. */
static int
find_include(struct prep_state *p, const struct level *l, const char *path, const char **beside)
{
    *beside = NULL;
    int file = prep_find_file(p, path);
    if (file >= 0 || errno != ENOENT || path[0] == '/') return file;
    const char *there = prep_beside(p, l, path);
    if (there == path) return -1;
    *beside = there;
    return prep_find_file(p, there);
}

/* C and C++ files beside such a file take part in the program, so its folder is kept. */
static int
find_in_library(struct prep_state *p, const char *path)
{
    const char *library = p->options->library, *slash = strrchr(path, '/');
    struct prep *out = p->out;
    errno = ENOENT;
    if (!library) return -1;
    int file = prep_find_file(p, arena_printf(p->arena, "%s/%s", library, path));
    if (file < 0) return -1;
    const char *folder = arena_printf(p->arena, "%s%s%.*s", library, slash ? "/" : "",
                                      slash ? (int)(slash - path) : 0, path);
    for (int i = 0; i < out->nfolders; i++)
        if (!strcmp(out->folders[i], folder)) return file;
    vec_need(p->arena, out->folders, out->nfolders, p->folders_room);
    out->folders[out->nfolders++] = folder;
    return file;
}

static void
report_include(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi, const char *path,
               const char *beside, bool library)
{
    int why = errno;
    if (why == EFBIG)
        PREP_ERROR(p, PP8, l, lo, hi, "'%s' is larger than %d MiB", path,
                   PREP_FILE_BYTES_MAX >> 20);
    else if (why == ESPIPE)
        PREP_ERROR(p, PP8, l, lo, hi,
                   "cannot read '%s': it is a FIFO, and a regular file is needed", path);
    else if (why != ENOENT)
        PREP_ERROR(p, PP8, l, lo, hi, "cannot read '%s': %s", path, strerror(why));
    else
        PREP_ERROR(p, PP8, l, lo, hi, "include target not found: '%s'", path);
    if (library && why == ENOENT)
        diag_hint(p->diag, "<...> is for files that come with luna, as <luna/io.fa>; "
                           "a file of yours stands in quotes");
    else if (why == ENOENT && !strncmp(path, "luna/", 5))
        diag_hint(p->diag, "what comes with luna stands in <...>: #include <%s>", path);
    else if (beside && why == ENOENT)
        diag_hint(p->diag, "looked in the working directory and for '%s'", beside);
    else if (why == ENOENT && path[0] != '/')
        diag_hint(p->diag, "looked in the working directory");
}

/* False after a report: files include each other without
 * end, or so often that it comes to the same. */
static bool
may_include(struct prep_state *p, struct level *l, uint32_t lo, uint32_t hi)
{
    if (p->included_enough) return false;
    if (p->nfiles > PREP_INCLUDES_MAX)
        PREP_ERROR(p, PP9, l, lo, hi, "more than %d files include each other", PREP_INCLUDES_MAX);
    else if (p->included > p->text_max)
        PREP_ERROR(p, PP9, l, lo, hi, "more than %d MiB are included", (int)(p->text_max >> 20));
    else
        return true;
    p->included_enough = true;
    return false;
}

/* The text is read in place: it goes on top of the stack, and the walk
 * does the rest. Bytes count each time, and an empty file costs as
 * well: a.fa that includes b.fa twice, that includes ... doubles. */
void
prep_include(struct prep_state *p, struct level *l, const char *path, bool library, uint32_t start,
             uint32_t lo, uint32_t hi)
{
    const char *beside = NULL;
    if (!may_include(p, l, lo, hi)) return;
    int file = library ? find_in_library(p, path) : find_include(p, l, path, &beside);
    if (file < 0) {
        report_include(p, l, lo, hi, path, beside, library);
        return;
    }
    size_t size;
    source_file_text(p->source, file, &size);
    p->included += size + PREP_USE_COST;
    prep_push_file(p, file,
                   (struct origin){.use = l->origin, .use_offset = start, .use_size = hi - start});
}
