/* source.c - files with their lines, the plain text, and the table of pieces that joins the two. */
#include "lang/report/source.h"

#include "runtime/base/utf8.h"
#include "runtime/base/vec.h"

#include <assert.h>
#include <string.h>

enum { MARK = 128 };

struct file {
    const char *name, *text;
    uint32_t size;
    bool on_disk;
    /* Made when the first place in the file is asked for. */
    uint32_t *lines; /* offset of each line's start */
    uint32_t nlines;
    uint32_t *chars; /* characters before each MARK bytes, as a line may be long */
};

/* Plain text from `lo` to the next piece's `lo`. */
struct piece {
    uint32_t lo, offset;
    int origin;
    uint32_t file_size; /* 0: byte for byte */
};

struct source {
    struct arena *arena;
    struct file *files;
    int nfiles, files_room;
    struct origin *origins;
    int norigins, origins_room;
    struct piece *pieces;
    uint32_t npieces, pieces_room;
    char *text;
    size_t size, text_room;
};

struct source *
source_new(struct arena *a)
{
    struct source *s = arena_new_of(a, struct source);
    s->arena = a;
    s->text_room = 4096;
    s->text = arena_alloc(a, s->text_room);
    return s;
}

int
source_add_file(struct source *s, const char *name, const char *text, size_t size, bool on_disk)
{
    vec_need(s->arena, s->files, s->nfiles, s->files_room);
    s->files[s->nfiles] = (struct file){
        .name = arena_strdup(s->arena, name), .text = text, .size = size, .on_disk = on_disk};
    return s->nfiles++;
}

int
source_add_origin(struct source *s, struct origin o)
{
    vec_need(s->arena, s->origins, s->norigins, s->origins_room);
    s->origins[s->norigins] = o;
    return s->norigins++;
}

static void
piece_add(struct source *s, struct piece p)
{
    vec_need(s->arena, s->pieces, s->npieces, s->pieces_room);
    s->pieces[s->npieces++] = p;
}

/* Whether text of `origin` at `offset` goes on where the last piece ends. */
static bool
piece_continues(const struct source *s, int origin, uint32_t offset)
{
    if (!s->npieces) return false;
    const struct piece *last = &s->pieces[s->npieces - 1];
    return !last->file_size && last->origin == origin &&
           last->offset + (s->size - last->lo) == offset;
}

void
source_add_text(struct source *s, int origin, uint32_t offset, uint32_t file_size,
                const char *bytes, size_t size)
{
    if (!size) return;
    vec_need_many(s->arena, s->text, s->size, size + 1, s->text_room);
    if (file_size || !piece_continues(s, origin, offset))
        piece_add(s, (struct piece){s->size, offset, origin, file_size});
    memcpy(s->text + s->size, bytes, size);
    s->size += size;
    s->text[s->size] = 0;
}

const char *
source_text(const struct source *s, size_t *size)
{
    if (size) *size = s->size;
    return s->text;
}

/* ---- from offsets to lines and columns ---- */

/* Counted first, so that the array is made once. Most files are asked for, as each statement has a
 * place; libraries that are included may not be. */
static void
file_index_lines(struct arena *a, struct file *f)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < f->size; i++) n += f->text[i] == '\n';
    f->lines = arena_array(a, uint32_t, n);
    f->nlines = 1;
    for (uint32_t i = 0; i < f->size; i++)
        if (f->text[i] == '\n') f->lines[f->nlines++] = i + 1;
}

static void
file_index_chars(struct arena *a, struct file *f)
{
    f->chars = arena_array(a, uint32_t, f->size / MARK + 1);
    for (uint32_t i = 0, n = 0; i < f->size; i++) {
        if (i % MARK == 0) f->chars[i / MARK] = n;
        n += utf8_begins(f->text[i]);
    }
}

