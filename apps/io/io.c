/* io.c - the library io: arrays cut into fragments, in files (docs/io.md). See io.h for how. */
#define _GNU_SOURCE /* fallocate */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

const struct luna_io_type luna_io_types[LUNA_IO_TYPES] = {
    {"real", "<f8", "H5T_IEEE_F64LE_g", 8},
    {"float", "<f4", "H5T_IEEE_F32LE_g", 4},
    {"int", "<i4", "H5T_STD_I32LE_g", 4},
    {"int64", "<i8", "H5T_STD_I64LE_g", 8},
};

static const char magic[8] = "luna.io";
static const char *const suffixes[LUNA_IO_FORMATS] = {".npy", ".h5", ".vtkhdf"};

/* ---- words ---- */

const char *
luna_io_shape(int dims, const int64_t *n, char text[static 64])
{
    int at = 0;
    for (int k = 3 - dims; k < 3; k++)
        at += snprintf(text + at, 64 - (size_t)at, "%s%lld", k > 3 - dims ? " x " : "",
                       (long long)n[k]);
    return text;
}

enum { PART_MAX = PATH_MAX + 8 };

static const char *
part_of(const struct luna_io_file *f, char text[static PART_MAX])
{
    snprintf(text, PART_MAX, "%s.part", f->path);
    return text;
}

/* ---- what a file is ---- */

static enum luna_io_format
format_of(const char *path)
{
    size_t n = strlen(path);
    if (n > PATH_MAX - 16) luna_fail("the name of the file has %zu bytes: too many", n);
    for (int k = 0; k < LUNA_IO_FORMATS; k++) {
        size_t m = strlen(suffixes[k]);
        if (n > m && !strcmp(path + n - m, suffixes[k])) return k;
    }
    luna_fail("'%s' ends neither in .npy nor in .h5 or .vtkhdf, so its format is not known", path);
}

static int
type_of(const char *type)
{
    for (int k = 0; k < LUNA_IO_TYPES; k++)
        if (!strcmp(luna_io_types[k].name, type)) return k;
    luna_fail("'%s' is none of the types real, float, int, int64", type);
}

/* Of sizes as programs give them, 0 for dimensions that are not there. */
static int
dims_of(int ny, int nz)
{
    return nz != 0 ? 3 : ny != 0 ? 2 : 1;
}

static void
align_right(int dims, int64_t a, int64_t b, int64_t c, int64_t missing, int64_t out[3])
{
    int64_t all[3] = {a, b, c};
    for (int k = 0; k < 3; k++) out[k] = k < 3 - dims ? missing : all[k - 3 + dims];
}

static void
set_bytes(struct luna_io_file *f)
{
    int64_t bytes = luna_io_types[f->type].bytes;
    for (int k = 0; k < 3; k++)
        if (__builtin_mul_overflow(bytes, f->n[k], &bytes))
            luna_fail("'%s' would have more bytes than a file can", f->path);
    f->bytes = bytes;
}

static const struct luna_io_file *
file_in(const luna_df *df, bool writing)
{
    bool fits = luna_type(df) == LUNA_DF_VALUE && luna_size(df) > sizeof magic;
    const struct luna_io_file *f = fits ? luna_data(df) : NULL;
    if (!f || memcmp(f->magic, magic, sizeof magic))
        luna_fail("the first argument is no file of io_create or io_open");
    if (writing && !f->writing) luna_fail("'%s' was opened for reading, by io_open", f->path);
    if (!writing && f->writing) luna_fail("'%s' is being written, and cannot be read", f->path);
    return f;
}

/* ---- boxes ---- */

