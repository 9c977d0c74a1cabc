/* io_hdf5.c - the HDF5 files of the library io: made once, and asked where their array lies.
 *
 * A data set that is contiguous, allocated early and never filled lies in one piece from the moment
 * it is made. HDF5 tells where (H5Dget_offset), and is not needed any more: not for writing, and
 * not on other nodes.
 *
 * Programs that write .npy alone need no HDF5, so it is opened when the first file asks for it, and
 * its declarations stand here. They are those of 1.10 and all later ones. One thread at a time may
 * be in it. */
#include "io.h"

#include <dlfcn.h>
#include <pthread.h>

/* ---- the library ---- */

typedef int64_t hid;

/* X(result, name, parameters) */
#define FUNCTIONS(X)                                                                               \
    X(int, H5open, (void))                                                                         \
    X(int, H5get_libversion, (unsigned *, unsigned *, unsigned *))                                 \
    X(int, H5Eget_auto2, (hid, void **, void **))                                                  \
    X(int, H5Eset_auto2, (hid, void *, void *))                                                    \
    X(hid, H5Fcreate, (const char *, unsigned, hid, hid))                                          \
    X(hid, H5Fopen, (const char *, unsigned, hid))                                                 \
    X(int, H5Fclose, (hid))                                                                        \
    X(hid, H5Gcreate2, (hid, const char *, hid, hid, hid))                                         \
    X(int, H5Gclose, (hid))                                                                        \
    X(hid, H5Screate_simple, (int, const uint64_t *, const uint64_t *))                            \
    X(int, H5Sget_simple_extent_ndims, (hid))                                                      \
    X(int, H5Sget_simple_extent_dims, (hid, uint64_t *, uint64_t *))                               \
    X(hid, H5Screate, (int))                                                                       \
    X(int, H5Sclose, (hid))                                                                        \
    X(hid, H5Pcreate, (hid))                                                                       \
    X(int, H5Pset_layout, (hid, int))                                                              \
    X(int, H5Pget_layout, (hid))                                                                   \
    X(int, H5Pget_external_count, (hid))                                                           \
    X(int, H5Pset_alloc_time, (hid, int))                                                          \
    X(int, H5Pset_fill_time, (hid, int))                                                           \
    X(int, H5Pset_obj_track_times, (hid, unsigned))                                                \
    X(int, H5Pset_create_intermediate_group, (hid, unsigned))                                      \
    X(int, H5Pclose, (hid))                                                                        \
    X(hid, H5Dcreate2, (hid, const char *, hid, hid, hid, hid, hid))                               \
    X(hid, H5Dopen2, (hid, const char *, hid))                                                     \
    X(uint64_t, H5Dget_offset, (hid))                                                              \
    X(hid, H5Dget_space, (hid))                                                                    \
    X(hid, H5Dget_type, (hid))                                                                     \
    X(hid, H5Dget_create_plist, (hid))                                                             \
    X(int, H5Dclose, (hid))                                                                        \
    X(int, H5Tequal, (hid, hid))                                                                   \
    X(hid, H5Tcopy, (hid))                                                                         \
    X(int, H5Tset_size, (hid, size_t))                                                             \
    X(int, H5Tset_strpad, (hid, int))                                                              \
    X(int, H5Tclose, (hid))                                                                        \
    X(hid, H5Acreate2, (hid, const char *, hid, hid, hid, hid))                                    \
    X(int, H5Awrite, (hid, hid, const void *))                                                     \
    X(int, H5Aclose, (hid))

static struct {
    void *library;
#define MEMBER(result, name, params) result(*name) params;
    FUNCTIONS(MEMBER)
    int (*H5Pset_file_locking)(hid, unsigned, unsigned); /* NULL before 1.10.7 */
} h5;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { /* of H5*public.h */
    TRUNCATE = 2,
    READ_ONLY = 0,
    CONTIGUOUS = 1,
    ALLOCATE_EARLY = 1,
    FILL_NEVER = 1,
    SCALAR = 0,
    NULL_PADDED = 1,
    DIMENSIONS_MAX = 32,
};

/* Types and classes of property lists are variables of the library. */
static hid
value_of(const char *variable)
{
    const hid *at = dlsym(h5.library, variable);
    return at ? *at : -1;
}