/* The 0-based line that holds `offset`. */
static uint32_t
file_line(const struct file *f, uint32_t offset)
{
    uint32_t lo = 0, hi = f->nlines;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (f->lines[mid] <= offset)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* Before `offset`: bytes that do not continue a UTF-8 sequence. */
static uint32_t
file_chars(const struct file *f, uint32_t offset)
{
    uint32_t mark = offset && offset == f->size ? (offset - 1) / MARK : offset / MARK;
    uint32_t n = f->chars[mark];
    for (uint32_t at = mark * MARK; at < offset; at++) n += utf8_begins(f->text[at]);
    return n;
}

static uint32_t
file_col(const struct file *f, uint32_t line, uint32_t offset)
{
    return file_chars(f, offset) - file_chars(f, f->lines[line]);
}

/* A place may lie behind the end (a missing brace) or be longer than the file: it is cut. */
static void
file_place(const struct source *s, int number, uint32_t offset, uint32_t size, struct place *out)
{
    struct file *f = &s->files[number];
    if (!f->lines) {
        file_index_lines(s->arena, f);
        file_index_chars(s->arena, f);
    }
    if (offset > f->size) offset = f->size;
    if (size > f->size - offset) size = f->size - offset;
    uint32_t line = file_line(f, offset), start = f->lines[line];
    uint32_t stop = line + 1 < f->nlines ? f->lines[line + 1] - 1 : f->size;
    if (stop > start && f->text[stop - 1] == '\r') stop--;
    *out = (struct place){.file = f->name,
                          .line = line + 1,
                          .col = file_col(f, line, offset) + 1,
                          .line_text = f->text + start,
                          .line_size = stop - start};
    uint32_t end_line = size ? file_line(f, offset + size - 1) : line;
    out->end_line = end_line + 1;
    out->end_col = size ? file_col(f, end_line, offset + size) + 1 : out->col;
}

/* ---- from the plain text to files ---- */

/* Bytes of an origin's file. */
struct spot {
    int origin;
    uint32_t lo, hi;
};

/* The last piece that begins at or before the byte. A piece that stands for other bytes of the file
 * (a block for ${0}) is one spot as a whole. */
static struct spot
spot_of_byte(const struct source *s, uint32_t at)
{
    assert(s->npieces && at < s->size);
    uint32_t lo = 0, hi = s->npieces;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->pieces[mid].lo <= at)
            lo = mid;
        else
            hi = mid;
    }
    const struct piece *p = &s->pieces[lo];
    if (p->file_size) return (struct spot){p->origin, p->offset, p->offset + p->file_size};
    uint32_t offset = p->offset + (at - p->lo);
    return (struct spot){p->origin, offset, offset + 1};
}

/* One level out: from a macro's body to its use, from a file to the #include. */
static struct spot
spot_of_use(const struct source *s, struct spot at)
{
    const struct origin *o = &s->origins[at.origin];
    assert(o->use >= 0 && o->use < at.origin);
    return (struct spot){o->use, o->use_offset, o->use_offset + o->use_size};
}

/* The innermost origin that holds both ends: a parent's number is always below its children's. */
static struct spot
spot_join(const struct source *s, struct spot a, struct spot b)
{
    while (a.origin != b.origin)
        if (a.origin > b.origin)
            a = spot_of_use(s, a);
        else
            b = spot_of_use(s, b);
    /* The arguments of a macro may come out in another order than they were written. */
    return (struct spot){a.origin, a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/* The end of the program, behind its last word. */
static struct spot
spot_of_end(const struct source *s)
{
    const struct file *f = &s->files[s->origins[0].file];
    uint32_t at = f->size;
    while (at && strchr(" \t\r\n", f->text[at - 1])) at--;
    return (struct spot){0, at, at};
}

static struct spot
spot_of_span(const struct source *s, struct span span)
{
    if (span.lo >= s->size) return spot_of_end(s);
    if (span.hi > s->size) span.hi = s->size;
    struct spot spot = spot_of_byte(s, span.lo);
    if (span.hi > span.lo + 1) return spot_join(s, spot, spot_of_byte(s, span.hi - 1));
    if (span.hi == span.lo) spot.hi = spot.lo;
    return spot;
}

/* `depth` uses further out; false when there are not so
 * many. `why` says what the user did there. */
static bool
spot_place(const struct source *s, struct spot spot, int depth, struct place *out, const char **why)
{
    const struct origin *o = &s->origins[spot.origin];
    const char *macro = NULL;
    for (int i = 0; i < depth; i++) {
        if (o->use < 0) return false;
        macro = o->macro;
        spot = spot_of_use(s, spot);
        o = &s->origins[spot.origin];
    }
    file_place(s, o->file, spot.lo, spot.hi - spot.lo, out);
    if (!why) return true;
    *why = !depth  ? NULL
           : macro ? arena_printf(s->arena, "in macro '%s', used here", macro)
                   : "included from here";
    return true;
}

bool
source_place(const struct source *s, struct span span, int depth, struct place *out,
             const char **why)
{
    if (!s->norigins) return false;
    return spot_place(s, spot_of_span(s, span), depth, out, why);
}

bool
source_origin_place(const struct source *s, int origin, uint32_t offset, uint32_t size, int depth,
                    struct place *out, const char **why)
{
    if (origin < 0 || origin >= s->norigins) return false;
    return spot_place(s, (struct spot){origin, offset, offset + size}, depth, out, why);
}

int
source_file_count(const struct source *s)
{
    return s->nfiles;
}

const char *
source_file_name(const struct source *s, int file)
{
    return s->files[file].name;
}

const char *
source_file_text(const struct source *s, int file, size_t *size)
{
    if (size) *size = s->files[file].size;
    return s->files[file].text;
}

bool
source_file_on_disk(const struct source *s, int file)
{
    return s->files[file].on_disk;
}