static struct luna_io_box
box_in(const struct luna_io_file *f, int x, int y, int z, int nx, int ny, int nz)
{
    struct luna_io_box b;
    int at[] = {x, y, z}, n[] = {nx, ny, nz};
    bool fits = true;
    for (int k = f->dims; k < 3; k++) fits &= at[k] == 0 && (n[k] == 0 || n[k] == 1);
    align_right(f->dims, x, y, z, 0, b.at);
    align_right(f->dims, nx, ny, nz, 1, b.n);
    for (int k = 0; k < 3; k++) fits &= b.at[k] >= 0 && b.n[k] >= 0 && b.at[k] + b.n[k] <= f->n[k];
    char file[64];
    if (!fits)
        luna_fail(
            "the block of %d x %d x %d points at (%d, %d, %d) is not within '%s', which has %s", nx,
            ny, nz, x, y, z, f->path, luna_io_shape(f->dims, f->n, file));
    return b;
}

static int64_t
box_points(const struct luna_io_box *b)
{
    return b->n[0] * b->n[1] * b->n[2];
}

/* How many points of the box, beginning with any row, lie in one piece of the file. */
static int64_t
run_of(const struct luna_io_file *f, const struct luna_io_box *b)
{
    if (b->n[2] < f->n[2]) return b->n[2];
    return b->n[1] < f->n[1] ? b->n[1] * b->n[2] : box_points(b);
}

/* The number in the file of the box's point `k`, which begins a row. */
static int64_t
point_at(const struct luna_io_file *f, const struct luna_io_box *b, int64_t k)
{
    int64_t x = b->at[0] + k / (b->n[1] * b->n[2]), y = b->at[1] + k / b->n[2] % b->n[1];
    return (x * f->n[1] + y) * f->n[2] + b->at[2];
}

/* ---- which points: sums over all of them, modulo 2^64 ---- */

/* Added up over all blocks they must be those of the whole array. Blocks that are written twice in
 * place of others give the same number of points, but not of the squares of their numbers. */
struct sums {
    uint64_t blocks, against; /* against = -blocks: no sum of doubles comes to that */
    uint64_t points, coordinates[3], squares;
};

/* The squares of first .. first + n - 1. */
static uint64_t
squares_of(int64_t first, int64_t n)
{
    unsigned __int128 a = (unsigned __int128)first, m = (unsigned __int128)n;
    return (uint64_t)(m * a * a + a * m * (m - 1) + (m - 1) * m * (2 * m - 1) / 6);
}

static struct sums
sums_of(const struct luna_io_file *f, const struct luna_io_box *b)
{
    int64_t points = box_points(b), run = run_of(f, b);
    struct sums s = {1, -(uint64_t)1, (uint64_t)points, {0}, 0};
    for (int k = 0; k < 3; k++) {
        __int128 twice = (__int128)points * (2 * b->at[k] + b->n[k] - 1);
        s.coordinates[k] = (uint64_t)(twice / 2);
    }
    for (int64_t k = 0; k < points; k += run) s.squares += squares_of(point_at(f, b, k), run);
    return s;
}

static struct sums
sums_of_all(const struct luna_io_file *f)
{
    struct luna_io_box all = {{0}, {f->n[0], f->n[1], f->n[2]}};
    return sums_of(f, &all);
}

/* The middle of the points that `a` has and `b` has not, if they are one block. */
static const char *
middle_of(int dims, const struct sums *a, const struct sums *b, char text[static 96])
{
    double points = (double)(int64_t)(a->points - b->points);
    int at = snprintf(text, 96, "(");
    for (int k = 3 - dims; k < 3; k++)
        at += snprintf(text + at, 96 - (size_t)at, "%s%.1f", k > 3 - dims ? ", " : "",
                       (double)(int64_t)(a->coordinates[k] - b->coordinates[k]) / points);
    snprintf(text + at, 96 - (size_t)at, ")");
    return text;
}