static bool
find_functions(void)
{
    bool all = true;
#define FIND(result, name, params)                                                                 \
    *(void **)&h5.name = dlsym(h5.library, #name);                                                 \
    all &= h5.name != NULL;
    FUNCTIONS(FIND)
    *(void **)&h5.H5Pset_file_locking = dlsym(h5.library, "H5Pset_file_locking");
    return all;
}

/* Debian's name comes last: its library without MPI has one of its own. */
static void *
open_any(void)
{
    static const char *const names[] = {"libhdf5.so", "libhdf5_serial.so", "libhdf5_serial.so.103",
                                        "libhdf5_serial.so.310", "libhdf5.so.103", "libhdf5.so.200",
                                        "libhdf5.so.310"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        void *library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
    }
    return NULL;
}

/* NULL, or why there is none. */
static const char *
load(void)
{
    unsigned version[3] = {0};
    if (h5.library) return NULL;
    if (!(h5.library = open_any()))
        return "it needs HDF5, and libhdf5.so was not found: install it (Debian: apt install "
               "libhdf5-103-1), or name its folder in LD_LIBRARY_PATH; .npy needs none";
    if (find_functions() && h5.H5open() >= 0 &&
        h5.H5get_libversion(&version[0], &version[1], &version[2]) >= 0 &&
        (version[0] > 1 || version[1] >= 10))
        return NULL;
    dlclose(h5.library);
    h5.library = NULL;
    return "it needs HDF5 1.10 or later, and the one that was found is another";
}

/* HDF5 prints what goes wrong, in many lines. We say it ourselves; a program that uses HDF5 too
 * keeps its own way. */
struct quiet {
    void *print, *data;
};

static struct quiet
hush(void)
{
    struct quiet was = {0};
    h5.H5Eget_auto2(0, &was.print, &was.data);
    h5.H5Eset_auto2(0, NULL, NULL);
    return was;
}

/* ---- making ---- */

/* A file that is ours alone: HDF5 need not lock it, and could not, as we have. */
static hid
access_list(void)
{
    hid list = h5.H5Pcreate(value_of("H5P_CLS_FILE_ACCESS_ID_g"));
    if (h5.H5Pset_file_locking) h5.H5Pset_file_locking(list, 0, 1);
    return list;
}

static hid
make_data_set(hid at, const char *name, int rank, const uint64_t *n, const char *type)
{
    hid space = h5.H5Screate_simple(rank, n, NULL);
    hid how = h5.H5Pcreate(value_of("H5P_CLS_DATASET_CREATE_ID_g"));
    hid links = h5.H5Pcreate(value_of("H5P_CLS_LINK_CREATE_ID_g"));
    h5.H5Pset_layout(how, CONTIGUOUS);
    h5.H5Pset_alloc_time(how, ALLOCATE_EARLY);
    h5.H5Pset_fill_time(how, FILL_NEVER);
    h5.H5Pset_obj_track_times(how, 0); /* equal runs make equal files */
    h5.H5Pset_create_intermediate_group(links, 1); /* of a name such as fields/u */
    hid set = h5.H5Dcreate2(at, name, value_of(type), space, links, how, 0);
    h5.H5Pclose(links);
    h5.H5Pclose(how);
    h5.H5Sclose(space);
    return set;
}

static bool
add_numbers(hid at, const char *name, const char *type, uint64_t n, const void *values)
{
    hid space = h5.H5Screate_simple(1, &n, NULL), is = value_of(type);
    hid attribute = h5.H5Acreate2(at, name, is, space, 0, 0);
    bool fine = attribute >= 0 && h5.H5Awrite(attribute, is, values) >= 0;
    if (attribute >= 0) h5.H5Aclose(attribute);
    h5.H5Sclose(space);
    return fine;
}

static bool
add_text(hid at, const char *name, const char *text)
{
    hid type = h5.H5Tcopy(value_of("H5T_C_S1_g")), space = h5.H5Screate(SCALAR);
    h5.H5Tset_size(type, strlen(text));
    h5.H5Tset_strpad(type, NULL_PADDED);
    hid attribute = h5.H5Acreate2(at, name, type, space, 0, 0);
    bool fine = attribute >= 0 && h5.H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0) h5.H5Aclose(attribute);
    h5.H5Sclose(space);
    h5.H5Tclose(type);
    return fine;
}

