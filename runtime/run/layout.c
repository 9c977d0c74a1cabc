/* layout.c - reading what the user says about cells and nodes. */
#include "layout.h"

#include "runtime/base/clean.h"
#include "runtime/base/colour.h"
#include "runtime/base/exit.h"
#include "runtime/base/io.h"
#include "runtime/base/mem.h"
#include "runtime/table/cells.h"
#include "runtime/run/ranks.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
layout_refuse(const char *fmt, ...)
{
    va_list ap;
    if (ranks_number()) return false; /* rank 0 says the same */
    va_start(ap, fmt);
    fprintf(stderr, "luna: %serror:%s ", colour(COLOUR_ERROR), colour(COLOUR_END));
    clean_print_va(fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return false;
}

/* ---- --lattice=AxB ---- */

static bool
read_sides(struct lattice *l, const char *text)
{
    int32_t side[LATTICE_DIMS_MAX];
    const char *at = text;
    bool more = false;
    int n = 0;
    while (n < LATTICE_DIMS_MAX) {
        char *end;
        long v = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : 0;
        if (v < 1 || v > INT32_MAX) break;
        side[n++] = (int32_t)v;
        at = end;
        more = *at == 'x';
        if (!more) break;
        at++;
    }
    return n && !*at && !more && lattice_init(l, n, side);
}

static bool
read_lattice(struct lattice *l, const char *text, int nodes)
{
    if (!read_sides(l, text))
        return layout_refuse("--lattice=%s: it is written as sides with an x between, as 4x2",
                             text);
    long long all = lattice_size(l);
    if (all != nodes)
        return layout_refuse("--lattice=%s has %lld nodes, but the run has %d (-n)", text, all,
                             nodes);
    return true;
}

/* ---- --start=FILE: numbers of nodes, cell by cell ---- */

struct words {
    FILE *file;
    const char *path;
    int line;
};

/* The next word into `text`; false: the end. From # on a line is a comment. */
static bool
next_word(struct words *w, char *text, size_t size)
{
    size_t n = 0;
    int c;
    while ((c = getc(w->file)) != EOF) {
        if (c == '#')
            while ((c = getc(w->file)) != EOF && c != '\n') continue;
        if (c == '\n') w->line += !n;
        if (c == EOF || isspace(c)) {
            if (n && c == '\n') ungetc(c, w->file);
            if (n) break;
        } else if (n + 1 < size) {
            text[n++] = (char)c;
        }
    }
    text[n] = 0;
    return n > 0;
}

static bool
read_numbers(struct words *w, int *owners, uint32_t cells, int nodes)
{
    char text[32];
    uint32_t n = 0;
    for (; next_word(w, text, sizeof text); n++) {
        char *end;
        long v = strtol(text, &end, 10);
        if (n == cells)
            return layout_refuse("%s:%d: a number too many: there are %" PRIu32 " cells", w->path,
                                 w->line, cells);
        if (*end || v < 0 || v >= nodes)
            return layout_refuse("%s:%d: '%s' is no node: they are 0..%d", w->path, w->line, text,
                                 nodes - 1);
        owners[n] = (int)v;
    }
    if (ferror(w->file))
        return layout_refuse("--start=%s: cannot read it: %s", w->path, strerror(errno));
    if (n == cells) return true;
    return layout_refuse("%s: %" PRIu32 " numbers of nodes, but there are %" PRIu32
                         " cells; it names the owner of each, row by row", w->path, n, cells);
}

static bool
read_start(struct layout *l, const char *path, int nodes)
{
    uint32_t cells = lattice_size(&l->setup.cells);
    const char *no_file = io_no_file(path);
    struct words w = {no_file ? NULL : fopen(path, "re"), path, 1};
    if (!w.file)
        return layout_refuse("--start=%s: cannot read it: %s (it is even, half, or a file)", path,
                             no_file ? no_file : strerror(errno));
    l->owners = mem_alloc(cells * sizeof *l->owners);
    bool ok = l->owners ? read_numbers(&w, l->owners, cells, nodes)
                        : layout_refuse("out of memory");
    fclose(w.file);
    return ok;
}

static int
owner_of(void *who, uint32_t cell)
{
    return ((const struct layout *)who)->owners[cell];
}

/* ---- all ---- */

/* block-cyclic:4x2 */
static bool
read_blocks(struct layout *l, const char *name, const char *text, int ndims)
{
    struct lattice block;
    if (!distrib_kind_in_blocks(l->setup.kind))
        return layout_refuse("--distrib=%s: '%s' is not in blocks, and takes no sizes", name,
                             distrib_kind_name(l->setup.kind));
    if (!read_sides(&block, text))
        return layout_refuse("--distrib=%s: the block is written as sides with an x between, as "
                             "block-cyclic:4x2", name);
    if (ndims && block.ndims != ndims)
        return layout_refuse("--distrib=%s: the block has %d side%s, the cells have %d", name,
                             block.ndims, block.ndims == 1 ? "" : "s", ndims);
    for (int i = 0; i < block.ndims; i++) l->setup.block[i] = block.side[i];
    return true;
}

static bool
find_kind(struct layout *l, const char *name, int ndims)
{
    const char *const *all = distrib_kinds(), *sides = strchr(name, ':');
    char word[32];
    size_t n = sides ? (size_t)(sides - name) : strlen(name);
    snprintf(word, sizeof word, "%.*s", (int)n, name);
    l->setup.kind = n < sizeof word ? distrib_kind(word) : NULL;
    if (l->setup.kind) return !sides || read_blocks(l, name, sides + 1, ndims);
    if (ranks_number()) return false;
    clean_print("luna: error: --distrib=%s: it is one of", name);
    for (int i = 0; all[i]; i++) fprintf(stderr, "%s %s", i ? "," : "", all[i]);
    fprintf(stderr, "\n");
    return false;
}

/* `half` makes the lattice twice as long and leaves the program in its first half: the numbers of
 * the program's cells stay the same. */
static bool
double_cells(struct lattice *cells)
{
    int32_t side[LATTICE_DIMS_MAX];
    for (int d = 0; d < cells->ndims; d++) side[d] = cells->side[d];
    if (side[0] > INT32_MAX / 2) return false;
    side[0] *= 2;
    return lattice_init(cells, cells->ndims, side);
}

/* A line of all nodes; or, for a kind on a lattice, one of as many as can have cells: those beyond
 * that have none. */
static void
choose_lattice(struct layout *l, int nodes)
{
    int32_t line[] = {nodes};
    bool fits = !distrib_kind_on_lattice(l->setup.kind);
    if (fits) lattice_init(&l->setup.nodes, 1, line);
    for (int n = nodes; n > 0 && !fits; n--) {
        lattice_factor(&l->setup.nodes, n, &l->setup.cells);
        fits = true;
        for (int d = 0; d < LATTICE_DIMS_MAX; d++)
            fits &= l->setup.nodes.side[d] <= l->setup.cells.side[d];
    }
}

void
layout_close(struct layout *l)
{
    mem_free(l->owners);
    l->owners = NULL;
    l->setup.owner = NULL;
}

/* Work that goes through the cells is everywhere only if each node has some of all parts. A wave
 * meets the next node at each block of a line, so these are larger. Nobody balances such blocks. */
static const char *
usual_kind(int ndims, bool wanders, const struct run_options *o)
{
    bool moves = o->lattice || o->start || (o->balance && strcmp(o->balance, "off"));
    if (!ndims) return "cyclic";
    if (!wanders || moves) return "patch";
    return ndims == 1 ? "block-cyclic:2" : "block-cyclic";
}

/* What does not depend on how many cells there are. */
static bool
choose_kind(struct layout *l, int ndims, bool wanders, const struct run_options *o, int nodes)
{
    *l = (struct layout){.start = o->start ? o->start : "even"};
    const char *name = o->distrib ? o->distrib : usual_kind(ndims, wanders, o);
    if (!find_kind(l, name, ndims)) return false;
    if (o->lattice && o->distrib && !distrib_kind_on_lattice(l->setup.kind))
        return layout_refuse("--lattice=%s: with --distrib=%s nodes stand in a line, and have no "
                             "lattice", o->lattice, name);
    return !o->lattice || read_lattice(&l->setup.nodes, o->lattice, nodes);
}

/* What places cells is said to a program that has none. */
static void
note_no_cells(const struct run_options *o)
{
    const char *option = o->start ? "--start" : o->lattice ? "--lattice" : NULL;
    if (option && !o->quiet && !ranks_number())
        fprintf(stderr, "luna: note: the program has no cells, so %s changes nothing\n", option);
}

bool
layout_choose(struct layout *l, const struct lattice *cells, bool wanders,
              const struct run_options *o, int nodes)
{
    if (!choose_kind(l, cells ? cells->ndims : 0, wanders, o, nodes)) return false;
    bool file = strcmp(l->start, "half") && strcmp(l->start, "even");
    if (!cells && file)
        return layout_refuse("--start=%s: the program declares no cells that a file could place "
                             "(it is even, half, or a file)", l->start);
    if (!cells) {
        note_no_cells(o);
        return true;
    }
    l->has_cells = true;
    l->cells = l->setup.cells = *cells;
    if (!strcmp(l->start, "half") && !double_cells(&l->setup.cells))
        return layout_refuse("--start=half: there are too many cells to double them");
    if (!o->lattice) choose_lattice(l, nodes);
    if (!file) return true;
    if (!read_start(l, l->start, nodes)) {
        layout_close(l);
        return false;
    }
    l->setup.owner = owner_of;
    l->setup.who = l;
    return true;
}

bool
layout_open(struct layout *l, const struct luna_program *p, const struct run_options *o, int nodes,
            const struct frame *main)
{
    struct lattice cells;
    if (cells_come_later(p)) {
        bool ok = choose_kind(l, (int)p->nextents, false, o, nodes);
        l->later = true;
        return ok;
    }
    if (p->nextents) cells = cells_extent(p, main, p->subs[p->main].place);
    return layout_choose(l, p->nextents ? &cells : NULL, p->is_placed && p->wanders, o, nodes);
}

void
layout_refusal(const struct layout *l, const char *why, char *text)
{
    uint32_t cells = lattice_size(&l->setup.cells), nodes = lattice_size(&l->setup.nodes);
    snprintf(text, LAYOUT_TEXT,
             "--distrib=%s cannot spread %" PRIu32 " cells over %" PRIu32 " nodes%s%s: %s",
             distrib_kind_name(l->setup.kind), cells, nodes, l->owners ? " as in " : "",
             l->owners ? l->start : "", why);
}

void
layout_refused(const struct layout *l, const char *why)
{
    char text[LAYOUT_TEXT];
    layout_refusal(l, why, text);
    layout_refuse("%s", text);
}