static void
check_sums(const struct luna_io_file *f, const luna_df *df)
{
    char middle[96];
    struct sums all = sums_of_all(f), s = {0};
    if (luna_type(df) == LUNA_DF_VALUE && luna_size(df) == sizeof s)
        memcpy(&s, luna_data(df), sizeof s);
    if (!s.blocks || s.blocks + s.against)
        luna_fail("the second argument is no sum of what io_write has made: reduce + "
                  "int64(wrote[i]) over i = ... => sum");
    if (s.points < all.points)
        luna_fail(
            "'%s' is not complete: %llu of %llu points have been written; what is missing has "
            "its middle at %s. It stays as '%s.part'",
            f->path, (unsigned long long)s.points, (unsigned long long)all.points,
            middle_of(f->dims, &all, &s, middle), f->path);
    if (s.points > all.points)
        luna_fail(
            "'%s' has %llu points, but %llu have been written: what was written twice has its "
            "middle at %s. It stays as '%s.part'",
            f->path, (unsigned long long)all.points, (unsigned long long)s.points,
            middle_of(f->dims, &s, &all, middle), f->path);
    if (s.squares != all.squares || memcmp(s.coordinates, all.coordinates, sizeof s.coordinates))
        luna_fail("as many points of '%s' as it has have been written, but some of them twice, and "
                  "others never. It stays as '%s.part'",
                  f->path, f->path);
}

/* ---- the mark behind the array of a file that is being written ---- */

static void
mark_of(const struct luna_io_file *f, unsigned char mark[static LUNA_IO_MARK])
{
    uint64_t hash = 14695981039346656037u;
    const int64_t all[] = {f->n[0], f->n[1], f->n[2], f->type, f->offset, f->file_bytes};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        hash = (hash ^ (uint64_t)all[k]) * 1099511628211u;
    memcpy(mark, magic, 8);
    memcpy(mark + 8, &hash, 8);
}

/* Where machines do not share the folder, each has another file there, or none. */
static struct luna_io_fd
open_part(const struct luna_io_file *f)
{
    struct luna_io_fd fd;
    char part[PART_MAX];
    unsigned char mark[LUNA_IO_MARK], found[LUNA_IO_MARK] = {0};
    int e = luna_io_fd_take(part_of(f, part), true, &fd);
    if (e)
        luna_fail("cannot open '%s', which io_create has made: %s%s", part, strerror(e),
                  e == ENOENT ? ". Do all machines share its folder?" : "");
    mark_of(f, mark);
    ssize_t n = pread(fd.fd, found, sizeof found, f->file_bytes);
    if (n == sizeof found && !memcmp(mark, found, sizeof mark)) return fd;
    luna_io_fd_back(&fd);
    luna_fail("'%s' is not the file that io_create has made. Do all machines share its folder?",
              part);
}

/* ---- making a file ---- */

/* Two runs that write to one file would both think that it is theirs. Where there are no locks they
 * can. */
static int
open_alone(const char *path, const char *part)
{
    struct stat st;
    if (!stat(path, &st) && S_ISDIR(st.st_mode)) /* io_close could not give it this name */
        luna_fail("cannot make '%s': a folder has this name", path);
    int fd = open(part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) luna_fail("cannot make '%s': %s", part, strerror(errno));
    if (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) return fd;
    close(fd);
    luna_fail("'%s' is being written already, by this run or another one", part);
}

/* A disk that is too small is noticed now, not after hours; later, where room cannot be asked. */
static int
ask_for_room(int fd, int64_t bytes)
{
    int e = fallocate(fd, 0, 0, bytes) ? errno : 0;
    if (e == EOPNOTSUPP || e == ENOSYS || e == EINVAL) e = ftruncate(fd, bytes) ? errno : 0;
    return e;
}

static void
give_up(const char *part, int fd, const char *path, const char *words)
{
    unlink(part);
    close(fd);
    luna_fail("cannot make '%s': %s", path, words);
}

static void
make(int fd, const char *part, const char *name, struct luna_io_file *f)
{
    char words[256];
    enum luna_io_format format = format_of(f->path);
    const char *wrong = NULL;
    struct stat st;
    if (ftruncate(fd, 0)) {
        wrong = strerror(errno);
    } else if (format == LUNA_IO_NPY) {
        int e = luna_io_npy_create(fd, f);
        if (e) wrong = strerror(e);
    } else {
        wrong = luna_io_hdf5_create(part, name, format, f, words, sizeof words);
    }
    if (wrong) give_up(part, fd, f->path, wrong);
    f->file_bytes = f->offset + f->bytes;
    if (!fstat(fd, &st) && st.st_size > f->file_bytes) f->file_bytes = st.st_size;
}