/* An image of VTK: x is its fastest index, our last one. */
static bool
describe_image(hid group, const int64_t n[3])
{
    const int64_t version[] = {1, 0}, extent[] = {0, n[2] - 1, 0, n[1] - 1, 0, n[0] - 1};
    const double origin[3] = {0}, spacing[] = {1, 1, 1}, direction[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    return add_numbers(group, "Version", "H5T_STD_I64LE_g", 2, version) &&
           add_text(group, "Type", "ImageData") &&
           add_numbers(group, "WholeExtent", "H5T_STD_I64LE_g", 6, extent) &&
           add_numbers(group, "Origin", "H5T_IEEE_F64LE_g", 3, origin) &&
           add_numbers(group, "Spacing", "H5T_IEEE_F64LE_g", 3, spacing) &&
           add_numbers(group, "Direction", "H5T_IEEE_F64LE_g", 9, direction);
}

static hid
make_image(hid file, const char *name, const struct luna_io_file *f, const uint64_t n[3])
{
    hid group = h5.H5Gcreate2(file, "VTKHDF", 0, 0, 0);
    hid values = group >= 0 ? h5.H5Gcreate2(group, "PointData", 0, 0, 0) : -1;
    hid set = -1;
    if (values >= 0 && describe_image(group, f->n) && add_text(values, "Scalars", name))
        set = make_data_set(values, name, 3, n, luna_io_types[f->type].hdf5);
    if (values >= 0) h5.H5Gclose(values);
    if (group >= 0) h5.H5Gclose(group);
    return set;
}

static bool
create(const char *path, const char *name, enum luna_io_format format, struct luna_io_file *f)
{
    uint64_t n[] = {(uint64_t)f->n[0], (uint64_t)f->n[1], (uint64_t)f->n[2]};
    hid access = access_list(), file = h5.H5Fcreate(path, TRUNCATE, 0, access), set = -1;
    h5.H5Pclose(access);
    if (file < 0) return false;
    if (format == LUNA_IO_VTKHDF) set = make_image(file, name, f, n);
    else set = make_data_set(file, name, f->dims, n + 3 - f->dims, luna_io_types[f->type].hdf5);
    f->offset = set < 0 ? -1 : (int64_t)h5.H5Dget_offset(set);
    if (set >= 0) h5.H5Dclose(set);
    return h5.H5Fclose(file) >= 0 && f->offset > 0;
}

const char *
luna_io_hdf5_create(const char *path, const char *name, enum luna_io_format format,
                    struct luna_io_file *f, char *words, size_t room)
{
    pthread_mutex_lock(&lock);
    const char *wrong = load();
    if (!wrong) {
        struct quiet was = hush();
        if (!create(path, name, format, f)) {
            snprintf(words, room, "HDF5 refuses the name '%s' or the file", name);
            wrong = words;
        }
        h5.H5Eset_auto2(0, was.print, was.data);
    }
    pthread_mutex_unlock(&lock);
    return wrong;
}

/* ---- reading ---- */

static const char *
read_type(hid set, struct luna_io_file *f)
{
    hid type = h5.H5Dget_type(set);
    for (f->type = 0; f->type < LUNA_IO_TYPES; f->type++)
        if (h5.H5Tequal(type, value_of(luna_io_types[f->type].hdf5)) > 0) break;
    h5.H5Tclose(type);
    return f->type < LUNA_IO_TYPES ? NULL : "has values of a type that io does not read";
}

static const char *
read_shape(hid set, enum luna_io_format format, struct luna_io_file *f)
{
    uint64_t n[DIMENSIONS_MAX] = {0};
    hid space = h5.H5Dget_space(set);
    f->dims = h5.H5Sget_simple_extent_ndims(space);
    bool fits = f->dims >= 1 && f->dims <= 3 && h5.H5Sget_simple_extent_dims(space, n, NULL) >= 0;
    h5.H5Sclose(space);
    if (!fits) return "has not one, two or three dimensions";
    for (int k = 0; k < 3; k++) {
        uint64_t size = k < 3 - f->dims ? 1 : n[k - 3 + f->dims];
        if (size < 1 || size > INT_MAX) return "has no points, or more than 2147483647 in a row";
        f->n[k] = (int64_t)size;
    }
    /* An image has always three, of which a plane has one point in the first. */
    while (format == LUNA_IO_VTKHDF && f->dims > 1 && f->n[3 - f->dims] == 1) f->dims--;
    return NULL;
}

static const char *
read_place(hid set, struct luna_io_file *f)
{
    hid how = h5.H5Dget_create_plist(set);
    bool one_piece = h5.H5Pget_layout(how) == CONTIGUOUS && h5.H5Pget_external_count(how) == 0;
    h5.H5Pclose(how);
    f->offset = (int64_t)h5.H5Dget_offset(set);
    if (!one_piece)
        return "keeps its array in chunks, compressed or elsewhere: h5repack -l CONTI -f NONE "
               "makes a file that has it in one piece";
    return f->offset > 0 ? NULL : "has an array that was never written";
}

static const char *
read_set(hid file, const char *name, enum luna_io_format format, struct luna_io_file *f,
         char *words, size_t room)
{
    snprintf(words, room, "%s%s", format == LUNA_IO_VTKHDF ? "VTKHDF/PointData/" : "", name);
    hid set = h5.H5Dopen2(file, words, 0);
    if (set < 0) {
        snprintf(words, room, "has no data set '%s'", name);
        return words;
    }
    const char *wrong = read_type(set, f);
    if (!wrong) wrong = read_shape(set, format, f);
    if (!wrong) wrong = read_place(set, f);
    h5.H5Dclose(set);
    return wrong;
}

const char *
luna_io_hdf5_open(const char *path, const char *name, enum luna_io_format format,
                  struct luna_io_file *f, char *words, size_t room)
{
    pthread_mutex_lock(&lock);
    const char *wrong = load();
    if (!wrong) {
        struct quiet was = hush();
        hid access = access_list(), file = h5.H5Fopen(path, READ_ONLY, access);
        h5.H5Pclose(access);
        wrong = file < 0 ? "is no HDF5 file" : read_set(file, name, format, f, words, room);
        if (file >= 0) h5.H5Fclose(file);
        h5.H5Eset_auto2(0, was.print, was.data);
    }
    pthread_mutex_unlock(&lock);
    return wrong;
}