static void
give_room(int fd, const char *part, const struct luna_io_file *f)
{
    unsigned char mark[LUNA_IO_MARK];
    mark_of(f, mark);
    int e = ask_for_room(fd, f->file_bytes + LUNA_IO_MARK);
    if (!e && pwrite(fd, mark, sizeof mark, f->file_bytes) != sizeof mark) e = errno;
    if (!e) return;
    char words[128];
    snprintf(words, sizeof words, "no room for %lld bytes: %s", (long long)f->file_bytes,
             strerror(e));
    give_up(part, fd, f->path, words);
}

/* Of one array io_create may make the file again, as a checkpoint; for another one it would take
 * the place of the first. */
static void
check_name(const struct luna_io_file *f, const char *name)
{
    char before[64];
    if (luna_io_made(f->path, format_of(f->path) == LUNA_IO_NPY ? "" : name, before, sizeof before))
        return;
    luna_fail("'%s' is for '%s' and '%s': a file holds one array, make one for each", f->path,
              before, name);
}

static void
give_file(luna_df *df, const struct luna_io_file *f)
{
    void *value = luna_create(df, luna_io_file_bytes(f));
    memcpy(value, f, luna_io_file_bytes(f));
}

void
luna_io_create(const char *path, const char *name, const char *type, int nx, int ny, int nz,
               luna_df *file)
{
    struct luna_io_file f = {.writing = 1, .type = type_of(type), .dims = dims_of(ny, nz)};
    char part[PART_MAX];
    format_of(path); /* it fits */
    memcpy(f.magic, magic, sizeof magic);
    strcpy(f.path, path);
    if (nx < 1 || (f.dims > 1 && ny < 1) || (f.dims > 2 && nz < 1))
        luna_fail("'%s' cannot have %d x %d x %d points", path, nx, ny, nz);
    align_right(f.dims, nx, ny, nz, 1, f.n);
    set_bytes(&f);
    check_name(&f, name);
    int fd = open_alone(path, part_of(&f, part));
    make(fd, part, name, &f);
    give_room(fd, part, &f);
    luna_io_fd_keep(part, fd);
    give_file(file, &f);
}

/* ---- blocks ---- */

static int
write_all(int fd, const char *bytes, int64_t n, int64_t at)
{
    while (n > 0) {
        ssize_t done = pwrite(fd, bytes, (size_t)n, at);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        bytes += done, at += done, n -= done;
    }
    return 0;
}

static int
write_box(int fd, const struct luna_io_file *f, const struct luna_io_box *b, const char *values)
{
    int64_t size = luna_io_types[f->type].bytes, run = run_of(f, b), points = box_points(b);
    int e = 0;
    for (int64_t k = 0; k < points && !e; k += run)
        e = write_all(fd, values + k * size, run * size, f->offset + point_at(f, b, k) * size);
    return e;
}

/* On a file system of one machine io_close sees to all that has been written. Of others each
 * machine keeps a part, and a failure to send it is told to that machine alone. */
static bool
is_of_one_machine(int fd)
{
    static const uint32_t local[] = {0xef53 /* ext */,
                                     0x58465342 /* xfs */,
                                     0x9123683e /* btrfs */,
                                     0x01021994 /* tmpfs */,
                                     0x794c7630 /* overlay */,
                                     0x2fc12fc1 /* zfs */,
                                     0xf2f52010 /* f2fs */};
    struct statfs st;
    if (fstatfs(fd, &st)) return false;
    for (size_t k = 0; k < sizeof local / sizeof *local; k++)
        if ((uint32_t)st.f_type == local[k]) return true;
    return false;
}

union scalar {
    int i;
    double d;
};

/* The values of a block: an array, or, of one point, a number. */
static const void *
values_in(const luna_df *block, const struct luna_io_file *f, int64_t points, union scalar *scalar)
{
    const char *type = luna_io_types[f->type].name;
    int64_t bytes = points * luna_io_types[f->type].bytes;
    enum luna_df_type is = luna_type(block);
    if (is == LUNA_DF_INT && !strcmp(type, "int"))
        scalar->i = luna_get_int(block);
    else if (is == LUNA_DF_REAL && !strcmp(type, "real"))
        scalar->d = luna_get_real(block);
    else if (is != LUNA_DF_VALUE)
        luna_fail("the block is %s, but '%s' has values of the type %s",
                  is == LUNA_DF_INT    ? "an int"
                  : is == LUNA_DF_REAL ? "a real"
                                       : "a string",
                  f->path, type);
    if ((int64_t)luna_size(block) != bytes)
        luna_fail("the block has %zu bytes, but %lld points of the type %s, as in '%s', are %lld",
                  luna_size(block), (long long)points, type, f->path, (long long)bytes);
    return is == LUNA_DF_VALUE ? luna_data(block) : scalar;
}

void
luna_io_write(const luna_df *file, const luna_df *block, int x, int y, int z, int nx, int ny,
              int nz, luna_df *wrote)
{
    const struct luna_io_file *f = file_in(file, true);
    struct luna_io_box b = box_in(f, x, y, z, nx, ny, nz);
    union scalar scalar;
    const char *values = values_in(block, f, box_points(&b), &scalar);
    struct luna_io_fd fd = open_part(f);
    int e = write_box(fd.fd, f, &b, values);
    if (!e && !is_of_one_machine(fd.fd) && fdatasync(fd.fd)) e = errno;
    luna_io_fd_back(&fd);
    if (e) luna_fail("cannot write to '%s.part': %s", f->path, strerror(e));
    struct sums s = sums_of(f, &b);
    memcpy(luna_create(wrote, sizeof s), &s, sizeof s);
}

/* ---- the end ---- */

/* A name that a crash of the machine cannot take back. */
static int
sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int e = fd < 0 || fsync(fd) ? errno : 0;
    if (fd >= 0) close(fd);
    return e == EINVAL ? 0 : e; /* some file systems do this by themselves */
}

static int
finish(int fd, const char *part, const struct luna_io_file *f)
{
    if (ftruncate(fd, f->file_bytes) || fsync(fd) || rename(part, f->path)) return errno;
    return sync_folder(f->path);
}

void
luna_io_close(const luna_df *file, const luna_df *wrote)
{
    const struct luna_io_file *f = file_in(file, true);
    char part[PART_MAX];
    check_sums(f, wrote);
    struct luna_io_fd fd = open_part(f);
    int e = finish(fd.fd, part_of(f, part), f);
    luna_io_fd_back(&fd);
    luna_io_fd_drop(part);
    if (!e) luna_io_made_whole(f->path);
    if (!e) e = luna_io_series_add(f->path);
    if (e) luna_fail("cannot finish '%s': %s", f->path, strerror(e));
}

/* ---- reading ---- */

static void
read_head(struct luna_io_file *f, const char *name)
{
    char words[256];
    enum luna_io_format format = format_of(f->path);
    const char *wrong;
    struct stat st;
    int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO would be waited for */
    int e = fd < 0 || fstat(fd, &st) ? errno : S_ISDIR(st.st_mode) ? EISDIR : 0;
    if (e) luna_fail("cannot read '%s': %s", f->path, strerror(e));
    if (!S_ISREG(st.st_mode)) luna_fail("cannot read '%s': it is no regular file", f->path);
    if (format == LUNA_IO_NPY)
        wrong = luna_io_npy_open(fd, f, words, sizeof words);
    else
        wrong = luna_io_hdf5_open(f->path, name, format, f, words, sizeof words);
    close(fd);
    if (wrong) luna_fail("'%s' %s", f->path, wrong);
    set_bytes(f);
    f->file_bytes = st.st_size;
    if (f->offset + f->bytes > st.st_size)
        luna_fail("'%s' is too short: it has %lld of %lld bytes of its array", f->path,
                  (long long)(st.st_size > f->offset ? st.st_size - f->offset : 0),
                  (long long)f->bytes);
}

/* "all x 5 x 0" */
static void
shape_wanted(const int want[3], char *text, size_t room)
{
    size_t n = 0;
    for (int k = 0; k < 3 && n < room; k++) {
        n += (size_t)snprintf(text + n, room - n, "%s", k ? " x " : "");
        if (n >= room) break;
        n += (size_t)(want[k] == -1 ? snprintf(text + n, room - n, "all")
                                    : snprintf(text + n, room - n, "%d", want[k]));
    }
}

/* Sizes that the program gives as -1, `all`, may be anything. */
static void
check_shape(const struct luna_io_file *f, const int want[3])
{
    char text[64], wanted[64];
    bool fits = true;
    for (int k = 0; k < 3; k++) {
        int64_t n = k < f->dims ? f->n[3 - f->dims + k] : 0;
        fits &= want[k] == -1 || want[k] == n;
    }
    shape_wanted(want, wanted, sizeof wanted);
    if (!fits)
        luna_fail("'%s' has %s points, not %s (0: no such dimension)", f->path,
                  luna_io_shape(f->dims, f->n, text), wanted);
}

void
luna_io_open(const char *path, const char *name, const char *type, int nx, int ny, int nz,
             luna_df *file)
{
    struct luna_io_file f = {.writing = 0};
    int wanted = type_of(type);
    format_of(path); /* it fits */
    memcpy(f.magic, magic, sizeof magic);
    strcpy(f.path, path);
    read_head(&f, name);
    if (f.type != wanted)
        luna_fail("'%s' has values of the type %s, not %s", path, luna_io_types[f.type].name, type);
    check_shape(&f, (int[]){nx, ny, nz});
    give_file(file, &f);
}

void
luna_io_size(const luna_df *file, luna_df *nx, luna_df *ny, luna_df *nz)
{
    const struct luna_io_file *f = file_in(file, false);
    luna_df *out[] = {nx, ny, nz};
    for (int k = 0; k < 3; k++) luna_set_int(out[k], k < f->dims ? (int)f->n[3 - f->dims + k] : 0);
}

static int
read_all(int fd, char *bytes, int64_t n, int64_t at)
{
    while (n > 0) {
        ssize_t done = pread(fd, bytes, (size_t)n, at);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        if (done == 0) return ENODATA;
        bytes += done, at += done, n -= done;
    }
    return 0;
}

static int
read_box(const struct luna_io_file *f, const struct luna_io_box *b, char *values)
{
    int64_t size = luna_io_types[f->type].bytes, run = run_of(f, b), points = box_points(b);
    struct luna_io_fd fd;
    struct stat st;
    int e = luna_io_fd_take(f->path, false, &fd);
    if (e) return e;
    if (fstat(fd.fd, &st) || st.st_size != f->file_bytes) e = ESTALE;
    for (int64_t k = 0; k < points && !e; k += run)
        e = read_all(fd.fd, values + k * size, run * size, f->offset + point_at(f, b, k) * size);
    luna_io_fd_back(&fd);
    return e;
}

void
luna_io_read(const luna_df *file, int x, int y, int z, int nx, int ny, int nz, luna_df *block)
{
    const struct luna_io_file *f = file_in(file, false);
    struct luna_io_box b = box_in(f, x, y, z, nx, ny, nz);
    size_t bytes = (size_t)(box_points(&b) * luna_io_types[f->type].bytes);
    int e = read_box(f, &b, luna_create(block, bytes));
    if (e == ESTALE || e == ENODATA)
        luna_fail("'%s' is not the file that io_open has seen: another program has changed it, or "
                  "machines do not share its folder",
                  f->path);
    if (e) luna_fail("cannot read '%s': %s", f->path, strerror(e));
}
